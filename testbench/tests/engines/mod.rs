//! One test body, every engine.

/// Runs each case, a function of what makes an engine, on the hardware in Rust, as a test of its own, and on its Verilog
/// under Verilator, all in one test. `parameters()` says for what the unit is built.
macro_rules! cases {
    ($($case:ident),* $(,)?) => {
        mod rtl {
            $(#[test]
            fn $case() {
                super::$case(|| txbar_testbench::engine::rtl::Rtl::new(super::parameters()));
            })*
        }

        #[test]
        fn verilator() {
            use txbar_testbench::engine::verilator::{Compiled, Effort};
            let compiled = Compiled::new(parameters(), Effort::Quick).unwrap_or_else(|error| panic!("{error}"));
            $($case(|| compiled.engine());)*
        }
    };
}
