//! Register slices and queues: data leaves in order and once, under all stalls; and the paths that they cut.

use std::collections::VecDeque;
use txbar_hdl::*;

bundle! {
    /// Where something goes.
    pub bundle Place {
        /// Row.
        pub row: Forth<Bits<5>>,
        /// Columns.
        pub columns: Forth<[Bits<3>; 2]>,
    }
}

bundle! {
    /// Something on its way.
    pub bundle Parcel {
        /// It can be taken.
        pub ready: Back<Bit>,
        /// What it is.
        pub data: Forth<Bits<32>>,
        /// Where it goes.
        pub place: Forth<Place<Local>>,
        /// It is there.
        pub valid: Forth<Bit>,
    }
}

slice! {
    /// Cuts both ways.
    pub mod both of Parcel
}
slice! {
    /// Cuts the way forth.
    pub forward mod forth_only of Parcel
}
slice! {
    /// Cuts the way back.
    pub backward mod back_only of Parcel
}
fifo! {
    /// Parcels that wait.
    pub mod queue of Parcel
}

/// Drives a cell at random, with these chances of 8 that something comes and can go. Gives how many went in 4,000 cycles. `shortcut` of the way
/// forth and back: whether `sink.valid` follows `source.valid`, and `source.ready` follows `sink.ready`, in the same cycle, ever.
macro_rules! random {
    ($cell:expr, $capacity:expr, $seed:expr, $comes:expr, $goes:expr) => {{
        let mut cell = Simulator::new($cell, &(), &Names::default()).expect("no loop");
        let (mut noise, mut waiting, mut went) = ($seed | 1u64, VecDeque::new(), 0);
        let mut random = move || {
            noise = (noise ^ (noise << 13)).rotate_left(17).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (noise >> 7);
            noise >> 32
        };
        let (mut shortcut, mut held) = ([false; 2], None);
        for cycle in 0..4000 {
            let (comes, goes) = (held.is_some() || random() % 8 < $comes, random() % 8 < $goes);
            let data = held.unwrap_or(random());
            for (way, valid, ready) in [(0, !comes, goes), (1, comes, !goes), (2, comes, goes)] {
                cell.source.valid.next = valid;
                cell.source.data.next = data.into();
                cell.source.place.row.next = (data & 31).into();
                cell.source.place.columns[0].next = (data >> 5 & 7).into();
                cell.source.place.columns[1].next = (data >> 8 & 7).into();
                cell.sink.ready.next = ready;
                let before = [cell.sink.valid.val(), cell.source.ready.val()];
                cell.settle();
                if way == 1 {
                    shortcut[0] |= before[0] != cell.sink.valid.val();
                } else if way == 2 {
                    shortcut[1] |= before[1] != cell.source.ready.val();
                }
            }
            if comes && cell.source.ready.val() {
                waiting.push_back(data);
            }
            if cell.sink.valid.val() && goes {
                let data =
                    waiting.pop_front().unwrap_or_else(|| panic!("cycle {cycle}, seed {}: nothing waits", $seed));
                let shown = [cell.sink.data.val().raw(), cell.sink.place.row.val().raw()];
                assert_eq!(shown, [data, data & 31], "cycle {cycle}, seed {}", $seed);
                let columns = [0, 1].map(|c| cell.sink.place.columns[c].val().raw());
                assert_eq!(columns, [data >> 5 & 7, data >> 8 & 7], "cycle {cycle}, seed {}", $seed);
                went += 1;
            }
            held = (comes && !cell.source.ready.val()).then_some(data);
            assert!(waiting.len() <= $capacity, "cycle {cycle}, seed {}: {} wait", $seed, waiting.len());
            cell.tick();
        }
        (went, shortcut)
    }};
}

/// What a cell does at all rates: whether there are shortcuts, and that nothing is lost.
macro_rules! rates {
    ($cell:expr, $capacity:expr, $shortcut:expr, $full_rate:expr) => {{
        let mut shortcuts = [false; 2];
        for (seed, (comes, goes)) in [(8, 8), (5, 3), (3, 5), (8, 1), (1, 8), (8, 4)].into_iter().enumerate() {
            let (went, shortcut) = random!($cell, $capacity, seed as u64 + 0x5eed, comes, goes);
            let least = if comes == 8 && goes == 8 && $full_rate { 3990 } else { 4000 * comes.min(goes) / 8 / 2 - 50 };
            assert!(went >= least, "{went} went at {comes} and {goes} of 8");
            shortcuts = [0, 1].map(|way| shortcuts[way] | shortcut[way]);
        }
        assert_eq!(shortcuts, $shortcut);
    }};
}

#[test]
fn a_slice_cuts_its_ways_and_passes_one_a_cycle() {
    rates!(both::Slice::default(), 2, [false, false], true);
    rates!(forth_only::Slice::default(), 1, [false, true], true);
    rates!(back_only::Slice::default(), 1, [true, false], true);
}

#[test]
fn a_queue_holds_what_it_has_room_for() {
    for entries in [1, 2, 3, 7, 16] {
        rates!(queue::Fifo::new(entries), entries, [false, false], entries > 1);
    }
}

#[test]
fn reset_empties_them_and_leaves_data_alone() {
    let text = |design: &dyn Part| verilog::print(design, &(), &Names::default(), "my").expect("a prefix").text;
    for text in [text(&both::Slice::default()), text(&queue::Fifo::new(2))] {
        let (_, registers) = text.split_once("always @(posedge clk)").expect("it has registers");
        let (_, cleared) = registers.split_once("if (rst) begin").expect("some are cleared");
        let (cleared, _) = cleared.split_once("end else").expect("else they move on");
        assert!(cleared.contains("valid"), "{text}");
        assert!(!cleared.contains("_data") && !cleared.contains("_place"), "{text}");
    }
}
