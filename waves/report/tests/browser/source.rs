//! The source of a kernel: marks of its lines, and links to them.

use super::driver::Browser;
use super::one_phase;
use txbar_testbench::record::{ListedFile, ListedPlace, Listing, RemarkJson, RunRecord, Verdict};

/// A record of a kernel of two files; the first operations of its barrier are of its second line.
fn of_a_kernel() -> RunRecord {
    let nasty = "</script><b>if (a < b && c) // </b>";
    let mut record = one_phase();
    record.verdict = Verdict::Fault;
    let place =
        |ptx_line, file, line| ListedPlace { ptx_line, file, line, text: format!("k.cu:{line} (PTX line {ptx_line})") };
    record.listing = Some(Listing {
        files: vec![
            ListedFile { name: "src/k.cu".to_owned(), text: format!("one\n{nasty}\r\n\tthree\n") },
            ListedFile { name: "k.ptx".to_owned(), text: "x\n".repeat(10_000) },
        ],
        places: vec![place(7, 0, 2), place(9, 0, 3), place(11, 0, 2), place(5000, 1, 5000)],
    });
    let events = &mut record.timeline.as_mut().expect("it has one").events;
    events.line = (0..events.cycle.len()).map(|row| [Some(7), Some(11), None][row.min(2)]).collect();
    record.remarks.push(RemarkJson {
        bug: Some("data-race".into()),
        status: None,
        message: "two accesses".to_owned(),
        line: 9,
        source: Vec::new(),
        other_line: Some(5000),
        other_source: Vec::new(),
        cluster: 0,
        cta: 0,
        thread: 3,
        word_before: None,
    });
    record
}

#[tokio::test]
async fn lines_have_marks_and_everything_links_to_its_line() {
    let browser = Browser::open(&of_a_kernel()).await;
    assert_eq!(browser.value("return document.getElementById('source').hidden").await, false);
    let marked = |line: &str| format!("#{line} .marks");
    assert_eq!(browser.text(&marked("line-0-2")).await, "2 operations");
    assert_eq!(browser.text(&marked("line-0-3")).await, "data-race");
    assert_eq!(browser.text(&marked("line-1-5000")).await, "data-race: the other");
    assert_eq!(browser.text("#line-0-2 .code").await, "</script><b>if (a < b && c) // </b>");
    assert_eq!(browser.number("return document.querySelectorAll('#source b').length").await, 0.0);
    let rows = "return document.querySelectorAll('.listing')[1].rows.length";
    assert_eq!(browser.number(rows).await, 61.0, "of a long file what is around its marks");

    // from a mistake, and from an operation
    assert_eq!(browser.text("#remarks-table a").await, "k.cu:3");
    browser.value("document.querySelector('#remarks-table a').click()").await;
    let target = "return document.querySelector(':target').id";
    assert_eq!(browser.value(target).await, "line-0-3");
    browser.value("document.getElementById('tracks').focus()").await;
    browser.press("\u{e011}").await; // Home: the first operation
    assert_eq!(browser.text("#readout li a").await, "k.cu:2");
    browser.value("document.querySelector('#readout li a').click()").await;
    assert_eq!(browser.value(target).await, "line-0-2");
    browser.value("document.getElementById('rows').open = true").await;
    browser.frame().await;
    assert_eq!(browser.text("#rows-table tbody tr:nth-child(2) a").await, "k.cu:2");
    browser.screenshot("source.png").await;
    browser.close().await;
}

#[tokio::test]
async fn without_a_text_there_is_no_section_and_lines_are_numbers() {
    let mut record = of_a_kernel();
    record.listing = None;
    let browser = Browser::open(&record).await;
    assert_eq!(browser.value("return document.getElementById('source').hidden").await, true);
    assert_eq!(browser.number("return document.querySelectorAll('#remarks-table a').length").await, 0.0);
    assert!(browser.text("#remarks-table").await.contains("data-race\t9"));
    browser.close().await;
}
