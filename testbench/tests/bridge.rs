//! The bridge, with bits on its line: recordings replayed over it, and what a bad line does.

use txbar_rtl::board::parameters::BoardParameters;
use txbar_rtl::board::protocol::{self, FLAG, framed, question};
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_testbench::check::replay;
use txbar_testbench::request::Request;
use txbar_testbench::silicon::{self, Record};
use txbar_testbench::test_env;
use txbar_testbench::wire::Line;
use txbar_testbench::wire::host::{Host, HostError};
use txbar_testbench::wire::simulated::{Noise, SimulatedBoard};

fn parameters(ports: usize, banks: usize, waiters: usize) -> BoardParameters {
    let unit = Parameters { ports, banks, waiters, words: 128, ..Parameters::default() };
    BoardParameters::bridge(unit, 4, 1000).check().expect("it can be built")
}

fn small() -> BoardParameters {
    let unit = Parameters { ports: 1, banks: 1, waiters: 0, counters: false, words: 512, ..Parameters::default() };
    BoardParameters::bridge(unit, 4, 1000).check().expect("it can be built")
}

/// What faults or is at a limit, and every 20th record of the others; all of them if `TXBAR_ALL_RECORDS` is set.
fn records() -> Vec<Record> {
    let read = |name, text: &str| silicon::read(name, text.as_bytes()).expect("the recordings are sound");
    let step = if test_env::all("RECORDS") { 1 } else { 20 };
    let legal = read("legal", silicon::LEGAL).into_iter().step_by(step);
    [("edge", silicon::EDGE), ("faults", silicon::FAULTS)]
        .map(|(name, text)| read(name, text))
        .concat()
        .into_iter()
        .chain(legal)
        .collect()
}

fn seed() -> u64 {
    test_env::seed_or(|| 1)
}

#[test]
fn recordings_come_out_as_on_the_h200() {
    for parameters in [small(), parameters(4, 2, 8)] {
        let mut host = Host::connect(SimulatedBoard::new(&parameters)).expect("the bridge is there");
        let records = records();
        let replay = replay(&mut host, &records, |_| {});
        assert!(host.failure().is_none());
        assert_eq!(replay.mismatches, []);
        assert_eq!(replay.matched, records.len());
        assert_eq!(host.errors(), Default::default(), "nothing is sent twice over a good line");
    }
}

#[test]
fn a_bridge_says_what_it_is() {
    let parameters = parameters(4, 2, 8);
    let host = Host::connect(SimulatedBoard::new(&parameters)).expect("the bridge is there");
    let is = host.identity();
    let Parameters { ports, banks, words, waiters, clock_ns, counters, checked, .. } = parameters.unit;
    assert_eq!((is.ports, is.banks, is.words, is.waiters), (ports, banks, words, waiters));
    assert_eq!((is.clock_ns, is.counters, is.checked, is.version), (clock_ns, counters, checked, protocol::VERSION));
}

/// Whatever the line does, every request is done exactly once and every answer is right.
#[test]
fn noise_costs_time_and_nothing_else() {
    let records: Vec<Record> = records().into_iter().take(120).collect();
    let mut damaged = [0; 2];
    for (round, (flipped, lost)) in [(60, 10_000), (10_000, 60), (100, 100), (80, 60)].into_iter().enumerate() {
        let noise = Noise::new(flipped, lost, seed() + round as u64);
        let mut host = Host::connect(SimulatedBoard::noisy(&small(), noise)).expect("the bridge is there");
        let replay = replay(&mut host, &records, |_| {});
        assert!(host.failure().is_none());
        assert_eq!((replay.mismatches, replay.matched), (vec![], records.len()));
        // replays store the word again, so arrivals that are counted one by one are the sharper test
        let one = Request::new(Op::Arrive, 0).with(1);
        let requests = [vec![Request::new(Op::Init, 0).with(1000)], vec![one; 300]].concat();
        let answers = host.ask(&requests).unwrap_or_else(|error| panic!("{error}"));
        for (position, answer) in answers.iter().enumerate().skip(1) {
            let token = answer.expect("an arrival is answered").data;
            assert_eq!((1 << 20) - (token >> 43 & 0xf_ffff), 1001 - position as u64, "arrival {position}");
        }
        let errors = host.errors();
        damaged = [damaged[0] + errors.damaged_here, damaged[1] + errors.damaged_there];
    }
    assert!(damaged.iter().all(|damaged| *damaged > 50), "{damaged:?}");
}

#[test]
fn a_line_that_only_hums_ends_with_an_error() {
    let error = Host::connect(SimulatedBoard::noisy(&small(), Noise::new(1, 2, seed()))).map(|_| ()).unwrap_err();
    assert!(matches!(error, HostError::NoAnswer), "{error}");
    assert!(error.to_string().starts_with("no answer: is the bridge on the board"));
}

#[test]
fn a_host_may_begin_in_the_middle_of_anything() {
    let mut board = SimulatedBoard::new(&small());
    let mut half = [0; question::BYTES];
    question::field("kind").put(&mut half, protocol::Question::Request.code().into());
    let mut host_bytes = framed(&half);
    host_bytes.truncate(9);
    for stale in [vec![0; 40], vec![0x55; 100], host_bytes, vec![FLAG; 9], vec![protocol::ESCAPE]] {
        board.push(&stale);
        for _ in 0..50_000 {
            board.cycle(&mut |_| {});
        }
        board.take();
        let mut host = Host::connect(board).expect("the bridge is there");
        let answers = host.ask(&[Request::new(Op::Store, 8).with(7), Request::new(Op::Load, 8)]);
        assert_eq!(answers.expect("they are answered")[1].expect("loads are answered").data, 7);
        // and in the middle of what the host before was at
        host.line_mut().push(&framed(&half)[..7]);
        let taken = std::mem::replace(host.line_mut(), SimulatedBoard::new(&small()));
        board = taken;
    }
}

/// The replies to bytes that are sent as they are, kind and number of each.
fn replies(board: &mut SimulatedBoard, bytes: &[u8]) -> Vec<(u64, u64)> {
    board.send(bytes).expect("a simulated line is sound");
    let mut heard = Vec::new();
    loop {
        let before = heard.len();
        board.receive(&mut heard).expect("a simulated line is sound");
        if heard.len() == before {
            break;
        }
    }
    let field = |content: &[u8], name| protocol::reply::field(name).of(content);
    let frames = heard.split(|byte| *byte == FLAG).filter(|frame| !frame.is_empty());
    let plain = |frame: &[u8]| {
        let mut escaped = false;
        let meant = frame.iter().filter_map(|byte| {
            let was = std::mem::replace(&mut escaped, *byte == protocol::ESCAPE);
            (!escaped).then_some(if was { byte ^ protocol::ESCAPED_BIT } else { *byte })
        });
        meant.collect::<Vec<u8>>()
    };
    frames.map(plain).map(|frame| (field(&frame, "kind"), field(&frame, "number"))).collect()
}

fn request(number: u64, kind: u64, op: Op, port: u64) -> Vec<u8> {
    let mut content = [0; question::BYTES];
    for (name, value) in [("number", number), ("kind", kind), ("op", op.code().into()), ("port", port), ("strobe", 255)]
    {
        question::field(name).put(&mut content, value);
    }
    framed(&content)
}

#[test]
fn numbers_decide_what_is_done() {
    use protocol::Reply::{Answer, Damaged, Gap, Identity};
    let mut board = SimulatedBoard::new(&parameters(2, 2, 8));
    let mut expect = |bytes: &[u8], kind: protocol::Reply, number: u64| {
        assert_eq!(replies(&mut board, bytes), [(kind.code().into(), number)]);
    };
    expect(&request(99, 1, Op::Load, 0), Identity, 100);
    expect(&request(100, 2, Op::Init, 0), Answer, 100);
    expect(&request(100, 2, Op::Init, 0), Answer, 100); // again
    expect(&request(102, 2, Op::Init, 0), Gap, 101); // one is missing
    expect(&request(99, 2, Op::Init, 0), Gap, 101); // not of this session
    expect(&request(101, 2, Op::Load, 1), Answer, 101);
    expect(&request(102, 2, Op::Load, 2), Damaged, 102); // there is no such port
    expect(&request(102, 7, Op::Load, 0), Damaged, 102); // nor such a kind
    expect(&request(102, 2, Op::BulkCompleteTx, 0), Answer, 102); // posted, and acknowledged
    for number in 103..130 {
        expect(&request(number, 2, Op::Load, 0), Answer, number);
    }
    expect(&request(113, 2, Op::Load, 0), Gap, 130); // too long ago
    expect(&request(114, 2, Op::Load, 0), Answer, 114);
    expect(&request(255, 1, Op::Load, 0), Identity, 0); // numbers wrap
    expect(&request(0, 2, Op::Load, 0), Answer, 0);
}

#[test]
fn posted_requests_are_acknowledged_and_waits_come_back_late() {
    let mut host = Host::connect(SimulatedBoard::new(&parameters(2, 2, 8))).expect("the bridge is there");
    let wait = Request::new(Op::TryWaitParity, 64).with(200_000 << 32); // 20,000 cycles: some requests fit in
    let requests = [
        Request::new(Op::Init, 64).with(1),
        wait.tagged(3),
        Request::new(Op::Init, 0).with(5),
        Request::new(Op::CpAsyncArrive, 0),
        Request::new(Op::Load, 0),
        Request::new(Op::Arrive, 64).with(1),
        Request::new(Op::PendingCount, 0).with(0x7fff_f000 << 32),
        Request::new(Op::Load, 4),
    ];
    let answers = host.ask(&requests).unwrap_or_else(|error| panic!("{error}"));
    let answer = |position: usize| answers[position].expect("it is answered");
    assert!(answers[3].is_none(), "a posted request has no answer");
    assert_eq!((1 << 20) - (answer(4).data >> 43 & 0xf_ffff), 4, "but it is done");
    assert!(answer(1).predicate && answer(1).resumed && answer(1).tag == 3);
    assert_eq!(answer(6).data, 2);
    assert_eq!(answer(7).status(), Some(Status::Misaligned));
    assert_eq!(host.errors(), Default::default());
}
