//! Wiring of the CTAs of a cluster to its pins and to each other.

use super::*;

#[processes]
impl Cluster {
    fn drive(&mut self) {
        for c in 0..self.ctas {
            self.cta[c].rank.next = c.to_bits();
            self.entering.next = self.req_valid[c].val();
            self.cta[c].req_valid.next = bit_cast::<ASKERS, USERS>(self.entering.val());
            self.entering.next = self.rsp_ready[c].val();
            self.cta[c].rsp_ready.next = bit_cast::<ASKERS, USERS>(self.entering.val());
            self.cta[c].bulk <<= self.bulk[c];
            self.cta[c].r#async <<= self.r#async[c];
            self.mem_req[c] >>= self.cta[c].mem_req;
            self.cta[c].mem_rsp <<= self.mem_rsp[c];
            self.cta[c].put <<= self.put[c];
            self.cta[c].group <<= self.group[c];
            self.cta[c].post <<= self.post[c];
            self.mem_wr[c] >>= self.cta[c].mem_wr;
            self.cta[c].mem_ack <<= self.mem_ack[c];
            self.cta[c].bar_req <<= self.bar_req[c];
            self.bar_rsp[c] >>= self.cta[c].bar_rsp;
            for k in 0..self.users {
                self.cta[c].req[k] <<= self.req[c][k];
            }
        }
        for c in 0..self.tiles.len() {
            self.cta[c].tiles[0] <<= self.tiles[c];
        }
        for c in 0..self.masked {
            self.entering.next = self.resume_ready[c].val();
            self.cta[c].resume_ready[0].next = bit_cast::<ASKERS, USERS>(self.entering.val());
        }
        for c in 0..self.warp_req_size.len() {
            if self.access[c].busy.val() {
                self.cta[c].bar_req.valid.next = false;
            }
            // after the port's earlier requests, and if there is space for the answer
            self.cta[c].gate_valid[0].next =
                self.access[c].go_valid.q.val() & self.deliver[c].room.val() & !self.coalesce[c].busy.val();
            self.cta[c].gate_banks[0].next = self.access[c].go_banks.q.val();
            for b in 0..self.banks {
                connect!(self.cta[c].gate_*[b] <<= self.access[c].go_*[b]: row, stored);
                self.cta[c].gate_data[b].next = self.access[c].go_word[b].q.val();
            }
        }
        self.content.next = 0.into();
        for c in 0..self.warp_req_valid.len() {
            if self.coalesce[c].busy.val() {
                self.cta[c].bar_req.valid.next = false;
            }
            if self.coalesce[c].ask_valid.q.val() {
                self.cta[c].req_valid.next = self.cta[c].req_valid.val() | (bits::<ASKERS>(1) << self.users);
            }
            if self.scatter[c].told_ready.val() {
                self.cta[c].rsp_ready.next = self.cta[c].rsp_ready.val() | (bits::<ASKERS>(1) << self.users);
            }
            self.cta[c].req[self.users].op.next = self.coalesce[c].ask_op.q.val();
            self.cta[c].req[self.users].cluster.next = self.coalesce[c].ask_remote.q.val();
            connect!(self.cta[c].req[self.users].* <<= self.coalesce[c].ask_*: address, data);
            self.cta[c].req[self.users].strobe.next = 0.into();
            self.cta[c].req[self.users].tag.next = self.coalesce[c].ask_tag.q.val() << self.number_bits;
            self.cta[c].req[self.users].order.next = self.coalesce[c].ask_order.q.val();
            // the request of a thread counts as one lane in the other CTA
            for k in 0..self.users {
                if SINGLE.get_bit(self.req[c][k].op.val().index()) {
                    self.content.next = self.req[c][k].data.val();
                    self.cta[c].req[k].data.next = bit_cast::<64, 32>(self.content.val().get_bits::<32>(0));
                }
            }
        }
    }

    fn bring(&mut self) {
        clear!(self.arrived, self.empty);
        for n in 0..self.nets {
            self.room[n].next = 0.into();
            for t in 0..self.requests.len() {
                if self.requests[t].room.q.val() {
                    self.room[n].next = self.room[n].val() | (bits::<CTAS>(1) << t);
                }
            }
        }
        for t in 0..self.arrivals.len() {
            if self.arrivals[t].leave.val() {
                self.arrived.next = self.arrived.val() | (bits::<CTAS>(1) << t);
            }
            if self.exits[t].leave.val() {
                self.empty.next = self.empty.val() | (bits::<CTAS>(1) << t);
            }
        }
        for t in 0..self.requests.len() {
            self.cta[t].link_room[0].next = self.room[0].val();
            self.cta[t].get_valid[0].next = self.requests[t].valid.val();
            self.cta[t].get_words[0] <<= self.requests[t].first;
            self.cta[t].back_valid[0].next = self.answers[t].valid.val();
            self.cta[t].back_words[0] <<= self.answers[t].first;
            self.cta[t].drop_valid[0].next = self.beats[t].valid.val();
            self.cta[t].drop_words[0] <<= self.beats[t].first;
        }
        // a CTA sees its own state without delay
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
        for t in 0..self.arrivals.len() {
            self.arrivals[t].enter.next = self.cta[t].arrived.val();
            self.exits[t].enter.next = self.cta[t].empty.val();
        }
    }

    fn ask(&mut self) {
        for t in 0..self.answers.len() {
            clear!(self.asks[t].request, self.replies[t].request, self.casts[t].request);
            for s in 0..self.requests.len() {
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

    fn route(&mut self) {
        for s in 0..self.requests.len() {
            clear!(self.cta[s].send_taken[0], self.cta[s].reply_taken[0], self.cta[s].cast_taken[0]);
        }
        for t in 0..self.requests.len() {
            self.requests[t].send.next = self.asks[t].grant.val().any();
            self.answers[t].send.next = self.replies[t].grant.val().any();
            self.beats[t].send.next = self.casts[t].grant.val().any();
            clear!(self.requests[t].words);
            clear!(self.answers[t].words);
            clear!(self.beats[t].words);
            for s in 0..self.requests.len() {
                if self.asks[t].grant.val().get_bit(s) {
                    self.cta[s].send_taken[0].next = true;
                    for w in 0..REQUEST_WORDS {
                        self.requests[t].words[w].next =
                            self.requests[t].words[w].val() | self.cta[s].send_words[0][w].val();
                    }
                }
                if self.replies[t].grant.val().get_bit(s) {
                    self.cta[s].reply_taken[0].next = true;
                    for w in 0..ANSWER_WORDS {
                        self.answers[t].words[w].next =
                            self.answers[t].words[w].val() | self.cta[s].reply_words[0][w].val();
                    }
                }
                if self.casts[t].grant.val().get_bit(s) {
                    self.cta[s].cast_taken[0].next = self.cta[s].cast_taken[0].val() | (bits::<CTAS>(1) << t);
                    for w in 0..CAST_WORDS {
                        self.beats[t].words[w].next = self.beats[t].words[w].val() | self.cta[s].cast_words[0][w].val();
                    }
                }
            }
        }
    }

    fn take(&mut self) {
        for t in 0..self.requests.len() {
            self.requests[t].take.next = self.cta[t].get_taken[0].val();
            self.answers[t].take.next = self.answers[t].valid.val();
            self.beats[t].take.next = self.cta[t].drop_taken[0].val();
        }
    }

    fn show(&mut self) {
        for c in 0..self.ctas {
            clear!(self.req_ready[c], self.rsp_valid[c]);
            self.cta[c].bulk >>= self.bulk[c];
            self.cta[c].r#async >>= self.r#async[c];
            connect!(self.*[c] <<= self.cta[c].*: copy_done, copy_idle);
            self.mem_req[c] <<= self.cta[c].mem_req;
            self.cta[c].mem_rsp >>= self.mem_rsp[c];
            self.cta[c].put >>= self.put[c];
            self.cta[c].group >>= self.group[c];
            self.cta[c].post >>= self.post[c];
            self.mem_wr[c] <<= self.cta[c].mem_wr;
            self.cta[c].bar_req >>= self.bar_req[c];
            self.bar_rsp[c] <<= self.cta[c].bar_rsp;
            for k in 0..self.users {
                if self.cta[c].req_ready.val().get_bit(k) {
                    self.req_ready[c].next = self.req_ready[c].val() | (bits::<USERS>(1) << k);
                }
                if self.cta[c].rsp_valid.val().get_bit(k) {
                    self.rsp_valid[c].next = self.rsp_valid[c].val() | (bits::<USERS>(1) << k);
                }
                self.rsp[c][k] <<= self.cta[c].rsp[k];
            }
        }
        for c in 0..self.tiles.len() {
            self.cta[c].tiles[0] >>= self.tiles[c];
        }
        for c in 0..self.warp_req_valid.len() {
            if self.coalesce[c].busy.val() {
                self.bar_req[c].ready.next = false;
            }
        }
        for c in 0..self.warp_req_size.len() {
            if self.access[c].busy.val() {
                self.bar_req[c].ready.next = false;
            }
        }
        for c in 0..self.masked {
            self.leaving[0].next = self.cta[c].resume_valid[0].val();
            self.resume_valid[c].next = bit_cast::<USERS, ASKERS>(self.leaving[0].val());
            for k in 0..self.users {
                self.resume[c][k] <<= self.cta[c].resume[k];
            }
        }
    }
}
