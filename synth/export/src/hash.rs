//! FNV-1a hash of 64 bits, the same on every machine and version. It detects unchanged inputs; it does not resist collisions made on
//! purpose.

/// The hash of these bytes, as 16 hexadecimal digits.
pub fn of(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those that its authors publish.
    #[test]
    fn known_texts_have_their_known_hashes() {
        let hashes = ["", "a", "foobar"].map(|text| of(text.as_bytes()));
        assert_eq!(hashes, ["cbf29ce484222325", "af63dc4c8601ec8c", "85944171f73967e8"]);
    }
}
