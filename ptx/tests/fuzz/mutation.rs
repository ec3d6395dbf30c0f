//! Changes files: bytes, tokens, numbers, halves of two files. Bolero draws the changes, and leaves out as many of them as it can
//! when a test fails.

use bolero::{TypeGenerator, produce};

/// Longest input in bytes.
const LONGEST: usize = 1 << 17;

/// Numbers at the edges of what something can hold.
const EXTREMES: [&str; 22] = [
    "0",
    "1",
    "-1",
    "3",
    "31",
    "32",
    "255",
    "65535",
    "65536",
    "1048575",
    "1048576",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "0xFFFFFFFFFFFFFFFF",
    "0d7FF8000000000001",
    "0f7F800000",
    "1e999",
];

/// Pieces that change what follows.
const PIECES: [&str; 26] = [
    "{", "}", "(", ")", "[", "]", ";", ",", ":", "@", "!", "/*", "*/", "//", "\"", "\0", "\u{e9}", "::", "<<", "|",
    "_", "%", "$", ".", "..", "\n",
];

/// A file of a corpus, and what happens to it. Places are counted around the end of what there is.
#[derive(Clone, Debug, TypeGenerator)]
pub struct Mutation {
    file: usize,
    #[generator(produce::<Vec<Edit>>().with().len(1_usize..=5))]
    edits: Vec<Edit>,
}

/// A change. `place` is a token's, and `tokens` this many tokens from there.
#[derive(Clone, Debug, TypeGenerator)]
enum Edit {
    /// Some bits change; what is no text any more is replaced.
    Flip { bytes: [(usize, u8); 4] },
    /// Tokens are left out.
    Remove { place: usize, tokens: u8 },
    /// Tokens come many times more.
    Repeat { place: usize, tokens: u8, times: u16 },
    /// Two tokens change places.
    Swap { place: usize, other: usize },
    /// Nothing follows.
    Truncate { place: usize },
    /// The end of another file follows.
    Splice { place: usize, file: usize, from: usize },
    /// A number becomes one of the extremes.
    Extreme { place: usize, number: usize },
    /// A token becomes one of another file.
    Replace { place: usize, file: usize, from: usize },
    /// One of the pieces is put in between.
    Insert { place: usize, piece: usize },
}

/// What a number means that counts around the end of something, which is not empty.
fn pick<T>(from: &[T], number: usize) -> &T {
    &from[number % from.len()]
}

impl Mutation {
    /// What becomes of the file of this corpus.
    pub fn text(&self, corpus: &[String]) -> String {
        let mut text = pick(corpus, self.file).clone();
        for edit in &self.edits {
            text = edit.applied(&text, corpus);
            if text.len() > LONGEST {
                let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
                text.truncate(end);
            }
        }
        text
    }
}

impl Edit {
    fn applied(&self, text: &str, corpus: &[String]) -> String {
        let mut all = tokens(text);
        if all.is_empty() {
            return String::new();
        }
        let size = all.len();
        let until = |place: usize, tokens: u8| (place + usize::from(tokens % 12) + 1).min(size);
        match *self {
            Edit::Flip { bytes } => {
                let mut flipped = text.as_bytes().to_vec();
                for (place, bits) in bytes {
                    flipped[place % text.len()] ^= bits;
                }
                return String::from_utf8_lossy(&flipped).into_owned();
            }
            Edit::Remove { place, tokens } => drop(all.drain(place % size..until(place % size, tokens))),
            Edit::Repeat { place, tokens, times } => {
                let place = place % size;
                let copy = all[place..until(place, tokens)].concat();
                let most = (LONGEST / copy.len()).clamp(1, 3_000);
                return all[..place].concat() + &copy.repeat(usize::from(times) % most + 1) + &all[place..].concat();
            }
            Edit::Swap { place, other } => all.swap(place % size, other % size),
            Edit::Truncate { place } => all.truncate(place % size),
            Edit::Splice { place, file, from } => {
                let other = self::tokens(pick(corpus, file).as_str());
                all.truncate(place % size);
                all.extend_from_slice(&other[from % (other.len() + 1)..]);
            }
            Edit::Extreme { place, number } => {
                let digit = |token: &&str| token.starts_with(|first: char| first.is_ascii_digit());
                let numbers: Vec<usize> = (0..size).filter(|place| digit(&all[*place])).collect();
                if !numbers.is_empty() {
                    all[*pick(&numbers, place)] = *pick(&EXTREMES, number);
                }
            }
            Edit::Replace { place, file, from } => {
                let other = self::tokens(pick(corpus, file).as_str());
                if !other.is_empty() {
                    all[place % size] = *pick(&other, from);
                }
            }
            Edit::Insert { place, piece } => all.insert(place % size, *pick(&PIECES, piece)),
        }
        all.concat()
    }
}

/// Words, white space, and single marks.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '%' | '$' | '.' => 1,
        _ if letter.is_whitespace() => 2,
        _ => 0,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last = 0;
    for (place, letter) in text.char_indices() {
        if place > start && (kind(letter) != last || last == 0) {
            tokens.push(&text[start..place]);
            start = place;
        }
        last = kind(letter);
    }
    if start < text.len() {
        tokens.push(&text[start..]);
    }
    tokens
}
