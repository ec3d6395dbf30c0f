//! Validates a wave file before it is read: clearer errors than the reader's, and truncated files are refused.

use crate::format::WRITER;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// What is to be done about a file that is cut off.
const CUT: &str = "is cut off: what wrote it has not finished it";
/// The first block of an FST file.
const FST_HEADER: u8 = 0;
/// The last kind of block, a file that is packed once more aside.
const FST_LAST: u8 = 8;
/// An FST file that is packed once more.
const FST_PACKED: u8 = 254;
/// Bytes of an FST header block, with its length and without its kind.
const FST_HEADER_BYTES: u64 = 329;
/// Bytes at the end of a VCD file that are looked at.
const TAIL: u64 = 4096;

/// Sees that a file is a wave file and whole.
///
/// # Errors
/// What is wrong with it.
pub fn check(path: &Path) -> Result<(), String> {
    let told = |error: io::Error| error.to_string();
    let file = File::open(path).map_err(told)?;
    let there = file.metadata().map_err(told)?;
    if there.is_dir() {
        return Err("is a directory, not a wave file".to_owned());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = there.file_type();
        if kind.is_char_device() || kind.is_block_device() {
            return Err("is a device, not a wave file".to_owned()); // which may have no end
        }
    }
    if !there.is_file() {
        return Ok(()); // a pipe can be read once
    }
    if there.len() == 0 {
        return Err("is empty, not a wave file".to_owned());
    }
    let mut file = BufReader::new(file);
    let mut begin = [0; 9];
    let got = file.read(&mut begin).map_err(told)?;
    let length = u64::from_be_bytes(std::array::from_fn(|place| begin[1 + place]));
    match (begin[0], got) {
        (FST_PACKED, _) => Ok(()),
        (FST_HEADER, 9) if length == FST_HEADER_BYTES => blocks(&mut file, there.len()),
        (FST_HEADER, _) => Err("is not a wave file: neither VCD nor FST".to_owned()),
        _ => text(&mut file, there.len()),
    }
}

/// The blocks of an FST file end where the file does.
fn blocks(file: &mut (impl Read + Seek), bytes: u64) -> Result<(), String> {
    let told = |error: io::Error| error.to_string();
    let mut place = 0;
    while place < bytes {
        let mut head = [0; 9];
        file.seek(SeekFrom::Start(place)).map_err(told)?;
        file.read_exact(&mut head).map_err(|_| CUT.to_owned())?;
        let length = u64::from_be_bytes(std::array::from_fn(|byte| head[1 + byte]));
        if head[0] > FST_LAST || length < 8 {
            return Err(CUT.to_owned());
        }
        place = place.saturating_add(1).saturating_add(length);
    }
    if place == bytes { Ok(()) } else { Err(CUT.to_owned()) }
}

/// A VCD file declares signals, and ends with a whole line, with or without its line end; one of ours with a time.
fn text(file: &mut (impl Read + Seek), bytes: u64) -> Result<(), String> {
    let told = |error: io::Error| error.to_string();
    let mut read = |from: u64, most: u64| -> io::Result<String> {
        file.seek(SeekFrom::Start(from))?;
        let mut part = Vec::new();
        file.take(most).read_to_end(&mut part)?;
        Ok(String::from_utf8_lossy(&part).into_owned())
    };
    let head = read(0, TAIL).map_err(told)?;
    if !head.trim_start().starts_with('$') {
        return Err("is not a wave file: neither VCD nor FST".to_owned());
    }
    let tail = read(bytes.saturating_sub(TAIL), TAIL).map_err(told)?;
    let version = head.trim_start().strip_prefix("$version").map(str::trim_start);
    let is_ours = version.is_some_and(|version| version.starts_with(WRITER));
    let last = tail.lines().last().unwrap_or_default();
    let is_whole = match tail.ends_with('\n') {
        true => !is_ours || last.starts_with('#'),
        // an editor may have taken the line end; what is cut off in a number is less than the time before it
        false if is_ours => {
            let before = tail.lines().rev().skip(1).find_map(time_of);
            before.is_some_and(|before| time_of(last) > Some(before))
        }
        false => is_line(last),
    };
    if is_whole { Ok(()) } else { Err(CUT.to_owned()) }
}

/// The time that a line of a VCD file says, if it says one.
fn time_of(line: &str) -> Option<u64> {
    line.strip_prefix('#')?.trim().parse().ok()
}

/// Whether a line of a VCD file can be all of it: a time, a change of a bit or of a vector with its signal, the end of a command.
fn is_line(line: &str) -> bool {
    match line.chars().next() {
        None => true,
        Some('#') => time_of(line).is_some(),
        Some('b' | 'B' | 'r' | 'R' | 's' | 'S') => line.split_whitespace().count() == 2,
        Some('0' | '1' | 'x' | 'X' | 'z' | 'Z') => line.len() > 1,
        Some(_) => line.trim_end().ends_with("$end"),
    }
}
