//! Requests of threads on the wires of their CTA's ports.

use super::*;
use txbar_rtl::word::address::mapa;
use txbar_testbench::request::Request;

/// The tag of a thread's request.
pub(super) fn tag(thread: u16, number: usize) -> u16 {
    thread << NUMBER_BITS | number as u16
}

/// Thread and number that a tag names.
pub(super) fn untag(tag: u16) -> (u16, usize) {
    (tag >> NUMBER_BITS, usize::from(tag) % NUMBERS)
}

impl Machine<'_> {
    /// The port that a thread's requests go through.
    pub(super) fn port(&self, thread: usize) -> usize {
        thread % self.parameters.unit.ports
    }

    /// A thread asks for something of a word. It has a number free.
    pub(super) fn ask(&mut self, cta: usize, thread: usize, spot: Spot, asked: Asked, request: Request) {
        let port = self.port(thread);
        let request = self.addressed(cta, spot, request);
        if let Asked::Store { changes } = asked {
            self.blocks[usize::from(spot.cta)].stores([spot.offset].into_iter(), changes);
        }
        let block = &mut self.blocks[cta];
        let runner = &mut block.runners[thread];
        let number = runner.free_number().expect("who asks has looked for a number");
        runner.pending[number] =
            Some(Pending { asked, spot, pc: runner.lane.pc, data: request.data, before: None, mark: 0 });
        block.ports[port].push_back(request.tagged(tag(thread as u16, number)));
    }

    /// A request with the address of a word.
    pub(super) fn addressed(&self, cta: usize, spot: Spot, request: Request) -> Request {
        let there = usize::from(spot.cta);
        let remote = there != cta;
        Request { remote, address: if remote { mapa(spot.offset, there) } else { spot.offset }, ..request }
    }

    /// Drives the wires of a CTA's ports.
    pub(super) fn drive_ports(&mut self, cta: usize) {
        let cluster = &mut self.cluster;
        let mut valid = 0u64;
        for (port, queue) in self.blocks[cta].ports.iter().enumerate() {
            let Some(request) = queue.front() else { continue };
            valid |= 1 << port;
            request.drive(cluster, cta, port);
        }
        cluster.req_valid[cta].next = valid.into();
        cluster.rsp_ready[cta].next = ((1u64 << self.parameters.unit.ports) - 1).into();
    }
}
