//! Syntax tree of a PTX module: unresolved, and every node knows its place in the text.

use crate::source::Span;
use std::collections::{BTreeMap, HashMap};

/// Something, and where it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spanned<T> {
    /// Value.
    pub value: T,
    /// Place in the text.
    pub span: Span,
}

/// A version of the PTX ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Before the dot.
    pub major: u32,
    /// After it.
    pub minor: u32,
}

/// A PTX file.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// `.version`.
    pub version: Spanned<Version>,
    /// `.target`: the architecture, and options behind it.
    pub targets: Vec<Spanned<String>>,
    /// `.address_size`: 32 or 64; 32 if nothing is said (PTX ISA, `.address_size`).
    pub address_size: u32,
    /// Variables outside of functions.
    pub variables: Vec<Variable>,
    /// Entries and functions, those that are only declared too.
    pub functions: Vec<Function>,
    /// Where in their source instructions are from.
    pub lines: LineInfo,
}

/// What a compiler says about the source of a module (PTX ISA, Debugging Directives).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineInfo {
    /// `.file`: paths, by their numbers. Of a number that is given twice the first counts.
    pub files: BTreeMap<u32, String>,
    /// `.loc`, in the order of the text.
    pub locs: Vec<Loc>,
    /// Bytes of the section `.debug_str`.
    pub strings: Vec<u8>,
    /// Labels of that section: bytes from its beginning.
    pub labels: HashMap<String, usize>,
}

/// `.loc`: where the instructions up to the next one are from.
#[derive(Clone, Debug, PartialEq)]
pub struct Loc {
    /// Where the directive is written.
    pub span: Span,
    /// The place in the source.
    pub site: Site,
    /// The call that was replaced by the body of a function.
    pub inlined: Option<Inlined>,
    /// All such calls from the inside out, as LLVM writes them in a comment where it does not write `inlined_at`.
    pub calls: Vec<CallSite>,
}

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The number of the file.
    pub file: u32,
    /// From 1; 0 if there is none.
    pub line: u32,
    /// From 1; 0 if it is not known.
    pub column: u32,
}

/// `function_name` and `inlined_at` of `.loc`.
#[derive(Clone, Debug, PartialEq)]
pub struct Inlined {
    /// The function that the place is in: a label of `.debug_str`, and bytes added to it.
    pub function: Option<(String, i64)>,
    /// The call.
    pub at: Site,
}

/// A place in a file that is called by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 if it is not known.
    pub column: u32,
}

/// A state space that a variable can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// `.shared`.
    Shared,
    /// `.global`.
    Global,
    /// `.const`.
    Const,
    /// `.local`.
    Local,
    /// `.param`.
    Param,
}

macro_rules! types {
    ($($name:ident = $text:literal, $bits:literal;)*) => {
        /// A type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // they are called what they are called in PTX
        pub enum Type {
            $($name,)*
        }

        impl Type {
            /// Every type.
            pub const ALL: &'static [Type] = &[$(Type::$name),*];

            /// The type with this name, without the dot.
            pub fn named(name: &str) -> Option<Type> {
                match name {
                    $($text => Some(Type::$name),)*
                    _ => None,
                }
            }

            /// What it is called, without the dot.
            pub const fn name(self) -> &'static str {
                match self { $(Type::$name => $text,)* }
            }

            /// Width of a value in bits; 1 for a predicate.
            pub const fn bits(self) -> u32 {
                match self { $(Type::$name => $bits,)* }
            }
        }
    };
}

types! {
    Pred = "pred", 1;
    B8 = "b8", 8;
    B16 = "b16", 16;
    B32 = "b32", 32;
    B64 = "b64", 64;
    B128 = "b128", 128;
    U8 = "u8", 8;
    U16 = "u16", 16;
    U32 = "u32", 32;
    U64 = "u64", 64;
    S8 = "s8", 8;
    S16 = "s16", 16;
    S32 = "s32", 32;
    S64 = "s64", 64;
    F16 = "f16", 16;
    F16x2 = "f16x2", 32;
    Bf16 = "bf16", 16;
    Bf16x2 = "bf16x2", 32;
    F32 = "f32", 32;
    F64 = "f64", 64;
}

impl Type {
    /// Width in memory in bytes; a predicate has a byte.
    pub const fn bytes(self) -> u64 {
        self.bits().div_ceil(8) as u64
    }

    /// Whether values are signed whole numbers.
    pub const fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }
}

/// Linkage of a variable or function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// This module.
    Module,
    /// `.visible`, `.weak`, `.common`: others too.
    Visible,
    /// `.extern`: it is defined elsewhere, or (`.shared`, without a size) its size is given at launch.
    Extern,
}

/// A variable in memory, or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// State space.
    pub space: Space,
    /// Linkage.
    pub linkage: Linkage,
    /// Name.
    pub name: Spanned<String>,
    /// `.align`, in bytes.
    pub alignment: Option<Spanned<u64>>,
    /// Type of an element.
    pub ty: Type,
    /// Elements of a vector type: 1, 2 or 4.
    pub vector: u32,
    /// Elements of an array, all dimensions multiplied; 1 if it is none. Nothing if its size is not said (`[]`) and it
    /// has no initial values either.
    pub count: Option<u64>,
    /// Initial values, flattened; what is missing is zero.
    pub initial: Vec<Initial>,
    /// Place of the whole in the text.
    pub span: Span,
}

/// An initial value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// A number.
    Number(Number),
    /// The address of another variable.
    Address {
        /// Name.
        symbol: Spanned<String>,
        /// `generic(...)`.
        generic: bool,
        /// Bytes added to it.
        offset: i64,
        /// `0xff00(variable)`: which bits of the address, counted from the lowest one of them; all are 1 without it.
        mask: u64,
    },
}

/// A literal, or what a constant expression comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number, signed or unsigned with 64 bits.
    Integer(i128),
    /// `0f...`: bits of a 32-bit float.
    Single(u32),
    /// `0d...` or with a decimal point: bits of a 64-bit float.
    Double(u64),
}

/// An entry or a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// `.entry` rather than `.func`.
    pub entry: bool,
    /// Linkage.
    pub linkage: Linkage,
    /// Name.
    pub name: Spanned<String>,
    /// Return parameters of a `.func`. In `.func` these and the parameters may be registers: see [`Formal`].
    pub results: Vec<Formal>,
    /// Parameters.
    pub parameters: Vec<Formal>,
    /// `.reqntid 128, 1, 1`, `.maxntid`, `.reqnctapercluster`, `.explicitcluster`, `.noreturn` and the like; the name
    /// without its dot.
    pub directives: Vec<Directive>,
    /// Statements between the outermost braces; nothing if it is only declared.
    pub body: Option<Vec<Statement>>,
    /// Place of the whole in the text.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Formal {
    /// In `.param` space.
    Param(Variable),
    /// A register: `.func (.reg .u32 r) f (.reg .u32 a)`.
    Register {
        /// Name.
        name: Spanned<String>,
        /// Type.
        ty: Type,
    },
}

/// A performance-tuning or launch directive.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// Without its dot.
    pub name: Spanned<String>,
    /// Numbers.
    pub numbers: Vec<u64>,
}

/// A statement of a body. Scopes are flat: nothing in a module nests in memory, however deeply it nests in the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `{`: what is declared from here on is known up to the matching [`Statement::Close`].
    Open(Span),
    /// `}`.
    Close(Span),
    /// `label:`.
    Label(Spanned<String>),
    /// `.reg`.
    Registers(Registers),
    /// `.shared`, `.local`, `.param` and so on within a body.
    Variable(Variable),
    /// An instruction.
    Instruction(Instruction),
    /// `name: .branchtargets a, b;` of a `brx.idx`; nothing is executed.
    Targets {
        /// Name.
        name: Spanned<String>,
        /// Labels, from index 0 on.
        labels: Vec<Spanned<String>>,
    },
}

/// A declaration of registers.
#[derive(Clone, Debug, PartialEq)]
pub struct Registers {
    /// Their type.
    pub ty: Type,
    /// Elements of a vector type: 1, 2 or 4.
    pub vector: u32,
    /// Their names; with a count `%r<5>` these are `%r0` to `%r4`.
    pub names: Vec<(Spanned<String>, Option<u32>)>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// Up to the first dot: `mbarrier`, `ld`, `bra`.
    pub opcode: Spanned<String>,
    /// What follows, without the dots: `arrive`, `expect_tx`, `shared::cta`, `b64`.
    pub modifiers: Vec<Spanned<String>>,
    /// Operands as they are written.
    pub operands: Vec<Spanned<Operand>>,
    /// From the guard to the semicolon.
    pub span: Span,
}

impl Instruction {
    /// Whether it has this modifier (without the dot).
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|spanned| spanned.value == modifier)
    }
}

/// The predicate of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// Register.
    pub register: Spanned<String>,
    /// `@!`.
    pub negated: bool,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, special register (`%tid.x` in one piece), variable, label or function; or an element of a vector
    /// register (`%v.x`).
    Name(String),
    /// `variable+8`.
    Sum(String, i64),
    /// `!p`.
    Not(String),
    /// A literal, or a constant expression.
    Number(Number),
    /// `[base+offset]`.
    Address {
        /// A register, a variable or a number.
        base: Base,
        /// Bytes added to it.
        offset: i64,
    },
    /// `[tensorMap, {x, y}]` and other addresses with more than one part.
    Compound(Vec<Spanned<Operand>>),
    /// `{a, b}`.
    Vector(Vec<Spanned<Operand>>),
    /// `p|q`.
    Pair(Box<(Operand, Operand)>),
    /// `(a, b)` of a call.
    List(Vec<Spanned<Operand>>),
    /// `_`.
    Sink,
}

/// What an address begins with.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// A register or a variable.
    Name(String),
    /// A number.
    Absolute(u64),
}
