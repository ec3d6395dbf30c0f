//! Registry of the constants and codes that kernels use, for the exporter.

use crate::board::protocol;
use crate::bus::registers;
use crate::copies::messages;
use crate::hdl::{Names, numbers};
use crate::high_clock::kind;
use crate::low_latency::counters;
use crate::word::op::Op;
use crate::word::ordering::Order;
use crate::word::status::Status;
use crate::word::{self, address};

/// Registry of the constants and codes that kernels use; macros in the Verilog begin with `TXBAR`.
pub fn names() -> Names {
    let mut names = Names::new("TXBAR");
    names.codes::<Op>();
    names.codes::<Status>();
    names.numbers(numbers![Order::ACQUIRE, Order::RELEASE, Order::CLUSTER]);
    names.numbers(numbers![word::COUNT_BITS, word::TX_BITS, word::TX_SIGN]);
    for field in word::FIELDS {
        let name = field.name.to_uppercase();
        names.number(&format!("word::{name}.lsb"), field.lsb);
        names.number(&format!("word::{name}.bits"), field.bits);
    }
    names.numbers(numbers![address::RANK_LSB, address::ABOVE_LSB]);
    names.numbers(numbers![counters::WINDOW_BIT, counters::WINDOW_REST]);
    names.numbers(messages::NUMBERS);
    names.numbers(protocol::NUMBERS);
    names.numbers(registers::NUMBERS);
    names.numbers(kind::NUMBERS);
    names
}
