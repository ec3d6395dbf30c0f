//! Messages between CTAs: bit positions in the header. Data, if any, follows in words of its own. A tag is the last field, since its width
//! is a parameter.

macro_rules! messages {
    ($($(#[doc = $doc:literal])* $message:ident { $($(#[doc = $field_doc:literal])* $field:ident = $lsb:literal;)* })*) => {
        $(
            $(#[doc = $doc])*
            pub mod $message {
                $($(#[doc = $field_doc])* pub const $field: usize = $lsb;)*
            }
        )*

        /// Every lowest bit by its name, as kernels spell it.
        pub const NUMBERS: &[(&str, usize)] =
            &[$($((concat!(stringify!($message), "::", stringify!($field)), $lsb),)*)*];
    };
}

messages! {
    /// Request, before its data word.
    request {
        /// Opcode.
        OP = 0;
        /// Byte enables.
        STROBE = 5;
        /// Address in the other CTA.
        ADDRESS = 13;
        /// Rank of the requesting CTA.
        RANK = 37;
        /// Port of the requesting CTA.
        PORT = 40;
        /// Tag.
        TAG = 43;
    }
    /// Answer, before its data word.
    answer {
        /// Status.
        STATUS = 0;
        /// Port that requested.
        PORT = 5;
        /// Rank of the requesting CTA.
        RANK = 8;
        /// Tag.
        TAG = 11;
    }
    /// Beat of a copy, before the word with the address of its barrier and its data words.
    beat {
        /// Address of the 32 bytes.
        ADDRESS = 0;
        /// Byte enables.
        STROBE = 24;
        /// Bytes to complete on the barrier.
        BYTES = 56;
    }
    /// The word with the address of a beat's barrier.
    landing {
        /// Address of the barrier.
        BARRIER = 0;
        /// Reduction; 0 for a store.
        REDUCTION = 24;
    }
    /// A reduction.
    reduction {
        /// Operation.
        ACTION = 0;
        /// Type of the elements.
        ELEMENT = 4;
    }
    /// Move that waits for its data, before the words with its byte enables, its barrier and its number.
    movement {
        /// Destination address.
        TO = 0;
        /// Reduction.
        REDUCTION = 48;
        /// Kind.
        KIND = 55;
        /// Last move of its burst.
        LAST = 57;
        /// Swap the halves of the block.
        SWAP = 58;
        /// Write its lower half as the upper one, behind the upper half of the block before it.
        SHIFT = 59;
        /// The move reads a block.
        READS = 60;
        /// The move writes.
        WRITES = 61;
    }
    /// Second word of a move.
    extent {
        /// Byte enables.
        STROBE = 0;
        /// Address of the barrier.
        BARRIER = 32;
        /// Bytes to complete there.
        BYTES = 56;
    }
}
