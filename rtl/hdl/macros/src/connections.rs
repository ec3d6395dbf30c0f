//! Connections in kernels.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{BinOp, Block, Expr, ExprBinary, Ident, ImplItemFn, Stmt, StmtMacro, Token, parse_quote};

/// Makes calls of connections, which rust-hdl's macro takes: `a <<= b`, by which `a` takes what goes forth, and `a >>= b`, by which `b` is given
/// what goes back. Gives what is wrong with a macro call, if something is.
pub fn link(kernel: &mut ImplItemFn) -> Option<syn::Error> {
    let mut links = Links { error: None };
    links.visit_impl_item_fn_mut(kernel);
    links.error
}

/// `keep!(self.a, self.b[k])`: registers, or bundles of some, keep their values.
pub fn keep(register: &Expr) -> Stmt {
    parse_quote!(::txbar_hdl::keep::link(&mut #register, &());)
}

/// `clear!(self.a, self.b[k])`: signals, registers or bundles are driven with zeros.
fn clear(signal: &Expr) -> Stmt {
    parse_quote!(::txbar_hdl::clear::link(&mut #signal, &());)
}

struct Links {
    error: Option<syn::Error>,
}

impl Links {
    /// The statement of each expression in a macro call.
    fn each(&mut self, call: &StmtMacro, statement: fn(&Expr) -> Stmt, block: &mut Block) {
        match call.mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            Ok(all) => block.stmts.extend(all.iter().map(statement)),
            Err(error) => self.error = Some(error),
        }
    }
}

impl VisitMut for Links {
    fn visit_block_mut(&mut self, block: &mut Block) {
        for statement in std::mem::take(&mut block.stmts) {
            match statement {
                Stmt::Macro(call) if call.mac.path.is_ident("connect") => match call.mac.parse_body::<Named>() {
                    Ok(named) => block.stmts.extend(named.statements()),
                    Err(error) => self.error = Some(error),
                },
                Stmt::Macro(call) if call.mac.path.is_ident("keep") => self.each(&call, keep, block),
                Stmt::Macro(call) if call.mac.path.is_ident("clear") => self.each(&call, clear, block),
                other => block.stmts.push(other),
            }
        }
        syn::visit_mut::visit_block_mut(self, block);
    }
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

/// `self.alu.* <<= self.turn_*: tx, marks, step[d]`: signals and registers of the same names, which stand in the place of
/// the star. Values are taken before they are given, so both may be the block's own.
struct Named {
    to: Pattern,
    from: Pattern,
    names: Punctuated<Name, Token![,]>,
}

impl Parse for Named {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let to = input.parse()?;
        input.parse::<Token![<<=]>()?;
        let from = input.parse()?;
        input.parse::<Token![:]>()?;
        Ok(Self { to, from, names: Punctuated::parse_terminated(input)? })
    }
}

impl Named {
    fn statements(&self) -> Vec<Stmt> {
        let connection = |name| {
            let (to, from) = (self.to.with(name), self.from.with(name));
            parse_quote!(::txbar_hdl::copied::link(#from.shown(), &mut #to);)
        };
        self.names.iter().map(connection).collect()
    }
}

/// A name, and which lanes.
struct Name(Ident, TokenStream);

impl Parse for Name {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let name = Ident::parse_any(input)?;
        let mut lanes = TokenStream::new();
        while input.peek(syn::token::Bracket) {
            input.parse::<TokenTree>()?.to_tokens(&mut lanes);
        }
        Ok(Self(name, lanes))
    }
}

/// What is before the star, and behind it.
struct Pattern(Vec<TokenTree>, Vec<TokenTree>);

impl Parse for Pattern {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut before = Vec::new();
        while !input.peek(Token![*]) {
            before.push(input.parse()?);
        }
        input.parse::<Token![*]>()?;
        let mut after = Vec::new();
        while input.peek(syn::token::Bracket) {
            after.push(input.parse()?);
        }
        Ok(Self(before, after))
    }
}

impl Pattern {
    fn with(&self, Name(name, lanes): &Name) -> Expr {
        let Pattern(before, after) = self;
        match before.split_last() {
            Some((TokenTree::Ident(begin), before)) => {
                let name = format_ident!("{begin}{name}", span = name.span());
                parse_quote!(#(#before)* #name #lanes #(#after)*)
            }
            _ => parse_quote!(#(#before)* #name #lanes #(#after)*),
        }
    }
}
