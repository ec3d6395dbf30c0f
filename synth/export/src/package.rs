//! Package around an exported design: the files that a SystemVerilog, C, FuseSoC or Bender project needs.
//!
//! The manifest is the only source. The ports of the top are grouped to channels: a channel is every pin whose name begins like that of a
//! `_valid` pin and that has its direction. An index at the end of a pin's name counts instances of the channel, a further one the
//! elements of a field:
//!
//! ```text
//! req_valid [1:0]                     req_valid [1:0]
//! req_op_0 [4:0]  req_op_1 [4:0]  →   req [1:0], of { op_e op; logic [31:0] address; ... }
//! req_address_0   req_address_1
//! ```

use crate::manifest::Manifest;
use crate::registers;
use crate::verilog::{ExportedPort, is_keyword};
use askama::Template;
use std::collections::BTreeMap;
use txbar_rtl::banked;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::{Build, Parameters};
use txbar_rtl::status::Status;

/// What each port of a unit keeps to, as modules `answer_rules` and `held_rules`: packages have them, and the proofs are of them.
pub const RULES: &str = include_str!("../templates/rules.sv");

/// A file of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Name.
    pub name: String,
    /// Contents.
    pub text: String,
}

/// A field of the structure that a channel carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, with a `_` behind a keyword.
    pub name: String,
    /// Its type, as SystemVerilog writes it.
    pub kind: String,
    /// Description of the contents.
    pub description: String,
    /// The pins of each instance: one, or one for each element.
    pins: BTreeMap<Vec<usize>, Vec<String>>,
    /// The type is one of the package's enumerations.
    named: bool,
}

/// Pins that are a handshake and what goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Name.
    pub name: String,
    /// `input` or `output`: the direction of `valid` and of the fields.
    pub direction: &'static str,
    /// Description of the contents.
    pub fields: Vec<Field>,
    /// Instances, by dimension.
    dimensions: Vec<usize>,
    /// Its `ready`, if it has one.
    ready: Option<Bits>,
    valid: Bits,
}

/// One bit for each instance of a channel: the pins, each of all that begin with its index.
type Bits = BTreeMap<Vec<usize>, String>;

/// The base of a pin's name, and the numbers behind it.
fn split(name: &str) -> (&str, Vec<usize>) {
    let mut base = name;
    let mut numbers = Vec::new();
    while let Some((before, number)) =
        base.rsplit_once('_').and_then(|(before, last)| Some((before, last.parse().ok()?)))
    {
        base = before;
        numbers.insert(0, number);
    }
    (base, numbers)
}

fn select(index: &[usize]) -> String {
    index.iter().map(|number| format!("[{number}]")).collect()
}

fn range(width: usize) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

impl Channel {
    /// The channels of a design's ports, and the ports that belong to none.
    pub fn of(ports: &[ExportedPort]) -> (Vec<Self>, Vec<&ExportedPort>) {
        let mut names: Vec<&str> = Vec::new();
        for name in ports.iter().filter_map(|port| split(&port.name).0.strip_suffix("_valid")) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let channels: Vec<Self> = names.into_iter().filter_map(|name| Self::named(name, ports)).collect();
        let known: Vec<&str> = channels.iter().flat_map(Self::pins).collect();
        let plain = ports.iter().filter(|port| port.is_data() && !known.contains(&port.name.as_str())).collect();
        (channels, plain)
    }

    fn named(name: &str, ports: &[ExportedPort]) -> Option<Self> {
        let of = |wanted: &str| -> Vec<(Vec<usize>, &ExportedPort)> {
            let is = |port: &&ExportedPort| split(&port.name).0.strip_prefix(name) == Some(wanted);
            ports.iter().filter(is).map(|port| (split(&port.name).1, port)).collect()
        };
        let valid = of("_valid");
        let (index, first) = valid.first()?;
        let is_field = |port: &&ExportedPort| {
            let rest = split(&port.name).0.strip_prefix(name).and_then(|rest| rest.strip_prefix('_'));
            rest.is_some_and(|rest| rest != "valid" && rest != "ready") && port.direction == first.direction
        };
        // a pin that counts no instances has a bit for each
        let depth =
            ports.iter().filter(is_field).map(|port| split(&port.name).1.len()).filter(|depth| *depth > 0).min()?;
        let mut dimensions = vec![valid.len(); index.len()];
        if depth > index.len() {
            dimensions.push(first.width);
        }
        let mut fields: Vec<Field> = Vec::new();
        for port in ports.iter().filter(is_field) {
            let (base, mut numbers) = split(&port.name);
            let field = &base[name.len() + 1..];
            let elements = numbers.split_off(depth.min(numbers.len()));
            let is_last = fields.last().is_some_and(|last| last.name.trim_end_matches('_') == field);
            if !is_last {
                let named = matches!((name, field), ("req", "op") | (_, "status"));
                let kind = match field {
                    _ if numbers.len() < depth => "logic".to_owned(),
                    _ if named => format!("{field}_e"),
                    _ => format!("logic {}", range(port.width)).trim_end().to_owned(),
                };
                let description = port.description.clone();
                let name = if is_keyword(field) { format!("{field}_") } else { field.to_owned() };
                fields.push(Field { name, kind, description, pins: BTreeMap::new(), named });
            }
            let pins = fields.last_mut()?.pins.entry(numbers).or_default();
            pins.truncate(elements.last().copied().unwrap_or(0));
            pins.push(port.name.clone());
        }
        for field in &mut fields {
            let elements = field.pins.values().map(Vec::len).max().unwrap_or(1);
            if elements > 1 {
                field.kind = field.kind.replacen("logic ", &format!("logic {}", range(elements)), 1);
            }
        }
        let bits = |ports: Vec<(Vec<usize>, &ExportedPort)>| -> Bits {
            ports.into_iter().map(|(index, port)| (index, port.name.clone())).collect()
        };
        let ready = Some(bits(of("_ready"))).filter(|ready| !ready.is_empty());
        Some(Self { name: name.to_owned(), direction: first.direction, fields, dimensions, ready, valid: bits(valid) })
    }

    fn pins(&self) -> impl Iterator<Item = &str> {
        let bits = self.valid.values().chain(self.ready.iter().flat_map(BTreeMap::values));
        let fields = self.fields.iter().flat_map(|field| field.pins.values().flatten());
        bits.chain(fields).map(String::as_str)
    }

    /// The ranges of an array of all instances.
    pub fn ranges(&self) -> String {
        self.dimensions.iter().map(|count| format!("[{}:0]", count - 1)).collect()
    }

    /// How many instances there are.
    pub fn count(&self) -> usize {
        self.dimensions.iter().product()
    }

    /// The other direction, if there is a `ready`.
    pub fn ready(&self) -> Option<&'static str> {
        self.ready.as_ref().map(|_| if self.direction == "input" { "output" } else { "input" })
    }

    /// What is connected to each pin of the design.
    fn connections(&self) -> Vec<Connection> {
        let mut all = Vec::new();
        let ready = self.ready.iter().flatten().map(|pin| (pin, "ready"));
        for ((index, pin), what) in self.valid.iter().map(|pin| (pin, "valid")).chain(ready) {
            all.push(Connection::plain(pin, format!("{}_{what}{}", self.name, select(index))));
        }
        for field in &self.fields {
            for (index, pins) in &field.pins {
                let of = |index: &[usize]| format!("{}{}.{}", self.name, select(index), field.name);
                let to = match (index.len() < self.dimensions.len(), self.dimensions.last()) {
                    // a bit for each instance in one pin
                    (true, Some(&count)) => {
                        let bit = |last: usize| of(&[index.as_slice(), &[last]].concat());
                        format!("{{{}}}", (0..count).rev().map(bit).collect::<Vec<_>>().join(", "))
                    }
                    _ => of(index),
                };
                for (element, pin) in pins.iter().enumerate() {
                    let to = if pins.len() > 1 { format!("{to}[{element}]") } else { to.clone() };
                    let cast = (field.named && self.direction == "output").then(|| field.kind.clone());
                    all.push(Connection { pin: pin.clone(), to, cast });
                }
            }
        }
        all
    }
}

/// Connection of a pin.
struct Connection {
    pin: String,
    to: String,
    /// The enumeration that what comes out of it becomes.
    cast: Option<String>,
}

impl Connection {
    fn plain(pin: &str, to: String) -> Self {
        Self { pin: pin.to_owned(), to, cast: None }
    }
}

macro_rules! templates {
    ($($name:ident $path:literal)*) => {
        $(
            #[derive(Template)]
            #[template(path = $path, escape = "none")]
            struct $name<'a>(&'a Package<'a>);

            impl<'a> std::ops::Deref for $name<'a> {
                type Target = Package<'a>;
                fn deref(&self) -> &Package<'a> {
                    self.0
                }
            }
        )*
    };
}

templates! {
    Types "types.sv"
    Wrapper "wrapper.sv"
    Interfaces "interfaces.sv"
    Constraints "constraints.sdc"
    Instance "instance.v"
    Header "header.h"
    List "list.f"
    Core "package.core"
    Bender "Bender.yml"
    Check "check.sv"
}

/// Assertions of a unit.
#[derive(Template)]
#[template(path = "assert.sv", escape = "none")]
struct Assert<'a> {
    package: &'a Package<'a>,
    unit: &'a Parameters,
}

impl<'a> std::ops::Deref for Assert<'a> {
    type Target = Package<'a>;
    fn deref(&self) -> &Package<'a> {
        self.package
    }
}

/// What the files of a package are made from.
struct Package<'a> {
    name: &'a str,
    manifest: &'a Manifest,
    /// Of a unit with ports for single threads, which the kit for other testbenches checks.
    unit: Option<&'a Parameters>,
    channels: Vec<Channel>,
    plain: Vec<&'a ExportedPort>,
}

impl Package<'_> {
    /// An expression that is 1 in reset.
    fn in_reset(&self) -> String {
        let not = if self.manifest.reset.active == 0 { "!" } else { "" };
        format!("{not}{}", self.manifest.reset.pin)
    }

    /// Whether a port is neither the clock nor the reset.
    fn is_data(&self, port: &ExportedPort) -> bool {
        port.is_data() && port.name != self.manifest.reset.pin
    }

    fn connections(&self) -> Vec<Connection> {
        let plain = self.unchannelled().map(|port| Connection::plain(&port.name, port.name.clone()));
        plain.chain(self.channels.iter().flat_map(Channel::connections)).collect()
    }

    /// The ports of the wrapper, each with what it carries.
    fn ports(&self) -> Vec<(String, &str)> {
        let Self { name, channels, .. } = self;
        let of_channel = |channel: &Channel| {
            let Channel { name: channel_name, direction, .. } = channel;
            let ranges = channel.ranges();
            let ready = channel.ready().map(|back| format!("{back} logic {ranges} {channel_name}_ready"));
            let valid = format!("{direction} logic {ranges} {channel_name}_valid");
            let fields = format!("{direction} {name}_pkg::{channel_name}_t {ranges} {channel_name}");
            [Some(valid), ready, Some(fields)].into_iter().flatten().map(|line| (line, "")).collect::<Vec<_>>()
        };
        self.plain_ports().into_iter().chain(channels.iter().flat_map(of_channel)).collect()
    }

    /// The clock, the reset, and what belongs to no channel.
    fn unchannelled(&self) -> impl Iterator<Item = &ExportedPort> {
        let clocks = self.manifest.ports.iter().filter(|port| !self.is_data(port));
        clocks.chain(self.plain.iter().copied())
    }

    /// Their declarations, each with what it carries.
    fn plain_ports(&self) -> Vec<(String, &str)> {
        let declaration = |port: &ExportedPort| format!("{} logic {}{}", port.direction, range(port.width), port.name);
        self.unchannelled().map(|port| (declaration(port), port.description.as_str())).collect()
    }

    /// Their names.
    fn plain_pins(&self) -> Vec<&str> {
        self.unchannelled().map(|port| port.name.as_str()).collect()
    }

    /// The fields of the barrier word from bit 63 down, as type, name and contents; what is between them has a name, too.
    fn word(&self) -> Vec<(String, String, &str)> {
        let mut fields: Vec<_> = self.manifest.word.iter().collect();
        fields.sort_by_key(|field| std::cmp::Reverse(field.lsb));
        let mut all = Vec::new();
        let mut top = 64;
        let kind = |bits: usize| format!("logic {}", range(bits)).trim_end().to_owned();
        let gap = |from: usize, to: usize| (kind(from - to), format!("reserved_{to}"), "always 0");
        for field in fields {
            let end = field.lsb + field.bits;
            all.extend((end < top).then(|| gap(top, end)));
            all.push((kind(field.bits), field.name.to_owned(), field.holds));
            top = field.lsb;
        }
        all.extend((top > 0).then(|| gap(top, 0)));
        all
    }

    /// The ports of a unit, each with the index of its bit in pins that have one for each port.
    fn unit_ports(&self) -> Vec<(usize, String)> {
        let of = |unit: &Parameters| {
            let bit = |port| if unit.ports > 1 { format!("[{port}]") } else { String::new() };
            (0..unit.ports).map(|port| (port, bit(port))).collect()
        };
        self.unit.map(of).unwrap_or_default()
    }

    /// The opcodes that are not answered, a bit each.
    fn posted(&self) -> u32 {
        Op::ALL.iter().filter(|op| op.is_posted()).map(|op| 1 << op.code()).sum()
    }

    /// The statuses that a unit may give, a bit each.
    fn statuses(&self) -> u32 {
        let checked = self.unit.is_some_and(|unit| unit.checked);
        let given = |status: &&Status| !Status::OF_ROUNDS.contains(status) && (checked || !status.is_remark());
        Status::ALL.iter().filter(given).map(|status| 1 << status.code()).sum()
    }

    /// Requests of a port that may wait for their answers, at most: as in the proofs.
    fn most_owed(&self) -> usize {
        let most = |unit: &Parameters| match unit.build {
            Build::LowLatency | Build::HighClock => unit.queue_depth + unit.entries() + 1,
            Build::BankedHighClock => banked::ROOM + banked::LATE,
        };
        self.unit.map_or(0, most)
    }

    /// What each port keeps to.
    fn rules(&self) -> String {
        let name = self.name;
        RULES
            .replace("module answer_rules", &format!("module {name}_answer_rules"))
            .replace("module held_rules", &format!("module {name}_held_rules"))
    }

    fn upper(&self) -> String {
        self.name.to_uppercase()
    }

    /// `0x` and a number, as C writes it.
    fn number(&self, number: &u32) -> String {
        format!("{number:#x}u")
    }

    fn hex(&self, number: &usize) -> String {
        format!("{number:#x}")
    }
}

/// The files of a package of this name for a unit behind a bus: its registers, and a driver.
fn bus_files(name: &str, manifest: &Manifest) -> Vec<File> {
    let Some(facts) = &manifest.bus else { return Vec::new() };
    let registers = File { name: format!("{name}.rdl"), text: registers::system_rdl(name, manifest, facts) };
    [vec![registers], registers::driver()].concat()
}

/// The files of a design without a package: the design and its manifest.
pub fn design(name: &str, design: &str, manifest: &Manifest) -> [File; 2] {
    let file = |end: &str, text: String| File { name: format!("{name}.{end}"), text };
    [file("v", design.to_owned()), file("json", manifest.json())]
}

/// The files of a package of this name: the design, in `NAME.v`, its manifest, and what goes with them.
pub fn files(name: &str, design: &str, manifest: &Manifest) -> Vec<File> {
    let (channels, mut plain) = Channel::of(&manifest.ports);
    plain.retain(|port| port.name != manifest.reset.pin);
    let unit = manifest.unit.as_ref();
    let package = &Package { name, manifest, unit, channels, plain };
    let file = |name: String, text: askama::Result<String>| File {
        name,
        text: text.expect("strings and numbers can be written") + "\n",
    };
    let for_benches = unit.map(|unit| {
        let check = file(format!("{name}_check.sv"), Check(package).render());
        [check, file(format!("{name}_assert.sv"), Assert { package, unit }.render())]
    });
    let own = vec![
        file(format!("{name}_pkg.sv"), Types(package).render()),
        file(format!("{name}_sv.sv"), Wrapper(package).render()),
        file(format!("{name}.sdc"), Constraints(package).render()),
        file(format!("{name}_inst.v"), Instance(package).render()),
        file(format!("{name}.h"), Header(package).render()),
        file(format!("{name}.f"), List(package).render()),
        file(format!("{name}.core"), Core(package).render()),
        file("Bender.yml".to_owned(), Bender(package).render()),
    ];
    let has_channels = !package.channels.is_empty();
    let interfaces = has_channels.then(|| file(format!("{name}_if.sv"), Interfaces(package).render()));
    self::design(name, design, manifest)
        .into_iter()
        .chain(own)
        .chain(interfaces)
        .chain(for_benches.into_iter().flatten())
        .chain(bus_files(name, manifest))
        .collect()
}
