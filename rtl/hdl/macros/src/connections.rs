//! Connections in kernels.

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
            BinOp::ShlAssign(arrow) => quote_spanned!(arrow.spans[0]=> ::txbar_hdl::forth::link(&mut #left, &#right)),
            BinOp::ShrAssign(arrow) => quote_spanned!(arrow.spans[0]=> ::txbar_hdl::back::link(&mut #right, &#left)),
            _ => return,
        };
        *expr = syn::parse2(linked).expect("it is a call");
    }
}
