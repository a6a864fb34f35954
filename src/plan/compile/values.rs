//! What a scenario's scalars come to once its variables have their values.

use super::ScenarioError;
use super::expression::{Resolve, compile_expression};
use super::scenario_error::Kind;
use super::tables::Tables;
use crate::diagnostic::Diagnostic;
use crate::eval::{Expr, Function, Generator, Scope, Value, evaluate};
use crate::id::SlotId;
use crate::name;
use crate::plan::{Error, VarPlan};
use crate::scenario::Scalar;
use crate::script::{self, Dialect};
use crate::source::Span;
use crate::suggest::nearest;

/// The variables, and what was found wrong so far.
pub(super) struct Values<'a> {
    /// The variables that have their values.
    pub(super) vars: Vec<VarPlan>,
    /// The variables that have faults of their own; what depends on them is not looked at.
    pub(super) broken: Vec<String>,
    /// The variables that the server is asked for; until the phases begin nobody knows them.
    pub(super) asked: Vec<String>,
    /// Faults.
    pub(super) errors: Vec<Error>,
    /// What is worth knowing and no fault.
    pub(super) warnings: Vec<Diagnostic>,
    /// The tables that steps have made so far.
    pub(super) tables: Tables,
    environment: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Values<'a> {
    pub(super) fn new(environment: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self {
            vars: Vec::new(),
            broken: Vec::new(),
            asked: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
            tables: Tables::default(),
            environment,
        }
    }

    /// Notes a fault.
    pub(super) fn fault(&mut self, error: impl Into<Error>) {
        let error = error.into();
        // a key of `load` is met once in each phase
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// Notes two keys that can't both hold.
    pub(super) fn contradiction(&mut self, first: (&str, Span), second: (&str, Span), help: String) {
        self.fault(ScenarioError::Contradiction {
            first: first.0.to_owned(),
            first_span: first.1,
            second: second.0.to_owned(),
            second_span: second.1,
            help,
        });
    }

    /// Notes a key that does nothing without another.
    pub(super) fn needs(&mut self, key: &str, needs: &str, span: Span, help: String) {
        self.fault(ScenarioError::Unsupported { key: key.to_owned(), needs: needs.to_owned(), span, help });
    }

    /// Notes a name that names nothing.
    pub(super) fn unknown(&mut self, kind: Kind, name: &Scalar, known: &[&str]) {
        let nearest = nearest(&name.text, known.iter().copied()).map(str::to_owned);
        let known = known.iter().map(|&known| known.to_owned()).collect();
        self.fault(ScenarioError::UnknownName { kind, name: name.text.clone(), span: name.span, nearest, known });
    }

    /// One of a few words.
    pub(super) fn word<'k>(&mut self, scalar: &Scalar, what: &str, known: &[&'k str]) -> Option<&'k str> {
        let text = self.text(scalar)?;
        let found = known.iter().copied().find(|word| *word == text);
        if found.is_none() {
            let choices = known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            self.invalid(scalar, what, "one of its choices", Some(format!("one of: {choices}")));
        }
        found
    }

    /// Notes something that is worth knowing and no fault.
    pub(super) fn warn(&mut self, warning: Diagnostic) {
        // a key of `load` is met once in each phase
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// The value of a variable, where it is known.
    pub(super) fn var(&self, name: &str) -> Option<&Value> {
        let known = |var: &&VarPlan| var.name == name && !self.asked.contains(&var.name);
        self.vars.iter().find(known).map(|var| &var.value)
    }

    /// Whether a text depends on a variable that has faults of its own.
    fn is_broken(&self, scalar: &Scalar) -> bool {
        references(&scalar.text)
            .into_iter()
            .any(|r| self.broken.iter().any(|name| *name == scalar.text[r.start + 1..r.end]))
    }

    /// Reports a name that is no variable, or none yet.
    pub(super) fn undefined(&self, name: &str, span: Span) -> Error {
        if self.asked.iter().any(|asked| asked == name) {
            let reason = "the server is asked for it when the phases begin, so that scripts alone have it".to_owned();
            return ScenarioError::Evaluation { what: format!("`:{name}`"), reason, span }.into();
        }
        let names = self.vars.iter().map(|var| var.name.as_str());
        let nearest = nearest(name, names).map(str::to_owned);
        ScenarioError::UndefinedVariable { name: name.to_owned(), span, nearest }.into()
    }

    /// The text with each `:name` replaced by its value, for words and names.
    pub(super) fn text(&mut self, scalar: &Scalar) -> Option<String> {
        if self.names_environment(scalar) || self.is_broken(scalar) {
            return None;
        }
        let mut text = String::new();
        let (mut from, mut complete) = (0, true);
        for reference in references(&scalar.text) {
            let name = &scalar.text[reference.start + 1..reference.end];
            text.push_str(&scalar.text[from..reference.start]);
            if let Some(value) = self.var(name) {
                text.push_str(&show(value));
            } else {
                let error = self.undefined(name, scalar.place(reference.clone()));
                self.fault(error);
                complete = false;
            }
            from = reference.end;
        }
        text.push_str(&scalar.text[from..]);
        complete.then(|| text.trim().to_owned())
    }

    /// Whether `${NAME}` stands here, where the environment has no say; that is noted.
    fn names_environment(&mut self, scalar: &Scalar) -> bool {
        let Some(reference) = environment_references(&scalar.text).next() else { return false };
        let name = scalar.text[reference.clone()].to_owned();
        self.fault(ScenarioError::EnvironmentHere { name, span: scalar.place(reference) });
        true
    }

    /// The text with each `${NAME}` replaced by that variable of the environment.
    pub(super) fn environment_text(&mut self, scalar: &Scalar) -> Option<String> {
        let (mut text, mut from) = (String::new(), 0);
        for reference in environment_references(&scalar.text) {
            let name = &scalar.text[reference.start + 2..reference.end - 1];
            let Some(value) = (self.environment)(name) else {
                let span = scalar.place(reference);
                self.fault(ScenarioError::UnsetEnvironment { name: name.to_owned(), span });
                return None;
            };
            text.push_str(&scalar.text[from..reference.start]);
            text.push_str(&value);
            from = reference.end;
        }
        text.push_str(&scalar.text[from..]);
        Some(text)
    }

    /// The value of an expression; a plain number is one too.
    pub(super) fn value(&mut self, scalar: &Scalar, what: &str) -> Option<Value> {
        if self.names_environment(scalar) || self.is_broken(scalar) {
            return None;
        }
        let source = scalar.span.source;
        let ast = match script::parse_expression(source, &scalar.text, 0, Dialect::Extended) {
            Ok(ast) => ast,
            Err(error) => {
                let diagnostic = super::scripts::moved(error.diagnostic(), scalar);
                self.fault(Error::Script(Box::new(diagnostic)));
                return None;
            }
        };
        let mut errors = Vec::new();
        let mut scope = VarScope { values: self, scalar, seeded: false };
        let compiled = compile_expression(&ast, &mut scope, &mut errors);
        let seeded = scope.seeded;
        for error in errors {
            self.fault(error);
        }
        let compiled = compiled?;
        if seeded || varies(&compiled) {
            let reason = "its value would change from run to run; only scripts draw".to_owned();
            self.fault(ScenarioError::Evaluation { what: what.to_owned(), reason, span: scalar.span });
            return None;
        }
        let slots: Vec<Option<Value>> = self.vars.iter().map(|var| Some(var.value.clone())).collect();
        let mut scope = Scope {
            slots: &slots,
            random: &mut Generator::from_seed(0),
            client: 0,
            iteration: 0,
            now_us: &|| 0,
            debug: &mut |_| {},
            strict_text: false,
        };
        match evaluate(&compiled, &mut scope) {
            Ok(value) => Some(value),
            Err(error) => {
                let reason = error.message(&|slot| self.vars[slot.index()].name.clone());
                self.fault(ScenarioError::Evaluation { what: what.to_owned(), reason, span: scalar.span });
                None
            }
        }
    }
}

/// Whether an expression may come to something else each time.
fn varies(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_) | Expr::Slot(_) => false,
        Expr::Not(operand) | Expr::Is { operand, .. } => varies(operand),
        Expr::And(left, right) | Expr::Or(left, right) => varies(left) || varies(right),
        Expr::Case(branches, otherwise) => {
            branches.iter().any(|(when, then)| varies(when) || varies(then)) || otherwise.as_deref().is_some_and(varies)
        }
        Expr::Call(function, arguments) => {
            let draws = matches!(
                function,
                Function::Random
                    | Function::RandomExponential
                    | Function::RandomGaussian
                    | Function::RandomZipfian
                    | Function::RandomString
                    | Function::Uuid
                    | Function::Choice
                    | Function::Client
                    | Function::Iteration
                    | Function::NowMicroseconds
            );
            draws || arguments.iter().any(varies)
        }
    }
}

/// The names of variables in an expression of a scenario.
struct VarScope<'v, 'a> {
    values: &'v Values<'a>,
    scalar: &'v Scalar,
    seeded: bool,
}

impl Resolve for VarScope<'_, '_> {
    fn variable(&mut self, name: &str, span: Span, errors: &mut Vec<Error>) -> Option<SlotId> {
        let known = self.values.var(name).is_some();
        let found = self.values.vars.iter().position(|var| known && var.name == name);
        if found.is_none() {
            errors.push(self.values.undefined(name, self.scalar.place(span.range())));
        }
        found.map(SlotId::from_index)
    }

    fn default_seed(&mut self) -> SlotId {
        // a hash without a seed of its own takes one that each run draws
        self.seeded = true;
        SlotId(0)
    }

    fn extensions(&self) -> bool {
        true
    }
}

/// Where `:name` stands in a text; `::type`, `12:30` and `http://` are none.
pub(crate) fn references(text: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for (at, _) in text.match_indices(':') {
        let before = at.checked_sub(1).map(|b| bytes[b]);
        let begins = bytes.get(at + 1).is_some_and(|b| name::begins(*b));
        if begins && !before.is_some_and(|b| name::goes_on(b) || b == b':') {
            let length = bytes[at + 1..].iter().take_while(|b| name::goes_on(**b)).count();
            found.push(at..at + 1 + length);
        }
    }
    found
}

/// Where `${NAME}` stands in a text.
pub(super) fn environment_references(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    text.match_indices("${").filter_map(|(at, _)| {
        let length = text[at + 2..].bytes().take_while(|b| name::goes_on(*b)).count();
        let closed = text[at + 2 + length..].starts_with('}');
        (length > 0 && closed).then_some(at..at + length + 3)
    })
}

/// A value as text.
pub(crate) fn show(value: &Value) -> String {
    let mut bytes = Vec::new();
    value.write_sql(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::references;

    #[test]
    fn the_environment_is_named_in_braces() {
        let found = |text: &str| super::environment_references(text).map(|r| text[r].to_owned()).collect::<Vec<_>>();
        assert_eq!(found("a ${B_1} ${c}d"), ["${B_1}", "${c}"]);
        assert!(found("$B ${} ${a b} ${open $$").is_empty());
    }

    #[test]
    fn only_names_behind_a_colon_are_references() {
        let found = |text: &str| references(text).into_iter().map(|r| text[r].to_owned()).collect::<Vec<_>>();
        assert_eq!(found("1..:orders + :a_1"), [":orders", ":a_1"]);
        assert!(found("12:30 x::int http://a postgres://u:pw@h").is_empty());
    }
}
