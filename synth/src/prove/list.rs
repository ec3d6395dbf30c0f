//! The proofs.

use super::Proof;
use super::problem::{Harness, Memory};
use super::solve::Engine;
use txbar_rtl::deep;
use txbar_rtl::parameters::{Build, Parameters};

/// The smallest unit that is not trivial: one port, one bank.
const ONE_PORT: Parameters = Parameters {
    ports: 1,
    banks: 1,
    words: 16,
    tag_bits: 2,
    queue_depth: 4,
    waiters: 0,
    clock_ns: 1000,
    counters: false,
    ..Parameters::DEFAULT
};

/// One port with two suspended waits.
const ONE_PORT_WAITING: Parameters = Parameters { waiters: 2, ..ONE_PORT };

/// Two ports, so that requests are combined.
const TWO_PORTS: Parameters = Parameters { ports: 2, ..ONE_PORT };

/// Two ports with two suspended waits each.
pub const TWO_PORTS_WAITING: Parameters = Parameters { ports: 2, waiters: 4, ..ONE_PORT };

/// The high-clock build, one port and one bank.
const HIGH_CLOCK: Parameters = Parameters { build: Build::HighClock, queue_depth: deep::ENTRIES, ..ONE_PORT };

/// A fabric of two ports and a bank with two suspended waits.
const FABRIC: Parameters = Parameters { ports: 2, waiters: 2, ..HIGH_CLOCK };

/// A harness with nothing particular.
pub const fn harness(file: &'static str, parameters: Parameters, memory: Memory) -> Harness {
    Harness { file, parameters, memory, any_requests: false, defines: &[], taps: &[] }
}

/// One of the proofs on the ALU: what operations do to a word. With these registers of it each cycle follows from the one before.
const fn word(name: &'static str, says: &'static str, define: &'static [&'static str]) -> Proof {
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
    let harness = Harness { defines: define, taps, ..harness("word.sv", ONE_PORT, Memory::Whole) };
    Proof { name, says, harness, engine: Engine::Induction(8), core: true, blocks: &["alu"] }
}

/// One of the proofs on the pipeline of the high-clock build: what operations do to a word.
const fn deep(name: &'static str, says: &'static str, define: &'static [&'static str]) -> Proof {
    let harness = Harness { defines: define, any_requests: true, ..harness("deep.sv", HIGH_CLOCK, Memory::OneWord) };
    Proof { name, says, harness, engine: Engine::Bmc(19), core: true, blocks: &[] }
}

/// Every proof.
pub const PROOFS: &[Proof] = &[
    Proof {
        name: "arbiter",
        says: "grants one requester if there is any, nobody else, and each within as many cycles as there are ports",
        harness: harness("arbiter.sv", Parameters { ports: 4, ..ONE_PORT }, Memory::Whole),
        engine: Engine::Pdr,
        core: true,
        blocks: &["round_robin"],
    },
    Proof {
        name: "queue",
        says: "a response queue never over- or underflows, keeps order and payloads, and promises each place it has once",
        harness: harness("queue.sv", Parameters { queue_depth: 3, ..ONE_PORT }, Memory::Whole),
        engine: Engine::Pdr,
        core: true,
        blocks: &["response_queue"],
    },
    Proof {
        name: "ram",
        says: "what stands for the memory in other proofs, one word of it, shows all that the memory may show",
        harness: harness("ram.sv", ONE_PORT, Memory::Whole),
        engine: Engine::Pdr,
        core: true,
        blocks: &["block_ram"],
    },
    Proof {
        name: "decode",
        says: "a request asks for what the sequential model says: arrivals, drops, bytes, what it stores, why it is refused",
        harness: harness("decode.sv", ONE_PORT, Memory::Whole),
        engine: Engine::Pdr,
        core: true,
        blocks: &["decode"],
    },
    word(
        "flip",
        "a phase completes exactly when pending and tx-count both come to zero; then pending is reloaded and the phase flips",
        &["FLIP"],
    ),
    word(
        "ranges",
        "counts never leave their ranges: what would take one there is refused, and moves nothing",
        &["RANGES"],
    ),
    word("sticky", "a fault bit stays, and the word with it, until the word is stored to or initialised", &["STICKY"]),
    word(
        "drop",
        "a drop takes from later phases what it takes from this one, and nothing else takes from them",
        &["DROP"],
    ),
    Proof {
        name: "memory",
        says: "at one request a cycle with any addresses, every answer about a word is that of the sequential model of it",
        harness: harness("memory.sv", ONE_PORT, Memory::OneWord),
        engine: Engine::Bmc(11),
        core: true,
        blocks: &["alu", "bank", "decode", "lane", "response_queue", "unit"],
    },
    Proof {
        name: "serial",
        says: "two requests on one word in one cycle, combined or split, do what they would do one after the other",
        harness: Harness { defines: &["ONE_GROUP"], ..harness("serial.sv", TWO_PORTS, Memory::OneWord) },
        engine: Engine::Bmc(11),
        core: true,
        blocks: &["alu", "bank", "combine", "recall", "replay", "lane", "decode", "unit"],
    },
    Proof {
        name: "waiters",
        says: "a suspended wait whose phase completes is answered with yes within 6 cycles in which its port takes answers",
        harness: harness("waiters.sv", ONE_PORT_WAITING, Memory::Anything),
        engine: Engine::Bmc(20),
        core: true,
        blocks: &["waiters"],
    },
    Proof {
        name: "answers",
        says: "a request gets one answer with its tag, and nothing else is answered",
        harness: Harness { defines: &["TWO_PORTS"], ..harness("answers.sv", TWO_PORTS_WAITING, Memory::Anything) },
        engine: Engine::Bmc(14),
        core: true,
        blocks: &["response_queue", "waiters", "unit", "lane", "bank", "replay", "issue"],
    },
    Proof {
        name: "held",
        says: "an answer that is shown stays, and stays the same, until it is taken",
        harness: Harness {
            defines: &["TWO_PORTS", "HELD"],
            ..harness("answers.sv", TWO_PORTS_WAITING, Memory::Anything)
        },
        engine: Engine::Bmc(14),
        core: true,
        blocks: &["response_queue", "waiters"],
    },
    Proof {
        name: "answers-high-clock",
        says: "in the high-clock build a request gets one answer with its tag, and nothing else is answered",
        harness: harness("answers.sv", HIGH_CLOCK, Memory::Anything),
        engine: Engine::Bmc(26),
        core: true,
        blocks: &[],
    },
    Proof {
        name: "held-high-clock",
        says: "in the high-clock build an answer that is shown stays, and stays the same, until it is taken",
        harness: Harness { defines: &["HELD"], ..harness("answers.sv", HIGH_CLOCK, Memory::Anything) },
        engine: Engine::Bmc(26),
        core: false,
        blocks: &[],
    },
    Proof {
        name: "memory-high-clock",
        says: "in the high-clock build every answer about a word, and the word, is that of the sequential model of it",
        harness: Harness { defines: &["HIGH_CLOCK"], ..harness("memory.sv", HIGH_CLOCK, Memory::OneWord) },
        engine: Engine::Bmc(21),
        core: true,
        blocks: &[],
    },
    deep(
        "flip-high-clock",
        "in the high-clock build a phase completes exactly when both counts come to zero",
        &["FLIP"],
    ),
    deep("ranges-high-clock", "in the high-clock build counts never leave their ranges", &["RANGES"]),
    deep("sticky-high-clock", "in the high-clock build a fault bit stays, and the word with it", &["STICKY"]),
    deep("drop-high-clock", "in the high-clock build a drop, and nothing else, takes from later phases", &["DROP"]),
    Proof {
        name: "gather",
        says: "in a fabric each request goes to its bank's pipeline once, as it came, in the order of coming, and without delay",
        harness: harness("gather.sv", FABRIC, Memory::Whole),
        engine: Engine::Bmc(13),
        core: true,
        blocks: &[],
    },
    Proof {
        name: "returns",
        says: "in a fabric each answer is shown to its port once, as it was given, in the order of giving, without delay, until taken",
        harness: harness("returns.sv", Parameters { banks: 2, ..FABRIC }, Memory::Whole),
        engine: Engine::Bmc(13),
        core: true,
        blocks: &[],
    },
    Proof {
        name: "table",
        says: "in a fabric a suspended wait leaves with yes within 5 gaps of its phase's completion, or is turned out, and not before",
        harness: harness("table.sv", FABRIC, Memory::Whole),
        engine: Engine::Pdr,
        core: true,
        blocks: &[],
    },
];

/// The proof of this name.
pub fn find(name: &str) -> Option<&'static Proof> {
    PROOFS.iter().find(|proof| proof.name == name)
}
