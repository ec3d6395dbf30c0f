//! Proofs on the front ends of buses.

use super::{ONE_PORT, harness, proof};
use crate::prove::Proof;
use crate::prove::problem::{Hardware, Harness, Memory};
use crate::prove::solve::Engine;
use txbar_rtl::bus::parameters::Bus;
use txbar_rtl::parameters::Parameters;

/// A unit with three windows; a front end depends on no more of it than the width of its addresses.
const UNIT: Parameters = Parameters { tag_bits: 5, ..ONE_PORT };

const fn front(bus: Bus, defines: &'static [&'static str]) -> Harness {
    Harness { hardware: Hardware::Front(bus), ..harness("bus.sv", UNIT, Memory::Whole) }.defining(defines)
}

/// The proofs.
pub const PROOFS: &[Proof] = &[
    proof(
        "axi-lite",
        "a response of AXI4-Lite is that of an access, comes once, and stays as it is until it is taken; address and data of a write may come in any order",
        front(Bus::AxiLite, &["AXIL", "FRONT=txbar_axi_lite"]),
        Engine::Pdr,
    )
    .finds(&[
        ("if (b_kept & bready) begin", "if (b_kept) begin"),
        ("can_write = (aw_kept & w_kept)", "can_write = (aw_kept | w_kept)"),
    ])
    .reaches(&[
        ("data_first", "the data of a write is there before its address"),
        ("both_wait", "responses to a write and to a read wait to be taken"),
    ]),
    proof(
        "wishbone",
        "an acknowledgement or error of Wishbone is that of the access that is being asked for, and comes once; a master that gives up gets none",
        front(Bus::Wishbone, &["WB", "FRONT=txbar_wishbone"]),
        Engine::Pdr,
    )
    .finds(&[("(~orphaned)", "1'b1")])
    .reaches(&[
        ("refused", "an access ends with an error"),
        ("given_up", "a master asks for an access while one that it gave up is under way"),
    ]),
    proof(
        "apb",
        "a transfer of APB4 ends once, with what its access gave; `pslverr` is low otherwise",
        front(Bus::Apb, &["APB", "FRONT=txbar_apb"]),
        Engine::Pdr,
    )
    .finds(&[("pslverr = access_done & access_error;", "pslverr = access_error;")])
    .reaches(&[
        ("wait_state", "a transfer is enabled and not ready"),
        ("refused", "a transfer ends with an error"),
    ]),
    proof(
        "tilelink",
        "a message of TileLink-UL gets one response, with its source and size, which stays as it is until it is taken; what is not supported is denied",
        front(Bus::TileLink, &["TL", "FRONT=txbar_tilelink"]),
        Engine::Pdr,
    )
    .finds(&[("if (d_valid & d_ready) begin", "if (d_valid) begin")])
    .reaches(&[
        ("refused", "an access ends with an error"),
        ("denied_waits", "the response to a message that is not supported waits to be taken"),
    ]),
];
