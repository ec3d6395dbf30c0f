//! Text form of requests in a file: numbers in hexadecimal, operations by name.

/// Numbers: written in hexadecimal, read in any form.
pub(crate) mod hex {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::fmt::LowerHex;

    /// A number as it may be written.
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a number is needed, such as 56 or \"0x38\"")]
    enum Written {
        Number(u64),
        Text(String),
    }

    pub fn serialize<T: LowerHex, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{value:#x}"))
    }

    pub fn deserialize<'de, T: TryFrom<u128>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        let number: Option<u128> = match Written::deserialize(deserializer)? {
            Written::Number(number) => Some(number.into()),
            Written::Text(text) => match text.strip_prefix("0x") {
                Some(digits) => u128::from_str_radix(digits, 16).ok(),
                None => text.parse().ok(),
            },
        };
        let number = number.ok_or_else(|| D::Error::custom("a number is needed, such as 56 or \"0x38\""))?;
        T::try_from(number).map_err(|_| D::Error::custom(format!("{number:#x} is too large")))
    }
}

/// Finds an item by name.
macro_rules! by_name {
    ($module:ident, $type:ty, $what:literal, $all:expr) => {
        pub(crate) mod $module {
            use serde::de::Error;
            use serde::{Deserialize, Deserializer, Serializer};
            use std::borrow::Cow;

            pub fn serialize<S: Serializer>(value: &$type, serializer: S) -> Result<S::Ok, S::Error> {
                let all: Vec<($type, String)> = $all;
                let name = all.into_iter().find(|(of, _)| of == value).map(|(_, name)| name);
                serializer.serialize_str(&name.unwrap_or_default())
            }

            pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let written = Cow::<str>::deserialize(deserializer)?;
                let all: Vec<($type, String)> = $all;
                let names: Vec<String> = all.iter().map(|(_, name)| format!("`{name}`")).collect();
                let found = all.into_iter().find(|(_, name)| *name == written).map(|(value, _)| value);
                found.ok_or_else(|| {
                    D::Error::custom(format!(
                        concat!("there is no ", $what, " `{}`; there are {}"),
                        written,
                        names.join(", ")
                    ))
                })
            }
        }
    };
}

by_name!(op, txbar_rtl::op::Op, "operation", {
    txbar_rtl::op::Op::ALL.iter().map(|op| (*op, op.name().to_owned())).collect()
});
by_name!(status, txbar_rtl::status::Status, "status", {
    txbar_rtl::status::Status::ALL.iter().map(|status| (*status, status.name().to_owned())).collect()
});
by_name!(order, txbar_rtl::ordering::Order, "ordering", {
    let all = (0..1 << txbar_rtl::ordering::Order::BITS).map(txbar_rtl::ordering::Order::from_code);
    all.map(|order| (order, order.to_string())).collect()
});
by_name!(act, txbar_rtl::cluster::rendezvous::Act, "act of barrier.cluster", {
    txbar_rtl::cluster::rendezvous::Act::ALL.into_iter().map(|act| (act, act.name().to_owned())).collect()
});

/// An opcode: by the name of its operation, or as a number if it has no meaning.
pub(crate) mod opcode {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use txbar_rtl::op::Op;

    #[derive(Deserialize)]
    #[serde(untagged, expecting = "the name of an operation is needed, or the number of an opcode")]
    enum Written {
        Code(u8),
        Name(String),
    }

    pub fn serialize<S: Serializer>(code: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        match Op::from_code(u64::from(*code)) {
            Some(op) => serializer.serialize_str(op.name()),
            None => serializer.serialize_u8(*code),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Code(code) if code < 1 << Op::BITS => Ok(code),
            Written::Code(code) => {
                Err(D::Error::custom(format!("there is no opcode {code}: it has {} bits", Op::BITS)))
            }
            Written::Name(name) => {
                let op = Op::ALL.iter().find(|op| op.name() == name).map(|op| op.code());
                let names = || Op::ALL.iter().map(|op| op.name()).collect::<Vec<_>>().join(", ");
                op.ok_or_else(|| D::Error::custom(format!("there is no operation `{name}`; there are {}", names())))
            }
        }
    }
}

/// Bytes that a lane takes: 4, 8 or 16; nothing for a size that has no meaning.
pub(crate) mod size {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use txbar_rtl::warp::access::Size;

    pub fn serialize<S: Serializer>(size: &Option<Size>, serializer: S) -> Result<S::Ok, S::Error> {
        size.map(Size::bytes).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Size>, D::Error> {
        let Some(bytes) = Option::<u32>::deserialize(deserializer)? else { return Ok(None) };
        let size = Size::ALL.into_iter().find(|size| size.bytes() == bytes);
        size.map(Some).ok_or_else(|| D::Error::custom(format!("a lane takes 4, 8 or 16 bytes, not {bytes}")))
    }
}

/// Whether a flag need not be written.
pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

/// Whether it is the number that there is if none is written.
pub(crate) fn is_one(number: &u32) -> bool {
    *number == 1
}

/// The number that there is if none is written.
pub(crate) fn one() -> u32 {
    1
}
