//! The exported Verilog does the same as the hardware in Rust, cycle by cycle: under Verilator, live, and under Icarus
//! Verilog, from a recording of every wire.

use txbar_rtl::parameters::Parameters;
use txbar_synth::verilog;
use txbar_testbench::check::replay;
use txbar_testbench::engine::recorded::{Recorded, Row};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::engine::verilator::{Compiled, Effort};
use txbar_testbench::engine::{Engine, Serial, icarus};
use txbar_testbench::run;
use txbar_testbench::silicon::{self, Record};
use txbar_testbench::traffic::{Pattern, Plan};

/// Small and odd ones, and the default.
fn parameter_sets() -> Vec<Parameters> {
    let set = |[ports, banks, words, tag_bits, number_bits, queue_depth, waiters, clock_ns]: [usize; 8]| Parameters {
        ports,
        banks,
        words,
        tag_bits,
        number_bits,
        queue_depth,
        waiters,
        clock_ns,
        counters: words != 128,
        checked: tag_bits % 3 == 0,
    };
    let sets = [
        [1, 1, 16, 1, 0, 1, 0, 10],
        [1, 1, 32, 4, 2, 8, 2, 3],
        [1, 4, 64, 8, 0, 6, 8, 10],
        [2, 1, 16, 3, 1, 2, 0, 1],
        [2, 2, 64, 5, 0, 3, 3, 7],
        [3, 1, 32, 16, 8, 6, 64, 1],
        [3, 8, 128, 6, 3, 5, 9, 5],
        [4, 2, 64, 8, 2, 64, 1, 10],
        [5, 32, 128, 3, 0, 7, 5, 4],
        [6, 16, 256, 9, 4, 9, 0, 10],
        [7, 1, 16, 2, 1, 4, 16, 2],
        [8, 4, 1024, 7, 0, 13, 33, 1000],
    ];
    sets.into_iter().map(set).chain([Parameters::default()]).collect()
}

fn plans() -> [Plan; 4] {
    [
        Plan::new(11, 4000),
        Plan { stall: 40, pattern: Pattern::Same, ..Plan::new(12, 2000) },
        Plan { bank_stall: 30, stall: 10, ..Plan::new(14, 2000) },
        Plan { stall: 15, roles: true, pattern: Pattern::Neighbours, ..Plan::new(13, 2000) },
    ]
}

fn rows(engine: impl Engine, plan: &Plan) -> Vec<Row> {
    let mut recorded = Recorded::new(engine);
    run::plan(&mut recorded, plan, &mut run::Blind).unwrap_or_else(|failure| panic!("{plan:?}: {failure}"));
    recorded.into_rows()
}

#[test]
fn verilator() {
    for parameters in parameter_sets() {
        let compiled = Compiled::new(parameters, Effort::Quick).unwrap_or_else(|error| panic!("{error}"));
        for plan in plans() {
            let (native, verilated) = (rows(Rtl::new(parameters), &plan), rows(compiled.engine(), &plan));
            let differing = native.iter().zip(&verilated).position(|(a, b)| a != b);
            assert_eq!(differing, None, "{} {plan:?}", parameters.label());
            assert_eq!(native.len(), verilated.len());
        }
    }
}

#[test]
fn icarus() {
    for parameters in parameter_sets() {
        let export = verilog::unit(&parameters, "txbar").expect("`txbar` is an identifier");
        for plan in plans() {
            let rows = rows(Rtl::new(parameters), &plan);
            let differences =
                icarus::differences(&parameters, &export, &rows).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(differences, "", "{} {plan:?}", parameters.label());
        }
    }
}

/// The recordings of the H200, cycle by cycle: every wire of every record.
#[test]
fn recordings() {
    let parameters = Parameters { ports: 1, banks: 1, ..Parameters::default() };
    let export = verilog::unit(&parameters, "txbar").expect("`txbar` is an identifier");
    let compiled = Compiled::new(parameters, Effort::Quick).unwrap_or_else(|error| panic!("{error}"));
    for text in [silicon::LEGAL, silicon::EDGE] {
        let records = silicon::read("recording", text.as_bytes()).expect("the recordings are sound");
        let native = replayed(Rtl::new(parameters), &records);
        assert!(native == replayed(compiled.engine(), &records), "Verilator differs");
        let differences = icarus::differences(&parameters, &export, &native).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(differences, "");
    }
}

fn replayed(engine: impl Engine, records: &[Record]) -> Vec<Row> {
    let mut target = Serial(Recorded::new(engine));
    assert_eq!(replay(&mut target, records, |_| {}).matched, records.len());
    target.0.into_rows()
}

/// Each kind of output is compared: a recording that is wrong in it is found out.
#[test]
fn icarus_finds_a_difference_in_every_output() {
    let parameters = Parameters { ports: 2, banks: 1, ..Parameters::default() };
    let export = verilog::unit(&parameters, "txbar").expect("`txbar` is an identifier");
    let good = rows(Rtl::new(parameters), &Plan { stall: 20, ..Plan::new(5, 3000) });
    let late = good.len() / 2;
    let shown = (late..good.len()).find(|row| good[*row].responses[1].is_some()).expect("port 1 is answered");
    let done = (late..good.len()).find(|row| good[*row].effects[1].is_some()).expect("port 1 does something");
    let flips = (late..good.len()).find(|row| good[*row].flips[0].is_some()).expect("a phase completes");
    type Spoil = fn(&mut Row);
    let spoils: [(&str, usize, Spoil); 12] = [
        ("req_ready", late, |row| row.accepted ^= 1),
        ("rsp_valid", shown, |row| row.responses[1] = None),
        ("rsp_tag_1", shown, |row| row.responses[1].as_mut().expect("shown").tag ^= 1),
        ("rsp_status_1", shown, |row| row.responses[1].as_mut().expect("shown").status ^= 1),
        ("rsp_predicate_1", shown, |row| row.responses[1].as_mut().expect("shown").predicate ^= true),
        ("rsp_data_1", shown, |row| row.responses[1].as_mut().expect("shown").data ^= 1 << 40),
        ("done_valid", done, |row| row.effects[1] = None),
        ("done_tag_1", done, |row| row.effects[1].as_mut().expect("done").tag ^= 1),
        ("done_status_1", done, |row| row.effects[1].as_mut().expect("done").status ^= 1),
        ("done_index_1", done, |row| row.effects[1].as_mut().expect("done").index ^= 1),
        ("flip_valid", flips, |row| row.flips[0] = None),
        ("flip_index_0", flips, |row| *row.flips[0].as_mut().expect("flips") ^= 1),
    ];
    for (output, row, spoil) in spoils {
        let mut bad = good.clone();
        spoil(&mut bad[row]);
        let differences = icarus::differences(&parameters, &export, &bad).unwrap_or_else(|error| panic!("{error}"));
        assert!(differences.starts_with(&format!("cycle {row}: {output} is ")), "{output}: {differences}");
    }
}
