//! What one wants to see first of a wave file.

use super::lane::{Lane, Manner};
use txbar_rtl::cluster::rendezvous::Act;

/// Banks whose words are in an overview: more of them would fill the picture.
const BANKS_SHOWN: usize = 2;
/// CTAs that are in it.
const CTAS_SHOWN: usize = 2;

/// Lanes for what one wants to see first: each request as it goes to its bank, words as they change, answers as they go; of a
/// cluster also what is copied, what comes from other CTAs, and rounds of `barrier.cluster`. `signals` are those of the file.
pub fn overview(signals: &[String]) -> Vec<Lane> {
    let seen = Seen(signals);
    let mut lanes = Vec::new();
    if seen.has("unit.clk") {
        lanes.push(Lane::of("unit.clk"));
        seen.requests(&mut lanes);
        seen.words("unit", "", &mut lanes);
        seen.answers(&mut lanes);
    } else {
        let ctas = (0..).take_while(|cta| seen.has(&format!("cluster.req_valid_{cta}"))).take(CTAS_SHOWN);
        lanes.push(Lane::of("cluster.clk"));
        for cta in ctas {
            seen.cta(cta, &mut lanes);
        }
    }
    lanes.retain(|lane| seen.has(&lane.signal));
    lanes
}

/// The signals that there are.
struct Seen<'a>(&'a [String]);

impl Seen<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|signal| signal == name)
    }

    /// Requests of a unit alone.
    fn requests(&self, lanes: &mut Vec<Lane>) {
        for port in (0..).take_while(|port| self.has(&format!("unit.req_data_{port}"))) {
            // a unit of the high-clock build takes them as they come
            let (op, gate) = match self.has(&format!("unit.ask_op_{port}")) {
                true => ("ask_op", "unit.grant"),
                false => ("req_op", "unit.req_ready"),
            };
            let lane = Lane::of(&format!("unit.{op}_{port}")).only_if(gate, 1 << port);
            lanes.push(if op == "req_op" { lane.only_if("unit.req_valid", 1 << port) } else { lane });
        }
    }

    /// The words that the banks of a unit work on, and the phases that complete.
    fn words(&self, unit: &str, prefix: &str, lanes: &mut Vec<Lane>) {
        for bank in (0..BANKS_SHOWN).filter(|bank| self.has(&format!("{unit}.bank_{bank}.done"))) {
            for field in ["phase", "pending", "tx", "expected", "fault"] {
                let name = format!("{unit}.bank_{bank}.alu.word_fields.{field}");
                let lane = Lane::of(&name).only_if(&format!("{unit}.bank_{bank}.done"), u64::MAX);
                let label = lane.label.rsplit_once("bank_").map(|(_, rest)| format!("{prefix}bank_{rest}"));
                lanes.push(if prefix.is_empty() { lane } else { lane.called(&label.unwrap_or_default()) });
            }
        }
        let flip = Lane::of(&format!("{unit}.flip_valid"));
        lanes.push(if prefix.is_empty() { flip } else { flip.called(&format!("{prefix}flip_valid")) });
    }

    /// Answers of a unit alone.
    fn answers(&self, lanes: &mut Vec<Lane>) {
        for port in (0..).take_while(|port| self.has(&format!("unit.rsp_data_{port}"))) {
            for payload in ["status", "predicate"] {
                lanes.push(Lane::of(&format!("unit.rsp_{payload}_{port}")).only_if("unit.rsp_valid", 1 << port));
            }
        }
    }

    /// A CTA of a cluster.
    fn cta(&self, cta: usize, lanes: &mut Vec<Lane>) {
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
            lanes.push(asks.only_if(&format!("cluster.req_ready_{cta}"), 1 << port).showing(Manner::Events));
        }
        let acts =
            [Act::Arrive, Act::Wait, Act::Exit].map(|act| (u64::from(act.code()), format!("{act:?}").to_lowercase()));
        lanes.push(handed("bar_req", "op", "barrier.cluster").named(&acts));
        lanes.push(handed("bulk", "bytes", "bulk bytes").decimal());
        lanes.push(handed("async", "thread", "cp.async by"));
        lanes.push(called(format!("cluster.cta_{cta}.copier.beat_valid"), "beats of copies"));
        for link in ["requests", "beats", "answers"] {
            lanes.push(called(format!("cluster.{link}_{cta}.valid"), &format!("{link} come")));
        }
        self.words(&format!("cluster.cta_{cta}.unit"), &prefix, lanes);
        for port in &ports {
            let answers = called(format!("cluster.rsp_status_{cta}_{port}"), &format!("port {port} answers"));
            let answers = answers.only_if(&format!("cluster.rsp_valid_{cta}"), 1 << port);
            lanes.push(answers.only_if(&format!("cluster.rsp_ready_{cta}"), 1 << port).showing(Manner::Events));
        }
    }
}
