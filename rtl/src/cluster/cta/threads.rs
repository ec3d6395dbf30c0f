//! A CTA's threads: requests of their ports to the unit or to other CTAs, and the answers.

use super::*;

#[processes]
impl Cta {
    fn open(&mut self) {
        clear!(self.near, self.own);
        for t in 0..self.ctas {
            if self.rank.val() == t.to_bits() {
                self.own.next = self.own.val() | (bits::<CTAS>(1) << t);
            }
        }
        for k in 0..self.req.len() {
            self.unit.req[k].op.next = self.req[k].op.val();
            self.unit.req[k].remote.next = self.req[k].cluster.val();
            connect!(self.unit.req[k].* <<= self.req[k].*: address, data, strobe, tag);
            self.unit.req_order[k].next = self.req[k].order.val();
            self.goes[k].next = false;
            self.names[k].next = self.req[k].address.val().get_bits::<RANK_BITS>(address::RANK_LSB);
            // an address that names no CTA is outside every memory, which the unit reports
            if self.req[k].cluster.val() & !self.req[k].address.val().get_bits::<ABOVE_BITS>(address::ABOVE_LSB).any() {
                for t in 0..self.ctas {
                    if self.names[k].val() == t.to_bits() {
                        self.goes[k].next = true;
                    }
                }
                if self.names[k].val() == self.rank.val() {
                    self.goes[k].next = false;
                    self.near.next = self.req[k].address.val().get_bits::<OFFSET_BITS>(0);
                    self.unit.req[k].address.next = bit_cast::<32, OFFSET_BITS>(self.near.val());
                }
            }
            self.unit.req_elsewhere[k].next = self.goes[k].val();
            self.closed[k].next = self.rendezvous.draining.val();
            self.shows[k].next = false;
        }
        self.unit.remote_pending.next = 0.into();
        for k in 0..self.networked {
            self.target[k].next = 0.into();
            for t in 0..self.ctas {
                if self.names[k].val() == t.to_bits() {
                    self.target[k].next = self.target[k].val() | (bits::<CTAS>(1) << t);
                }
            }
            if self.acquires[k].q.val() & self.away[k].q.val().any() {
                self.closed[k].next = true;
            }
            if self.away[k].q.val().any() {
                self.unit.remote_pending.next = self.unit.remote_pending.val() | (bits::<PORTS>(1) << k);
            }
            self.shows[k].next = self.prefers[k].q.val() & self.answers[k].valid.q.val();
        }
        self.unit.req_departed <<= self.departed;
    }

    fn ask(&mut self) {
        clear!(self.unit.req_valid, self.unit.rsp_ready);
        for k in 0..self.closed.len() {
            if self.req_valid.val().get_bit(k) & !self.closed[k].val() {
                self.unit.req_valid.next = self.unit.req_valid.val() | (bits::<PORTS>(1) << k);
            }
            if self.rsp_ready.val().get_bit(k) & !self.shows[k].val() {
                self.unit.rsp_ready.next = self.unit.rsp_ready.val() | (bits::<PORTS>(1) << k);
            }
        }
        for n in 0..self.nets {
            self.asked[0].next = self.get_words[n][0].val();
            self.unit.req[self.net_port].op.next = self.asked[0].val().get_bits::<OP_BITS>(request::OP);
            self.unit.req[self.net_port].remote.next = true;
            self.unit.req[self.net_port].address.next =
                bit_cast::<32, OFFSET_BITS>(self.asked[0].val().get_bits::<OFFSET_BITS>(request::ADDRESS));
            self.unit.req[self.net_port].data.next = self.get_words[n][1].val();
            self.unit.req[self.net_port].strobe.next = self.asked[0].val().get_bits::<8>(request::STROBE);
            // one thread, from the unit's point of view: requests that arrive in order are performed in order
            clear!(self.unit.req[self.net_port].tag, self.unit.req_order[self.net_port]);
            if self.get_valid[n].val() {
                self.unit.req_valid.next = self.unit.req_valid.val() | (bits::<PORTS>(1) << self.net_port);
            }
            if self.replies[n].room.q.val() {
                self.unit.rsp_ready.next = self.unit.rsp_ready.val() | (bits::<PORTS>(1) << self.net_port);
            }
        }

        self.completing.next = self.completer.valid.q.val() & !(self.copier.op_valid.val() & self.copy_turn.q.val());
        self.unit.req[self.copy_port].op.next = self.copier.op.val();
        self.unit.req[self.copy_port].remote.next = false;
        self.unit.req[self.copy_port].address.next = bit_cast::<32, OFFSET_BITS>(self.copier.op_address.val());
        clear!(self.unit.req[self.copy_port].data, self.unit.req[self.copy_port].strobe);
        clear!(self.unit.req[self.copy_port].tag, self.unit.req_order[self.copy_port]);
        if self.completing.val() {
            self.unit.req[self.copy_port].op.next = Op::BulkCompleteTx.into();
            self.unit.req[self.copy_port].address.next =
                bit_cast::<32, OFFSET_BITS>(self.completer.due_barrier.q.val());
            self.unit.req[self.copy_port].data.next = bit_cast::<64, 20>(self.completer.due_bytes.q.val());
        }
        if self.copier.op_valid.val() | self.completing.val() {
            self.unit.req_valid.next = self.unit.req_valid.val() | (bits::<PORTS>(1) << self.copy_port);
        }
        // copies do not wait for answers
        self.unit.rsp_ready.next = self.unit.rsp_ready.val() | (bits::<PORTS>(1) << self.copy_port);
        for m in 0..self.resumes {
            self.unit.resume_ready[m].next = 0.into();
            for k in 0..self.masked {
                if self.resume_ready[m].val().get_bit(k) {
                    self.unit.resume_ready[m].next = self.unit.resume_ready[m].val() | (bits::<PORTS>(1) << k);
                }
            }
        }
    }

    fn depart(&mut self) {
        for n in 0..self.nets {
            self.eligible[0].next = 0.into();
            for k in 0..self.networked {
                if self.unit.req_departs[k].val()
                    & (self.link_room[n].val() & self.target[k].val()).any()
                    & (self.owed[k].q.val().index() != self.remote_depth)
                {
                    self.eligible[0].next = self.eligible[0].val() | (bits::<PORTS>(1) << k);
                }
            }
            // a port offered and not accepted stays, or an arbiter at the other end might never see it in its turn
            self.arbiter[n].request.next = self.eligible[0].val();
            if (self.eligible[0].val() & self.offered[n].q.val()).any() {
                self.arbiter[n].request.next = self.eligible[0].val() & self.offered[n].q.val();
            }
        }
    }

    fn send(&mut self) {
        for n in 0..self.nets {
            clear!(self.send[n], self.send_words[n][1], self.sent_op[0], self.sent_strobe[0], self.sent_address[0]);
            clear!(self.sent_port[0], self.sent_tag[0]);
            for k in 0..self.networked {
                if self.arbiter[n].grant.val().get_bit(k) {
                    self.send[n].next = self.send[n].val() | self.target[k].val();
                    connect!(self.sent_*[0] <<= self.req[k].*: op, strobe);
                    self.sent_address[0].next = self.req[k].address.val().get_bits::<OFFSET_BITS>(0);
                    self.sent_port[0].next = k.to_bits();
                    self.sent_tag[0].next = self.req[k].tag.val();
                    self.send_words[n][1].next = self.send_words[n][1].val() | self.req[k].data.val();
                }
            }
            self.send_words[n][0].next = (bit_cast::<64, OP_BITS>(self.sent_op[0].val()) << request::OP)
                | (bit_cast::<64, 8>(self.sent_strobe[0].val()) << request::STROBE)
                | (bit_cast::<64, OFFSET_BITS>(self.sent_address[0].val()) << request::ADDRESS)
                | (bit_cast::<64, 3>(self.rank.val()) << request::RANK)
                | (bit_cast::<64, 3>(self.sent_port[0].val()) << request::PORT)
                | (bit_cast::<64, TAG>(self.sent_tag[0].val()) << request::TAG);
            self.reply[n].next = 0.into();
            if self.replies[n].valid.q.val() {
                for t in 0..self.ctas {
                    if self.replies[n].first[0].val().get_bits::<3>(answer::RANK) == t.to_bits() {
                        self.reply[n].next = self.reply[n].val() | (bits::<CTAS>(1) << t);
                    }
                }
            }
            self.cast_words[n][0].next = self.beat_head.val();
            self.cast_words[n][1].next = bit_cast::<64, OFFSET_BITS>(self.junction.out_barrier.val())
                | (bit_cast::<64, REDUCTION_BITS>(self.junction.out_reduction.val()) << landing::REDUCTION);
            for l in 0..BEAT_WORDS {
                self.cast_words[n][l + 2].next = self.junction.out_data[l].val();
            }
            self.reply_words[n][0].next = self.replies[n].first[0].val();
            self.reply_words[n][1].next = self.replies[n].first[1].val();
            self.cast[n].next = 0.into();
            if self.junction.out_valid.val() {
                self.cast[n].next = self.junction.out_ctas.val() & !(self.served.q.val() | self.own.val());
            }
        }
    }

    fn take(&mut self) {
        clear!(self.req_ready, self.busy);
        for k in 0..self.req.len() {
            if self.unit.req_ready.val().get_bit(k) {
                self.req_ready.next = self.req_ready.val() | (bits::<ASKERS>(1) << k);
            }
            if self.unit.slot_waits[k].val() {
                self.busy.next = true;
            }
        }
        for n in 0..self.nets {
            self.offered[n].d.next = self.arbiter[n].grant.val();
            for k in 0..self.networked {
                if self.arbiter[n].grant.val().get_bit(k) & self.send_taken[n].val() {
                    self.req_ready.next = self.req_ready.val() | (bits::<ASKERS>(1) << k);
                }
                self.leaves[k].next = self.arbiter[n].grant.val().get_bit(k)
                    & self.send_taken[n].val()
                    & !POSTED.get_bit(self.req[k].op.val().index());
                self.returns[k].next =
                    self.back_valid[n].val() & (self.back_words[n][0].val().get_bits::<3>(answer::PORT) == k.to_bits());
                self.answers[k].words[0].next = self.back_words[n][0].val();
                self.answers[k].words[1].next = self.back_words[n][1].val();
            }
        }
        for k in 0..self.departing {
            self.departed[k].d.next = false;
            for n in 0..self.nets {
                self.departed[k].d.next = self.arbiter[n].grant.val().get_bit(k) & self.send_taken[n].val();
            }
        }
        for k in 0..self.networked {
            if self.away[k].q.val().any() {
                self.busy.next = true;
            }
            if self.leaves[k].val() & !self.returns[k].val() {
                self.away[k].d.next = self.away[k].q.val() + 1;
            }
            if self.returns[k].val() & !self.leaves[k].val() {
                self.away[k].d.next = self.away[k].q.val() - 1;
            }
            self.acquires[k].d.next = (self.acquires[k].q.val() & self.away[k].q.val().any())
                | (self.leaves[k].val() & self.req[k].order.val().get_bit(Order::ACQUIRE));
            self.answers[k].push.next = self.returns[k].val();
            self.fetched[k].next = self.shows[k].val() & self.rsp_ready.val().get_bit(k);
            self.answers[k].take.next = self.fetched[k].val();
            if self.leaves[k].val() & !self.fetched[k].val() {
                self.owed[k].d.next = self.owed[k].q.val() + 1;
            }
            if self.fetched[k].val() & !self.leaves[k].val() {
                self.owed[k].d.next = self.owed[k].q.val() - 1;
            }
        }
        self.rendezvous.quiet.next = !self.busy.val();
    }

    fn answer(&mut self) {
        self.rsp_valid.next = 0.into();
        for k in 0..self.rsp.len() {
            if self.unit.rsp_valid.val().get_bit(k) | self.shows[k].val() {
                self.rsp_valid.next = self.rsp_valid.val() | (bits::<ASKERS>(1) << k);
            }
            self.rsp[k] <<= self.unit.rsp[k];
        }
        for k in 0..self.networked {
            if self.shows[k].val() {
                self.rsp[k].tag.next = self.answers[k].first[0].val().get_bits::<TAG>(answer::TAG);
                self.rsp[k].status.next = self.answers[k].first[0].val().get_bits::<STATUS_BITS>(answer::STATUS);
                self.rsp[k].predicate.next = false;
                self.rsp[k].data.next = self.answers[k].first[1].val();
            }
            // an answer at the output stays; both kinds alternate
            self.prefers[k].d.next = true;
            if self.shows[k].val() | self.unit.rsp_valid.val().get_bit(k) {
                self.prefers[k].d.next = self.shows[k].val();
                if self.rsp_ready.val().get_bit(k) {
                    self.prefers[k].d.next = !(self.shows[k].val() & self.unit.rsp_valid.val().get_bit(k));
                }
            }
        }
        for m in 0..self.resumes {
            self.resume_valid[m].next = 0.into();
            for k in 0..self.masked {
                if self.unit.resume_valid[m].val().get_bit(k) {
                    self.resume_valid[m].next = self.resume_valid[m].val() | (bits::<ASKERS>(1) << k);
                }
            }
        }
        for k in 0..self.masked {
            self.resume[k] <<= self.unit.resume[k];
        }
        for n in 0..self.nets {
            self.got[0].next = self.unit.req_ready.val().get_bit(self.net_port);
            self.get_taken[n].next = self.got[0].val();
            self.askers[n].push.next =
                self.got[0].val() & !POSTED.get_bit(self.unit.req[self.net_port].op.val().index());
            self.askers[n].words[0].next = self.get_words[n][0].val();
            self.replied[0].next = self.unit.rsp_valid.val().get_bit(self.net_port) & self.replies[n].room.q.val();
            self.askers[n].take.next = self.replied[0].val();
            self.asker[0].next = self.askers[n].first[0].val();
            self.replies[n].push.next = self.replied[0].val();
            self.replies[n].words[0].next = bit_cast::<64, STATUS_BITS>(self.unit.rsp[self.net_port].status.val())
                | (bit_cast::<64, 3>(self.asker[0].val().get_bits::<3>(request::PORT)) << answer::PORT)
                | (bit_cast::<64, 3>(self.asker[0].val().get_bits::<3>(request::RANK)) << answer::RANK)
                | (bit_cast::<64, TAG>(self.asker[0].val().get_bits::<TAG>(request::TAG)) << answer::TAG);
            self.replies[n].words[1].next = self.unit.rsp[self.net_port].data.val();
            self.replies[n].take.next = self.reply_taken[n].val();
        }
    }
}
