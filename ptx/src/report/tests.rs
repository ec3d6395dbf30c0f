//! Texts of reports; those of whole kernels are in `tests/kernels/told.rs`.

use super::*;

#[test]
fn numbers_are_shown_as_ranges() {
    assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
    assert_eq!(ranges(&[3]), "3");
    assert_eq!(plural(1u32, "byte"), "1 byte");
    assert_eq!(plural(-16, "byte"), "-16 bytes");
}

#[test]
fn long_lines_are_broken_at_spaces() {
    let text = "word ".repeat(40);
    let wrapped = wrapped(text.trim_end(), "name: ", "      ");
    assert!(wrapped.lines().count() > 1 && wrapped.lines().all(|line| line.chars().count() <= COLUMNS));
    assert_eq!(wrapped.split_whitespace().filter(|word| *word == "word").count(), 40);
}
