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

use crate::map_argument::MapArgument;
use std::path::PathBuf;
use std::str::FromStr;
use thiserror::Error;

/// Bytes of all buffers at most.
pub const MOST_BYTES: u64 = 1 << 30;

/// Type of a scalar or of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementType {
    kind: Kind,
    bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Bits,
    Unsigned,
    Signed,
    Float,
}

impl ElementType {
    /// Its size.
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// A number of this type, little-endian.
    fn read(self, text: &str) -> Result<Vec<u8>, String> {
        let bytes = self.bytes;
        let misfit = || format!("`{text}` is no {self}");
        if self.kind == Kind::Float {
            let value: f64 = text.parse().map_err(|_| match text.starts_with("0x") {
                true => format!("`{text}` is no {self}; the bits of one are written b{}:{text}", 8 * bytes),
                false => misfit(),
            })?;
            return Ok(if bytes == 4 { (value as f32).to_le_bytes().to_vec() } else { value.to_le_bytes().to_vec() });
        }
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => u128::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        let value = i128::try_from(value.map_err(|_| misfit())?).map_err(|_| misfit())?;
        let value = if negative { -value } else { value };
        let bits = 8 * bytes as u32;
        let (least, most) = match self.kind {
            Kind::Unsigned => (0, (1i128 << bits) - 1),
            Kind::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            _ => (-(1i128 << (bits - 1)), (1i128 << bits) - 1),
        };
        if value < least || value > most {
            return Err(format!("{} does not fit into {self}", text));
        }
        Ok((value as u64).to_le_bytes()[..bytes].to_vec())
    }
}

impl FromStr for ElementType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kind = match text.get(..1) {
            Some("b") => Kind::Bits,
            Some("u") => Kind::Unsigned,
            Some("s") => Kind::Signed,
            Some("f") => Kind::Float,
            _ => return Err(format!("`{text}` is no type: u8, u16, u32, u64, s..., b..., f32 and f64 are")),
        };
        let bytes = match (text.get(1..), kind) {
            (Some("8"), Kind::Bits | Kind::Unsigned | Kind::Signed) => 1,
            (Some("16"), Kind::Bits | Kind::Unsigned | Kind::Signed) => 2,
            (Some("32"), _) => 4,
            (Some("64"), _) => 8,
            _ => return Err(format!("`{text}` is no type: u8, u16, u32, u64, s..., b..., f32 and f64 are")),
        };
        Ok(Self { kind, bytes })
    }
}

impl std::fmt::Display for ElementType {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let kind = match self.kind {
            Kind::Bits => 'b',
            Kind::Unsigned => 'u',
            Kind::Signed => 's',
            Kind::Float => 'f',
        };
        write!(f, "{kind}{}", self.bytes * 8)
    }
}

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
        /// Its name.
        name: String,
        /// Type of its elements.
        element: ElementType,
        /// What it holds at first.
        bytes: Vec<u8>,
        /// Whether numbers were given for it: it is an input.
        is_input: bool,
        /// Whether its address is a parameter; else it is there for a tensor map.
        is_parameter: bool,
    },
    /// A tensor map: its 128 bytes, or their address.
    Map {
        /// Its name.
        name: String,
        /// What it is of.
        map: MapArgument,
    },
}

impl std::fmt::Display for Argument {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Argument::Scalar { text, .. } => f.write_str(text),
            Argument::Map { name, map } => write!(f, "{name}:tensormap:{}", map.buffer),
            Argument::Buffer { name, element, bytes, .. } => {
                write!(f, "{name}:{element}:{}", bytes.len() / element.bytes)
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
        /// What is written.
        text: String,
        /// What is wrong.
        problem: String,
    },
    /// A file that cannot be read.
    #[error("--param {text}: cannot read {}", path.display())]
    File {
        /// What is written.
        text: String,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
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
                let size = count.checked_mul(element.bytes as u64).filter(|size| *size <= MOST_BYTES);
                let size = size.ok_or_else(|| wrong(format!("a buffer has {MOST_BYTES} bytes at most")))?;
                let content = match rest.first() {
                    None => String::new(),
                    Some(list) => match list.strip_prefix('@') {
                        Some("") => return Err(wrong("`@` is followed by the name of a file".to_string())),
                        Some(path) => {
                            let path = PathBuf::from(path);
                            std::fs::read_to_string(&path).map_err(|source| ArgumentError::File {
                                text: text.to_string(),
                                path,
                                source,
                            })?
                        }
                        None => list.replace(',', " "),
                    },
                };
                let mut bytes = Vec::new();
                for (number, value) in content.split_whitespace().enumerate() {
                    let value =
                        element.read(value).map_err(|problem| wrong(format!("number {}: {problem}", number + 1)))?;
                    if bytes.len() + value.len() > size as usize {
                        return Err(wrong(format!("there are more than {count} numbers")));
                    }
                    bytes.extend(value);
                }
                bytes.resize(size as usize, 0);
                let is_input = !rest.is_empty();
                Ok(Argument::Buffer { name: name.to_string(), element, bytes, is_input, is_parameter: true })
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
            Argument::Buffer { name, element, bytes, is_input, .. } => {
                Ok(Argument::Buffer { name, element, bytes, is_input, is_parameter: false })
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
        assert!(refused("f32:0x3f800000").ends_with("b32:0x3f800000"));
        assert!(refused("bytes:0").contains("pairs of hex digits"));
        assert!(refused("é:u32").contains("is no type"));
    }
}
