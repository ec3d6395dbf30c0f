//! A register keeps its value unless it is driven.

use txbar_hdl::*;

hardware! {
    /// Remembers.
    pub module Memo = "memo" {
        /// Lanes to write.
        pub write: Signal<In, Bits<4>>,
        /// What to write.
        pub value: Signal<In, Bits<8>>,
        /// The last value that was written.
        pub last: OutReg<Bits<8>>,
        /// Something was written in the last cycle.
        pub wrote: OutControlReg<Bit>,
        /// The value of each lane.
        pub(crate) lane: Lanes<Reg<Bits<8>>, 4>,
        /// The value that each lane had before.
        pub(crate) before: Lanes<Reg<Bits<8>>, 4>,
        /// The larger value of the first two lanes.
        pub(crate) most: Reg<Bits<8>>,
        /// Two values.
        pub(crate) pair: Lanes<Reg<Bits<8>>, 2>,
        /// How many lanes there are.
        pub(crate) lanes: usize,
    }
    processes { Write }
}

#[processes]
impl Memo {
    fn write(&mut self) {
        self.wrote.d.next = self.write.val().any();
        if self.write.val().any() {
            self.last.d.next = self.value.val();
        }
        for k in 0..self.lanes {
            if self.write.val().get_bit(k) {
                self.lane[k].d.next = self.value.val();
            }
        }
        for k in 0..self.lanes {
            self.wrote.d.next = self.wrote.d.val() & true;
            if self.write.val().get_bit(k) {
                self.before[k].d.next = self.lane[k].q.val();
            }
        }
        if self.lane[0].q.val() > self.lane[1].q.val() {
            self.most.d.next = self.lane[0].q.val();
        } else {
            self.most.d.next = self.lane[1].q.val();
        }
        self.pair[0].d.next = self.value.val();
        if self.write.val().any() {
            self.pair[1].d.next = self.pair[0].q.val();
        }
    }
}

fn memo() -> Memo {
    Memo { lane: Lanes::new(2), before: Lanes::new(2), pair: Lanes::new(2), lanes: 2, ..Memo::default() }
}

#[test]
fn a_register_that_is_not_driven_keeps_its_value() {
    let mut memo = memo();
    for (write, value, last, lanes) in
        [(0b01, 7, 0, [0, 0]), (0b00, 8, 7, [7, 0]), (0b10, 9, 7, [7, 0]), (0b00, 1, 9, [7, 9]), (0b00, 1, 9, [7, 9])]
    {
        memo.write.next = write.into();
        memo.value.next = value.into();
        Process::<Write>::update(&mut memo);
        assert_eq!(memo.last.q.val(), last);
        assert_eq!([memo.lane[0].q.val(), memo.lane[1].q.val()].map(Bits::raw), lanes);
        // a process may run again: what is kept is what the register shows
        memo.write.next = 0xf.into();
        Process::<Write>::update(&mut memo);
        memo.write.next = write.into();
        Process::<Write>::update(&mut memo);
        memo.tick();
    }
}

#[test]
fn the_verilog_has_a_hold_before_what_drives_a_register_first() {
    let verilog = verilog::print(&memo(), &(), &Names::default(), "my").expect("it is an identifier");
    let logic = verilog.text.split("write_logic\n").nth(1).and_then(|text| text.split("\n  end\n").next());
    let expected = "\
    wrote_next = |write;
    last_next = last;
    if (|write) begin
      last_next = value;
    end
    lane_0_next = lane_0;
    lane_1_next = lane_1;
    if (write[0]) begin
      lane_0_next = value;
    end
    if (write[1]) begin
      lane_1_next = value;
    end
    wrote_next = wrote_next & 1'b1;
    before_0_next = before_0;
    if (write[0]) begin
      before_0_next = lane_0;
    end
    wrote_next = wrote_next & 1'b1;
    before_1_next = before_1;
    if (write[1]) begin
      before_1_next = lane_1;
    end
    if (lane_0 > lane_1) begin
      most_next = lane_0;
    end else begin
      most_next = lane_1;
    end
    pair_0_next = value;
    pair_1_next = pair_1;
    if (|write) begin
      pair_1_next = pair_0;
    end";
    assert_eq!(logic.map(str::trim_start), Some(expected), "{}", verilog.text);
}
