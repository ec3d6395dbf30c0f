//! A unit at the other end of a serial line: the host's side of the bridge, and a simulated board to talk to.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`host`] | asks a bridge and gets its answers, whatever the line loses or damages |
//! | [`session`] | the window of requests that are under way |
//! | [`simulated`] | a bridge, simulated cycle by cycle, at a line that may lose and damage bytes |
//!
//! What goes over the line is defined in [`txbar_rtl::board::protocol`].

pub mod host;
pub mod session;
pub mod simulated;

use std::io;

/// A serial line.
pub trait Line {
    /// Sends bytes.
    ///
    /// # Errors
    /// The line cannot be written to.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Adds what has come to `into`, after a while of silence nothing.
    ///
    /// # Errors
    /// The line cannot be read from.
    fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<()>;
}
