//! What the blocks of the engine hand to each other, to the global memory and to the CTA.

use super::*;

#[processes]
impl Tensor {
    fn owe(&mut self) {
        self.outward.asker.next = self.asker.val();
        self.outward.cutting.next = (self.rows.valid.q.val() | self.cutter.active.q.val()) & !self.surveys.q.val();
    }

    fn tell(&mut self) {
        self.owes.next = self.outward.owes.val()
            | (self.asked.q.val() & self.stores.val() & (self.asked_thread.q.val() == self.asker.val()));
    }

    fn feed(&mut self) {
        self.fields.words <<= self.maps.map;
    }

    fn ask(&mut self) {
        // maps first, but not before a burst that has been shown: it stays
        self.map_asks.next = self.maps.mem_req_valid.q.val() & !self.burst_held.q.val();
        self.mem_req_valid.next = self.maps.mem_req_valid.q.val() | self.lander.mem_req_valid.q.val();
        self.mem_req_address.next = bit_cast::<48, PIECE_ADDRESS>(self.lander.mem_req_from.q.val()) << 4;
        connect!(self.* <<= self.lander.*: mem_req_beats, mem_req_id);
        if self.map_asks.val() {
            self.mem_req_address.next = bit_cast::<48, MAP_ADDRESS>(self.maps.address.val()) << 6;
            self.mem_req_beats.next = 2.into();
            self.mem_req_id.next = self.map_id.to_bits();
        }
        connect!(self.* <<= self.lander.*: beat_valid, beat_ctas, beat_address, beat_strobe, beat_bytes, beat_barrier);
        connect!(self.* <<= self.outward.*: box_valid, box_from, box_to, box_count, box_more, box_swizzle,
            box_reduction);
        self.beat_data <<= self.lander.beat_data;
    }

    fn run(&mut self) {
        self.maps.mem_req_taken.next = self.map_asks.val() & self.mem_req_ready.val();
        self.lander.mem_req_taken.next = !self.map_asks.val() & self.mem_req_ready.val();
        self.burst_held.d.next = self.lander.mem_req_valid.q.val() & !self.map_asks.val() & !self.mem_req_ready.val();
        self.maps.measure_done.next = self.sizer.done.q.val();
        connect!(self.maps.measured_* <<= self.sizer.*: verdict, pieces);
        self.maps.measured_large.next = self.sizer.is_large.val();

        self.rows.load.next = self.starts.val();
        self.rows.first.next = self.origin.first.q.val();
        self.rows.rank.next = self.fields.rank.val();
        self.rows.sliced.next = self.fields.interleave.val().any();
        for d in 0..5 {
            self.rows.increment[d].next = self.origin.increment[d].q.val();
            self.rows.at[d].next = self.asked_at[d].q.val();
            connect!(self.rows.*[d] <<= self.fields.*[d]: last, step, box_last);
        }
        self.cutter.load.next = self.starts.val();
        self.cutter.to.next = self.asked_shared.q.val().get_bits::<PLACE_BITS>(4);
        connect!(self.cutter.* <<= self.origin.*: count, pitch, lead, bound, tail);
        connect!(self.cutter.row_* <<= self.rows.*: valid, address);
        self.cutter.row_inside.next = self.rows.is_inside.val();
        self.outward.load.next = self.begins.val();
        self.outward.stores.next = self.stores.val();
        self.outward.swizzle.next = self.fields.swizzle.val();
        self.outward.reduction.next = self.operator.code.val();
        self.outward.thread.next = self.asked_thread.q.val();
        self.outward.box_taken.next = self.box_taken.val();
        self.lander.load.next = self.begins.val();
        connect!(self.lander.* <<= self.fields.*: swizzle, fill, rounds);
        self.lander.barrier.next = self.asked_barrier.q.val().get_bits::<OFFSET_BITS>(0);
        self.lander.ctas.next = self.asked_ctas.q.val();

        self.map_beat.next = self.mem_rsp_valid.val() & (self.mem_rsp_id.val().index() == self.map_id);
        self.maps.beat_valid.next = self.map_beat.val();
        self.lander.mem_rsp_valid.next = self.mem_rsp_valid.val() & !self.map_beat.val();
        connect!(self.lander.* <<= self.*: mem_rsp_id, beat_ready);
        for w in 0..BEAT_WORDS {
            self.maps.beat_data[w].next = self.mem_rsp_data[w].val();
            self.lander.mem_rsp_data[w].next = self.mem_rsp_data[w].val();
        }
    }

    fn join(&mut self) {
        connect!(self.cutter.* <<= self.lander.*: burst_ready, fill_ready);
        if self.outward.is_store.q.val() {
            self.cutter.burst_ready.next = !self.outward.box_valid.q.val() | self.box_taken.val();
            self.cutter.fill_ready.next = true;
        }
        if self.surveys.q.val() {
            self.cutter.burst_ready.next = true;
            self.cutter.fill_ready.next = true;
        }
    }

    fn show(&mut self) {
        self.mem_rsp_ready.next = self.lander.mem_rsp_ready.val() | self.map_beat.val();
        self.idle.next = !self.asked.q.val()
            & !self.rows.valid.q.val()
            & !self.cutter.active.q.val()
            & !self.outward.box_valid.q.val()
            & self.lander.idle.val();
    }
}
