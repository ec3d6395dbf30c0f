//! Lexer: words, dotted words, numbers, strings and punctuation, each with its place.
//!
//! ```text
//!   @!p mbarrier.try_wait.shared::cta.b64 q, [bar+8], %r<5> ...
//!   |||    |       |          |      |    ||  |  ||
//!   ||Word Word    Dotted     Dotted Dotted  Word |Number
//!   |Mark                                 Mark    Mark
//! ```
//!
//! What is no token is dropped here: white space, comments, and the `@@DWARF` lines of old compilers.

use crate::source::{Complaint, Span};
use winnow::ascii::{digit0, digit1};
use winnow::combinator::{alt, cut_err, not, opt, peek, preceded, repeat};
use winnow::error::{EmptyError, ErrMode};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{any, one_of, take_till, take_until, take_while};

/// What a token is. It carries no text: that is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `mov`, `%r1`, `$L_1`, `_`.
    Word,
    /// `.b64`, `.shared::cta`, `.2d`.
    Dotted,
    /// `12`, `0x1fU`, `0f3f800000`, `1.5e3`.
    Number,
    /// `"nounroll"`.
    Quoted,
    /// Punctuation mark, an ASCII character.
    Mark(u8),
    /// `<<`, `>=`, `&&` and so on: the first character.
    Double(Double),
    /// The end of the text.
    End,
}

/// Marks of two characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // see the table in `double`
pub(super) enum Double {
    ShiftLeft,
    ShiftRight,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Kind.
    pub kind: Kind,
    /// Place in the text.
    pub span: Span,
}

type Input<'a> = LocatingSlice<&'a str>;
type Lexed<T> = Result<T, ErrMode<EmptyError>>;

/// All tokens of a text; the last is [`Kind::End`], and there is no other.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Complaint> {
    if u32::try_from(text.len()).is_err() {
        return Err(Complaint::new(Span::default(), "the text has more than 4 GiB", "this text"));
    }
    let mut input = LocatingSlice::new(text);
    let mut tokens = Vec::new();
    // a byte order mark says nothing in UTF-8
    let _ = opt::<_, _, ErrMode<EmptyError>, _>('\u{feff}').parse_next(&mut input);
    loop {
        let ignored = ignored(&mut input);
        let start = place(&input);
        if ignored.is_err() {
            let begin = Span { start, end: start + 2 };
            return Err(Complaint::new(begin, "a comment does not end", "it begins here").help("close it with `*/`"));
        }
        let before = input;
        let kind = match peek(any::<_, ErrMode<EmptyError>>).parse_next(&mut input) {
            Err(_) => {
                tokens.push(Token { kind: Kind::End, span: Span::between(start) });
                return Ok(tokens);
            }
            Ok(_) => token.parse_next(&mut input),
        };
        let span = Span { start, end: place(&input) };
        tokens.push(Token { kind: kind.map_err(|_| no_token(&before))?, span });
    }
}

fn place(input: &Input<'_>) -> u32 {
    input.current_token_start() as u32 // cannot be cut off: see `tokens`
}

/// White space and comments; an error if a comment does not end.
fn ignored(input: &mut Input<'_>) -> Lexed<()> {
    let line = |begin| preceded(begin, take_till(0.., '\n'));
    let block = preceded("/*", cut_err((take_until(0.., "*/"), "*/")));
    let space = take_while(1.., [' ', '\t', '\r', '\n', '\x0b', '\x0c']);
    let mut piece = alt((space.void(), line("//").void(), line("@@").void(), block.void()));
    loop {
        let before = *input;
        match piece.parse_next(input) {
            Ok(()) => {}
            Err(error) => {
                *input = before;
                return if matches!(error, ErrMode::Cut(_)) { Err(error) } else { Ok(()) };
            }
        }
    }
}

fn token(input: &mut Input<'_>) -> Lexed<Kind> {
    let first = peek(any).parse_next(input)?;
    match first {
        'a'..='z' | 'A'..='Z' | '_' | '$' => word.value(Kind::Word).parse_next(input),
        '%' => alt((word.value(Kind::Word), any.value(Kind::Mark(b'%')))).parse_next(input),
        '.' => dotted.value(Kind::Dotted).parse_next(input),
        '0'..='9' => number.value(Kind::Number).parse_next(input),
        '"' => quoted.value(Kind::Quoted).parse_next(input),
        '<' | '>' | '=' | '!' | '&' | '|' => alt((double.map(Kind::Double), mark)).parse_next(input),
        _ => mark.parse_next(input),
    }
}

fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// `[a-zA-Z][a-zA-Z0-9_$]*`, or one of `_$%` and at least one more; `_` alone is the sink.
fn word<'a>(input: &mut Input<'a>) -> Lexed<&'a str> {
    let follow = |letter: char| is_part(letter) || letter == '$';
    let named = (one_of(|letter: char| letter.is_ascii_alphabetic() || letter == '_'), take_while(0.., follow)).void();
    let special = (one_of(['$', '%']), take_while(1.., follow)).void();
    alt((named, special)).take().parse_next(input)
}

/// A dot and a word that may begin with a digit, parts of which are joined by `::`.
fn dotted<'a>(input: &mut Input<'a>) -> Lexed<&'a str> {
    let part = || take_while(1.., is_part);
    ('.', part(), repeat::<_, _, (), _, _>(0.., ("::", part()))).take().parse_next(input)
}

/// What looks like a number; whether it is one is found when it is read.
fn number<'a>(input: &mut Input<'a>) -> Lexed<&'a str> {
    let signed_exponent = || (one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1);
    let float =
        (digit1, alt((('.', digit0, opt(signed_exponent())).void(), signed_exponent().void())), not(one_of(is_part)));
    alt((float.void(), take_while(1.., is_part).void())).take().parse_next(input)
}

fn quoted<'a>(input: &mut Input<'a>) -> Lexed<&'a str> {
    let plain = take_while(1.., |letter| !matches!(letter, '"' | '\\' | '\n')).void();
    let escaped = ('\\', any.verify(|letter| *letter != '\n')).void();
    ('"', repeat::<_, _, (), _, _>(0.., alt((plain, escaped))), '"').take().parse_next(input)
}

fn double(input: &mut Input<'_>) -> Lexed<Double> {
    alt((
        "<<".value(Double::ShiftLeft),
        ">>".value(Double::ShiftRight),
        "<=".value(Double::LessEqual),
        ">=".value(Double::GreaterEqual),
        "==".value(Double::Equal),
        "!=".value(Double::NotEqual),
        "&&".value(Double::And),
        "||".value(Double::Or),
    ))
    .parse_next(input)
}

fn mark(input: &mut Input<'_>) -> Lexed<Kind> {
    one_of(|letter: char| "()[]{}<>,;:@|!=+-*/%&^~?".contains(letter))
        .map(|letter: char| Kind::Mark(letter as u8)) // it is ASCII
        .parse_next(input)
}

/// Error at a place where no token begins.
fn no_token(input: &Input<'_>) -> Complaint {
    let start = place(input);
    let text = **input;
    let letter = text.chars().next().unwrap_or(' ');
    let here = Span { start, end: start + letter.len_utf8() as u32 };
    match letter {
        '"' => {
            let end = start + text.find('\n').unwrap_or(text.len()) as u32;
            Complaint::new(Span { start, end }, "a string does not end", "no `\"` follows on this line")
        }
        '.' if text.starts_with("..") => {
            Complaint::new(Span { start, end: start + 2 }, "`..` is no PTX", "something is left out here")
                .help("the listings of the manual leave code out: write what belongs here")
        }
        '.' => Complaint::new(here, "a dot with nothing behind it", "expected a name behind this dot"),
        '#' => Complaint::new(here, "PTX is not preprocessed here", "a line of the C preprocessor")
            .help("run the C preprocessor first: `cpp -P in.ptx out.ptx`"),
        _ if letter.is_ascii_control() => {
            Complaint::new(here, "the file is binary", format!("a byte with the value 0x{:02x}", u32::from(letter)))
                .help("a PTX file is text; `cuobjdump -ptx FILE` gets it out of a binary")
        }
        _ => {
            Complaint::new(here, format!("unexpected character `{}`", letter.escape_debug()), "no token begins with it")
        }
    }
}
