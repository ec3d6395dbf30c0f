//! The ports for warps of a rig's cluster.

use super::*;
use crate::cluster::warps::Asked;
use crate::engine::rtl::request_of;
use crate::request::Response;

impl Rig {
    /// Asks for something at a CTA's port for warps, behind what was asked for there before.
    ///
    /// # Panics
    /// The cluster has no such ports.
    pub fn ask_warp(&mut self, cta: usize, asked: Asked) {
        self.warp_ports[cta].ask(asked);
    }

    /// The port for warps of a CTA, if there are any.
    pub fn warp_port(&self, cta: usize) -> Option<&WarpPort> {
        self.warp_ports.get(cta)
    }

    /// Drives it.
    pub(super) fn drive_warp(&mut self, cta: usize) {
        if cta < self.warp_ports.len() {
            let ready = [self.is_ready(), self.is_ready()];
            self.warp_ports[cta].drive(&mut self.cluster, ready);
        }
    }

    /// What happened there, for the scoreboards of the CTA and of those that are asked for something.
    pub(super) fn watch_warp(&mut self, cta: usize) -> Result<(), Box<Failure>> {
        self.watch_groups(cta)?;
        let Some(port) = self.warp_ports.get_mut(cta) else { return Ok(()) };
        let moved = port.settled(&self.cluster, self.taps[cta].scoreboard_mut());
        let moved = moved.map_err(|what| failure(self.cycle, format!("warps of CTA {cta}: {what}")))?;
        if moved {
            self.last_event = self.cycle;
        }
        Ok(())
    }

    /// The port of the CTA that groups of lanes ask at, and what goes from there to other CTAs.
    fn watch_groups(&mut self, cta: usize) -> Result<(), Box<Failure>> {
        let port = self.parameters.unit.ports;
        if cta >= self.warp_ports.len() {
            return Ok(());
        }
        let memory = &self.cluster.cta[cta];
        let asked = memory.req_valid.val().get_bit(port) && memory.req_ready.val().get_bit(port);
        let told = memory.rsp_valid.val().get_bit(port) && memory.rsp_ready.val().get_bit(port);
        let told = (told && memory.shows_foreign(port)).then(|| Response {
            tag: memory.rsp[port].tag.val().raw() as u16,
            status: memory.rsp[port].status.val().raw() as u8,
            predicate: memory.rsp[port].predicate.val(),
            data: memory.rsp[port].data.val().raw(),
            resumed: false,
        });
        if asked {
            let group = request_of(&memory.unit, port);
            self.leaves(cta, port, &group)?;
        }
        match told {
            Some(told) => self.taps[cta].returns(self.cycle, port, &told, &mut self.network),
            None => Ok(()),
        }
    }
}
