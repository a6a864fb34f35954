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

/// pgbench's functions, which it tells from unknown names before it looks at what follows, with the fewest and the most
/// arguments that they take; some take any number.
pub(super) const PGBENCH_FUNCTIONS: [(&str, usize, Option<usize>); 21] = [
    ("abs", 1, Some(1)),
    ("debug", 1, Some(1)),
    ("double", 1, Some(1)),
    ("exp", 1, Some(1)),
    ("greatest", 1, None),
    ("hash", 1, Some(2)),
    ("hash_fnv1a", 1, Some(2)),
    ("hash_murmur2", 1, Some(2)),
    ("int", 1, Some(1)),
    ("least", 1, None),
    ("ln", 1, Some(1)),
    ("mod", 2, Some(2)),
    ("permute", 2, Some(3)),
    ("pi", 0, Some(0)),
    ("pow", 2, Some(2)),
    ("power", 2, Some(2)),
    ("random", 2, Some(2)),
    ("random_exponential", 3, Some(3)),
    ("random_gaussian", 3, Some(3)),
    ("random_zipfian", 3, Some(3)),
    ("sqrt", 1, Some(1)),
];
