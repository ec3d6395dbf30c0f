//! Round-robin arbiter.
//!
//! **What.** Grants one of the requesting ports in every cycle; the port after the last one served comes first, so a port
//! that keeps requesting is served within as many cycles as there are ports. Also used for CTAs and for copying threads.
//!
//! **Why this shape.** `x & -x` isolates the lowest set bit with one carry chain, for any number of ports, and the state
//! is a mask rather than a number, so there is nothing to decode:
//!
//! ```text
//!   served     0 0 1 1     ports up to the last one served
//!   request    1 0 1 1
//!   later      1 0 0 0     request & ~served; if empty, request itself
//!   grant      1 0 0 0     lowest bit of that
//!   served'    1 1 1 1     grant | (grant - 1)
//! ```
//! **Timing.** `grant` follows `request` in the same cycle.
//!
//! Drawn from a run: `waves/gallery/blocks/crossbar.svg`.

use crate::hardware;
use crate::hdl::*;

/// Declares an arbiter; its mask type has one bit per requester.
macro_rules! round_robin {
    ($(#[doc = $doc:literal])* $name:ident, $module:literal, $mask:ty, $process:ident) => {
        hardware! {
            $(#[doc = $doc])*
            pub module $name = $module {
                /// Requests, one bit per requester.
                pub request: Signal<In, $mask>,
                /// Grant, one-hot; zero without requests.
                pub grant: Signal<Out, $mask>,
                /// Requesters up to and including the last one served.
                pub served: ControlReg<$mask>,
                /// Requests after the last one served.
                pub(crate) later: Signal<Local, $mask>,
                /// Candidates; the lowest set bit is granted.
                pub(crate) candidates: Signal<Local, $mask>,
            }
            processes { $process }
        }

        #[processes]
        impl $name {
            fn $process(&mut self) {
                self.later.next = self.request.val() & !self.served.q.val();
                self.candidates.next = self.later.val();
                if !self.later.val().any() {
                    self.candidates.next = self.request.val();
                }
                self.grant.next = self.candidates.val() & (!self.candidates.val() + 1);
                if self.grant.val().any() {
                    self.served.d.next = self.grant.val() | (self.grant.val() - 1);
                }
            }
        }

        impl $name {
        }
    };
}

round_robin! {
    /// Round-robin arbiter: grants one requester a cycle, the one after the last served first.
    RoundRobin, "round_robin", PortMask, Grant
}
round_robin! {
    /// Round-robin arbiter of the CTAs of a cluster.
    CtaArbiter, "cta_arbiter", CtaMask, GrantCta
}
round_robin! {
    /// Round-robin arbiter of the copying threads of a CTA.
    CopierArbiter, "copier_arbiter", CopierMask, GrantCopier
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(arbiter: &mut RoundRobin, request: u64) -> u64 {
        arbiter.request.next = request.into();
        arbiter.settle();
        let granted = arbiter.grant.val().raw();
        arbiter.tick();
        granted
    }

    #[test]
    fn serves_in_turn() {
        let mut arbiter = RoundRobin::default();
        let served: Vec<u64> = (0..6).map(|_| grant(&mut arbiter, 0b1011)).collect();
        assert_eq!(served, [0b0001, 0b0010, 0b1000, 0b0001, 0b0010, 0b1000]);
        assert_eq!(grant(&mut arbiter, 0), 0);
        assert_eq!(grant(&mut arbiter, 0b0001), 0b0001);
    }

    #[test]
    fn every_requester_is_served_within_one_round() {
        for ports in 1..=8u32 {
            let mut arbiter = RoundRobin::default();
            let all = (1u64 << ports) - 1;
            let mut waited = vec![0; ports as usize];
            let mut noise = 0x9e37_79b9_7f4a_7c15u64;
            for _ in 0..2000 {
                noise ^= noise << 13;
                noise ^= noise >> 7;
                noise ^= noise << 17;
                // port 0 always asks; the others come and go
                let request = (noise & all) | 1;
                let granted = grant(&mut arbiter, request);
                assert_eq!(granted.count_ones(), 1);
                assert_eq!(granted & !request, 0);
                for (port, wait) in waited.iter_mut().enumerate() {
                    let asks = request >> port & 1 != 0;
                    *wait = if asks && granted >> port & 1 == 0 { *wait + 1 } else { 0 };
                    assert!(*wait < ports, "port {port} of {ports} starves");
                }
            }
        }
    }
}
