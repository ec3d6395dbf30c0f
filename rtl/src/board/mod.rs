//! Tops for FPGA boards: a unit with everything that it needs on a board; the pins are a clock, a reset, a serial line and LEDs.
//!
//! | file | block |
//! | --- | --- |
//! | [`bridge_top`] | a unit at a serial line |
//! | [`bridge`] | control of the bridge, and its history of answers |
//! | [`deframer`], [`framer`], [`checksum`] | between bytes and frames |
//! | [`uart_rx`], [`uart_tx`] | between a serial line and bytes |
//! | [`protocol`] | the protocol of the serial line |
//! | [`self_test`] | a unit that tests itself |
//! | [`tester`], [`oracle`] | traffic of a port, and its expected answers |
//! | [`conductor`] | the rounds of the self-test |
//! | [`verdict`], [`reporter`] | the first failure, kept and reported |
//! | [`beat`] | time base of the blinking LED |
//! | [`parameters`] | parameters of a top |

pub mod beat;
pub mod bridge;
pub mod bridge_top;
pub mod checksum;
pub mod conductor;
pub mod deframer;
pub mod framer;
pub mod oracle;
pub mod parameters;
pub mod protocol;
pub mod reporter;
pub mod self_test;
pub mod tester;
pub mod uart_rx;
pub mod uart_tx;
pub mod verdict;
