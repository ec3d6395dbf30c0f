//! Post: `st.async` and `red.async`, one beat each.
//!
//! **What.** A thread names an address in the memory of a CTA, a barrier of the same CTA, and 4, 8 or 16 bytes. The bytes are sent as a
//! beat, like those of copies: so they are stored, or combined with the memory, before they are completed.
//!
//! ```text
//!   cycle     0              1
//!   post      valid, ready
//! beat                     valid until accepted; the next post is accepted in that cycle
//! ```
//! The data is replicated to all lanes of the beat that it could occupy; the byte enables select one.

use super::channels::SmallStore;
use super::reduction::{ELEMENT_BITS, Element, Lawful, ReductionCode};
use crate::copies::messages::reduction;
use crate::hardware;
use crate::hdl::*;
use crate::word::address::{self, ABOVE_BITS, BEAT_WORDS, OFFSET_BITS, RANK_BITS};
use crate::word::status::Status;

hardware! {
    /// Post: stores and reductions of a thread that complete on a barrier.
    pub module Post = "post" {
        /// Store or reduction.
        pub post: Flat<SmallStore<In>>,

        /// Beat valid.
        pub beat_valid: OutControlReg<Bit>,
        /// Beat accepted.
        pub beat_ready: Signal<In, Bit>,
        /// Destination CTA, one-hot.
        pub beat_ctas: OutReg<CtaMask>,
        /// Address of the 32 bytes in the destination.
        pub beat_address: OutReg<Bits<24>>,
        /// Byte enables.
        pub beat_strobe: OutReg<Bits<32>>,
        /// Reduction.
        pub beat_reduction: OutReg<ReductionCode>,
        /// Lower and upper half of the block.
        pub beat_data: Lanes<OutReg<Word>> = Lanes::new(BEAT_WORDS / 2),
        /// Number of bytes to complete.
        pub beat_bytes: OutReg<Bits<8>>,
        /// Address of the barrier.
        pub beat_barrier: OutReg<Bits<24>>,

        /// Number of CTAs.
        pub ctas: usize = ctas,
        /// Size of the shared memory in bytes.
        pub window: usize = 1 << window_bits,
        /// Check of the reduction.
        pub lawful: Lawful,
        /// Type of the elements.
        pub element: Signal<Local, Bits<ELEMENT_BITS>>,
        /// Rank in the address.
        pub rank: Signal<Local, Rank>,
        /// The CTA of that rank.
        pub target: Signal<Local, CtaMask>,
        /// Address without the rank.
        pub offset: Signal<Local, Bits<OFFSET_BITS>>,
        /// Address of the barrier without the rank.
        pub barrier_offset: Signal<Local, Bits<OFFSET_BITS>>,
        /// Mask of the address bits that must be zero.
        pub mask: Signal<Local, Bits<4>>,
        /// The size is valid.
        pub sized: Signal<Local, Bit>,
        /// Byte enables of an access of this size at the lowest address.
        pub ones: Signal<Local, Bits<32>>,
        /// Lower eight bytes, on all lanes.
        pub lower: Signal<Local, Word>,
        /// Upper eight bytes, on all lanes.
        pub upper: Signal<Local, Word>,
        /// Data, as one word.
        pub content: Signal<Local, Word>,
        /// The post is accepted and not refused.
        pub begins: Signal<Local, Bit>,
    }
    constants {
        /// First type of 64 bits; all reductions of shared memory above it are of 64 bits, too.
        WIDE: Bits<ELEMENT_BITS> = Element::U64.constant();
    }
    processes { Name, Judge, Place }
    /// For a cluster of this many CTAs, with memories of 2^`window_bits` bytes.
    built by pub fn new(ctas: usize, window_bits: usize) {}
}

#[processes]
impl Post {
    fn name(&mut self) {
        self.lawful.code.next = self.post.reduction.val();
    }

    fn judge(&mut self) {
        self.element.next = self.post.reduction.val().get_bits::<ELEMENT_BITS>(reduction::ELEMENT);
        self.rank.next = self.post.address.val().get_bits::<RANK_BITS>(address::RANK_LSB);
        self.offset.next = self.post.address.val().get_bits::<OFFSET_BITS>(0);
        self.barrier_offset.next = self.post.barrier.val().get_bits::<OFFSET_BITS>(0);
        self.target.next = 0.into();
        for t in 0..self.ctas {
            if self.rank.val() == t.to_bits() {
                self.target.next = bits::<CTAS>(1) << t;
            }
        }
        self.sized.next = false;
        self.mask.next = 15.into();
        self.ones.next = 0xffff.into();
        if (self.post.bytes.val() == 16) & !self.post.reduction.val().any() {
            self.sized.next = true;
        }
        if self.post.bytes.val() == 8 {
            self.sized.next = !self.post.reduction.val().any() | (self.element.val() >= WIDE);
            self.mask.next = 7.into();
            self.ones.next = 0xff.into();
        }
        if self.post.bytes.val() == 4 {
            self.sized.next = true;
            if self.element.val() >= WIDE {
                self.sized.next = false;
            }
            self.mask.next = 3.into();
            self.ones.next = 0xf.into();
        }
        self.post.status.next = Status::Ok.into();
        if !self.sized.val() {
            self.post.status.next = Status::OperandRange.into();
        }
        if !self.target.val().any()
            | self.post.address.val().get_bits::<ABOVE_BITS>(address::ABOVE_LSB).any()
            | (bit_cast::<32, OFFSET_BITS>(self.offset.val()) >= self.window.to_bits())
            | (bit_cast::<32, OFFSET_BITS>(self.barrier_offset.val()) >= self.window.to_bits())
        {
            self.post.status.next = Status::OutOfRange.into();
        }
        if (self.post.address.val().get_bits::<4>(0) & self.mask.val()).any()
            | self.post.barrier.val().get_bits::<3>(0).any()
        {
            self.post.status.next = Status::Misaligned.into();
        }
        if (self.post.address.val() >> address::RANK_LSB) != (self.post.barrier.val() >> address::RANK_LSB) {
            self.post.status.next = Status::RemoteUnsupported.into();
        }
        if !self.lawful.in_shared.val() {
            self.post.status.next = Status::IllegalOperation.into();
        }
    }

    fn place(&mut self) {
        self.post.ready.next = !self.beat_valid.q.val() | self.beat_ready.val();
        self.begins.next = self.post.valid.val() & self.post.ready.val() & (self.post.status.val() == Status::Ok);
        self.beat_valid.d.next = (self.beat_valid.q.val() & !self.beat_ready.val()) | self.begins.val();
        self.content.next = self.post.data[0].val();
        self.lower.next = self.post.data[0].val();
        self.upper.next = self.post.data[0].val();
        if self.post.bytes.val() == 16 {
            self.upper.next = self.post.data[1].val();
        }
        if self.post.bytes.val() == 4 {
            self.lower.next = bit_cast::<64, 32>(self.content.val().get_bits::<32>(0))
                | (bit_cast::<64, 32>(self.content.val().get_bits::<32>(0)) << 32);
            self.upper.next = self.lower.val();
        }
        if self.begins.val() {
            self.beat_ctas.d.next = self.target.val();
            self.beat_address.d.next = (self.offset.val() >> 5) << 5;
            for u in 0..8 {
                if self.post.address.val().get_bits::<3>(2) == u.to_bits() {
                    self.beat_strobe.d.next = self.ones.val() << (u * 4);
                }
            }
            self.beat_reduction.d.next = self.post.reduction.val();
            self.beat_bytes.d.next = bit_cast::<8, 5>(self.post.bytes.val());
            self.beat_barrier.d.next = self.barrier_offset.val();
            self.beat_data[0].d.next = self.lower.val();
            self.beat_data[1].d.next = self.upper.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copies::reduction::{Action, Reduction};
    use crate::word::address::mapa;

    /// A beat: CTAs, address, strobe, words.
    type Beat = (u64, u64, u64, [u64; 2]);

    /// Offers a post; returns its status, and the beat if there is one.
    fn offer(address: u32, barrier: u32, bytes: u64, code: u8) -> (u64, Option<Beat>) {
        let mut post = Post::new(3, 12);
        post.post.valid.next = true;
        post.post.address.next = u64::from(address).into();
        post.post.barrier.next = u64::from(barrier).into();
        post.post.bytes.next = bytes.into();
        post.post.reduction.next = u64::from(code).into();
        post.post.data[0].next = 0x8877_6655_4433_2211.into();
        post.post.data[1].next = 0xffee_ddcc_bbaa_9988.into();
        post.settle();
        assert!(post.post.ready.val());
        let status = post.post.status.val().raw();
        post.tick();
        let beat = post.beat_valid.q.val().then(|| {
            let [ctas, address, strobe] =
                [post.beat_ctas.q.val().raw(), post.beat_address.q.val().raw(), post.beat_strobe.q.val().raw()];
            (ctas, address, strobe, [post.beat_data[0].q.val().raw(), post.beat_data[1].q.val().raw()])
        });
        (status, beat)
    }

    #[test]
    fn bytes_stand_where_they_belong() {
        let all = [0x8877_6655_4433_2211, 0xffee_ddcc_bbaa_9988];
        assert_eq!(offer(mapa(0x130, 2), mapa(8, 2), 16, 0), (0, Some((4, 0x120, 0xffff_0000, all))));
        assert_eq!(offer(mapa(0x128, 0), mapa(8, 0), 8, 0), (0, Some((1, 0x120, 0xff00, [all[0]; 2]))));
        let four = 0x4433_2211_4433_2211;
        assert_eq!(offer(mapa(0x13c, 1), mapa(8, 1), 4, 0), (0, Some((2, 0x120, 0xf000_0000, [four; 2]))));
    }

    #[test]
    fn what_cannot_be_done_is_refused_by_name() {
        let refused = |address, barrier, bytes, code, status: Status| {
            assert_eq!(offer(address, barrier, bytes, code), (u64::from(status.code()), None));
        };
        refused(0x100, 8, 12, 0, Status::OperandRange);
        refused(0x1000, 8, 4, 0, Status::OutOfRange);
        refused(0x100, 0x1000, 4, 0, Status::OutOfRange);
        refused(mapa(0x100, 3), mapa(8, 3), 4, 0, Status::OutOfRange);
        refused(0x0800_0100, 0x0800_0008, 4, 0, Status::OutOfRange);
        refused(0x104, 8, 8, 0, Status::Misaligned);
        refused(0x100, 12, 8, 0, Status::Misaligned);
        refused(mapa(0x100, 1), 8, 8, 0, Status::RemoteUnsupported);
        for reduction in Reduction::all() {
            let bytes = u64::from(reduction.element.bytes());
            let status = if reduction.is_for_shared() { Status::Ok } else { Status::IllegalOperation };
            assert_eq!(offer(0x100, 8, bytes, reduction.code()).0, u64::from(status.code()), "{reduction:?}");
            if reduction.is_for_shared() {
                refused(0x100, 8, 12 - bytes, reduction.code(), Status::OperandRange);
                refused(0x100, 8, 16, reduction.code(), Status::OperandRange);
            }
        }
        let add = Reduction { action: Action::Add, element: Element::U32 };
        assert!(offer(0x100, 8, 4, add.code()).1.is_some());
    }
}
