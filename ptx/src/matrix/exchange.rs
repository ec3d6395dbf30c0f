//! `ldmatrix`, `stmatrix`, `movmatrix`: exchange of 16-bit elements between lanes (PTX ISA 9.7.14.5.15 to 9.7.14.5.17).
//!
//! ```text
//!   rows: lane 8 i + r holds row r of matrix i, 16 bytes       fragment: register i of lane 4 r + c holds elements
//!                                                              (r, 2 c) and (r, 2 c + 1) of matrix i
//! ```
//! With `.trans` the fragment is of the transposed matrix.

use super::{LANES, Registers};

/// Kind of exchange between lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// From rows to fragments: two operands of 64 bits a lane, this many results of 32.
    FromRows {
        /// 1, 2 or 4.
        matrices: usize,
        /// `.trans`.
        transposed: bool,
    },
    /// From fragments to rows.
    ToRows {
        /// 1, 2 or 4.
        matrices: usize,
        /// `.trans`.
        transposed: bool,
    },
    /// From a fragment to that of the transposed matrix.
    Transpose,
}

/// A matrix of 8 by 8 elements.
type Tile = [[u16; 8]; 8];

fn transposed(tile: &Tile) -> Tile {
    std::array::from_fn(|row| std::array::from_fn(|column| tile[column][row]))
}

impl Exchange {
    /// The results of each lane.
    pub(crate) fn resolve(self, operands: &Registers) -> Registers {
        let operand = |lane: usize, number: usize| operands[lane].get(number).copied().unwrap_or(0);
        let from_rows = |matrix: usize| -> Tile {
            std::array::from_fn(|row| {
                std::array::from_fn(|column| (operand(8 * matrix + row, column / 4) >> (16 * (column % 4))) as u16)
            })
        };
        let from_fragment = |register: usize| -> Tile {
            std::array::from_fn(|row| {
                std::array::from_fn(|column| (operand(4 * row + column / 2, register) >> (16 * (column % 2))) as u16)
            })
        };
        let fragment = |tile: &Tile, lane: usize| {
            let [low, high] = [0, 1].map(|half| u64::from(tile[lane / 4][lane % 4 * 2 + half]));
            low | high << 16
        };
        let row = |tile: &Tile, row: usize| {
            [0, 4].map(|first| (0..4).fold(0, |word, place| word | u64::from(tile[row][first + place]) << (16 * place)))
        };
        let turned = |tile: Tile, turn: bool| if turn { transposed(&tile) } else { tile };
        match self {
            Exchange::FromRows { matrices, transposed } => {
                let tiles: Vec<Tile> = (0..matrices).map(|matrix| turned(from_rows(matrix), transposed)).collect();
                (0..LANES).map(|lane| tiles.iter().map(|tile| fragment(tile, lane)).collect()).collect()
            }
            Exchange::ToRows { matrices, transposed } => {
                let tiles: Vec<Tile> = (0..matrices).map(|matrix| turned(from_fragment(matrix), transposed)).collect();
                let rows = |lane: usize| tiles.get(lane / 8).map_or([0; 2], |tile| row(tile, lane % 8));
                (0..LANES).map(|lane| rows(lane).to_vec()).collect()
            }
            Exchange::Transpose => {
                let tile = transposed(&from_fragment(0));
                (0..LANES).map(|lane| vec![fragment(&tile, lane)]).collect()
            }
        }
    }
}
