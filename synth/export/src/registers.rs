//! The register map of a unit behind a bus as SystemRDL, C header and table, generated from [`txbar_rtl::bus::registers`], like the
//! hardware's decoder.

use crate::manifest::{Manifest, operand_text, reply_text};
use crate::package::File;
use crate::tables::table;
use askama::Template;
use serde::Serialize;
use txbar_rtl::bus::parameters::BusParameters;
use txbar_rtl::bus::registers::{Access, Field, PRIVILEGED, RANGE, Register, WINDOW};
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;

/// Where the registers of a unit behind a bus are.
#[derive(Clone, Debug, Serialize)]
pub struct BusFacts {
    /// The bus.
    pub bus: &'static str,
    /// Windows of each port.
    pub windows: usize,
    /// Bytes from one window to the next.
    pub window_stride: usize,
    /// Bytes from the registers of a window to the memory as it sees it.
    pub memory_offset: usize,
    /// Bytes of the memory.
    pub memory_bytes: usize,
    /// Address of the privileged page.
    pub privileged: usize,
    /// Width of an address.
    pub address_bits: usize,
}

impl BusFacts {
    /// Registers of a unit with these parameters.
    pub fn of(parameters: &BusParameters) -> Self {
        Self {
            bus: parameters.bus.name(),
            windows: parameters.windows,
            window_stride: parameters.stride(),
            memory_offset: parameters.memory(),
            memory_bytes: parameters.unit.bytes(),
            privileged: parameters.privileged(),
            address_bits: parameters.address_bits(),
        }
    }
}

/// The files of a driver, which are the same for every unit: C11 that needs no library.
pub fn driver() -> Vec<File> {
    let file = |name: &str, text: String| File { name: name.to_owned(), text };
    vec![
        file("txbar.h", include_str!("../driver/txbar.h").to_owned()),
        file("txbar.c", include_str!("../driver/txbar.c").to_owned()),
        file("txbar_registers.h", c_header()),
    ]
}

#[derive(Template)]
#[template(path = "registers.rdl", escape = "none")]
struct Rdl<'a> {
    name: &'a str,
    generator: &'a str,
    facts: &'a BusFacts,
    window: &'static [Register],
    range: &'static [Register],
    privileged: &'static [Register],
}

#[derive(Template)]
#[template(path = "registers.h", escape = "none")]
struct C {
    pages: [(&'static str, &'static [Register]); 3],
    ops: &'static [Op],
    statuses: &'static [Status],
}

/// How software and hardware see a register, in SystemRDL.
fn rdl_access(register: &Register) -> &'static str {
    match register.access {
        Access::ReadWrite => "sw = rw; hw = r;",
        Access::ReadOnly => "sw = r; hw = w;",
        Access::WriteOnly => "sw = w; hw = r;",
    }
}

/// What a field holds after reset.
fn reset_of(register: &Register, field: &Field) -> u32 {
    let ones = u32::MAX >> (32 - field.bits);
    register.reset >> field.lsb & ones
}

/// The bits of a field, as C writes them.
fn mask(field: &Field) -> String {
    format!("{:#x}", u32::MAX >> (32 - field.bits) << field.lsb)
}

/// The registers in SystemRDL 2.0.
pub fn system_rdl(name: &str, manifest: &Manifest, facts: &BusFacts) -> String {
    let generator = &manifest.generator;
    let rdl = Rdl { name, generator, facts, window: WINDOW, range: RANGE, privileged: PRIVILEGED };
    rdl.render().expect("strings and numbers can be written") + "\n"
}

/// The registers, their fields and codes as C has them.
pub fn c_header() -> String {
    let pages = [("", WINDOW), ("", RANGE), ("", PRIVILEGED)];
    let header = C { pages, ops: Op::ALL, statuses: Status::ALL };
    header.render().expect("strings and numbers can be written") + "\n"
}

fn access_text(access: Access) -> &'static str {
    match access {
        Access::ReadWrite => "read, write",
        Access::ReadOnly => "read",
        Access::WriteOnly => "write",
    }
}

fn rows(registers: &'static [Register]) -> String {
    let mut rows = Vec::new();
    for register in registers {
        let name = format!("`{}`", register.name.to_uppercase());
        rows.push(vec![
            format!("`{:#05x}`", register.offset),
            name,
            String::new(),
            access_text(register.access).to_owned(),
            register.holds.to_owned(),
        ]);
        for field in register.fields.iter().filter(|field| field.bits < 32) {
            let top = field.lsb + field.bits - 1;
            let bits = if field.bits == 1 { field.lsb.to_string() } else { format!("{top}:{}", field.lsb) };
            rows.push(vec![String::new(), format!("`{}`", field.name), bits, String::new(), field.holds.to_owned()]);
        }
    }
    table(&["offset", "register, field", "bits", "access", "holds"], rows)
}

/// The tables of the docs, by the names of their places.
pub fn tables() -> Vec<(&'static str, String)> {
    vec![("bus-window", rows(WINDOW)), ("bus-range", rows(RANGE)), ("bus-privileged", rows(PRIVILEGED))]
}

/// What an operation takes and gives, for a comment in C.
fn takes_and_gives(op: &Op) -> String {
    format!("{}: {}; {}", op.ptx(), operand_text(op.operand()), reply_text(op.reply()))
}
