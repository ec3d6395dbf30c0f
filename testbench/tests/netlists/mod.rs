//! Units whose netlists are compared in every run. Synthesis for the iCE40 takes a minute for each, once for all tests.

use txbar_rtl::parameters::Parameters;

/// The smallest low-latency unit, the high-clock unit, and a small unit of two ports.
pub fn sets() -> [Parameters; 3] {
    let small = Parameters { ports: 1, banks: 1, waiters: 0, counters: false, ..Parameters::default() };
    [small, Parameters::high_clock(512), Parameters { ports: 2, words: 16, tag_bits: 2, queue_depth: 2, ..small }]
}
