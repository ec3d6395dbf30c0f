//! Surfer: command files (`.sucl`) and mapping translators, as its manual of version 0.7 says.

use super::{Look, View, table, values};
use crate::layout::Kind;
use crate::write::CYCLE_NS;
use std::fmt::Write;

/// A command file. Formats apply to the signal that was added last.
pub fn command_file(view: &View) -> String {
    let mut text = String::new();
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line("# made by txbar; open it with: surfer --command-file FILE.sucl, in its directory".to_owned());
    line(format!("load_file {}", view.file));
    for group in view.groups {
        line(format!("divider_add {}", group.heading.replace([' ', ':', ','], "_").replace("__", "_")));
        for shown in &group.signals {
            line(format!("variable_add {}", shown.name));
            let format = match shown.look {
                Look::Bit => continue,
                Look::Hex => "Hexadecimal",
                Look::Decimal => "Unsigned",
                Look::Signed => "Signed",
                Look::Named(kind) => table(kind),
            };
            line(format!("item_set_format {format}"));
        }
    }
    for (name, cycle) in view.markers {
        line(format!("marker_set {name} {}", cycle * CYCLE_NS));
    }
    line("zoom_fit".to_owned());
    if let Some(cycle) = view.event() {
        line(format!("cursor_set {}", cycle * CYCLE_NS));
    }
    text
}

/// A mapping translator: what stands for a value.
pub fn mapping_file(kind: Kind) -> String {
    let bits = match kind {
        Kind::Op => txbar_rtl::op::Op::BITS,
        _ => txbar_rtl::status::Status::BITS,
    };
    let mut text = format!("Name = {}\nBits = {bits}\n", table(kind));
    for (value, name, stands_out) in values(kind) {
        let color = if stands_out { "[error]" } else { "" };
        writeln!(text, "{value}{color} {name}").expect("writing to a String");
    }
    text
}
