//! Addresses of `.shared::cluster`, and the bursts and beats in which copies travel.

/// Lowest bit of a CTA's rank in an address of `.shared::cluster`.
pub const RANK_LSB: usize = 24;
/// Width of a rank in an address.
pub const RANK_BITS: usize = 3;
/// Width of what has no rank: an address in the memory of a CTA.
pub const OFFSET_BITS: usize = RANK_LSB;
/// Lowest of the bits above a rank, which are zero.
pub const ABOVE_LSB: usize = RANK_LSB + RANK_BITS;
/// How many of them there are.
pub const ABOVE_BITS: usize = 32 - ABOVE_LSB;
/// Bytes of a burst.
pub const BURST_BYTES: u32 = 128;
/// 64-bit words of a beat: what the global-memory port carries in a cycle, and what lands in one.
pub const BEAT_WORDS: usize = 4;
/// Bytes of a beat.
pub const BEAT_BYTES: u32 = BEAT_WORDS as u32 * 8;

/// The address in `.shared::cluster` of what has `address` in the shared memory of the CTA with this rank: PTX's `mapa`.
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
