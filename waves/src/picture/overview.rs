//! Default selection of signals for a picture.

use super::lane::{Lane, Manner, Track};
use crate::read::{ReadError, WaveFile, WaveValue, value_at};
use crate::write::CYCLE_NS;
use std::collections::BTreeSet;
use std::ops::Range;
use txbar_rtl::cluster::rendezvous::Act;
use txbar_rtl::op::Op;

/// Barriers of a unit in an overview: more of them would fill the picture.
const BARRIERS_SHOWN: usize = 2;
/// CTAs that are in it.
const CTAS_SHOWN: usize = 2;
/// Addresses of barriers that are listed.
const LISTED: usize = 8;
/// Bytes of a word.
const BYTES_OF_WORD: u64 = 8;

/// What one wants to see first of some cycles.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// The lanes to draw.
    pub lanes: Vec<Lane>,
    /// Byte addresses of barriers that are drawn; in a cluster, of any CTA that is.
    pub drawn: BTreeSet<u64>,
    /// Byte addresses of barriers that are not.
    pub left_out: BTreeSet<u64>,
    /// CTAs that are drawn, and how many there are; none for a unit alone.
    pub ctas: Option<[usize; 2]>,
}

impl Overview {
    /// What is not drawn, and how it can be; nothing if everything is drawn. A line each.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.left_out.is_empty() {
            let (drawn, all) = (self.drawn.len(), self.drawn.union(&self.left_out).count());
            let listed = self.left_out.iter().take(LISTED).map(|address| format!("{address:#x}")).collect::<Vec<_>>();
            let more = if self.left_out.len() > LISTED { ",..." } else { "" };
            let listed = listed.join(",");
            remarks.push(format!("{drawn} of {all} barriers are drawn; others with --barriers {listed}{more}"));
        }
        if let Some([drawn, all]) = self.ctas.filter(|[drawn, all]| drawn < all) {
            remarks.push(format!("CTAs 0 to {} of {all} are drawn; signals of others with --signals", drawn - 1));
        }
        remarks
    }
}

/// An overview of some cycles: each request as it is accepted, barriers as they change, answers as they go; of a cluster also what is
/// copied, what comes from other CTAs, and rounds of `barrier.cluster`. Of the barriers those at the addresses `wanted`; or, if there are
/// none, the first two with which something happens. Words that have not been initialised as barriers are left alone.
///
/// # Errors
/// The file cannot be read, or an address that is wanted is that of no barrier.
pub fn overview(file: &mut WaveFile, cycles: Range<u64>, wanted: &[u64]) -> Result<Overview, ReadError> {
    let signals = file.signals();
    let mut seen = Seen { signals: &signals, file, cycles, wanted, overview: Overview::default() };
    if seen.has("unit.clk") {
        seen.lane(Lane::of("unit.clk"));
        seen.requests();
        seen.barriers("unit", "")?;
        seen.answers();
    } else {
        let all = (0..).take_while(|cta| seen.has(&format!("cluster.req_valid_{cta}"))).count();
        let drawn = all.min(CTAS_SHOWN);
        seen.overview.ctas = Some([drawn, all]);
        seen.lane(Lane::of("cluster.clk"));
        for cta in 0..drawn {
            seen.cta(cta)?;
        }
    }
    let mut overview = std::mem::take(&mut seen.overview);
    overview.lanes.retain(|lane| seen.has(&lane.signal));
    let drawn = &overview.drawn;
    overview.left_out.retain(|address| !drawn.contains(address));
    match wanted.iter().find(|address| !overview.drawn.contains(address)) {
        Some(address) => {
            let all = overview.drawn.iter().chain(&overview.left_out).map(|address| format!("{address:#x}")).collect();
            Err(ReadError::NoBarrier { address: *address, all })
        }
        None => Ok(overview),
    }
}

/// The first cycle of a file in which a phase completes.
///
/// # Errors
/// The file cannot be read.
pub fn first_flip(file: &mut WaveFile) -> Result<Option<u64>, ReadError> {
    let signals = file.signals();
    let Some(flip) = signals.iter().find(|signal| signal.ends_with(".events.flip")) else { return Ok(None) };
    let changes = file.changes(flip)?;
    Ok(changes.iter().find(|(_, value)| number(Some(value)) > 0).map(|(time, _)| time / CYCLE_NS))
}

fn number(value: Option<&WaveValue>) -> u64 {
    if let Some(WaveValue::Bits { value, .. }) = value { *value } else { 0 }
}

/// The signals that there are, and the cycles that are drawn.
struct Seen<'a> {
    signals: &'a [String],
    file: &'a mut WaveFile,
    cycles: Range<u64>,
    /// Addresses of the barriers to draw.
    wanted: &'a [u64],
    overview: Overview,
}

impl Seen<'_> {
    fn lane(&mut self, lane: Lane) {
        self.overview.lanes.push(lane);
    }

    fn has(&self, name: &str) -> bool {
        self.signals.iter().any(|signal| signal == name)
    }

    /// Requests of a unit alone, as they are accepted.
    fn requests(&mut self) {
        let ports = (0..).take_while(|port| self.has(&format!("unit.req_data_{port}"))).count();
        for port in 0..ports {
            let lane = Lane::of(&format!("unit.req_op_{port}")).only_if("unit.req_valid", 1 << port);
            self.lane(lane.only_if("unit.req_ready", 1 << port).showing(Manner::Events));
        }
    }

    /// The barriers of a unit, and the phases that complete.
    fn barriers(&mut self, unit: &str, prefix: &str) -> Result<(), ReadError> {
        let banks = (0..).take_while(|bank| self.has(&format!("{unit}.bank_{bank}.row_c4"))).count() as u64;
        if banks > 0 {
            let mut shown = 0;
            for word in self.words(unit, banks)? {
                let (bank, row, address) = (word % banks, word / banks, word * BYTES_OF_WORD);
                let field = |field: &str| {
                    Lane::of(&format!("{unit}.bank_{bank}.alu.word_fields.{field}"))
                        .only_if(&format!("{unit}.bank_{bank}.done"), u64::MAX)
                        .only_at(&format!("{unit}.bank_{bank}.row_c4"), row)
                        .called(&format!("{prefix}barrier {address:#x} {field}"))
                };
                let is_drawn = match self.wanted {
                    [] => shown < BARRIERS_SHOWN && Track::read(self.file, &field("phase"))?.shows_in(&self.cycles),
                    wanted => wanted.contains(&address),
                };
                if is_drawn {
                    // between two operations on it, a word is what the last has left
                    let fields = ["phase", "pending", "tx", "expected", "fault"].map(field);
                    self.overview.lanes.extend(fields.map(|lane| lane.showing(Manner::Held)));
                    self.overview.drawn.insert(address);
                    shown += 1;
                } else {
                    self.overview.left_out.insert(address);
                }
            }
        }
        let flip = Lane::of(&format!("{unit}.flip_valid"));
        self.lane(if prefix.is_empty() { flip } else { flip.called(&format!("{prefix}flip_valid")) });
        Ok(())
    }

    /// Numbers of the words that are barriers in the cycles that are drawn: they have been initialised, and not invalidated since. Those
    /// whose phase completes in these cycles come first. In a file that does not begin with the run, words whose phase completes were
    /// initialised before it.
    fn words(&mut self, unit: &str, banks: u64) -> Result<Vec<u64>, ReadError> {
        let drawn = self.cycles.start * CYCLE_NS..self.cycles.end * CYCLE_NS;
        let is_whole = self.file.begin() == 0;
        let mut flipped: Vec<u64> = Vec::new();
        let mut live = BTreeSet::new();
        let valid = self.file.changes(&format!("{unit}.flip_valid"))?;
        for bank in 0..banks {
            let index = self.file.changes(&format!("{unit}.flip_index_{bank}"))?;
            for (time, value) in
                valid.iter().filter(|(time, value)| *time < drawn.end && number(Some(value)) >> bank & 1 != 0)
            {
                let word = number(value_at(&index, *time));
                let _ = value;
                if !is_whole {
                    live.insert(word);
                }
                if drawn.contains(time) && !flipped.contains(&word) {
                    flipped.push(word);
                }
            }
        }
        for (time, op, word) in self.asked(unit, drawn.end)? {
            match op {
                Op::Init => _ = live.insert(word),
                Op::Inval if time < drawn.start => _ = live.remove(&word),
                _ => {}
            }
        }
        let first = flipped.into_iter().filter(|word| live.contains(word)).collect::<Vec<_>>();
        let others = live.into_iter().filter(|word| !first.contains(word)).collect::<Vec<_>>();
        Ok(first.into_iter().chain(others).collect())
    }

    /// Every initialisation and invalidation that a unit accepts before a time: when, which, and of which word.
    fn asked(&mut self, unit: &str, end: u64) -> Result<Vec<(u64, Op, u64)>, ReadError> {
        let valid = self.file.changes(&format!("{unit}.req_valid"))?;
        let ready = self.file.changes(&format!("{unit}.req_ready"))?;
        let ports = (0..).take_while(|port| self.has(&format!("{unit}.req_op_{port}"))).collect::<Vec<_>>();
        let mut asked = Vec::new();
        for port in ports {
            let op = self.file.changes(&format!("{unit}.req_op_{port}"))?;
            let address = self.file.changes(&format!("{unit}.req_address_{port}"))?;
            let mut times: Vec<u64> =
                [&valid, &ready, &op, &address].into_iter().flatten().map(|(time, _)| *time).collect();
            times.sort_unstable();
            times.dedup();
            for time in times.into_iter().filter(|time| *time < end) {
                let is_set = |changes| number(value_at(changes, time)) >> port & 1 != 0;
                let code = Op::from_code(number(value_at(&op, time)));
                if let Some(op @ (Op::Init | Op::Inval)) = code.filter(|_| is_set(&valid) && is_set(&ready)) {
                    asked.push((time, op, number(value_at(&address, time)) / BYTES_OF_WORD));
                }
            }
        }
        asked.sort_by_key(|(time, ..)| *time);
        Ok(asked)
    }

    /// Answers of a unit alone.
    fn answers(&mut self) {
        let ports = (0..).take_while(|port| self.has(&format!("unit.rsp_data_{port}"))).count();
        for port in 0..ports {
            for payload in ["status", "predicate"] {
                self.lane(Lane::of(&format!("unit.rsp_{payload}_{port}")).only_if("unit.rsp_valid", 1 << port));
            }
        }
    }

    /// A CTA of a cluster.
    fn cta(&mut self, cta: usize) -> Result<(), ReadError> {
        let prefix = format!("{cta}: ");
        let called = |signal: String, label: &str| Lane::of(&signal).called(&format!("{prefix}{label}"));
        let handed = |port: &str, payload: &str, label: &str| {
            let pin = |name: &str| format!("cluster.{port}_{name}_{cta}");
            called(pin(payload), label)
                .only_if(&pin("valid"), u64::MAX)
                .only_if(&pin("ready"), u64::MAX)
                .showing(Manner::Events)
        };
        let ports = (0..).take_while(|port| self.has(&format!("cluster.req_op_{cta}_{port}"))).collect::<Vec<_>>();
        for port in &ports {
            let asks = called(format!("cluster.req_op_{cta}_{port}"), &format!("port {port} asks"));
            let asks = asks.only_if(&format!("cluster.req_valid_{cta}"), 1 << port);
            self.lane(asks.only_if(&format!("cluster.req_ready_{cta}"), 1 << port).showing(Manner::Events));
        }
        self.lane(handed("warp_req", "op", "warps ask"));
        self.lane(handed("warp_req", "mask", "of lanes"));
        let acts =
            [Act::Arrive, Act::Wait, Act::Exit].map(|act| (u64::from(act.code()), format!("{act:?}").to_lowercase()));
        self.lane(handed("bar_req", "op", "barrier.cluster").named(&acts));
        self.lane(handed("bulk", "bytes", "bulk bytes").decimal());
        self.lane(handed("async", "thread", "cp.async by"));
        self.lane(called(format!("cluster.cta_{cta}.copier.beat_valid"), "beats of copies"));
        for link in ["requests", "beats", "answers"] {
            self.lane(called(format!("cluster.{link}_{cta}.valid"), &format!("{link} come")));
        }
        self.barriers(&format!("cluster.cta_{cta}.unit"), &prefix)?;
        for port in &ports {
            let answers = called(format!("cluster.rsp_status_{cta}_{port}"), &format!("port {port} answers"));
            let answers = answers.only_if(&format!("cluster.rsp_valid_{cta}"), 1 << port);
            self.lane(answers.only_if(&format!("cluster.rsp_ready_{cta}"), 1 << port).showing(Manner::Events));
        }
        self.lane(handed("warp_rsp", "lanes", "answered lanes"));
        self.lane(handed("warp_mem", "lanes", "lanes of steps"));
        Ok(())
    }
}
