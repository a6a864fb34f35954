//! Numbers that stand for names once a plan is compiled.

/// Declares an index newtype over an unsigned integer.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        pub struct $name(pub $inner);

        impl $name {
            /// The id of the item at `index`. Panics beyond the id's range, which the compiler of plans refuses first.
            pub fn from_index(index: usize) -> Self {
                Self(<$inner>::try_from(index).expect("more items than the id has numbers"))
            }

            /// The index to look the item up with.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index!(
    /// A variable of the scripts; each client has a value for each.
    SlotId(u16)
);
index!(
    /// A script of the plan.
    ScriptId(u16)
);
index!(
    /// A command (SQL or meta-command) among all commands of all scripts, in the order of the scripts.
    CommandId(u32)
);
index!(
    /// A SQL command among all SQL commands of all scripts; a prepared one is named `P_<n>` on the server.
    StatementId(u32)
);
index!(
    /// A phase of the plan.
    PhaseId(u16)
);
index!(
    /// A client of a phase, over all replicas and workers, from 0.
    ClientId(u32)
);
index!(
    /// A feed of the plan.
    FeedId(u16)
);
