//! Ports for warps: lanes of an instruction to the CTA's last port, and the answers back.

use super::*;

#[processes]
impl Cluster {
    /// Acceptance of the answers to a warp.
    fn heed(&mut self) {
        for c in 0..self.warp_rsp_ready.len() {
            self.scatter[c].rsp_ready.next = self.warp_rsp_ready[c].val();
        }
        for c in 0..self.warp_mem_ready.len() {
            self.deliver[c].rsp_ready.next = self.warp_mem_ready[c].val();
        }
    }

    /// Acceptances and answers of the CTA, and the next instruction.
    fn gather(&mut self) {
        for c in 0..self.warp_req_valid.len() {
            self.coalesce[c].ask_ready.next = self.cta[c].req_ready.val().get_bit(self.users);
            self.coalesce[c].used.next = self.scatter[c].used.q.val();
            // an instruction behind a request for barrier.cluster waits for it
            self.coalesce[c].valid.next = self.warp_req_valid[c].val() & !self.bar_req[c].valid.val();
            self.coalesce[c].op.next = self.warp_req_op[c].val();
            self.coalesce[c].remote.next = self.warp_req_cluster[c].val();
            connect!(self.coalesce[c].* <<= self.warp_req_*[c]: order, limit, mask, tag);
            for l in 0..self.width {
                connect!(self.coalesce[c].*[l] <<= self.warp_req_*[c][l]: address, operand);
            }
            self.scatter[c].told_valid.next = self.cta[c].rsp_valid.val().get_bit(self.users);
            self.scatter[c].told.tag.next = self.cta[c].rsp[self.users].tag.val() >> self.number_bits;
            connect!(self.scatter[c].told.* <<= self.cta[c].rsp[self.users].*: status, predicate, data);
            self.scatter[c].told_resumed.next = false;
        }
        for c in 0..self.claims.len() {
            // loads and stores of the CTA's own memory take another path, and nothing passes them
            self.claims[c].next = ((self.warp_req_op[c].val() == Op::Load) | (self.warp_req_op[c].val() == Op::Store))
                & !self.warp_req_cluster[c].val();
            if self.claims[c].val() | self.access[c].busy.val() {
                self.coalesce[c].valid.next = false;
            }
            self.access[c].valid.next =
                self.warp_req_valid[c].val() & self.claims[c].val() & !self.bar_req[c].valid.val();
            self.access[c].op.next = self.warp_req_op[c].val();
            self.access[c].remote.next = false;
            connect!(self.access[c].* <<= self.warp_req_*[c]: size, mask, tag);
            for l in 0..self.width {
                connect!(self.access[c].*[l] <<= self.warp_req_*[c][l]: address, lower, upper);
            }
            self.access[c].taken.next = self.cta[c].gate_taken[0].val();
        }
    }

    /// Requests made of the lanes, and the pins of the warps.
    fn hand(&mut self) {
        for c in 0..self.warp_req_ready.len() {
            self.warp_req_ready[c].next = self.coalesce[c].ready.val() & !self.bar_req[c].valid.val();
            self.scatter[c].formed <<= self.coalesce[c].formed;
            connect!(self.warp_*[c] <<= self.scatter[c].*: rsp_valid, rsp_tag, rsp_lanes, rsp_status, rsp_predicates,
                rsp_data);
        }
        for c in 0..self.claims.len() {
            if self.access[c].busy.val() {
                self.warp_req_ready[c].next = false;
            }
            if self.claims[c].val() {
                self.warp_req_ready[c].next = self.access[c].ready.val() & !self.bar_req[c].valid.val();
            }
            self.deliver[c].push.next = self.cta[c].gate_taken[0].val();
            connect!(self.deliver[c].* <<= self.access[c].go_*: lanes, status, tag, size, above);
            self.deliver[c].seen.next = self.cta[c].gate_seen[0].val();
            self.deliver[c].words <<= self.cta[c].gate_word;
            connect!(self.warp_mem_*[c] <<= self.deliver[c].rsp_*: valid, tag, lanes, status);
            for l in 0..self.width {
                self.deliver[c].bank[l].next = self.access[c].go_bank[l].q.val();
                connect!(self.warp_mem_*[c][l] <<= self.deliver[c].rsp_*[l]: lower, upper);
            }
        }
        for c in 0..self.checked_gates {
            self.deliver[c].struck[0].next = self.cta[c].gate_struck[0].val();
        }
    }
}
