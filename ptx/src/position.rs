//! Position of an instruction: its line in the PTX text, and the source lines named by `.loc`.
//!
//! ```text
//!   .loc 1 27 17                                          kernel.cu:27 calls `wait`,
//!   .loc 2 51 5, function_name f, inlined_at 1 27 17      which was inlined and calls `try_wait` in wait.cuh:51,
//!   .loc 2 45 15, function_name g, inlined_at 2 51 5      which was inlined; its line 45 has become
//!   mbarrier.try_wait ...                                 this instruction
//! ```
//! A [`Position`] has all of these lines as frames, the kernel's own first. `inlined_at` names the line of a call, not the call that this
//! line itself was inlined by: another `.loc` of that line says it. If `wait` was inlined twice there are two of them, and it is
//! the one that stands before or, if there are several, in the same basic block. If that does not settle it either, the frames end with the line
//! of the call: what may be wrong is left out. LLVM's older form, in which a comment names all calls, leaves nothing open.

pub mod texts;

use crate::ast::{Function, Inlined, LineInfo, Loc, Module, Site, Statement};
use crate::source::Span;
use crate::symbol;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use txbar_testbench::record::FrameJson;

/// Frames of an instruction at most: functions that were inlined into each other.
const MOST_FRAMES: usize = 64;
/// Frames of inlined functions that a message lists at most.
const MOST_LISTED: usize = 4;

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Number of the file in [`Sources::files`].
    pub file: usize,
    /// From 1.
    pub line: u32,
    /// From 1; 0 if it is not known.
    pub column: u32,
    /// The function that the line is in, demangled.
    pub function: Option<String>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// As the compiler has written it.
    pub path: String,
    /// The end of it that tells it from the others.
    pub short: String,
}

/// The source of a program.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Files that are named.
    pub files: Vec<SourceFile>,
    /// Frames, the outermost first.
    chains: Vec<Vec<Frame>>,
    /// Of each instruction: its frames.
    of: Vec<Option<usize>>,
}

impl Sources {
    /// Of instructions of some functions of a module, by where each is written.
    pub(crate) fn new(module: &Module, functions: &[usize], spans: &[Span]) -> Self {
        let mut builder = Builder::new(&module.lines);
        let mut functions: Vec<(&Function, Calls)> = functions
            .iter()
            .filter_map(|number| module.functions.get(*number))
            .map(|function| (function, Calls::new(&module.lines, function)))
            .collect();
        functions.sort_by_key(|(function, _)| function.span.start);
        let mut chain_of: HashMap<usize, Option<usize>> = HashMap::new();
        let of = |span: &Span| {
            let number = functions.partition_point(|(function, _)| function.span.start <= span.start).checked_sub(1)?;
            let (function, calls) = functions.get(number)?;
            let number = builder.lines.locs.partition_point(|loc| loc.span.start <= span.start).checked_sub(1)?;
            let loc = builder.lines.locs.get(number).filter(|loc| loc.span.start >= function.span.start)?;
            *chain_of.entry(number).or_insert_with(|| builder.chain(loc, number, function, calls))
        };
        let of = spans.iter().map(of).collect();
        let Builder { files, chains, .. } = builder;
        Self { files: shortened(files), chains, of }
    }

    /// Whether the source of any instruction is known.
    pub fn are_known(&self) -> bool {
        !self.chains.is_empty()
    }

    /// Numbers of the files that instructions are from.
    pub fn used(&self) -> BTreeSet<usize> {
        self.chains.iter().flatten().map(|frame| frame.file).collect()
    }

    /// The frames of an instruction, the outermost first; none if the compiler has not said any.
    pub fn frames(&self, pc: usize) -> &[Frame] {
        let chain = self.of.get(pc).copied().flatten().and_then(|chain| self.chains.get(chain));
        chain.map_or(&[], Vec::as_slice)
    }
}

/// What a `.loc` says of the function that its line is in: the call that was replaced by it, if it was inlined.
type Context<'m> = Option<&'m Inlined>;

/// What the `.loc` of a function say of each line.
struct Calls<'m> {
    /// Each that differs, and the number of the `.loc` that says it first.
    all: HashMap<Site, Vec<(usize, Context<'m>)>>,
    /// The same within a basic block, by number: two at most.
    blocks: HashMap<(Site, usize), Vec<Context<'m>>>,
    /// Where basic blocks begin, in bytes.
    begins: Vec<u32>,
}

impl<'m> Calls<'m> {
    fn new(lines: &'m LineInfo, function: &Function) -> Self {
        let begin = |statement: &Statement| match statement {
            Statement::Label(name) => Some(name.span.start),
            Statement::Instruction(instruction) => {
                let ends = matches!(instruction.opcode.value.as_str(), "bra" | "brx" | "ret" | "exit" | "trap");
                ends.then_some(instruction.span.end)
            }
            _ => None,
        };
        let begins = function.body.iter().flatten().filter_map(begin).collect();
        let mut calls = Self { all: HashMap::new(), blocks: HashMap::new(), begins };
        let first = lines.locs.partition_point(|loc| loc.span.start < function.span.start);
        for (number, loc) in lines.locs.iter().enumerate().skip(first) {
            if loc.span.start >= function.span.end {
                break;
            }
            let context = loc.inlined.as_ref();
            let all = calls.all.entry(loc.site).or_default();
            // whoever asks wants to know of two
            if all.len() < 2 && all.iter().all(|(_, known)| *known != context) {
                all.push((number, context));
            }
            let block = calls.block(loc);
            let here = calls.blocks.entry((loc.site, block)).or_default();
            if here.len() < 2 && !here.contains(&context) {
                here.push(context);
            }
        }
        calls
    }

    fn block(&self, loc: &Loc) -> usize {
        self.begins.partition_point(|begin| *begin <= loc.span.start)
    }

    /// The call by which a line was inlined, for the instructions of a `.loc` that was inlined there; nothing if that is not certain.
    fn context(&self, site: Site, loc: &Loc, number: usize) -> Option<Context<'m>> {
        let before = self.all.get(&site).into_iter().flatten().filter(|(first, _)| *first < number);
        match before.map(|(_, context)| *context).collect::<Vec<_>>()[..] {
            [] => None,
            [only] => Some(only),
            _ => match self.blocks.get(&(site, self.block(loc))).map(Vec::as_slice) {
                Some([only]) => Some(*only),
                _ => None,
            },
        }
    }
}

/// Collects files and frames.
struct Builder<'m> {
    lines: &'m LineInfo,
    /// Paths.
    files: Vec<String>,
    numbers: HashMap<u32, usize>,
    chains: Vec<Vec<Frame>>,
}

impl<'m> Builder<'m> {
    fn new(lines: &'m LineInfo) -> Self {
        let numbers = lines.files.keys().enumerate().map(|(place, number)| (*number, place)).collect();
        Self { lines, files: lines.files.values().cloned().collect(), numbers, chains: Vec::new() }
    }

    /// Keeps the frames of a `.loc`, if it names a line.
    fn chain(&mut self, loc: &Loc, number: usize, function: &Function, calls: &Calls) -> Option<usize> {
        let name = symbol::spelled(&function.name.value);
        let mut frames = if loc.calls.is_empty() {
            self.inlined(loc, number, &name, calls)
        } else {
            let inner = self.frame(loc.site, None);
            let outer = loc.calls.iter().map(|call| {
                Some(Frame { file: self.file(&call.file), line: call.line, column: call.column, function: None })
            });
            let mut frames: Vec<Option<Frame>> = std::iter::once(inner).chain(outer.collect::<Vec<_>>()).collect();
            if let Some(Some(outermost)) = frames.last_mut() {
                outermost.function = Some(name.clone());
            }
            frames
        };
        frames.reverse();
        let frames: Vec<Frame> = frames.into_iter().flatten().collect();
        if frames.is_empty() {
            return None;
        }
        self.chains.push(frames);
        Some(self.chains.len() - 1)
    }

    /// The frames of a `.loc`, from the inside out.
    fn inlined(&self, loc: &Loc, number: usize, name: &str, calls: &Calls) -> Vec<Option<Frame>> {
        let (mut frames, mut site, mut context) = (Vec::new(), loc.site, loc.inlined.as_ref());
        while let Some(inlined) = context.filter(|_| frames.len() < MOST_FRAMES) {
            frames.push(self.frame(site, self.function(inlined)));
            site = inlined.at;
            let Some(outer) = calls.context(site, loc, number) else {
                frames.push(self.frame(site, None));
                return frames;
            };
            context = outer;
        }
        frames.push(self.frame(site, Some(name.to_owned())));
        frames
    }

    /// A frame, if it has a line: what compilers make themselves is in line 0.
    fn frame(&self, Site { file, line, column }: Site, function: Option<String>) -> Option<Frame> {
        let file = *self.numbers.get(&file)?;
        (line > 0).then_some(Frame { file, line, column, function })
    }

    /// The name of an inlined function.
    fn function(&self, inlined: &Inlined) -> Option<String> {
        let (label, offset) = inlined.function.as_ref()?;
        let start = usize::try_from(i64::try_from(*self.lines.labels.get(label)?).ok()?.checked_add(*offset)?).ok()?;
        let name = self.lines.strings.get(start..)?.split(|byte| *byte == 0).next()?;
        std::str::from_utf8(name).ok().filter(|name| !name.is_empty()).map(symbol::spelled)
    }

    /// The file of a name, which may be the end of a path.
    fn file(&mut self, name: &str) -> usize {
        let is_end =
            |path: &String| path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with(SLASHES));
        self.files.iter().position(is_end).unwrap_or_else(|| {
            self.files.push(name.to_owned());
            self.files.len() - 1
        })
    }
}

/// What parts of paths stand between, here and elsewhere.
pub(crate) const SLASHES: [char; 2] = ['/', '\\'];

/// Paths, each with as much of its end as tells it from the others.
fn shortened(paths: Vec<String>) -> Vec<SourceFile> {
    let short = |path: &String| {
        let ends = path.char_indices().rev().filter(|(_, letter)| SLASHES.contains(letter)).map(|(place, _)| place + 1);
        let mut ends = ends.filter_map(|start| path.get(start..)).filter(|end| !end.is_empty());
        let same = |end: &str| {
            let same = |other: &&String| {
                other.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with(SLASHES))
            };
            paths.iter().filter(|other| *other != path).any(|other| same(&other))
        };
        ends.find(|end| !same(end)).unwrap_or(path).to_owned()
    };
    paths.iter().map(|path| SourceFile { path: path.clone(), short: short(path) }).collect()
}

/// Where an instruction is from, for messages: `ring.cu:27 (PTX line 102, inlined wait.cuh:51, wait.cuh:45)`; `line 102` if the
/// source is not known. Within brackets of its own (`{:#}`): `ring.cu:27, PTX line 102, ...`.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// Line of the PTX text, from 1.
    pub line: usize,
    /// Lines of the source: that of the kernel, then those of functions that were inlined there, into each other.
    pub frames: &'a [Frame],
    /// The source.
    pub sources: &'a Sources,
}

impl Position<'_> {
    /// A line of a file, as messages name it.
    fn spelled(&self, frame: &Frame) -> String {
        let file = self.sources.files.get(frame.file);
        format!("{}:{}", file.map_or("?", |file| &file.short), frame.line)
    }

    /// The frames as JSON, the outermost first.
    pub fn json(&self) -> Vec<FrameJson> {
        let frame = |frame: &Frame| FrameJson {
            file: self.sources.files.get(frame.file).map_or(String::new(), |file| file.path.clone()),
            line: frame.line,
            column: frame.column,
            function: frame.function.clone(),
        };
        self.frames.iter().map(frame).collect()
    }
}

impl fmt::Display for Position<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((outer, inner)) = self.frames.split_first() else { return write!(f, "line {}", self.line) };
        let [open, close] = if f.alternate() { [", ", ""] } else { [" (", ")"] };
        write!(f, "{}{open}PTX line {}", self.spelled(outer), self.line)?;
        let left_out = inner.len().saturating_sub(MOST_LISTED);
        for (number, frame) in inner.iter().enumerate().filter(|(number, _)| *number == 0 || *number > left_out) {
            let before = if number == 0 {
                "inlined "
            } else if number == left_out + 1 && left_out > 0 {
                "..., "
            } else {
                ""
            };
            write!(f, ", {before}{}", self.spelled(frame))?;
        }
        f.write_str(close)
    }
}

#[cfg(test)]
mod tests;
