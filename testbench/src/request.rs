//! Requests and answers, as they appear on the wires of a port.

use crate::case::written::{self, is_false, is_one, one};
use serde::{Deserialize, Serialize};
use std::fmt;
use txbar_rtl::low_latency::counters;
use txbar_rtl::op::{DEFAULT_LIMIT_NS, NO_LIMIT, Op, Operand};
use txbar_rtl::ordering::Order;
use txbar_rtl::status::Status;

/// A request. The opcode is a number, so that one without meaning can be sent too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Opcode.
    #[serde(with = "written::opcode")]
    pub op: u8,
    /// Request of another CTA.
    #[serde(default, skip_serializing_if = "is_false")]
    pub remote: bool,
    /// Byte address.
    #[serde(with = "written::hex")]
    pub address: u32,
    /// Operand; see [`Op::operand`].
    #[serde(with = "written::hex")]
    pub data: u64,
    /// Byte enables of a store.
    #[serde(with = "written::hex")]
    pub strobe: u8,
    /// Comes back with the answer, and names the thread.
    pub tag: u16,
    /// Memory ordering.
    #[serde(with = "written::order")]
    pub order: Order,
    /// The request came over the network, from a thread of another CTA, as the port shows.
    #[serde(default, skip_serializing_if = "is_false")]
    pub elsewhere: bool,
    /// Threads that ask for it at once: lanes of a warp.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub threads: u32,
}

impl Request {
    /// What stands on a port that requests nothing.
    pub const NOTHING: Request = Request {
        op: 0,
        remote: false,
        address: 0,
        data: 0,
        strobe: 0,
        tag: 0,
        order: Order::from_code(0),
        elsewhere: false,
        threads: 1,
    };

    /// A request of `op` on the word at `address`, with no operand, and ordered as the instruction is by default.
    pub fn new(op: Op, address: u32) -> Self {
        Self { op: op.code(), address, strobe: 0xff, order: Order::default_of(op), ..Self::NOTHING }
    }

    /// With an operand.
    pub fn with(self, data: u64) -> Self {
        Self { data, ..self }
    }

    /// With a tag.
    pub fn tagged(self, tag: u16) -> Self {
        Self { tag, ..self }
    }

    /// With another ordering.
    pub fn ordered(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// As a request of another CTA.
    pub fn from_remote(self) -> Self {
        Self { remote: true, ..self }
    }

    /// The operation, if the opcode means one.
    pub fn operation(&self) -> Option<Op> {
        Op::from_code(self.op as u64)
    }

    /// Number of the register that it reads, if it is a load of one.
    pub fn register(&self) -> Option<u32> {
        self.operation().filter(|op| *op == Op::Load).and_then(|_| counters::number_of(self.address & !7))
    }

    /// How long it may be suspended, in nanoseconds, if it may be.
    pub fn limit_ns(&self) -> Option<u32> {
        let named = match self.operation()?.operand() {
            Operand::ParityAndLimit => (self.data >> 32) as u32,
            Operand::TokenAndLimit => self.data as u32,
            _ => return None,
        };
        Some(if named == NO_LIMIT { DEFAULT_LIMIT_NS } else { named })
    }

    /// Whether no answer comes. An opcode without meaning is answered.
    pub fn is_posted(&self) -> bool {
        self.operation().is_some_and(Op::is_posted)
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { op, remote, address, data, strobe, tag, order, elsewhere: _, threads: _ } = *self;
        let Some(operation) = self.operation() else { return write!(f, "opcode {op} @{address:#x} (tag {tag})") };
        write!(f, "{}{}", if remote { "remote " } else { "" }, operation.name())?;
        match operation.operand() {
            Operand::None => {}
            Operand::Arrivals | Operand::Bytes => write!(f, " {}", data as u32)?,
            Operand::Parity => write!(f, " {}", data & 1)?,
            Operand::Token => write!(f, " {:08x}", data >> 32)?,
            Operand::ParityAndLimit => write!(f, " {} limit {} ns", data & 1, data >> 32)?,
            Operand::TokenAndLimit => write!(f, " {:08x} limit {} ns", data >> 32, data as u32)?,
            Operand::Word => write!(f, " {data:016x} bytes {strobe:08b}")?,
        }
        write!(f, " {order} @{address:#x} (tag {tag})")
    }
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Response {
    /// Tag of the request.
    pub tag: u16,
    /// Status code.
    pub status: u8,
    /// Predicate of a wait.
    pub predicate: bool,
    /// Token, word or count; means nothing unless the status is ok.
    pub data: u64,
    /// Answer of a suspended wait.
    pub resumed: bool,
}

impl Response {
    /// The status, if the code means one.
    pub fn status(&self) -> Option<Status> {
        Status::from_code(self.status as u64)
    }

    /// Whether it means the same as another to a client: after a fault the data means nothing.
    pub fn agrees_with(&self, other: &Response) -> bool {
        let seen = |of: &Response| (of.tag, of.status, of.predicate, of.resumed);
        let same = seen(self) == seen(other);
        let has_data = self
            .status()
            .is_some_and(|status| status == Status::Ok || (status.is_remark() && status != Status::MissingInit));
        same && (!has_data || self.data == other.data)
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.status() {
            Some(Status::Ok) => write!(f, "ok, predicate {}, data {:016x}", self.predicate as u8, self.data)?,
            Some(status) => write!(f, "{}", status.name())?,
            None => write!(f, "status {}", self.status)?,
        }
        write!(f, " (tag {}{})", self.tag, if self.resumed { ", resumed" } else { "" })
    }
}
