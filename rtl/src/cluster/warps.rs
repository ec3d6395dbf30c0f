//! The ports for warps: the lanes of an instruction on their way to the CTA's last port, and the answers on their way back.

use super::*;

#[processes]
impl Cluster {
    /// Whether what is shown to a warp is taken.
    fn heed(&mut self) {
        for c in 0..self.warped {
            self.scatter[c].rsp_ready.next = self.warp_rsp_ready[c].val();
        }
        for c in 0..self.gated {
            self.deliver[c].rsp_ready.next = self.warp_mem_ready[c].val();
        }
    }

    /// What the CTA has accepted and answers, and the next instruction.
    fn gather(&mut self) {
        for c in 0..self.warped {
            self.coalesce[c].ask_ready.next = self.cta[c].req_ready.val().get_bit(self.users);
            self.coalesce[c].used.next = self.scatter[c].used.q.val();
            // what comes behind a request at barrier.cluster waits for it
            self.coalesce[c].valid.next = self.warp_req_valid[c].val() & !self.bar_req[c].valid.val();
            self.coalesce[c].op.next = self.warp_req_op[c].val();
            self.coalesce[c].remote.next = self.warp_req_cluster[c].val();
            self.coalesce[c].order.next = self.warp_req_order[c].val();
            self.coalesce[c].limit.next = self.warp_req_limit[c].val();
            self.coalesce[c].mask.next = self.warp_req_mask[c].val();
            self.coalesce[c].tag.next = self.warp_req_tag[c].val();
            for l in 0..self.width {
                self.coalesce[c].address[l].next = self.warp_req_address[c][l].val();
                self.coalesce[c].operand[l].next = self.warp_req_operand[c][l].val();
            }
            self.scatter[c].told_valid.next = self.cta[c].rsp_valid.val().get_bit(self.users);
            self.scatter[c].told.tag.next = self.cta[c].rsp[self.users].tag.val() >> self.number_bits;
            self.scatter[c].told.status.next = self.cta[c].rsp[self.users].status.val();
            self.scatter[c].told.predicate.next = self.cta[c].rsp[self.users].predicate.val();
            self.scatter[c].told.data.next = self.cta[c].rsp[self.users].data.val();
            self.scatter[c].told_resumed.next = false;
        }
        for c in 0..self.gated {
            // loads and stores of the own memory go another way, and nothing passes them
            self.claims[c].next = ((self.warp_req_op[c].val() == Op::Load) | (self.warp_req_op[c].val() == Op::Store))
                & !self.warp_req_cluster[c].val();
            if self.claims[c].val() | self.access[c].busy.val() {
                self.coalesce[c].valid.next = false;
            }
            self.access[c].valid.next =
                self.warp_req_valid[c].val() & self.claims[c].val() & !self.bar_req[c].valid.val();
            self.access[c].op.next = self.warp_req_op[c].val();
            self.access[c].remote.next = false;
            self.access[c].size.next = self.warp_req_size[c].val();
            self.access[c].mask.next = self.warp_req_mask[c].val();
            self.access[c].tag.next = self.warp_req_tag[c].val();
            for l in 0..self.width {
                self.access[c].address[l].next = self.warp_req_address[c][l].val();
                self.access[c].lower[l].next = self.warp_req_lower[c][l].val();
                self.access[c].upper[l].next = self.warp_req_upper[c][l].val();
            }
            self.access[c].taken.next = self.cta[c].gate_taken[0].val();
        }
    }

    /// The groups that have been made, and the pins of the warps.
    fn hand(&mut self) {
        for c in 0..self.warped {
            self.warp_req_ready[c].next = self.coalesce[c].ready.val() & !self.bar_req[c].valid.val();
            self.scatter[c].formed <<= self.coalesce[c].formed;
            self.warp_rsp_valid[c].next = self.scatter[c].rsp_valid.q.val();
            self.warp_rsp_tag[c].next = self.scatter[c].rsp_tag.val();
            self.warp_rsp_lanes[c].next = self.scatter[c].rsp_lanes.val();
            self.warp_rsp_status[c].next = self.scatter[c].rsp_status.q.val();
            self.warp_rsp_predicates[c].next = self.scatter[c].rsp_predicates.val();
            self.warp_rsp_data[c].next = self.scatter[c].rsp_data.val();
        }
        for c in 0..self.gated {
            if self.access[c].busy.val() {
                self.warp_req_ready[c].next = false;
            }
            if self.claims[c].val() {
                self.warp_req_ready[c].next = self.access[c].ready.val() & !self.bar_req[c].valid.val();
            }
            self.deliver[c].push.next = self.cta[c].gate_taken[0].val();
            self.deliver[c].lanes.next = self.access[c].go_lanes.q.val();
            self.deliver[c].status.next = self.access[c].go_status.q.val();
            self.deliver[c].tag.next = self.access[c].go_tag.q.val();
            self.deliver[c].size.next = self.access[c].go_size.q.val();
            self.deliver[c].above.next = self.access[c].go_above.q.val();
            self.deliver[c].seen.next = self.cta[c].gate_seen[0].val();
            for b in 0..self.banks {
                self.deliver[c].words[b].next = self.cta[c].gate_word[b].val();
            }
            self.warp_mem_valid[c].next = self.deliver[c].rsp_valid.q.val();
            self.warp_mem_tag[c].next = self.deliver[c].rsp_tag.val();
            self.warp_mem_lanes[c].next = self.deliver[c].rsp_lanes.val();
            self.warp_mem_status[c].next = self.deliver[c].rsp_status.val();
            for l in 0..self.width {
                self.deliver[c].bank[l].next = self.access[c].go_bank[l].q.val();
                self.warp_mem_lower[c][l].next = self.deliver[c].rsp_lower[l].val();
                self.warp_mem_upper[c][l].next = self.deliver[c].rsp_upper[l].val();
            }
        }
        for c in 0..self.checked_gates {
            self.deliver[c].struck[0].next = self.cta[c].gate_struck[0].val();
        }
    }
}
