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

/// The percentiles that a report shows, and some beside them, each with its nearest rank's numerator over 100,000.
const SHOWN: [(f64, u64); 12] = [
    (0.0, 0),
    (1.0, 1_000),
    (5.0, 5_000),
    (25.0, 25_000),
    (50.0, 50_000),
    (75.0, 75_000),
    (90.0, 90_000),
    (95.0, 95_000),
    (99.0, 99_000),
    (99.9, 99_900),
    (99.99, 99_990),
    (100.0, 100_000),
];

/// The value of the nearest rank among sorted values.
fn exact(sorted: &[u64], thousandths: u64) -> u64 {
    let rank = (sorted.len() as u64 * thousandths).div_ceil(100_000).max(1);
    sorted[usize::try_from(rank).unwrap() - 1]
}

/// A million latencies from 20 us up, always the same: a fast body, a slower second mode, and a tail to some seconds.
fn million() -> Vec<u64> {
    use rand::{Rng, SeedableRng};
    let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(0x5EED);
    let mut unit = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let mut exponential = |mean: f64| -mean * (1.0 - unit()).ln();
    let mut latency = || {
        let body = 20_000.0 + exponential(60_000.0);
        let slower = if exponential(1.0) > 2.0 { 400_000.0 + exponential(150_000.0) } else { 0.0 };
        let tail = if exponential(1.0) > 5.5 { exponential(20e6) * exponential(8.0) } else { 0.0 };
        u64::try_from(Duration::from_secs_f64((body + slower + tail) / 1e9).as_nanos()).unwrap()
    };
    (0..1_000_000).map(|_| latency()).collect()
}

#[test]
fn a_million_latencies_have_the_exact_percentiles_within_a_thousandth() {
    let mut values = million();
    // as workers have them: counted apart, then merged
    let workers: Vec<Histogram> = values.chunks(130_000).map(of).collect();
    let histogram = merged(&workers.iter().collect::<Vec<_>>());
    values.sort_unstable();
    assert!(values[0] >= 20_000 && values[0] < 21_000 && values[999_999] > 500_000_000, "{histogram:?}");
    for (percent, thousandths) in SHOWN {
        let exact = exact(&values, thousandths) as f64;
        let shown = histogram.percentile(percent).unwrap().as_nanos() as f64;
        assert!(shown >= exact && shown <= exact * 1.001, "p{percent}: {shown}, not {exact}");
    }
    let sum: u128 = values.iter().map(|ns| u128::from(*ns)).sum();
    assert_eq!((histogram.sum_ns(), histogram.count()), (sum, 1_000_000));
}

#[test]
fn every_percentile_of_one_and_of_two_durations_is_one_of_them() {
    let pair = [Duration::from_nanos(20_001), Duration::from_nanos(987_654_321)];
    let (one, two) = (of(&[20_001]), of(&[987_654_321, 20_001]));
    for (percent, _) in SHOWN {
        assert_eq!(one.percentile(percent), Some(pair[0]));
        assert_eq!(two.percentile(percent), Some(pair[usize::from(percent > 50.0)]), "p{percent}");
    }
}

#[test]
fn ten_billion_durations_have_the_percentiles_of_their_parts() {
    const EACH: u64 = 2_500_000_000;
    let of_each = |micros: u64| {
        let mut histogram = Histogram::default();
        histogram.record_n(Duration::from_micros(micros), EACH);
        histogram
    };
    let parts: Vec<Histogram> = [25, 50, 100, 200].map(of_each).into();
    let all = merged(&parts.iter().collect::<Vec<_>>());
    assert_eq!(all.count(), 10_000_000_000);
    for (percent, micros) in [(0.0, 25), (25.0, 25), (25.1, 50), (50.0, 50), (75.0, 100), (75.1, 200), (100.0, 200)] {
        let (shown, exact) = (all.percentile(percent).unwrap().as_nanos() as f64, f64::from(micros) * 1e3);
        assert!(shown >= exact && shown <= exact * 1.001, "p{percent}: {shown}, not {exact}");
    }
    // one in ten billion is still found, and alone there
    let mut with_one = all.clone();
    with_one.record(Duration::from_secs(3));
    assert_eq!(with_one.percentile(100.0), Some(Duration::from_secs(3)));
    assert!(with_one.percentile(99.999_999).unwrap() < Duration::from_millis(1));
    let stored = Histogram::from_parts(&with_one.to_parts()).unwrap();
    assert_eq!(stored, with_one);
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
        let buckets: Vec<(u64, u64)> = histogram.buckets().map(|(highest, count)| (nanoseconds(highest), count)).collect();
        let all = histogram.buckets.as_ref().unwrap();
        let recorded = all.iter_recorded().map(|step| (all.highest_equivalent(step.value_iterated_to()), step.count_at_value()));
        prop_assert_eq!(buckets, recorded.collect::<Vec<_>>());
    }

    #[test]
    fn a_greater_percentile_is_never_less(
        values in prop::collection::vec((duration(), 1u64..1_000_000), 1..60),
        mut percents in prop::collection::vec(0.0f64..=100.0, 2..20),
    ) {
        let mut histogram = Histogram::default();
        for (ns, n) in &values {
            histogram.record_n(Duration::from_nanos(*ns), *n);
        }
        percents.extend(SHOWN.map(|(percent, _)| percent));
        percents.sort_by(f64::total_cmp);
        let shown: Vec<Duration> = percents.iter().map(|percent| histogram.percentile(*percent).unwrap()).collect();
        prop_assert!(shown.is_sorted(), "{:?}", shown);
        prop_assert!(histogram.min().unwrap() <= shown[0] && *shown.last().unwrap() <= histogram.max().unwrap());
    }

    #[test]
    fn stored_and_read_back_it_is_the_same(values in prop::collection::vec(duration(), 0..100)) {
        let histogram = of(&values);
        prop_assert_eq!(&Histogram::from_parts(&histogram.to_parts()).unwrap(), &histogram);
    }
}
