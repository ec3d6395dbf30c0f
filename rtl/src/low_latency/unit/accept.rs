//! From the ports to c0: each port's request to its bank, and the grants.

use super::*;

#[processes]
impl Unit {
    fn advance(&mut self) {
        self.advance.next = true;
        for b in 0..self.banks {
            if self.bank[b].splits.val() | self.bank[b].turn.val().any() {
                self.advance.next = false;
            }
        }
        for b in 0..self.banks {
            self.bank[b].advance.next = self.advance.val();
        }
        for k in 0..self.ports {
            self.decode[k].advance.next = self.advance.val();
            self.lane[k].advance.next = self.advance.val();
        }
        for k in 0..self.recalls {
            self.recall[k].advance.next = self.advance.val();
        }
        for k in 0..self.endings {
            self.ending[k].advance.next = self.advance.val();
        }
        for k in 0..self.tables {
            self.waiters[k].advance.next = self.advance.val();
        }
        for k in 0..self.masked {
            self.wakes[k].advance.next = self.advance.val();
        }
        for k in 0..self.checks {
            self.check[k].advance.next = self.advance.val();
        }
        for k in 0..self.counted {
            self.counters[k].advance.next = self.advance.val();
        }
    }

    fn find(&mut self) {
        for d in 0..self.doors {
            for w in 0..self.door_width {
                self.door[d].found[w].next = 0.into();
                for b in 0..self.banks {
                    for g in 0..self.door_groups {
                        if (self.door_word[b] == w)
                            & (self.door_group[b] == g)
                            & (self.door[d].group_c4.q.val() == g.to_bits())
                        {
                            self.door[d].found[w].next = self.bank[b].old.val();
                        }
                    }
                }
            }
        }
    }

    fn tell(&mut self) {
        for d in 0..self.doors {
            self.read_errand[d].next = self.door[d].shows.val();
            self.pins.read_data[d] <<= self.door[d].shown;
        }
    }

    /// Prevents copies and warp accesses in the same cycle.
    fn lock(&mut self) {
        for s in 0..self.shared {
            self.turns[s].advance.next = self.advance.val();
            self.turns[s].locked.next = self.bank_stall.val().any();
        }
    }

    fn enter(&mut self) {
        for d in 0..self.doors {
            self.door[d].advance.next = self.advance.val();
            connect!(self.door[d].* <<= self.write_*[d]: valid, address, strobe, errand);
            self.door[d].data <<= self.pins.write_data[d];
        }
        for s in 0..self.shared {
            if self.turns[s].door_shut.val() {
                self.door[s].valid.next = false;
            }
        }
    }

    fn admit(&mut self) {
        for g in 0..self.gates {
            self.gate[g].advance.next = self.advance.val();
            connect!(self.gate[g].* <<= self.gate_*[g]: valid, port, banks);
            self.gate[g].crowded.next = false;
            for k in 0..self.issues {
                if self.issue[k].occupied[g].val() {
                    self.gate[g].crowded.next = true;
                    if self.gate_port[g].val() == k.to_bits() {
                        self.gate[g].valid.next = false;
                    }
                }
            }
            for b in 0..self.banks {
                self.gate[g].stored[b].next = self.gate_stored[b].val();
                self.gate[g].words[b].next = self.gate_data[b].val();
            }
        }
        for s in 0..self.shared {
            if self.turns[s].gate_shut.val() {
                self.gate[s].valid.next = false;
            }
            self.turns[s].waits.next = self.gate[s].valid.val();
            self.turns[s].opened.next = self.door[s].banks.val().any();
            if self.turns[s].opened.val() {
                self.gate[s].valid.next = false;
            }
        }
    }

    /// Reports the grants of door and gate to the arbiter between them.
    fn share(&mut self) {
        for s in 0..self.shared {
            connect!(self.turns[s].* <<= self.gate[s].*: crowded, taken);
        }
    }

    fn offer(&mut self) {
        for k in 0..self.issues {
            self.issue[k].valid.next = self.req_valid.val().get_bit(k) & self.room.val().get_bit(k);
            self.issue[k].req <<= self.pins.req[k];
            self.issue[k].order.next = self.req_order[k].val();
            clear!(self.issue[k].unsure, self.issue[k].slot_held);
            self.issue[k].remote_pending.next = self.remote_pending.val().get_bit(k);
            self.issue[k].stalled.next = self.bank_stall.val();
            self.issue[k].open.next = self.advance.val();
        }
        for d in 0..self.doors {
            self.write_taken[d].next = self.door[d].taken.val();
            for k in 0..self.issues {
                self.issue[k].stalled.next = self.issue[k].stalled.val() | self.door[d].banks.val();
            }
        }
        for g in 0..self.gates {
            self.gate_taken[g].next = self.gate[g].taken.val();
            for k in 0..self.issues {
                self.issue[k].stalled.next = self.issue[k].stalled.val() | self.gate[g].closed.val();
            }
        }
        for k in 0..self.networked {
            self.issue[k].elsewhere[0].next = self.req_elsewhere[k].val();
            if self.req_elsewhere[k].val() {
                self.issue[k].valid.next = self.req_valid.val().get_bit(k);
            }
        }
        for k in 0..self.tables {
            self.issue[k].unsure.next = self.waiters[k].alert.val() & !self.waiters[k].looked.val();
            self.issue[k].slot_held.next = self.waiters[k].slot_held.val();
        }
        for k in 0..self.masked {
            self.issue[k].unsure.next = self.wakes[k].alert.val() & !self.wakes[k].looked.val();
            self.issue[k].slot_held.next = self.wakes[k].slot_held.val();
            for m in 0..self.resumes {
                self.issue[k].apart[m].next = self.wakes[k].apart.val();
            }
        }
        for k in 0..self.departing {
            // an incoming request behind one that has left for another CTA has not been checked
            if self.req_departed[k].val() {
                self.issue[k].unsure.next = self.wakes[k].alert.val();
                clear!(self.issue[k].apart);
            }
        }
    }

    fn depart(&mut self) {
        for k in 0..self.networked {
            self.req_departs[k].next = self.issue[k].departs[0].val();
            self.slot_waits[k].next = self.issue[k].waits[0].val();
        }
    }

    fn request(&mut self) {
        self.asking.next = 0.into();
        for k in 0..self.direct {
            self.ask[k] <<= self.pins.req[k];
            self.unused_acquires[k].next = self.req_order[k].val().get_bit(Order::ACQUIRE);
            if self.advance.val()
                & self.req_valid.val().get_bit(k)
                & self.room.val().get_bit(k)
                & !self.bank_stall.val().get_bit(0) // there is but one
                & !(self.remote_pending.val().get_bit(k)
                    & self.req_order[k].val().get_bit(Order::RELEASE)
                    & self.req_order[k].val().get_bit(Order::CLUSTER))
            {
                self.asking.next = self.asking.val() | (bits::<PORTS>(1) << k);
            }
        }
        for k in 0..self.issues {
            self.ask[k] <<= self.issue[k].ask;
            if self.issue[k].asks.val() {
                self.asking.next = self.asking.val() | (bits::<PORTS>(1) << k);
            }
        }
        for k in 0..self.ports {
            for c in 0..self.combines {
                connect!(self.combine[c].*[k] <<= self.ask[k].*: op, address);
                self.combine[c].operand[k].next = self.ask[k].data.val().get_bits::<32>(0);
            }
            self.target[k].next = self.ask[k].address.val().get_bits::<BANK_INDEX>(3) & self.last_bank.to_bits();
        }
        for b in 0..self.banks {
            self.bank[b].request.next = 0.into();
            for k in 0..self.ports {
                if self.asking.val().get_bit(k) & (self.target[k].val() == b.to_bits()) {
                    self.bank[b].request.next = self.bank[b].request.val() | (bits::<PORTS>(1) << k);
                }
            }
        }
    }

    fn accept(&mut self) {
        self.grant.next = 0.into();
        for b in 0..self.banks {
            clear!(self.joined, self.bank[b].row);
            for k in 0..self.ports {
                if self.bank[b].lead.val().get_bit(k) {
                    for c in 0..self.combines {
                        self.joined.next = self.joined.val() | self.combine[c].partners[k].val();
                    }
                    self.bank[b].row.d.next = self.bank[b].row.d.val()
                        | (self.ask[k].address.val().get_bits::<ROW_INDEX>(self.row_lsb) & self.last_row.to_bits());
                }
            }
            self.joined.next = self.joined.val() & self.bank[b].request.val();
            for d in 0..self.doors {
                if self.write_valid[d].val() & self.calm[d].q.val().any() {
                    self.joined.next = 0.into();
                }
            }
            self.bank[b].members.next = self.bank[b].lead.val() | self.joined.val();
            self.bank[b].group.d.next = self.joined.val().any();
            self.grant.next = self.grant.val() | self.bank[b].lead.val() | self.joined.val();
            for d in 0..self.doors {
                self.bank[b].copies[d].d.next = self.door[d].banks.val().get_bit(b) & !self.write_errand[d].val().any();
                if self.door[d].banks.val().get_bit(b) {
                    self.bank[b].row.d.next = self.door[d].row.val();
                }
            }
            for g in 0..self.gates {
                self.bank[b].copies[g + self.doors].d.next =
                    self.gate[g].closed.val().get_bit(b) & self.gate_stored[b].val().any();
                if self.gate[g].closed.val().get_bit(b) {
                    self.bank[b].row.d.next = self.gate_row[b].val();
                }
            }
        }
        for k in 0..self.ports {
            connect!(self.decode[k].* <<= self.ask[k].*: op, remote);
            self.decode[k].misaligned.d.next = self.ask[k].address.val().get_bits::<3>(0).any();
            self.decode[k].outside.d.next = (self.ask[k].address.val() >> self.window_bits).any();
            connect!(self.decode[k].* <<= self.ask[k].*: data, strobe);
            self.lane[k].tag.d.next = self.ask[k].tag.val();
            self.lane[k].index.d.next = self.ask[k].address.val().get_bits::<WORD_INDEX>(3) & self.last_word.to_bits();
        }
        for c in 0..self.counted {
            self.counters[c].op.d.next = self.ask[c].op.val();
            self.counters[c].number.d.next = self.ask[c].address.val().get_bits::<NUMBER_BITS>(3);
            self.counters[c].reads.d.next = false;
            if (self.ask[c].op.val() == Op::Load)
                & self.ask[c].address.val().get_bit(counters::WINDOW_BIT)
                & !self.ask[c].address.val().get_bits::<WINDOW_REST_BITS>(counters::WINDOW_REST).any()
            {
                self.counters[c].reads.d.next = true;
                self.decode[c].outside.d.next = false;
            }
        }
        for d in 0..self.doors {
            if self.calm[d].q.val().any() {
                self.calm[d].d.next = self.calm[d].q.val() - 1;
            }
            for b in 0..self.banks {
                if self.bank[b].splits.val() {
                    self.calm[d].d.next = 15.into();
                }
            }
        }
        for k in 0..self.checks {
            self.check[k].op.d.next = self.ask[k].op.val();
        }
        for k in 0..self.issues {
            self.issue[k].granted.next = self.grant.val().get_bit(k);
        }
        for k in 0..self.endings {
            self.ending[k].op.d.next = self.ask[k].op.val();
        }
        for k in 0..self.tables {
            self.waiters[k].acquires.next = self.grant.val().get_bit(k) & self.issue[k].ask_holds.val();
            self.waiters[k].op.next = self.ask[k].op.val();
            self.waiters[k].asking.next = self.ask[k].tag.val();
            self.waiters[k].data.next = self.ask[k].data.val();
        }
        for k in 0..self.masked {
            self.wakes[k].granted.next = self.grant.val().get_bit(k);
            self.wakes[k].acquires.next = self.grant.val().get_bit(k) & self.issue[k].ask_holds.val();
            self.wakes[k].op.next = self.ask[k].op.val();
            self.wakes[k].asking.next = self.ask[k].tag.val();
            self.wakes[k].data.next = self.ask[k].data.val();
        }
    }

    fn taken(&mut self) {
        self.req_ready.next = 0.into();
        for k in 0..self.direct {
            if self.grant.val().get_bit(k) {
                self.req_ready.next = self.req_ready.val() | (bits::<PORTS>(1) << k);
            }
        }
        for k in 0..self.issues {
            if self.issue[k].accepts.val() {
                self.req_ready.next = self.req_ready.val() | (bits::<PORTS>(1) << k);
            }
        }
        for k in 0..self.tables {
            connect!(self.waiters[k].* <<= self.issue[k].*: loads, follows);
        }
        for k in 0..self.masked {
            self.wakes[k].stands.next = self.req_valid.val().get_bit(k) & !self.issue[k].accepts.val();
            connect!(self.wakes[k].* <<= self.issue[k].*: loads, follows);
        }
        for k in 0..self.ports {
            self.queue[k].reserve.next =
                self.req_ready.val().get_bit(k) & !POSTED.get_bit(self.req[k].op.val().index());
        }
    }
}
