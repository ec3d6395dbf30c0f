//! Arguments of a kernel as they are written on the command line.
//!
//! | written | is |
//! | --- | --- |
//! | `u32:8`, `s64:-1`, `f32:1.5`, `b64:0xff` | a scalar |
//! | `bytes:00112233` | a structure, byte by byte in hex |
//! | `out:u64:256` | a buffer of 256 zeros called `out`; the parameter is its address |
//! | `in:u32:256:@FILE` | the same, filled from a file of numbers (decimal, 0x or floating-point) between blanks |
//! | `in:u32:4:1,2,3,4` | the same, filled with these |
//! | `map:tensormap:in,type=f16,...` | a tensor map of the buffer `in`; see [`MapArgument`] |
//!
//! What a list or file lacks is zero; if it has too many numbers, that is an error.

use crate::element::ElementType;
use crate::map_argument::MapArgument;
use std::collections::BTreeSet;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use thiserror::Error;
use txbar_testbench::input;

/// Bytes of all buffers at most.
pub const MOST_BYTES: u64 = 1 << 30;

/// Most characters of a number in a file.
const LONGEST: usize = 400;

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A value.
    Scalar {
        /// As it was written.
        text: String,
        /// Little-endian.
        bytes: Vec<u8>,
    },
    /// A buffer in global memory.
    Buffer {
        /// Name.
        name: String,
        /// Type of its elements.
        element: ElementType,
        /// Initial contents.
        bytes: Vec<u8>,
        /// How many of them are given: of a file the numbers in it, else all, since what is left out in a list is meant to be zero.
        given: usize,
        /// Whether numbers were given for it: it is an input.
        is_input: bool,
        /// Whether its address is a parameter; else it is there for a tensor map.
        is_parameter: bool,
    },
    /// A tensor map: its 128 bytes, or their address.
    Map {
        /// Name.
        name: String,
        /// Tensor map.
        map: MapArgument,
    },
}

impl std::fmt::Display for Argument {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Argument::Scalar { text, .. } => f.write_str(text),
            Argument::Map { name, map } => write!(f, "{name}:tensormap:{}", map.buffer),
            Argument::Buffer { name, element, bytes, .. } => {
                write!(f, "{name}:{element}:{}", bytes.len() / element.bytes())
            }
        }
    }
}

/// An argument that cannot be understood.
#[derive(Debug, Error)]
pub enum ArgumentError {
    /// As it is written.
    #[error("--param {text}: {problem}")]
    Text {
        /// Text given.
        text: String,
        /// Description of the error.
        problem: String,
    },
    /// A file that cannot be read.
    #[error("--param {text}: cannot read {}", path.display())]
    File {
        /// Text given.
        text: String,
        /// The file.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
}

/// Numbers of a buffer, one after the other.
struct Numbers {
    element: ElementType,
    bytes: Vec<u8>,
    /// Bytes of the buffer.
    size: usize,
}

impl Numbers {
    fn new(element: ElementType, size: usize) -> Self {
        Self { element, bytes: Vec::new(), size }
    }

    /// The next one.
    fn take(&mut self, text: &str) -> Result<(), String> {
        let Self { element, bytes, size } = self;
        let number = bytes.len() / element.bytes() + 1;
        if bytes.len() == *size {
            return Err(format!("there are more than {} numbers", number - 1));
        }
        if text.is_empty() {
            return Err(format!("number {number} is missing"));
        }
        if bytes.is_empty() {
            bytes.reserve_exact(*size); // growing would copy
        }
        bytes.extend(element.read(text).map_err(|problem| format!("number {number}: {problem}"))?);
        Ok(())
    }

    /// All numbers of a text.
    fn read(&mut self, input: impl Read) -> io::Result<Result<(), String>> {
        let mut word = Vec::new();
        for byte in BufReader::new(input).bytes() {
            let byte = byte?;
            if !byte.is_ascii_whitespace() && word.len() < LONGEST {
                word.push(byte);
            } else if !word.is_empty() {
                // of one that is too long the beginning is none either
                if let Err(problem) = self.take(&String::from_utf8_lossy(&word)) {
                    return Ok(Err(problem));
                }
                word.clear();
            }
        }
        Ok(if word.is_empty() { Ok(()) } else { self.take(&String::from_utf8_lossy(&word)) })
    }

    /// Pads with zeros.
    fn finish(mut self) -> Vec<u8> {
        if self.bytes.is_empty() {
            return vec![0; self.size];
        }
        self.bytes.resize(self.size, 0);
        self.bytes
    }
}

/// Sees that no two of them have one name, and that buffers have [`MOST_BYTES`] at most, all together.
///
/// # Errors
/// They have not.
pub fn check(arguments: &[Argument]) -> Result<(), ArgumentError> {
    let (mut names, mut all) = (BTreeSet::new(), 0);
    for argument in arguments {
        let (name, bytes) = match argument {
            Argument::Scalar { .. } => continue,
            Argument::Buffer { name, bytes, .. } => (name, bytes.len() as u64),
            Argument::Map { name, .. } => (name, 0),
        };
        all += bytes;
        let problem = if !names.insert(name) {
            format!("there is another parameter or buffer `{name}`; give it another name")
        } else if all > MOST_BYTES {
            format!("buffers have {MOST_BYTES} bytes at most, all together")
        } else {
            continue;
        };
        return Err(ArgumentError::Text { text: argument.to_string(), problem });
    }
    Ok(())
}

impl Argument {
    /// Understands what is written.
    ///
    /// # Errors
    /// What is wrong with it, or with the file that it names.
    pub fn read(text: &str) -> Result<Self, ArgumentError> {
        let wrong = |problem: String| ArgumentError::Text { text: text.to_string(), problem };
        let forms = "it is written TYPE:VALUE, NAME:TYPE:COUNT, NAME:TYPE:COUNT:@FILE, NAME:TYPE:COUNT:1,2,3, \
             NAME:tensormap:BUFFER,KEY=VALUE,... or bytes:HEX";
        let parts: Vec<&str> = text.splitn(4, ':').collect();
        match parts[..] {
            ["bytes", hex] => {
                let digit = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
                let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(digit).collect();
                let bytes = bytes.ok_or_else(|| wrong("`bytes` takes pairs of hex digits".to_string()))?;
                Ok(Argument::Scalar { text: text.to_string(), bytes })
            }
            [ty, value] => {
                let element: ElementType = ty.parse().map_err(wrong)?;
                let bytes = element.read(value.trim()).map_err(wrong)?;
                Ok(Argument::Scalar { text: text.to_string(), bytes })
            }
            [name, "tensormap", map] if !name.is_empty() => {
                Ok(Argument::Map { name: name.to_string(), map: MapArgument::read(map).map_err(wrong)? })
            }
            [name, ty, count, ref rest @ ..] if !name.is_empty() => {
                let element: ElementType = ty.parse().map_err(wrong)?;
                let count: u64 = count.parse().map_err(|_| wrong(format!("`{count}` is no number of elements")))?;
                let size = count.checked_mul(element.bytes() as u64).filter(|size| *size <= MOST_BYTES);
                let size = size.ok_or_else(|| wrong(format!("a buffer has {MOST_BYTES} bytes at most")))?;
                let mut numbers = Numbers::new(element, size as usize);
                match rest.first().map(|list| (list, list.strip_prefix('@'))) {
                    None => {}
                    Some((_, Some(""))) => return Err(wrong("`@` is followed by the name of a file".to_string())),
                    Some((_, Some(path))) => {
                        let path = PathBuf::from(path);
                        let read = input::open(&path, 64 * count + (1 << 20)).and_then(|file| numbers.read(file));
                        let failed = |source| ArgumentError::File { text: text.to_string(), path, source };
                        read.map_err(failed)?.map_err(wrong)?;
                    }
                    Some((list, None)) => {
                        list.split(',').try_for_each(|number| numbers.take(number.trim())).map_err(wrong)?
                    }
                }
                let of_file = rest.first().is_some_and(|list| list.starts_with('@'));
                let given = if of_file { numbers.bytes.len() } else { numbers.size };
                let bytes = numbers.finish();
                let is_input = !rest.is_empty();
                Ok(Argument::Buffer { name: name.to_string(), element, bytes, given, is_input, is_parameter: true })
            }
            _ => Err(wrong(forms.to_string())),
        }
    }
}

impl Argument {
    /// Understands a buffer that is no parameter, but the tensor of a map.
    ///
    /// # Errors
    /// What is wrong with it, or with the file that it names.
    pub fn read_buffer(text: &str) -> Result<Self, ArgumentError> {
        match Argument::read(text)? {
            Argument::Buffer { name, element, bytes, given, is_input, .. } => {
                Ok(Argument::Buffer { name, element, bytes, given, is_input, is_parameter: false })
            }
            _ => {
                let problem = "--buffer is written NAME:TYPE:COUNT or NAME:TYPE:COUNT:@FILE".to_owned();
                Err(ArgumentError::Text { text: text.to_owned(), problem })
            }
        }
    }

    /// Whether it is a parameter of the kernel.
    pub fn is_parameter(&self) -> bool {
        !matches!(self, Argument::Buffer { is_parameter: false, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(text: &str) -> Vec<u8> {
        match Argument::read(text) {
            Ok(Argument::Scalar { bytes, .. }) => bytes,
            other => panic!("{other:?}"),
        }
    }

    fn refused(text: &str) -> String {
        Argument::read(text).expect_err("is wrong").to_string()
    }

    #[test]
    fn scalars() {
        assert_eq!(scalar("u32:8"), [8, 0, 0, 0]);
        assert_eq!(scalar("s16:-2"), [0xfe, 0xff]);
        assert_eq!(scalar("b64:0xffffffffffffffff"), [0xff; 8]);
        assert_eq!(scalar("f32:1.5"), 1.5f32.to_le_bytes());
        assert_eq!(scalar("bytes:0a0b"), [10, 11]);
        assert_eq!(scalar("bytes:"), [0; 0], "a structure may have no bytes");
    }

    #[test]
    fn buffers() {
        let buffer = Argument::read("in:u16:3:1,0x20").expect("is right");
        let Argument::Buffer { name, bytes, .. } = &buffer else { panic!("{buffer:?}") };
        assert_eq!((name.as_str(), &bytes[..]), ("in", &[1, 0, 0x20, 0, 0, 0][..]));
        assert_eq!(buffer.to_string(), "in:u16:3");
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "1\n 2.5\t-3e2").expect("written");
        let text = format!("x:f64:3:@{}", file.path().display());
        let Ok(Argument::Buffer { bytes, .. }) = Argument::read(&text) else { panic!("it is right") };
        assert_eq!(bytes[16..], (-300f64).to_le_bytes());
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let of = |content: &[u8]| {
            std::fs::write(file.path(), content).expect("written");
            refused(&format!("x:u8:2:@{}", file.path().display()))
        };
        assert!(of(b"1 2 3").ends_with("there are more than 2 numbers"));
        assert!(of(&[0; 1 << 16]).contains("number 1: "));
        assert!(of(&vec![b' '; 2 << 20]).contains("cannot read "));
    }

    #[test]
    fn names_are_distinct() {
        let arguments = |texts: &[&str]| -> Vec<Argument> {
            texts.iter().map(|text| Argument::read(text).expect("is right")).collect()
        };
        check(&arguments(&["u32:1", "u32:1", "a:u8:4", "b:u8:4"])).expect("they are");
        let twice = check(&arguments(&["a:u8:4", "b:u8:4", "a:u32:1"])).expect_err("they are not").to_string();
        assert_eq!(twice, "--param a:u32:1: there is another parameter or buffer `a`; give it another name");
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(refused("u32:-1"), "--param u32:-1: -1 does not fit into u32");
        assert_eq!(refused("u8:256"), "--param u8:256: 256 does not fit into u8");
        assert!(refused("u32:x").ends_with("`x` is no u32"));
        assert!(refused("u33:1").contains("`u33` is no type"));
        assert!(refused("8").contains("TYPE:VALUE"));
        assert!(refused("out:u32:many").contains("`many` is no number of elements"));
        assert!(refused("out:u64:99999999999").contains("bytes at most"));
        assert!(refused("in:u32:2:1,2,3").contains("more than 2 numbers"));
        assert!(refused("in:u32:2:1,z").contains("number 2: `z` is no u32"));
        assert!(refused("in:u32:2:@/no/such/file").contains("cannot read /no/such/file"));
        assert!(refused("in:u32:2:@").contains("name of a file"));
        assert!(refused("f32:0x10").ends_with("its bits are 0x and 8 digits"));
        assert_eq!(refused("in:s32:512:1,,3"), "--param in:s32:512:1,,3: number 2 is missing");
        assert_eq!(refused("in:s32:4:1,2,"), "--param in:s32:4:1,2,: number 3 is missing");
        assert_eq!(refused("in:s32:4:"), "--param in:s32:4:: number 1 is missing");
        assert_eq!(refused("x:f32:1:@/dev/zero"), "--param x:f32:1:@/dev/zero: cannot read /dev/zero");
        assert!(refused("bytes:0").contains("pairs of hex digits"));
        assert!(refused("é:u32").contains("is no type"));
    }
}
