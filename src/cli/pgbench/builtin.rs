//! pgbench's builtin scripts.

/// A script that has a name of its own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Builtin {
    /// Its name.
    pub(crate) name: &'static str,
    /// What reports call it.
    pub(crate) description: &'static str,
    /// Its commands.
    pub(crate) text: &'static str,
}

/// All of them; the first is the default.
pub(crate) static ALL: [Builtin; 3] = [
    Builtin {
        name: "tpcb-like",
        description: "<builtin: TPC-B (sort of)>",
        text: include_str!("../../../scenarios/pgbench/tpcb-like.sql"),
    },
    Builtin {
        name: "simple-update",
        description: "<builtin: simple update>",
        text: include_str!("../../../scenarios/pgbench/simple-update.sql"),
    },
    Builtin {
        name: "select-only",
        description: "<builtin: select only>",
        text: include_str!("../../../scenarios/pgbench/select-only.sql"),
    },
];

/// The list that `-b list` prints.
pub(crate) fn list() -> String {
    let lines = ALL.iter().map(|b| format!("  {:>13}: {}\n", b.name, b.description));
    format!("Available builtin scripts:\n{}", lines.collect::<String>())
}
