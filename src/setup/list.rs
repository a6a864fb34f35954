//! Names in a sentence.

/// Names in backticks, the first ten of them.
pub(super) fn list(names: &[String]) -> String {
    const SHOWN: usize = 10;
    let mut text = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text = format!("{text} and {} more", names.len() - SHOWN);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn a_long_list_is_cut() {
        let names: Vec<String> = (0..12).map(|n| n.to_string()).collect();
        assert!(list(&names).ends_with("`9` and 2 more"));
    }
}
