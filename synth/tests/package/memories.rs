//! Block RAM outside of a unit is block RAM inside of it.

use crate::resets::compare;
use crate::shared::{SLANG, reads};
use std::fmt::Write;
use tempfile::TempDir;
use txbar_export::manifest::Manifest;
use txbar_export::tools::VERILATOR;
use txbar_export::verilog::{self, Export, Style};
use txbar_rtl::parameters::Parameters;

/// The unit without its block RAM, and what its manifest lists around it: the usual unit's pins. With `exchanged`, the first two memories are.
fn around(inner: &Export, usual: &Export, manifest: &Manifest, exchanged: bool) -> Export {
    let mut pins: Vec<String> = usual.ports.iter().map(|port| format!(".{0}({0})", port.name)).collect();
    let ports: Vec<String> = usual
        .ports
        .iter()
        .map(|port| format!("{} wire [{}:0] {}", port.direction, port.width - 1, port.name))
        .collect();
    let mut memories = String::new();
    let blocks: Vec<_> = manifest.memories.iter().filter(|memory| memory.module == "block_ram").collect();
    for (number, memory) in blocks.iter().enumerate() {
        let address_bits = memory.words.ilog2();
        let name = memory.instance.replace('.', "_");
        let of = if exchanged && number < 2 { blocks[1 - number].instance.replace('.', "_") } else { name.clone() };
        let wires = [
            ("read_enable", 1),
            ("read_address", address_bits),
            ("read_data", memory.bits as u32),
            ("write_enable", 1),
            ("write_address", address_bits),
            ("write_data", memory.bits as u32),
        ];
        let mut own = vec![".clk(clk)".to_owned()];
        for (pin, width) in wires {
            writeln!(memories, "  wire [{}:0] {name}_{pin};", width - 1).expect("writing to a String");
            pins.push(format!(".{name}_{pin}({name}_{pin})"));
            own.push(format!(".{pin}({}_{pin})", if pin == "read_data" { &of } else { &name }));
        }
        let (bits, words) = (memory.bits, memory.words);
        writeln!(
            memories,
            "  usual_block_ram #(.WIDTH({bits}), .DEPTH({words}), .ADDRESS_BITS({address_bits})) {name} ({});",
            own.join(", ")
        )
        .expect("writing to a String");
    }
    let text = format!(
        "{}\nmodule around ({});\n{memories}  {} inner ({});\nendmodule\n",
        inner.text,
        ports.join(", "),
        inner.top,
        pins.join(", ")
    );
    Export { top: "around".to_owned(), text, ..usual.clone() }
}

#[test]
fn block_ram_may_be_outside() {
    let room = TempDir::new().expect("there is room");
    let small = Parameters { words: 64, waiters: 4, ports: 2, banks: 2, ..Parameters::default() };
    for parameters in
        [small, Parameters::high_clock(64), Parameters { words: 64, ..Parameters::banked_high_clock(2, 2) }]
    {
        let usual = verilog::unit(&parameters, "usual").expect("the prefix is right");
        let inner =
            verilog::unit(&parameters, Style { prefix: "inner", ram_ports: true }).expect("the prefix is right");
        assert!(!inner.text.contains("inner_block_ram"), "it is outside");
        let manifest = Manifest::new(&inner, &parameters, "inner.v");
        for exchanged in [false, true].into_iter().filter(|exchanged| !exchanged || parameters.banks > 1) {
            let text = compare(&room, &usual, &around(&inner, &usual, &manifest, exchanged));
            assert_eq!(text.contains("PASS"), !exchanged, "{:?}, exchanged {exchanged}:\n{text}", parameters.build);
        }
        std::fs::write(room.path().join("inner.v"), &inner.text).expect("there is room");
        reads(VERILATOR, room.path(), &["--lint-only", "-Wall", "--quiet", "--top-module", &inner.top, "inner.v"]);
        reads(SLANG, room.path(), &["-Wextra", "--top", &inner.top, "inner.v"]);
    }
}
