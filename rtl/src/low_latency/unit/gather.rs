//! c1 and c2: which groups write, the sums of the members' deltas, and the deltas of a replayed member.

use super::*;

#[processes]
impl Unit {
    fn written(&mut self) {
        for b in 0..self.banks {
            self.bank[b].writes.next = false;
            for k in 0..self.ports {
                if self.bank[b].members_c1.q.val().get_bit(k) & self.decode[k].writes.val() {
                    self.bank[b].writes.next = true;
                }
            }
        }
    }

    fn gather(&mut self) {
        for k in 0..self.ports {
            connect!(self.lane[k].* <<= self.decode[k].*: refusal, posted, waits, wait_phase, reveal_upper,
                reveal_lower, updates);
            clear!(self.lane[k].ahead, self.lane[k].ahead_tx);
        }
        for k in 0..self.tables {
            connect!(self.waiters[k].* <<= self.decode[k].*: refusal, wait_phase);
        }
        for k in 0..self.masked {
            connect!(self.wakes[k].* <<= self.decode[k].*: refusal, wait_phase);
        }
        for k in 0..self.recalls {
            connect!(self.recall[k].* <<= self.decode[k].*: arrivals, arrivals_negative, arrives, leaves, tx,
                tx_negative, updates, marks);
        }
        for k in 0..self.overrunning {
            self.single[k].next = self.decode[k].arrives.q.val()
                & (self.decode[k].arrivals.q.val() == 1)
                & !(self.decode[k].leaves.q.val() | self.decode[k].expects.q.val() | self.decode[k].completes.q.val());
        }
        for b in 0..self.banks {
            clear!(self.ahead, self.ahead_tx, self.arrived, self.arrived_negative, self.dropped);
            clear!(self.dropped_negative, self.moved, self.moved_negative, self.bank[b].arrives);
            clear!(self.bank[b].updates, self.bank[b].marks, self.bank[b].expects, self.bank[b].completes);
            for o in 0..self.overruns {
                self.bank[b].singles[o].d.next = true;
                for k in 0..self.ports {
                    if self.bank[b].members_c2.q.val().get_bit(k)
                        & self.decode[k].updates.q.val()
                        & !self.single[k].val()
                    {
                        self.bank[b].singles[o].d.next = false;
                    }
                }
            }
            clear!(self.bank[b].replace, self.bank[b].insert);
            if self.bank[b].members_c2.q.val().any() {
                for k in 0..self.ports {
                    if self.bank[b].members_c2.q.val().get_bit(k) & self.decode[k].arrives.q.val() {
                        self.arrived.next = self.arrived.val() + self.decode[k].arrivals.q.val();
                        self.arrived_negative.next =
                            self.arrived_negative.val() + self.decode[k].arrivals_negative.q.val();
                        self.bank[b].arrives.d.next = true;
                        if self.decode[k].leaves.q.val() {
                            self.dropped.next = self.dropped.val() + self.decode[k].arrivals.q.val();
                            self.dropped_negative.next =
                                self.dropped_negative.val() + self.decode[k].arrivals_negative.q.val();
                        }
                    }
                    if self.bank[b].members_c2.q.val().get_bit(k) & self.decode[k].updates.q.val() {
                        self.moved.next = self.moved.val() + self.decode[k].tx.q.val();
                        self.moved_negative.next = self.moved_negative.val() + self.decode[k].tx_negative.q.val();
                    }
                }
                // what is ahead of each arrival: those that only expect bytes, and the arrivals of lower ports
                for k in 0..self.recalls {
                    if self.bank[b].members_c2.q.val().get_bit(k)
                        & self.decode[k].expects.q.val()
                        & !self.decode[k].arrives.q.val()
                    {
                        self.ahead_tx.next = self.ahead_tx.val() + self.decode[k].tx.q.val();
                    }
                }
                for k in 0..self.recalls {
                    if self.bank[b].members_c2.q.val().get_bit(k) & self.decode[k].arrives.q.val() {
                        connect!(self.lane[k].* <<= self.*: ahead, ahead_tx);
                        self.ahead.next = self.ahead.val() + self.decode[k].arrivals.q.val();
                        self.ahead_tx.next = self.ahead_tx.val() + self.decode[k].tx.q.val();
                    }
                }
                for k in 0..self.ports {
                    if self.bank[b].members_c2.q.val().get_bit(k) {
                        self.bank[b].updates.d.next = self.bank[b].updates.d.val() | self.decode[k].updates.q.val();
                        self.bank[b].marks.d.next = self.bank[b].marks.d.val() | self.decode[k].marks.q.val();
                        self.bank[b].expects.d.next = self.bank[b].expects.d.val() | self.decode[k].expects.q.val();
                        self.bank[b].completes.d.next =
                            self.bank[b].completes.d.val() | self.decode[k].completes.q.val();
                        self.bank[b].replace.d.next = self.bank[b].replace.d.val() | self.decode[k].replace.val();
                        self.bank[b].insert.d.next = self.bank[b].insert.d.val() | self.decode[k].insert.val();
                    }
                }
            }
            for d in 0..self.doors {
                if self.bank[b].copies_c2[d].q.val() {
                    for w in 0..self.door_width {
                        if self.door_word[b] == w {
                            connect!(self.bank[b].* <<= self.door[d].*[w]: replace, insert);
                        }
                    }
                }
            }
            for g in 0..self.gates {
                if self.bank[b].copies_c2[g + self.doors].q.val() {
                    connect!(self.bank[b].* <<= self.gate[g].*[b]: replace, insert);
                }
            }
            self.bank[b].arrivals.d.next = self.arrived.val();
            self.bank[b].arrivals_negative.d.next = self.arrived_negative.val();
            self.bank[b].drops.d.next = self.dropped.val();
            self.bank[b].drops_negative.d.next = self.dropped_negative.val();
            self.bank[b].tx.d.next = self.moved.val();
            self.bank[b].tx_negative.d.next = self.moved_negative.val();
        }
    }

    fn replayed(&mut self) {
        for b in 0..self.banks {
            clear!(self.bank[b].turn_arrivals, self.bank[b].turn_arrivals_negative, self.bank[b].turn_leaves);
            clear!(self.bank[b].turn_tx, self.bank[b].turn_tx_negative, self.bank[b].turn_updates);
            clear!(self.bank[b].turn_marks);
            if self.bank[b].turn.val().any() {
                for k in 0..self.recalls {
                    if self.bank[b].turn.val().get_bit(k) {
                        if self.recall[k].arrives_c4.q.val() {
                            self.bank[b].turn_arrivals.next =
                                self.bank[b].turn_arrivals.val() | self.recall[k].arrivals_c4.q.val();
                            self.bank[b].turn_arrivals_negative.next =
                                self.bank[b].turn_arrivals_negative.val() | self.recall[k].arrivals_negative_c4.q.val();
                        }
                        self.bank[b].turn_leaves.next =
                            self.bank[b].turn_leaves.val() | self.recall[k].leaves_c4.q.val();
                        self.bank[b].turn_tx.next = self.bank[b].turn_tx.val() | self.recall[k].tx_c4.q.val();
                        self.bank[b].turn_tx_negative.next =
                            self.bank[b].turn_tx_negative.val() | self.recall[k].tx_negative_c4.q.val();
                        self.bank[b].turn_updates.next =
                            self.bank[b].turn_updates.val() | self.recall[k].updates_c4.q.val();
                        self.bank[b].turn_marks.next = self.bank[b].turn_marks.val() | self.recall[k].marks_c4.q.val();
                    }
                }
            }
        }
    }
}
