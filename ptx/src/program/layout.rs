//! Addresses of variables.
//!
//! ```text
//!   shared   | static variables, each aligned | extern (dynamic) ones, all at the same place
//!   global   | .global variables | .const variables |        from Windows::global on, with their initial bytes
//! ```

use crate::address::Windows;
use crate::ast::{Initial, Linkage, Module, Space, Statement, Variable};
use crate::program::code::NULL;
use crate::program::reach::Reach;
use crate::program::{literal, names};
use crate::source::{Complaint, Span};
use std::collections::HashMap;
use std::ops::Range;

/// Static shared memory that a CTA may have, in bytes (an H200 has 228 KiB).
pub const MOST_SHARED: u64 = 227 << 10;
/// Global variables of a module, in bytes.
pub const MOST_GLOBAL: u64 = 1 << 30;
/// Constants of a module, in bytes.
pub const MOST_CONST: u64 = 64 << 10;
/// Local memory of a thread, in bytes.
pub const MOST_LOCAL: u64 = 512 << 10;
/// Parameters of an entry, in bytes.
pub const MOST_PARAMETERS: u64 = 32764;
/// Largest alignment that is of use to anything, in bytes.
const MOST_ALIGNMENT: u64 = 1 << 16;
/// The special register with the address of shared memory that belongs to the system: CUDA's cooperative groups keep the
/// barriers of tiles of more than a warp there. It is zero when a CTA begins, and there is some if this is mentioned.
pub(crate) const RESERVED_SHARED: &str = "%reserved_smem_offset_1";
/// Bytes of it: cooperative groups rely on 288.
const RESERVED_BYTES: u64 = 288;

/// A variable that has its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its name; in a program as in the source.
    pub name: String,
    /// Bytes from the beginning of its memory.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Place of the name in the text.
    pub span: Span,
}

/// Memory that is filled from its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    /// Name.
    what: &'static str,
    /// How many bytes it may have.
    most: u64,
    /// Bytes in use.
    pub end: u64,
    /// The largest alignment of a variable in it.
    pub alignment: u64,
}

impl Area {
    /// An empty layout.
    pub(crate) fn new(what: &'static str, most: u64) -> Self {
        Self { what, most, end: 0, alignment: 1 }
    }

    /// Offset and size of a variable behind the others.
    ///
    /// # Errors
    /// It has no size, or there is no room for it.
    pub(crate) fn place(&mut self, variable: &Variable) -> Result<(u64, u64), Complaint> {
        let alignment = alignment(variable)?;
        let Some(bytes) = bytes(variable) else {
            let message = format!("`{}` has no size", variable.name.value);
            let complaint = Complaint::new(variable.name.span, message, "how many elements?");
            return Err(complaint.help("only an .extern .shared array gets its size at launch"));
        };
        let Some(offset) = self.end.checked_next_multiple_of(alignment) else { return Err(self.full(variable, bytes)) };
        match offset.checked_add(bytes).filter(|end| *end <= self.most) {
            Some(end) => {
                self.end = end;
                self.alignment = self.alignment.max(alignment);
                Ok((offset, bytes))
            }
            None => Err(self.full(variable, bytes)),
        }
    }

    fn full(&self, variable: &Variable, bytes: u64) -> Complaint {
        let Area { what, most, end, .. } = *self;
        let message = format!("there is no room for `{}` in {what}", variable.name.value);
        let label = match bytes {
            1 => "takes 1 byte".to_string(),
            u64::MAX => "takes more than 2^64 bytes".to_string(),
            bytes => format!("takes {bytes} bytes"),
        };
        Complaint::new(variable.name.span, message, label)
            .help(format!("{what} has {most} bytes, of which {end} are in use"))
    }
}

/// Size of a variable in bytes (no more than `u64::MAX`); nothing if it does not say.
pub(crate) fn bytes(variable: &Variable) -> Option<u64> {
    let element = variable.ty.bytes().saturating_mul(u64::from(variable.vector));
    Some(variable.count?.saturating_mul(element))
}

/// Alignment of a variable in bytes.
///
/// # Errors
/// It is no power of two, or larger than anything needs.
pub(crate) fn alignment(variable: &Variable) -> Result<u64, Complaint> {
    let natural = variable.ty.bytes() * u64::from(variable.vector);
    let Some(said) = &variable.alignment else { return Ok(natural.next_power_of_two()) };
    if !said.value.is_power_of_two() || said.value > MOST_ALIGNMENT {
        let complaint = Complaint::new(said.span, "this alignment is impossible", "is not a power of two up to 65536");
        return Err(complaint.help("write an alignment such as 8 or 16"));
    }
    Ok(said.value)
}

/// Variables outside of frames, and where they are.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Static shared variables.
    pub shared: Vec<Placed>,
    /// Bytes of those.
    pub shared_bytes: u32,
    /// Where dynamic shared memory begins.
    pub dynamic_offset: u32,
    /// Whether there is some.
    pub dynamic: bool,
    /// Global variables and constants; offsets from [`Windows::global`].
    pub globals: Vec<Placed>,
    /// Their initial bytes.
    pub image: Vec<u8>,
    /// Addresses of constants.
    pub constants: Range<u64>,
    /// Where reserved shared memory begins: [`RESERVED_SHARED`].
    pub reserved: u64,
    /// Where the first frame begins in local memory: behind [`NULL`] and the variables of the module.
    pub local: u32,
    /// Address of the variable whose name is written at a place; in shared memory without its window.
    pub addresses: HashMap<Span, u64>,
}

impl Memory {
    /// Places the variables of a module that an entry needs.
    ///
    /// # Errors
    /// There is no room, or an initial value does not fit its variable.
    pub(crate) fn new(
        module: &Module,
        functions: &HashMap<&str, usize>,
        reach: &Reach,
        windows: Windows,
    ) -> Result<Self, Complaint> {
        let bodies = reach.functions.iter().filter_map(|number| module.functions.get(*number)?.body.as_ref());
        let inside = bodies.flatten().filter_map(|statement| match statement {
            Statement::Variable(variable) => Some(variable),
            _ => None,
        });
        let outside = module.variables.iter();
        let needed = outside.clone().filter(|variable| {
            variable.space != Space::Shared || reach.mentioned.contains(variable.name.value.as_str())
        });
        let all: Vec<&Variable> = needed.chain(inside).collect();

        let mut addresses = HashMap::new();
        let mut place =
            |all: &[&Variable], area: &mut Area, space: Space, base: u64| -> Result<Vec<Placed>, Complaint> {
                let mut placed = Vec::new();
                for variable in all.iter().filter(|one| one.space == space && one.linkage != Linkage::Extern) {
                    let (offset, bytes) = area.place(variable)?;
                    let (name, span) = (variable.name.value.clone(), variable.name.span);
                    addresses.insert(span, base.wrapping_add(offset));
                    placed.push(Placed { name, offset, bytes, span });
                }
                Ok(placed)
            };
        let mut local_area = Area::new("the local memory of a thread", MOST_LOCAL);
        local_area.end = u64::from(NULL);
        let of_module: Vec<&Variable> = outside.clone().filter(|one| one.space == Space::Local).collect();
        place(&of_module, &mut local_area, Space::Local, 0)?;
        let mut shared_area = Area::new("static shared memory", MOST_SHARED);
        let shared = place(&all, &mut shared_area, Space::Shared, 0)?;
        let reserved = shared_area.end.next_multiple_of(16);
        if reach.mentioned.contains(RESERVED_SHARED) {
            shared_area.end = reserved + RESERVED_BYTES;
        }
        let mut global_area = Area::new("the global memory of a module", MOST_GLOBAL);
        let mut globals = place(&all, &mut global_area, Space::Global, windows.global)?;
        let mut const_alignment = 16;
        for variable in all.iter().filter(|one| one.space == Space::Const) {
            const_alignment = const_alignment.max(alignment(variable)?);
        }
        let start = global_area.end.next_multiple_of(const_alignment);
        let mut const_area = Area::new("constant memory", MOST_CONST);
        let constants = place(&all, &mut const_area, Space::Const, windows.global.wrapping_add(start))?;
        globals.extend(constants.into_iter().map(|placed| Placed { offset: placed.offset + start, ..placed }));

        let dynamic = all.iter().filter(|one| one.space == Space::Shared && one.linkage == Linkage::Extern);
        let mut dynamic_alignment = 16;
        for variable in dynamic.clone() {
            dynamic_alignment = dynamic_alignment.max(alignment(variable)?);
        }
        let dynamic_offset = shared_area.end.next_multiple_of(dynamic_alignment);
        addresses.extend(dynamic.map(|variable| (variable.name.span, dynamic_offset)));

        let bytes = if const_area.end > 0 { start + const_area.end } else { global_area.end };
        let mut memory = Self {
            shared,
            shared_bytes: shared_area.end as u32, // at most MOST_SHARED
            dynamic: all.iter().any(|one| one.space == Space::Shared && one.linkage == Linkage::Extern),
            dynamic_offset: dynamic_offset as u32, // at most MOST_SHARED and MOST_ALIGNMENT more
            globals,
            image: vec![0; bytes as usize], // at most MOST_GLOBAL and MOST_CONST
            reserved,
            local: local_area.end as u32, // at most MOST_LOCAL
            constants: windows.global.wrapping_add(start)..windows.global.wrapping_add(start + const_area.end),
            addresses,
        };
        let mut symbols = Symbols { variables: HashMap::new(), functions };
        for variable in &module.variables {
            if let Some(address) = memory.addresses.get(&variable.name.span) {
                symbols.variables.entry(&variable.name.value).or_insert((variable.space, *address));
            }
        }
        for variable in all.iter().filter(|variable| !variable.initial.is_empty()) {
            memory.fill(&symbols, variable, windows)?;
        }
        Ok(memory)
    }

    /// Writes the initial values of a variable.
    fn fill(&mut self, symbols: &Symbols, variable: &Variable, windows: Windows) -> Result<(), Complaint> {
        let name = &variable.name;
        if !matches!(variable.space, Space::Global | Space::Const) || variable.linkage == Linkage::Extern {
            let message = format!("`{}` cannot have initial values", name.value);
            return Err(Complaint::new(name.span, message, "is neither .global nor .const of this module"));
        }
        let elements = variable.count.unwrap_or(0).saturating_mul(u64::from(variable.vector));
        if variable.initial.len() as u64 > elements {
            let message = format!("`{}` has more initial values than elements", name.value);
            let label = format!("{} values for {elements} elements", variable.initial.len());
            return Err(Complaint::new(name.span, message, label));
        }
        let width = variable.ty.bytes() as usize; // 1 to 16
        let begin = self.addresses.get(&name.span).map_or(0, |address| address.wrapping_sub(windows.global)) as usize;
        for (place, initial) in variable.initial.iter().enumerate() {
            let value = match initial {
                Initial::Number(number) => literal::bits(*number, variable.ty).map_err(|why| {
                    let message = format!("an initial value of `{}` does not fit its type", name.value);
                    Complaint::new(name.span, message, format!("element {place}: {why}"))
                })?,
                Initial::Address { symbol, generic, offset, mask } => {
                    let address = symbols.address(&symbol.value, *generic, windows);
                    let address = address.map_err(|label| {
                        let message = format!("`{}` has no address that a variable can begin with", symbol.value);
                        let known = symbols.variables.keys().map(|name| name.to_string());
                        let complaint = Complaint::new(symbol.span, message, label);
                        match names::nearest(&symbol.value, known).filter(|near| *near != symbol.value) {
                            Some(near) => complaint.help(format!("did you mean `{near}`?")),
                            None => complaint,
                        }
                    })?;
                    if width < 4 && *mask == u64::MAX {
                        let message = format!("an address does not fit an element of `{}`", name.value);
                        return Err(Complaint::new(symbol.span, message, format!("the element has {width} bytes")));
                    }
                    (address.wrapping_add_signed(*offset) & mask) >> mask.trailing_zeros().min(63)
                }
            };
            let at = begin + place * width; // within the variable, which is within the image
            let bytes = value.to_le_bytes();
            if let Some(slot) = self.image.get_mut(at..at + width.min(8)) {
                slot.copy_from_slice(&bytes[..slot.len()]);
            }
        }
        Ok(())
    }
}

/// What an initial value can be the address of.
struct Symbols<'m> {
    /// Space and address of each variable of the module.
    variables: HashMap<&'m str, (Space, u64)>,
    functions: &'m HashMap<&'m str, usize>,
}

impl Symbols<'_> {
    /// Address of a variable; of a function it is zero, since calls through addresses are not supported.
    fn address(&self, name: &str, generic: bool, windows: Windows) -> Result<u64, &'static str> {
        match self.variables.get(name) {
            Some((Space::Global | Space::Const, address)) => Ok(*address),
            Some((Space::Shared, address)) if generic => Ok(address.wrapping_add(windows.shared)),
            Some((Space::Shared, address)) => Ok(*address),
            Some((Space::Local | Space::Param, _)) => Err("is not in memory that has addresses before the kernel runs"),
            None if self.functions.contains_key(name) => Ok(0),
            None => Err("is no variable of this module"),
        }
    }
}
