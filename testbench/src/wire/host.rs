//! The host: asks a bridge over a line and gets its answers, whatever the line loses or damages.
//!
//! It gives up after [`PATIENCE`] timeouts in a row; how long one is, the [`Line`] knows.

use super::Line;
use super::session::Session;
use crate::check::Target;
use crate::request::{Request, Response};
use std::io;
use thiserror::Error;
use txbar_rtl::board::protocol::{
    self, CHECKSUM_BEGIN, CHECKSUM_GOOD, ESCAPE, ESCAPED_BIT, FLAG, MARK, Question, checksum_step, framed, identity,
    question, reply,
};

/// Silences in a row after which nobody is there.
pub const PATIENCE: usize = 12;

/// Error of a host.
#[derive(Debug, Error)]
pub enum HostError {
    /// The line is broken.
    #[error("the line is broken: {0}")]
    Line(#[from] io::Error),
    /// No answer.
    #[error("no answer: is the bridge on the board, and does the baud rate agree?")]
    NoAnswer,
    /// The bridge has stopped answering.
    #[error("the bridge has stopped to answer: {answered} of {requests} requests were done")]
    Stopped {
        /// Requests answered before.
        answered: usize,
        /// Requests to be answered.
        requests: usize,
    },
    /// Another version of the protocol.
    #[error("the bridge speaks version {0} of the protocol, this program version {ours}: use those of one version", ours = protocol::VERSION)]
    Version(u8),
    /// Invalid reply.
    #[error("what the bridge says cannot be: {0}")]
    Strange(String),
}

/// A reply, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Number of the request, or the number that is due.
    pub number: u8,
    /// Kind.
    pub kind: protocol::Reply,
    /// Status of the request.
    pub status: u8,
    /// Predicate.
    pub predicate: bool,
    /// The wait was suspended.
    pub resumed: bool,
    /// The request was posted.
    pub posted: bool,
    /// Tag that the unit gave back.
    pub tag: u8,
    /// Data.
    pub data: u64,
}

impl Reply {
    /// The reply with this content; nothing if it is of no known kind.
    fn of(content: &[u8]) -> Option<Self> {
        let field = |name| reply::field(name).of(content);
        Some(Self {
            number: field("number") as u8,
            kind: protocol::Reply::from_code(field("kind"))?,
            status: field("status") as u8,
            predicate: field("predicate") != 0,
            resumed: field("resumed") != 0,
            posted: field("posted") != 0,
            tag: field("tag") as u8,
            data: field("data"),
        })
    }
}

/// Identity of a bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Version of the protocol.
    pub version: u8,
    /// Request ports.
    pub ports: usize,
    /// Banks.
    pub banks: usize,
    /// 64-bit words.
    pub words: usize,
    /// Waits that may be suspended.
    pub waiters: usize,
    /// Period of the clock in nanoseconds.
    pub clock_ns: usize,
    /// Events are counted.
    pub counters: bool,
    /// Checked mode.
    pub checked: bool,
}

impl Identity {
    fn of(data: u64) -> Result<Self, HostError> {
        let content = data.to_le_bytes();
        let field = |name| identity::field(name).of(&content);
        if field("mark") != MARK {
            return Err(HostError::Strange(format!("its identity is {data:016x}")));
        }
        let version = field("version") as u8;
        if version != protocol::VERSION {
            return Err(HostError::Version(version));
        }
        Ok(Self {
            version,
            ports: field("ports") as usize,
            banks: 1 << field("log2 banks"),
            words: 1 << field("log2 words"),
            waiters: field("waiters") as usize,
            clock_ns: field("clock ns") as usize,
            counters: field("counters") != 0,
            checked: field("checked") != 0,
        })
    }
}

/// Makes frames of bytes.
#[derive(Default)]
struct Receiver {
    content: Vec<u8>,
    escaped: bool,
    /// Frames that were damaged.
    damaged: u64,
}

impl Receiver {
    /// The replies that bytes complete.
    fn receive(&mut self, bytes: &[u8]) -> Vec<Reply> {
        let mut replies = Vec::new();
        for byte in bytes {
            match *byte {
                FLAG => {
                    let content = std::mem::take(&mut self.content);
                    let escaped = std::mem::take(&mut self.escaped);
                    let sum = content.iter().fold(CHECKSUM_BEGIN, |sum, byte| checksum_step(sum, *byte));
                    let sound = sum == CHECKSUM_GOOD && content.len() == reply::BYTES + 2 && !escaped;
                    match sound.then(|| Reply::of(&content)).flatten() {
                        Some(reply) => replies.push(reply),
                        None => self.damaged += u64::from(!content.is_empty()),
                    }
                }
                ESCAPE => self.escaped = true,
                byte if self.content.len() <= reply::BYTES + 2 => {
                    self.content.push(if std::mem::take(&mut self.escaped) { byte ^ ESCAPED_BIT } else { byte });
                }
                _ => {}
            }
        }
        replies
    }
}

/// Errors on the serial line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineErrors {
    /// Replies that came damaged.
    pub damaged_here: u64,
    /// Frames that the bridge found damaged, or out of order.
    pub damaged_there: u64,
    /// Timeouts.
    pub timeouts: u64,
}

/// A host at a serial line.
pub struct Host<L> {
    line: L,
    receiver: Receiver,
    identity: Identity,
    /// Number of the next request.
    number: u8,
    errors: LineErrors,
    failed: Option<HostError>,
}

impl<L: Line> Host<L> {
    /// Finds the bridge at the other end.
    ///
    /// # Errors
    /// There is none, or one of another version.
    pub fn connect(mut line: L) -> Result<Self, HostError> {
        let mut receiver = Receiver::default();
        for number in 0..PATIENCE as u8 {
            let mut content = [0; question::BYTES];
            question::field("number").put(&mut content, number.into());
            question::field("kind").put(&mut content, Question::Identify.code().into());
            // whatever stood there before ends with the first flag
            line.send(&[vec![FLAG], framed(&content)].concat())?;
            loop {
                let mut bytes = Vec::new();
                line.receive(&mut bytes)?;
                if bytes.is_empty() {
                    break;
                }
                for reply in receiver.receive(&bytes) {
                    // the answer to an earlier question would be out of date
                    if reply.kind == protocol::Reply::Identity && reply.number == number + 1 {
                        let identity = Identity::of(reply.data)?;
                        let (number, errors) = (reply.number, LineErrors::default());
                        return Ok(Self { line, receiver, identity, number, errors, failed: None });
                    }
                }
            }
        }
        Err(HostError::NoAnswer)
    }

    /// Identity of the bridge.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// How well the line has done.
    pub fn errors(&self) -> LineErrors {
        LineErrors { damaged_here: self.receiver.damaged, ..self.errors }
    }

    /// The line.
    pub fn line_mut(&mut self) -> &mut L {
        &mut self.line
    }

    /// Why [`Target::serve`] has given up, if it has.
    pub fn failure(&mut self) -> Option<HostError> {
        self.failed.take()
    }

    /// Serves requests; each is done once.
    ///
    /// # Errors
    /// The bridge does not answer any more.
    pub fn ask(&mut self, requests: &[Request]) -> Result<Vec<Option<Response>>, HostError> {
        let mut session = Session::new(requests, self.number);
        let (mut timeouts, mut answered) = (0, 0);
        while !session.is_over() {
            let bytes = session.to_send();
            if !bytes.is_empty() {
                self.line.send(&bytes)?;
            }
            let mut heard = Vec::new();
            self.line.receive(&mut heard)?;
            if heard.is_empty() {
                self.errors.timeouts += 1;
                timeouts += 1;
                if timeouts > PATIENCE {
                    return Err(HostError::Stopped { answered, requests: requests.len() });
                }
                // what stands half sent ends here
                self.line.send(&[FLAG])?;
                session.again();
            }
            for reply in self.receiver.receive(&heard) {
                self.errors.damaged_there +=
                    u64::from(matches!(reply.kind, protocol::Reply::Damaged | protocol::Reply::Gap));
                if session.take(&reply)? {
                    answered += 1;
                    timeouts = 0;
                }
            }
        }
        self.number = self.number.wrapping_add(requests.len() as u8);
        Ok(session.finish())
    }
}

impl<L: Line> Target for Host<L> {
    fn words(&self) -> usize {
        self.identity.words
    }

    /// After a failure, there are no answers; see [`Host::failure`].
    fn serve(&mut self, requests: &[Request]) -> Vec<Option<Response>> {
        if self.failed.is_none() {
            match self.ask(requests) {
                Ok(answers) => return answers,
                Err(error) => self.failed = Some(error),
            }
        }
        vec![None; requests.len()]
    }
}
