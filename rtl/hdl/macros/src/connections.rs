//! Connections in kernels.

use proc_macro2::Span;
use quote::quote_spanned;
use syn::visit_mut::VisitMut;
use syn::{BinOp, Expr, ExprBinary, ImplItemFn};

/// Makes calls of connections, which rust-hdl's macro takes: `a <<= b`, by which `a` takes what goes forth, and `a >>= b`, by which `b` is given
/// what goes back.
pub fn link(kernel: &mut ImplItemFn) {
    Links.visit_impl_item_fn_mut(kernel);
}

struct Links;

impl VisitMut for Links {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        syn::visit_mut::visit_expr_mut(self, expr);
        let Expr::Binary(ExprBinary { left, op, right, .. }) = expr else { return };
        let linked = match op {
            BinOp::ShlAssign(arrow) => {
                let at = span(arrow.spans);
                quote_spanned!(at=> ::txbar_hdl::forth::link(&mut #left, &#right))
            }
            BinOp::ShrAssign(arrow) => {
                let at = span(arrow.spans);
                quote_spanned!(at=> ::txbar_hdl::back::link(&mut #right, &#left))
            }
            _ => return,
        };
        *expr = syn::parse2(linked).expect("it is a call");
    }
}

fn span([first, ..]: [Span; 3]) -> Span {
    first
}
