//! The rows of pgbench's tables as COPY reads them.

use std::ops::Range;

use crate::plan::initialization::{ACCOUNTS, BRANCHES, TELLERS};

/// A table that is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    Branches,
    Tellers,
    Accounts,
}

impl Table {
    /// In the order in which they are filled.
    pub(super) const ALL: [Self; 3] = [Self::Branches, Self::Tellers, Self::Accounts];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Branches => "pgbench_branches",
            Self::Tellers => "pgbench_tellers",
            Self::Accounts => "pgbench_accounts",
        }
    }

    /// How many rows it has at a scale factor.
    pub(super) fn rows(self, scale: u32) -> u64 {
        let unit = match self {
            Self::Branches => BRANCHES,
            Self::Tellers => TELLERS,
            Self::Accounts => ACCOUNTS,
        };
        u64::from(scale) * unit
    }

    /// Appends the rows of this range; the first row of a table is 0.
    pub(super) fn write(self, rows: Range<u64>, out: &mut Vec<u8>) {
        match self {
            Self::Branches => rows.for_each(|row| line(out, row + 1, b"\t0\t\\N\n")),
            Self::Tellers => write(rows, TELLERS, b"\t0\t\\N\n", out),
            Self::Accounts => write(rows, ACCOUNTS, b"\t0\t\n", out),
        }
    }
}

/// Rows that belong to branches, so many to each.
fn write(mut rows: Range<u64>, unit: u64, rest: &[u8], out: &mut Vec<u8>) {
    let mut tail = Vec::with_capacity(32);
    while !rows.is_empty() {
        let branch = rows.start / unit + 1;
        tail.clear();
        tail.push(b'\t');
        tail.extend_from_slice(itoa::Buffer::new().format(branch).as_bytes());
        tail.extend_from_slice(rest);
        let end = rows.end.min(branch * unit);
        for row in rows.start..end {
            line(out, row + 1, &tail);
        }
        rows.start = end;
    }
}

#[inline]
fn line(out: &mut Vec<u8>, key: u64, rest: &[u8]) {
    out.extend_from_slice(itoa::Buffer::new().format(key).as_bytes());
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::Table;

    fn text(table: Table, rows: std::ops::Range<u64>) -> String {
        let mut out = Vec::new();
        table.write(rows, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_are_those_of_pgbench() {
        assert_eq!(text(Table::Branches, 0..2), "1\t0\t\\N\n2\t0\t\\N\n");
        assert_eq!(text(Table::Tellers, 9..11), "10\t1\t0\t\\N\n11\t2\t0\t\\N\n");
        assert_eq!(text(Table::Accounts, 99_999..100_001), "100000\t1\t0\t\n100001\t2\t0\t\n");
        assert_eq!(text(Table::Accounts, 7..7), "");
    }

    proptest::proptest! {
        #[test]
        fn a_cut_changes_no_row(start in 0_u64..300_000, left in 0_u64..200, right in 0_u64..200) {
            let (cut, end) = (start + left, start + left + right);
            for table in Table::ALL {
                proptest::prop_assert_eq!(text(table, start..cut) + &text(table, cut..end), text(table, start..end));
            }
        }
    }
}
