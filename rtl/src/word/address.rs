//! Addresses of `.shared::cluster`, and the bursts and beats of copies.

/// Lowest bit of a CTA's rank in an address of `.shared::cluster`.
pub const RANK_LSB: usize = 24;
/// Width of a rank in an address.
pub const RANK_BITS: usize = 3;
/// Width of an address within the memory of a CTA, without a rank.
pub const OFFSET_BITS: usize = RANK_LSB;
/// Lowest of the bits above the rank, which are zero.
pub const ABOVE_LSB: usize = RANK_LSB + RANK_BITS;
/// Number of bits above the rank.
pub const ABOVE_BITS: usize = 32 - ABOVE_LSB;
/// Bytes of a burst.
pub const BURST_BYTES: u32 = 128;
/// 64-bit words of a beat: the data width of the global-memory port, and of writes into shared memory.
pub const BEAT_WORDS: usize = 4;
/// Bytes of a beat.
pub const BEAT_BYTES: u32 = BEAT_WORDS as u32 * 8;

/// The address in `.shared::cluster` of `address` in the shared memory of the CTA with this rank: PTX's `mapa`.
pub const fn mapa(address: u32, rank: usize) -> u32 {
    address | (rank as u32) << RANK_LSB
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_the_cluster_names_its_cta() {
        assert_eq!(mapa(0x40, 0), 0x40);
        assert_eq!(mapa(0x40, 5), 0x0500_0040);
    }
}
