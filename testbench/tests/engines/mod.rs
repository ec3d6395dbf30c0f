//! One test body, every engine.

/// Runs each case, a function of what makes an engine, on the hardware in Rust, as a test of its own, and on its Verilog,
/// all in one test: under Verilator, and if `TXBAR_ALL_SETS` is set as CXXRTL and as a netlist. `parameters()` says for
/// what the unit is built.
macro_rules! cases {
    ($($case:ident),* $(,)?) => {
        mod rtl {
            $(#[test]
            fn $case() {
                super::$case(|| txbar_testbench::engine::rtl::Rtl::new(super::parameters()));
            })*
        }

        #[test]
        fn verilog() {
            use txbar_testbench::engine::compiled::{Compiled, Effort, Flow};
            use txbar_testbench::test_env;
            use txbar_synth::flow::simulated::{ECP5, ICE40};
            const FLOWS: [Flow; 4] =
                [Flow::Verilator, Flow::Cxxrtl, Flow::Netlist(&ICE40), Flow::Netlist(&ECP5)];
            for flow in &FLOWS[..if test_env::all("SETS") { FLOWS.len() } else { 1 }] {
                let compiled = Compiled::by(*flow, parameters(), Effort::Quick);
                let compiled = compiled.unwrap_or_else(|error| panic!("{}: {error}", flow.name()));
                $($case(|| compiled.engine());)*
            }
        }
    };
}
