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
        for w in 0..self.map_words {
            self.fields.words[w].next = self.maps.map[w].val();
        }
    }

    fn ask(&mut self) {
        // maps first, but not before a burst that has been shown: it stays
        self.map_asks.next = self.maps.mem_req_valid.q.val() & !self.burst_held.q.val();
        self.mem_req_valid.next = self.maps.mem_req_valid.q.val() | self.lander.mem_req_valid.q.val();
        self.mem_req_address.next = bit_cast::<48, PIECE_ADDRESS>(self.lander.mem_req_from.q.val()) << 4;
        self.mem_req_beats.next = self.lander.mem_req_beats.q.val();
        self.mem_req_id.next = self.lander.mem_req_id.q.val();
        if self.map_asks.val() {
            self.mem_req_address.next = bit_cast::<48, MAP_ADDRESS>(self.maps.address.val()) << 6;
            self.mem_req_beats.next = 2.into();
            self.mem_req_id.next = self.map_id.to_bits();
        }
        self.beat_valid.next = self.lander.beat_valid.q.val();
        self.beat_ctas.next = self.lander.beat_ctas.q.val();
        self.beat_address.next = self.lander.beat_address.q.val();
        self.beat_strobe.next = self.lander.beat_strobe.q.val();
        self.beat_bytes.next = self.lander.beat_bytes.q.val();
        self.beat_barrier.next = self.lander.beat_barrier.q.val();
        self.box_valid.next = self.outward.box_valid.q.val();
        self.box_from.next = self.outward.box_from.q.val();
        self.box_to.next = self.outward.box_to.q.val();
        self.box_count.next = self.outward.box_count.q.val();
        self.box_more.next = self.outward.box_more.q.val();
        self.box_swizzle.next = self.outward.box_swizzle.q.val();
        self.box_reduction.next = self.outward.box_reduction.q.val();
        for w in 0..self.words {
            self.beat_data[w].next = self.lander.beat_data[w].q.val();
        }
    }

    fn run(&mut self) {
        self.maps.mem_req_taken.next = self.map_asks.val() & self.mem_req_ready.val();
        self.lander.mem_req_taken.next = !self.map_asks.val() & self.mem_req_ready.val();
        self.burst_held.d.next = self.lander.mem_req_valid.q.val() & !self.map_asks.val() & !self.mem_req_ready.val();
        self.maps.measure_done.next = self.sizer.done.q.val();
        self.maps.measured_verdict.next = self.sizer.verdict.val();
        self.maps.measured_pieces.next = self.sizer.pieces.val();
        self.maps.measured_large.next = self.sizer.is_large.val();

        self.rows.load.next = self.starts.val();
        self.rows.first.next = self.origin.first.q.val();
        self.rows.rank.next = self.fields.rank.val();
        self.rows.sliced.next = self.fields.interleave.val().any();
        for d in 0..5 {
            self.rows.increment[d].next = self.origin.increment[d].q.val();
            self.rows.at[d].next = self.asked_at[d].q.val();
            self.rows.last[d].next = self.fields.last[d].val();
            self.rows.step[d].next = self.fields.step[d].val();
            self.rows.box_last[d].next = self.fields.box_last[d].val();
        }
        self.cutter.load.next = self.starts.val();
        self.cutter.to.next = self.asked_shared.q.val().get_bits::<PLACE_BITS>(4);
        self.cutter.count.next = self.origin.count.q.val();
        self.cutter.pitch.next = self.origin.pitch.q.val();
        self.cutter.lead.next = self.origin.lead.q.val();
        self.cutter.bound.next = self.origin.bound.q.val();
        self.cutter.tail.next = self.origin.tail.q.val();
        self.cutter.row_valid.next = self.rows.valid.q.val();
        self.cutter.row_address.next = self.rows.address.val();
        self.cutter.row_inside.next = self.rows.is_inside.val();
        self.outward.load.next = self.begins.val();
        self.outward.stores.next = self.stores.val();
        self.outward.swizzle.next = self.fields.swizzle.val();
        self.outward.reduction.next = self.operator.code.val();
        self.outward.thread.next = self.asked_thread.q.val();
        self.outward.box_taken.next = self.box_taken.val();
        self.lander.load.next = self.begins.val();
        self.lander.swizzle.next = self.fields.swizzle.val();
        self.lander.fill.next = self.fields.fill.val();
        self.lander.rounds.next = self.fields.rounds.val();
        self.lander.barrier.next = self.asked_barrier.q.val().get_bits::<OFFSET_BITS>(0);
        self.lander.ctas.next = self.asked_ctas.q.val();

        self.map_beat.next = self.mem_rsp_valid.val() & (self.mem_rsp_id.val().index() == self.map_id);
        self.maps.beat_valid.next = self.map_beat.val();
        self.lander.mem_rsp_valid.next = self.mem_rsp_valid.val() & !self.map_beat.val();
        self.lander.mem_rsp_id.next = self.mem_rsp_id.val();
        self.lander.beat_ready.next = self.beat_ready.val();
        for w in 0..self.words {
            self.maps.beat_data[w].next = self.mem_rsp_data[w].val();
            self.lander.mem_rsp_data[w].next = self.mem_rsp_data[w].val();
        }
    }

    fn join(&mut self) {
        self.cutter.burst_ready.next = self.lander.burst_ready.val();
        self.cutter.fill_ready.next = self.lander.fill_ready.val();
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
