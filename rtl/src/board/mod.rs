//! Tops for FPGA boards: a unit with all that it needs on a board: the pins are a clock, a reset, a serial line and LEDs.
//!
//! | file | block |
//! | --- | --- |
//! | [`bridge_top`] | a unit at a serial line |
//! | [`bridge`] | what is done with a frame; the answers until the host has them |
//! | [`deframer`], [`framer`], [`checksum`] | between bytes and frames |
//! | [`uart_rx`], [`uart_tx`] | between a serial line and bytes |
//! | [`protocol`] | what the two ends say to each other |
//! | [`self_test`] | a unit that tests itself |
//! | [`tester`], [`oracle`] | the requests of a port, and the answers that it must get |
//! | [`conductor`] | the rounds of the self-test |
//! | [`verdict`], [`reporter`] | the first failure, kept and reported |
//! | [`beat`] | what blinks |
//! | [`parameters`] | what a top is built for |

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
