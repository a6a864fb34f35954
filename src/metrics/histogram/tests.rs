use std::time::Duration;

use proptest::prelude::*;

use super::*;

fn of(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::default();
    for ns in values {
        histogram.record(Duration::from_nanos(*ns));
    }
    histogram
}

fn merged(parts: &[&Histogram]) -> Histogram {
    let mut all = Histogram::default();
    for part in parts {
        all.merge(part);
    }
    all
}

/// Durations of all orders of magnitude, some beyond the range.
fn duration() -> impl Strategy<Value = u64> {
    (0u32..48).prop_flat_map(|bits| 0..(1u64 << bits) + 1)
}

#[test]
fn few_durations_give_what_the_nearest_rank_gives() {
    let none = Histogram::default();
    assert_eq!((none.percentile(50.0), none.min(), none.stddev_ns()), (None, None, None));
    let one = of(&[7_000_000_001]);
    for percent in [0.0, 50.0, 99.9, 100.0] {
        assert_eq!(one.percentile(percent), Some(Duration::from_nanos(7_000_000_001)));
    }
    assert_eq!(one.stddev_ns(), Some(0.0));
    let two = of(&[10, 30]);
    assert_eq!((two.percentile(50.0), two.percentile(50.1)), (two.min(), two.max()));
    assert_eq!((two.mean_ns(), two.stddev_ns()), (Some(20.0), Some(10.0)));
}

#[test]
fn a_rank_is_not_rounded_up_by_floating_point() {
    let thousand = of(&(1..=1000).collect::<Vec<_>>());
    assert_eq!(thousand.percentile(99.9), Some(Duration::from_nanos(999)));
    assert_eq!(thousand.percentile(95.0), Some(Duration::from_nanos(950)));
}

#[test]
fn what_is_longer_than_the_range_is_counted_marked_and_shown_whole() {
    let week = 7 * 24 * 60 * 60 * 1_000_000_000;
    let long = of(&[1, week]);
    assert_eq!((long.count(), long.clamped()), (2, 1));
    assert_eq!(long.percentile(99.0), Some(Duration::from_nanos(week)));
    assert_eq!(long.max(), Some(Duration::from_nanos(week)));
}

#[test]
fn ten_billion_durations_are_no_problem() {
    let mut histogram = Histogram::default();
    histogram.record_n(Duration::from_secs(60), 10_000_000_000);
    histogram.record_n(Duration::from_secs(30), 10_000_000_000);
    assert_eq!(histogram.mean(), Some(Duration::from_secs(45)));
    let stddev = histogram.stddev_ns().unwrap();
    assert!((stddev / 15e9 - 1.0).abs() < 1e-9, "{stddev}");
}

#[test]
fn damaged_buckets_are_refused() {
    let mut parts = of(&[5, 6]).to_parts();
    parts.buckets.truncate(20);
    assert!(Histogram::from_parts(&parts).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn merging_is_counting_all_in_any_order(
        a in prop::collection::vec(duration(), 0..30),
        b in prop::collection::vec(duration(), 0..30),
        c in prop::collection::vec(duration(), 0..30),
    ) {
        let together = of(&[a.clone(), b.clone(), c.clone()].concat());
        let (a, b, c) = (of(&a), of(&b), of(&c));
        prop_assert_eq!(&merged(&[&a, &b, &c]), &together);
        prop_assert_eq!(&merged(&[&c, &a, &b]), &together);
        prop_assert_eq!(&merged(&[&a, &merged(&[&b, &c])]), &together);
    }

    #[test]
    fn percentiles_are_in_order_and_near_the_exact_ones(mut values in prop::collection::vec(duration(), 1..200)) {
        let histogram = of(&values);
        values.sort_unstable();
        let mut before = histogram.min().unwrap();
        for (percent, rank_of) in [(50.0, 500), (90.0, 900), (95.0, 950), (99.0, 990), (99.9, 999), (100.0, 1000)] {
            let shown = histogram.percentile(percent).unwrap();
            prop_assert!(shown >= before);
            before = shown;
            let exact = values[(values.len() * rank_of).div_ceil(1000) - 1];
            if exact > HIGHEST_NS / 1001 * 1000 {
                continue; // beyond the range: the longest is shown
            }
            let shown = shown.as_nanos() as f64;
            prop_assert!(shown >= exact as f64 && shown <= exact as f64 * 1.001, "p{percent}: {shown}, not {exact}");
        }
        prop_assert_eq!(before, histogram.max().unwrap());
    }

    #[test]
    fn stored_and_read_back_it_is_the_same(values in prop::collection::vec(duration(), 0..100)) {
        let histogram = of(&values);
        prop_assert_eq!(&Histogram::from_parts(&histogram.to_parts()).unwrap(), &histogram);
    }
}
