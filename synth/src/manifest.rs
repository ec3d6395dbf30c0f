//! The manifest: what is in an exported file, for people's scripts.

use crate::verilog::{Export, ExportedPort};
use serde::Serialize;
use txbar_rtl::counters::Counter;
use txbar_rtl::op::{Op, Operand, Reply};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::FIELDS;

/// Everything about an exported file.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    /// Name and version of the generator.
    pub generator: String,
    /// The Verilog file.
    pub file: String,
    /// The top module.
    pub top: String,
    /// What it was built for.
    pub parameters: ManifestParameters,
    /// Cycles from the acceptance of a request to its answer, if nobody is in the way.
    pub latency_cycles: usize,
    /// Ports of the top module.
    pub ports: Vec<ExportedPort>,
    /// Opcodes.
    pub opcodes: Vec<Opcode>,
    /// Statuses.
    pub statuses: Vec<StatusCode>,
    /// Fields of the barrier word.
    pub word: Vec<WordField>,
    /// Registers that count events.
    pub counters: Vec<CounterRegister>,
}

/// A register that counts events.
#[derive(Clone, Debug, Serialize)]
pub struct CounterRegister {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: u32,
    /// What it counts.
    pub counts: String,
}

/// Every register that counts events.
pub fn counter_registers() -> Vec<CounterRegister> {
    let of_op = |op: &Op| CounterRegister {
        name: op.name().to_owned(),
        address: txbar_rtl::counters::register(op.code().into()),
        counts: format!("`{}` operations done", op.name()),
    };
    let of_counter = |counter: &Counter| CounterRegister {
        name: counter.name().to_owned(),
        address: txbar_rtl::counters::register(counter.number()),
        counts: counter.meaning().to_owned(),
    };
    Op::ALL.iter().map(of_op).chain(Counter::ALL.iter().map(of_counter)).collect()
}

/// What the file was built for.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)] // see `Parameters`
pub struct ManifestParameters {
    pub ports: usize,
    pub banks: usize,
    pub words: usize,
    pub tag_bits: usize,
    pub number_bits: usize,
    pub queue_depth: usize,
    pub waiters: usize,
    pub clock_ns: usize,
    pub counters: bool,
    pub checked: bool,
}

/// An opcode.
#[derive(Clone, Debug, Serialize)]
pub struct Opcode {
    /// Its name.
    pub name: &'static str,
    /// Its code.
    pub code: u8,
    /// The PTX instruction that it serves.
    pub ptx: &'static str,
    /// What `req_data` carries.
    pub operand: &'static str,
    /// What `rsp_data` or `rsp_predicate` carries.
    pub answer: &'static str,
}

/// A status.
#[derive(Clone, Debug, Serialize)]
pub struct StatusCode {
    /// Its name.
    pub name: &'static str,
    /// Its code.
    pub code: u8,
    /// What it means.
    pub meaning: &'static str,
}

/// A field of the barrier word.
#[derive(Clone, Debug, Serialize)]
pub struct WordField {
    /// Its name.
    pub name: &'static str,
    /// Its lowest bit.
    pub lsb: usize,
    /// Its width.
    pub bits: usize,
    /// What it holds.
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
    /// The manifest of an export that is written to `file`.
    pub fn new(export: &Export, parameters: &Parameters, file: &str) -> Self {
        let Parameters {
            ports,
            banks,
            words,
            tag_bits,
            number_bits,
            queue_depth,
            waiters,
            clock_ns,
            counters,
            checked,
        } = *parameters;
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
            parameters: ManifestParameters {
                ports,
                banks,
                words,
                tag_bits,
                number_bits,
                queue_depth,
                waiters,
                clock_ns,
                counters,
                checked,
            },
            latency_cycles: txbar_rtl::unit::LATENCY,
            ports: export.ports.clone(),
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
        }
    }

    /// As JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers can be written as JSON") + "\n"
    }
}
