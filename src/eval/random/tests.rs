//! Sequences that pgbench 15 to 18 give for the same seeds.

use super::*;
use proptest::prelude::*;

struct Vector {
    seed: u64,
    client_seed: u64,
    default_seed: i64,
    uniform_100: [i64; 6],
    uniform_million: [i64; 6],
    exponential: [i64; 6],
    gaussian: [i64; 6],
    zipfian: [i64; 6],
    streams: [u64; 3],
}

const VECTORS: [Vector; 5] = [
    Vector {
        seed: 0,
        client_seed: 16_053_376_993_090_331_485,
        default_seed: 7_868_822_567_099_391_496,
        uniform_100: [30, 67, 67, 31, 73, 5],
        uniform_million: [238_721, 542_000, 968_497, 910_372, 548_853, 247_806],
        exponential: [94, 258, 754, 638, 262, 98],
        gaussian: [513, 779, 298, 457, 386, 455],
        zipfian: [1, 25, 16, 248, 180, 1],
        streams: [2_956_964_425_526_471_504, 12_882_624_093_991_048_669, 16_500_786_647_681_375_410],
    },
    Vector {
        seed: 1,
        client_seed: 7_280_431_682_470_476_346,
        default_seed: -4_077_769_369_618_924_625,
        uniform_100: [82, 2, 76, 67, 85, 6],
        uniform_million: [824_585, 671_004, 14_546, 616_704, 828_427, 541_694],
        exponential: [512, 355, 6, 311, 517, 258],
        gaussian: [726, 515, 531, 437, 556, 451],
        zipfian: [3, 3, 7, 1, 173, 55],
        streams: [10_122_667_324_058_781_879, 14_842_869_971_761_702_686, 1_204_079_217_107_077_203],
    },
    Vector {
        seed: 42,
        client_seed: 7_631_449_856_891_427_754,
        default_seed: 4_306_334_408_478_191_133,
        uniform_100: [82, 82, 8, 38, 85, 36],
        uniform_million: [668_251, 855_542, 665_859, 61_452, 309_154, 691_120],
        exponential: [352, 553, 350, 23, 127, 372],
        gaussian: [718, 415, 618, 370, 502, 348],
        zipfian: [9, 582, 5, 373, 1, 34],
        streams: [14_109_543_567_775_305_443, 14_331_869_965_625_299_235, 1_949_475_498_534_117_539],
    },
    Vector {
        seed: 5432,
        client_seed: 6_700_983_354_324_037_338,
        default_seed: 7_590_783_070_443_337_668,
        uniform_100: [58, 44, 31, 64, 88, 23],
        uniform_million: [856_256, 471_314, 356_753, 250_607, 517_906, 718_328],
        exponential: [554, 213, 150, 100, 242, 397],
        gaussian: [405, 349, 679, 598, 241, 563],
        zipfian: [2, 219, 2, 3, 1, 3],
        streams: [5_598_403_949_180_470_157, 6_764_266_119_510_427_668, 11_721_370_662_199_413_986],
    },
    Vector {
        seed: u64::MAX,
        client_seed: 2_051_662_207_755_801_116,
        default_seed: 5_218_942_343_062_937_440,
        uniform_100: [88, 95, 58, 86, 70, 72],
        uniform_million: [970_931, 718_836, 770_975, 469_202, 860_840, 698_066],
        exponential: [759, 397, 450, 212, 561, 378],
        gaussian: [850, 412, 767, 589, 637, 227],
        zipfian: [1, 4, 2, 1, 4, 36],
        streams: [10_832_400_824_370_344_328, 2_659_613_390_673_476_376, 16_743_038_460_061_492_290],
    },
];

fn client(base: &mut Generator) -> Generator {
    Generator::from_seed(base.next_u64())
}

#[test]
fn one_client_of_each_seed() {
    for vector in VECTORS {
        let mut base = Generator::from_seed(vector.seed);
        let client_seed = base.next_u64();
        assert_eq!(client_seed, vector.client_seed);
        assert_eq!(base.next_u64().cast_signed(), vector.default_seed);
        for first in vector.streams {
            assert_eq!(client(&mut base).next_u64(), first);
        }

        let fresh = || Generator::from_seed(client_seed);
        let six = |draw: &mut dyn FnMut(&mut Generator) -> i64| {
            let mut generator = fresh();
            std::array::from_fn::<_, 6, _>(|_| draw(&mut generator))
        };
        assert_eq!(six(&mut |g| g.uniform(1, 100)), vector.uniform_100);
        assert_eq!(six(&mut |g| g.uniform(1, 1_000_000)), vector.uniform_million);
        assert_eq!(six(&mut |g| g.exponential(1, 1000, 2.5)), vector.exponential);
        assert_eq!(six(&mut |g| g.gaussian(1, 1000, 3.0)), vector.gaussian);
        assert_eq!(six(&mut |g| g.zipfian(1, 1000, 1.2)), vector.zipfian);
    }
}

#[test]
fn base_states() {
    let state = |s0: u64, s1: u64| {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&s0.to_le_bytes());
        bytes[8..].copy_from_slice(&s1.to_le_bytes());
        Generator(State::Xoroshiro(Xoroshiro128StarStar::from_seed(bytes)))
    };
    for (seed, s0, s1) in [
        (0, 0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4),
        (1, 0x910a_2dec_8902_5cc1, 0xbeeb_8da1_658e_ec67),
        (42, 0xbdd7_3226_2feb_6e95, 0x28ef_e333_b266_f103),
        (5432, 0x6a8c_aa9b_97fa_52f1, 0x4a0c_5012_df0d_ca9a),
        (u64::MAX, 0xe4d9_7177_1b65_2c20, 0xe99f_f867_dbf6_82c9),
        (7_631_449_856_891_427_754, 0xd1ac_3a8f_f401_cba1, 0x4a5e_bf27_32b2_cf54),
    ] {
        assert_eq!(Generator::from_seed(seed), state(s0, s1));
    }
}

#[test]
fn clients_of_seed_42() {
    let mut base = Generator::from_seed(42);
    let clients = [client(&mut base), client(&mut base), client(&mut base)];

    let mut words = clients[0].clone();
    assert_eq!(
        [words.next_u64(), words.next_u64(), words.next_u64()],
        [11_755_985_961_310_594_796, 15_050_837_268_821_849_420, 11_713_898_076_724_304_549]
    );
    let mut doubles = clients[0].clone();
    assert!((doubles.next_double() - 0.637_293_275_948_101_8).abs() < 1e-16);
    assert!((doubles.next_double() - 0.815_907_523_229_122_2).abs() < 1e-16);

    let firsts = clients.map(|mut client| client.uniform(1, 1_000_000));
    assert_eq!(firsts, [668_251, 844_242, 802_035]);
}

/// The streams of the only thread of one client: script choice, arrivals, sampling.
fn thread_streams(seed: u64) -> [Generator; 3] {
    let mut base = Generator::from_seed(seed);
    let _client_and_default_seed = (base.next_u64(), base.next_u64());
    std::array::from_fn(|_| client(&mut base))
}

#[test]
fn scripts_and_samples_and_arrivals() {
    let [mut choose, _, _] = thread_streams(42);
    let scripts: Vec<i64> = (0..8).map(|_| choose.uniform(0, 1)).collect();
    assert_eq!(scripts, [1, 0, 1, 1, 1, 1, 1, 1]);

    let [_, mut throttle, mut sample] = thread_streams(1);
    let logged: Vec<u32> = (1..=111).filter(|_| sample.next_double() <= 0.1).collect();
    assert_eq!(logged, [1, 17, 19, 43, 65, 81, 87, 111]);

    let delays: Vec<i64> = (0..6).map(|_| throttle.poisson_delay(1_000_000.0 / 500.0)).collect();
    assert_eq!(delays[1..], [492, 2336, 1082, 6541, 954]);
}

#[test]
fn no_choice_draws_nothing() {
    let mut generator = Generator::from_seed(9);
    assert_eq!(generator.uniform(7, 7), 7);
    assert_eq!(generator.zipfian(7, 7, 2.0), 7);
    assert_eq!(generator, Generator::from_seed(9));
}

#[test]
fn derived_streams_differ() {
    let lists: [&[u64]; 6] = [&[], &[0], &[0, 0], &[1, 2], &[2, 1], &[1, 2, 0]];
    let firsts: std::collections::BTreeSet<u64> =
        lists.iter().map(|words| Generator::derive(5, words).next_u64()).collect();
    assert_eq!(firsts.len(), lists.len());
    assert_ne!(Generator::derive(5, &[1]), Generator::derive(6, &[1]));
    assert_eq!(Generator::derive(5, &[1, 2]), Generator::derive(5, &[1, 2]));
}

#[test]
fn own_distributions_have_their_moments() {
    const DRAWS: u32 = 200_000;
    let mut generator = Generator::from_seed(3);
    let mean = (0..DRAWS).map(|_| generator.exp1()).sum::<f64>() / f64::from(DRAWS);
    assert!((mean - 1.0).abs() < 0.02, "{mean}");
    let normal: Vec<f64> = (0..DRAWS).map(|_| generator.normal()).collect();
    let mean = normal.iter().sum::<f64>() / f64::from(DRAWS);
    let variance = normal.iter().map(|x| x * x).sum::<f64>() / f64::from(DRAWS);
    assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
}

proptest! {
    #[test]
    fn draws_stay_in_range(seed: u64, bounds: (i64, i64), exponent in 0.1..20.0, width in 2.0..20.0, skew in 1.001..20.0) {
        let (low, high) = (bounds.0.min(bounds.1), bounds.0.max(bounds.1));
        let mut generator = Generator::from_seed(seed);
        prop_assert!((low..=high).contains(&generator.uniform(low, high)));

        let (low, high) = (low / 4, high / 4);
        for draw in [
            generator.exponential(low, high, exponent),
            generator.gaussian(low, high, width),
            generator.zipfian(low, high, skew),
        ] {
            prop_assert!((low..=high).contains(&draw));
        }
    }

    #[test]
    fn doubles_stay_below_one(seed: u64) {
        let double = Generator::from_seed(seed).next_double();
        prop_assert!((0.0..1.0).contains(&double));
    }
}
