//! Proofs on the low-latency build and its blocks.

use super::{ONE_PORT, ONE_PORT_WAITING, TWO_PORTS, TWO_PORTS_WAITING, WHOLE_GROUPS, harness, proof};
use crate::prove::problem::Memory;
use crate::prove::solve::Engine;
use crate::prove::{Defect, Proof, Size};
use txbar_rtl::parameters::Parameters;

/// One of the proofs on the ALU: what operations do to a word. With these registers of it each cycle follows from the one before.
const fn word(
    name: &'static str,
    says: &'static str,
    define: &'static [&'static str],
    defects: &'static [Defect],
) -> Proof {
    let taps = &[
        ("alu_behind", "dut.behind"),
        ("alu_holds_or_alone", "dut.holds_or_alone"),
        ("alu_holds", "dut.holds"),
        ("alu_taints", "dut.taints"),
        ("alu_pending_left", "dut.pending_left"),
        ("alu_pending_met", "dut.pending_met"),
        ("alu_expected_left", "dut.expected_left"),
        ("alu_expected_met", "dut.expected_met"),
        ("alu_stored", "dut.stored"),
    ];
    let harness = harness("word.sv", ONE_PORT, Memory::Whole).defining(define).tapping(taps);
    proof(name, says, harness, Engine::Induction(8)).about(&["alu"]).finds(defects).reaches(&[
        ("follows_a_flip", "an operation moves the word of one that has just completed its phase"),
        ("faults", "an operation that asks for too much is refused, and leaves the sticky bit"),
    ])
}

/// The proofs.
pub const PROOFS: &[Proof] = &[
    proof(
        "arbiter",
        "grants one requester if there is any, nobody else, and each within as many cycles as there are ports",
        harness("arbiter.sv", Parameters { ports: 4, ..ONE_PORT }, Memory::Whole),
        Engine::Pdr,
    )
    .about(&["round_robin"])
    .at(&[Size::Ports])
    .finds(&[("later = request & (~served);", "later = request | (~served);")])
    .reaches(&[("waits_longest", "a port waits for all others")]),
    proof(
        "queue",
        "a response queue never over- or underflows, keeps order and payloads, and promises each place it has once",
        harness("queue.sv", Parameters { queue_depth: 3, ..ONE_PORT }, Memory::Whole),
        Engine::Pdr,
    )
    .about(&["response_queue"])
    .at(&[Size::Queue])
    .finds(&[("room_next = reserving != ", "room_next = filling != ")])
    .reaches(&[
        ("full", "no place is left"),
        ("in_its_turn", "an answer that came last of as many as there is room for is taken"),
    ]),
    proof(
        "ram",
        "the one-word memory of other proofs allows every read that the exported memory allows",
        harness("ram.sv", ONE_PORT, Memory::Whole),
        Engine::Pdr,
    )
    .about(&["block_ram"])
    .at(&[Size::Words])
    .finds(&[
        ("mem[write_address] <= write_data", "mem[read_address] <= write_data"),
        ("shown <= latch", "shown <= mem[read_address]"),
    ])
    .reaches(&[("read_back", "what was written is read, and shown two cycles later")]),
    proof(
        "decode",
        "a request is decoded as in the sequential model: arrivals, drops, bytes, stored data, cause of a refusal",
        harness("decode.sv", ONE_PORT, Memory::Whole),
        Engine::Pdr,
    )
    .about(&["decode"])
    .at(&[Size::Words])
    .finds(&[("arrivals_next = 20'd1;", "arrivals_next = 20'd2;")])
    .reaches(&[
        ("asks", "a request asks for arrivals and bytes at once"),
        ("refuses", "a request is refused for what it is"),
    ]),
    word(
        "flip",
        "a phase completes exactly when pending and tx-count both come to zero; then pending is reloaded and the phase flips",
        &["FLIP"],
        &[(
            "flips = ((completes & (~refuses)) & (~holds)) & (~splits);",
            "flips = (completes & (~holds)) & (~splits);",
        )],
    )
    .long(),
    word(
        "ranges",
        "counts never leave their ranges: an operation that would make one do so is refused and changes nothing",
        &["RANGES"],
        &[("tx_sum = tx_wide;", "tx_sum = 22'd0;")],
    )
    .long(),
    word(
        "sticky",
        "a fault bit stays, and the word with it, until the word is stored to or initialised",
        &["STICKY"],
        &[("holds_next = (~updates) | (choose_held & kept[42]);", "holds_next = ~updates;")],
    )
    .long(),
    word(
        "drop",
        "a drop takes from later phases what it takes from this one, and nothing else takes from them",
        &["DROP"],
        &[("expected_sum = {1'b0, kept_expected} + {1'b0, drops};", "expected_sum = {1'b0, kept_expected};")],
    )
    .long(),
    proof(
        "memory",
        "at one request a cycle with any addresses, every answer about a word is that of the sequential model of it",
        harness("memory.sv", ONE_PORT, Memory::OneWord),
        Engine::Bmc(11),
    )
    .about(&["alu", "bank", "decode", "lane", "response_queue", "unit"])
    .at(&[Size::Ports, Size::Banks, Size::Words])
    .finds(&[
        ("pending_fault = (~pending_left) & (~pending_met);", "pending_fault = 1'b0;"),
        ("follows_c4_next = writes_c3 & (row_q == row_c3);", "follows_c4_next = 1'b0;"),
    ])
    .reaches(&[
        ("third", "a third request in a row on one word takes effect"),
        ("answer_of_a_flip", "a request is answered that completes the phase behind another on its word"),
    ])
    .long(),
    proof(
        "serial",
        "two requests on one word in one cycle, combined or split, do what they would do one after the other",
        harness("serial.sv", TWO_PORTS, Memory::OneWord).defining(&["ONE_GROUP"]),
        Engine::Bmc(12),
    )
    .about(&["alu", "bank", "combine", "recall", "replay", "lane", "decode", "unit"])
    .at(&[Size::Ports, Size::Banks, Size::Words])
    .finds(&[("pending = old[62:43] + ahead_c4;", "pending = old[62:43];")])
    .reaches(&[
        ("combined_answers", "both arrive as one, and one is answered"),
        ("split", "both arrive on the word, one after the other, since a phase ends between them"),
    ])
    .long(),
    proof(
        "serial-whole",
        "the same where a group is done whole in which a phase ends",
        harness("serial.sv", WHOLE_GROUPS, Memory::OneWord).defining(&["ONE_GROUP"]),
        Engine::Bmc(12),
    )
    .about(&["laps", "overrun", "alu", "bank", "lane"])
    .at(&[Size::Ports, Size::Banks, Size::Words])
    .finds(&[("over_next = (singles & tx_met) & laps_kept_passes;", "over_next = singles & laps_kept_passes;")])
    .reaches(&[("overrun", "both arrive on the word in one cycle, and a phase ends between them")])
    .long(),
    proof(
        "waiters",
        "a suspended wait whose phase completes is answered with predicate 1 within 8 cycles in which its port takes answers",
        harness("waiters.sv", ONE_PORT_WAITING, Memory::Anything),
        Engine::Bmc(20),
    )
    .about(&["waiters"])
    .at(&[Size::Ports, Size::Banks, Size::Waits])
    .finds(&[("success_next = ", "success_next = ~")])
    .reaches(&[("woken_behind_others", "a wait is woken, and answered after three cycles that were others'")]),
    proof(
        "answers",
        "a request gets one answer with its tag, and nothing else is answered",
        harness("answers.sv", TWO_PORTS_WAITING, Memory::Anything).defining(&["TWO_PORTS"]),
        Engine::Bmc(14),
    )
    .about(&["response_queue", "waiters", "unit", "lane", "bank", "replay", "issue"])
    .at(&[Size::Ports, Size::Banks, Size::Waits])
    .finds(&[("answer = done & (~posted_c4);", "answer = done;")])
    .reaches(&[("last_answer", "two requests with one tag have been answered, and nothing is owed")]),
    proof(
        "held",
        "an answer that is shown stays, and stays the same, until it is taken",
        harness("answers.sv", TWO_PORTS_WAITING, Memory::Anything).defining(&["TWO_PORTS", "HELD"]),
        Engine::Bmc(14),
    )
    .about(&["response_queue", "waiters"])
    .at(&[Size::Ports, Size::Banks, Size::Waits])
    .finds(&[("valid_next = |filling;", "valid_next = (|filling) & (~push);")])
    .reaches(&[("taken_late", "an answer is taken that was not taken at once")])
    .long(),
];
