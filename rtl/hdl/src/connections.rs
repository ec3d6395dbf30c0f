//! Connections of bundles, in kernels and in their syntax trees.

use super::bundle::Connect;
use super::part::{Name, Part, Port, Visitor};
use super::signal::Carrier;
use rust_hdl_core::ast::{
    Verilog, VerilogBlock, VerilogBlockOrConditional, VerilogExpression, VerilogLink, VerilogLinkDetails,
    VerilogStatement,
};

/// `a <<= b` in kernels: `a` takes what goes forth.
pub mod forth {
    use super::*;

    /// The connection that runs.
    #[inline(always)]
    pub fn link<A: Connect<B>, B>(to: &mut A, from: &B) {
        to.along(from);
    }
    /// Form in a syntax tree.
    pub fn link_hdl(name: &str, to: &str, from: &str) -> Vec<VerilogLink> {
        vec![VerilogLink::Forward(details(name, to, from))]
    }
}

/// `a >>= b` in kernels: `b` is given what goes back.
pub mod back {
    use super::*;

    /// The connection that runs.
    #[inline(always)]
    pub fn link<A: Connect<B>, B>(to: &mut A, from: &B) {
        to.against(from);
    }
    /// Form in a syntax tree.
    pub fn link_hdl(name: &str, to: &str, from: &str) -> Vec<VerilogLink> {
        vec![VerilogLink::Backward(details(name, to, from))]
    }
}

/// A signal or a register of those in a `connect!` of kernels.
pub mod copied {
    use super::*;

    /// Simulated form.
    #[inline(always)]
    pub fn link<T, C: Carrier<T>>(value: T, to: &mut C) {
        to.drive(value);
    }
    /// Form in a syntax tree.
    pub fn link_hdl(name: &str, value: &str, to: &str) -> Vec<VerilogLink> {
        vec![VerilogLink::Forward(details(name, to, value.trim_end_matches("$shown()")))]
    }
}

/// What `#[processes]` puts before registers that are driven under a condition: they keep their values.
pub mod keep {
    use super::*;

    /// Simulated form.
    #[inline(always)]
    pub fn link<P: Part>(part: &mut P, _nothing: &()) {
        part.keep();
    }
    /// The same in a syntax tree: a connection with itself.
    pub fn link_hdl(name: &str, part: &str, _nothing: &str) -> Vec<VerilogLink> {
        vec![VerilogLink::Bidirectional(details(name, part, part))]
    }
}

/// What a `clear!` of kernels drives with zeros.
pub mod clear {
    use super::*;

    /// Simulated form.
    #[inline(always)]
    pub fn link<P: Part>(part: &mut P, _nothing: &()) {
        part.clear();
    }
    /// The same in a syntax tree: a connection with nothing.
    pub fn link_hdl(name: &str, part: &str, _nothing: &str) -> Vec<VerilogLink> {
        vec![VerilogLink::Bidirectional(details(name, part, ""))]
    }
}

fn details(name: &str, to: &str, from: &str) -> VerilogLinkDetails {
    let [to, from] = [to, from].map(|side| side.trim_start_matches('&').replace("r#", ""));
    VerilogLinkDetails { my_name: name.to_owned(), owner_name: to, other_name: from }
}

/// The tree with an assignment for each signal in the place of each connection of a block.
pub fn connected(tree: Verilog, block: &dyn Part) -> Verilog {
    match tree {
        Verilog::Combinatorial(statements) => Verilog::Combinatorial(expand(
            statements,
            &mut Signals { block, depth: 0, inner: String::new(), names: Vec::new() },
        )),
        other => other,
    }
}

fn expand(block: VerilogBlock, signals: &mut Signals) -> VerilogBlock {
    block.into_iter().flat_map(|statement| statements(statement, signals)).collect()
}

fn statements(statement: VerilogStatement, signals: &mut Signals) -> VerilogBlock {
    match statement {
        VerilogStatement::Link(links) => links.iter().flat_map(|link| assignments(link, signals.names())).collect(),
        VerilogStatement::If(mut conditional) => {
            conditional.then = expand(conditional.then, signals);
            conditional.otherwise = match conditional.otherwise {
                VerilogBlockOrConditional::Block(block) => VerilogBlockOrConditional::Block(expand(block, signals)),
                VerilogBlockOrConditional::Conditional(next) => {
                    let next = statements(*next, signals).pop().expect("a condition stays one");
                    VerilogBlockOrConditional::Conditional(Box::new(next))
                }
                VerilogBlockOrConditional::None => VerilogBlockOrConditional::None,
            };
            vec![VerilogStatement::If(conditional)]
        }
        VerilogStatement::Loop(mut over) => {
            over.block = expand(over.block, signals);
            vec![VerilogStatement::Loop(over)]
        }
        other => vec![other],
    }
}

/// The assignments of a connection: those of the first such bundle that the block has, as all its lanes have the same.
fn assignments(link: &VerilogLink, signals: &[Leaf]) -> VerilogBlock {
    let (details, goes_back) = match link {
        VerilogLink::Forward(details) | VerilogLink::Bidirectional(details) => (details, false),
        VerilogLink::Backward(details) => (details, true),
    };
    let (clears, keeps) = (details.other_name.is_empty(), details.other_name == details.owner_name);
    let [to, from] = [&details.owner_name, &details.other_name].map(|side| without_interface(side, signals));
    let bundle = unnumbered(to);
    let mut first: Option<&str> = None;
    let mut all = Vec::new();
    for Leaf { name, turns, register } in signals {
        let Some((head, rest)) = ends(name, &bundle).map(|end| name.split_at(end)) else { continue };
        // a block within may have the name of a signal
        let Some(outside) = turns.len().checked_sub(rest.matches('$').count()) else { continue };
        let against = turns[outside..].iter().fold(false, |against, turn| against ^ turn);
        let driven = *first.get_or_insert(head) == head && against == goes_back;
        if driven && (!keeps || register.is_some_and(|port| port != Port::Input)) {
            let next = if register.is_some() { "$d$next" } else { "$next" };
            let shown = format!("{from}{rest}");
            let plain = unnumbered(&shown);
            if clears {
                let to = VerilogExpression::Signal(format!("{to}{rest}{next}"));
                all.push(VerilogStatement::Assignment(to, VerilogExpression::Literal(0u64.into())));
                continue;
            }
            let of_register = signals.iter().any(|leaf| leaf.register.is_some() && unnumbered(&leaf.name) == plain);
            let shown = if of_register { format!("{shown}$q") } else { shown };
            let to = VerilogExpression::Signal(format!("{to}{rest}{next}"));
            all.push(VerilogStatement::Assignment(to, VerilogExpression::Signal(shown)));
        }
    }
    all
}

/// What a kernel calls a bundle, without the name of the interface that it is a part of: signals go by their own names there.
fn without_interface<'a>(side: &'a str, signals: &[Leaf]) -> &'a str {
    let bundle = unnumbered(side);
    match side.split_once('$') {
        Some((_, own)) if signals.iter().all(|leaf| ends(&leaf.name, &bundle).is_none()) => own,
        _ => side,
    }
}

/// Where the part of a signal's name ends that is the bundle's, whichever lane it is.
fn ends(name: &str, bundle: &str) -> Option<usize> {
    let places = name.char_indices().filter(|(_, c)| matches!(c, '$' | '[')).map(|(place, _)| place);
    places.chain([name.len()]).collect::<Vec<_>>().into_iter().rfind(|place| unnumbered(&name[..*place]) == bundle)
}

/// `sender[c]$octet` without what is in brackets.
fn unnumbered(name: &str) -> String {
    let mut depth = 0;
    name.chars()
        .filter(|c| {
            depth += (*c == '[') as i32;
            let inside = depth > 0 && *c != '[' && *c != ']';
            depth -= (*c == ']') as i32;
            !inside
        })
        .collect()
}

/// The signals that a block's kernels can name.
struct Signals<'a> {
    block: &'a dyn Part,
    depth: usize,
    inner: String,
    names: Vec<Leaf>,
}

/// A signal or a register.
struct Leaf {
    /// As kernels spell it.
    name: String,
    /// For each bundle that it is in, whether what is within goes against it.
    turns: Vec<bool>,
    /// It is a register: which of its sides is a port.
    register: Option<Port>,
}

impl Signals<'_> {
    fn names(&mut self) -> &[Leaf] {
        if self.names.is_empty() {
            self.block.visit("top".into(), "", self);
        }
        &self.names
    }

    fn leaf(&mut self, name: Name, register: Option<Port>) {
        if self.depth <= 2 {
            let spelled = format!("{}{}", self.inner, name.in_kernel());
            self.names.push(Leaf { name: spelled, turns: name.turns().collect(), register });
        }
    }
}

impl Visitor for Signals<'_> {
    fn enter(&mut self, name: Name, _module: &'static str, _doc: &'static str) {
        self.depth += 1;
        if self.depth == 2 {
            self.inner = format!("{}$", name.in_kernel());
        }
    }
    fn leave(&mut self) {
        self.depth -= 1;
        if self.depth == 1 {
            self.inner.clear();
        }
    }
    fn signal(&mut self, name: Name, _doc: &'static str, _view: super::SignalView, _ty: super::Type, _value: u64) {
        self.leaf(name, None);
    }
    fn register(&mut self, name: Name, _doc: &'static str, view: super::RegisterView, _d: u64, _q: u64) {
        self.leaf(name, Some(view.port));
    }
}
