//! Small scenarios for pictures and examples.

use crate::request::Request;
use crate::run::Script;
use txbar_rtl::op::Op;

/// Where the barrier of [`one_phase`] is.
pub const BARRIER: u32 = 0x40;

/// One phase of a barrier for two threads and a copy of 32 bytes, on four ports: port 0 makes the barrier and is one
/// thread, port 1 is the other, port 2 is the copy engine, port 3 keeps asking whether the phase has completed.
///
/// The bytes come in two halves; the last half completes the phase.
pub fn one_phase() -> Script {
    let request = |op, data| Request::new(op, BARRIER).with(data);
    let mut script = Script::new(4);
    script.push(0, 0, request(Op::Init, 2)).push(0, 1, request(Op::ArriveExpectTx, 32));
    script.push(2, 4, request(Op::BulkCompleteTx, 16)).push(2, 3, request(Op::BulkCompleteTx, 16));
    script.push(1, 5, request(Op::Arrive, 1));
    for _ in 0..3 {
        script.push(3, 3, request(Op::TestWaitParity, 0));
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rtl::Rtl;
    use crate::run;
    use crate::traffic::Conditions;
    use txbar_rtl::parameters::Parameters;

    #[test]
    fn one_phase_completes_one_phase() {
        let report =
            run::source(&mut Rtl::new(Parameters::default()), one_phase(), Conditions::CALM, &mut run::Unobserved)
                .unwrap();
        assert_eq!((report.flips, report.faults), (1, 0));
    }
}
