//! Random pin values for a cluster, including misuse. The results are not checked; for comparing implementations.

use crate::cluster::global::{self, Bursts};
use crate::scoreboard::each;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::rendezvous::Act;
use txbar_rtl::copies::reduction::{REDUCTION_BITS, Reduction};
use txbar_rtl::copies::tracker::Kind;
use txbar_rtl::op::Op;
use txbar_rtl::word::address::RANK_LSB;

/// Words that most requests go to, so that they meet.
const MEETING_POINTS: u32 = 6;

/// What stands at the pins of a CTA until it is accepted.
#[derive(Clone, Debug)]
struct Stand {
    /// Ports with a request.
    ports: u64,
    /// An instruction of a warp.
    warp: bool,
    bulk: bool,
    copy: bool,
    put: bool,
    group: bool,
    post: bool,
    round: bool,
    tensor: bool,
    /// Threads of each warp that wait for an answer.
    waiting: Vec<u64>,
    /// Warps that have arrived and not waited since, if nobody was refused.
    arrived: u64,
    memory: Bursts,
    /// Bursts that have been written and not been answered.
    written: Vec<u64>,
}

/// Drives the pins at random. What is offered stands until it is accepted.
#[derive(Clone, Debug)]
pub struct Noise {
    parameters: ClusterParameters,
    rng: Xoshiro256PlusPlus,
    stands: Vec<Stand>,
    cycle: u64,
}

impl Noise {
    /// Noise for a cluster with these parameters.
    pub fn new(parameters: &ClusterParameters, seed: u64) -> Self {
        let stand = |cta| Stand {
            ports: 0,
            warp: false,
            bulk: false,
            copy: false,
            put: false,
            group: false,
            post: false,
            round: false,
            tensor: false,
            waiting: vec![0; parameters.warps],
            arrived: 0,
            memory: Bursts::new(seed + cta as u64, 1..=30),
            written: Vec::new(),
        };
        let stands = (0..parameters.ctas).map(stand).collect();
        Self { parameters: *parameters, rng: Xoshiro256PlusPlus::seed_from_u64(seed), stands, cycle: 0 }
    }

    /// Runs a cluster for this many cycles, with a reset at the beginning and another one on the way. `look` is called in
    /// every cycle, before the clock edge, and told whether reset is held at it.
    pub fn run(parameters: &ClusterParameters, seed: u64, cycles: u64, look: &mut dyn FnMut(&Cluster, bool)) {
        let mut cluster = Cluster::new(parameters);
        let mut noise = Self::new(parameters, seed);
        for cycle in 0..cycles {
            let reset = cycle < 2 || cycle == cycles * 2 / 3;
            if !reset {
                noise.drive(&mut cluster);
            }
            cluster.settle();
            look(&cluster, reset);
            if reset {
                cluster.clock_in_reset();
                noise = Self::new(parameters, seed + cycle);
            } else {
                noise.watch(&cluster);
                cluster.clock();
            }
        }
    }

    fn percent(&mut self, share: u32) -> bool {
        self.rng.random_range(0..100) < share
    }

    /// An address in the memory of a CTA, hardly ever a wrong one.
    fn address(&mut self) -> u32 {
        let bytes = self.parameters.unit.bytes() as u32;
        match self.rng.random_range(0..40) {
            0 => self.rng.random(),
            1 => self.rng.random_range(0..2 * bytes),
            2 => 0x8000_0000 | self.rng.random_range(0..64) << 3,
            3..10 => self.rng.random_range(0..bytes / 8) * 8,
            _ => self.rng.random_range(0..MEETING_POINTS) * 8,
        }
    }

    /// Drives every input for the next cycle.
    pub fn drive(&mut self, cluster: &mut Cluster) {
        for cta in 0..self.parameters.ctas {
            for port in 0..self.parameters.unit.ports {
                if self.stands[cta].ports >> port & 1 == 0 && self.percent(60) {
                    self.stands[cta].ports |= 1 << port;
                    self.request(cluster, cta, port);
                }
            }
            cluster.req_valid[cta].next = self.stands[cta].ports.into();
            let ready =
                (0..self.parameters.unit.ports).fold(0, |mask, port| mask | u64::from(self.percent(80)) << port);
            cluster.rsp_ready[cta].next = ready.into();
            if let Some(taken) = cluster.resume_ready.get_mut(cta) {
                taken.next = self.rng.random_range(0..1u64 << self.parameters.unit.ports).into();
            }
            if self.parameters.lanes > 0 {
                if !self.stands[cta].warp && self.percent(60) {
                    self.stands[cta].warp = true;
                    self.instruction(cluster, cta);
                }
                cluster.warp_req_valid[cta].next = self.stands[cta].warp;
                cluster.warp_rsp_ready[cta].next = self.percent(80);
            }
            if self.parameters.warp_memory {
                cluster.warp_mem_ready[cta].next = self.percent(80);
            }
            if !self.stands[cta].bulk && self.percent(5) {
                self.stands[cta].bulk = true;
                self.bulk(cluster, cta);
            }
            cluster.bulk[cta].valid.next = self.stands[cta].bulk;
            if !self.stands[cta].copy && self.percent(30) {
                self.stands[cta].copy = true;
                self.copy(cluster, cta);
            }
            cluster.r#async[cta].valid.next = self.stands[cta].copy;
            if self.parameters.tensors > 0 {
                if !self.stands[cta].tensor && self.percent(10) {
                    self.stands[cta].tensor = true;
                    self.tensor(cluster, cta);
                }
                cluster.tiles[cta].tensor.valid.next = self.stands[cta].tensor;
            }
            self.out(cluster, cta);
            if !self.stands[cta].round && self.percent(20) {
                self.round(cluster, cta);
            }
            cluster.bar_req[cta].valid.next = self.stands[cta].round;
            cluster.bar_rsp[cta].ready.next = self.percent(80);
            cluster.mem_req[cta].ready.next = self.percent(80);
            let shown = self.stands[cta].memory.show(self.cycle, global::word);
            cluster.mem_rsp[cta].valid.next = shown.is_some();
            if let Some(beat) = shown {
                cluster.mem_rsp[cta].id.next = beat.id.into();
                for (lane, word) in beat.data.into_iter().enumerate() {
                    cluster.mem_rsp[cta].data[lane].next = word.into();
                }
            }
        }
    }

    fn request(&mut self, cluster: &mut Cluster, cta: usize, port: usize) {
        let elsewhere = self.percent(30);
        let op = if self.percent(2) {
            self.rng.random_range(0..1 << Op::BITS)
        } else if elsewhere && self.percent(80) {
            let ops = [Op::Load, Op::Store, Op::Arrive, Op::ExpectTx, Op::CompleteTx, Op::BulkCompleteTx];
            u64::from(ops.choose(&mut self.rng).unwrap_or(&Op::Load).code())
        } else {
            u64::from(Op::ALL.choose(&mut self.rng).unwrap_or(&Op::Load).code())
        };
        let ranks = self.parameters.ctas + self.percent(2) as usize;
        let rank = self.rng.random_range(0..ranks) as u32;
        let address = self.address() | if elsewhere { rank << RANK_LSB } else { 0 };
        // small counts and time limits, or anything
        let data = if self.percent(90) { self.rng.random_range(0..4) * 0x20_0000_0001 } else { self.rng.random() };
        let strobe = if self.percent(50) { 0xff } else { self.rng.random_range(0..=0xff) };
        let order = if self.percent(60) { 0 } else { self.rng.random_range(0..8) };
        cluster.req[cta][port].op.next = op.into();
        cluster.req[cta][port].cluster.next = elsewhere;
        cluster.req[cta][port].address.next = u64::from(address).into();
        cluster.req[cta][port].data.next = data.into();
        cluster.req[cta][port].strobe.next = strobe.into();
        cluster.req[cta][port].tag.next = self.rng.random_range(0..1u64 << self.parameters.unit.tag_bits).into();
        cluster.req[cta][port].order.next = order.into();
    }

    /// A warp's instruction: most often its lanes name one word, or a few.
    fn instruction(&mut self, cluster: &mut Cluster, cta: usize) {
        let elsewhere = self.percent(30);
        let op = if self.percent(2) {
            self.rng.random_range(0..1 << Op::BITS)
        } else {
            u64::from(Op::ALL.choose(&mut self.rng).unwrap_or(&Op::Load).code())
        };
        let all = u64::MAX >> (64 - self.parameters.lanes);
        let mask = if self.percent(60) { all } else { self.rng.random_range(1..=all) };
        let words: [u32; 2] = std::array::from_fn(|_| self.address());
        let one = self.percent(50);
        for lane in 0..self.parameters.lanes {
            let address = if self.percent(5) { self.address() } else { words[usize::from(!one && self.percent(50))] };
            let rank = self.rng.random_range(0..self.parameters.ctas) as u32;
            let address = address | if elsewhere { rank << RANK_LSB } else { 0 };
            let operand =
                if self.percent(95) { self.rng.random_range(0..3) } else { self.rng.random_range(0..1 << 32) };
            cluster.warp_req_address[cta][lane].next = u64::from(address).into();
            cluster.warp_req_operand[cta][lane].next = operand.into();
        }
        if self.parameters.warp_memory {
            let size = if self.percent(98) { self.rng.random_range(0..3) } else { 3 };
            cluster.warp_req_size[cta].next = size.into();
            for lane in 0..self.parameters.lanes {
                cluster.warp_req_lower[cta][lane].next = self.rng.random::<u64>().into();
                cluster.warp_req_upper[cta][lane].next = self.rng.random::<u64>().into();
            }
        }
        let order = if self.percent(60) { 0 } else { self.rng.random_range(0..8) };
        cluster.warp_req_op[cta].next = op.into();
        cluster.warp_req_cluster[cta].next = elsewhere;
        cluster.warp_req_order[cta].next = order.into();
        cluster.warp_req_limit[cta].next = self.rng.random_range(0..300).into();
        cluster.warp_req_mask[cta].next = mask.into();
        cluster.warp_req_tag[cta].next = self.rng.random_range(0..1u64 << self.parameters.unit.tag_bits).into();
    }

    fn bulk(&mut self, cluster: &mut Cluster, cta: usize) {
        let slip = if self.percent(5) { self.rng.random_range(0..16) } else { 0 };
        let shared = self.rng.random_range(0..=self.parameters.unit.bytes() as u64 / 16) * 16;
        cluster.bulk[cta].global.next = (self.rng.random_range(0..1u64 << 30) * 16).into();
        cluster.bulk[cta].shared.next = (shared + slip).into();
        cluster.bulk[cta].bytes.next = (self.rng.random_range(0..20) * 16).into();
        cluster.bulk[cta].barrier.next = u64::from(self.address()).into();
        cluster.bulk[cta].ctas.next = self.rng.random_range(0..1u64 << self.parameters.ctas).into();
    }

    fn copy(&mut self, cluster: &mut Cluster, cta: usize) {
        let kind = if self.percent(2) { 3 } else { *[0, 0, 0, 1, 2].choose(&mut self.rng).unwrap_or(&0) };
        let bytes = if self.percent(3) { self.rng.random_range(0..32) } else { 4 << self.rng.random_range(0..3) };
        let shared = if kind == u64::from(Kind::Copy.code()) {
            let slip = if self.percent(3) { self.rng.random_range(0..16) } else { 0 };
            self.rng.random_range(0..=self.parameters.unit.bytes() as u64 / 4) * 4 / bytes.max(1) * bytes + slip
        } else {
            u64::from(self.address())
        };
        cluster.r#async[cta].kind.next = kind.into();
        cluster.r#async[cta].thread.next = self.rng.random_range(0..self.parameters.copiers as u64).into();
        cluster.r#async[cta].global.next = (self.rng.random_range(0..1u64 << 30) * bytes).into();
        cluster.r#async[cta].shared.next = shared.into();
        cluster.r#async[cta].bytes.next = bytes.into();
    }

    /// A tensor copy, hardly ever one that is refused; or something about a map.
    fn tensor(&mut self, cluster: &mut Cluster, cta: usize) {
        let act =
            if self.percent(80) { *[0, 0, 3].choose(&mut self.rng).unwrap_or(&0) } else { self.rng.random_range(0..8) };
        let map = global::MAPS + self.rng.random_range(0..=global::maps().len() as u64) * 128;
        let slip = if self.percent(2) { self.rng.random_range(0..128) } else { 0 };
        let shared = self.rng.random_range(0..=self.parameters.unit.bytes() as u64 / 128) * 128;
        cluster.tiles[cta].tensor.act.next = act.into();
        cluster.tiles[cta].tensor.map.next = (map + slip).into();
        for at in 0..5 {
            let coordinate = if self.percent(5) { self.rng.random() } else { self.rng.random_range(-2..4i32) * 8 };
            let near = if at > 0 && self.percent(80) { coordinate / 8 } else { coordinate };
            let near = if act == 3 && self.percent(90) { near.max(0) } else { near };
            cluster.tiles[cta].tensor.at[at].next = u64::from(near as u32).into();
        }
        cluster.tiles[cta].tensor.shared.next = (shared + slip).into();
        cluster.tiles[cta].tensor.barrier.next = u64::from(self.address()).into();
        cluster.tiles[cta].tensor.ctas.next = self.rng.random_range(0..1u64 << self.parameters.ctas).into();
        let action = if self.percent(60) { 0 } else { self.rng.random_range(0..16) };
        cluster.tiles[cta].tensor.action.next = action.into();
        cluster.tiles[cta].tensor.thread.next = self.rng.random_range(0..self.parameters.copiers as u64).into();
    }

    /// Copies out of shared memory, waits for their groups, and what threads post.
    fn out(&mut self, cluster: &mut Cluster, cta: usize) {
        if !self.stands[cta].put && self.percent(10) {
            self.stands[cta].put = true;
            let kind = if self.percent(2) { 3 } else { *[0, 0, 1, 1, 2].choose(&mut self.rng).unwrap_or(&0) };
            let slip = if self.percent(3) { self.rng.random_range(0..16) } else { 0 };
            let units = self.parameters.unit.bytes() as u64 / 16;
            let ranks = self.parameters.ctas + self.percent(2) as usize;
            let rank = self.rng.random_range(0..ranks) as u64;
            cluster.put[cta].kind.next = kind.into();
            cluster.put[cta].thread.next = self.rng.random_range(0..self.parameters.copiers as u64).into();
            cluster.put[cta].shared.next = (self.rng.random_range(0..=units) * 16 + slip).into();
            cluster.put[cta].global.next = (self.rng.random_range(0..1u64 << 30) * 16).into();
            cluster.put[cta].target.next = ((self.rng.random_range(0..=units) * 16) | (rank << RANK_LSB)).into();
            cluster.put[cta].barrier.next = (u64::from(self.address()) | rank << RANK_LSB).into();
            cluster.put[cta].bytes.next = (self.rng.random_range(0..20) * 16).into();
            let any = self.rng.random_range(0..1 << 16);
            let mask = *[0xffff, 0xffff, 0xffff, any, 0].choose(&mut self.rng).unwrap_or(&any);
            cluster.put[cta].mask.next = mask.into();
            cluster.put[cta].reduction.next = self.reduction().into();
        }
        cluster.put[cta].valid.next = self.stands[cta].put;
        if !self.stands[cta].group && self.percent(20) {
            self.stands[cta].group = true;
            cluster.group[cta].thread.next = self.rng.random_range(0..self.parameters.copiers as u64).into();
            cluster.group[cta].read.next = self.percent(50);
            cluster.group[cta].most.next = self.rng.random_range(0..8).into();
        }
        cluster.group[cta].valid.next = self.stands[cta].group;
        if !self.stands[cta].post && self.percent(20) {
            self.stands[cta].post = true;
            let bytes = if self.percent(3) { self.rng.random_range(0..32) } else { 4 << self.rng.random_range(0..3) };
            let slip = if self.percent(3) { self.rng.random_range(0..16) } else { 0 };
            let ranks = self.parameters.ctas + self.percent(2) as usize;
            let rank = self.rng.random_range(0..ranks) as u64;
            let place = self.rng.random_range(0..=self.parameters.unit.bytes() as u64 / 16) * 16 + slip;
            cluster.post[cta].address.next = (place | rank << RANK_LSB).into();
            cluster.post[cta].barrier.next = (u64::from(self.address()) | rank << RANK_LSB).into();
            cluster.post[cta].bytes.next = bytes.into();
            cluster.post[cta].reduction.next = self.reduction().into();
            for word in 0..2 {
                cluster.post[cta].data[word].next = self.rng.random::<u64>().into();
            }
        }
        cluster.post[cta].valid.next = self.stands[cta].post;
        cluster.mem_wr[cta].ready.next = self.percent(80);
        let answers = self.percent(30) && !self.stands[cta].written.is_empty();
        cluster.mem_ack[cta].valid.next = answers;
        if answers {
            let place = self.rng.random_range(0..self.stands[cta].written.len());
            cluster.mem_ack[cta].id.next = self.stands[cta].written.swap_remove(place).into();
        }
    }

    /// The code of a reduction, most often of one that there is, or of none.
    fn reduction(&mut self) -> u64 {
        if self.percent(50) {
            return 0;
        }
        if self.percent(5) {
            return self.rng.random_range(0..1 << REDUCTION_BITS);
        }
        let does = if self.percent(50) { Reduction::is_for_shared } else { Reduction::is_for_global };
        let one = Reduction::all().filter(|reduction| does(*reduction)).choose(&mut self.rng);
        one.map_or(0, |reduction| reduction.code().into())
    }

    /// A warp that does not wait for an answer asks, most often for what is its turn.
    fn round(&mut self, cluster: &mut Cluster, cta: usize) {
        let warp = self.rng.random_range(0..self.parameters.warps);
        if self.stands[cta].waiting[warp] != 0 {
            return;
        }
        let mut act = if self.stands[cta].arrived >> warp & 1 == 0 { Act::Arrive } else { Act::Wait };
        let mut lanes = (1u64 << 32) - 1;
        let mut code = u64::from(act.code());
        match self.rng.random_range(0..100) {
            0 => {
                act = Act::Exit;
                code = u64::from(act.code());
                lanes = 1 << self.rng.random_range(0..32);
            }
            1 => code = self.rng.random_range(0..2),
            2 => code = 3,
            3..8 => lanes = self.rng.random_range(0..1 << 32),
            _ if act == Act::Wait => self.stands[cta].arrived &= !(1 << warp),
            _ => self.stands[cta].arrived |= 1 << warp,
        }
        self.stands[cta].round = true;
        self.stands[cta].waiting[warp] = lanes;
        cluster.bar_req[cta].op.next = code.into();
        cluster.bar_req[cta].warp.next = (warp as u64).into();
        cluster.bar_req[cta].lanes.next = lanes.into();
        cluster.bar_req[cta].aligned.next = self.percent(50);
        cluster.bar_req[cta].releases.next = self.percent(30);
    }

    /// What was accepted stands no longer. To be called once a cycle, when the cluster has settled.
    pub fn watch(&mut self, cluster: &Cluster) {
        for (cta, stand) in self.stands.iter_mut().enumerate() {
            for port in each(stand.ports & cluster.req_ready[cta].val().raw()) {
                stand.ports &= !(1 << port);
            }
            if self.parameters.lanes > 0 {
                stand.warp &= !cluster.warp_req_ready[cta].val();
            }
            stand.bulk &= !cluster.bulk[cta].ready.val();
            stand.copy &= !cluster.r#async[cta].ready.val();
            if self.parameters.tensors > 0 {
                stand.tensor &= !cluster.tiles[cta].tensor.ready.val();
            }
            stand.put &= !cluster.put[cta].ready.val();
            stand.group &= !cluster.group[cta].ready.val();
            stand.post &= !cluster.post[cta].ready.val();
            if cluster.mem_wr[cta].valid.val() && cluster.mem_wr[cta].ready.val() && cluster.mem_wr[cta].last.val() {
                stand.written.push(cluster.mem_wr[cta].id.val().raw());
            }
            stand.round &= !cluster.bar_req[cta].ready.val();
            if cluster.bar_rsp[cta].valid.val() && cluster.bar_rsp[cta].ready.val() {
                let warp = cluster.bar_rsp[cta].warp.val().index();
                stand.waiting[warp] &= !cluster.bar_rsp[cta].lanes.val().raw();
            }
            if cluster.mem_req[cta].valid.val() && cluster.mem_req[cta].ready.val() {
                stand.memory.ask(
                    self.cycle,
                    cluster.mem_req[cta].id.val().raw(),
                    cluster.mem_req[cta].address.val().raw(),
                    cluster.mem_req[cta].beats.val().raw(),
                    cluster.mem_req[cta].narrow.val(),
                );
            }
            if cluster.mem_rsp[cta].valid.val() && cluster.mem_rsp[cta].ready.val() {
                stand.memory.take();
            }
        }
        self.cycle += 1;
    }
}
