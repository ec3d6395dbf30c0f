//! Adverse input: long, deeply nested, cut off.

use super::{HEAD, body, error, module};
use crate::ast::Statement;
use crate::parse::parse;
use crate::source::{MOST_BYTES, ReadError, Source};
use std::io::Write;

/// What the message of an error is, with statements in an entry that is not closed.
fn message(statements: &str) -> String {
    parse(&Source::new("k.ptx", format!("{HEAD}.entry k() {{ {statements}"))).unwrap_err().message
}

#[test]
fn depth_is_limited() {
    let deep = 100_000;
    assert_eq!(message(&"{".repeat(deep)), "scopes are nested more than 1000 deep");
    assert_eq!(message(&format!("mov a, {}", "(".repeat(deep))), "an expression is nested more than 256 deep");
    assert_eq!(message(&format!("mov a, {}", "-".repeat(deep))), "an expression is nested more than 256 deep");
    assert_eq!(message(&format!("mov a, {}", "1?".repeat(deep))), "an expression is nested more than 256 deep");
    assert_eq!(message(&format!("mov {}", "{".repeat(deep))), "expected an operand, found `{`");
    assert_eq!(message(&format!("mov {}", "[".repeat(deep))), "expected a register, a variable or a number, found `[`");
    let initial = format!("{HEAD}.global .u32 a[1][1] = {}", "{".repeat(deep));
    assert_eq!(parse(&Source::new("k.ptx", initial)).unwrap_err().message, "more braces than dimensions");
    // up to the limits all is well
    assert_eq!(body(&format!("{}ret;{}", "{".repeat(999), "}".repeat(999))).len(), 999 + 1 + 999);
    assert_eq!(body(&format!("mov a, {}1{};", "(".repeat(256), ")".repeat(256))).len(), 1);
}

#[test]
fn what_is_long_but_flat_is_read() {
    let many = 100_000;
    assert_eq!(body(&format!("mov a, 1{};", "+1".repeat(many))).len(), 1);
    assert_eq!(body(&format!("mov {{a{}}};", ", a".repeat(many))).len(), 1);
    assert_eq!(body(&"{}".repeat(many)), []);
    assert_eq!(body(&"{ret;}".repeat(many)).len(), 3 * many);
    assert_eq!(module(&format!(".global .u8 a{};", "[1]".repeat(many))).variables[0].count, Some(1));
}

#[test]
fn sizes_are_only_noted() {
    let found = body(".reg .b32 %r<4294967295>; .shared .b8 a[18446744073709551615]; .local .b8 b[99999][99999];");
    assert!(matches!(&found[1], Statement::Variable(variable) if variable.count == Some(u64::MAX)));
    let initial = module(".global .u8 a[1000000000000] = {1};").variables;
    assert_eq!(initial[0].initial.len(), 1);
}

#[test]
fn an_error_in_a_long_line_shows_a_piece_of_it() {
    let text = format!("{HEAD}.entry k() {{ {}\u{1f600}] {}", "exit;".repeat(200_000), "exit;".repeat(200_000));
    let shown = error(&text);
    assert!(shown.chars().count() < 1_000, "{shown}");
    assert!(shown.contains("unexpected character") && shown.contains("k.ptx:4:1000014"), "{shown}");
}

#[test]
fn of_two_places_far_apart_one_is_told_by_its_line() {
    let shown = error(&format!("{HEAD}.entry k() {{ {{ {}.entry l() {{ }}", "\n".repeat(1_800)));
    assert!(shown.lines().count() < 20, "{shown}");
    assert!(shown.contains("line 4: this is not closed"), "{shown}");
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b".version 8.6\n\xff\xfe").unwrap();
    let error = Source::read(file.path()).unwrap_err();
    assert!(matches!(error, ReadError::NotText { offset: 13, byte: 0xff, .. }), "{error:?}");
    assert!(error.to_string().ends_with("is no text: byte 13 is 0xff, which is not UTF-8"), "{error}");
    assert!(matches!(Source::read("/there/is/no/such.ptx").unwrap_err(), ReadError::Io { .. }));
    // a hole costs no disk
    file.as_file().set_len(MOST_BYTES + 1).unwrap();
    assert!(matches!(Source::read(file.path()).unwrap_err(), ReadError::Io { .. }));
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let shown = error(&format!("{HEAD}.entry k() {{ \u{1b}[31m \u{7} }}"));
    assert!(!shown.contains(|letter: char| letter.is_control() && letter != '\n'), "{shown:?}");
    assert!(shown.contains("a byte with the value 0x1b"), "{shown}");
}
