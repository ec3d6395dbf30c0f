//! The window of requests in flight: the next frame to send, and the effect of a reply.
//!
//! ```text
//!   requests   0 1 2 3 4 5 6 7 8 9 ...
//!              ─────┬───── ────┬────
//!              first│          sent: sent so far; at most a window more than `first`
//!                   └ the first without an answer
//! ```
//! A request is sent again when the bridge says that it waits for it, or after silence. It is done once all the same: the bridge
//! sees to that.

use super::host::{HostError, Reply};
use crate::request::{Request, Response};
use txbar_rtl::board::protocol::{self, Question, SLOT_BITS, WINDOW, framed, question};

/// Requests on their way, and their answers.
pub struct Session<'a> {
    requests: &'a [Request],
    /// Number of the first request.
    number: u8,
    /// An answer each; that of a posted request is nothing.
    answers: Vec<Option<Option<Response>>>,
    first: usize,
    sent: usize,
    /// The number that was due when requests were sent again last, so that this is not done twice.
    returned: Option<u8>,
}

impl<'a> Session<'a> {
    /// Requests of which the first has this number.
    pub fn new(requests: &'a [Request], number: u8) -> Self {
        Self { requests, number, answers: vec![None; requests.len()], first: 0, sent: 0, returned: None }
    }

    /// Whether every request has its answer.
    pub fn is_over(&self) -> bool {
        self.first == self.requests.len()
    }

    /// The answers.
    pub fn finish(self) -> Vec<Option<Response>> {
        self.answers.into_iter().map(Option::flatten).collect()
    }

    /// The number of a request.
    fn number_of(&self, position: usize) -> u8 {
        self.number.wrapping_add(position as u8)
    }

    /// Bytes to send now.
    pub fn to_send(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        while self.sent < self.requests.len().min(self.first + WINDOW) {
            if self.answers[self.sent].is_none() {
                bytes.extend(framed(&content(&self.requests[self.sent], self.number_of(self.sent))));
            }
            self.sent += 1;
        }
        bytes
    }

    /// After a timeout: requests without an answer are sent again.
    pub fn again(&mut self) {
        self.sent = self.first;
        self.returned = None;
    }

    /// Takes a reply. Says whether it was an answer to something new.
    ///
    /// # Errors
    /// It is one that no bridge of this version gives.
    pub fn take(&mut self, reply: &Reply) -> Result<bool, HostError> {
        match reply.kind {
            protocol::Reply::Identity => Ok(false), // late, of an earlier question
            protocol::Reply::Damaged | protocol::Reply::Gap => {
                // all before the number that is due has come
                let due = self.first + usize::from(reply.number.wrapping_sub(self.number_of(self.first)));
                if due < self.sent && self.returned != Some(reply.number) {
                    self.returned = Some(reply.number);
                    self.sent = due;
                }
                Ok(false)
            }
            protocol::Reply::Answer => {
                let position = self.first + usize::from(reply.number.wrapping_sub(self.number_of(self.first)));
                if position >= self.requests.len()
                    || position >= self.first + WINDOW
                    || self.answers[position].is_some()
                {
                    return Ok(false); // again
                }
                self.answers[position] = Some(self.response(position, reply)?);
                self.returned = None;
                while self.first < self.requests.len() && self.answers[self.first].is_some() {
                    self.first += 1;
                }
                self.sent = self.sent.max(self.first);
                Ok(true)
            }
        }
    }

    fn response(&self, position: usize, reply: &Reply) -> Result<Option<Response>, HostError> {
        let request = &self.requests[position];
        let slot = u16::from(reply.number) & (WINDOW as u16 - 1);
        let tag = request.tag << SLOT_BITS | slot;
        if u16::from(reply.tag) != tag || reply.posted != request.is_posted() {
            return Err(HostError::Strange(format!("{request} has the answer {reply:?}")));
        }
        let Reply { status, predicate, resumed, data, .. } = *reply;
        Ok((!reply.posted).then_some(Response { tag: request.tag, status, predicate, data, resumed }))
    }
}

/// A request as the bridge takes it; the thread is in its tag.
fn content(request: &Request, number: u8) -> [u8; question::BYTES] {
    let Request { op, remote, address, data, strobe, tag, order, .. } = *request;
    let mut content = [0; question::BYTES];
    let fields = [
        ("number", number.into()),
        ("kind", Question::Request.code().into()),
        ("op", op.into()),
        ("remote", remote.into()),
        ("order", order.code().into()),
        ("thread", tag.into()),
        ("strobe", strobe.into()),
        ("address", address.into()),
        ("data", data),
    ];
    for (name, value) in fields {
        question::field(name).put(&mut content, value);
    }
    content
}
