//! What a script says, as a tree with spans.

use crate::source::{SourceId, Span};

/// A whole script file.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The file.
    pub source: SourceId,
    /// Its commands in order; `\gset` and `\aset` belong to the SQL command before them.
    pub commands: Vec<Command>,
}

/// One element of a script: a SQL command or a meta-command.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// From the first byte of the command to its last one (a `;` included, a line's end not).
    pub span: Span,
    /// How pgbench shows it: SQL up to its first line end and at most 127 bytes, a meta-command whole.
    pub display: String,
    /// The name that a `\label` before it gave.
    pub label: Option<Name>,
    /// What it does.
    pub kind: CommandKind,
}

/// A name with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name itself, without colon or quotes.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// What a command does.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandKind {
    /// Text for the server.
    Sql(Sql),
    /// `\set NAME EXPR`
    Set {
        /// The variable.
        name: Name,
        /// Its new value.
        value: Expr,
    },
    /// `\setshell NAME COMMAND…`
    SetShell {
        /// The variable.
        name: Name,
        /// The words of the command.
        words: Vec<Word>,
    },
    /// `\shell COMMAND…`
    Shell {
        /// The words of the command.
        words: Vec<Word>,
    },
    /// `\sleep N [us|ms|s]`
    Sleep {
        /// How long, in `unit`s.
        amount: SleepAmount,
        /// Seconds unless said.
        unit: SleepUnit,
    },
    /// `\if EXPR`
    If(Expr),
    /// `\elif EXPR`
    Elif(Expr),
    /// `\else`
    Else,
    /// `\endif`
    Endif,
    /// `\startpipeline`
    StartPipeline,
    /// `\syncpipeline`
    SyncPipeline,
    /// `\endpipeline`
    EndPipeline,
    /// `\feed NAME` (extension)
    Feed(Name),
    /// `\repeat EXPR [as VAR]` (extension)
    Repeat {
        /// How often.
        count: Expr,
        /// The variable that counts from 1.
        counter: Option<Name>,
    },
    /// `\endrepeat` (extension)
    EndRepeat,
    /// `\assert EXPR ['text']` (extension)
    Assert {
        /// What must be true.
        condition: Expr,
        /// What to say when it is not.
        text: Option<String>,
    },
}

/// A SQL command, cut at the places where variables may stand.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sql {
    /// Text and references in order; put together they are the command as written (with `\;` and `\:` resolved).
    pub parts: Vec<SqlPart>,
    /// Where, in the bytes of the parts put together, a colon was written `\:`: what follows it was read as if the colon
    /// stood for itself, so that `\:E'…'` holds a string with escapes where `:E'…'` does not.
    pub escaped_colons: Vec<usize>,
    /// `\gset` or `\aset` behind it.
    pub store: Option<Store>,
}

/// A piece of a SQL command.
#[derive(Debug, Clone, PartialEq)]
pub enum SqlPart {
    /// Sent as it stands.
    Text(String),
    /// A candidate for substitution: `:name`, `:'name'` or `:"name"`.
    Variable(VariableRef),
}

/// `:name` in a SQL command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableRef {
    /// The name and the span of the whole reference, colon included.
    pub name: Name,
    /// Where it stands: only [`SqlPlace::Plain`] ones are certain to be meant as references.
    pub place: SqlPlace,
    /// How its value is written.
    pub form: VariableForm,
}

/// What surrounds a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlPlace {
    /// Nothing: plain SQL.
    Plain,
    /// A string or dollar-quoted literal.
    Literal,
    /// A quoted identifier.
    QuotedIdentifier,
    /// A comment.
    Comment,
}

/// How a reference asks for its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableForm {
    /// `:x`: as it is.
    Raw,
    /// `:'x'`: as a literal (extension).
    Literal,
    /// `:"x"`: as a quoted identifier (extension).
    Identifier,
}

/// `\gset [PREFIX]` or `\aset [PREFIX]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    /// Which of the two.
    pub kind: StoreKind,
    /// Put before each column's name; empty when not given.
    pub prefix: String,
    /// The whole meta-command.
    pub span: Span,
}

/// Which results are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreKind {
    /// `\gset`: the last result, exactly one row.
    Gset,
    /// `\aset`: the last row of every result that has one.
    Aset,
}

/// A word of `\shell` and `\setshell`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// Passed as it stands.
    Text(String),
    /// `:name`: the variable's value.
    Variable(Name),
}

/// How long `\sleep` sleeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SleepAmount {
    /// A number; a negative one does not wait.
    Constant(i64),
    /// `:name`
    Variable(Name),
}

/// The unit of a `\sleep`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SleepUnit {
    /// `us`
    Microseconds,
    /// `ms`
    Milliseconds,
    /// `s`
    Seconds,
}

/// An expression of `\set`, `\if` or a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// Its text's place.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// The kinds of expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// `42`
    Integer(i64),
    /// `4.2`
    Double(f64),
    /// `'text'` (extension)
    Text(String),
    /// `:name`
    Variable(String),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `x is [not] null|true|false`, `x isnull`, `x notnull`
    Is {
        /// What is tested.
        operand: Box<Expr>,
        /// Against what.
        test: IsTest,
        /// `is not`
        negated: bool,
    },
    /// `case when … then … [else …] end`
    Case {
        /// Condition and value of each `when`.
        branches: Vec<(Expr, Expr)>,
        /// The `else`.
        otherwise: Option<Box<Expr>>,
    },
    /// `name(arguments)`; whether there is such a function is found when it is compiled.
    Call {
        /// As written.
        function: Name,
        /// In order.
        arguments: Vec<Expr>,
    },
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-x`, evaluated as `0 - x`
    Negate,
    /// `+x`: x
    Plus,
    /// `not x`
    Not,
    /// `~x`
    BitNot,
}

/// Infix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is named after its sign")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    BitOr,
    BitAnd,
    BitXor,
    And,
    Or,
    /// `||` (extension)
    Concat,
}

/// What `is` compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IsTest {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
}

/// A statement of set-up SQL.
#[derive(Debug, Clone, PartialEq)]
pub enum SetupItem {
    /// Text for the server.
    Sql {
        /// The statement.
        sql: Sql,
        /// From its first byte to its last one (a `;` included).
        span: Span,
    },
    /// `COPY … FROM stdin` with its data.
    Copy {
        /// The statement.
        sql: Sql,
        /// From its first byte to its `;`.
        span: Span,
        /// The lines of data, without the `\.` that ends them.
        data: Span,
    },
}

impl SetupItem {
    /// Where the statement stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Sql { span, .. } | Self::Copy { span, .. } => *span,
        }
    }
}
