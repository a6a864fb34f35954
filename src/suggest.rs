//! The nearest valid name, for "did you mean".

/// The candidate nearest to `name`, if any is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_none() {
        let names = ["sleep", "set", "setshell"];
        assert_eq!(nearest("sleeep", names), Some("sleep"));
        assert_eq!(nearest("Setshel", names), Some("setshell"));
        assert_eq!(nearest("vacuum", names), None);
    }
}
