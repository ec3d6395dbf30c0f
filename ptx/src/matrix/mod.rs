//! Matrices distributed over the lanes of a warp, and the results of matrix instructions (PTX ISA 9.7.14 and 9.7.15).
//!
//! ```text
//!   ldmatrix    rows of 16 bytes, loaded by the lanes ──► exchange ──► fragments
//!   stmatrix    fragments ──► exchange ──► rows of 16 bytes, stored by the lanes
//!   mma         fragments of A, B, C ────► product, sum ──► fragment of D
//!   wgmma       fragment of A, or a descriptor; descriptor of B; fragment of D
//!               ──► each warp of the four its 16 rows ──► fragment of D
//! ```
//! Nothing here knows of threads or of the hardware: operands of 32 lanes come in, results of 32 lanes go out. The tensor core is no part
//! of txbar; what it does to numbers is in [`sum`].

pub(crate) mod descriptor;
pub(crate) mod element;
pub(crate) mod exchange;
pub(crate) mod fragment;
pub(crate) mod multiply;
pub(crate) mod sum;
#[cfg(test)]
mod tests;

pub(crate) use exchange::Exchange;
pub(crate) use multiply::{Multiply, Place};

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// Operands or results of an instruction: of each lane, in the order in which the instruction names them.
pub(crate) type Registers = Vec<Vec<u64>>;

/// What a matrix instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Matrix {
    /// Elements change lanes.
    Exchange(Exchange),
    /// `mma` and `wgmma.mma_async`.
    Multiply(Multiply),
}

impl Matrix {
    /// Whether the four warps of a warpgroup execute it together: `wgmma.mma_async`.
    pub fn is_grouped(&self) -> bool {
        matches!(self, Matrix::Multiply(multiply) if multiply.grouped)
    }
}
