//! The flow with the real tools: figures and bitstreams equal those of the tools run by hand.
//!
//! What is built is one block, so that it is quick, and one board. With `TXBAR_BITSTREAMS=1` the block is built for every
//! part, and every top for every board.

use std::fs;
use std::path::Path;
use std::process::Command;
use txbar_export::boards::{BAUD, Board};
use txbar_export::tools::{ICEPACK, NEXTPNR_ICE40, YOSYS};
use txbar_export::verilog;
use txbar_rtl::banked::gather::Gather;
use txbar_rtl::board::parameters::Top;
use txbar_rtl::low_latency::queue::ResponseQueue;
use txbar_rtl::parameters::{Design, Parameters};
use txbar_synth::flow::parts::{PARTS, Part, TOP_MODULE};
use txbar_synth::flow::{self, Outcome, Source, Task, figures};

/// A response queue in the wrapper.
fn queue() -> Source {
    let parameters = Parameters { ports: 1, banks: 1, waiters: 0, counters: false, ..Parameters::default() };
    let block = ResponseQueue::new(parameters.queue_depth);
    let export = verilog::design(&block, &parameters, "txbar").expect("`txbar` is an identifier");
    Source::wrapped(&export, parameters.label())
}

fn part(name: &str) -> &'static Part {
    Part::find(name).expect("it is in the table")
}

fn run(tasks: &[Task]) -> Vec<Outcome> {
    flow::run(tasks, &|_| ()).unwrap_or_else(|error| panic!("{error}"))
}

/// What a tool prints, in a directory.
fn said(command: &mut Command, directory: &Path) -> String {
    let output = command.current_dir(directory).output().expect("it can be started");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success(), "{text}");
    text
}

#[test]
fn figures_are_what_the_tools_say() {
    let source = queue();
    let hx8k = part("ice40-hx8k");
    let once = &run(&[Task::measure(&source, hx8k, 2, true)])[0];

    // the same by hand: the clocks that nextpnr prints, and a count of the netlist's cells
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    fs::write(directory.path().join("design.v"), &source.verilog).expect("it can be written");
    let synthesis = hx8k.family.synthesis.replace(TOP_MODULE, "top");
    let script = format!("read_verilog design.v; {synthesis}; write_json netlist.json");
    said(YOSYS.command().expect("it is installed").args(["-p", &script]), directory.path());
    let mut clocks = Vec::new();
    for seed in ["1", "2"] {
        let mut nextpnr = NEXTPNR_ICE40.command().expect("it is installed");
        nextpnr.args(["--hx8k", "--package", "ct256", "--json", "netlist.json", "--freq", "250", "--seed", seed]);
        nextpnr.args(["--timing-allow-fail", "--asc", &format!("routed_{seed}.txt")]).args(hx8k.family.placing);
        let log = said(&mut nextpnr, directory.path());
        // the last one is that after routing
        let line = log.lines().rev().find(|line| line.contains("Max frequency for clock")).expect("it has a clock");
        let clock = line.rsplit_once("': ").and_then(|(_, rest)| rest.split(' ').next()).expect("and says how fast");
        clocks.push(clock.parse::<f64>().expect("a number"));
    }
    let figures = &once.figures;
    let fmax = figures.fmax_mhz.as_ref().expect("it fits");
    assert_eq!(fmax.each, clocks);
    assert_eq!(fmax.best, clocks[0].max(clocks[1]));
    assert!((fmax.median - (clocks[0] + clocks[1]) / 2.0).abs() < 0.006, "{fmax:?}");
    let routed = if clocks[0] >= clocks[1] { "routed_1.txt" } else { "routed_2.txt" };
    said(ICEPACK.command().expect("it is installed").args([routed, "bitstream"]), directory.path());
    let bitstream = fs::read(directory.path().join("bitstream")).expect("it was written");
    assert!(once.bitstream == Some(Ok(bitstream)), "that of the best seed, the same again");
    let netlist = fs::read_to_string(directory.path().join("netlist.json")).expect("it was written");
    let netlist: serde_json::Value = serde_json::from_str(&netlist).expect("it is JSON");
    let cells = netlist["modules"]["top"]["cells"].as_object().expect("the wrapper has cells");
    let count = |begin: &str| {
        let is = |cell: &&serde_json::Value| cell["type"].as_str().expect("a name").starts_with(begin);
        cells.values().filter(is).count() as u64
    };
    assert_eq!([figures.lut4, figures.ff], [count("SB_LUT4"), count("SB_DFF")]);
    assert_eq!([figures.carry, figures.bram], [count("SB_CARRY"), count("SB_RAM")]);
    assert!(figures.ff > 0 && figures.lut4 > 0);

    // the path has all of the period, and the seed with the median is the slower one of two
    let (logic, routing) = figures.delay();
    let slower = clocks[0].min(clocks[1]);
    assert!((1000.0 / (logic + routing) - slower).abs() < 0.02 * slower, "{logic} + {routing} ns at {slower} MHz");
    assert_eq!(figures.critical_path_seed, Some(if clocks[0] <= clocks[1] { 1 } else { 2 }));
    let known =
        |at: &str| source.verilog.contains(at.trim_start_matches('~').rsplit('.').next().expect("one at least"));
    assert!(figures.critical_path.iter().all(|hop| known(&hop.at)), "{:?}", figures.critical_path);
}

#[test]
fn parts_give_figures_and_bitstreams() {
    let source = queue();
    let all = std::env::var_os("TXBAR_BITSTREAMS").is_some();
    let parts: Vec<&Part> = if all { PARTS.iter().collect() } else { vec![part("ecp5-25f-6")] };
    let tasks: Vec<Task> = parts.iter().map(|part| Task::measure(&source, part, 1, true)).collect();
    for (outcome, part) in run(&tasks).into_iter().zip(parts) {
        let figures = outcome.figures;
        assert_eq!((figures.part.as_str(), figures.speed.as_str()), (part.device, part.speed));
        assert_eq!(figures.failure, None, "{}", part.name);
        assert!(figures.lut4 > 0 && figures.ff > 0, "{figures:?}");
        assert!(!figures.critical_path.is_empty(), "{figures:?}");
        let bitstream = outcome.bitstream.expect("one was wanted").unwrap_or_else(|error| panic!("{error}"));
        assert!(bitstream.len() > 50_000, "{}: {} bytes", part.name, bitstream.len());
    }
}

/// nextpnr takes the buffer that the wrapper of a large design has.
#[test]
fn reset_of_a_large_design_goes_through_the_global_network() {
    let parameters = Parameters::banked_high_clock(4, 8);
    let export = verilog::design(&Gather::new(4), &parameters, "txbar").expect("`txbar` is an identifier");
    let source = Source::wrapped(&export, parameters.label());
    assert!(source.verilog.contains("DCCA "), "it has {} ports", export.ports.len());
    let outcome = run(&[Task::measure(&source, part("ecp5-25f-6"), 1, true)]).remove(0);
    assert_eq!(outcome.figures.failure, None);
    assert!(outcome.figures.fmax_mhz.is_some(), "{:?}", outcome.figures);
    assert!(outcome.bitstream.expect("one was wanted").is_ok());
}

#[test]
fn a_design_that_is_too_large_is_told_with_its_reason() {
    let mut source = queue();
    // more flip-flops than the part has, none of which is another's twin
    source.verilog = "module top (input clk, input rst, input serial, output parity);\n  reg [5999:0] chain;\n  \
                      always @(posedge clk) chain <= {chain[5899:0], {100{serial}} ^ chain[5999:5900]};\n  \
                      assign parity = ^chain[5999:5900];\nendmodule\n"
        .to_owned();
    let outcome = run(&[Task::measure(&source, part("ice40-up5k"), 2, true)]).remove(0);
    let failure = outcome.figures.failure.expect("it has 5280 cells");
    assert!(failure.contains("ICESTORM_LC"), "{failure}");
    assert_eq!((outcome.figures.ff, outcome.figures.fmax_mhz), (6000, None));
    assert_eq!(outcome.bitstream, Some(Err("the design does not fit".to_owned())));
}

#[test]
fn verilog_that_yosys_refuses_is_told() {
    let mut source = queue();
    source.verilog = "module top (input clk); nonsense endmodule".to_owned();
    let error =
        flow::run(&[Task::measure(&source, part("ice40-hx8k"), 1, false)], &|_| ()).expect_err("it is no Verilog");
    assert!(error.to_string().starts_with("yosys failed: "), "{error}");
}

#[test]
fn boards_have_bitstreams_that_meet_their_clocks() {
    // one that is quick to build, or all
    let all = std::env::var_os("TXBAR_BITSTREAMS").is_some();
    let boards: Vec<&'static Board> = Board::ALL.iter().filter(|board| all || board.name == "icebreaker").collect();
    let tops = if all { Top::ALL.to_vec() } else { vec![Top::Bridge] };
    let sources: Vec<(&'static Board, Source)> = boards
        .iter()
        .flat_map(|&board| tops.iter().map(move |&top| (board, top)))
        .map(|(board, top)| (board, Source::of_board(board, top, BAUD).expect("its clock has the usual baud rate")))
        .collect();
    let tasks: Vec<Task> = sources
        .iter()
        .map(|(board, source)| Task::on(board, Part::on(board).expect("it is in the table"), source, 1))
        .collect();
    for (outcome, (board, source)) in run(&tasks).into_iter().zip(&sources) {
        let figures = outcome.figures;
        assert_eq!((figures.board.as_deref(), &figures.top), (Some(board.name), &source.design));
        assert_eq!(figures.goal_mhz, f64::from(board.clock_hz) / 1e6, "nextpnr has the clock of the board");
        assert!(figures.passes(), "{}", figures::against_clock(&figures));
        let bitstream = outcome.bitstream.expect("it is always wanted").unwrap_or_else(|error| panic!("{error}"));
        assert!(bitstream.len() > 100_000, "{}: {} bytes", source.design, bitstream.len());
    }
}
