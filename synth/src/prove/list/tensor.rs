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
        ("levels", "rows.level_4,rows.level_3,rows.level_2,rows.level_1,rows.level_0"),
        ("paces", "rows.pace_4,rows.pace_3,rows.pace_2,rows.pace_1,rows.pace_0"),
        ("offsets", "rows.offset_4,rows.offset_3,rows.offset_2,rows.offset_1,rows.offset_0"),
        ("boxes", "rows.box_of_4,rows.box_of_3,rows.box_of_2,rows.box_of_1,rows.box_of_0"),
        ("steps", "rows.step_of_4,rows.step_of_3,rows.step_of_2,rows.step_of_1,rows.step_of_0"),
        ("corners", "rows.from_4,rows.from_3,rows.from_2,rows.from_1,rows.from_0"),
        ("limits", "rows.last_of_4,rows.last_of_3,rows.last_of_2,rows.last_of_1,rows.last_of_0"),
        ("shape", "bursts.count_of,bursts.pitch_of,bursts.lead_of,bursts.end_of,bursts.tail_of"),
        ("next_to", "bursts.next_to"),
        ("cut_position", "bursts.position"),
        ("cut_from", "bursts.from"),
        ("cut_to", "bursts.place"),
        ("cut_is_inside", "bursts.is_inside"),
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
]),
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
