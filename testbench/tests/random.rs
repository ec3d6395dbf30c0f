//! Random traffic against the scoreboard. Every plan prints itself, so a failing one can be run again. `TXBAR_SEED=N` gives
//! the seed of the one test that draws a new one in every run; the long soak is behind `TXBAR_SOAK=N`, which multiplies
//! the operations by N.

use txbar_rtl::parameters::{Design, Parameters};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::run;
use txbar_testbench::test_env;
use txbar_testbench::traffic::{Pattern, Plan};

const PATTERNS: [Pattern; 4] = [Pattern::Hot, Pattern::Same, Pattern::Neighbours, Pattern::Random];

fn soak() -> u64 {
    test_env::number("TXBAR_SOAK").unwrap_or(1)
}

fn clean(parameters: Parameters, plan: Plan) -> run::Report {
    println!("{} {plan:?}", parameters.label());
    let mut engine = Rtl::new(parameters);
    // a read that meets a write is never looked at, whatever the memory returns
    engine.unit_mut().poison_collisions(0xa5a5_5a5a_dead_beef);
    run::plan(&mut engine, &plan, &mut run::Unobserved).unwrap_or_else(|failure| panic!("{plan:?}: {failure}"))
}

#[test]
fn every_number_of_ports_and_every_pattern() {
    for ports in 1..=8 {
        for (seed, pattern) in PATTERNS.into_iter().enumerate() {
            for stall in [0, 30, 80] {
                let banks = 1 << ((ports + seed) % 4);
                let parameters = Parameters { ports, banks, ..Parameters::default() };
                let plan = Plan { stall, pattern, ..Plan::new(seed as u64 + 1, 20_000 * soak()) };
                clean(parameters, plan);
            }
        }
    }
}

#[test]
fn every_size_of_memory_tag_and_queue() {
    for (banks, words, tag_bits, queue_depth) in [
        (1, 16, 1, 1),
        (2, 32, 2, 2),
        (4, 64, 3, 3),
        (8, 256, 5, 5),
        (16, 1024, 7, 6),
        (32, 4096, 9, 7),
        (1, 65536, 16, 64),
        (4, 16, 16, 13),
    ] {
        for ports in [1, 3, 8] {
            for stall in [0, 40] {
                let parameters = Parameters { ports, banks, words, tag_bits, queue_depth, ..Parameters::default() };
                clean(parameters, Plan { stall, ..Plan::new(ports as u64, 10_000 * soak()) });
            }
        }
    }
}

#[test]
fn arrivals_and_bytes_from_ports_of_their_own() {
    for ports in [2, 4, 8] {
        for pattern in PATTERNS {
            for stall in [0, 50] {
                let parameters = Parameters { ports, ..Parameters::default() };
                let plan = Plan { stall, pattern, roles: true, ..Plan::new(77, 20_000 * soak()) };
                let report = clean(parameters, plan);
                assert!(report.flips > 0);
            }
        }
    }
}

#[test]
fn banks_that_belong_to_somebody_else_at_times() {
    for (ports, banks, tag_bits, number_bits) in [(1, 2, 3, 0), (2, 8, 6, 3), (4, 4, 8, 2), (4, 8, 8, 0), (8, 2, 1, 0)]
    {
        for pattern in PATTERNS {
            for bank_stall in [5, 50, 90] {
                let parameters = Parameters { ports, banks, tag_bits, number_bits, ..Parameters::default() };
                let plan = Plan { stall: 10, bank_stall, pattern, ..Plan::new(9, 10_000 * soak()) };
                clean(parameters, plan);
            }
        }
    }
}

#[test]
fn one_port_is_served_every_cycle_on_any_pattern() {
    for pattern in PATTERNS {
        for queue_depth in [6, 8] {
            let parameters = Parameters { ports: 1, queue_depth, waiters: 0, ..Parameters::default() };
            let report = clean(parameters, Plan { pattern, ..Plan::new(5, 20_000) });
            assert_eq!(report.cycles, report.operations, "{pattern:?}, queue of {queue_depth}");
            assert_eq!((report.latency_cycles.min, report.latency_cycles.max), (5, 5));
        }
    }
}

#[test]
fn a_seed_that_is_new_in_every_run() {
    let seed = test_env::seed();
    for ports in [1, 2, 4, 8] {
        let parameters = Parameters { ports, ..Parameters::default() };
        clean(parameters, Plan { stall: 20, ..Plan::new(seed, 50_000 * soak()) });
        clean(parameters, Plan { stall: 5, bank_stall: 20, ..Plan::new(seed, 50_000 * soak()) });
    }
}

#[test]
fn a_seed_gives_the_same_run_again() {
    let run = |seed| {
        let report = clean(Parameters::default(), Plan { stall: 20, ..Plan::new(seed, 5000) });
        (report.cycles, report.faults, report.flips)
    };
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
}
