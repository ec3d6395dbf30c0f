//! Flows: backends that compile exported Verilog into a simulator, a shared library.
//!
//! ```text
//!   Verilator                   Verilog ─verilator─► C++ ─┐
//!   Cxxrtl          Verilog ─yosys write_cxxrtl────► C++ ─┼─ class Model, design.cpp ─g++─► library
//!   Netlist         Verilog ─as in txbar synth─► netlist  │
//!   HarshNetlist      + models of its cells ─verilator─► ─┘
//! ```
//! Each flow's C++ is put behind a class `Model` with one function for each pin, which sets an input or gets an output,
//! and the functions
//!
//! ```text
//!   settle()       the clock is low; the logic settles
//!   clock(reset)   reset is set, the logic settles with it, and the clock rises
//! ```
//! so that what is above the model is the same for all. It depends on nothing but the list of the top module's ports.

use super::build::{BuildError, Effort, run};
use super::netlist::{self, Cells};
use super::shelf::{self, Made};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use txbar_export::netlist::Synthesis;
use txbar_export::tools::{self, CXX, CXXRTL_HEADERS, VERILATOR, YOSYS};
use txbar_export::verilog::{Export, ExportedPort};

/// A way from Verilog to a shared library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Verilator compiles the Verilog.
    Verilator,
    /// The same, able to write its own VCD: see [`super::compiled::Simulated::saturate_traced`].
    TracedVerilator,
    /// Yosys turns the Verilog to C++ (CXXRTL).
    Cxxrtl,
    /// Yosys synthesises the Verilog as for `txbar synth`; Verilator compiles the netlist with models of the cells.
    Netlist(&'static Synthesis),
    /// The same with cells that give nothing away: see `netlist.rs`.
    HarshNetlist(&'static Synthesis),
}

impl Flow {
    /// Its name, as `--engine` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Flow::Verilator => "verilator",
            Flow::TracedVerilator => "verilator with its VCD",
            Flow::Cxxrtl => "cxxrtl",
            Flow::Netlist(synthesis) => synthesis.name,
            Flow::HarshNetlist(_) => "netlist with harsh cells",
        }
    }

    /// All that its library is made of, but for the C++ above the model, as text.
    pub(super) fn recipe(self, export: &Export, effort: Effort) -> Result<String, BuildError> {
        let netlist = match self {
            Flow::Netlist(synthesis) | Flow::HarshNetlist(synthesis) => netlist::recipe(export, synthesis)?,
            _ => String::new(),
        };
        let compilers = self.compilers()?;
        let ours = include_str!("flow.rs").to_owned() + include_str!("netlist.rs");
        Ok(format!("{} {} {compilers}{netlist}{ours}{}", self.name(), self.optimise(effort), export.text))
    }

    /// The versions of what compiles to C++, and of what compiles that.
    fn compilers(self) -> Result<String, BuildError> {
        let simulator = match self {
            Flow::Cxxrtl => run("yosys", YOSYS.command()?.arg("-V"))?,
            _ => run("verilator", VERILATOR.command()?.arg("--version"))?,
        };
        Ok(run("g++", CXX.command()?.arg("--version"))? + &simulator)
    }

    /// What the C++ compiler is told.
    fn optimise(self, effort: Effort) -> &'static str {
        match (self, effort) {
            (_, Effort::Best) => "-O3",
            // without optimisation it is compiled in a third of the time, runs at a thirtieth of the speed, and wants a deep stack
            (Flow::Cxxrtl, Effort::Quick) => "-O1",
            (_, Effort::Quick | Effort::Quickest) => "-O0",
        }
    }

    /// Compiles a design into a shared library [`LIBRARY`] in `directory`. `above` is C++ that stands above the class `Model`.
    pub(super) fn library(
        self,
        export: &Export,
        above: &str,
        effort: Effort,
        directory: &Path,
    ) -> Result<(), BuildError> {
        let optimise = self.optimise(effort);
        match self {
            Flow::Verilator | Flow::TracedVerilator => {
                fs::write(directory.join("unit.v"), &export.text)?;
                let options = if self == Flow::TracedVerilator { &[TRACE][..] } else { &[] };
                verilated(export, &["unit.v"], options, above, optimise, directory)
            }
            Flow::Cxxrtl => cxxrtl(export, above, optimise, directory),
            Flow::Netlist(synthesis) | Flow::HarshNetlist(synthesis) => {
                let (cells, options) = match self {
                    Flow::Netlist(_) => (Cells::AsTheyAre, &["-Wno-fatal"][..]),
                    _ => (Cells::Harsh, &["-Wno-fatal", "--x-initial", "unique"][..]),
                };
                netlist::synthesise(export, synthesis, cells, directory)?;
                verilated(export, &[netlist::NETLIST, netlist::CELLS], options, above, optimise, directory)
            }
        }
    }
}

/// The file with the library.
pub(super) const LIBRARY: &str = "libdesign.so";

/// Tells Verilator that the model is to be able to write a VCD.
const TRACE: &str = "--trace-vcd";

/// Compiles Verilog files in `directory` with Verilator.
fn verilated(
    export: &Export,
    files: &[&str],
    options: &[&str],
    above: &str,
    optimise: &str,
    directory: &Path,
) -> Result<(), BuildError> {
    let root = run("verilator", VERILATOR.command()?.args(["--getenv", "VERILATOR_ROOT"]))?;
    let include = Path::new(root.trim()).join("include");
    let mut verilator = VERILATOR.command()?;
    verilator.args(["--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--prefix", "Vunit"]).args(options);
    verilator.args(["--top-module", &export.top, "--Mdir", "objects"]).args(files);
    run("verilator", verilator.current_dir(directory))?;
    // one file, because Verilator's headers take longer to read than a small design to compile
    let traced = options.contains(&TRACE);
    let mut text = verilated_model(&export.ports, traced) + above;
    let mut objects: Vec<String> = Vec::new();
    for entry in fs::read_dir(directory.join("objects"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".cpp") {
            objects.push(name);
        }
    }
    objects.sort();
    for name in &objects {
        writeln!(text, "#include \"{name}\"").expect("writing to a String");
    }
    fs::write(directory.join("design.cpp"), text)?;

    let runtime = runtime(&include, optimise)?;
    let mut cxx = compiler(optimise, directory)?;
    verilated_headers(&mut cxx, &include).args(["-I", "objects", "-shared", "-o", LIBRARY, "design.cpp"]);
    run("g++", cxx.arg(runtime.path.join(RUNTIME)))?;
    Ok(())
}

/// The file with Verilator's own functions, compiled.
const RUNTIME: &str = "runtime.o";

/// Verilator's own functions, which take longer to compile than a small design: once for all designs.
fn runtime(include: &Path, optimise: &str) -> Result<Made, BuildError> {
    let key = format!("{optimise} {}{}", Flow::Verilator.compilers()?, include_str!("flow.rs"));
    shelf::once(&key, |directory| {
        fs::write(directory.join("runtime.cpp"), "#include \"verilated.cpp\"\n#include \"verilated_threads.cpp\"\n")?;
        let mut cxx = compiler(optimise, directory)?;
        verilated_headers(&mut cxx, include).args(["-c", "-o", RUNTIME, "runtime.cpp"]);
        run("g++", &mut cxx).map(drop)
    })
}

/// Tells the C++ compiler where Verilator's headers are, and what they want to know.
fn verilated_headers<'a>(cxx: &'a mut Command, include: &Path) -> &'a mut Command {
    cxx.args(["-pthread", "-DVL_TIME_CONTEXT"]).arg("-I").arg(include).arg("-I").arg(include.join("vltstd"))
}

/// A class `Model` around Verilator's `Vunit`. What is not initialised is random. One that is traced writes a VCD while one is
/// open: everything once a cycle, when it has settled.
fn verilated_model(ports: &[ExportedPort], traced: bool) -> String {
    let head = r#"#include "Vunit.h"
#include "verilated.h"
#include <cstdint>

struct Model {
  VerilatedContext context;
  Vunit *m;
#ifdef TRACED
  VerilatedVcdC vcd;
  uint64_t cycle = 0;
  void dump() {
    if (vcd.isOpen()) vcd.dump(10 * cycle++);
  }
#else
  void dump() {}
#endif
  explicit Model(uint64_t seed) {
    context.randReset(2);
    context.randSeed(seed & 0x7fffffff);
    m = new Vunit{&context};
    m->clk = 0;
    m->rst = 0;
#ifdef TRACED
    context.traceEverOn(true);
    m->trace(&vcd, 99);
#endif
  }
  ~Model() {
    m->final();
    delete m;
  }
  void settle() {
    m->clk = 0;
    m->eval();
    dump();
  }
  void clock(uint32_t reset) {
    if (m->rst != reset) {
      m->rst = reset;
      m->eval();
    }
    m->clk = 1;
    m->eval();
  }
"#;
    // its templates are to be seen whole before they are used
    let traced = if traced { "#define TRACED\n#include \"verilated_vcd_c.cpp\"\n" } else { "" };
    model(&format!("{traced}{head}"), ports, |name| (format!("m->{name} = value"), format!("m->{name}")))
}

/// Yosys writes C++, which wants headers that come with it.
fn cxxrtl(export: &Export, above: &str, optimise: &str, directory: &Path) -> Result<(), BuildError> {
    fs::write(directory.join("unit.v"), &export.text)?;
    let top = &export.top;
    let script = format!("read_verilog unit.v; hierarchy -check -top {top}; write_cxxrtl -g0 unit.cc");
    // yosys from a wheel has a file system of its own: it sees the directory only as the current one
    run("yosys", YOSYS.command()?.args(["-q", "-p", &script]).current_dir(directory))?;
    fs::create_dir_all(directory.join("include/cxxrtl/capi"))?;
    for header in ["cxxrtl.h", "capi/cxxrtl_capi.h"] {
        let copy = format!("write_file include/cxxrtl/{header} +/include/backends/cxxrtl/runtime/cxxrtl/{header}");
        let copied = tools::output(YOSYS.command()?.args(["-q", "-p", &copy]).current_dir(directory))?;
        if !copied.status.success() {
            return Err(CXXRTL_HEADERS.missing().into());
        }
    }
    fs::write(directory.join("design.cpp"), cxxrtl_model(export) + above)?;
    run("g++", compiler(optimise, directory)?.args(["-I", "include", "-shared", "-o", LIBRARY, "design.cpp"]))?;
    Ok(())
}

/// A class `Model` around what `write_cxxrtl` writes. Names are written with two underscores for one.
fn cxxrtl_model(export: &Export) -> String {
    let mangled = |name: &str| format!("p_{}", name.replace('_', "__"));
    let head = format!(
        r#"#include "unit.cc"
#include <cstdint>

struct Model {{
  cxxrtl_design::{top} m;
  uint32_t held = 0;
  explicit Model(uint64_t) {{}}
  void settle() {{
    m.p_clk.set<uint32_t>(0);
    m.step();
  }}
  void clock(uint32_t reset) {{
    if (held != reset) {{
      held = reset;
      m.p_rst.set<uint32_t>(reset);
      m.step();
    }}
    m.p_clk.set<uint32_t>(1);
    m.step();
  }}
"#,
        top = mangled(&export.top)
    );
    model(&head, &export.ports, |name| {
        let pin = mangled(name);
        (format!("m.{pin}.set<uint64_t>(value)"), format!("m.{pin}.get<uint64_t>()"))
    })
}

/// Ends a class `Model` with a function for each pin. `access` says how one is set and got.
fn model(head: &str, ports: &[ExportedPort], access: impl Fn(&str) -> (String, String)) -> String {
    let mut text = head.to_owned();
    for ExportedPort { name, direction, .. } in ports.iter().filter(|port| port.is_data()) {
        let (set, get) = access(name);
        match *direction {
            "input" => writeln!(text, "  void {name}(uint64_t value) {{ {set}; }}"),
            _ => writeln!(text, "  uint64_t {name}() const {{ return {get}; }}"),
        }
        .expect("writing to a String");
    }
    text + "};\n\n"
}

/// The C++ compiler in a directory, told what everything in a library is compiled with.
fn compiler(optimise: &str, directory: &Path) -> Result<Command, BuildError> {
    let mut cxx = CXX.command()?;
    cxx.args(["-std=c++17", "-fPIC", "-fno-semantic-interposition", "-fvisibility=hidden", optimise]);
    cxx.current_dir(directory);
    Ok(cxx)
}
