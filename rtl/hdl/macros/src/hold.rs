//! Implicit hold: a register keeps its value unless it is driven.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;
use syn::{Block, Expr, ExprAssign, ExprCall, ExprForLoop, ExprIf, Ident, ImplItemFn, Member, Pat, Stmt, parse_quote};

/// Adds to a kernel what its author may leave out: `self.x.d.next = self.x.q.val();` for each register of the block that is driven under
/// conditions only. It stands before the statement that drives the register first; in the loop, if the register is one of a loop's lanes:
///
/// ```text
/// if GO { self.x.d.next = VALUE; }                       becomes    self.x.d.next = self.x.q.val(); if GO { .. }
/// for k in 0..N { .. if GO { self.x[k].d.next = .. } }   becomes    for k in 0..N { .. self.x[k].d.next = self.x[k].q.val(); if GO { .. } }
/// for k in 0..N { if MASK.get_bit(k) { self.x[k].d.. } } becomes    for k in 0..N { self.x[k].d.next = .. } for k in 0..N { .. }
/// ```
///
/// A bundle that is connected under conditions only keeps the values of its registers, too, if it has some: `self.bundle.keep()`, in Verilog an
/// assignment for each.
///
/// # Errors
/// A register whose lanes are driven by loops over different lanes: it is not known which of them to keep. A bundle that is connected after
/// one of its registers has been driven, which would take that back.
pub fn keep(kernel: &mut ImplItemFn) -> syn::Result<()> {
    // the lanes of each register that are driven or kept so far
    let mut known: BTreeMap<String, Vec<Lanes>> = BTreeMap::new();
    let mut statements = Vec::new();
    for mut statement in std::mem::take(&mut kernel.block.stmts) {
        let driven = all_driven(&statement);
        let wholes: Vec<(String, String)> = driven.iter().filter(|each| each.whole).map(Driven::place).collect();
        let earlier: Vec<String> = known.keys().cloned().collect();
        let always = expression(&statement).map(|expr| always_driven(expr, &mut Vec::new())).unwrap_or_default();
        let mut before: Vec<(Vec<ExprForLoop>, Vec<Stmt>)> = Vec::new();
        for Driven { register, name, whole, loops } in driven {
            let lanes = lanes(&register);
            if wholes.iter().any(|(bundle, of)| inside(&name, bundle) && is_of(&lanes, of)) {
                continue; // it is kept with its bundle
            }
            let numbered = is_numbered(&register);
            if known
                .iter()
                .any(|(bundle, driven)| inside(&name, bundle) && driven.iter().any(|each| each.covers(&lanes)))
            {
                continue;
            }
            if whole && earlier.iter().any(|other| inside(other, &name)) && !always.contains(&lanes) {
                let what = format!("registers of `{name}` are driven before: connect it first");
                return Err(syn::Error::new_spanned(&register, what));
            }
            let driven = known.entry(name.clone()).or_default();
            if driven.iter().any(|other| other.covers(&lanes)) {
                continue;
            }
            let is_driven = always.contains(&lanes);
            if !is_driven && driven.iter().any(|other| !other.numbered || !numbered) {
                if whole || name.contains('.') {
                    continue; // signals, most often; of registers, Verilog would have a latch, which is looked for
                }
                let what = format!("other lanes of `{name}` are driven before: write which of them keep their value");
                return Err(syn::Error::new_spanned(&register, what));
            }
            driven.push(Lanes { lanes, numbered, all: is_driven && !numbered });
            if is_driven {
                continue;
            }
            let all = loops.len();
            let loops: Vec<ExprForLoop> = loops.into_iter().filter(|each| uses(&register, index(each))).collect();
            if name.contains('.') && loops.len() < all {
                continue; // an input of a block that is not there if one of the other loops has no turn
            }
            let hold: Stmt = if whole || name.contains('.') {
                crate::connections::keep(&register)
            } else {
                parse_quote!(#register.d.next = #register.q.val();)
            };
            if !within(&mut statement, &register, &loops, &hold) {
                let same = |(others, _): &&mut (Vec<ExprForLoop>, _)| text(others) == text(&loops);
                match before.iter_mut().find(same) {
                    Some((_, holds)) => holds.push(hold),
                    None => before.push((loops, vec![hold])),
                }
            }
        }
        for (loops, holds) in before {
            let around = |inner: Vec<Stmt>, each: &ExprForLoop| {
                let (pat, range) = (&each.pat, &each.expr);
                vec![parse_quote!(for #pat in #range { #(#inner)* })]
            };
            statements.extend(loops.iter().rev().fold(holds, around));
        }
        statements.push(statement);
    }
    kernel.block.stmts = statements;
    Ok(())
}

/// Lanes of a register that are driven or kept.
struct Lanes {
    lanes: String,
    /// It is one, with a number.
    numbered: bool,
    /// They are driven in every cycle: so are all others, if the author says nothing of them.
    all: bool,
}

impl Lanes {
    fn covers(&self, lanes: &str) -> bool {
        self.all || is_of(lanes, &self.lanes)
    }
}

/// Whether a name is that of a part of a bundle.
fn inside(name: &str, bundle: &str) -> bool {
    name.strip_prefix(bundle).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether these lanes are those, or parts of them.
fn is_of(lanes: &str, whole: &str) -> bool {
    lanes.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(" .") || rest.starts_with(" ["))
}

/// A register of the block that is driven, or a bundle that is connected, and the loops around.
struct Driven {
    register: Expr,
    name: String,
    /// It is a bundle.
    whole: bool,
    loops: Vec<ExprForLoop>,
}

impl Driven {
    /// Its name, and which lanes of it.
    fn place(&self) -> (String, String) {
        (self.name.clone(), lanes(&self.register))
    }
}

/// The register that an assignment drives: `self.x`, `self.x[k]`, or `self.bundle[k].x`, which may as well be an input of a block within.
fn register(assign: &ExprAssign) -> Option<(Expr, String)> {
    let register = member(member(&assign.left, "next")?, "d")?;
    Some((register.clone(), field(register)?))
}

/// The bundle, signal or register that takes what goes forth, or keeps what it has.
fn connected(call: &ExprCall) -> Option<(Expr, String)> {
    let Expr::Path(path) = &*call.func else { return None };
    let to = call.args.iter().find_map(|arg| match arg {
        Expr::Reference(to) if to.mutability.is_some() => Some(to),
        _ => None,
    })?;
    if path.path.segments.iter().any(|segment| segment.ident == "back") {
        return None;
    }
    Some(((*to.expr).clone(), field(&to.expr)?))
}

/// The name of what belongs to the block, without numbers of lanes: `x`, or `bundle.x`.
fn field(mut expr: &Expr) -> Option<String> {
    while let Expr::Index(index) = expr {
        expr = &index.expr;
    }
    let Expr::Field(field) = expr else { return None };
    let Member::Named(name) = &field.member else { return None };
    match &*field.base {
        Expr::Path(path) => path.path.is_ident("self").then(|| name.to_string()),
        holder => Some(format!("{}.{name}", self::field(holder)?)),
    }
}

fn member<'a>(expr: &'a Expr, name: &str) -> Option<&'a Expr> {
    match expr {
        Expr::Field(field) if matches!(&field.member, Member::Named(member) if member == name) => Some(&field.base),
        _ => None,
    }
}

/// The registers that are driven anywhere in a statement.
fn all_driven(statement: &Stmt) -> Vec<Driven> {
    struct All {
        loops: Vec<ExprForLoop>,
        driven: Vec<Driven>,
    }
    impl Visit<'_> for All {
        fn visit_expr_assign(&mut self, assign: &ExprAssign) {
            let loops = self.loops.clone();
            self.driven.extend(register(assign).map(|(register, name)| Driven { register, name, whole: false, loops }));
        }
        fn visit_expr_call(&mut self, call: &ExprCall) {
            let loops = self.loops.clone();
            self.driven.extend(connected(call).map(|(register, name)| Driven { register, name, whole: true, loops }));
        }
        fn visit_expr_for_loop(&mut self, each: &ExprForLoop) {
            let mut empty = each.clone();
            empty.body.stmts.clear();
            self.loops.push(empty);
            syn::visit::visit_block(self, &each.body);
            self.loops.pop();
        }
    }
    let mut all = All { loops: Vec::new(), driven: Vec::new() };
    all.visit_stmt(statement);
    all.driven
}

/// The lanes that an expression in these loops drives whatever the conditions are.
fn always_driven(expr: &Expr, loops: &mut Vec<ExprForLoop>) -> BTreeSet<String> {
    match expr {
        // a loop may have no turn: only what is a lane of each of its turns is driven in all of them
        Expr::Assign(_) | Expr::Call(_) => driven(expr)
            .filter(|(register, _)| loops.iter().all(|each| uses(register, index(each))))
            .map(|(register, _)| lanes(&register))
            .into_iter()
            .collect(),
        Expr::ForLoop(each) => {
            loops.push(each.clone());
            let inner = driven_in(&each.body, loops);
            loops.pop();
            inner
        }
        Expr::If(ExprIf { then_branch, else_branch: Some((_, otherwise)), .. }) => {
            let (then, otherwise) = (driven_in(then_branch, loops), always_driven(otherwise, loops));
            then.intersection(&otherwise).cloned().collect()
        }
        Expr::Block(block) => driven_in(&block.block, loops),
        _ => BTreeSet::new(),
    }
}

/// What an assignment or a connection drives.
fn driven(expr: &Expr) -> Option<(Expr, String)> {
    match expr {
        Expr::Assign(assign) => register(assign),
        Expr::Call(call) => connected(call),
        _ => None,
    }
}

fn driven_in(block: &Block, loops: &mut Vec<ExprForLoop>) -> BTreeSet<String> {
    block.stmts.iter().filter_map(expression).flat_map(|expr| always_driven(expr, loops)).collect()
}

fn expression(statement: &Stmt) -> Option<&Expr> {
    match statement {
        Stmt::Expr(expr, _) => Some(expr),
        _ => None,
    }
}

/// Puts a hold into the innermost of the loops, where they are what a statement is: `false` if they are not, or loops over bits of a mask.
fn within(statement: &mut Stmt, register: &Expr, loops: &[ExprForLoop], hold: &Stmt) -> bool {
    let ([outer, inner @ ..], Stmt::Expr(Expr::ForLoop(each), _)) = (loops, statement) else { return false };
    let asks_mask = matches!(&each.body.stmts[..], [Stmt::Expr(Expr::If(only), _)] if only.else_branch.is_none());
    if index(each) != index(outer) || asks_mask {
        return false;
    }
    let drives = |statement: &Stmt| all_driven(statement).iter().any(|driven| driven.register == *register);
    let place = each.body.stmts.iter().position(drives).expect("it is driven in the loop");
    if inner.is_empty() {
        each.body.stmts.insert(place, hold.clone());
        return true;
    }
    within(&mut each.body.stmts[place], register, inner, hold)
}

fn index(each: &ExprForLoop) -> Option<&Ident> {
    match &*each.pat {
        Pat::Ident(index) => Some(&index.ident),
        _ => None,
    }
}

/// Whether an index of the register is a loop's.
fn uses(register: &Expr, index: Option<&Ident>) -> bool {
    struct Uses<'a>(Option<&'a Ident>, bool);
    impl Visit<'_> for Uses<'_> {
        fn visit_ident(&mut self, name: &Ident) {
            self.1 |= Some(name) == self.0;
        }
    }
    let mut uses = Uses(index, false);
    uses.visit_expr(register);
    uses.1
}

/// Whether its indices are numbers, and it has some.
fn is_numbered(register: &Expr) -> bool {
    match register {
        Expr::Index(index) => {
            let number = matches!(&*index.index, Expr::Lit(_));
            number && (is_numbered(&index.expr) || !matches!(&*index.expr, Expr::Index(_)))
        }
        _ => false,
    }
}

/// Which lanes these are, as they are spelled: indices of one name are taken to be of loops over the same lanes.
fn lanes(register: &Expr) -> String {
    words(register.to_token_stream()).join(" ")
}

/// The tokens, each by itself.
fn words(tokens: TokenStream) -> Vec<String> {
    let word = |token| match token {
        TokenTree::Group(group) => {
            let (open, close) = if group.delimiter() == Delimiter::Bracket { ("[", "]") } else { ("(", ")") };
            let inner = words(group.stream());
            [vec![open.to_owned()], inner, vec![close.to_owned()]].concat()
        }
        other => vec![other.to_string()],
    };
    tokens.into_iter().flat_map(word).collect()
}

fn text(loops: &[ExprForLoop]) -> String {
    loops.iter().map(|each| each.to_token_stream().to_string()).collect()
}
