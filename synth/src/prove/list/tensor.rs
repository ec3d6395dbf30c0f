//! Proofs on the tensor engine.

use super::{ONE_PORT, harness, proof};
use crate::prove::Proof;
use crate::prove::problem::{Hardware, Harness, Memory};
use crate::prove::solve::Engine;

/// The blocks do not depend on what a unit is built for.
const ENGINE: Harness = Harness { hardware: Hardware::TensorEngine, ..harness("", ONE_PORT, Memory::Whole) };

/// The proofs.
pub const PROOFS: &[Proof] = &[
proof(
    "box",
    "rows and bursts of a tensor copy are each element of its box once, at its address, and no piece of 16 bytes outside of the tensor is read or written",
    Harness { file: "box.sv", ..ENGINE }.tapping(&[
        ("levels", "dut.rows.level_4,dut.rows.level_3,dut.rows.level_2,dut.rows.level_1,dut.rows.level_0"),
        ("paces", "dut.rows.pace_4,dut.rows.pace_3,dut.rows.pace_2,dut.rows.pace_1,dut.rows.pace_0"),
        ("offsets", "dut.rows.offset_4,dut.rows.offset_3,dut.rows.offset_2,dut.rows.offset_1,dut.rows.offset_0"),
        ("boxes", "dut.rows.box_of_4,dut.rows.box_of_3,dut.rows.box_of_2,dut.rows.box_of_1,dut.rows.box_of_0"),
        ("steps", "dut.rows.step_of_4,dut.rows.step_of_3,dut.rows.step_of_2,dut.rows.step_of_1,dut.rows.step_of_0"),
        ("corners", "dut.rows.from_4,dut.rows.from_3,dut.rows.from_2,dut.rows.from_1,dut.rows.from_0"),
        ("limits", "dut.rows.last_of_4,dut.rows.last_of_3,dut.rows.last_of_2,dut.rows.last_of_1,dut.rows.last_of_0"),
        ("shape", "dut.bursts.count_of,dut.bursts.pitch_of,dut.bursts.lead_of,dut.bursts.end_of,dut.bursts.tail_of"),
        ("next_to", "dut.bursts.next_to"),
        ("cut_position", "dut.bursts.position"),
        ("cut_from", "dut.bursts.from"),
        ("cut_to", "dut.bursts.place"),
        ("cut_is_inside", "dut.bursts.is_inside"),
    ]),
    Engine::Induction(5),
)
.finds(&[
    ("begins = ends & (moves - 5'd1);", "begins = ends & (moves - 5'd2);"),
    ("if (reach_1 > {1'b0, bound}) begin", "if (reach_1 >= {1'b0, bound}) begin"),
    ("if (coordinate > {2'd0, size}) begin", "if (coordinate > {2'd0, size} + 34'd1) begin"),
    ("room = 4'd8 - {1'b0, from[2:0]};", "room = 4'd8;"),
    ("part_end = end_of;", "part_end = count_of;"),
])
.reaches(&[
    ("three_parts", "a row lies before the tensor, in it and behind it, and a 128-byte boundary cuts it"),
    ("carried", "a row is the first of its plane, behind rows that lie more than an element apart"),
    ("outside", "a row is filled whose coordinates are outside the tensor"),
    ("slices", "a slice of channels is read that is not the first"),
])
.long(),
    proof(
        "row",
        "of a row exactly the bytes whose coordinate is inside the tensor are in pieces that are read or written, and not cut off the last one",
        Harness { file: "row.sv", ..ENGINE },
        Engine::Induction(4),
    )
    .finds(&[
        ("rounded = reaches + 38'hf;", "rounded = reaches + 38'h10;"),
        ("behind = 38'd0 - distance;", "behind = 38'd16 - distance;"),
    ])
    .reaches(&[
        ("cut_off", "a row begins before the tensor and ends behind it, and the tensor ends within a piece"),
        ("all_outside", "a row ends before the tensor begins"),
    ]),
];
