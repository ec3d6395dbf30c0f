//! From c4 to the ports: outcomes of the banks, answers to the ports, suspended waits, checks and counters.

use super::*;

#[processes]
impl Unit {
    fn outcome(&mut self) {
        for k in 0..self.ports {
            clear!(self.lane[k].done, self.lane[k].replayed, self.lane[k].old, self.lane[k].fault, self.lane[k].flips);
        }
        self.flip_valid.next = 0.into();
        for b in 0..self.banks {
            self.flip_row.next = self.bank[b].row_c4.q.val();
            self.flip_index[b].next =
                (bit_cast::<WORD_INDEX, ROW_INDEX>(self.flip_row.val()) << self.bank_bits) | b.to_bits();
            for k in 0..self.tables {
                self.waiters[k].event[b].next = self.flip_index[b].val();
            }
            for k in 0..self.masked {
                self.wakes[k].event[b].next = self.flip_index[b].val();
            }
            if self.bank[b].flips.val() {
                self.flip_valid.next = self.flip_valid.val() | (bits::<BANKS>(1) << b);
            }
            // a port has a request in one bank at most: OR-ing what they say is a multiplexer without priority
            if self.bank[b].done.val().any() {
                for k in 0..self.ports {
                    if self.bank[b].done.val().get_bit(k) {
                        self.lane[k].done.next = true;
                        self.lane[k].replayed.next = self.lane[k].replayed.val() | self.bank[b].replayed.val();
                        self.lane[k].old.next = self.lane[k].old.val() | self.bank[b].old.val();
                        self.lane[k].fault.next = self.lane[k].fault.val() | self.bank[b].fault.val();
                        self.lane[k].flips.next = self.lane[k].flips.val() | self.bank[b].flips.val();
                    }
                }
                for o in 0..self.overruns {
                    // two phases, or four: the phase bit is what it was
                    if self.bank[b].more[o].val().get_bit(0) {
                        for k in 0..self.ports {
                            if self.bank[b].done.val().get_bit(k) {
                                self.lane[k].flips.next = false;
                            }
                        }
                    }
                }
            }
        }
    }

    fn seek(&mut self) {
        for s in 0..self.shadows {
            self.shadow[s].row.next = self.bank[s].row_c4.q.val();
            self.shadow[s].done.next = self.bank[s].done.val().any();
            for d in 0..self.inlets {
                if self.bank[s].copied[d].val() {
                    self.shadow[s].done.next = true;
                }
            }
            self.shadow[s].flips.next = self.bank[s].flips.val();
        }
        for k in 0..self.checks {
            connect!(self.check[k].* <<= self.lane[k].*: done, status, predicate, flips);
        }
    }

    fn compare(&mut self) {
        for k in 0..self.checks {
            clear!(self.check[k].live, self.check[k].seen, self.check[k].waited, self.check[k].followed);
        }
        for s in 0..self.shadows {
            self.shadow[s].waited.next = false;
            for k in 0..self.checked_tables {
                for h in 0..self.timers {
                    if self.waiters[k].hit[h].val().get_bit(s) {
                        self.shadow[s].waited.next = true;
                    }
                }
            }
            for k in 0..self.checked_masks {
                for h in 0..self.timers {
                    if self.wakes[k].hit[h].val().get_bit(s) {
                        self.shadow[s].waited.next = true;
                    }
                }
            }
            clear!(self.shadow[s].begins, self.shadow[s].ends);
            for d in 0..self.inlets {
                if self.bank[s].copied[d].val() {
                    self.shadow[s].ends.next = true;
                }
            }
            self.shadow[s].sees.next = false;
            for k in 0..self.checks {
                if self.bank[s].done.val().get_bit(k) {
                    connect!(self.check[k].* <<= self.shadow[s].*: live, seen, waited);
                    self.shadow[s].begins.next = self.shadow[s].begins.val() | self.check[k].begins.val();
                    self.shadow[s].ends.next = self.shadow[s].ends.val() | self.check[k].ends.val();
                    self.shadow[s].sees.next = self.shadow[s].sees.val() | self.check[k].sees.val();
                    for j in 0..self.checks {
                        if (k < j) & self.bank[s].done.val().get_bit(j) & self.check[j].arrives.val() {
                            self.check[k].followed.next = true;
                        }
                        if self.bank[s].done.val().get_bit(j) & self.check[j].completes.val() {
                            self.check[k].followed.next = true;
                        }
                    }
                }
            }
        }
    }

    fn reveal(&mut self) {
        for g in 0..self.gates {
            self.gate_seen[g].next = self.gate[g].seen.val();
            self.gate_seen_port[g].next = self.gate[g].port_c4.q.val();
            for b in 0..self.banks {
                self.gate_word[b].next = self.bank[b].old.val();
            }
        }
        for g in 0..self.checked_gates {
            self.gate_struck[g].next = 0.into();
            for b in 0..self.banks {
                if self.bank[b].copied[g + self.doors].val() & self.shadow[b].live.val() {
                    self.gate_struck[g].next = self.gate_struck[g].val() | (bits::<BANKS>(1) << b);
                }
            }
        }
    }

    fn suspend(&mut self) {
        for k in 0..self.tables {
            self.waiters[k].done.next = self.lane[k].done.val();
            self.waiters[k].phase.next = self.lane[k].old.val().get_bit(word::PHASE.lsb);
            self.waiters[k].faulted.next = self.lane[k].old.val().get_bit(word::FAULT.lsb);
            self.waiters[k].turns.next = false;
            for _c in 0..self.combines {
                // a wait by itself completes nothing
                self.waiters[k].turns.next = self.lane[k].flips.val();
            }
            self.waiters[k].prompt.next = false;
            self.waiters[k].index.next = self.lane[k].index_c4.q.val();
            self.waiters[k].tag.next = self.lane[k].tag_c4.q.val();
            self.waiters[k].queue_valid.next = self.queue[k].valid.q.val();
            self.waiters[k].coming.next = self.req[k].tag.val();
            for t in 0..self.timers {
                self.waiters[k].now.next = self.timer[t].now.q.val();
            }
        }
        for k in 0..self.masked {
            self.wakes[k].done.next = self.lane[k].done.val();
            self.wakes[k].phase.next = self.lane[k].old.val().get_bit(word::PHASE.lsb);
            self.wakes[k].faulted.next = self.lane[k].old.val().get_bit(word::FAULT.lsb);
            self.wakes[k].turns.next = false;
            for _c in 0..self.combines {
                // a wait by itself completes nothing
                self.wakes[k].turns.next = self.lane[k].flips.val();
            }
            self.wakes[k].prompt.next = false;
            self.wakes[k].index.next = self.lane[k].index_c4.q.val();
            self.wakes[k].tag.next = self.lane[k].tag_c4.q.val();
            self.wakes[k].coming.next = self.req[k].tag.val();
            for t in 0..self.timers {
                self.wakes[k].now.next = self.timer[t].now.q.val();
            }
            for m in 0..self.resumes {
                self.wakes[k].ready.next = self.resume_ready[m].val().get_bit(k);
            }
        }
        for k in 0..self.endings {
            self.ending[k].done.next = self.lane[k].done.val() & (self.lane[k].status.val() == Status::Ok);
        }
        for k in 0..self.checked_tables {
            // a wait with a warning is answered at once
            self.waiters[k].prompt.next = self.check[k].verdict.val() != Status::Ok;
        }
        for k in 0..self.checked_masks {
            self.wakes[k].prompt.next = self.check[k].verdict.val() != Status::Ok;
        }
    }

    fn event(&mut self) {
        for t in 0..self.timers {
            self.ended[t].next = 0.into();
            for b in 0..self.banks {
                for d in 0..self.inlets {
                    if self.bank[b].copied[d].val() {
                        self.ended[t].next = self.ended[t].val() | (bits::<BANKS>(1) << b);
                    }
                }
                for k in 0..self.endings {
                    if self.ending[k].ends.val() & self.bank[b].done.val().get_bit(k) {
                        self.ended[t].next = self.ended[t].val() | (bits::<BANKS>(1) << b);
                    }
                }
            }
            for k in 0..self.tables {
                self.waiters[k].flips.d.next = self.flip_valid.val();
                self.waiters[k].ended.d.next = self.ended[t].val();
                self.waiters[k].ready.next = self.rsp_ready.val().get_bit(k);
            }
            for k in 0..self.masked {
                self.wakes[k].flips.d.next = self.flip_valid.val();
                self.wakes[k].ended.d.next = self.ended[t].val();
            }
        }
    }

    fn look(&mut self) {
        for c in 0..self.counted {
            for t in 0..self.totalled {
                connect!(self.counters[c].* <<= self.totals[t].*: cycles, flips);
            }
        }
    }

    fn respond(&mut self) {
        clear!(self.rsp_valid, self.done_valid, self.room);
        for k in 0..self.ports {
            if self.queue[k].valid.q.val() {
                self.rsp_valid.next = self.rsp_valid.val() | (bits::<PORTS>(1) << k);
            }
            if self.queue[k].room.q.val() {
                self.room.next = self.room.val() | (bits::<PORTS>(1) << k);
            }
            if self.lane[k].done.val() {
                self.done_valid.next = self.done_valid.val() | (bits::<EFFECTS>(1) << k);
            }
            self.pins.rsp[k] <<= self.queue[k].shown;
            self.queue[k].push.next = self.lane[k].answer.val();
            self.queue[k].withdraw.next = false;
            self.queue[k].ready.next = self.rsp_ready.val().get_bit(k);
            self.queue[k].push_tag.next = self.lane[k].tag_c4.q.val();
            connect!(self.queue[k].push_* <<= self.lane[k].*: status, predicate);
            self.queue[k].push_data.next = self.lane[k].content.val();
            self.done_tag[k].next = self.lane[k].tag_c4.q.val();
            self.done_status[k].next = self.lane[k].status.val();
            self.done_index[k].next = self.lane[k].index_c4.q.val();
        }
        for c in 0..self.checks {
            self.queue[c].push_status.next = self.check[c].verdict.val();
            self.done_status[c].next = self.check[c].verdict.val();
        }
        for c in 0..self.counted {
            if self.counters[c].reads_c4.q.val() {
                self.queue[c].push_data.next = self.counters[c].value.val();
            }
        }
        clear!(self.done_suspended, self.rsp_resumed, self.wake_valid);
        for k in 0..self.tables {
            if self.waiters[k].parks.val() {
                self.done_suspended.next = self.done_suspended.val() | (bits::<EFFECTS>(1) << k);
                self.queue[k].push.next = false;
                self.queue[k].withdraw.next = true;
            }
            if self.waiters[k].woken.val() {
                self.wake_valid.next = self.wake_valid.val() | (bits::<EFFECTS>(1) << k);
            }
            if self.waiters[k].shows.val() {
                self.rsp_valid.next = self.rsp_valid.val() | (bits::<PORTS>(1) << k);
                self.rsp_resumed.next = self.rsp_resumed.val() | (bits::<PORTS>(1) << k);
                connect!(self.rsp[k].* <<= self.waiters[k].answer_*: tag, status, predicate);
                clear!(self.rsp[k].data, self.queue[k].ready);
            }
        }
        clear!(self.resume_valid);
        for k in 0..self.masked {
            if self.wakes[k].parks.val() {
                self.done_suspended.next = self.done_suspended.val() | (bits::<EFFECTS>(1) << k);
                self.queue[k].push.next = false;
                self.queue[k].withdraw.next = true;
            }
            if self.wakes[k].woken.val() {
                self.wake_valid.next = self.wake_valid.val() | (bits::<EFFECTS>(1) << k);
            }
            for m in 0..self.resumes {
                if self.wakes[k].valid.q.val() {
                    self.resume_valid[m].next = self.resume_valid[m].val() | (bits::<PORTS>(1) << k);
                }
            }
            connect!(self.resume[k].* <<= self.wakes[k].*: completed, expired);
            self.resume[k].ended.next = self.wakes[k].gone.q.val();
        }
    }

    fn tally(&mut self) {
        for t in 0..self.totalled {
            self.totals[t].flip_valid.next = self.flip_valid.val();
            for b in 0..self.banks {
                for o in 0..self.overruns {
                    self.totals[t].more[b].next = self.bank[b].more[o].val();
                }
            }
        }
        for c in 0..self.counted {
            self.counters[c].done.next = self.lane[c].done.val();
            self.counters[c].faults.next = self.lane[c].status.val() != Status::Ok;
            clear!(self.counters[c].combined, self.counters[c].suspends, self.counters[c].turned_away);
            clear!(self.counters[c].resumes, self.counters[c].wakes);
            self.counters[c].stalls.next = self.req_valid.val().get_bit(c) & !self.req_ready.val().get_bit(c);
        }
        for c in 0..self.counted_networked {
            if self.req_elsewhere[c].val() {
                self.counters[c].stalls.next = false;
            }
        }
        for c in 0..self.counted_checks {
            self.counters[c].faults.next = self.check[c].verdict.val() != Status::Ok;
        }
        for c in 0..self.counted_tables {
            self.counters[c].suspends.next = self.waiters[c].parks.val();
            self.counters[c].turned_away.next = self.waiters[c].turned_away.val();
            self.counters[c].resumes.next = self.waiters[c].shows.val() & self.rsp_ready.val().get_bit(c);
            self.counters[c].wakes.next = self.counters[c].resumes.val() & self.waiters[c].answer_predicate.val();
        }
        for t in 0..self.totalled {
            for b in 0..self.banks {
                self.others[t].next = self.bank[b].done.val() & (self.bank[b].done.val() - 1);
                if self.others[t].val().any() {
                    for c in 0..self.counted {
                        if self.bank[b].done.val().get_bit(c) {
                            self.counters[c].combined.next = true;
                        }
                    }
                }
            }
        }
    }
}
