//! A register keeps its value unless it is driven.

use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;
use syn::{Block, Expr, ExprAssign, ExprForLoop, ExprIf, Ident, ImplItemFn, Member, Pat, Stmt, parse_quote};

/// Adds to a kernel what its author may leave out: `self.x.d.next = self.x.q.val();` for each register of the block that is driven under
/// conditions only. It stands before the statement that drives the register first; in the loop, if the register is one of a loop's lanes:
///
/// ```text
/// if GO { self.x.d.next = VALUE; }                       becomes    self.x.d.next = self.x.q.val(); if GO { .. }
/// for k in 0..N { .. if GO { self.x[k].d.next = .. } }   becomes    for k in 0..N { .. self.x[k].d.next = self.x[k].q.val(); if GO { .. } }
/// for k in 0..N { if MASK.get_bit(k) { self.x[k].d.. } } becomes    for k in 0..N { self.x[k].d.next = .. } for k in 0..N { .. }
/// ```
///
/// # Errors
/// A register whose lanes are driven by loops over different lanes: it is not known which of them to keep.
pub fn keep(kernel: &mut ImplItemFn) -> syn::Result<()> {
    // the lanes of each register that are driven or kept so far
    let mut known: BTreeMap<String, Vec<Lanes>> = BTreeMap::new();
    let mut statements = Vec::new();
    for mut statement in std::mem::take(&mut kernel.block.stmts) {
        let driven = all_driven(&statement);
        let always = expression(&statement).map(|expr| always_driven(expr, &mut Vec::new())).unwrap_or_default();
        let mut before: Vec<(Vec<ExprForLoop>, Vec<Stmt>)> = Vec::new();
        for Driven { register, name, loops } in driven {
            let lanes = lanes(&register, &loops);
            let numbered = is_numbered(&register);
            let driven = known.entry(name.clone()).or_default();
            if driven.iter().any(|other| other.all || other.lanes == lanes) {
                continue;
            }
            let is_driven = always.contains(&lanes);
            if !is_driven && driven.iter().any(|other| !other.numbered || !numbered) {
                let what = format!("other lanes of `{name}` are driven before: write which of them keep their value");
                return Err(syn::Error::new_spanned(&register, what));
            }
            driven.push(Lanes { lanes, numbered, all: is_driven && !numbered });
            if is_driven {
                continue;
            }
            let loops: Vec<ExprForLoop> = loops.into_iter().filter(|each| uses(&register, index(each))).collect();
            let hold: Stmt = parse_quote!(#register.d.next = #register.q.val(););
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

/// A register of the block that is driven, and the loops around.
struct Driven {
    register: Expr,
    name: String,
    loops: Vec<ExprForLoop>,
}

/// The register that a statement drives, `self.x` or `self.x[k]`, and its name. Those of blocks within are nobody's business here.
fn register(assign: &ExprAssign) -> Option<(Expr, String)> {
    let register = member(member(&assign.left, "next")?, "d")?;
    let mut field = register;
    while let Expr::Index(index) = field {
        field = &index.expr;
    }
    match field {
        Expr::Field(field) if matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self")) => {
            let Member::Named(name) = &field.member else { return None };
            Some((register.clone(), name.to_string()))
        }
        _ => None,
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
            self.driven.extend(register(assign).map(|(register, name)| Driven { register, name, loops }));
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
        Expr::Assign(assign) => register(assign)
            .filter(|(register, _)| loops.iter().all(|each| uses(register, index(each))))
            .map(|(register, _)| lanes(&register, loops))
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

/// Which lanes these are: the register with the ranges of loops in the place of their indices.
fn lanes(register: &Expr, loops: &[ExprForLoop]) -> String {
    let range = |name: &str| loops.iter().rev().find(|each| index(each).is_some_and(|index| index == name));
    let words = register.to_token_stream().to_string();
    let words = words.split(' ').map(|word| match range(word) {
        Some(each) => each.expr.to_token_stream().to_string(),
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn text(loops: &[ExprForLoop]) -> String {
    loops.iter().map(|each| each.to_token_stream().to_string()).collect()
}
