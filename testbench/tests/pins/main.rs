//! Recordings of pins and their replay on the exported Verilog.

mod memories;
#[path = "../netlists/mod.rs"]
mod netlists;

use txbar_export::verilog::{self, Export};
use txbar_rtl::hardware;
use txbar_rtl::hdl::*;
use txbar_rtl::parameters::Parameters;
use txbar_synth::flow::simulated::{ECP5, ICE40};
use txbar_testbench::engine::compiled::{Effort, Flow};
use txbar_testbench::engine::library::Library;
use txbar_testbench::engine::pins::{PinRecorder, Pins};
use txbar_testbench::engine::recorded::Recorded;
use txbar_testbench::engine::replay::Icarus;
use txbar_testbench::engine::rtl::{Rtl, qualified_by};
use txbar_testbench::run::{self, Unobserved};
use txbar_testbench::traffic::Plan;

/// A design as everybody has it.
struct Everybody {
    libraries: [Library; 4],
    icarus: Icarus,
}

impl Everybody {
    fn new(export: &Export) -> Self {
        let library =
            |flow| Library::new(flow, export, Effort::Quick).unwrap_or_else(|error| panic!("{}: {error}", flow.name()));
        Self {
            libraries: [Flow::Cxxrtl, Flow::Verilator, Flow::Netlist(&ICE40), Flow::Netlist(&ECP5)].map(library),
            icarus: Icarus::new(export).unwrap_or_else(|error| panic!("{error}")),
        }
    }

    /// What each flow's library says, and what Icarus does.
    fn differences(&self, pins: &Pins) -> [String; 5] {
        let [cxxrtl, verilator, ice40, ecp5] = &self.libraries.each_ref().map(|library| library.differences(pins));
        let icarus = self.icarus.differences(pins).unwrap_or_else(|error| panic!("{error}"));
        [cxxrtl.clone(), verilator.clone(), ice40.clone(), ecp5.clone(), icarus]
    }
}

#[test]
fn an_altered_output_is_told_by_cycle_and_pin() {
    let [parameters, ..] = netlists::sets();
    let export = verilog::unit(&parameters, "txbar").expect("`txbar` is an identifier");
    let engine = Rtl::new(parameters);
    let recorder = PinRecorder::new(engine.unit(), qualified_by);
    let mut recorded = Recorded::with(engine, recorder);
    run::plan(&mut recorded, &Plan::new(3, 400), &mut Unobserved).unwrap_or_else(|failure| panic!("{failure}"));
    let good = recorded.into_notes().finish();
    let everybody = Everybody::new(&export);
    assert_eq!(everybody.differences(&good), [""; 5]);

    let late = good.cycles() / 2..good.cycles();
    for shown in [1, 0] {
        // what is there while no answer is shown is compared, too
        let cycle = late.clone().find(|cycle| good.value(*cycle, "rsp_valid") == shown).expect("there is such a cycle");
        let is = good.value(cycle, "rsp_data_0");
        let should = is ^ 1 << 40;
        let mut bad = good.clone();
        *bad.value_mut(cycle, "rsp_data_0") = should;
        let told = format!("cycle {cycle}: rsp_data_0 is {is:x}, should be {should:x}\n");
        assert_eq!(everybody.differences(&bad), [told.as_str(); 5]);
    }

    // ten are told
    let mut bad = good;
    for cycle in late {
        *bad.value_mut(cycle, "req_ready") ^= 1;
    }
    for text in everybody.differences(&bad) {
        assert_eq!(text.lines().count(), 10, "{text}");
    }
}

hardware! {
    /// Adds up what comes in, in lanes of lanes.
    pub module Sums = "sums" {
        /// To be added.
        pub term: Lanes<Lanes<InReg<Bits<9>>>>,
        /// There is something to be added.
        pub valid: Signal<In, Bits<3>>,
        /// The sum so far.
        pub sum: Lanes<Lanes<OutControlReg<Bits<9>>>>,
        /// The last term that was added, unknown at first.
        pub last: Lanes<OutReg<Bits<9>>>,
        /// Something was added.
        pub known: OutControlReg<Bit>,
        /// All its bits change in every cycle.
        pub wide: OutControlReg<Bits<64>>,
        /// How many lanes.
        pub(crate) outer: usize,
        /// How many lanes each has.
        pub(crate) inner: usize,
    }
    processes { Add }
}

#[processes]
impl Sums {
    fn add(&mut self) {
        self.wide.d.next = !self.wide.q.val();
        self.known.d.next = self.known.q.val();
        for i in 0..self.outer {
            self.last[i].d.next = self.last[i].q.val();
            for j in 0..self.inner {
                self.sum[i][j].d.next = self.sum[i][j].q.val();
            }
            if self.valid.val().get_bit(i) {
                self.known.d.next = true;
                for j in 0..self.inner {
                    self.last[i].d.next = self.term[i][j].q.val();
                    self.sum[i][j].d.next = self.sum[i][j].q.val() + self.term[i][j].q.val();
                }
            }
        }
    }
}

/// A top module whose pins are lanes of lanes and registers, some of them unknown at first.
#[test]
fn any_top_module_can_be_replayed() {
    let mut sums = Sums {
        term: Lanes::of(3, || Lanes::of(2, Default::default)),
        sum: Lanes::of(3, || Lanes::of(2, Default::default)),
        last: Lanes::of(3, Default::default),
        outer: 3,
        inner: 2,
        ..Sums::default()
    };
    let export = verilog::design(&sums, &Parameters::default(), "test").expect("`test` is an identifier");
    let record = |sums: &mut Sums, rule: fn(&str) -> Option<(String, u32)>| {
        let mut recorder = PinRecorder::new(sums, rule);
        for cycle in 0..200u64 {
            let reset = cycle < 2;
            for (i, terms) in sums.term.iter_mut().enumerate() {
                for (j, term) in terms.iter_mut().enumerate() {
                    term.d.next = ((cycle * 7 + i as u64 * 3 + j as u64) % 32).into();
                }
            }
            sums.valid.next = if cycle < 10 { 0 } else { cycle % 8 }.into();
            Process::<Add>::update(sums);
            recorder.note(sums, reset);
            sums.tick();
            if reset {
                sums.reset();
            }
        }
        recorder.finish()
    };
    let by_known = |name: &str| name.starts_with("last").then(|| ("known".to_owned(), 0));
    let pins = record(&mut sums.clone(), by_known);
    let names: Vec<_> = pins.pins().iter().map(|pin| pin.name.as_str()).collect();
    assert_eq!(names[..7], ["term_0_0", "term_0_1", "term_1_0", "term_1_1", "term_2_0", "term_2_1", "valid"]);
    assert_eq!(pins.value(199, "term_2_1"), (199 * 7 + 7) % 32);
    let everybody = Everybody::new(&export);
    // `known` is set by the first lane that has a term; the others stay unknown a little longer
    let [others @ .., icarus] = everybody.differences(&pins);
    assert_eq!(others, [""; 4]);
    let unknown =
        ["cycle 11: last_0", "cycle 11: last_2", "cycle 12: last_2"].map(|pin| format!("{pin} is Xxx, should be 0\n"));
    assert_eq!(icarus, unknown.concat());

    let unqualified = record(&mut sums, |_| None);
    let [others @ .., icarus] = everybody.differences(&unqualified);
    assert_eq!(others, [""; 4]);
    assert!(icarus.starts_with("cycle 1: last_0 is Xxx, should be 0\n"), "{icarus}");
}
