//! The ports for warps of a rig's cluster.

use super::*;
use crate::cluster::warps::Asked;

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

    /// What happened there, for the scoreboard of the CTA.
    pub(super) fn watch_warp(&mut self, cta: usize) -> Result<(), Box<Failure>> {
        let Some(port) = self.warp_ports.get_mut(cta) else { return Ok(()) };
        let moved = port.settled(&self.cluster, self.taps[cta].scoreboard_mut());
        let moved = moved.map_err(|what| failure(self.cycle, format!("warps of CTA {cta}: {what}")))?;
        if moved {
            self.last_event = self.cycle;
        }
        Ok(())
    }
}
