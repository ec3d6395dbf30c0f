//! Reading of files with a limit: a pipe may have no end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a file at most, where nothing else is said: 256 MiB.
pub const MOST_BYTES: u64 = 1 << 28;

/// A file that ends with an error where its limit is.
pub struct Limited {
    file: File,
    most: u64,
    left: u64,
}

/// Opens a file of this many bytes at most.
///
/// # Errors
/// It cannot be opened, is no file, or is longer.
pub fn open(path: &Path, most: u64) -> io::Result<Limited> {
    let there = fs::metadata(path)?;
    if there.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = there.file_type();
        if kind.is_char_device() || kind.is_block_device() {
            return Err(io::Error::other("it is a device, not a file"));
        }
    }
    if there.len() > most {
        return Err(too_long(most));
    }
    Ok(Limited { file: File::open(path)?, most, left: most })
}

/// Reads a file of this many bytes at most.
///
/// # Errors
/// It cannot be read, or is longer.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, most)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text of [`MOST_BYTES`] at most.
///
/// # Errors
/// It cannot be read, is longer, or is not text.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path, MOST_BYTES)?.read_to_string(&mut text)?;
    Ok(text)
}

fn too_long(most: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes"))
}

impl Read for Limited {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !into.is_empty() {
            let ended = self.file.read(&mut [0])? == 0;
            return if ended { Ok(0) } else { Err(too_long(self.most)) };
        }
        let room = into.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.file.read(&mut into[..room])?;
        self.left -= read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_longer_than_the_limit_is_an_error() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "12345").expect("written");
        assert_eq!(read(file.path(), 5).expect("it is short enough"), b"12345");
        assert_eq!(read(file.path(), 4).expect_err("it is too long").to_string(), "it has more than 4 bytes");
        // as if it had grown meanwhile
        let file = File::open(file.path()).expect("it is there");
        let mut limited = Limited { file, most: 3, left: 3 };
        let error = limited.read_to_end(&mut Vec::new()).expect_err("it is too long");
        assert_eq!(error.to_string(), "it has more than 3 bytes");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_no_file() {
        let error = read(Path::new("/dev/zero"), 10).expect_err("it has no end");
        assert_eq!(error.to_string(), "it is a device, not a file");
    }
}
