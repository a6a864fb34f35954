//! The `reprise` program: see `reprise --help`.

fn main() {}
