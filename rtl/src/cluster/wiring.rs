//! What joins the CTAs of a cluster to its pins and to each other.

use super::*;

impl Process<Drive> for Cluster {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for c in 0..self.ctas {
            self.cta[c].rank.next = c.to_bits();
            self.entering.next = self.req_valid[c].val();
            self.cta[c].req_valid.next = bit_cast::<ASKERS, USERS>(self.entering.val());
            self.entering.next = self.rsp_ready[c].val();
            self.cta[c].rsp_ready.next = bit_cast::<ASKERS, USERS>(self.entering.val());
            self.cta[c].bulk_valid.next = self.bulk_valid[c].val();
            self.cta[c].bulk_global.next = self.bulk_global[c].val();
            self.cta[c].bulk_shared.next = self.bulk_shared[c].val();
            self.cta[c].bulk_bytes.next = self.bulk_bytes[c].val();
            self.cta[c].bulk_barrier.next = self.bulk_barrier[c].val();
            self.cta[c].bulk_ctas.next = self.bulk_ctas[c].val();
            self.cta[c].async_valid.next = self.async_valid[c].val();
            self.cta[c].async_kind.next = self.async_kind[c].val();
            self.cta[c].async_thread.next = self.async_thread[c].val();
            self.cta[c].async_global.next = self.async_global[c].val();
            self.cta[c].async_shared.next = self.async_shared[c].val();
            self.cta[c].async_bytes.next = self.async_bytes[c].val();
            self.cta[c].mem_req_ready.next = self.mem_req_ready[c].val();
            self.cta[c].mem_rsp_valid.next = self.mem_rsp_valid[c].val();
            self.cta[c].mem_rsp_id.next = self.mem_rsp_id[c].val();
            self.cta[c].put_valid.next = self.put_valid[c].val();
            self.cta[c].put_kind.next = self.put_kind[c].val();
            self.cta[c].put_thread.next = self.put_thread[c].val();
            self.cta[c].put_shared.next = self.put_shared[c].val();
            self.cta[c].put_global.next = self.put_global[c].val();
            self.cta[c].put_target.next = self.put_target[c].val();
            self.cta[c].put_barrier.next = self.put_barrier[c].val();
            self.cta[c].put_bytes.next = self.put_bytes[c].val();
            self.cta[c].put_mask.next = self.put_mask[c].val();
            self.cta[c].put_reduction.next = self.put_reduction[c].val();
            self.cta[c].group_valid.next = self.group_valid[c].val();
            self.cta[c].group_thread.next = self.group_thread[c].val();
            self.cta[c].group_read.next = self.group_read[c].val();
            self.cta[c].group_most.next = self.group_most[c].val();
            self.cta[c].post_valid.next = self.post_valid[c].val();
            self.cta[c].post_address.next = self.post_address[c].val();
            self.cta[c].post_barrier.next = self.post_barrier[c].val();
            self.cta[c].post_bytes.next = self.post_bytes[c].val();
            self.cta[c].post_reduction.next = self.post_reduction[c].val();
            self.cta[c].mem_wr_ready.next = self.mem_wr_ready[c].val();
            self.cta[c].mem_ack_valid.next = self.mem_ack_valid[c].val();
            self.cta[c].mem_ack_id.next = self.mem_ack_id[c].val();
            for w in 0..self.post_words {
                self.cta[c].post_data[w].next = self.post_data[c][w].val();
            }
            self.cta[c].bar_req_valid.next = self.bar_req_valid[c].val();
            self.cta[c].bar_req_op.next = self.bar_req_op[c].val();
            self.cta[c].bar_req_warp.next = self.bar_req_warp[c].val();
            self.cta[c].bar_req_lanes.next = self.bar_req_lanes[c].val();
            self.cta[c].bar_req_aligned.next = self.bar_req_aligned[c].val();
            self.cta[c].bar_req_releases.next = self.bar_req_releases[c].val();
            self.cta[c].bar_rsp_ready.next = self.bar_rsp_ready[c].val();
            for k in 0..self.users {
                self.cta[c].req_op[k].next = self.req_op[c][k].val();
                self.cta[c].req_cluster[k].next = self.req_cluster[c][k].val();
                self.cta[c].req_address[k].next = self.req_address[c][k].val();
                self.cta[c].req_data[k].next = self.req_data[c][k].val();
                self.cta[c].req_strobe[k].next = self.req_strobe[c][k].val();
                self.cta[c].req_tag[k].next = self.req_tag[c][k].val();
                self.cta[c].req_order[k].next = self.req_order[c][k].val();
            }
            for l in 0..self.beat_words {
                self.cta[c].mem_rsp_data[l].next = self.mem_rsp_data[c][l].val();
            }
        }
        for c in 0..self.tensored {
            self.cta[c].tensor_valid[0].next = self.tensor_valid[c].val();
            self.cta[c].tensor_act[0].next = self.tensor_act[c].val();
            self.cta[c].tensor_map[0].next = self.tensor_map[c].val();
            for d in 0..self.dimensions {
                self.cta[c].tensor_at[0][d].next = self.tensor_at[c][d].val();
            }
            self.cta[c].tensor_shared[0].next = self.tensor_shared[c].val();
            self.cta[c].tensor_barrier[0].next = self.tensor_barrier[c].val();
            self.cta[c].tensor_ctas[0].next = self.tensor_ctas[c].val();
            self.cta[c].tensor_action[0].next = self.tensor_action[c].val();
            self.cta[c].tensor_thread[0].next = self.tensor_thread[c].val();
        }
        for c in 0..self.masked {
            self.entering.next = self.resume_ready[c].val();
            self.cta[c].resume_ready[0].next = bit_cast::<ASKERS, USERS>(self.entering.val());
        }
        for c in 0..self.gated {
            if self.access[c].busy.val() {
                self.cta[c].bar_req_valid.next = false;
            }
            // behind what the port has accepted before, and if there is room for its answer
            self.cta[c].gate_valid[0].next =
                self.access[c].go_valid.q.val() & self.deliver[c].room.val() & !self.coalesce[c].busy.val();
            self.cta[c].gate_banks[0].next = self.access[c].go_banks.q.val();
            for b in 0..self.banks {
                self.cta[c].gate_row[b].next = self.access[c].go_row[b].q.val();
                self.cta[c].gate_stored[b].next = self.access[c].go_stored[b].q.val();
                self.cta[c].gate_data[b].next = self.access[c].go_word[b].q.val();
            }
        }
        self.content.next = 0.into();
        for c in 0..self.warped {
            if self.coalesce[c].busy.val() {
                self.cta[c].bar_req_valid.next = false;
            }
            if self.coalesce[c].ask_valid.q.val() {
                self.cta[c].req_valid.next = self.cta[c].req_valid.val() | (bits::<ASKERS>(1) << self.users);
            }
            if self.scatter[c].told_ready.val() {
                self.cta[c].rsp_ready.next = self.cta[c].rsp_ready.val() | (bits::<ASKERS>(1) << self.users);
            }
            self.cta[c].req_op[self.users].next = self.coalesce[c].ask_op.q.val();
            self.cta[c].req_cluster[self.users].next = self.coalesce[c].ask_remote.q.val();
            self.cta[c].req_address[self.users].next = self.coalesce[c].ask_address.q.val();
            self.cta[c].req_data[self.users].next = self.coalesce[c].ask_data.q.val();
            self.cta[c].req_strobe[self.users].next = 0.into();
            self.cta[c].req_tag[self.users].next = self.coalesce[c].ask_tag.q.val() << self.number_bits;
            self.cta[c].req_order[self.users].next = self.coalesce[c].ask_order.q.val();
            // a thread is one lane, where the other CTA counts them
            for k in 0..self.users {
                if SINGLE.get_bit(self.req_op[c][k].val().index()) {
                    self.content.next = self.req_data[c][k].val();
                    self.cta[c].req_data[k].next = bit_cast::<64, 32>(self.content.val().get_bits::<32>(0));
                }
            }
        }
    }
}

impl Process<Bring> for Cluster {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.arrived.next = 0.into();
        self.empty.next = 0.into();
        for n in 0..self.nets {
            self.room[n].next = 0.into();
            for t in 0..self.links {
                if self.requests[t].room.q.val() {
                    self.room[n].next = self.room[n].val() | (bits::<CTAS>(1) << t);
                }
            }
        }
        for t in 0..self.links {
            if self.arrivals[t].leave.val() {
                self.arrived.next = self.arrived.val() | (bits::<CTAS>(1) << t);
            }
            if self.exits[t].leave.val() {
                self.empty.next = self.empty.val() | (bits::<CTAS>(1) << t);
            }
        }
        for t in 0..self.links {
            self.cta[t].link_room[0].next = self.room[0].val();
            self.cta[t].get_valid[0].next = self.requests[t].valid.val();
            for w in 0..self.request_words {
                self.cta[t].get_words[0][w].next = self.requests[t].first[w].val();
            }
            self.cta[t].back_valid[0].next = self.answers[t].valid.val();
            for w in 0..self.answer_words {
                self.cta[t].back_words[0][w].next = self.answers[t].first[w].val();
            }
            self.cta[t].drop_valid[0].next = self.beats[t].valid.val();
            for w in 0..self.cast_words {
                self.cta[t].drop_words[0][w].next = self.beats[t].first[w].val();
            }
        }
        // what a CTA does itself it knows at once
        for c in 0..self.ctas {
            self.cta[c].arrived_of.next = self.arrived.val() & !(bits::<CTAS>(1) << c);
            if self.cta[c].arrived.val() {
                self.cta[c].arrived_of.next = self.cta[c].arrived_of.val() | (bits::<CTAS>(1) << c);
            }
            self.cta[c].empty_of.next = self.empty.val() & !(bits::<CTAS>(1) << c);
            if self.cta[c].empty.val() {
                self.cta[c].empty_of.next = self.cta[c].empty_of.val() | (bits::<CTAS>(1) << c);
            }
        }
        for t in 0..self.links {
            self.arrivals[t].enter.next = self.cta[t].arrived.val();
            self.exits[t].enter.next = self.cta[t].empty.val();
        }
    }
}

impl Process<Ask> for Cluster {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for t in 0..self.links {
            self.asks[t].request.next = 0.into();
            self.replies[t].request.next = 0.into();
            self.casts[t].request.next = 0.into();
            for s in 0..self.links {
                if self.cta[s].send[0].val().get_bit(t) {
                    self.asks[t].request.next = self.asks[t].request.val() | (bits::<CTAS>(1) << s);
                }
                if self.cta[s].reply[0].val().get_bit(t) & self.answers[t].room.q.val() {
                    self.replies[t].request.next = self.replies[t].request.val() | (bits::<CTAS>(1) << s);
                }
                if self.cta[s].cast[0].val().get_bit(t) & self.beats[t].room.q.val() {
                    self.casts[t].request.next = self.casts[t].request.val() | (bits::<CTAS>(1) << s);
                }
            }
        }
    }
}

impl Process<Route> for Cluster {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for s in 0..self.links {
            self.cta[s].send_taken[0].next = false;
            self.cta[s].reply_taken[0].next = false;
            self.cta[s].cast_taken[0].next = 0.into();
        }
        for t in 0..self.links {
            self.requests[t].send.next = self.asks[t].grant.val().any();
            self.answers[t].send.next = self.replies[t].grant.val().any();
            self.beats[t].send.next = self.casts[t].grant.val().any();
            for w in 0..self.request_words {
                self.requests[t].words[w].next = 0.into();
            }
            for w in 0..self.answer_words {
                self.answers[t].words[w].next = 0.into();
            }
            for w in 0..self.cast_words {
                self.beats[t].words[w].next = 0.into();
            }
            for s in 0..self.links {
                if self.asks[t].grant.val().get_bit(s) {
                    self.cta[s].send_taken[0].next = true;
                    for w in 0..self.request_words {
                        self.requests[t].words[w].next =
                            self.requests[t].words[w].val() | self.cta[s].send_words[0][w].val();
                    }
                }
                if self.replies[t].grant.val().get_bit(s) {
                    self.cta[s].reply_taken[0].next = true;
                    for w in 0..self.answer_words {
                        self.answers[t].words[w].next =
                            self.answers[t].words[w].val() | self.cta[s].reply_words[0][w].val();
                    }
                }
                if self.casts[t].grant.val().get_bit(s) {
                    self.cta[s].cast_taken[0].next = self.cta[s].cast_taken[0].val() | (bits::<CTAS>(1) << t);
                    for w in 0..self.cast_words {
                        self.beats[t].words[w].next = self.beats[t].words[w].val() | self.cta[s].cast_words[0][w].val();
                    }
                }
            }
        }
    }
}

impl Process<Take> for Cluster {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for t in 0..self.links {
            self.requests[t].take.next = self.cta[t].get_taken[0].val();
            self.answers[t].take.next = self.answers[t].valid.val();
            self.beats[t].take.next = self.cta[t].drop_taken[0].val();
        }
    }
}

impl Process<Show> for Cluster {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for c in 0..self.ctas {
            self.req_ready[c].next = 0.into();
            self.rsp_valid[c].next = 0.into();
            self.bulk_ready[c].next = self.cta[c].bulk_ready.val();
            self.bulk_status[c].next = self.cta[c].bulk_status.val();
            self.async_ready[c].next = self.cta[c].async_ready.val();
            self.async_status[c].next = self.cta[c].async_status.val();
            self.copy_done[c].next = self.cta[c].copy_done.val();
            self.copy_idle[c].next = self.cta[c].copy_idle.val();
            self.mem_req_valid[c].next = self.cta[c].mem_req_valid.val();
            self.mem_req_address[c].next = self.cta[c].mem_req_address.val();
            self.mem_req_beats[c].next = self.cta[c].mem_req_beats.val();
            self.mem_req_narrow[c].next = self.cta[c].mem_req_narrow.val();
            self.mem_req_id[c].next = self.cta[c].mem_req_id.val();
            self.mem_rsp_ready[c].next = self.cta[c].mem_rsp_ready.val();
            self.put_ready[c].next = self.cta[c].put_ready.val();
            self.put_status[c].next = self.cta[c].put_status.val();
            self.group_ready[c].next = self.cta[c].group_ready.val();
            self.group_open[c].next = self.cta[c].group_open.val();
            self.post_ready[c].next = self.cta[c].post_ready.val();
            self.post_status[c].next = self.cta[c].post_status.val();
            self.mem_wr_valid[c].next = self.cta[c].mem_wr_valid.val();
            self.mem_wr_address[c].next = self.cta[c].mem_wr_address.val();
            self.mem_wr_strobe[c].next = self.cta[c].mem_wr_strobe.val();
            self.mem_wr_reduction[c].next = self.cta[c].mem_wr_reduction.val();
            self.mem_wr_id[c].next = self.cta[c].mem_wr_id.val();
            self.mem_wr_last[c].next = self.cta[c].mem_wr_last.val();
            for l in 0..self.beat_words {
                self.mem_wr_data[c][l].next = self.cta[c].mem_wr_data[l].val();
            }
            self.bar_req_ready[c].next = self.cta[c].bar_req_ready.val();
            self.bar_rsp_valid[c].next = self.cta[c].bar_rsp_valid.val();
            self.bar_rsp_warp[c].next = self.cta[c].bar_rsp_warp.val();
            self.bar_rsp_lanes[c].next = self.cta[c].bar_rsp_lanes.val();
            self.bar_rsp_status[c].next = self.cta[c].bar_rsp_status.val();
            for k in 0..self.users {
                if self.cta[c].req_ready.val().get_bit(k) {
                    self.req_ready[c].next = self.req_ready[c].val() | (bits::<USERS>(1) << k);
                }
                if self.cta[c].rsp_valid.val().get_bit(k) {
                    self.rsp_valid[c].next = self.rsp_valid[c].val() | (bits::<USERS>(1) << k);
                }
                self.rsp_tag[c][k].next = self.cta[c].rsp_tag[k].val();
                self.rsp_status[c][k].next = self.cta[c].rsp_status[k].val();
                self.rsp_predicate[c][k].next = self.cta[c].rsp_predicate[k].val();
                self.rsp_data[c][k].next = self.cta[c].rsp_data[k].val();
            }
        }
        for c in 0..self.tensored {
            self.tensor_ready[c].next = self.cta[c].tensor_ready[0].val();
            self.tensor_end_valid[c].next = self.cta[c].tensor_end_valid[0].val();
            self.tensor_end_verdict[c].next = self.cta[c].tensor_end_verdict[0].val();
        }
        for c in 0..self.warped {
            if self.coalesce[c].busy.val() {
                self.bar_req_ready[c].next = false;
            }
        }
        for c in 0..self.gated {
            if self.access[c].busy.val() {
                self.bar_req_ready[c].next = false;
            }
        }
        for c in 0..self.masked {
            self.leaving[0].next = self.cta[c].resume_valid[0].val();
            self.resume_valid[c].next = bit_cast::<USERS, ASKERS>(self.leaving[0].val());
            for k in 0..self.users {
                self.resume_completed[c][k].next = self.cta[c].resume_completed[k].val();
                self.resume_expired[c][k].next = self.cta[c].resume_expired[k].val();
                self.resume_ended[c][k].next = self.cta[c].resume_ended[k].val();
            }
        }
    }
}
