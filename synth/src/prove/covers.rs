//! Covers: events that must be reachable, found by the same engines, and drawn.
//!
//! `synth/formal/events.sv` names them. Of each is asserted that it never happens; the inputs that break this are the shortest way to
//! the event.

use super::list::{self, TWO_PORTS_WAITING};
use super::problem::{FlowError, Memory, Problem};
use super::solve::{Answer, Limit, hunt};
use super::trace;
use super::ways::Way;
use std::path::Path;
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;
use txbar_waves::picture::{self, Lane};
use txbar_waves::read::WaveFile;

/// The cycles within which every event is to be reached.
pub const CYCLES: usize = 24;

/// Every event with what it is.
pub const EVENTS: &[(&str, &str)] = &[
    ("flip_by_arrival", "a phase completes by an arrival"),
    ("flip_by_bytes", "a phase completes by bytes"),
    ("flip_by_drop", "a phase completes by a drop"),
    ("fault_operand", "an operand is too large"),
    ("fault_pending", "more arrivals than are pending"),
    ("fault_expected", "more drops than are expected"),
    ("fault_tx", "the tx-count would leave its range"),
    ("fault_sticky", "a word has faulted before"),
    ("distance_1", "two arrivals on a word, one cycle apart"),
    ("distance_2", "two arrivals on a word, two cycles apart"),
    ("distance_3", "two arrivals on a word, three cycles apart"),
    ("distance_4", "two arrivals on a word, four cycles apart"),
    ("combined", "two arrivals in one cycle are done as one"),
    ("split", "two arrivals in one cycle are done one by one"),
    ("woken", "a suspended wait is woken"),
    ("deadline", "the time of a suspended wait is over"),
    ("back_pressure", "a port that takes no answers is not served"),
];

/// Events with a picture in the gallery, and the file of the way that it shows.
const KEPT: &[(&str, &str)] = &[
    ("flip_by_bytes", include_str!("../../formal/ways/flip_by_bytes.json")),
    ("split", include_str!("../../formal/ways/split.json")),
];

/// Whether the gallery has a picture of an event.
pub fn has_picture(event: &str) -> bool {
    KEPT.iter().any(|(name, _)| *name == event)
}

/// The way to an event that is kept with its picture; nothing if it has none.
///
/// # Errors
/// The file is none.
pub fn kept(event: &str) -> Result<Option<Way>, serde_json::Error> {
    KEPT.iter().find(|(name, _)| *name == event).map(|(_, text)| serde_json::from_str(text)).transpose()
}

/// The circuit of all events.
///
/// # Errors
/// Yosys is missing or fails.
pub fn events(directory: &Path) -> Result<Problem, FlowError> {
    let harness = list::harness("events.sv", TWO_PORTS_WAITING, Memory::OneWord);
    harness.problem(&harness.export(), directory)
}

/// The shortest way to an event; nothing if there is none within [`CYCLES`].
///
/// # Errors
/// abc is missing or fails.
pub fn reach(problem: &Problem, event: &str, directory: &Path) -> Result<Option<Vec<Vec<bool>>>, FlowError> {
    let Some(circuit) = problem.cover(event) else { return Ok(None) };
    match hunt(&circuit, CYCLES, Limit::Wall(300), directory)? {
        Answer::Happens(steps) => Ok(Some(steps)),
        _ => Ok(None),
    }
}

/// Draws the way to an event.
///
/// # Errors
/// A temporary file cannot be written.
pub fn draw(problem: &Problem, title: &str, steps: &[Vec<bool>], directory: &Path) -> Result<String, FlowError> {
    let path = directory.join("trace.vcd");
    trace::write_vcd(std::fs::File::create(&path)?, problem, steps)?;
    let ops: Vec<(u64, String)> = Op::ALL.iter().map(|op| (op.code().into(), op.short().to_owned())).collect();
    let status = |status: &Status| (status.code().into(), status.name().to_owned());
    let statuses: Vec<(u64, String)> = Status::ALL.iter().map(status).collect();
    let mut lanes = Vec::new();
    for port in 0..2 {
        let signal = |name: &str| format!("top.dut.{name}_{port}");
        let lane = |name: &str| Lane::of(&signal(name)).called(&format!("{name}_{port}"));
        let (asked, done, shown) = ("top.dut.req_ready", "top.dut.done_valid", "top.dut.rsp_valid");
        lanes.push(lane("req_op").named(&ops).only_if(asked, 1 << port));
        lanes.push(lane("req_address").only_if(asked, 1 << port));
        lanes.push(lane("req_data").only_if(asked, 1 << port));
        lanes.push(lane("done_status").named(&statuses).only_if(done, 1 << port));
        lanes.push(lane("rsp_status").named(&statuses).only_if(shown, 1 << port));
        lanes.push(lane("rsp_predicate").only_if(shown, 1 << port));
    }
    lanes.push(Lane::of("top.dut.flip_valid").called("flip_valid"));
    lanes.push(Lane::of("top.dut.wake_valid").called("wake_valid"));
    let wrong = |error: txbar_waves::read::ReadError| FlowError::File(std::io::Error::other(error.to_string()));
    let mut file = WaveFile::open(&path).map_err(wrong)?;
    lanes.retain(|lane| problem.wires.contains_key(lane.signal.trim_start_matches("top.")));
    picture::draw(&mut file, title, &lanes, 2..steps.len() as u64).map_err(wrong)
}
