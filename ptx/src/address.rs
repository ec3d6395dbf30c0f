//! The generic address space: its windows, and the meaning of an address.
//!
//! ```text
//!   .address_size           64                         32
//!   global, const           0x10_0000_0000 ...         0x1000_0000 ...          as they are
//!   local                   0x7e00_0000_0000 ...       0xd000_0000 ...          window of 2^28 bytes
//!   shared                  0x7f00_0000_0000 ...       0xe000_0000 ...          window of 2^28 bytes
//!
//!   an address of .shared   27 26:24  23:0
//!                           0  0      offset           of the own CTA
//!                           1  rank   offset           of the CTA with this rank (what mapa gives)
//! ```

use txbar_rtl::word::address::{OFFSET_BITS, RANK_BITS, RANK_LSB};

/// Size of the windows of shared and local memory in bytes.
pub const WINDOW: u64 = 1 << 28;
/// The bit that says that an address of shared memory names its CTA.
pub const RANKED: u32 = 1 << (RANK_LSB + RANK_BITS);

/// Windows of the generic address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Start of global memory.
    pub global: u64,
    /// Start of the window of local memory.
    pub local: u64,
    /// Start of the window of shared memory.
    pub shared: u64,
}

impl Windows {
    /// Those of addresses with this many bits.
    pub const fn of(address_size: u32) -> Self {
        if address_size == 32 {
            Self { global: 0x1000_0000, local: 0xd000_0000, shared: 0xe000_0000 }
        } else {
            Self { global: 0x10_0000_0000, local: 0x7e00_0000_0000, shared: 0x7f00_0000_0000 }
        }
    }

    /// What a generic address means.
    pub const fn resolve(&self, address: u64) -> Location {
        if address.wrapping_sub(self.shared) < WINDOW {
            Location::shared(address.wrapping_sub(self.shared))
        } else if address.wrapping_sub(self.local) < WINDOW {
            Location::Local(address.wrapping_sub(self.local) as u32)
        } else {
            Location::Global(address)
        }
    }
}

/// Meaning of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// Shared memory.
    Shared {
        /// Of which CTA of the cluster; the thread's own if none is named.
        rank: Option<u8>,
        /// Byte there.
        offset: u32,
    },
    /// Global memory, constants too.
    Global(u64),
    /// The thread's local memory.
    Local(u32),
    /// No address of shared memory.
    Nowhere(u64),
}

impl Location {
    /// What an address of `.shared::cta` or `.shared::cluster` means.
    pub const fn shared(address: u64) -> Self {
        if address >= WINDOW {
            return Location::Nowhere(address);
        }
        let address = address as u32;
        let offset = address & ((1 << OFFSET_BITS) - 1);
        let rank = (address >> RANK_LSB) as u8 & ((1 << RANK_BITS) - 1);
        match (address & RANKED != 0, rank) {
            (true, rank) => Location::Shared { rank: Some(rank), offset },
            (false, 0) => Location::Shared { rank: None, offset },
            _ => Location::Nowhere(address as u64),
        }
    }
}

/// PTX's `mapa` on an address of shared memory (without its window): the same place in the CTA with this rank.
pub const fn mapa(address: u32, rank: u32) -> u32 {
    RANKED | (rank & ((1 << RANK_BITS) - 1)) << RANK_LSB | address & ((1 << OFFSET_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_what_they_are_of() {
        for size in [32, 64] {
            let windows = Windows::of(size);
            assert_eq!(windows.resolve(windows.shared + 8), Location::Shared { rank: None, offset: 8 });
            let mapped = u64::from(mapa(8, 5));
            assert_eq!(windows.resolve(windows.shared + mapped), Location::Shared { rank: Some(5), offset: 8 });
            assert_eq!(windows.resolve(windows.local), Location::Local(0));
            assert_eq!(windows.resolve(windows.global), Location::Global(windows.global));
        }
        assert_eq!(Location::shared(1 << 24), Location::Nowhere(1 << 24));
    }

    #[test]
    fn mapping_an_address_twice_names_the_last_rank() {
        assert_eq!(mapa(mapa(0x40, 3), 1), mapa(0x40, 1));
    }
}
