//! GTKWave: save files (`.gtkw`) and translate filter files, as version 3.3 reads and writes them.

use super::{Look, Shown, View, table, values};
use crate::layout::Kind;
use crate::write::CYCLE_NS;
use std::fmt::Write;

/// Flags of a trace: format, and adjusted to the right.
const HEX: u32 = 0x22;
const DECIMAL: u32 = 0x24;
const BINARY: u32 = 0x28;
const SIGNED: u32 = 0x420;
/// Names come from a file.
const TRANSLATED: u32 = 0x2000;
/// A heading.
const HEADING: u32 = 0x200;
/// Markers with a letter.
const MARKERS: usize = 26;
/// How far it is zoomed out, as a power of two: a cycle is about 50 pixels wide.
const ZOOM: f64 = -5.2;
/// Cycles before the event to look at that are seen.
const BEFORE: u64 = 8;

/// A save file.
pub fn save_file(view: &View) -> String {
    let mut text = String::new();
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line("[*] made by txbar; open it with: gtkwave FILE.gtkw, in its directory".to_owned());
    line(format!("[*] markers: {}", names(view)));
    line(format!("[dumpfile] \"{}\"", view.file));
    let event = view.event().unwrap_or(view.begin);
    line(format!("[timestart] {}", event.saturating_sub(BEFORE).max(view.begin) * CYCLE_NS));
    line("[size] 1600 1000".to_owned());
    line("[pos] -1 -1".to_owned());
    let mut markers = vec![view.event().map_or(-1, |cycle| (cycle * CYCLE_NS) as i64)];
    markers.extend(view.markers.iter().map(|(_, cycle)| (cycle * CYCLE_NS) as i64));
    markers.resize(1 + MARKERS, -1);
    let markers: Vec<String> = markers.iter().map(ToString::to_string).collect();
    line(format!("*{ZOOM:.6} {}", markers.join(" ")));
    for (letter, (name, _)) in ('A'..).zip(view.markers) {
        line(format!("[markername] {letter}first {name}"));
    }
    line("[sst_width] 220".to_owned());
    line("[signals_width] 380".to_owned());
    line("[sst_expanded] 0".to_owned());
    for group in view.groups {
        line(format!("@{HEADING:x}\n-{}", group.heading));
        for shown in &group.signals {
            line(format!("@{:x}", flags(shown)));
            if let Look::Named(kind) = shown.look {
                line(format!("^1 {}.txt", table(kind)));
            }
            let range = if shown.var.width > 1 { format!("[{}:0]", shown.var.width - 1) } else { String::new() };
            line(format!("{}{range}", shown.name));
        }
    }
    line("[pattern_trace] 1".to_owned());
    line("[pattern_trace] 0".to_owned());
    text
}

/// What the markers with letters are at.
fn names(view: &View) -> String {
    let name = |(letter, (name, cycle)): (char, &(&str, u64))| format!("{letter} first {name} (cycle {cycle})");
    let names: Vec<String> = ('A'..).zip(view.markers).map(name).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn flags(shown: &Shown) -> u32 {
    match shown.look {
        Look::Bit => BINARY,
        Look::Hex => HEX,
        Look::Decimal => DECIMAL,
        Look::Signed => SIGNED,
        Look::Named(_) => HEX | TRANSLATED,
    }
}

/// A translate filter file: what stands for the hexadecimal digits of a value.
pub fn filter_file(kind: Kind) -> String {
    let mut text = String::new();
    for (value, name, stands_out) in values(kind) {
        let color = if stands_out { "?red?" } else { "" };
        writeln!(text, "{value:02x} {color}{name}").expect("writing to a String");
    }
    text
}
