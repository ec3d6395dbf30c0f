//! Changes files at random: bytes, tokens, numbers, halves of two files.

use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;

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

/// Makes inputs out of a corpus.
pub struct Mutator {
    corpus: Vec<String>,
}

impl Mutator {
    /// Of these texts.
    pub fn new(corpus: Vec<String>) -> Self {
        assert!(!corpus.is_empty(), "there is a corpus");
        Self { corpus }
    }

    /// An input by its number.
    pub fn input(&self, seed: u64, number: u64) -> String {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut text = self.any(&mut rng).to_owned();
        for _ in 0..rng.random_range(1..=5) {
            text = self.mutated(&text, &mut rng);
            if text.len() > LONGEST {
                let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
                text.truncate(end);
            }
        }
        text
    }

    fn any(&self, rng: &mut impl Rng) -> &str {
        &self.corpus[rng.random_range(0..self.corpus.len())]
    }

    fn mutated(&self, text: &str, rng: &mut impl Rng) -> String {
        let mut tokens = tokens(text);
        if tokens.is_empty() {
            return self.any(rng).to_owned();
        }
        let place = rng.random_range(0..tokens.len());
        let end = (place + rng.random_range(1..=12)).min(tokens.len());
        match rng.random_range(0..10) {
            0 => return flipped(text, rng),
            1 => drop(tokens.drain(place..end)),
            2 => {
                let copy = tokens[place..end].to_vec();
                tokens.splice(place..place, copy);
            }
            3 => {
                let other = rng.random_range(0..tokens.len());
                tokens.swap(place, other);
            }
            4 => {
                // the beginning of one and the end of another
                let other = self::tokens(self.any(rng));
                let from = rng.random_range(0..=other.len());
                tokens.truncate(place);
                tokens.extend_from_slice(&other[from..]);
            }
            5 => replace(&mut tokens, rng, |token| token.starts_with(|first: char| first.is_ascii_digit()), &EXTREMES),
            6 => tokens.truncate(place),
            7 => {
                let copy = tokens[place..end].concat();
                let copies = copy.repeat(rng.random_range(1..=(LONGEST / copy.len()).clamp(1, 3_000)));
                return tokens[..place].concat() + &copies + &tokens[place..].concat();
            }
            8 => {
                let other = self::tokens(self.any(rng));
                if let Some(token) = other.choose(rng) {
                    tokens[place] = token;
                }
            }
            _ => tokens.insert(place, PIECES.choose(rng).expect("there are pieces")),
        }
        tokens.concat()
    }
}

/// One of the tokens that fit becomes one of these.
fn replace<'a>(tokens: &mut [&'a str], rng: &mut impl Rng, fits: impl Fn(&str) -> bool, by: &[&'a str]) {
    let places = tokens.iter().enumerate().filter(|(_, token)| fits(token)).map(|(place, _)| place);
    if let (Some(place), Some(other)) = (places.choose(rng), by.choose(rng)) {
        tokens[place] = other;
    }
}

/// Some bits changed; what is no text any more is replaced.
fn flipped(text: &str, rng: &mut impl Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..rng.random_range(1..=8) {
        let place = rng.random_range(0..bytes.len());
        bytes[place] ^= 1 << rng.random_range(0..8);
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
