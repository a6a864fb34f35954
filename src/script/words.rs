//! The fixed words of the language.

/// Every meta-command and what follows it; the extensions come last.
pub(super) const META_COMMANDS: [(&str, &str); 18] = [
    ("set", " NAME EXPRESSION"),
    ("setshell", " NAME COMMAND [ARGUMENT…]"),
    ("shell", " COMMAND [ARGUMENT…]"),
    ("sleep", " NUMBER [us|ms|s]"),
    ("gset", " [PREFIX]"),
    ("aset", " [PREFIX]"),
    ("if", " EXPRESSION"),
    ("elif", " EXPRESSION"),
    ("else", ""),
    ("endif", ""),
    ("startpipeline", ""),
    ("syncpipeline", ""),
    ("endpipeline", ""),
    ("feed", " NAME"),
    ("repeat", " EXPRESSION [as NAME]"),
    ("endrepeat", ""),
    ("label", " NAME"),
    ("assert", " EXPRESSION ['TEXT']"),
];

/// The words of expressions that are no functions.
pub(super) const KEYWORDS: [&str; 14] =
    ["and", "or", "not", "is", "isnull", "notnull", "null", "true", "false", "case", "when", "then", "else", "end"];

/// pgbench's functions, which it tells from unknown names before it looks at what follows.
pub(super) const PGBENCH_FUNCTIONS: [&str; 21] = [
    "abs",
    "debug",
    "double",
    "exp",
    "greatest",
    "hash",
    "hash_fnv1a",
    "hash_murmur2",
    "int",
    "least",
    "ln",
    "mod",
    "permute",
    "pi",
    "pow",
    "power",
    "random",
    "random_exponential",
    "random_gaussian",
    "random_zipfian",
    "sqrt",
];
