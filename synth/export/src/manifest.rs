//! The manifest: description of an exported file, for scripts.

use crate::boards::Board;
use crate::registers::BusFacts;
use crate::reset::ResetFacts;
use crate::verilog::{Export, ExportedMemory, ExportedPort};
use serde::{Serialize, Serializer};
use txbar_rtl::board::parameters::BoardParameters;
use txbar_rtl::bus::parameters::BusParameters;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::rendezvous::Act;
use txbar_rtl::copies::sender::Put;
use txbar_rtl::copies::tracker::Kind;
use txbar_rtl::hdl::MemoryKind;
use txbar_rtl::low_latency::counters::Counter;
use txbar_rtl::op::{Op, Operand, Reply};
use txbar_rtl::parameters::{Design, Parameters};
use txbar_rtl::status::Status;
use txbar_rtl::warp::{self, parameters::WarpParameters};
use txbar_rtl::word::FIELDS;
use txbar_rtl::word::address::{BEAT_BYTES, BURST_BYTES, RANK_BITS, RANK_LSB};

/// Description of an exported file.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    /// Name and version of the generator.
    pub generator: String,
    /// The Verilog file.
    pub file: String,
    /// The top module.
    pub top: String,
    /// Parameters of the design.
    pub parameters: ManifestParameters,
    /// Cycles from the acceptance of a request to its answer, if nobody is in the way.
    pub latency_cycles: usize,
    /// Ports of the top module.
    pub ports: Vec<ExportedPort>,
    /// The reset among them.
    pub reset: ResetFacts,
    /// Memories that may be replaced.
    pub memories: Vec<MemoryFacts>,
    /// Opcodes.
    pub opcodes: Vec<Opcode>,
    /// Statuses.
    pub statuses: Vec<StatusCode>,
    /// Fields of the barrier word.
    pub word: Vec<WordField>,
    /// Registers that count events.
    pub counters: Vec<CounterRegister>,
    /// Data of clusters only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterFacts>,
    /// The board that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<BoardFacts>,
    /// What only a unit with ports for warps has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warps: Option<WarpFacts>,
    /// What only a unit behind a bus has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus: Option<BusFacts>,
    /// A unit with ports for single threads.
    #[serde(skip)]
    pub unit: Option<Parameters>,
}

/// A memory that may be replaced.
#[derive(Clone, Debug, Serialize)]
pub struct MemoryFacts {
    /// Its instance, with those that it is within.
    pub instance: String,
    /// Its module, without the prefix. Each has one write port and one read port of the same clock.
    pub module: &'static str,
    /// Words.
    pub words: usize,
    /// Width of a word.
    pub bits: usize,
    /// Cycles from the address of a read to its word; 0 in the same cycle.
    pub read_cycles: usize,
    /// What a read gives that meets a write of the same word.
    pub collision: &'static str,
}

impl MemoryFacts {
    /// Those of a memory, if it is one and not a row of registers.
    fn of(memory: &ExportedMemory) -> Option<Self> {
        let (module, read_cycles, collision) = match memory.kind {
            MemoryKind::Block => ("block_ram", 2, "anything"),
            MemoryKind::Queue => ("queue_ram", 2, "anything"),
            MemoryKind::Lut => ("lut_ram", 0, "the word before the write"),
            MemoryKind::Shelf | MemoryKind::Delay | MemoryKind::ControlDelay => return None,
        };
        let ExportedMemory { instance, words, bits, .. } = memory.clone();
        Some(Self { instance, module, words, bits, read_cycles, collision })
    }
}

/// What only a unit with ports for warps has.
#[derive(Clone, Debug, Serialize)]
pub struct WarpFacts {
    /// Cycles from the acceptance of an instruction to its first answer, if nobody is in the way.
    pub warp_latency_cycles: usize,
    /// Groups of lanes that a port has under way at most.
    pub groups: usize,
}

/// The board that a top is for.
#[derive(Clone, Debug, Serialize)]
pub struct BoardFacts {
    /// Name.
    pub name: &'static str,
    /// FPGA.
    pub part: &'static str,
    /// The package, as nextpnr spells it.
    pub package: &'static str,
    /// Frequency of the clock.
    pub clock_hz: u32,
    /// Name of the constraint file.
    pub constraints: &'static str,
}

/// A register that counts events.
#[derive(Clone, Debug, Serialize)]
pub struct CounterRegister {
    /// Name.
    pub name: String,
    /// Address.
    pub address: u32,
    /// Description of the events counted.
    pub counts: String,
}

/// Every register that counts events.
pub fn counter_registers() -> Vec<CounterRegister> {
    let of_op = |op: &Op| CounterRegister {
        name: op.name().to_owned(),
        address: txbar_rtl::low_latency::counters::register(op.code().into()),
        counts: format!("`{}` operations done", op.name()),
    };
    let of_counter = |counter: &Counter| CounterRegister {
        name: counter.name().to_owned(),
        address: txbar_rtl::low_latency::counters::register(counter.number()),
        counts: counter.meaning().to_owned(),
    };
    Op::ALL.iter().map(of_op).chain(Counter::ALL.iter().map(of_counter)).collect()
}

/// What the file was built for: every parameter, as [`Design::list`] names it but with underscores.
#[derive(Clone, Debug)]
pub struct ManifestParameters(Vec<(String, serde_json::Value)>);

impl ManifestParameters {
    fn of(design: &dyn Design) -> Self {
        // numbers, `true` and `false` are JSON as they are
        let json = |text: String| serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text));
        Self(design.list().into_iter().map(|(name, value)| (name.replace('-', "_"), json(value))).collect())
    }

    /// `name=value` of each, with spaces between.
    pub fn text(&self) -> String {
        let value = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let pairs = self.0.iter().map(|(name, of)| format!("{name}={}", value(of)));
        pairs.collect::<Vec<_>>().join(" ")
    }
}

impl Serialize for ManifestParameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Data of clusters only.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterFacts {
    /// Cycles from the acceptance of a request to another CTA to its answer, if nobody is in the way.
    pub remote_latency_cycles: usize,
    /// An address of `.shared::cluster`: the offset in the CTA's memory, and above it the rank.
    pub address: Vec<WordField>,
    /// Bytes of a beat of global memory.
    pub beat_bytes: u32,
    /// Bytes of a burst at most, within a block of so many.
    pub burst_bytes: u32,
    /// Values of `async_kind`.
    pub copy_kinds: Vec<Code>,
    /// Values of `put_kind`.
    pub put_kinds: Vec<Code>,
    /// Values of `bar_req_op`.
    pub barrier_acts: Vec<Code>,
}

/// A code on the wires.
#[derive(Clone, Debug, Serialize)]
pub struct Code {
    /// Name.
    pub name: &'static str,
    /// The code.
    pub code: u8,
    /// The PTX instruction that it serves.
    pub ptx: &'static str,
}

/// Fields of an address of `.shared::cluster`.
pub fn address_fields() -> Vec<WordField> {
    let offset = "byte address in the memory of the CTA";
    vec![
        WordField { name: "rank", lsb: RANK_LSB, bits: RANK_BITS, holds: "rank of the CTA" },
        WordField { name: "offset", lsb: 0, bits: RANK_LSB, holds: offset },
    ]
}

/// What a CTA's threads ask of the copies.
pub fn copy_kinds() -> Vec<Code> {
    Kind::ALL.map(|kind| Code { name: kind.name(), code: kind.code(), ptx: kind.ptx() }).to_vec()
}

/// What is asked of the copies out of shared memory.
pub fn put_kinds() -> Vec<Code> {
    Put::ALL.map(|kind| Code { name: kind.name(), code: kind.code(), ptx: kind.ptx() }).to_vec()
}

/// What a warp asks of `barrier.cluster`.
pub fn barrier_acts() -> Vec<Code> {
    Act::ALL.map(|act| Code { name: act.name(), code: act.code(), ptx: act.ptx() }).to_vec()
}

/// An opcode.
#[derive(Clone, Debug, Serialize)]
pub struct Opcode {
    /// Name.
    pub name: &'static str,
    /// Code.
    pub code: u8,
    /// The PTX instruction that it serves.
    pub ptx: &'static str,
    /// Meaning of `req_data`.
    pub operand: &'static str,
    /// What `rsp_data` or `rsp_predicate` carries.
    pub answer: &'static str,
}

/// A status.
#[derive(Clone, Debug, Serialize)]
pub struct StatusCode {
    /// Name.
    pub name: &'static str,
    /// Code.
    pub code: u8,
    /// Meaning.
    pub meaning: &'static str,
}

/// A field of the barrier word.
#[derive(Clone, Debug, Serialize)]
pub struct WordField {
    /// Name.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: usize,
    /// Width.
    pub bits: usize,
    /// Description of the contents.
    pub holds: &'static str,
}

/// What an operand is, in words.
pub fn operand_text(operand: Operand) -> &'static str {
    match operand {
        Operand::None => "nothing",
        Operand::Arrivals => "count of arrivals, bits 31:0",
        Operand::Bytes => "count of bytes, bits 31:0",
        Operand::Parity => "parity of the phase, bit 0",
        Operand::Token => "state token, bits 63:32",
        Operand::ParityAndLimit => "parity of the phase, bit 0; time limit in ns, bits 63:32",
        Operand::TokenAndLimit => "state token, bits 63:32; time limit in ns, bits 31:0",
        Operand::Word => "data, with byte enables",
    }
}

/// What an answer carries, in words.
pub fn reply_text(reply: Reply) -> &'static str {
    match reply {
        Reply::Status => "status",
        Reply::Token => "state token, bits 63:32 (not to a remote request)",
        Reply::Predicate => "predicate",
        Reply::Count => "pending count, bits 31:0",
        Reply::Word => "the word",
        Reply::Posted => "no answer",
    }
}

impl Manifest {
    /// The manifest of a unit that is written to `file`.
    pub fn new(export: &Export, parameters: &Parameters, file: &str) -> Self {
        Self { unit: Some(*parameters), ..Self::of(export, parameters, parameters.counters, None, file) }
    }

    /// The manifest of a cluster that is written to `file`.
    pub fn of_cluster(export: &Export, parameters: &ClusterParameters, file: &str) -> Self {
        let cluster = ClusterFacts {
            remote_latency_cycles: parameters.remote_latency(),
            address: address_fields(),
            beat_bytes: BEAT_BYTES,
            burst_bytes: BURST_BYTES,
            copy_kinds: copy_kinds(),
            put_kinds: put_kinds(),
            barrier_acts: barrier_acts(),
        };
        Self::of(export, parameters, parameters.unit.counters, Some(cluster), file)
    }

    /// The manifest of a unit with ports for warps that is written to `file`.
    pub fn of_warps(export: &Export, parameters: &WarpParameters, file: &str) -> Self {
        let facts = WarpFacts { warp_latency_cycles: warp::LATENCY, groups: warp::GROUPS };
        Self { warps: Some(facts), ..Self::of(export, parameters, parameters.unit.counters, None, file) }
    }

    /// The manifest of a unit behind a bus that is written to `file`.
    pub fn of_bus(export: &Export, parameters: &BusParameters, file: &str) -> Self {
        let facts = BusFacts::of(parameters);
        Self { bus: Some(facts), ..Self::of(export, parameters, parameters.unit.counters, None, file) }
    }

    /// The manifest of a top for boards, or for this board, that is written to `file`.
    pub fn of_top(export: &Export, parameters: &BoardParameters, board: Option<&Board>, file: &str) -> Self {
        let board = board.map(|board| BoardFacts {
            name: board.name,
            part: board.part,
            package: board.package,
            clock_hz: board.clock_hz,
            constraints: board.constraints_file,
        });
        Self { board, ..Self::of(export, parameters, parameters.unit.counters, None, file) }
    }

    fn of(export: &Export, parameters: &dyn Design, counters: bool, cluster: Option<ClusterFacts>, file: &str) -> Self {
        let opcode = |op: &Op| Opcode {
            name: op.name(),
            code: op.code(),
            ptx: op.ptx(),
            operand: operand_text(op.operand()),
            answer: reply_text(op.reply()),
        };
        Self {
            generator: format!("txbar {}", env!("CARGO_PKG_VERSION")),
            file: file.to_owned(),
            top: export.top.clone(),
            parameters: ManifestParameters::of(parameters),
            latency_cycles: txbar_rtl::low_latency::unit::LATENCY,
            ports: export.ports.clone(),
            reset: export.reset.clone(),
            memories: export.memories.iter().filter_map(MemoryFacts::of).collect(),
            opcodes: Op::ALL.iter().map(opcode).collect(),
            statuses: Status::ALL
                .iter()
                .map(|status| StatusCode { name: status.name(), code: status.code(), meaning: status.meaning() })
                .collect(),
            word: FIELDS
                .iter()
                .map(|field| WordField { name: field.name, lsb: field.lsb, bits: field.bits, holds: field.holds })
                .collect(),
            counters: if counters { counter_registers() } else { Vec::new() },
            cluster,
            board: None,
            warps: None,
            bus: None,
            unit: None,
        }
    }

    /// As JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers can be written as JSON") + "\n"
    }
}
