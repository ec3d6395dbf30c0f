//! What travels between CTAs: where things are in the head of a message. The data, if there is any, follows in words of its
//! own. A tag comes last, since its width is a parameter.

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
    /// A request, before the word of its data.
    request {
        /// Opcode.
        OP = 0;
        /// Byte enables.
        STROBE = 5;
        /// Address in the other CTA.
        ADDRESS = 13;
        /// Rank of the CTA that asks.
        RANK = 37;
        /// The port there.
        PORT = 40;
        /// Tag.
        TAG = 43;
    }
    /// An answer, before the word of its data.
    answer {
        /// Status.
        STATUS = 0;
        /// The port that asked.
        PORT = 5;
        /// Rank of its CTA.
        RANK = 8;
        /// Tag.
        TAG = 11;
    }
    /// A beat of a copy, before the word with the address of its barrier and the words of its data.
    beat {
        /// Address of its 32 bytes.
        ADDRESS = 0;
        /// Which of them are stored.
        STROBE = 24;
        /// Bytes to complete on the barrier.
        BYTES = 56;
    }
    /// The word with the address of a beat's barrier.
    landing {
        /// Address of the barrier.
        BARRIER = 0;
        /// What is done with the bytes: they are stored, or it is a reduction.
        REDUCTION = 24;
    }
    /// A reduction.
    reduction {
        /// What is done.
        ACTION = 0;
        /// Type of the elements.
        ELEMENT = 4;
    }
    /// A move that waits for its data, before the words with its strobe, its barrier and its number.
    movement {
        /// Where it goes.
        TO = 0;
        /// What is done with the bytes there.
        REDUCTION = 48;
        /// What it is.
        KIND = 55;
        /// It is the last of its burst.
        LAST = 57;
        /// The halves of its block change places.
        SWAP = 58;
        /// Its lower half is written as the upper one, behind the upper half of the block before it.
        SHIFT = 59;
        /// A block is read.
        READS = 60;
        /// Something is written.
        WRITES = 61;
    }
    /// The second word of it.
    extent {
        /// Which bytes are written.
        STROBE = 0;
        /// Address of the barrier.
        BARRIER = 32;
        /// Bytes to complete there.
        BYTES = 56;
    }
}
