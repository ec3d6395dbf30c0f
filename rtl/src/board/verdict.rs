//! Verdict: latches the first failure until reset.
//!
//! ```text
//!   cycle     n-1  n    n+1
//!   fails     ____/‾\______        of any port; the lowest counts
//!   failed    ________/‾‾‾‾‾‾      its record stays
//! ```
//! The record, of which LEDs show four bits at a time, from the top:
//!
//! | bits | hold |
//! | --- | --- |
//! | 63:32 | number of the cycle, from reset on |
//! | 31:28 | port |
//! | 27:24 | reason: 1 an answer is wrong, 2 an answer to nothing, 3 a tag of nobody, 4 no round ends any more |
//! | 23:16 | opcode of the request |
//! | 15:8 | status that it got |
//! | 7:0 | status that it should have got |
//!
//! With it are kept the address of the request, and the data that it should have given and gave. They mean nothing where there was no
//! request.

use super::tester::Reason;
use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;
use crate::word::status::Status;

const OP_BITS: usize = Op::BITS;
const STATUS_BITS: usize = Status::BITS;

hardware! {
    /// Verdict: latches the first failure.
    pub module Verdict = "verdict" {
        /// A port fails.
        pub fails: Lanes<Signal<In, Bit>> = Lanes::new(ports),
        /// Reason.
        pub reason: Lanes<Signal<In, Reason>> = Lanes::new(ports),
        /// Opcode of the request.
        pub op: Lanes<Signal<In, OpCode, OpView>> = Lanes::new(ports),
        /// Address of the request.
        pub at: Lanes<Signal<In, Bits<32>>> = Lanes::new(ports),
        /// Status received.
        pub got_status: Lanes<Signal<In, StatusCode, StatusView>> = Lanes::new(ports),
        /// Expected status.
        pub want_status: Lanes<Signal<In, StatusCode, StatusView>> = Lanes::new(ports),
        /// Data received.
        pub got_data: Lanes<Signal<In, Word>> = Lanes::new(ports),
        /// Expected data.
        pub want_data: Lanes<Signal<In, Word>> = Lanes::new(ports),
        /// A round does not end.
        pub hangs: Signal<In, Bit>,

        /// A failure has been latched.
        pub failed: OutControlReg<Bit>,
        /// Record of the failure.
        pub record: OutReg<Word>,
        /// Address of the request.
        pub address: OutReg<Bits<32>>,
        /// Expected data.
        pub want: OutReg<Word>,
        /// Data received.
        pub got: OutReg<Word>,

        /// Number of ports.
        pub ports: usize = ports,
        /// Cycles since reset.
        pub cycle: ControlReg<Bits<32>>,
        /// Ports that fail in this cycle.
        pub failing: Signal<Local, PortMask>,
        /// Lowest of them, one-hot.
        pub first: Signal<Local, PortMask>,
        /// Reason of the latched port.
        pub why: Signal<Local, Reason>,
        /// Index of the latched port.
        pub who: Signal<Local, Bits<4>>,
        /// Opcode of the latched port.
        pub what: Signal<Local, OpCode, OpView>,
        /// Status received at the latched port.
        pub ended: Signal<Local, StatusCode, StatusView>,
        /// Expected status of the latched port.
        pub should: Signal<Local, StatusCode, StatusView>,
    }
    constants {
        /// Reason: a round does not end.
        HANGS: Reason = Bits::constant(4);
    }
    processes { Find, Write }
    /// A verdict on this many ports.
    built by pub fn new(ports: usize) {}
}

#[processes]
impl Verdict {
    #[inline]
    fn find(&mut self) {
        self.failing.next = 0.into();
        for p in 0..self.ports {
            if self.fails[p].val() {
                self.failing.next = self.failing.val() | (bits::<PORTS>(1) << p);
            }
        }
        self.first.next = self.failing.val() & (!self.failing.val() + 1);
        self.why.next = HANGS;
        clear!(self.who, self.what, self.ended, self.should);
        for p in 0..self.ports {
            if self.first.val().get_bit(p) {
                self.why.next = self.reason[p].val();
                self.who.next = p.to_bits();
                self.what.next = self.op[p].val();
                self.ended.next = self.got_status[p].val();
                self.should.next = self.want_status[p].val();
                if !self.failed.q.val() {
                    self.address.d.next = self.at[p].val();
                    self.want.d.next = self.want_data[p].val();
                    self.got.d.next = self.got_data[p].val();
                }
            }
        }
    }

    #[inline]
    fn write(&mut self) {
        self.cycle.d.next = self.cycle.q.val() + 1;
        self.failed.d.next = self.failed.q.val() | self.failing.val().any() | self.hangs.val();
        if !self.failed.q.val() {
            self.record.d.next = (bit_cast::<64, 32>(self.cycle.q.val()) << 32)
                | (bit_cast::<64, 4>(self.who.val()) << 28)
                | (bit_cast::<64, 3>(self.why.val()) << 24)
                | (bit_cast::<64, OP_BITS>(self.what.val()) << 16)
                | (bit_cast::<64, STATUS_BITS>(self.ended.val()) << 8)
                | bit_cast::<64, STATUS_BITS>(self.should.val());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_of_the_lowest_port_is_kept() {
        let mut verdict = Verdict::new(3);
        for cycle in 0..20u64 {
            for port in 0..3u64 {
                let lane = port as usize;
                verdict.fails[lane].next = cycle >= 5 && port > 0;
                verdict.reason[lane].next = (port + 1).into();
                verdict.op[lane].next = (port + 8).into();
                verdict.got_status[lane].next = (port + 4).into();
                verdict.want_status[lane].next = (port + 2).into();
                verdict.at[lane].next = (cycle * 16 + port).into();
            }
            verdict.hangs.next = cycle == 9;
            verdict.settle();
            verdict.tick();
            assert_eq!(verdict.failed.q.val(), cycle >= 5);
        }
        assert_eq!(verdict.record.q.val(), 5 << 32 | 0x1209_0503);
        assert_eq!(verdict.address.q.val(), 0x51);
    }

    #[test]
    fn a_hang_is_a_failure() {
        let mut verdict = Verdict::new(1);
        verdict.hangs.next = true;
        verdict.settle();
        verdict.tick();
        assert_eq!((verdict.failed.q.val(), verdict.record.q.val().raw()), (true, 4 << 24));
    }
}
