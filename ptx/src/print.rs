//! `vprintf`, which is what CUDA's `printf` calls: a format and a block of arguments in memory become text (CUDA C++ Programming
//! Guide, "Formatted Output").
//!
//! The block holds the arguments one behind the other, each at a multiple of its size: whole numbers and characters of 4 bytes, those with
//! `l`, `ll`, `z`, `j` or `t`, pointers and floating-point numbers of 8.

/// Bytes of a text in memory at most: what has no end is cut.
const MOST_TEXT: usize = 1 << 16;
/// Characters that a width or a precision may ask for.
const MOST_WIDTH: usize = 1 << 12;

/// The text at an address, up to its zero.
///
/// # Errors
/// A byte cannot be read.
pub fn text<E>(address: u64, byte: &dyn Fn(u64) -> Result<u8, E>) -> Result<String, E> {
    let mut bytes = Vec::new();
    while bytes.len() < MOST_TEXT {
        match byte(address.wrapping_add(bytes.len() as u64))? {
            0 => break,
            other => bytes.push(other),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Arguments that are taken one by one from a block in memory.
struct Arguments<'a, E> {
    next: u64,
    taken: u32,
    byte: &'a dyn Fn(u64) -> Result<u8, E>,
}

impl<E> Arguments<'_, E> {
    fn take(&mut self, bytes: u32) -> Result<u64, E> {
        let begin = self.next.next_multiple_of(u64::from(bytes));
        self.next = begin + u64::from(bytes);
        self.taken += 1;
        (0..u64::from(bytes)).try_fold(0, |value, at| Ok(value | u64::from((self.byte)(begin + at)?) << (8 * at)))
    }
}

/// A conversion of a format, `%-8.3lld`.
#[derive(Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// The argument has 8 bytes if it is a whole number.
    long: bool,
    kind: char,
}

impl Conversion {
    /// Reads what stands behind a `%`, and gives the rest; nothing if there is no such conversion.
    fn read<'t, E>(text: &'t str, arguments: &mut Arguments<E>) -> Result<Option<(Self, &'t str)>, E> {
        let mut read = Self::default();
        for (at, character) in text.char_indices() {
            let flags = read.width == 0 && read.precision.is_none();
            let number = read.precision.as_mut().unwrap_or(&mut read.width);
            match character {
                '-' => read.left = true,
                '+' => read.plus = true,
                ' ' => read.space = true,
                '#' => read.alternative = true,
                '0' if flags => read.zero = true,
                '0'..='9' => *number = (*number * 10 + (character as usize - '0' as usize)).min(MOST_WIDTH),
                '.' => read.precision = Some(0),
                '*' => {
                    let given = arguments.take(4)? as i32;
                    *number = (given.unsigned_abs() as usize).min(MOST_WIDTH);
                    match read.precision {
                        Some(_) if given < 0 => read.precision = None,
                        None => read.left |= given < 0,
                        _ => {}
                    }
                }
                'l' | 'z' | 'j' | 't' => read.long = true,
                'h' | 'L' => {}
                kind if "diouxXcspeEfFgG%aA".contains(kind) => {
                    let rest = &text[at + kind.len_utf8()..];
                    return Ok(Some((Self { kind, ..read }, rest)));
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// What it makes of its argument.
    fn apply<E>(&self, arguments: &mut Arguments<E>) -> Result<String, E> {
        Ok(match self.kind {
            '%' => "%".to_string(),
            'd' | 'i' => {
                let value = if self.long { arguments.take(8)? as i64 } else { i64::from(arguments.take(4)? as i32) };
                self.whole(self.sign(value < 0), value.unsigned_abs().to_string())
            }
            'o' | 'u' | 'x' | 'X' => {
                let value = arguments.take(if self.long { 8 } else { 4 })?;
                let (prefix, digits) = match self.kind {
                    'o' => (if value == 0 { "" } else { "0" }, format!("{value:o}")),
                    'x' => (if value == 0 { "" } else { "0x" }, format!("{value:x}")),
                    'X' => (if value == 0 { "" } else { "0X" }, format!("{value:X}")),
                    _ => ("", value.to_string()),
                };
                self.whole(if self.alternative { prefix } else { "" }, digits)
            }
            'c' => self.padded("", char::from(arguments.take(4)? as u8).to_string(), false),
            'p' => self.padded("0x", format!("{:x}", arguments.take(8)?), false),
            's' => {
                let address = arguments.take(8)?;
                let text = if address == 0 { "(null)".to_string() } else { text(address, arguments.byte)? };
                self.padded("", text.chars().take(self.precision.unwrap_or(usize::MAX)).collect(), false)
            }
            _ => {
                let value = f64::from_bits(arguments.take(8)?);
                let sign = self.sign(value.is_sign_negative() && !value.is_nan());
                let digits = self.float(value.abs());
                let digits = if self.kind.is_uppercase() { digits.to_uppercase() } else { digits };
                self.padded(sign, digits, value.is_finite())
            }
        })
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// A whole number: its precision is the least number of its digits.
    fn whole(&self, sign: &str, digits: String) -> String {
        match self.precision {
            Some(0) if digits == "0" => self.padded(sign, String::new(), false),
            Some(least) => self.padded(sign, format!("{digits:0>least$}"), false),
            None => self.padded(sign, digits, true),
        }
    }

    /// Digits of a number that is not below zero.
    fn float(&self, value: f64) -> String {
        let precision = self.precision.unwrap_or(6);
        if !value.is_finite() {
            return if value.is_nan() { "nan".to_string() } else { "inf".to_string() };
        }
        let scientific = |precision: usize| {
            let text = format!("{value:.precision$e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            (digits.to_string(), exponent.parse::<i32>().unwrap_or(0))
        };
        let written = |digits: &str, exponent: i32| {
            format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
        };
        match self.kind.to_ascii_lowercase() {
            'e' => {
                let (digits, exponent) = scientific(precision);
                written(&digits, exponent)
            }
            'g' => {
                let most = precision.max(1);
                let (digits, exponent) = scientific(most - 1);
                let short = |digits: &str| match digits.contains('.') && !self.alternative {
                    true => digits.trim_end_matches('0').trim_end_matches('.').to_string(),
                    false => digits.to_string(),
                };
                if exponent < -4 || exponent >= most as i32 {
                    return written(&short(&digits), exponent);
                }
                short(&format!("{value:.*}", (most as i32 - 1 - exponent) as usize)) // from 0 to most + 3
            }
            // hexadecimal floating point: as a decimal that is read back to the same number
            'a' => format!("{value:e}"),
            _ => format!("{value:.precision$}"),
        }
    }

    /// Padded to the width: with zeros if it is a number and that is wanted.
    fn padded(&self, sign: &str, text: String, number: bool) -> String {
        let lacks = self.width.saturating_sub(sign.len() + text.chars().count());
        match (self.left, self.zero && number) {
            (true, _) => format!("{sign}{text}{}", " ".repeat(lacks)),
            (false, true) => format!("{sign}{}{text}", "0".repeat(lacks)),
            (false, false) => format!("{}{sign}{text}", " ".repeat(lacks)),
        }
    }
}

/// The text that a format makes of the arguments in the block at an address, and how many of them it took. A conversion that there is not
/// stays as it is written, as on a GPU.
///
/// # Errors
/// A byte cannot be read.
pub fn formatted<E>(format: &str, block: u64, byte: &dyn Fn(u64) -> Result<u8, E>) -> Result<(String, u32), E> {
    let mut arguments = Arguments { next: block, taken: 0, byte };
    let mut out = String::new();
    let mut rest = format;
    while let Some((before, behind)) = rest.split_once('%') {
        out += before;
        rest = match Conversion::read(behind, &mut arguments)? {
            Some((conversion, rest)) => {
                out += &conversion.apply(&mut arguments)?;
                rest
            }
            None => {
                out.push('%');
                behind
            }
        };
    }
    Ok((out + rest, arguments.taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is printed of arguments of 4 bytes (`Ok`) and of 8 (`Err`), with a text at address 0.
    fn printed(format: &str, arguments: &[Result<i32, u64>]) -> (String, u32) {
        let mut memory = b"word\0".to_vec();
        memory.resize(64, 0);
        for argument in arguments {
            match argument {
                Ok(short) => memory.extend(short.to_le_bytes()),
                Err(long) => {
                    memory.resize(memory.len().next_multiple_of(8), 0xee);
                    memory.extend(long.to_le_bytes());
                }
            }
        }
        let byte = |address: u64| memory.get(address as usize).copied().ok_or(address);
        formatted(format, 64, &byte).expect("it is all there")
    }

    #[test]
    fn as_c_prints() {
        let float = |value: f64| Err(value.to_bits());
        for (format, arguments, text) in [
            ("hello %d\n", vec![Ok(-3)], "hello -3\n"),
            ("%u %x %#X %o|", vec![Ok(-1), Ok(255), Ok(255), Ok(8)], "4294967295 ff 0XFF 10|"),
            ("%5d|%-5d|%05d|%+d", vec![Ok(42), Ok(42), Ok(42), Ok(42)], "   42|42   |00042|+42"),
            ("%d %lld %d", vec![Ok(1), Err(1 << 40), Ok(2)], "1 1099511627776 2"),
            ("%lu %ld", vec![Err(u64::MAX), Err(u64::MAX)], "18446744073709551615 -1"),
            ("%f %.2f %e", vec![float(1.5), float(2.0 / 3.0), float(12345.678)], "1.500000 0.67 1.234568e+04"),
            ("%g %8.3f|", vec![float(0.0001), float(-2.5)], "0.0001   -2.500|"),
            (
                "%g %g %g %G",
                vec![float(1e-5), float(100000.0), float(1e6), float(1.5e300)],
                "1e-05 100000 1e+06 1.5E+300",
            ),
            ("%08.2f|%+e|% d|%.3d", vec![float(-1.005), float(0.0), Ok(5), Ok(7)], "-0001.00|+0.000000e+00| 5|007"),
            ("%f %F %-6c|%#o", vec![float(f64::INFINITY), float(f64::NAN), Ok(65), Ok(8)], "inf NAN A     |010"),
            ("%*d|%-*d|", vec![Ok(-3), Ok(1), Ok(3), Ok(2)], "1  |2  |"),
            ("%*d|%.*f", vec![Ok(6), Ok(7), Ok(1), float(0.25)], "     7|0.2"),
            ("%c%c 100%%", vec![Ok(72), Ok(105)], "Hi 100%"),
            ("%p", vec![Err(0x7f00_0000_0010)], "0x7f0000000010"),
            ("50%, %q, 100%", vec![], "50%, %q, 100%"),
            ("%hhd", vec![Ok(7)], "7"),
        ] {
            assert_eq!(printed(format, &arguments), (text.to_string(), arguments.len() as u32), "{format}");
        }
        let memory = *b"\0word\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0";
        let byte = |at: u64| memory.get(at as usize).copied().ok_or(at);
        assert_eq!(formatted("%s|%.3s", 8, &byte), Ok(("word|wor".to_string(), 2)));
        assert_eq!(formatted("%s", 0, &|_| Ok::<u8, u64>(0)), Ok(("(null)".to_string(), 1)));
        assert_eq!(formatted("%d", 8, &|at| Err::<u8, u64>(at)), Err(8));
    }
}
