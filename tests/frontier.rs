//! `docs/frontier.md` and its picture are those of the results that are kept in `docs/figures/frontier.json`. `TXBAR_UPDATE_DOCS=1`
//! brings them up to date; `txbar synth --explore --keep docs/figures/frontier.json` measures what has changed.

use std::fs;
use std::path::{Path, PathBuf};
use txbar_export::tables::{check_document, with_tables};
use txbar_synth::frontier::{self, Kind, Point, Set, picture};

const ADVICE: &str = "cargo test --test frontier";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn kept() -> Vec<Point> {
    let text = fs::read_to_string(docs().join("figures/frontier.json")).expect("it is there");
    frontier::read(&text).expect("they are points")
}

#[test]
fn the_document_quotes_the_kept_results() {
    let tables = [("frontier", frontier::markdown(&kept()))];
    let text = check_document(&docs().join("frontier.md"), |text| with_tables(text, &tables), ADVICE);
    assert!(text.contains(&tables[0].1), "the table is there");
}

#[test]
fn the_picture_is_that_of_the_kept_results() {
    let drawn = picture::svg(&kept()).expect("there are units");
    check_document(&docs().join("frontier.svg"), |_| drawn.clone(), ADVICE);
}

#[test]
fn the_kept_results_are_those_of_the_usual_set() {
    let kept = kept();
    let (_, choices) = Set::read(frontier::SMALL).expect("it is a set");
    let labels: Vec<(&str, String)> = choices
        .iter()
        .map(|choice| (choice.part.name, txbar_rtl::parameters::Design::label(&choice.parameters)))
        .collect();
    assert_eq!(kept.len(), labels.len());
    for point in &kept {
        let label = (point.part.as_str(), point.figures.parameters.clone());
        assert!(labels.contains(&label), "{label:?}");
        assert!(point.mhz().is_some() && point.rates.random_words > 0.3, "{label:?}");
    }
    for kind in Kind::ALL {
        assert!(kept.iter().any(|point| point.kind() == kind), "{}", kind.name());
    }
}
