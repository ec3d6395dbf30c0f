//! The tables of the documentation, made from the one definition of word, opcodes, statuses and ports.

use crate::prove::Proof;
use crate::prove::covers::EVENTS;
use crate::prove::list::{self, PROOFS};
use txbar_export::boards::Board;
use txbar_export::manifest::{
    Code, CounterRegister, barrier_acts, copy_kinds, counter_registers, operand_text, put_kinds, reply_text,
};
use txbar_export::tables::{table, with_tables};
use txbar_export::verilog;
use txbar_rtl::board::parameters::Top;
use txbar_rtl::board::protocol::{self, Question, Reply};
use txbar_rtl::copies::reduction::{Action, Element, Reduction};
use txbar_rtl::copies::tensor::verdict::Verdict;
use txbar_rtl::low_latency::counters::{self, Counter};
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_rtl::word::FIELDS;

fn opcodes() -> String {
    let row = |op: &Op| {
        let texts = [op.ptx().to_owned(), operand_text(op.operand()).to_owned(), reply_text(op.reply()).to_owned()];
        [vec![op.code().to_string(), format!("`{}`", op.name()), format!("`{}`", texts[0])], texts[1..].to_vec()]
            .concat()
    };
    table(&["code", "operation", "PTX", "operand", "answer"], Op::ALL.iter().map(row))
}

fn statuses() -> String {
    let row =
        |status: &Status| vec![status.code().to_string(), format!("`{}`", status.name()), status.meaning().to_owned()];
    table(&["code", "status", "meaning"], Status::ALL.iter().map(row))
}

fn precedence() -> String {
    Status::PRECEDENCE.map(|status| format!("`{}`", status.name())).join(", ") + ".\n"
}

fn word() -> String {
    let bits = |lsb: usize, bits: usize| if bits == 1 { lsb.to_string() } else { format!("{}:{lsb}", lsb + bits - 1) };
    let row = |field: &txbar_rtl::word::Field| {
        vec![bits(field.lsb, field.bits), field.name.to_owned(), field.holds.to_owned()]
    };
    table(&["bits", "field", "holds"], FIELDS.iter().map(row))
}

fn counters() -> String {
    let row = |register: CounterRegister| {
        vec![format!("`{:#010x}`", register.address), format!("`{}`", register.name), register.counts]
    };
    let rows = counter_registers().into_iter();
    let (ops, others): (Vec<_>, Vec<_>) =
        rows.partition(|register| register.address < counters::register(Counter::Cycles.number()));
    let (Some(first), Some(last)) = (ops.first(), ops.last()) else { unreachable!("there are operations") };
    let all_ops = vec![
        format!("`{:#010x}` to `{:#010x}`", first.address, last.address),
        format!("`{}` to `{}`", first.name, last.name),
        "Operations done, one register an opcode: base + 8 x code.".to_owned(),
    ];
    table(&["address", "register", "counts"], std::iter::once(all_ops).chain(others.into_iter().map(row)))
}

/// Ports of a unit with one port and one bank; those of further ones differ in the number at the end. It is one that has all
/// that some unit has.
fn ports() -> String {
    let parameters = Parameters { waiters: 1, ..Parameters::banked_high_clock(1, 1) };
    let export = verilog::unit(&parameters, "txbar").expect("`txbar` is an identifier");
    let row = |port: verilog::ExportedPort| {
        let width = match port.name.as_str() {
            "req_valid" | "req_ready" | "rsp_valid" | "rsp_ready" | "rsp_resumed" | "remote_pending" => {
                "ports".to_owned()
            }
            "done_valid" | "done_suspended" | "wake_valid" => "ports; banks".to_owned(),
            "flip_valid" | "bank_stall" => "banks".to_owned(),
            "req_tag_0" | "rsp_tag_0" | "done_tag_0" => "tag-bits".to_owned(),
            "done_index_0" | "flip_index_0" => "log2(words)".to_owned(),
            _ => port.width.to_string(),
        };
        vec![format!("`{}`", port.name.replace("_0", "_k")), port.direction.to_owned(), width, port.description]
    };
    table(&["port", "direction", "width", "carries"], export.ports.into_iter().map(row))
}

/// Ports for warps: of a unit with one of them, and warps of one lane.
fn warp_ports() -> String {
    warp_table(false, |_| true)
}

/// Ports for loads and stores of warps alone.
fn warp_memory() -> String {
    warp_table(true, is_of_memory)
}

/// Whether a port is one for loads and stores of warps.
fn is_of_memory(name: &str) -> bool {
    ["warp_req_size", "warp_req_lower", "warp_req_upper", "warp_mem"].iter().any(|start| name.starts_with(start))
}

/// Ports for warps, with loads and stores or without, whose names are asked for.
fn warp_table(memory: bool, asked: impl Fn(&str) -> bool) -> String {
    let parameters = WarpParameters { lanes: 1, memory, ..WarpParameters::default() };
    let export = verilog::warp_unit(&parameters, "txbar").expect("`txbar` is an identifier");
    let row = |port: verilog::ExportedPort| {
        let name = match port.name.strip_suffix("_0_0") {
            Some(field) => format!("{field}_k_l"),
            None => port.name.replace("_0", "_k"),
        };
        let width = match name.as_str() {
            "warp_req_mask_k" | "warp_rsp_lanes_k" | "warp_rsp_predicates_k" | "warp_mem_lanes_k" => "lanes",
            "warp_req_tag_k" | "warp_rsp_tag_k" | "warp_mem_tag_k" => "tag-bits",
            _ => &port.width.to_string(),
        };
        vec![format!("`{name}`"), port.direction.to_owned(), width.to_owned(), port.description]
    };
    let shown = export.ports.into_iter().filter(|port| port.name.starts_with("warp_") && asked(&port.name));
    table(&["port", "direction", "width", "carries"], shown.map(row))
}

fn codes(codes: Vec<Code>) -> String {
    let row = |code: Code| vec![code.code.to_string(), format!("`{}`", code.name), format!("`{}`", code.ptx)];
    table(&["code", "name", "PTX"], codes.into_iter().map(row))
}

/// Operations of reductions, and on which types each memory does them.
fn reductions() -> String {
    let does = |action: &Action, rule: fn(Reduction) -> bool| {
        let types = Element::ALL.iter().filter(|element| rule(Reduction { action: *action, element: **element }));
        types.map(|element| format!("`{}`", element.name())).collect::<Vec<_>>().join(", ")
    };
    let row = |action: &Action| {
        let [shared, global] = [does(action, Reduction::is_for_shared), does(action, Reduction::is_for_global)];
        vec![action.code().to_string(), format!("`{}`", action.name()), shared, global]
    };
    table(&["bits 3:0", "operation", "in shared memory", "in global memory"], Action::ALL.iter().map(row))
}

/// Types of the elements of reductions.
fn reduction_types() -> String {
    let row = |element: &Element| {
        vec![element.code().to_string(), format!("`{}`", element.name()), element.bytes().to_string()]
    };
    table(&["bits 6:4", "type", "bytes"], Element::ALL.iter().map(row))
}

/// Fields of a frame of the bridge.
fn frame(fields: &[protocol::Field]) -> String {
    let row = |field: &protocol::Field| {
        let (first, last) = (field.lsb / 8, (field.lsb + field.bits - 1) / 8);
        let bytes = if first == last { first.to_string() } else { format!("{first} to {last}") };
        let (low, high) = (field.lsb % 8, (field.lsb + field.bits - 1) % 8);
        let bits = match (first == last, low == high) {
            (true, true) => low.to_string(),
            (true, false) => format!("{high}:{low}"),
            (false, _) => (field.bits - 1).to_string() + ":0",
        };
        vec![bytes, bits, field.name.to_owned(), field.holds.to_owned()]
    };
    table(&["bytes", "bits", "field", "holds"], fields.iter().map(row))
}

/// Kinds of frames: code, name, meaning.
fn kinds(kinds: impl Iterator<Item = (u8, &'static str, &'static str)>) -> String {
    let row = |(code, name, meaning): (u8, &str, &str)| vec![code.to_string(), format!("`{name}`"), meaning.to_owned()];
    table(&["code", "kind", "meaning"], kinds.map(row))
}

/// The boards and what is built for them.
fn boards() -> String {
    let unit = |board: &Board, top: Top| {
        let Parameters { ports, banks, words, waiters, .. } = board.unit(top);
        format!("{ports} x {banks}, {words} words, {waiters} waiters")
    };
    let row = |board: &Board| {
        let clock = format!("{} MHz", board.clock_hz / 1_000_000);
        let tops = Top::ALL.map(|top| unit(board, top));
        [vec![format!("`{}`", board.name), board.title.to_owned(), board.part.to_owned(), clock], tops.to_vec()]
            .concat()
    };
    let header = ["board", "is", "part", "clock", "self-test: ports x banks", "bridge: ports x banks"];
    table(&header, Board::ALL.iter().map(row))
}

fn verdicts() -> String {
    let row = |verdict: &Verdict| {
        vec![verdict.code().to_string(), format!("`{}`", verdict.name()), verdict.meaning().to_owned()]
    };
    table(&["code", "verdict", "meaning"], Verdict::ALL.iter().map(row))
}

fn proofs() -> String {
    let row = |proof: &Proof| {
        let set = if proof.core { "core" } else { "all" };
        let file = proof.harness.file;
        let texts = [format!("[`{}`](../synth/formal/{file})", proof.name), set.to_owned(), proof.says.to_owned()];
        [texts.to_vec(), vec![proof.engine.name().to_owned(), proof.engine.reach(), proof.size()]].concat()
    };
    table(&["proof", "set", "what holds", "engine", "reach", "size"], PROOFS.iter().map(row))
}

/// What the design promises: of each proof of it, how far it looks, and at which size of the hardware.
fn promises() -> String {
    let told = |name: &&str| {
        let proof = list::find(name).expect("a promise names proofs that there are");
        format!("`{name}`: {}, {}", proof.engine.reach(), proof.size())
    };
    let row = |(promise, proofs): &(&str, &[&str])| {
        vec![(*promise).to_owned(), proofs.iter().map(told).collect::<Vec<_>>().join("; ")]
    };
    table(&["promise", "proofs: reach, size"], list::PROMISES.iter().map(row))
}

/// What shows that each proof says something: defects that break it, and events that happen in it.
fn bites() -> String {
    let code = |text: &str| format!("`{}`", text.trim().replace('|', "\\|"));
    let row = |proof: &Proof| {
        let defects = proof.defects.iter().map(|(sound, defect)| format!("{} becomes {}", code(sound), code(defect)));
        let covers = proof.covers.iter().map(|(event, says)| format!("`{event}`: {says}"));
        let join = |texts: Vec<String>| texts.join("; ");
        vec![format!("`{}`", proof.name), join(defects.collect()), join(covers.collect())]
    };
    table(&["proof", "defects that it finds", "events that happen in it"], PROOFS.iter().map(row))
}

/// How many proofs there are, in a line.
pub fn proofs_in_short() -> String {
    let cycles: Vec<usize> = PROOFS.iter().filter_map(|proof| proof.engine.bound()).collect();
    let (fewest, most) = (cycles.iter().min().unwrap_or(&0), cycles.iter().max().unwrap_or(&0));
    let (all, bounded) = (PROOFS.len(), cycles.len());
    format!("{all}: {} unbounded, {bounded} bounded ({fewest} to {most} cycles)", all - bounded)
}

fn events() -> String {
    let row = |(event, says): &(&str, &str)| vec![format!("`{event}`"), (*says).to_owned()];
    table(&["event", "what happens"], EVENTS.iter().map(row))
}

/// The document with its tables as they should be.
pub fn refresh(document: &str) -> String {
    let tables = [
        ("opcodes", opcodes()),
        ("statuses", statuses()),
        ("precedence", precedence()),
        ("word", word()),
        ("counters", counters()),
        ("ports", ports()),
        ("warp-ports", warp_ports()),
        ("warp-memory", warp_memory()),
        ("copy-kinds", codes(copy_kinds())),
        ("tensor-verdicts", verdicts()),
        ("put-kinds", codes(put_kinds())),
        ("reductions", reductions()),
        ("reduction-types", reduction_types()),
        ("barrier-acts", codes(barrier_acts())),
        ("boards", boards()),
        ("board-question", frame(protocol::question::FIELDS)),
        ("board-reply", frame(protocol::reply::FIELDS)),
        ("board-identity", frame(protocol::identity::FIELDS)),
        ("board-questions", kinds(Question::ALL.iter().map(|kind| (kind.code(), kind.name(), kind.meaning())))),
        ("board-replies", kinds(Reply::ALL.iter().map(|kind| (kind.code(), kind.name(), kind.meaning())))),
        ("proofs", proofs()),
        ("promises", promises()),
        ("bites", bites()),
        ("covers", events()),
    ];
    let registers = txbar_export::registers::tables();
    with_tables(document, &[&tables[..], &registers].concat())
}
