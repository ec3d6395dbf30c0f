//! The exported Verilog pleases the tools: linters have nothing to say, synthesis finds no latch and nothing undriven, and
//! the memory becomes block RAM.

use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;
use txbar_export::manifest::Manifest;
use txbar_export::tools::{IVERILOG, Tool, VERILATOR, YOSYS};
use txbar_export::verilog::{self, Export};
use txbar_rtl::any::AnyUnit;
use txbar_rtl::board::bridge_top::BridgeTop;
use txbar_rtl::board::parameters::BoardParameters;
use txbar_rtl::board::self_test::SelfTest;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::hdl::Part;
use txbar_rtl::hdl::verilog::find_loop;
use txbar_rtl::names::names;
use txbar_rtl::parameters::{Build, Design, Parameters};
use txbar_rtl::warp::WarpUnit;
use txbar_rtl::warp::parameters::WarpParameters;

/// Every number of ports, and the ends of every other range.
fn parameter_sets() -> Vec<Parameters> {
    let mut sets: Vec<Parameters> =
        (1..=8).map(|ports| Parameters { ports, banks: 1, ..Parameters::default() }).collect();
    sets.extend([2, 8, 32].map(|banks| Parameters { banks, ..Parameters::default() }));
    sets.push(Parameters { ports: 2, banks: 2, waiters: 0, ..Parameters::default() });
    sets.extend([1, 4].map(|ports| Parameters {
        ports,
        banks: 1,
        waiters: 0,
        counters: ports > 1,
        ..Parameters::default()
    }));
    sets.push(Parameters { counters: false, ..Parameters::default() });
    sets.push(Parameters::high_clock(512));
    // words so few that the lookahead shifts their number out whole
    sets.push(Parameters::high_clock(16));
    sets.push(Parameters { checked: true, ..Parameters::default() });
    sets.push(Parameters { ports: 1, banks: 1, waiters: 0, checked: true, counters: false, ..Parameters::default() });
    sets.push(Parameters {
        ports: 1,
        banks: 1,
        words: 16,
        tag_bits: 1,
        queue_depth: 1,
        waiters: 1,
        clock_ns: 1,
        ..Parameters::default()
    });
    sets.push(Parameters {
        ports: 8,
        banks: 2,
        words: 65536,
        tag_bits: 16,
        queue_depth: 64,
        waiters: 64,
        clock_ns: 1000,
        ..Parameters::default()
    });
    sets.push(Parameters {
        ports: 3,
        banks: 8,
        words: 128,
        tag_bits: 3,
        queue_depth: 5,
        waiters: 5,
        clock_ns: 7,
        clock_ps: 143,
        ..Parameters::default()
    });
    sets
}

/// Every number of ports, and the ends of the other ranges.
fn cluster_sets() -> Vec<ClusterParameters> {
    let set = |[ctas, ports, banks, words, waiters, lanes]: [usize; 6],
               [link_cycles, remote_depth, warps, copiers, outstanding, bursts, tensors]: [usize; 7],
               checked| {
        let unit = Parameters { ports, banks, words, waiters, checked, counters: !checked, ..Parameters::default() };
        let parameters = ClusterParameters {
            unit,
            ctas,
            link_cycles,
            remote_depth,
            warps,
            copiers,
            outstanding,
            bursts,
            tensors,
            lanes,
            warp_memory: lanes > 1 && banks > 1,
        };
        parameters.check().expect("it can be built")
    };
    // with the wake mask
    let mut masked = set([2, 2, 4, 64, 8, 0], [2, 4, 3, 4, 2, 3, 0], true);
    masked.unit.wake_mask = true;
    masked.check().expect("it can be built");
    vec![
        masked,
        set([1, 1, 1, 16, 0, 0], [1, 1, 1, 1, 1, 1, 0], false),
        set([1, 4, 4, 64, 3, 32], [64, 64, 32, 64, 32, 16, 0], true),
        set([2, 2, 1, 32, 2, 4], [1, 1, 3, 5, 2, 3, 16], true),
        set([2, 6, 32, 65536, 64, 0], [8, 32, 4, 16, 8, 16, 7], false),
        set([3, 3, 2, 128, 0, 0], [3, 5, 7, 3, 4, 9, 1], false),
        set([8, 5, 4, 64, 5, 1], [2, 7, 17, 33, 1, 2, 0], true),
    ]
}

fn cluster(parameters: &ClusterParameters) -> Export {
    verilog::cluster(parameters, "txbar").expect("`txbar` is an identifier")
}

/// All the exports that linters look at, with a name for each. The largest, which take them longest, only if `TXBAR_ALL_SETS` is set: they
/// repeat what is in smaller ones.
fn exports() -> impl Iterator<Item = (String, Export)> {
    let all = ["TXBAR_ALL", "TXBAR_ALL_SETS"].iter().any(|variable| std::env::var_os(variable).is_some());
    let units = parameter_sets().into_iter().filter(move |set| all || set.ports * set.banks <= 32);
    let clusters =
        cluster_sets().into_iter().filter(move |set| all || set.ctas * set.unit.ports * set.unit.banks <= 32);
    let units = units.map(|parameters| (parameters.label(), export(&parameters)));
    units.chain(clusters.map(|parameters| (parameters.label(), cluster(&parameters))))
}

fn export(parameters: &Parameters) -> Export {
    verilog::unit(parameters, "txbar").expect("`txbar` is an identifier")
}

/// An exported file in a directory of its own.
fn on_disk(export: &Export) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = directory.path().join("unit.v");
    std::fs::write(&path, &export.text).expect("it can be written");
    (directory, path)
}

fn command(tool: Tool) -> Command {
    tool.command().unwrap_or_else(|missing| panic!("{missing}"))
}

/// Runs a command that must succeed; gives all that it says.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("the tool can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{text}");
    text
}

/// The simulation runs every process once a cycle, in an order that is written by hand. There is one if nothing takes itself to
/// say what it is; `rtl::schedule` looks whether the written one is of that kind.
#[test]
fn no_signal_depends_on_itself() {
    let none = |design: &dyn Part, parameters: &dyn Design| {
        assert_eq!(find_loop(design, parameters, &names()), None, "{}", parameters.label());
    };
    let banked = Parameters::banked_high_clock(4, 8);
    for parameters in parameter_sets().into_iter().chain([banked]) {
        none(&AnyUnit::new(&parameters), &parameters);
    }
    for parameters in cluster_sets() {
        none(&Cluster::new(&parameters), &parameters);
    }
    for (lanes, warp_ports) in [(1, 1), (32, 4)] {
        let parameters = WarpParameters { lanes, warp_ports, ..WarpParameters::default() };
        none(&WarpUnit::new(&parameters), &parameters);
    }
    let board = BoardParameters::self_test(Parameters::default(), 217, 100);
    none(&SelfTest::new(&board), &board);
    let board = BoardParameters::bridge(Parameters::default(), 217, 100);
    none(&BridgeTop::new(&board), &board);
}

#[test]
fn verilator_has_no_complaint() {
    for (label, export) in exports() {
        let (_directory, file) = on_disk(&export);
        let said = run(command(VERILATOR).args(["--lint-only", "-Wall", "--top-module", &export.top]).arg(file));
        assert!(!said.contains("%Warning"), "{label}: {said}");
    }
}

#[test]
fn icarus_has_no_complaint() {
    for (label, export) in exports() {
        let (directory, file) = on_disk(&export);
        let said = run(command(IVERILOG).args(["-Wall", "-g2005", "-o"]).arg(directory.path().join("out")).arg(file));
        assert_eq!(said, "", "{label}");
    }
}

/// Cells of a synthesised unit, by kind.
fn synthesise(parameters: &Parameters, flow: &str) -> serde_json::Value {
    cells(&export(parameters), flow)
}

/// Cells of a synthesised design, by kind.
fn cells(export: &Export, flow: &str) -> serde_json::Value {
    let (directory, _) = on_disk(export);
    let script = format!(
        "read_verilog unit.v; hierarchy -check -top {top}; proc; check -assert; {flow} -top {top}; \
         tee -q -o stat.json stat -json",
        top = export.top,
    );
    // yosys from a wheel has a /tmp of its own: it sees the directory only as the current one
    let said = run(command(YOSYS).args(["-p", &script]).current_dir(directory.path()));
    for line in said.lines() {
        let latch = line.contains("Latch inferred for signal");
        assert!(!latch && !line.starts_with("Warning"), "{}: {line}", export.top);
    }
    let text = std::fs::read_to_string(directory.path().join("stat.json")).expect("yosys has written it");
    serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON")["design"]["num_cells_by_type"].clone()
}

#[test]
fn the_memory_is_block_ram_on_ice40() {
    let cells = synthesise(
        &Parameters { ports: 1, banks: 1, waiters: 0, counters: false, ..Parameters::default() },
        "synth_ice40 -device hx",
    );
    // 512 words of 64 bits are eight blocks of 4 kbit; the response queue may take more
    let blocks = cells["SB_RAM40_4K"].as_u64().expect("there is block RAM");
    assert!((8..=16).contains(&blocks), "{cells}");
    let flip_flops: u64 = cells
        .as_object()
        .expect("cells")
        .iter()
        .filter(|(kind, _)| kind.starts_with("SB_DFF"))
        .map(|(_, count)| count.as_u64().expect("a count"))
        .sum();
    assert!(flip_flops < 2000, "the memory is in flip-flops: {cells}");
}

#[test]
fn the_memory_is_block_ram_on_ecp5() {
    let cells = synthesise(
        &Parameters { ports: 1, banks: 1, waiters: 0, counters: false, ..Parameters::default() },
        "synth_ecp5",
    );
    assert_eq!(cells["DP16KD"].as_u64(), Some(2), "{cells}");
    assert!(cells["TRELLIS_FF"].as_u64().expect("there are flip-flops") < 2000, "{cells}");
}

/// As far as memories: what comes behind is abc's, and takes most of the time.
const AS_FAR_AS_MEMORIES: &str = "synth_ecp5 -run begin:map_gates";

#[test]
fn the_memory_of_eight_ports_is_block_ram_too() {
    let cells = synthesise(
        // without what only makes it larger
        &Parameters { ports: 8, banks: 1, waiters: 0, counters: false, ..Parameters::default() },
        AS_FAR_AS_MEMORIES,
    );
    assert_eq!(cells["DP16KD"].as_u64(), Some(2), "{cells}");
}

fn small_cluster() -> ClusterParameters {
    let unit = Parameters {
        ports: 1,
        banks: 1,
        words: 512,
        tag_bits: 2,
        waiters: 0,
        counters: false,
        ..Parameters::default()
    };
    ClusterParameters {
        unit,
        ctas: 2,
        link_cycles: 1,
        remote_depth: 2,
        warps: 1,
        copiers: 1,
        outstanding: 1,
        bursts: 1,
        tensors: 0,
        lanes: 0,
        warp_memory: false,
    }
}

#[test]
fn the_memories_of_a_cluster_are_block_ram() {
    let cells = cells(&cluster(&small_cluster()), AS_FAR_AS_MEMORIES);
    assert_eq!(cells["DP16KD"].as_u64(), Some(2 * 2), "{cells}");
}

#[test]
fn snapshot_of_a_clusters_manifest() {
    let parameters = small_cluster();
    let export = cluster(&parameters);
    insta::assert_snapshot!("cluster_manifest.json", Manifest::of_cluster(&export, &parameters, "cluster.v").json());
    let pins: String =
        export.ports.iter().map(|pin| format!("{} [{}] {}\n", pin.direction, pin.width, pin.name)).collect();
    insta::assert_snapshot!("cluster_ports", pins);
}

#[test]
fn the_file_is_self_contained_and_conventional() {
    for parameters in parameter_sets() {
        let export = export(&parameters);
        let code: String =
            export.text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
        assert!(!code.contains('$'), "{}: no identifier holds a `$`", parameters.label());
        assert!(!code.contains("`include"));
        let deep = parameters.build == Build::HighClock;
        for (modules, there) in [
            (&["unit", "block_ram", "lut_ram"][..], true),
            (&["round_robin", "bank", "decode", "lane", "alu", "response_queue"], !deep),
            (&["deep", "intake", "ring", "lookahead", "accumulator", "verdict"], deep),
        ] {
            for module in modules {
                let count = code.matches(&format!("\nmodule txbar_{module} ")).count();
                assert_eq!(count, there as usize, "{module} of {}", parameters.label());
            }
        }
        for module in ["waiters", "timer"] {
            let count = code.matches(&format!("\nmodule txbar_{module} ")).count();
            assert_eq!(count, (parameters.waiters > 0) as usize, "{module}: nothing is there that nobody asked for");
        }
        for module in ["combine", "recall", "replay"] {
            let count = code.matches(&format!("\nmodule txbar_{module} ")).count();
            assert_eq!(count, (parameters.ports > 1) as usize, "{module}: one port has nothing to combine");
        }
        for port in ["clk", "rst", "req_valid", "req_ready", "rsp_valid", "rsp_ready"] {
            assert!(export.ports.iter().any(|exported| exported.name == port), "{port}");
        }
        assert!(export.text.contains(&format!("ports = {}, banks = {}, words", parameters.ports, parameters.banks)));
        assert!(export.text.starts_with(concat!("// txbar ", env!("CARGO_PKG_VERSION"))));
    }
}

/// Checked mode costs nothing where it is off: the cells are those that a unit had before there was a checked mode, and its
/// Verilog does not mention it.
#[test]
fn without_checked_mode_there_is_nothing_of_it() {
    let parameters = Parameters {
        ports: 2,
        banks: 2,
        words: 16,
        waiters: 4,
        counters: false,
        whole_groups: false,
        ..Parameters::default()
    };
    let export = export(&parameters);
    let mut verilog = export.text.lines().filter_map(|line| line.split("//").next());
    let is_of_it = |name: &str| {
        name == "hit" || ["shadow", "txbar_check", "checked", "verdict"].iter().any(|word| name.contains(word))
    };
    let mut names = |line: &str| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(is_of_it);
    assert!(!verilog.any(&mut names));
    let cells = |checked| {
        // as far as registers: how many tables there are is abc's luck
        let cells = synthesise(&Parameters { checked, ..parameters }, "synth_ecp5 -run begin:map_luts");
        cells["TRELLIS_FF"].as_u64().expect("there are registers")
    };
    let (off, on) = (cells(false), cells(true));
    assert!(on > off, "{on} {off}");
}

#[test]
fn prefixes_keep_two_configurations_apart() {
    let parameters = Parameters::default();
    let other = verilog::unit(&parameters, "other").expect("`other` is an identifier");
    assert_eq!(other.top, "other_unit");
    assert!(!other.text.lines().any(|line| line.starts_with("module txbar_")));
    assert_eq!(other.text.matches("\nmodule other_").count(), other.text.matches("\nmodule ").count());
    for bad in ["", "1st", "a-b", "a$b", "ä"] {
        let error = verilog::unit(&parameters, bad).expect_err("it is not an identifier");
        assert!(error.to_string().starts_with(&format!("prefix `{bad}` is no Verilog identifier")), "{error}");
    }
}

#[test]
fn snapshot_of_the_verilog() {
    let parameters = Parameters {
        ports: 2,
        banks: 2,
        words: 16,
        tag_bits: 4,
        queue_depth: 6,
        waiters: 4,
        clock_ns: 10,
        ..Parameters::default()
    };
    insta::assert_snapshot!("unit_p2_b2_w16_t4_q6_n4.v", export(&parameters).text);
}

#[test]
fn snapshot_of_the_manifest() {
    let parameters = Parameters {
        ports: 2,
        banks: 2,
        words: 16,
        tag_bits: 4,
        queue_depth: 6,
        waiters: 4,
        clock_ns: 10,
        ..Parameters::default()
    };
    let manifest = Manifest::new(&export(&parameters), &parameters, "unit.v").json();
    insta::assert_snapshot!("unit_p2_b2_w16_t4_q6_n4.json", manifest);
}
