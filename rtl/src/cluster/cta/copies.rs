//! A CTA's copies: through the door, to other CTAs, and onto barriers; and the ports that only pass through.

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
        self.junction.valid[0].next = self.copier.beat_valid.q.val();
        self.junction.ctas[0].next = self.copier.beat_ctas.q.val();
        self.junction.address[0].next = self.copier.beat_address.q.val();
        self.junction.strobe[0].next = self.copier.beat_strobe.q.val();
        self.junction.reduction[0].next = 0.into();
        self.junction.bytes[0].next = self.copier.beat_bytes.q.val();
        self.junction.barrier[0].next = self.copier.beat_barrier.q.val();
        self.junction.valid[1].next = self.outlet.beat_valid.val();
        self.junction.ctas[1].next = self.outlet.beat_ctas.val();
        self.junction.address[1].next = self.outlet.wr.address.val().get_bits::<24>(0);
        self.junction.strobe[1].next = self.outlet.wr.strobe.val();
        self.junction.reduction[1].next = self.outlet.wr.reduction.val();
        self.junction.bytes[1].next = self.outlet.beat_bytes.val();
        self.junction.barrier[1].next = self.outlet.beat_barrier.val();
        self.junction.valid[2].next = self.poster.beat_valid.q.val();
        self.junction.ctas[2].next = self.poster.beat_ctas.q.val();
        self.junction.address[2].next = self.poster.beat_address.q.val();
        self.junction.strobe[2].next = self.poster.beat_strobe.q.val();
        self.junction.reduction[2].next = self.poster.beat_reduction.q.val();
        self.junction.bytes[2].next = self.poster.beat_bytes.q.val();
        self.junction.barrier[2].next = self.poster.beat_barrier.q.val();
        for l in 0..self.beat_words {
            self.junction.data[0][l].next = self.copier.beat_data[l].q.val();
            self.junction.data[1][l].next = self.outlet.wr.data[l].val();
        }
        for w in 0..self.post_words {
            self.junction.data[2][w].next = self.poster.beat_data[w].q.val();
            self.junction.data[2][w + self.post_words].next = self.poster.beat_data[w].q.val();
        }
        for t in 0..self.tensors {
            self.junction.valid[3].next = self.tensor[t].beat_valid.val();
            self.junction.ctas[3].next = self.tensor[t].beat_ctas.val();
            self.junction.address[3].next = self.tensor[t].beat_address.val();
            self.junction.strobe[3].next = self.tensor[t].beat_strobe.val();
            self.junction.reduction[3].next = 0.into();
            self.junction.bytes[3].next = self.tensor[t].beat_bytes.val();
            self.junction.barrier[3].next = self.tensor[t].beat_barrier.val();
            for l in 0..self.beat_words {
                self.junction.data[3][l].next = self.tensor[t].beat_data[l].val();
            }
        }

        self.outlet.move_valid.next = self.sender.move_valid.val();
        self.outlet.move_kind.next = self.sender.move_kind.val();
        self.outlet.move_from.next = self.sender.move_from.val();
        self.outlet.move_to.next = self.sender.move_to.val();
        self.outlet.move_strobe.next = self.sender.move_strobe.val();
        self.outlet.move_reduction.next = self.sender.move_reduction.q.val();
        self.outlet.move_wanted.next = self.sender.move_wanted.val();
        self.outlet.move_reads.next = self.sender.move_reads.val();
        self.outlet.move_writes.next = self.sender.move_writes.val();
        self.outlet.move_swap.next = self.sender.move_swap.val();
        self.outlet.move_shift.next = self.sender.move_shift.val();
        self.outlet.move_last.next = self.sender.move_last.val();
        self.outlet.move_number.next = self.sender.move_number.val();
        self.outlet.move_ctas.next = self.sender.move_ctas.q.val();
        self.outlet.move_bytes.next = self.sender.move_bytes.val();
        self.outlet.move_barrier.next = self.sender.move_barrier.q.val();
        self.outlet.move_thread.next = self.sender.move_thread.q.val();
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
        for l in 0..self.beat_words {
            self.landing[l].next = self.junction.out_data[l].val();
        }
        for n in 0..self.nets {
            self.foreign.next = self.drop_valid[n].val() & (self.beat_turn.q.val() | !self.own_beat.val());
            if self.foreign.val() {
                self.head.next = self.drop_words[n][0].val();
                self.whose.next = self.drop_words[n][1].val();
                for l in 0..self.beat_words {
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
        for l in 0..self.beat_words {
            self.reducer.operand[l].next = self.landing[l].val();
        }
    }

    fn knock(&mut self) {
        self.knocks.next = self.admitted.val()
            & !self.reducer.rests.val()
            & (!self.does.val().any() | self.reducer.reads.val() | self.reducer.stores.val());
        self.reads_now.next =
            self.outlet.read_valid.val() & !self.reducer.rests.val() & (self.read_turn.q.val() | !self.knocks.val());
        // what takes several cycles keeps the door
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
            self.unit.write_valid[0].next = self.outlet.read_valid.val();
            self.unit.write_address[0].next = self.outlet.read_address.val();
            self.unit.write_strobe[0].next = self.outlet.read_strobe.val();
            self.unit.write_errand[0].next = OUTWARD;
        }
        for l in 0..self.beat_words {
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
        for b in 0..self.gated_banks {
            self.unit.gate_row[b].next = self.gate_row[b].val();
            self.unit.gate_stored[b].next = self.gate_stored[b].val();
            self.unit.gate_data[b].next = self.gate_data[b].val();
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
        // a beat that takes several cycles keeps its turn
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
        for l in 0..self.beat_words {
            self.copier.mem_rsp_data[l].next = self.mem_rsp.data[l].val();
        }
        for t in 0..self.tensors {
            self.copier.mem_req_ready.next = self.mem_req.ready.val() & !self.inlet[t].asks_tensor.val();
            self.copier.mem_rsp_valid.next = self.mem_rsp.valid.val() & !self.inlet[t].is_tensor.val();
            self.copier.mem_rsp_id.next = self.inlet[t].copier_answer.val();
            self.tensor[t].mem_req_ready.next = self.mem_req.ready.val() & self.inlet[t].asks_tensor.val();
            self.tensor[t].mem_rsp_valid.next = self.mem_rsp.valid.val() & self.inlet[t].is_tensor.val();
            self.tensor[t].mem_rsp_id.next = self.inlet[t].tensor_answer.val();
            self.tensor[t].beat_ready.next = self.junction.taken[3].val();
            for l in 0..self.beat_words {
                self.tensor[t].mem_rsp_data[l].next = self.mem_rsp.data[l].val();
            }
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
        for l in 0..self.beat_words {
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
        self.sender.put_held.next = false;
        self.sender.box_valid.next = false;
        self.sender.box_from.next = 0.into();
        self.sender.box_to.next = 0.into();
        self.sender.box_count.next = 0.into();
        self.sender.box_more.next = false;
        self.sender.box_swizzle.next = 0.into();
        self.sender.box_reduction.next = 0.into();
        for t in 0..self.tensors {
            self.sender.put_held.next = self.tensor[t].owes.val();
            self.sender.box_valid.next = self.tensor[t].box_valid.val();
            self.sender.box_from.next = self.tensor[t].box_from.val();
            self.sender.box_to.next = self.tensor[t].box_to.val();
            self.sender.box_count.next = self.tensor[t].box_count.val();
            self.sender.box_more.next = self.tensor[t].box_more.val();
            self.sender.box_swizzle.next = self.tensor[t].box_swizzle.val();
            self.sender.box_reduction.next = self.tensor[t].box_reduction.val();
        }
        self.sender.wait_thread.next = self.group.thread.val();
        self.sender.wait_read.next = self.group.read.val();
        self.sender.wait_most.next = self.group.most.val();
    }

    fn hand(&mut self) {
        for t in 0..self.tensors {
            self.tensor[t].box_taken.next = self.sender.box_ready.val();
        }
    }

    fn greet(&mut self) {
        self.rendezvous.req <<= self.bar_req;
        self.rendezvous.rsp_ready.next = self.bar_rsp.ready.val();
        self.rendezvous.arrived_of.next = self.arrived_of.val();
        self.rendezvous.empty_of.next = self.empty_of.val();
        self.bar_rsp.valid.next = self.rendezvous.rsp_valid.q.val();
        self.bar_rsp.warp.next = self.rendezvous.rsp_warp.q.val();
        self.bar_rsp.lanes.next = self.rendezvous.rsp_lanes.q.val();
        self.bar_rsp.status.next = self.rendezvous.rsp_status.q.val();
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
        self.mem_req.valid.next = self.copier.mem_req_valid.q.val();
        self.mem_req.address.next = self.copier.mem_req_address.q.val();
        self.mem_req.beats.next = self.copier.mem_req_beats.q.val();
        self.mem_req.narrow.next = self.copier.mem_req_narrow.q.val();
        self.mem_req.id.next = bit_cast::<MEMORY_INDEX, BURST_INDEX>(self.copier.mem_req_id.q.val());
        self.mem_rsp.ready.next = self.copier.mem_rsp_ready.val();
        for t in 0..self.tensors {
            if self.inlet[t].asks_tensor.val() {
                self.mem_req.valid.next = true;
                self.mem_req.address.next = self.tensor[t].mem_req_address.val();
                self.mem_req.beats.next = self.tensor[t].mem_req_beats.val();
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
            self.gate_taken[g].next = self.unit.gate_taken[g].val();
            self.gate_seen[g].next = self.unit.gate_seen[g].val();
        }
        for b in 0..self.gated_banks {
            self.gate_word[b].next = self.unit.gate_word[b].val();
        }
        for g in 0..self.checked_gates {
            self.gate_struck[g].next = self.unit.gate_struck[g].val();
        }
    }
}
