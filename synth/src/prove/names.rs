//! Names of opcodes, statuses, fields and sizes in the harnesses: local parameters, generated from their definitions.

use super::problem::LANES;
use std::fmt::Write;
use txbar_rtl::banked::entrance::Head;
use txbar_rtl::hdl::{PortNumber, Symbol};
use txbar_rtl::high_clock;
use txbar_rtl::op::{DEFAULT_LIMIT_NS, NO_LIMIT, Op};
use txbar_rtl::ordering::Order;
use txbar_rtl::parameters::{Build, Design, Parameters};
use txbar_rtl::status::Status;
use txbar_rtl::warp::GROUPS;
use txbar_rtl::word::{COUNT_MAX, FIELDS, TX_MAX, TX_MIN};

/// Name of the file that [`text`] goes into.
pub const FILE: &str = "names.sv";

/// The local parameters, as SystemVerilog.
pub fn text(parameters: &Parameters) -> String {
    let mut text = "// Names for the harnesses.\n".to_owned();
    let mut number = |name: &str, value: i64| {
        writeln!(text, "localparam signed [63:0] {name} = {value};").expect("writing to a String");
    };
    number("OP_BITS", Op::BITS as i64);
    // a bit for each opcode that nobody is answered for
    number("POSTED_OPS", Op::ALL.iter().filter(|op| op.is_posted()).map(|op| 1 << op.code()).sum());
    number("STATUS_BITS", Status::BITS as i64);
    number("COUNT_MAX", COUNT_MAX.into());
    number("TX_MAX", TX_MAX.into());
    number("TX_MIN", TX_MIN.into());
    number("ORDER_BITS", Order::BITS as i64);
    number("ACQUIRE", Order::ACQUIRE as i64);
    number("RELEASE", Order::RELEASE as i64);
    number("CLUSTER", Order::CLUSTER as i64);
    number("DEFAULT_LIMIT_NS", DEFAULT_LIMIT_NS.into());
    number("PORTS", parameters.ports as i64);
    number("BANKS", parameters.banks as i64);
    number("WORDS", parameters.words as i64);
    number("INDEX_BITS", parameters.width(Symbol::WordIndex) as i64);
    number("ROW_BITS", parameters.width(Symbol::RowIndex) as i64);
    number("TAG_BITS", parameters.tag_bits as i64);
    number("PORT_BITS", PortNumber::constant(0).bits() as i64);
    number("OUTCOME_BITS", parameters.width(Symbol::Outcome) as i64);
    number("HEAD_BITS", Head::constant(0).bits() as i64);
    number("QUEUE_DEPTH", parameters.queue_depth as i64);
    number("ENTRIES", parameters.entries() as i64);
    number("LANES", LANES as i64);
    number("GROUPS", GROUPS as i64);
    number("GROUP_BITS", GROUPS.ilog2().into());
    // requests of a port that have been accepted and not taken effect, at most
    let in_flight = match parameters.build {
        Build::LowLatency => 8,
        Build::HighClock | Build::BankedHighClock => high_clock::ENTRIES,
    };
    number("IN_FLIGHT", in_flight as i64);
    number("KIND_BITS", high_clock::kind::BITS as i64);
    number("CLOCK_NS", parameters.clock_ns as i64);
    for field in FIELDS {
        let name = field.name.to_uppercase();
        number(&format!("{name}_LSB"), field.lsb as i64);
        number(&format!("{name}_BITS"), field.bits as i64);
    }
    let mut code = |kind: &str, bits: usize, name: &str, code: u8| {
        let name = name.to_uppercase();
        writeln!(text, "localparam [{}:0] {kind}_{name} = {code};", bits - 1).expect("writing to a String");
    };
    Op::ALL.iter().for_each(|op| code("OP", Op::BITS, op.name(), op.code()));
    Status::ALL.iter().for_each(|status| code("STATUS", Status::BITS, status.name(), status.code()));
    writeln!(text, "localparam [31:0] NO_LIMIT = {NO_LIMIT};").expect("writing to a String");
    text
}
