//! pgbench's initialization: what `pgbench -i` does.

/// Accounts of one unit of the scale factor.
pub const ACCOUNTS: u64 = 100_000;
/// Tellers of one unit of the scale factor.
pub const TELLERS: u64 = 10;
/// Branches of one unit of the scale factor.
pub const BRANCHES: u64 = 1;

/// The tables, as a statement that names all of them has them.
pub const TABLES: [&str; 4] = ["pgbench_accounts", "pgbench_branches", "pgbench_history", "pgbench_tellers"];

/// An initialization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitPlan {
    /// The scale factor, at least 1.
    pub scale: u32,
    /// What is done, in this order.
    pub steps: Vec<InitStep>,
    /// How full a page gets, in percent.
    pub fillfactor: u32,
    /// Whether the tables are unlogged.
    pub unlogged_tables: bool,
    /// The partitions of the accounts; 0: an ordinary table.
    pub partitions: u32,
    /// How the accounts are partitioned.
    pub partition_method: PartitionMethod,
    /// Where the tables go.
    pub tablespace: Option<String>,
    /// Where the indexes go.
    pub index_tablespace: Option<String>,
    /// Sessions that send the accounts side by side.
    pub jobs: u32,
}

impl Default for InitPlan {
    fn default() -> Self {
        use InitStep::{CreateTables, DropTables, GenerateClientSide, PrimaryKeys, Vacuum};
        Self {
            scale: 1,
            steps: vec![DropTables, CreateTables, GenerateClientSide, Vacuum, PrimaryKeys],
            fillfactor: 100,
            unlogged_tables: false,
            partitions: 0,
            partition_method: PartitionMethod::Range,
            tablespace: None,
            index_tablespace: None,
            jobs: 1,
        }
    }
}

impl InitPlan {
    /// Rows of accounts, tellers and branches, as far as this initialization makes any.
    pub fn rows(&self) -> u64 {
        let generates = |step: &InitStep| matches!(step, InitStep::GenerateClientSide | InitStep::GenerateServerSide);
        if self.steps.iter().any(generates) { u64::from(self.scale) * (ACCOUNTS + TELLERS + BRANCHES) } else { 0 }
    }

    /// Whether it removes, makes or empties the tables.
    pub fn touches_tables(&self) -> bool {
        self.steps.iter().any(|step| !matches!(step, InitStep::Vacuum | InitStep::PrimaryKeys | InitStep::ForeignKeys))
    }

    /// The letters of its steps.
    pub fn letters(&self) -> String {
        self.steps.iter().map(|step| step.letter()).collect()
    }
}

/// How the accounts are partitioned, by their `aid`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartitionMethod {
    /// By ranges of the same width.
    Range,
    /// By hash.
    Hash,
}

impl PartitionMethod {
    /// Its name in SQL and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Hash => "hash",
        }
    }
}

/// A step of an initialization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InitStep {
    /// `d`
    DropTables,
    /// `t`
    CreateTables,
    /// `g`: rows made by the client, sent by COPY.
    GenerateClientSide,
    /// `G`: rows made by the server.
    GenerateServerSide,
    /// `v`
    Vacuum,
    /// `p`
    PrimaryKeys,
    /// `f`
    ForeignKeys,
}

impl InitStep {
    /// All steps, in the order in which pgbench lists their letters.
    pub const ALL: [Self; 7] = [
        Self::DropTables,
        Self::CreateTables,
        Self::GenerateClientSide,
        Self::GenerateServerSide,
        Self::Vacuum,
        Self::PrimaryKeys,
        Self::ForeignKeys,
    ];

    /// The letter that stands for it.
    pub fn letter(self) -> char {
        match self {
            Self::DropTables => 'd',
            Self::CreateTables => 't',
            Self::GenerateClientSide => 'g',
            Self::GenerateServerSide => 'G',
            Self::Vacuum => 'v',
            Self::PrimaryKeys => 'p',
            Self::ForeignKeys => 'f',
        }
    }

    /// The step that a letter stands for.
    pub fn of_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.letter() == letter)
    }

    /// The steps that letters stand for, blanks left out; the first letter that stands for none.
    pub fn of_letters(letters: &str) -> Result<Vec<Self>, char> {
        letters.chars().filter(|letter| *letter != ' ').map(|c| Self::of_letter(c).ok_or(c)).collect()
    }

    /// What pgbench calls it in its last line.
    pub fn name(self) -> &'static str {
        match self {
            Self::DropTables => "drop tables",
            Self::CreateTables => "create tables",
            Self::GenerateClientSide => "client-side generate",
            Self::GenerateServerSide => "server-side generate",
            Self::Vacuum => "vacuum",
            Self::PrimaryKeys => "primary keys",
            Self::ForeignKeys => "foreign keys",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{InitPlan, InitStep};

    #[test]
    fn letters_are_read_as_they_are_written() {
        let letters: String = InitStep::ALL.iter().map(|step| step.letter()).collect();
        assert_eq!(InitStep::of_letters(&letters).unwrap(), InitStep::ALL);
        assert_eq!(InitStep::of_letters(" v  ").unwrap(), [InitStep::Vacuum]);
        assert_eq!(InitStep::of_letters("dta"), Err('a'));
        assert_eq!(InitPlan::default().letters(), "dtgvp");
    }
}
