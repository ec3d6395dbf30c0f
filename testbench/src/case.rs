//! Runs as lists of requests: they can be written to a file, read again, repeated and shortened.
//!
//! | list | what is simulated | a request |
//! | --- | --- | --- |
//! | [`unit::Unit`] | a unit | a port, cycles to pause, the request |
//! | [`warps::Warps`] | a unit with ports for warps | a cycle, a port, the request or the instruction |
//! | [`cluster::Cluster`] | a cluster | a step of a thread, or a cycle and an instruction of a warp |

pub mod cluster;
pub mod file;
pub mod unit;
pub mod warps;
pub(crate) mod written;

use thiserror::Error;

/// A list that does not fit what it is to run on.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("request {number}: {what}")]
pub struct Misfit {
    /// Number of the request, from 1.
    pub number: usize,
    /// Description of the error.
    pub what: String,
}

/// Sees that every request of a list fits.
fn all<T>(requests: &[T], fits: impl Fn(&T) -> Result<(), String>) -> Result<(), Misfit> {
    let misfit = |(number, request)| fits(request).err().map(|what| Misfit { number, what });
    (1..).zip(requests).find_map(misfit).map_or(Ok(()), Err)
}

/// Sees that a number is below another.
fn below(name: &str, value: usize, most: usize) -> Result<(), String> {
    if value < most { Ok(()) } else { Err(format!("there is no {name} {value}: there are {most}, from 0")) }
}
