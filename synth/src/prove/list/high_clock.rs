//! Proofs on the high-clock build: of one port, and the blocks of the fabric.

use super::{FABRIC, HIGH_CLOCK, harness, proof};
use crate::prove::problem::{Harness, Memory};
use crate::prove::solve::Engine;
use crate::prove::{Defect, Proof, Size};
use txbar_rtl::parameters::Parameters;

/// One of the proofs on the pipeline of the high-clock build: what operations do to a word.
const fn deep(
    name: &'static str,
    says: &'static str,
    define: &'static [&'static str],
    defects: &'static [Defect],
) -> Proof {
    let harness = Harness { any_requests: true, ..harness("deep.sv", HIGH_CLOCK, Memory::OneWord).defining(define) };
    proof(name, says, harness, Engine::Bmc(19)).at(&[Size::Ports, Size::Banks, Size::Words]).finds(defects).reaches(&[
        ("second", "two requests in a row take effect on a word, and the second completes a phase"),
        ("second_faults", "the second is refused for what the first has done"),
    ])
}

/// All fields of a request that enters the ring.
const RING_PUSHED: &str = "dut.deep_0.ring.push_kind,dut.deep_0.ring.push_mask,dut.deep_0.ring.push_data,dut.deep_0.ring.push_negative,\
                           dut.deep_0.ring.push_index,dut.deep_0.ring.push_tag";
/// The same of one that it shows.
const RING_SHOWN: &str = "dut.deep_0.ring.kind,dut.deep_0.ring.mask,dut.deep_0.ring.data,dut.deep_0.ring.negative,dut.deep_0.ring.index,\
                          dut.deep_0.ring.tag";

/// Registers of a fabric's entrances, and of what gathers their requests.
const STOPPING: &[(&str, &str)] = &[
    ("come", "dut.fabric.gather_0.come"),
    ("goes", "dut.fabric.gather_0.batches.ended"),
    ("told", "dut.fabric.returns_1_taken,dut.fabric.returns_0_taken"),
    ("busy", "dut.fabric.gather_0.batches.busy"),
    ("several", "dut.fabric.gather_0.batches.several"),
    ("queued", "dut.fabric.gather_0.batches.waiting"),
    ("oldest", "dut.fabric.gather_0.batches.oldest.place"),
    ("behind", "dut.fabric.gather_0.batches.behind.place"),
    ("filling", "dut.fabric.gather_0.batches.filling.place"),
    ("serving", "dut.fabric.gather_0.batches.serving.place"),
    ("crowded", "dut.fabric.gather_0.crowded"),
    ("more", "dut.fabric.gather_0.held.more"),
    ("less", "dut.fabric.gather_0.held.less"),
    ("count", "dut.fabric.gather_0.held.count"),
    ("stop", "dut.fabric.stop"),
    ("ready", "dut.fabric.entrance_1.ready,dut.fabric.entrance_0.ready"),
    ("owes", "dut.fabric.entrance_1.owed.more,dut.fabric.entrance_0.owed.more"),
    ("pays", "dut.fabric.entrance_1.owed.less,dut.fabric.entrance_0.owed.less"),
    ("known_0", "dut.fabric.entrance_0.owed.count"),
    ("known_1", "dut.fabric.entrance_1.owed.count"),
];

/// The proofs.
pub const PROOFS: &[Proof] = &[
    proof(
        "answers-high-clock",
        "in the high-clock build a request gets one answer with its tag, and nothing else is answered",
        harness("answers.sv", HIGH_CLOCK, Memory::Anything),
        Engine::Bmc(26),
    )
    .at(&[Size::Ports, Size::Banks])
    .finds(&[("answer_next = commit & (~kind_p9[5]);", "answer_next = commit;")])
    .reaches(&[("last_answer", "two requests with one tag have been answered, and nothing is owed")])
    .long(),
    proof(
        "held-high-clock",
        "in the high-clock build an answer that is shown stays, and stays the same, until it is taken",
        harness("answers.sv", HIGH_CLOCK, Memory::Anything).defining(&["HELD"]),
        Engine::Bmc(26),
    )
    .at(&[Size::Ports, Size::Banks])
    .finds(&[("valid_0_next = (load | valid_1) | (valid_0 & (~pop));", "valid_0_next = load | valid_1;")])
    .reaches(&[("taken_late", "an answer is taken that was not taken at once")])
    .long(),
    proof(
        "memory-high-clock",
        "in the high-clock build every answer about a word, and the word, is that of the sequential model of it",
        harness("memory.sv", HIGH_CLOCK, Memory::OneWord).defining(&["HIGH_CLOCK"]),
        Engine::Bmc(21),
    )
    .at(&[Size::Ports, Size::Banks, Size::Words])
    .finds(&[("ahead1_next = own & gate1;", "ahead1_next = 64'd0;")])
    .reaches(&[("second", "a second request in a row on one word takes effect"), ("first_answer", "the first is answered")])
    .long(),
    deep(
        "flip-high-clock",
        "in the high-clock build a phase completes exactly when both counts come to zero",
        &["FLIP"],
        &[("after1_next = flips & follows1;", "after1_next = 1'b0;")],
    )
    .long(),
    deep(
        "ranges-high-clock",
        "in the high-clock build counts never leave their ranges",
        &["RANGES"],
        &[("pending_fault = (pending_carry_1 | ", "pending_fault = (1'b0 | ")],
    )
    .long(),
    deep(
        "sticky-high-clock",
        "in the high-clock build a fault bit stays, and the word with it",
        &["STICKY"],
        &[("kind_p7[19] & (old_p7[42] | (", "kind_p7[19] & (1'b0 | (")],
    )
    .long(),
    deep(
        "drop-high-clock",
        "in the high-clock build a drop, and nothing else, takes from later phases",
        &["DROP"],
        &[("drops_less_next = arrivals_less_4 & some_leave;", "drops_less_next = 20'd0;")],
    )
    .long(),
    proof(
        "requests",
        "what stands for the ring in other proofs, any requests at any time, shows all that the ring may show",
        Harness {
            free: &["lookahead", "accumulator"],
            ..harness("requests.sv", HIGH_CLOCK, Memory::Anything).tapping(&[
                ("push", "dut.deep_0.ring.push"),
                ("goes_back", "dut.deep_0.ring.surprise"),
                ("valid", "dut.deep_0.ring.valid"),
                ("tail", "dut.deep_0.ring.tail"),
                ("position", "dut.deep_0.ring.position"),
                ("entering", RING_PUSHED),
                ("shown", RING_SHOWN),
                ("index", "dut.deep_0.ring.index"),
                ("early_index", "dut.deep_0.ring.early_index"),
            ])
        },
        Engine::Bmc(23),
    )
    .at(&[Size::Ports, Size::Banks])
    .finds(&[
        ("valid_next = coming & (~surprise);", "valid_next = coming;"),
        ("written_next = tail;", "written_next = next;"),
        ("spent_next = ", "spent_next = 1'b0 & "),
    ])
    .reaches(&[("shown_again", "a request is shown a second time, since the pipeline has gone back to it")])
    .long(),
    proof(
        "gather",
        "in the banked high-clock build each request goes to its bank's pipeline once, unchanged, in order of acceptance, and without delay",
        harness("gather.sv", FABRIC, Memory::Whole),
        Engine::Bmc(13),
    )
    .at(&[Size::Ports])
    .finds(&[("first = sources & (~{over_all[6:0], 1'b0});", "first = sources & (~(sources >> 1));")])
    .reaches(&[("behind_others", "a request goes that had two ahead of it when it came")])
    .long(),
    proof(
        "stops",
        "in the banked high-clock build no more requests wait for a bank, and no more answers are owed to a port, than there is room for",
        Harness {
            free: &["returns", "pipeline", "parking", "lut_ram"],
            ..harness("stops.sv", FABRIC, Memory::Whole).tapping(STOPPING)
        },
        Engine::Induction(24),
    )
    .at(&[Size::Ports, Size::Banks])
    .finds(&[("ready_next = (~stop) & (", "ready_next = (")])
    .reaches(&[("last_place", "as many batches of requests wait as may")]),
    proof(
        "returns",
        "in the banked high-clock build each answer is shown to its port once, unchanged, in order, without delay, until taken",
        harness("returns.sv", Parameters { banks: 2, ..FABRIC }, Memory::Whole),
        Engine::Bmc(13),
    )
    .at(&[Size::Banks])
    .finds(&[("serving_moves = ended;", "serving_moves = ended & turn[1];")])
    .reaches(&[("behind_others", "an answer is taken that had two ahead of it when it came")])
    .long(),
    proof(
        "table",
        "in the banked high-clock build a suspended wait ends within 7 gaps of its phase's completion, its barrier's end or its deadline, not before, and says which",
        harness("table.sv", FABRIC, Memory::Whole).tapping(&[
            ("table_wants", "dut.wants_q"),
            ("table_ends", "dut.ends_q"),
            ("table_hasty", "dut.hasty_q"),
            ("table_deadline", "dut.deadline_q"),
            ("place", "dut.place"),
            ("parked", "dut.parked"),
            ("done", "dut.over"),
            ("success", "dut.success"),
            ("ending", "dut.gone"),
            ("leaving", "dut.leaving"),
            ("round", "dut.round"),
            ("met", "dut.met"),
            ("overdue", "dut.due"),
            ("rows", "dut.word_entry_*"),
            ("limits", "dut.limit_entry_*"),
            ("ports", "dut.origin_entry_*"),
            ("tags", "dut.name_entry_*"),
        ]),
        Engine::Induction(17),
    )
    .at(&[Size::Ports, Size::Waits])
    .finds(&[("again = coming == row;", "again = 1'b0;"), ("if (~(|round)) begin", "if (1'b1) begin")])
    .reaches(&[
        ("full", "every entry is taken"),
        ("woken_late", "a wait that is woken leaves in the round after that of others"),
        ("barrier_gone", "a wait leaves whose barrier is gone"),
        ("gives_up", "a wait leaves whose time is over"),
    ]),
];
