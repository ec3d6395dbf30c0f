//! Any back-to-back operations on any word: the hardware and the model agree, whatever the word held.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::Order;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::check::Target;
use txbar_testbench::engine::Serial;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::model::Memory;
use txbar_testbench::request::Request;
use txbar_testbench::test_env;

/// A field's bits: small, at the middle, at the end, or anything.
fn field(bits: u32) -> impl Strategy<Value = u64> {
    let mask = (1u64 << bits) - 1;
    prop_oneof![0..=3u64, (mask - 3)..=mask, Just(mask / 2), Just(mask / 2 + 1), 0..=mask]
}

/// A word with every field of its own.
fn word() -> impl Strategy<Value = u64> {
    let fields = (any::<bool>(), field(20), prop::bool::weighted(0.1), field(21), field(20), any::<bool>());
    fields.prop_map(|(phase, pending, fault, tx, expected, unused)| {
        (phase as u64) << 63 | pending << 43 | (fault as u64) << 42 | tx << 21 | expected << 1 | unused as u64
    })
}

fn data() -> impl Strategy<Value = u64> {
    prop_oneof![0..=4u64, (1u64 << 20) - 4..(1 << 20) + 4, any::<u64>(), word()]
}

/// Any request; mostly on one word, so that they meet in the pipeline.
fn request() -> impl Strategy<Value = Request> {
    let op = prop_oneof![20 => 0..Op::ALL.len() as u8, 1 => 0..32u8];
    let address = prop_oneof![12 => Just(8u32), 4 => Just(16), 1 => any::<u32>()];
    (op, prop::bool::weighted(0.1), address, data(), any::<u8>(), any::<u8>()).prop_map(
        |(op, remote, address, data, strobe, tag)| {
            let order = Order::from_code(tag % (1 << Order::BITS));
            Request { op, remote, address, data, strobe, tag: tag.into(), order, elsewhere: false, threads: 1 }
        },
    )
}

/// A seed that is new in every run, unless `TXBAR_SEED` gives one.
fn config() -> ProptestConfig {
    let seed = test_env::seed();
    ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_hardware_agrees_with_the_model(word in word(), requests in prop::collection::vec(request(), 1..8)) {
        let mut all = vec![Request::new(Op::Store, 8).with(word)];
        all.extend(requests);
        all.extend([8, 16].map(|address| Request::new(Op::Load, address)));
        let parameters = Parameters { ports: 1, banks: 1, words: 16, waiters: 0, ..Parameters::default() };
        let expected = Target::serve(&mut Memory::new(parameters.words), &all);
        let got = Serial(Rtl::new(parameters)).serve(&all);
        for ((request, expected), got) in all.iter().zip(&expected).zip(&got) {
            let agree = match (expected, got) {
                (Some(expected), Some(got)) => got.agrees_with(expected),
                (expected, got) => expected == got,
            };
            prop_assert!(agree, "{request}: {expected:?} expected, got {got:?}");
        }
    }
}
