//! Records results of a GPU for `tests/arithmetic`.
//!
//! ```text
//!   record_arithmetic generate DIR [WORD...] ─► DIR/kernels.ptx, DIR/tables.bin     (of forms that hold one of these words: cvt, e4m3x2)
//!   host DIR OUT (on the GPU)      ─► OUT/results.bin, OUT/refused.txt
//!   record_arithmetic compare DIR OUT [FILE.csv [ROWS]]   against the model; a part of all rows into a recording
//! ```

#[path = "../../tests/arithmetic/form.rs"]
mod form;
mod forms;
mod kernel;
mod operands;

use form::instruction;
use operands::{ROWS, Row};
use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use txbar_ptx::arithmetic::Arithmetic;
use txbar_ptx::ast::Type;

/// What a recording begins with.
const HEADER: &str = "\
# What an NVIDIA H200 (sm_90, CUDA 13.0, driver 580.159.04) computes; numbers are the bits of registers in hex.
# A row without an instruction is of the one above. carry_in and carry_out: CC.CF, read by addc behind it.
# second: q of setp p|q. An 8-bit result is the low byte of its register.
instruction,a,b,c,d,carry_in,result,second,carry_out
";

/// A form and its table of rows; of `lop3`, one for each truth table.
struct Case {
    form: String,
    rows: Vec<Row>,
}

fn read(form: &str) -> Option<Arithmetic> {
    Arithmetic::read(&instruction(form))?.ok()
}

/// Kernels and tables of all forms, or of those that hold one of these words.
fn generate(to: &Path, words: &[&str]) -> Result<(), Box<dyn Error>> {
    let (mut kernels, mut tables, mut forms) = (Vec::new(), Vec::new(), String::new());
    for form in forms::forms() {
        let Some(arithmetic) = read(&form) else { continue };
        if !words.is_empty() && !form.split('.').any(|part| words.contains(&part)) {
            continue;
        }
        let constants = if form.starts_with("lop3") { &kernel::TABLES[..] } else { &[0] };
        for constant in constants {
            let mut rows = operands::table(&form, &arithmetic);
            if form.starts_with("lop3") {
                rows.iter_mut().for_each(|row| row[3] = *constant);
            }
            kernels.extend(kernel::kernel(&form, &arithmetic, *constant).bytes());
            kernels.push(0);
            tables.extend(rows.iter().flatten().flat_map(|value| value.to_le_bytes()));
            writeln!(forms, "{form}")?;
        }
    }
    fs::create_dir_all(to)?;
    fs::write(to.join("kernels.ptx"), kernels)?;
    fs::write(to.join("tables.bin"), tables)?;
    println!("{} kernels", forms.lines().count());
    fs::write(to.join("forms.txt"), forms)?;
    Ok(())
}

/// What was generated.
fn cases(from: &Path) -> Result<Vec<Case>, Box<dyn Error>> {
    let forms = fs::read_to_string(from.join("forms.txt"))?;
    let numbers: Vec<u64> = fs::read(from.join("tables.bin"))?
        .chunks_exact(8)
        .map(|bytes| u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|i| bytes[i])))
        .collect();
    let rows: Vec<Row> = numbers.chunks_exact(5).map(|row| [0, 1, 2, 3, 4].map(|i| row[i])).collect();
    Ok(forms
        .lines()
        .zip(rows.chunks_exact(ROWS))
        .map(|(form, rows)| Case { form: form.to_owned(), rows: rows.to_vec() })
        .collect())
}

/// The low bits that a type has.
fn masked(ty: Type, value: u64) -> u64 {
    match ty {
        Type::U8 | Type::S8 => value & 0xff,
        _ => value,
    }
}

/// The part of an operand that was in its register.
fn held(ty: Type, value: u64) -> u64 {
    match ty {
        Type::Pred => value & 1,
        Type::B64 | Type::U64 | Type::S64 | Type::F64 => value,
        Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 => value & 0xffff,
        _ => value & 0xffff_ffff,
    }
}

fn compare(generated: &Path, from: &Path, csv: Option<(&str, usize)>) -> Result<(), Box<dyn Error>> {
    let results = fs::read(from.join("results.bin"))?;
    let refused = fs::read_to_string(from.join("refused.txt")).unwrap_or_default();
    let refused: BTreeMap<usize, String> = refused
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(index, log)| Some((index.parse().ok()?, log.to_owned())))
        .collect();
    let most = csv.map_or(0, |(_, rows)| rows);
    let mut recording = String::from(HEADER);
    for (index, Case { form, rows }) in cases(generated)?.iter().enumerate() {
        if let Some(log) = refused.get(&index) {
            if read(form).is_some() {
                println!("{form}: refused: {log}");
            }
            continue;
        }
        let Some(arithmetic) = read(form) else {
            println!("{form}: taken by the assembler, not by the reader");
            continue;
        };
        let destinations = arithmetic.destinations();
        let extended =
            form.contains(".cc.") || form.starts_with("addc") || form.starts_with("subc") || form.starts_with("madc");
        let mut wrong = Vec::new();
        let (mut taken, mut results_taken) = (0, HashSet::new());
        for step in 0..ROWS {
            let number = step * 389 % ROWS; // edges and random numbers by turns
            let row = &rows[number];
            let place = (index * ROWS + number) * 24;
            let value = |word: usize| -> Result<u64, Box<dyn Error>> {
                let bytes = results.get(place + 8 * word..place + 8 * word + 8).ok_or("the results end too early")?;
                Ok(u64::from_le_bytes(bytes.try_into()?))
            };
            let real = [masked(destinations[0], value(0)?), value(1)?];
            let real_carry = value(2)? != 0;
            let extended_value = match destinations[0] {
                Type::S8 => u64::from(real[0] as i8 as u32),
                _ => real[0],
            };
            if extended_value != value(0)? {
                wrong.push(format!("    {row:x?}: {:x} in a wider register", value(0)?));
            }
            let mut carry = row[4] != 0;
            let ours = arithmetic.evaluate([row[0], row[1], row[2], row[3]], &mut carry);
            let agrees = form::agrees(form, row[0], ours[0], real[0]) && ours[1] == real[1];
            if !agrees || extended && carry != real_carry {
                wrong.push(format!("    {row:x?}: {ours:x?} {carry}, not {real:x?} {real_carry}"));
            }
            // Rows with the same result add little.
            if taken < most && (results_taken.insert((real, real_carry)) || taken < most / 2) {
                let name = if taken == 0 { form.as_str() } else { "" };
                taken += 1;
                write!(recording, "{name}")?;
                for (place, source) in row[..4].iter().enumerate() {
                    match arithmetic.sources().get(place) {
                        Some(ty) => write!(recording, ",{:x}", held(*ty, *source))?,
                        None => recording.push(','),
                    }
                }
                let carries =
                    if extended { [row[4].to_string(), u8::from(real_carry).to_string()] } else { Default::default() };
                write!(recording, ",{},{:x},", carries[0], real[0])?;
                if destinations.len() == 2 {
                    write!(recording, "{:x}", real[1])?;
                }
                writeln!(recording, ",{}", carries[1])?;
            }
        }
        if !wrong.is_empty() {
            println!("{form}: {} of {ROWS} differ\n{}", wrong.len(), wrong[..wrong.len().min(6)].join("\n"));
        }
    }
    if let Some((file, _)) = csv {
        println!("{} bytes", recording.len());
        fs::write(file, recording)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["forms"] => forms::forms().iter().for_each(|form| println!("{form}")),
        ["generate", to, ref words @ ..] => generate(Path::new(to), words)?,
        ["compare", generated, from] => compare(Path::new(generated), Path::new(from), None)?,
        ["compare", generated, from, csv, rows] => {
            compare(Path::new(generated), Path::new(from), Some((csv, rows.parse()?)))?;
        }
        _ => return Err("forms, generate DIR [WORD...], or compare DIR OUT [FILE.csv ROWS]".into()),
    }
    Ok(())
}
