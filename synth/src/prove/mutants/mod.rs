//! Mutants: small defects in the exported Verilog, which proofs and a simulation must notice.
//!
//! | who notices | how |
//! | --- | --- |
//! | proofs | those that name the mutant's module in their list, with a short time limit |
//! | tests | random traffic under Icarus Verilog, beside the unit as it was: some output differs |
//!
//! What nobody notices is compared with the original: abc shows that both do the same (then it is no defect), or finds inputs
//! that tell them apart, or neither in the time that it is given.

pub mod mutate;
pub mod report;
pub mod run;

pub use mutate::Mutant;
pub use run::{Fate, Outcome, examine};
