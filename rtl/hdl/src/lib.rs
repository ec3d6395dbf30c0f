//! Hardware in Rust: blocks, their cycle-accurate simulation, and their Verilog, all from one text.
//!
//! A block is a struct of [`Part`]s declared by [`hardware!`]; its logic is a list of *processes*, each a function
//! in an `impl` with the attribute [`processes`](macro@processes), which becomes one `always` block of the Verilog. rust-hdl's macro turns the kernel's text into a syntax tree
//! ([`verilog::print`] prints it) and leaves the function as it is (the simulator runs it), so both come from one source.
//!
//! # A first block
//!
//! An adder with a register behind it:
//!
//! ```text
//!            ┌───┐    ┌─────┐
//!   term ───►│ + │───►│ sum ├──┬──► sum
//!         ┌─►└───┘    └──▲──┘  │
//!         │             clk    │
//!         └────────────────────┘
//! ```
//! ```
//! use txbar_hdl::*;
//!
//! hardware! {
//!     /// Adds up what comes in.
//!     pub module Accumulator = "accumulator" {
//!         /// What to add in this cycle.
//!         pub term: Signal<In, Bits<4>>,
//!         /// The sum so far.
//!         pub sum: OutControlReg<Bits<8>>,
//!     }
//!     processes { Add }
//! }
//!
//! #[processes]
//! impl Accumulator {
//!     fn add(&mut self) {
//!         self.sum.d.next = self.sum.q.val() + bit_cast::<8, 4>(self.term.val());
//!     }
//! }
//!
//! // simulated: what enters in a cycle shows in the next
//! let mut block = Simulator::new(Accumulator::default(), &(), &Names::default()).expect("no combinational loop");
//! for (term, shown) in [(3, 0), (15, 3), (0, 18)] {
//!     block.term.next = term.into();
//!     block.settle();
//!     assert_eq!(block.sum.q.val(), shown);
//!     block.tick();
//! }
//! block.reset();
//! assert_eq!(block.sum.q.val(), 0);
//!
//! // printed: no widths that depend on parameters, no names besides the block's own
//! let verilog = verilog::print(&*block, &(), &Names::default(), "my").expect("`my` is an identifier");
//! assert_eq!(verilog.top, "my_accumulator");
//! assert_eq!(
//!     verilog.text,
//!     "\
//! `default_nettype none
//!
//! // Adds up what comes in.
//! module my_accumulator (
//!   input  wire clk,         // clock
//!   input  wire rst,         // synchronous reset, active high
//!   input  wire [3:0] term,  // What to add in this cycle.
//!   output reg  [7:0] sum    // The sum so far.
//! );
//!
//!   reg  [7:0] sum_next;
//!
//!   always @* begin : add_logic
//!     sum_next = sum + {4'd0, term};
//!   end
//!
//!   always @(posedge clk) begin
//!     if (rst) begin
//!       sum <= 8'd0;
//!     end else begin
//!       sum <= sum_next;
//!     end
//!   end
//! endmodule
//!
//! `default_nettype wire
//! "
//! );
//! ```
//!
//! # How it is simulated
//!
//! ```text
//!   one clock cycle     settle()  every process once, in a fixed order that follows the data: order::Derived writes it
//!                                 from the syntax trees, and order::check compares it with them
//!                       outputs may be read here
//!                       tick()    every register takes its `d`, every memory its write
//! ```
//! Three things make it fast: values are plain `u64`s and `bool`s; a process runs exactly once a cycle (no settling
//! loop, no change tracking); and registers sit on the ports ([`InReg`], [`OutReg`]), so that a level of hierarchy costs
//! next to nothing. There is one clock and it is implicit: the printer wires `clk` and `rst` to every block that holds state.
//!
//! # What is where
//!
//! | for | there is |
//! | --- | --- |
//! | wires and registers | [`Signal`], [`Reg`] and its kinds, of [`Bits`] or [`Bit`] |
//! | several of a kind | [`Lanes`], [`Single`] |
//! | signals that travel together | [`bundle!`], [`Row`] |
//! | register slices and queues for such | [`slice!`], [`fifo!`] |
//! | memories | [`BlockRam`], [`LutRam`], [`QueueRam`], [`Shelf`], [`Delay`] |
//! | blocks | [`hardware!`], [`Process`]; pins that several blocks have: [`interface!`] |
//! | widths that are parameters | [`symbols!`], [`Widths`] |
//! | constants and codes that kernels name | [`numbers!`], [`codes!`], [`Names`] |
//! | tools that walk a design (printer, waves, checks) | [`Visitor`] |
//! | Verilog | [`verilog::print`] |
//! | a simulation of a small design | [`Simulator`] |
//! | the order of a fast simulation | [`order::Derived`] |
//! | what the simulation takes for granted | [`order::check`], [`settled::check`], [`verilog::find_loop`] |
//! | a simulation that is compiled for known sizes | [`Counts`], [`fits`], [`know`] |
//!
//! This crate knows no design: what a design calls its own, it registers.

mod bits;
mod bundle;
mod cells;
mod connections;
mod hardware;
mod known;
mod lanes;
mod memory;
mod names;
pub mod order;
mod part;
mod settle;
pub mod settled;
mod signal;
mod simulator;
mod symbols;
pub mod verilog;

pub use bits::{Bit, Bits, ToBits, bit_cast, bits};
pub use bundle::{Carried, Connect, Flat, Row};
#[doc(hidden)]
pub use connections::{back, clear, connected, copied, forth, keep};
pub use known::{Count, Counts, fits, know};
pub use lanes::{Lanes, Single};
pub use memory::{BlockRam, ControlDelay, Delay, DelayLine, LutRam, QueueRam, Shelf};
pub use names::{Codes, Names};
pub use part::{
    Call, MemoryKind, Name, Part, Port, Process, RegisterView, SignalView, Type, Value, View, Visitor, place,
};
pub use rust_hdl_core::ast;
#[doc(hidden)]
pub use rust_hdl_macros::hdl_gen as syntax_tree;
pub use signal::{
    Absent, Carrier, CodeView, ControlReg, ControlRegisters, Direction, In, InControlReg, InControlRegisters, InReg,
    InRegisters, InStageControlReg, InStageControlRegisters, InStageReg, InStageRegisters, Local, Out, OutControlReg,
    OutControlRegisters, OutReg, OutRegisters, OutStageControlReg, OutStageControlRegisters, OutStageReg,
    OutStageRegisters, PlainView, Reg, Register, Registers, Signal, StageControlReg, StageControlRegisters, StageReg,
    StageRegisters, ViewAs, Way,
};
pub use simulator::Simulator;
pub use symbols::{SYMBOLIC, Widths};
pub use txbar_hdl_macros::processes;

/// What rust-hdl's macro calls to note which signals a kernel drives. The printer derives that from the syntax tree, so
/// there is nothing to note here.
pub mod logic {
    /// Called once for every signal that a kernel assigns.
    #[inline(always)]
    pub fn logic_connect_fn<T>(_driven: &mut T) {}
    /// Called once for every connection.
    #[inline(always)]
    pub fn logic_connect_link_fn<A, B>(_one: A, _other: B) {}
}

/// The guide's example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/hdl.md")]
struct Guide;
