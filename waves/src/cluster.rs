//! Lanes for pictures of a cluster: the signals of a CTA, in groups.

use crate::picture::{Lane, Manner};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::rendezvous::Act;
use txbar_rtl::copies::tensor;
use txbar_rtl::copies::tracker::Kind;

/// Names of values.
pub type Names = Vec<(u64, String)>;

/// Names of this many warps, by number.
pub fn warps(count: usize) -> Names {
    (0..count as u64).map(|warp| (warp, format!("w{warp}"))).collect()
}

/// A CTA, and what things in it are called.
#[derive(Clone, Debug)]
pub struct View {
    /// The cluster that it is in.
    pub parameters: ClusterParameters,
    /// Rank.
    pub cta: usize,
    /// What addresses are called, those of other CTAs too.
    pub addresses: Names,
    /// What the tags of the ports' requests are called.
    pub tags: Names,
}

impl View {
    /// Beginning of the labels: nothing if there is one CTA only.
    fn prefix(&self) -> String {
        if self.parameters.ctas > 1 { format!("{}: ", self.cta) } else { String::new() }
    }

    fn lane(&self, signal: &str, label: &str) -> Lane {
        Lane::of(&format!("cluster.{signal}")).called(&format!("{}{label}", self.prefix()))
    }

    /// Name of a signal of the cluster's own, in the lane of the CTA.
    fn top(&self, name: &str) -> String {
        format!("cluster.{name}_{}", self.cta)
    }

    /// Name of a signal within the CTA.
    fn inside(&self, name: &str) -> String {
        format!("cluster.cta_{}.{name}", self.cta)
    }

    /// What a thread port asks, of which address, who asks, and who is answered.
    pub fn port(&self, port: usize) -> Vec<Lane> {
        let (cta, bit) = (self.cta, 1 << port);
        let asked = |name: &str, label: &str| {
            let lane = self.lane(&format!("req_{name}_{cta}_{port}"), label);
            lane.only_if(&self.top("req_valid"), bit).only_if(&self.top("req_ready"), bit).showing(Manner::Events)
        };
        let op = asked("op", &format!("port {port} asks"));
        let answered = self.lane(&format!("rsp_tag_{cta}_{port}"), &format!("port {port} answers"));
        let answered = answered.only_if(&self.top("rsp_valid"), bit).only_if(&self.top("rsp_ready"), bit);
        vec![
            op,
            asked("address", "of").named(&self.addresses),
            asked("tag", "by").named(&self.tags),
            answered.named(&self.tags).showing(Manner::Events),
        ]
    }

    /// The fields of a barrier's word as the last operation on it found or left them. `index` is the number of the word.
    pub fn barrier(&self, index: usize, name: &str) -> Vec<Lane> {
        let banks = self.parameters.unit.banks;
        let (bank, row) = (index % banks, (index / banks) as u64);
        let field = |field: &str| {
            let signal = format!("cta_{}.unit.bank_{bank}.alu.word_fields.{field}", self.cta);
            self.lane(&signal, &format!("{name} {field}"))
                .only_if(&self.inside(&format!("unit.bank_{bank}.done")), u64::MAX)
                .only_at(&self.inside(&format!("unit.bank_{bank}.row_c4")), row)
                .showing(Manner::Held)
        };
        ["phase", "pending", "tx"].map(field).into()
    }

    /// The banks in which a phase completes, a bit each.
    pub fn flips(&self) -> Lane {
        let signal = format!("cta_{}.unit.flip_valid", self.cta);
        let banks = self.parameters.unit.banks;
        let names: Names = (0..banks).map(|bank| (1 << bank, format!("bank {bank}"))).collect();
        let lane = self.lane(&signal, "flip_valid").named(&names).showing(Manner::Events);
        lane.only_if(&self.inside("unit.flip_valid"), u64::MAX)
    }

    /// Bulk copies as they are accepted: bytes and barrier; and whether one that stands at the port is.
    pub fn bulk(&self) -> Vec<Lane> {
        vec![
            self.taken("bulk", "bytes", "bulk bytes").decimal(),
            self.taken("bulk", "barrier", "on").named(&self.addresses),
            self.ready("bulk"),
        ]
    }

    /// Tensor copies as they are accepted: what, and on which barrier bytes are completed; verdicts; rows of boxes, as the address
    /// generator shows them; and where blocks of 32 bytes land.
    pub fn tensor(&self) -> Vec<Lane> {
        let names = ["load", "prefetch", "forget", "store", "prefetch box"];
        let acts = tensor::Act::ALL.map(|act| (u64::from(act.code()), names[usize::from(act.code())].to_owned()));
        let engine = |name: &str| format!("cta_{}.tensor_0.{name}", self.cta);
        vec![
            self.taken("tensor", "act", "tensor").named(&acts),
            self.taken("tensor", "barrier", "on").named(&self.addresses),
            self.lane(&engine("rows.address"), "row")
                .only_if(&self.inside("tensor_0.rows.valid"), 1)
                .only_if(&self.inside("tensor_0.rows.take"), 1)
                .showing(Manner::Events),
            self.lane(&engine("beat_address"), "lands at")
                .only_if(&self.inside("tensor_0.beat_valid"), 1)
                .only_if(&self.inside("tensor_0.beat_ready"), 1)
                .showing(Manner::Events),
        ]
    }

    /// `cp.async` as it is accepted: what and by whom; and whether what stands at the port is.
    pub fn cp_async(&self) -> Vec<Lane> {
        let name = |kind: Kind| {
            let name = match kind {
                Kind::Copy => "copy",
                Kind::Arrive => "arrive",
                Kind::ArriveNoinc => "noinc",
            };
            (u64::from(kind.code()), name.to_owned())
        };
        vec![
            self.taken("async", "kind", "cp.async").named(&Kind::ALL.map(name)),
            self.taken("async", "thread", "by").named(&warps(self.parameters.copiers)),
            self.ready("async"),
        ]
    }

    /// A payload of a port of the CTA in the cycles in which it is taken.
    fn taken(&self, port: &str, payload: &str, label: &str) -> Lane {
        self.lane(&format!("{port}_{payload}_{}", self.cta), label)
            .only_if(&self.top(&format!("{port}_valid")), 1)
            .only_if(&self.top(&format!("{port}_ready")), 1)
            .showing(Manner::Events)
    }

    /// Whether a port of the CTA is ready, while it is asked.
    fn ready(&self, port: &str) -> Lane {
        let lane = self.lane(&format!("{port}_ready_{}", self.cta), &format!("{port}_ready"));
        lane.only_if(&self.top(&format!("{port}_valid")), 1)
    }

    /// Bursts that global memory is asked for, beats of them as they come, beats on their way into shared memory, and what the copies ask of barriers.
    pub fn copies(&self) -> Vec<Lane> {
        let (cta, port) = (self.cta, self.parameters.copy_port());
        let bit = 1 << port;
        let asked = |name: &str, label: &str| {
            self.lane(&format!("cta_{cta}.unit.req_{name}"), label)
                .only_if(&self.inside("unit.req_valid"), bit)
                .only_if(&self.inside("unit.req_ready"), bit)
                .showing(Manner::Events)
        };
        vec![
            self.taken("mem_req", "id", "memory reads"),
            self.taken("mem_rsp", "id", "memory gives"),
            self.lane(&format!("cta_{cta}.copier.beat_valid"), "beat_valid"),
            asked(&format!("op_{port}"), "copies ask"),
            asked(&format!("address_{port}"), "of").named(&self.addresses),
            asked(&format!("data_{port}"), "bytes").decimal(),
        ]
    }

    /// `barrier.cluster`: what is asked, by which warp, and which is answered.
    pub fn rounds(&self) -> Vec<Lane> {
        let warps = warps(self.parameters.warps);
        let acts = [(Act::Arrive, "arrive"), (Act::Wait, "wait"), (Act::Exit, "exit")];
        let acts = acts.map(|(act, name)| (u64::from(act.code()), name.to_owned()));
        vec![
            self.taken("bar_req", "op", "barrier.cluster").named(&acts),
            self.taken("bar_req", "warp", "by").named(&warps),
            self.taken("bar_rsp", "warp", "answers").named(&warps),
        ]
    }

    /// What comes out of the links into the CTA: requests, beats of copies, answers.
    pub fn links(&self) -> Vec<Lane> {
        let cta = self.cta;
        let lane = |link: &str, label: &str| self.lane(&format!("{link}_{cta}.valid"), label);
        vec![lane("requests", "requests come"), lane("beats", "beats come"), lane("answers", "answers come")]
    }
}
