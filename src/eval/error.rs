//! What can go wrong while an expression is evaluated.

use super::double::Fixed;
use super::function::RANDOM_STRING_MAX;
use super::operator::MAX_ARGUMENTS;
use crate::diagnostic::Diagnostic;
use crate::id::SlotId;
use crate::source::Span;

/// A failed evaluation. Variables are slots here; [`Error::message`] puts their names in.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A variable that has no value yet.
    #[error("undefined variable")]
    UndefinedVariable(SlotId),
    /// A variable's text is used as a number or condition and is none.
    #[error("malformed variable value: \"{value}\"")]
    MalformedVariable {
        /// The variable.
        slot: SlotId,
        /// Its text.
        value: Box<str>,
    },
    /// A variable's text is used as a number or condition and is empty. pgbench fails here without a message.
    #[error("empty variable")]
    EmptyVariable(SlotId),
    /// The same of a text that is no variable's.
    #[error("malformed value: \"{0}\"")]
    MalformedText(Box<str>),
    /// The same of an empty text that is no variable's.
    #[error("empty value")]
    EmptyText,
    /// A text is an integer, but not one of 64 bits.
    #[error("value \"{0}\" is out of range for type bigint")]
    IntegerOutOfRange(Box<str>),
    /// A text consists of a sign or of blanks.
    #[error("invalid input syntax for type bigint: \"{0}\"")]
    InvalidInteger(Box<str>),
    /// Integers only; doubles divide to infinity or NaN.
    #[error("division by zero")]
    DivisionByZero,
    /// The result of an operator (`add`, `sub`, `mul`, `div`) needs more than 64 bits.
    #[error("bigint {0} out of range")]
    BigintOutOfRange(&'static str),
    /// A double that no 64-bit integer comes near.
    #[error("double to int overflow for {}", Fixed(*.0))]
    DoubleToIntOverflow(f64),
    /// A value of the wrong type.
    #[error("cannot coerce {from} to {to}")]
    CannotCoerce {
        /// The type that it has.
        from: &'static str,
        /// The type that is needed.
        to: &'static str,
    },
    /// `least` and `greatest` find out late.
    #[error("too many function arguments, maximum is {MAX_ARGUMENTS}")]
    TooManyArguments,
    /// A call that compilation should have refused.
    #[error("unexpected number of arguments")]
    ArgumentCount,
    /// The upper bound of a random function lies below the lower one.
    #[error("empty range given to random")]
    EmptyRange,
    /// The number of integers between the bounds needs more than 63 bits.
    #[error("random range is too large")]
    RangeTooLarge,
    /// See `random_gaussian`.
    #[error("gaussian parameter must be at least 2.000000 (not {})", Fixed(*.0))]
    GaussianParameter(f64),
    /// See `random_exponential`.
    #[error("exponential parameter must be greater than zero (not {})", Fixed(*.0))]
    ExponentialParameter(f64),
    /// See `random_zipfian`.
    #[error("zipfian parameter must be in range [1.001, 1000] (not {})", Fixed(*.0))]
    ZipfianParameter(f64),
    /// See `permute`.
    #[error("permute size parameter must be greater than zero")]
    PermuteSize,
    /// See `random_string`.
    #[error("random_string length must be in range [0, {RANDOM_STRING_MAX}] (not {0})")]
    RandomStringLength(i64),
}

impl Error {
    /// The same, charged to the variable that the text came from.
    pub(super) fn of_variable(self, slot: SlotId) -> Self {
        match self {
            Self::MalformedText(value) => Self::MalformedVariable { slot, value },
            Self::EmptyText => Self::EmptyVariable(slot),
            other => other,
        }
    }

    /// What went wrong, in pgbench's words where it has the case.
    pub fn message(&self, name_of: &dyn Fn(SlotId) -> String) -> String {
        match self {
            Self::UndefinedVariable(slot) => format!("undefined variable \"{}\"", name_of(*slot)),
            Self::MalformedVariable { slot, value } => {
                format!("malformed variable \"{}\" value: \"{value}\"", name_of(*slot))
            }
            Self::EmptyVariable(slot) => format!("empty variable \"{}\"", name_of(*slot)),
            other => other.to_string(),
        }
    }

    /// The name under which the reference describes it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UndefinedVariable(_) => "eval::undefined_variable",
            Self::MalformedVariable { .. } => "eval::malformed_variable",
            Self::EmptyVariable(_) => "eval::empty_variable",
            Self::MalformedText(_) => "eval::malformed_text",
            Self::EmptyText => "eval::empty_text",
            Self::IntegerOutOfRange(_) => "eval::integer_out_of_range",
            Self::InvalidInteger(_) => "eval::invalid_integer",
            Self::DivisionByZero => "eval::division_by_zero",
            Self::BigintOutOfRange(_) => "eval::bigint_out_of_range",
            Self::DoubleToIntOverflow(_) => "eval::double_to_int_overflow",
            Self::CannotCoerce { .. } => "eval::cannot_coerce",
            Self::TooManyArguments => "eval::too_many_arguments",
            Self::ArgumentCount => "eval::argument_count",
            Self::EmptyRange => "eval::empty_range",
            Self::RangeTooLarge => "eval::range_too_large",
            Self::GaussianParameter(_) => "eval::gaussian_parameter",
            Self::ExponentialParameter(_) => "eval::exponential_parameter",
            Self::ZipfianParameter(_) => "eval::zipfian_parameter",
            Self::PermuteSize => "eval::permute_size",
            Self::RandomStringLength(_) => "eval::random_string_length",
        }
    }

    /// For the user, with the expression or command at `span` as its place.
    pub fn diagnostic(&self, span: Span, name_of: &dyn Fn(SlotId) -> String) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.message(name_of)).label(span, "evaluated here");
        match self.help(name_of) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn help(&self, name_of: &dyn Fn(SlotId) -> String) -> Option<String> {
        let help = match self {
            Self::UndefinedVariable(slot) => {
                let name = name_of(*slot);
                return Some(format!("give it a value first: `\\set {name} …`, `\\gset` or `-D {name}=…`"));
            }
            Self::MalformedVariable { .. } | Self::MalformedText(_) => {
                "a text counts as a value here only if it is a number, a boolean or `null`"
            }
            Self::EmptyVariable(_) | Self::EmptyText => {
                "an SQL null that `\\gset` stores is an empty text; `coalesce` in the statement avoids it"
            }
            Self::IntegerOutOfRange(_) | Self::BigintOutOfRange(_) => "`double(…)` computes with a larger range",
            Self::DivisionByZero => "`case when … then … end` can keep a zero away from the division",
            Self::CannotCoerce { from: "boolean", .. } => "`case when … then 1 else 0 end` makes a number of a boolean",
            Self::CannotCoerce { to: "boolean", .. } => "compare it, such as `… <> 0`",
            Self::EmptyRange => "the lower bound comes first",
            _ => return None,
        };
        Some(help.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_put_in() {
        let name_of = |slot: SlotId| format!("v{}", slot.0);
        let malformed = Error::MalformedText("bla".into()).of_variable(SlotId(3));
        assert_eq!(malformed.message(&name_of), "malformed variable \"v3\" value: \"bla\"");
        let diagnostic = Error::UndefinedVariable(SlotId(7)).diagnostic(Span::default(), &name_of);
        assert_eq!(diagnostic.code, "eval::undefined_variable");
        assert_eq!(diagnostic.message, "undefined variable \"v7\"");
        assert!(diagnostic.help.is_some_and(|help| help.contains("\\set v7")));
    }

    #[test]
    fn numbers_are_shown_as_c_does() {
        assert_eq!(
            Error::DoubleToIntOverflow(1e29).to_string(),
            "double to int overflow for 99999999999999991433150857216.000000"
        );
        assert_eq!(Error::DoubleToIntOverflow(f64::NAN).to_string(), "double to int overflow for NaN");
        assert_eq!(
            Error::GaussianParameter(1.0).to_string(),
            "gaussian parameter must be at least 2.000000 (not 1.000000)"
        );
        assert_eq!(Error::TooManyArguments.to_string(), "too many function arguments, maximum is 16");
    }
}
