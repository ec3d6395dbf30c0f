//! Why rust-hdl's own signals, simulator and Verilog printer are not used: the same small design in both, side by side. What
//! docs/hdl.md says of their speed is what `cargo test --release -p txbar-synth --test rust_hdl -- --nocapture` prints.

use std::fs;
use std::time::Instant;
use txbar_export::tools::VERILATOR;

/// The design as rust-hdl has it.
mod upstream {
    use rust_hdl::prelude::*;
    use std::hint::black_box;

    /// A 16-bit counter, and a 64-bit sum of its values.
    #[derive(LogicBlock, Default)]
    pub struct Accumulator {
        pub clock: Signal<In, Clock>,
        pub enable: Signal<In, Bit>,
        pub total: Signal<Out, Bits<64>>,
        count: DFF<Bits<16>>,
        sum: DFF<Bits<64>>,
    }

    impl Logic for Accumulator {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, count, sum);
            if self.enable.val() {
                self.count.d.next = self.count.q.val() + 1;
                self.sum.d.next = self.sum.q.val() + bit_cast::<64, 16>(self.count.q.val());
            }
            self.total.next = self.sum.q.val();
        }
    }

    /// Clocks it from this thread, without the threads and channels of `Simulation`, which are slower still.
    pub fn run(cycles: u64, enable: impl Fn(u64) -> bool) -> u64 {
        let mut block = Accumulator::default();
        block.connect_all();
        check_all(&block).expect("it is sound");
        for cycle in 0..cycles {
            block.enable.next = black_box(enable(cycle));
            for level in [false, true] {
                block.clock.next = level.into();
                assert!(simulate(&mut block, 10), "it settles");
            }
        }
        block.total.val().to_u64()
    }

    /// What its printer makes of it.
    pub fn verilog() -> String {
        let mut block = Accumulator::default();
        block.connect_all();
        generate_verilog(&block)
    }
}

/// The same with the signals and registers of `txbar_rtl::hdl`.
mod here {
    use std::hint::black_box;
    use txbar_rtl::hardware;
    use txbar_rtl::hdl::*;

    hardware! {
        /// A 16-bit counter, and a 64-bit sum of its values.
        pub module Accumulator = "accumulator" {
            /// Count in this cycle.
            pub enable: Signal<In, Bit>,
            /// The sum.
            pub total: Signal<Out, Bits<64>>,
            /// The counter.
            count: Reg<Bits<16>>,
            /// What it has added up to.
            sum: Reg<Bits<64>>,
        }
        processes { Step }
    }

    #[processes]
    impl Accumulator {
        fn step(&mut self) {
            self.count.d.next = self.count.q.val();
            self.sum.d.next = self.sum.q.val();
            if self.enable.val() {
                self.count.d.next = self.count.q.val() + 1;
                self.sum.d.next = self.sum.q.val() + bit_cast::<64, 16>(self.count.q.val());
            }
            self.total.next = self.sum.q.val();
        }
    }

    pub fn run(cycles: u64, enable: impl Fn(u64) -> bool) -> u64 {
        let mut block = Accumulator::default();
        for cycle in 0..cycles {
            block.enable.next = black_box(enable(cycle));
            Process::<Step>::update(&mut block);
            black_box(&mut block).tick();
        }
        Process::<Step>::update(&mut block);
        block.total.val().raw()
    }
}

/// Nine of ten cycles.
fn enable(cycle: u64) -> bool {
    !cycle.is_multiple_of(10)
}

#[test]
fn its_simulation_computes_the_same_and_is_slower() {
    // enough for each to take some tenths of a second
    let (few, many) = (200_000, 20_000_000);
    assert_eq!(upstream::run(few, enable), here::run(few, enable));
    let rate = |run: &dyn Fn() -> u64, cycles: u64| {
        let begin = Instant::now();
        std::hint::black_box(run());
        cycles as f64 / begin.elapsed().as_secs_f64() / 1e6
    };
    let upstream = rate(&|| upstream::run(few, enable), few);
    let here = rate(&|| here::run(many, enable), many);
    println!("million cycles a second: {upstream:.2} with rust-hdl's signals and simulator, {here:.1} with those here");
    assert!(here > 5.0 * upstream, "rust-hdl has become fast: docs/hdl.md says otherwise");
}

#[test]
fn its_verilog_does_not_lint() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("top.v");
    fs::write(&file, upstream::verilog()).expect("it can be written");
    let mut lint = VERILATOR.command().unwrap_or_else(|missing| panic!("{missing}"));
    let output = lint.args(["--lint-only", "-Wall", "--top-module", "top"]).arg(&file).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    assert!(said.contains("%Warning-WIDTHTRUNC"), "rust-hdl's Verilog lints: docs/hdl.md says otherwise");
}
