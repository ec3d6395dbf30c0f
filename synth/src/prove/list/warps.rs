//! Proofs on ports for whole warps.

use super::{ONE_PORT, harness, proof};
use crate::prove::problem::{Hardware, Harness, Memory};
use crate::prove::solve::Engine;
use crate::prove::{Proof, Size};
use txbar_rtl::parameters::Parameters;

/// One port for threads and one for warps; a tag has the number of a group.
const UNIT: Parameters = Parameters { tag_bits: 5, ..ONE_PORT };

/// Barrier operations of warps.
const WARPS: Harness = Harness { hardware: Hardware::WarpUnit, ..harness("", UNIT, Memory::Whole) };

/// Loads and stores of warps on two banks.
const LOADS: Harness =
    Harness { hardware: Hardware::WarpMemory, ..harness("", Parameters { banks: 2, ..UNIT }, Memory::Whole) };

/// The proofs.
pub const PROOFS: &[Proof] = &[
    proof(
        "groups",
        "of a warp's instruction each lane is in one group; a group has all lanes of one word that go together, and is one request with their sum",
        Harness { file: "groups.sv", ..WARPS }.tapping(&[
            ("goes", "dut.goes"),
            ("choose_pending", "dut.pending"),
            ("choose_first", "dut.first"),
            ("choose_op", "dut.op_choose"),
            ("choose_remote", "dut.remote_choose"),
            ("choose_order", "dut.order_choose"),
            ("choose_limit", "dut.limit_choose"),
            ("choose_tag", "dut.tag_choose"),
            ("choose_address", "dut.address_choose_3,dut.address_choose_2,dut.address_choose_1,dut.address_choose_0"),
            ("choose_operand", "dut.operand_choose_3,dut.operand_choose_2,dut.operand_choose_1,dut.operand_choose_0"),
            ("add_valid", "dut.valid_add"),
            ("add_op", "dut.op_add"),
            ("add_remote", "dut.remote_add"),
            ("add_order", "dut.order_add"),
            ("add_limit", "dut.limit_add"),
            ("add_entry", "dut.entry_add"),
            ("add_address", "dut.address_add"),
            ("add_operand", "dut.operand_add"),
            ("parts", "dut.part_3,dut.part_2,dut.part_1,dut.part_0"),
            ("part_counts", "dut.part_count_3,dut.part_count_2,dut.part_count_1,dut.part_count_0"),
        ]),
        Engine::Induction(6),
    )
    .about(&["coalesce"])
    .at(&[Size::Lanes])
    .finds(&[
        ("pending_next = left;", "pending_next = left & (left - 4'd1);"),
        ("if (group[2]) begin", "if (pending[2]) begin"),
        ("if (|sum[36:20]) begin", "if (|sum[36:21]) begin"),
    ])
    .reaches(&[
        ("three_together", "three lanes that arrive and expect bytes at one word are one request, beside a lane of another word"),
        ("excess", "two lanes bring more arrivals than a count can be"),
        ("operand_first", "a lane with the operand of the group before goes before a lower one with another"),
        ("shared_wait", "lanes that wait for different phases of one word are one request"),
    ]),
    proof(
        "lanes",
        "each lane of a group is answered once, with the group's tag and status and a token and predicate of its own; no other lane is",
        Harness { file: "lanes.sv", ..WARPS }.tapping(&[
            ("shown", "dut.shown"),
            ("served", "dut.served"),
            ("masks", "dut.masks.mem[#]"),
            ("phases", "dut.phases.mem[#]"),
            ("tags", "dut.tags.mem[#]"),
            ("steps", "dut.steps.mem[#]"),
        ]),
        Engine::Induction(7),
    )
    .about(&["scatter"])
    .at(&[Size::Lanes])
    .finds(&[
        ("served_next = served | rsp_lanes;", "served_next = rsp_lanes;"),
    ])
    .reaches(&[
        ("last_of_three", "the last of three lanes is answered whose tokens count down"),
        ("both_phases", "lanes that wait for different phases are answered at once"),
    ])
    .long(),
    proof(
        "steps",
        "of a warp's load or store each lane is in one step, which serves all of its bytes, and a step touches nothing else",
        Harness { file: "steps.sv", ..LOADS }.tapping(&[
            ("goes", "dut.goes"),
            ("lanes", "dut.lanes"),
            ("pending", "dut.pending"),
            ("crooked", "dut.crooked"),
            ("outside", "dut.outside"),
            ("above", "dut.above"),
            ("refusal", "dut.refusal"),
            ("stores", "dut.stores"),
            ("choose_tag", "dut.tag_choose"),
            ("choose_size", "dut.size_choose"),
            ("choose_bank", "dut.bank_3,dut.bank_2,dut.bank_1,dut.bank_0"),
            ("choose_row", "dut.row_3,dut.row_2,dut.row_1,dut.row_0"),
            ("even", "dut.even_3,dut.even_2,dut.even_1,dut.even_0"),
            ("odd", "dut.odd_3,dut.odd_2,dut.odd_1,dut.odd_0"),
        ]),
        Engine::Induction(5),
    )
    .about(&["access", "pick"])
    .at(&[Size::Lanes, Size::Banks])
    .finds(&[
        ("low_top = low_below & (~{1'b0, low_below[3:1]});", "low_top = low_below;"),
    ])
    .reaches(&[
        ("merged", "three lanes store into one word in one step"),
        ("two_rows", "two lanes are served whose rows are the same, and one is left that names another"),
        ("pair", "lanes take 16 bytes in both banks"),
        ("crooked_first", "a lane with an address that is no multiple is refused before others are served"),
    ])
    .long(),
];
