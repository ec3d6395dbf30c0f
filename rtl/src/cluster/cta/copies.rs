//! A CTA's copies: through the door, to other CTAs, and their completion on barriers; and ports that are only passed through.

use super::*;

#[processes]
impl Cta {
    fn show(&mut self) {
        for t in 0..self.tensors {
            self.inlet[t].copier_asks.next = self.copier.mem_req_valid.q.val();
            self.inlet[t].tensor_asks.next = self.tensor[t].mem_req_valid.val();
            self.inlet[t].tensor_id.next = self.tensor[t].mem_req_id.val();
        }
    }

    fn meet(&mut self) {
        connect!(self.junction.*[0] <<= self.copier.beat_*: valid, ctas, address, strobe);
        self.junction.reduction[0].next = 0.into();
        connect!(self.junction.*[0] <<= self.copier.beat_*: bytes, barrier);
        connect!(self.junction.*[1] <<= self.outlet.beat_*: valid, ctas);
        self.junction.address[1].next = self.outlet.wr.address.val().get_bits::<24>(0);
        connect!(self.junction.*[1] <<= self.outlet.wr.*: strobe, reduction);
        connect!(self.junction.*[1] <<= self.outlet.beat_*: bytes, barrier);
        connect!(self.junction.*[2] <<= self.poster.beat_*: valid, ctas, address, strobe, reduction, bytes, barrier);
        for l in 0..BEAT_WORDS {
            self.junction.data[0][l].next = self.copier.beat_data[l].q.val();
            self.junction.data[1][l].next = self.outlet.wr.data[l].val();
        }
        for w in 0..self.post_words {
            self.junction.data[2][w].next = self.poster.beat_data[w].q.val();
            self.junction.data[2][w + self.post_words].next = self.poster.beat_data[w].q.val();
        }
        for t in 0..self.tensors {
            connect!(self.junction.*[3] <<= self.tensor[t].beat_*: valid, ctas, address, strobe);
            self.junction.reduction[3].next = 0.into();
            connect!(self.junction.*[3] <<= self.tensor[t].beat_*: bytes, barrier);
            self.junction.data[3] <<= self.tensor[t].beat_data;
        }

        connect!(self.outlet.* <<= self.sender.*: move_valid, move_kind, move_from, move_to, move_strobe,
            move_reduction, move_wanted, move_reads, move_writes, move_swap, move_shift, move_last, move_number,
            move_ctas, move_bytes, move_barrier, move_thread);
    }

    fn land(&mut self) {
        self.own_beat.next = self.junction.out_valid.val()
            & (self.junction.out_ctas.val() & self.own.val()).any()
            & !(self.served.q.val() & self.own.val()).any();
        self.foreign.next = false;
        self.beat_head.next = bit_cast::<64, OFFSET_BITS>(self.junction.out_address.val())
            | (bit_cast::<64, 32>(self.junction.out_strobe.val()) << beat::STROBE)
            | (bit_cast::<64, 8>(self.junction.out_bytes.val()) << beat::BYTES);
        self.head.next = self.beat_head.val();
        self.whose.next = bit_cast::<64, OFFSET_BITS>(self.junction.out_barrier.val())
            | (bit_cast::<64, REDUCTION_BITS>(self.junction.out_reduction.val()) << landing::REDUCTION);
        self.landing <<= self.junction.out_data;
        for n in 0..self.nets {
            self.foreign.next = self.drop_valid[n].val() & (self.beat_turn.q.val() | !self.own_beat.val());
            if self.foreign.val() {
                self.head.next = self.drop_words[n][0].val();
                self.whose.next = self.drop_words[n][1].val();
                for l in 0..BEAT_WORDS {
                    self.landing[l].next = self.drop_words[n][l + 2].val();
                }
            }
        }
        self.does.next = self.whose.val().get_bits::<REDUCTION_BITS>(landing::REDUCTION);
        self.completer.barrier.next = self.whose.val().get_bits::<OFFSET_BITS>(landing::BARRIER);
        self.completer.bytes.next = self.head.val().get_bits::<8>(beat::BYTES);
    }

    fn admit(&mut self) {
        self.admitted.next = (self.own_beat.val() | self.foreign.val())
            & (self.completer.room.val() | !self.completer.bytes.val().any());
        self.reducer.valid.next = self.admitted.val() & self.does.val().any();
        self.reducer.code.next = self.does.val();
        self.reducer.held.next = self.door_held.q.val();
        self.reducer.operand <<= self.landing;
    }

    fn knock(&mut self) {
        self.knocks.next = self.admitted.val()
            & !self.reducer.rests.val()
            & (!self.does.val().any() | self.reducer.reads.val() | self.reducer.stores.val());
        self.reads_now.next =
            self.outlet.read_valid.val() & !self.reducer.rests.val() & (self.read_turn.q.val() | !self.knocks.val());
        // a beat of several cycles keeps the door
        if self.door_held.q.val() {
            self.reads_now.next = self.door_read.q.val();
        }
        self.unit.write_valid[0].next = self.knocks.val();
        self.unit.write_address[0].next = self.head.val().get_bits::<OFFSET_BITS>(beat::ADDRESS);
        self.unit.write_strobe[0].next = self.head.val().get_bits::<32>(beat::STROBE);
        self.unit.write_errand[0].next = 0.into();
        if self.reducer.reads.val() {
            self.unit.write_errand[0].next = REDUCES;
        }
        if self.reads_now.val() {
            connect!(self.unit.write_*[0] <<= self.outlet.read_*: valid, address, strobe);
            self.unit.write_errand[0].next = OUTWARD;
        }
        for l in 0..BEAT_WORDS {
            self.unit.write_data[0][l].next = self.landing[l].val();
            if self.reducer.stores.val() {
                self.unit.write_data[0][l].next = self.reducer.result[l].q.val();
            }
        }
        self.unit.bank_stall.next = 0.into();
        if self.reducer.locks.val() {
            self.unit.bank_stall.next = self.all_banks.to_bits();
        }
        for g in 0..self.gates {
            self.unit.gate_valid[g].next = self.gate_valid[g].val() & !self.closed[self.warp_port].val();
            self.unit.gate_port[g].next = self.warp_port.to_bits();
            self.unit.gate_banks[g].next = self.gate_banks[g].val();
        }
        for b in 0..self.gate_row.len() {
            connect!(self.unit.*[b] <<= self.*[b]: gate_row, gate_stored, gate_data);
        }
    }

    fn copy(&mut self) {
        self.copier.bulk <<= self.bulk;
        if !self.bulk.ctas.val().any() {
            self.copier.bulk.ctas.next = self.own.val();
        }
        self.copier.r#async <<= self.r#async;
        self.copier.own.next = self.own.val();

        self.copier.op_ready.next = self.unit.req_ready.val().get_bit(self.copy_port) & !self.completing.val();
        self.completer.take.next = self.unit.req_ready.val().get_bit(self.copy_port) & self.completing.val();
        if self.unit.req_ready.val().get_bit(self.copy_port) {
            self.copy_turn.d.next = self.completing.val();
        }

        self.landed.next =
            self.unit.write_taken[0].val() & !self.reads_now.val() & !self.unit.write_errand[0].val().any();
        self.having.next = self.served.q.val();
        if self.landed.val() & !self.foreign.val() {
            self.having.next = self.having.val() | self.own.val();
        }
        for n in 0..self.nets {
            self.having.next = self.having.val() | self.cast_taken[n].val();
            self.drop_taken[n].next = self.landed.val() & self.foreign.val();
        }
        self.junction.done.next = !(self.junction.out_ctas.val() & !self.having.val()).any();
        self.served.d.next = self.having.val();
        if self.junction.done.val() | !self.junction.out_valid.val() {
            self.served.d.next = 0.into();
        }
        // a beat of several cycles keeps its turn
        if self.own_beat.val() | self.foreign.val() {
            self.beat_turn.d.next = self.foreign.val();
        }
        if self.landed.val() {
            self.beat_turn.d.next = !self.foreign.val();
        }
        self.completer.add.next = self.landed.val() & self.completer.bytes.val().any();

        self.door_held.d.next = self.unit.write_valid[0].val() & !self.unit.write_taken[0].val();
        self.door_read.d.next = self.reads_now.val();
        if self.unit.write_taken[0].val() {
            self.read_turn.d.next = !self.reads_now.val();
        }
    }

    fn sort(&mut self) {
        for t in 0..self.tensors {
            self.inlet[t].ask_ready.next = self.mem_req.ready.val();
            self.inlet[t].number.next = self.mem_rsp.id.val();
        }
    }

    fn share(&mut self) {
        self.copier.mem_req_ready.next = self.mem_req.ready.val();
        self.copier.mem_rsp_valid.next = self.mem_rsp.valid.val();
        self.copier.mem_rsp_id.next = bit_cast::<BURST_INDEX, MEMORY_INDEX>(self.mem_rsp.id.val());
        self.copier.mem_rsp_data <<= self.mem_rsp.data;
        for t in 0..self.tensors {
            self.copier.mem_req_ready.next = self.mem_req.ready.val() & !self.inlet[t].asks_tensor.val();
            self.copier.mem_rsp_valid.next = self.mem_rsp.valid.val() & !self.inlet[t].is_tensor.val();
            self.copier.mem_rsp_id.next = self.inlet[t].copier_answer.val();
            self.tensor[t].mem_req_ready.next = self.mem_req.ready.val() & self.inlet[t].asks_tensor.val();
            self.tensor[t].mem_rsp_valid.next = self.mem_rsp.valid.val() & self.inlet[t].is_tensor.val();
            self.tensor[t].mem_rsp_id.next = self.inlet[t].tensor_answer.val();
            self.tensor[t].beat_ready.next = self.junction.taken[3].val();
            self.tensor[t].mem_rsp_data <<= self.mem_rsp.data;
            self.tensor[t].tile <<= self.tiles[t].tensor;
            self.tensor[t].asker.next = self.put.thread.val();
            if !self.tiles[t].tensor.ctas.val().any() {
                self.tensor[t].tile.ctas.next = self.own.val();
            }
        }
    }

    fn serve(&mut self) {
        self.copier.beat_ready.next = self.junction.taken[0].val();
        self.outlet.beat_ready.next = self.junction.taken[1].val();
        self.poster.beat_ready.next = self.junction.taken[2].val();
        self.mem_wr >>= self.outlet.wr;
        self.outlet.read_taken.next = self.unit.write_taken[0].val() & self.reads_now.val();
        self.outlet.found_valid.next = self.unit.read_errand[0].val() == OUTWARD;
        self.reducer.taken.next = self.unit.write_taken[0].val() & !self.reads_now.val();
        self.reducer.found_valid.next = self.unit.read_errand[0].val() == REDUCES;
        for l in 0..BEAT_WORDS {
            self.outlet.found[l].next = self.unit.read_data[0][l].val();
            self.reducer.found[l].next = self.unit.read_data[0][l].val();
        }
        self.poster.post <<= self.post;
    }

    fn pass(&mut self) {
        self.sender.put <<= self.put;
        self.sender.move_ready.next = self.outlet.move_ready.val();
        self.sender.ack.next = self.mem_ack.valid.val();
        self.sender.ack_number.next = self.mem_ack.id.val();
        self.sender.read.next = self.outlet.marks.val();
        self.sender.read_thread.next = self.outlet.mark_thread.val();
        clear!(self.sender.put_held, self.sender.box_valid, self.sender.box_from, self.sender.box_to);
        clear!(self.sender.box_count, self.sender.box_more, self.sender.box_swizzle, self.sender.box_reduction);
        for t in 0..self.tensors {
            self.sender.put_held.next = self.tensor[t].owes.val();
            connect!(self.sender.* <<= self.tensor[t].*: box_valid, box_from, box_to, box_count, box_more, box_swizzle,
                box_reduction);
        }
        connect!(self.sender.wait_* <<= self.group.*: thread, read, most);
    }

    fn hand(&mut self) {
        for t in 0..self.tensors {
            self.tensor[t].box_taken.next = self.sender.box_ready.val();
        }
    }

    fn greet(&mut self) {
        self.rendezvous.req <<= self.bar_req;
        self.rendezvous.rsp_ready.next = self.bar_rsp.ready.val();
        connect!(self.rendezvous.* <<= self.*: arrived_of, empty_of);
        connect!(self.bar_rsp.* <<= self.rendezvous.rsp_*: valid, warp, lanes, status);
    }

    fn tell(&mut self) {
        self.copier.bulk >>= self.bulk;
        self.copier.r#async >>= self.r#async;
        self.copy_done.next = self.copier.done.val();
        self.copy_idle.next =
            self.copier.idle.val() & self.sender.idle.val() & self.outlet.idle.val() & !self.poster.beat_valid.q.val();
        self.sender.put >>= self.put;
        self.group.ready.next = self.group.valid.val() & self.sender.wait_over.val();
        self.group.open.next = self.sender.open.val();
        self.poster.post >>= self.post;
        self.mem_wr <<= self.outlet.wr;
        connect!(self.mem_req.* <<= self.copier.mem_req_*: valid, address, beats, narrow);
        self.mem_req.id.next = bit_cast::<MEMORY_INDEX, BURST_INDEX>(self.copier.mem_req_id.q.val());
        self.mem_rsp.ready.next = self.copier.mem_rsp_ready.val();
        for t in 0..self.tensors {
            if self.inlet[t].asks_tensor.val() {
                self.mem_req.valid.next = true;
                connect!(self.mem_req.* <<= self.tensor[t].mem_req_*: address, beats);
                self.mem_req.narrow.next = false;
                self.mem_req.id.next = self.inlet[t].tensor_number.val();
            }
            if self.inlet[t].is_tensor.val() {
                self.mem_rsp.ready.next = self.tensor[t].mem_rsp_ready.val();
            }
            if !self.tensor[t].idle.val() {
                self.copy_idle.next = false;
            }
            self.tensor[t].tile >>= self.tiles[t].tensor;
            self.tiles[t].tensor_end <<= self.tensor[t].end;
        }
        self.rendezvous.req >>= self.bar_req;
        for g in 0..self.gates {
            connect!(self.*[g] <<= self.unit.*[g]: gate_taken, gate_seen);
        }
        self.gate_word <<= self.unit.gate_word;
        self.gate_struck <<= self.unit.gate_struck;
    }
}
