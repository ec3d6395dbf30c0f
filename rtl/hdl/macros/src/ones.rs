//! Loops over the set bits of a mask, in kernels that are simulated.

use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{BinOp, Expr, ExprAssign, ExprForLoop, ExprRange, ExprReference, ImplItemFn, Member, Pat, Stmt, parse_quote};

/// The kernel with such loops as
///
/// ```text
/// for e in 0..LIMIT { if MASK.val().get_bit(e) & .. { .. } }    becomes    for e in MASK.val().ones(LIMIT) { the same }
/// ```
///
/// or nothing if it has none. What the loop drives must not be the mask, and the mask must be the same one in every turn.
pub fn by_ones(kernel: &ImplItemFn) -> Option<ImplItemFn> {
    let mut kernel = kernel.clone();
    let mut rewrite = Rewrite { found: false };
    rewrite.visit_block_mut(&mut kernel.block);
    rewrite.found.then_some(kernel)
}

struct Rewrite {
    found: bool,
}

impl VisitMut for Rewrite {
    fn visit_expr_for_loop_mut(&mut self, each: &mut ExprForLoop) {
        syn::visit_mut::visit_expr_for_loop_mut(self, each);
        if let Some((mask, limit)) = mask_and_limit(each) {
            *each.expr = parse_quote!(#mask.ones(#limit));
            self.found = true;
        }
    }
}

/// What such a loop asks, `MASK.val()`, and its limit.
fn mask_and_limit(each: &ExprForLoop) -> Option<(Expr, Expr)> {
    let Pat::Ident(index) = &*each.pat else { return None };
    let Expr::Range(ExprRange { start: Some(start), end: Some(limit), .. }) = &*each.expr else { return None };
    let [Stmt::Expr(Expr::If(only), _)] = &each.body.stmts[..] else { return None };
    if **start != parse_quote!(0) || only.else_branch.is_some() {
        return None;
    }
    let (mask, asked) = receiver(first(&only.cond), "get_bit")?;
    let (signal, _) = receiver(mask, "val")?;
    let name = field(signal)?;
    let mut signals = Signals { index: &index.ident, indexed: false, connected: Vec::new(), driven: Vec::new() };
    signals.visit_expr(signal);
    let one_mask = !signals.indexed;
    signals.visit_block(&only.then_branch);
    let each_bit = matches!(asked, Some(Expr::Path(bit)) if bit.path.is_ident(&index.ident));
    let mask_is_connected = signals.connected.iter().any(|to| path(signal).contains(to));
    (each_bit && one_mask && !mask_is_connected && !signals.driven.contains(&name))
        .then(|| (mask.clone(), (**limit).clone()))
}

/// What a method of this name is called on, and its first argument.
fn receiver<'a>(call: &'a Expr, name: &str) -> Option<(&'a Expr, Option<&'a Expr>)> {
    match call {
        Expr::MethodCall(call) if call.method == name => Some((&*call.receiver, call.args.first())),
        _ => None,
    }
}

/// The first operand of a row of `&`.
fn first(mut condition: &Expr) -> &Expr {
    while let Expr::Binary(both) = condition
        && matches!(both.op, BinOp::BitAnd(_))
    {
        condition = &both.left;
    }
    condition
}

/// The name of a signal: that of the last field.
fn field(signal: &Expr) -> Option<String> {
    match signal {
        Expr::Field(field) => match &field.member {
            Member::Named(name) => Some(name.to_string()),
            Member::Unnamed(_) => None,
        },
        Expr::Index(index) => field(&index.expr),
        _ => None,
    }
}

/// The names of the fields that lead to a signal, and its own.
fn path(mut signal: &Expr) -> Vec<String> {
    let mut names = Vec::new();
    loop {
        signal = match signal {
            Expr::Field(field) => {
                names.extend(self::field(signal));
                &field.base
            }
            Expr::Index(index) => &index.expr,
            _ => return names,
        };
    }
}

/// What is driven, and whether the loop's index is used.
struct Signals<'a> {
    index: &'a syn::Ident,
    indexed: bool,
    /// What takes something by a connection: a signal, or a bundle of some.
    connected: Vec<String>,
    driven: Vec<String>,
}

impl Visit<'_> for Signals<'_> {
    fn visit_ident(&mut self, name: &syn::Ident) {
        self.indexed |= name == self.index;
    }
    fn visit_expr_reference(&mut self, reference: &ExprReference) {
        // only connections have such
        if reference.mutability.is_some() {
            self.connected.extend(field(&reference.expr));
        }
        syn::visit::visit_expr_reference(self, reference);
    }
    fn visit_expr_assign(&mut self, assign: &ExprAssign) {
        if let Expr::Field(next) = &*assign.left {
            self.driven.extend(field(&next.base));
        }
        syn::visit::visit_expr_assign(self, assign);
    }
}
