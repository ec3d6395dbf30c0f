//! Matrix instructions: `ldmatrix`, `stmatrix`, `movmatrix`, `mma`, `wgmma` (PTX ISA 9.7.14 and 9.7.15).
//!
//! `ldmatrix` is two steps: each lane that has a row loads it, then the elements go to the lanes that want them. `stmatrix` is the
//! same the other way round. Multiplications of sparse matrices, of elements of 4 bits and below, and those that came after
//! sm_90 are not supported.

use crate::ast::{Instruction, Operand, Spanned, Type};
use crate::matrix::descriptor::Major;
use crate::matrix::element::{Element, Total};
use crate::matrix::{Exchange, Matrix, Multiply, Place};
use crate::program::code::{Access, Action, Target, Value, What};
use crate::program::lower::memory::world;
use crate::program::lower::operand::Fit;
use crate::program::lower::qualifiers::Qualifiers;
use crate::program::lower::{Body, Lowered, Refusal};
use txbar_rtl::ordering::{Order, Scope, Semantics};

/// Formats of factors.
const ELEMENTS: [(&str, Element); 8] = [
    ("f16", Element::F16),
    ("bf16", Element::Bf16),
    ("tf32", Element::Tf32),
    ("e4m3", Element::E4m3),
    ("e5m2", Element::E5m2),
    ("s8", Element::S8),
    ("u8", Element::U8),
    ("f64", Element::F64),
];
/// Formats of sums.
const TOTALS: [(&str, Total); 4] = [("f16", Total::F16), ("f32", Total::F32), ("s32", Total::S32), ("f64", Total::F64)];
/// Registers of a row of 16 bytes.
const ROW: usize = 2;
/// Rows of a matrix that `ldmatrix` and `stmatrix` move.
const ROWS: usize = 8;

/// The three numbers of `m16n8k16`.
fn shape(name: &str) -> Option<[usize; 3]> {
    let (m, rest) = name.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
}

/// Whether `mma` has this shape for these formats.
fn has_shape(shape: [usize; 3], element: Element, total: Total) -> bool {
    let depths: &[usize] = match (element, total, shape[0]) {
        (Element::F16, Total::F16 | Total::F32, 16) | (Element::Bf16, Total::F32, 16) => &[8, 16],
        (Element::Tf32, Total::F32, 16) => &[4, 8],
        (Element::E4m3 | Element::E5m2, Total::F16 | Total::F32, 16) => &[16, 32],
        (Element::S8 | Element::U8, Total::S32, 16) => &[16, 32],
        (Element::S8 | Element::U8, Total::S32, 8) => &[16],
        (Element::F64, Total::F64, 16) => &[4, 8, 16],
        (Element::F64, Total::F64, 8) => &[4],
        _ => &[],
    };
    shape[1] == 8 && depths.contains(&shape[2])
}

/// Whether `wgmma` has this shape for these formats.
fn has_grouped_shape([m, n, k]: [usize; 3], element: Element, total: Total) -> bool {
    let whole = matches!(element, Element::S8 | Element::U8);
    let fits = match element {
        Element::F16 | Element::E4m3 | Element::E5m2 => matches!(total, Total::F16 | Total::F32),
        Element::Bf16 | Element::Tf32 => total == Total::F32,
        Element::S8 | Element::U8 => total == Total::S32,
        Element::F64 => false,
    };
    // whole numbers lack the odd multiples of 8 from 40 on
    let columns = (8..=256).contains(&n) && n % 8 == 0 && !(whole && n > 32 && n % 16 != 0);
    fits && columns && m == 64 && k * element.bits() == 256
}

/// Whether one instruction may have factors of both formats.
fn go_together(a: Element, b: Element) -> bool {
    let kind = |element| match element {
        Element::E4m3 | Element::E5m2 => Element::E4m3,
        Element::S8 | Element::U8 => Element::S8,
        other => other,
    };
    kind(a) == kind(b)
}

/// Type of the registers that hold elements.
fn holder(element: Element) -> Type {
    if element == Element::F64 { Type::F64 } else { Type::B32 }
}

/// Type of the registers that hold sums.
fn holder_of_total(total: Total) -> Type {
    match total {
        Total::F64 => Type::F64,
        Total::F32 => Type::F32,
        Total::F16 | Total::S32 => Type::B32,
    }
}

impl Body<'_, '_> {
    /// How many matrices, whether transposed, and the access to a row of one.
    fn rows(
        &mut self,
        instruction: &Instruction,
        address: usize,
        registers: usize,
    ) -> Lowered<(usize, bool, Access, Spanned<Operand>)> {
        let mut qualifiers = Qualifiers::new(instruction);
        qualifiers.need(&[("sync", ())])?;
        qualifiers.need(&[("aligned", ())])?;
        qualifiers.need(&[("m8n8", ())])?;
        let matrices = qualifiers.need(&[("x1", 1), ("x2", 2), ("x4", 4)])?;
        let transposed = qualifiers.take("trans");
        let space = qualifiers.space();
        qualifiers.need(&[("b16", ())])?;
        qualifiers.done()?;
        self.count(instruction, 2..=2)?;
        let (Some(address), Some(registers)) = (instruction.operands.get(address), instruction.operands.get(registers))
        else {
            return Err(Refusal::unsupported(instruction));
        };
        let address = self.address(address, space)?;
        let order = Order { semantics: Semantics::Relaxed, scope: Scope::Cta };
        let at = Access { address, width: 8, count: ROW as u8, order };
        Ok((matrices, transposed, at, registers.clone()))
    }

    /// Hidden registers for a row.
    fn row(&mut self) -> [u32; ROW] {
        [(); ROW].map(|()| self.hidden_slot())
    }

    /// `ldmatrix`.
    pub(super) fn load_matrix(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let (matrices, transposed, at, registers) = self.rows(instruction, 1, 0)?;
        let to = self.targets(&registers, matrices, Type::B32, Fit::Exact)?;
        let row = self.row();
        let lanes = (matrices * ROWS) as u32; // at most 32
        let load = What::First { lanes, what: Box::new(What::Load { at }) };
        self.ahead = Some(world(load, row.map(|slot| Target { slot, from: 64, to: 64 }).into()));
        let matrix = Matrix::Exchange(Exchange::FromRows { matrices, transposed });
        Ok(world(What::Matrix { matrix, from: row.map(Value::Register).into() }, to))
    }

    /// `stmatrix`.
    pub(super) fn store_matrix(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let (matrices, transposed, at, registers) = self.rows(instruction, 0, 1)?;
        let from = self.values(&registers, matrices, Type::B32, Fit::Exact)?;
        let row = self.row();
        let matrix = Matrix::Exchange(Exchange::ToRows { matrices, transposed });
        let to = row.map(|slot| Target { slot, from: 64, to: 64 });
        self.ahead = Some(world(What::Matrix { matrix, from }, to.into()));
        let lanes = (matrices * ROWS) as u32; // at most 32
        let store = What::Store { at, values: row.map(Value::Register).into() };
        Ok(world(What::First { lanes, what: Box::new(store) }, Box::new([])))
    }

    /// `movmatrix`.
    pub(super) fn move_matrix(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        for name in ["sync", "aligned", "m8n8", "trans", "b16"] {
            qualifiers.need(&[(name, ())])?;
        }
        qualifiers.done()?;
        self.count(instruction, 2..=2)?;
        let [to, from] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        let to = self.target(to, Type::B32, Fit::Exact)?;
        let from = self.value(from, Type::B32, Fit::Exact)?;
        let matrix = Matrix::Exchange(Exchange::Transpose);
        Ok(world(What::Matrix { matrix, from: Box::new([from]) }, Box::new([to])))
    }

    /// Formats of D, A and B.
    fn formats(qualifiers: &mut Qualifiers) -> Lowered<(Total, [Element; 2])> {
        Ok((qualifiers.need(&TOTALS)?, [qualifiers.need(&ELEMENTS)?, qualifiers.need(&ELEMENTS)?]))
    }

    /// `mma`.
    pub(super) fn multiply(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        for name in ["sync", "aligned"] {
            qualifiers.need(&[(name, ())])?;
        }
        let Some(shape) = qualifiers.find(shape) else { return Err(Refusal::unsupported(instruction)) };
        for name in ["row", "col"] {
            qualifiers.need(&[(name, ())])?;
        }
        let saturates = qualifiers.take("satfinite");
        let (total, factors) = Self::formats(&mut qualifiers)?;
        if total == Total::F64 {
            qualifiers.take("rn");
        }
        let added = qualifiers.need(&TOTALS)?;
        qualifiers.done()?;
        let whole = total == Total::S32;
        if added != total
            || !go_together(factors[0], factors[1])
            || !has_shape(shape, factors[0], total)
            || saturates && !whole
        {
            return Err(Refusal::unsupported(instruction));
        }
        let [rows, columns, depth] = shape;
        let multiply = Multiply {
            factors,
            total,
            rows,
            columns,
            depth,
            saturates,
            grouped: false,
            a: Place::Registers,
            b: Place::Registers,
            negated: [false; 2],
        };
        self.count(instruction, 4..=4)?;
        let [d, a, b, c] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        let [of_a, of_b, _, of_c] = multiply.operands();
        let to = self.targets(d, of_c, holder_of_total(total), Fit::Exact)?;
        let mut from = self.values(a, of_a, holder(factors[0]), Fit::Exact)?.into_vec();
        from.extend(self.values(b, of_b, holder(factors[1]), Fit::Exact)?);
        from.extend(self.values(c, of_c, holder_of_total(total), Fit::Exact)?);
        Ok(world(What::Matrix { matrix: Matrix::Multiply(multiply), from: from.into() }, to))
    }

    /// `wgmma`. What it multiplies it multiplies at once, so that there is nothing to wait for.
    pub(super) fn multiply_grouped(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let waits = qualifiers.need(&[("mma_async", 0), ("fence", 1), ("commit_group", 1), ("wait_group", 2)])?;
        for name in ["sync", "aligned"] {
            qualifiers.need(&[(name, ())])?;
        }
        if waits > 0 {
            qualifiers.done()?;
            self.count(instruction, waits - 1..=waits - 1)?;
            return Ok(Action::Nothing);
        }
        let Some(shape) = qualifiers.find(shape) else { return Err(Refusal::unsupported(instruction)) };
        let (total, factors) = Self::formats(&mut qualifiers)?;
        let whole = total == Total::S32;
        let saturates = whole && qualifiers.take("satfinite");
        qualifiers.done()?;
        if !go_together(factors[0], factors[1]) || !has_grouped_shape(shape, factors[0], total) {
            return Err(Refusal::unsupported(instruction));
        }
        let turns = factors[0].bits() == 16;
        let in_registers = matches!(instruction.operands.get(1).map(|a| &a.value), Some(Operand::Vector(_)));
        let scales = if whole { 0 } else { 2 };
        let majors = if turns { 2 - usize::from(in_registers) } else { 0 };
        self.count(instruction, 4 + scales + majors..=4 + scales + majors)?;
        let [d, a, b, scale, rest @ ..] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        let mut negated = [false; 2];
        for (negated, operand) in negated.iter_mut().zip(rest.iter().take(scales)) {
            *negated = match self.value(operand, Type::S32, Fit::Exact)? {
                Value::Constant(1) => false,
                Value::Constant(0xffff_ffff) => true,
                _ => return Err(Refusal::unsupported(instruction)),
            };
        }
        let mut major = [Major::K; 2];
        for (major, operand) in major.iter_mut().rev().zip(rest.iter().skip(scales).rev()) {
            *major = match self.value(operand, Type::S32, Fit::Exact)? {
                Value::Constant(0) => Major::K,
                Value::Constant(1) => Major::Mn,
                _ => return Err(Refusal::unsupported(instruction)),
            };
        }
        let multiply = Multiply {
            factors,
            total,
            rows: 16,
            columns: shape[1],
            depth: shape[2],
            saturates,
            grouped: true,
            a: if in_registers { Place::Registers } else { Place::Shared(major[0]) },
            b: Place::Shared(major[1]),
            negated,
        };
        let [of_a, of_b, _, of_d] = multiply.operands();
        let to = self.targets(d, of_d, holder_of_total(total), Fit::Exact)?;
        let of_factor = if in_registers { holder(factors[0]) } else { Type::B64 };
        let mut from = self.values(a, of_a, of_factor, Fit::Exact)?.into_vec();
        from.extend(self.values(b, of_b, Type::B64, Fit::Exact)?);
        from.push(self.value(scale, Type::Pred, Fit::Exact)?);
        from.extend(self.values(d, of_d, holder_of_total(total), Fit::Exact)?);
        Ok(world(What::Matrix { matrix: Matrix::Multiply(multiply), from: from.into() }, to))
    }
}
