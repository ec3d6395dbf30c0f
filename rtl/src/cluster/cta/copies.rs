//! A CTA's copies: through the door, to other CTAs, and onto barriers; and the ports that only pass through.

use super::*;

impl Process<Land> for Cta {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.own_beat.next = self.copier.beat_valid.q.val()
            & (self.copier.beat_ctas.q.val() & self.own.val()).any()
            & !(self.served.q.val() & self.own.val()).any();
        self.foreign.next = false;
        self.beat_head.next = bit_cast::<64, OFFSET_BITS>(self.copier.beat_address.q.val())
            | (bit_cast::<64, 32>(self.copier.beat_strobe.q.val()) << beat::STROBE)
            | (bit_cast::<64, 8>(self.copier.beat_bytes.q.val()) << beat::BYTES);
        self.head.next = self.beat_head.val();
        self.whose.next = self.copier.beat_barrier.q.val();
        for l in 0..self.beat_words {
            self.unit.write_data[0][l].next = self.copier.beat_data[l].q.val();
        }
        for n in 0..self.nets {
            self.foreign.next = self.drop_valid[n].val() & (self.beat_turn.q.val() | !self.own_beat.val());
            if self.foreign.val() {
                self.head.next = self.drop_words[n][0].val();
                self.whose.next = self.drop_words[n][1].val().get_bits::<OFFSET_BITS>(0);
                for l in 0..self.beat_words {
                    self.unit.write_data[0][l].next = self.drop_words[n][l + 2].val();
                }
            }
        }
        self.completer.barrier.next = self.whose.val();
        self.completer.bytes.next = self.head.val().get_bits::<8>(beat::BYTES);
    }
}

impl Process<Knock> for Cta {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.unit.write_valid[0].next = (self.own_beat.val() | self.foreign.val())
            & (self.completer.room.val() | !self.completer.bytes.val().any());
        self.unit.write_address[0].next = self.head.val().get_bits::<OFFSET_BITS>(beat::ADDRESS);
        self.unit.write_strobe[0].next = self.head.val().get_bits::<32>(beat::STROBE);
    }
}

impl Process<Copy> for Cta {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.copier.bulk_valid.next = self.bulk_valid.val();
        self.copier.bulk_global.next = self.bulk_global.val();
        self.copier.bulk_shared.next = self.bulk_shared.val();
        self.copier.bulk_bytes.next = self.bulk_bytes.val();
        self.copier.bulk_barrier.next = self.bulk_barrier.val();
        self.copier.bulk_ctas.next = self.bulk_ctas.val();
        if !self.bulk_ctas.val().any() {
            self.copier.bulk_ctas.next = self.own.val();
        }
        self.copier.async_valid.next = self.async_valid.val();
        self.copier.async_kind.next = self.async_kind.val();
        self.copier.async_thread.next = self.async_thread.val();
        self.copier.async_global.next = self.async_global.val();
        self.copier.async_shared.next = self.async_shared.val();
        self.copier.async_bytes.next = self.async_bytes.val();
        self.copier.mem_req_ready.next = self.mem_req_ready.val();
        self.copier.mem_rsp_valid.next = self.mem_rsp_valid.val();
        self.copier.mem_rsp_id.next = self.mem_rsp_id.val();
        for l in 0..self.beat_words {
            self.copier.mem_rsp_data[l].next = self.mem_rsp_data[l].val();
        }
        self.copier.own.next = self.own.val();

        self.copier.op_ready.next = self.unit.req_ready.val().get_bit(self.copy_port) & !self.completing.val();
        self.completer.take.next = self.unit.req_ready.val().get_bit(self.copy_port) & self.completing.val();
        self.copy_turn.d.next = self.copy_turn.q.val();
        if self.unit.req_ready.val().get_bit(self.copy_port) {
            self.copy_turn.d.next = self.completing.val();
        }

        self.having.next = self.served.q.val();
        if self.unit.write_taken[0].val() & !self.foreign.val() {
            self.having.next = self.having.val() | self.own.val();
        }
        for n in 0..self.nets {
            self.having.next = self.having.val() | self.cast_taken[n].val();
            self.drop_taken[n].next = self.unit.write_taken[0].val() & self.foreign.val();
        }
        self.copier.beat_ready.next = !(self.copier.beat_ctas.q.val() & !self.having.val()).any();
        self.served.d.next = self.having.val();
        if self.copier.beat_ready.val() | !self.copier.beat_valid.q.val() {
            self.served.d.next = 0.into();
        }
        // a beat that takes several cycles keeps its turn
        self.beat_turn.d.next = self.beat_turn.q.val();
        if self.own_beat.val() | self.foreign.val() {
            self.beat_turn.d.next = self.foreign.val();
        }
        if self.unit.write_taken[0].val() {
            self.beat_turn.d.next = !self.foreign.val();
        }
        self.completer.add.next = self.unit.write_taken[0].val() & self.completer.bytes.val().any();
    }
}

impl Process<Greet> for Cta {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.rendezvous.req_valid.next = self.bar_req_valid.val();
        self.rendezvous.req_op.next = self.bar_req_op.val();
        self.rendezvous.req_warp.next = self.bar_req_warp.val();
        self.rendezvous.req_lanes.next = self.bar_req_lanes.val();
        self.rendezvous.req_aligned.next = self.bar_req_aligned.val();
        self.rendezvous.req_releases.next = self.bar_req_releases.val();
        self.rendezvous.rsp_ready.next = self.bar_rsp_ready.val();
        self.rendezvous.arrived_of.next = self.arrived_of.val();
        self.rendezvous.empty_of.next = self.empty_of.val();
        self.bar_rsp_valid.next = self.rendezvous.rsp_valid.q.val();
        self.bar_rsp_warp.next = self.rendezvous.rsp_warp.q.val();
        self.bar_rsp_lanes.next = self.rendezvous.rsp_lanes.q.val();
        self.bar_rsp_status.next = self.rendezvous.rsp_status.q.val();
    }
}

impl Process<Tell> for Cta {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.bulk_ready.next = self.copier.bulk_ready.val();
        self.bulk_status.next = self.copier.bulk_status.val();
        self.async_ready.next = self.copier.async_ready.val();
        self.async_status.next = self.copier.async_status.val();
        self.copy_done.next = self.copier.done.val();
        self.copy_idle.next = self.copier.idle.val();
        self.mem_req_valid.next = self.copier.mem_req_valid.q.val();
        self.mem_req_address.next = self.copier.mem_req_address.q.val();
        self.mem_req_beats.next = self.copier.mem_req_beats.q.val();
        self.mem_req_narrow.next = self.copier.mem_req_narrow.q.val();
        self.mem_req_id.next = self.copier.mem_req_id.q.val();
        self.mem_rsp_ready.next = self.copier.mem_rsp_ready.val();
        self.bar_req_ready.next = self.rendezvous.req_ready.val();
    }
}
