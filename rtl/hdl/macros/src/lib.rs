//! The attribute of kernels: rust-hdl's, with a door for those who want to know which kernels run, and in which order, and
//! a second text of those that run often for the simulator.

mod connections;
mod hold;
mod ones;

use proc_macro::{Group, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{ImplItemFn, parse_macro_input};

/// Makes a kernel of `fn update(&mut self)`: rust-hdl's macro writes the syntax tree.
///
/// A register that the kernel drives under conditions only keeps its value otherwise. The function becomes `kernel`, and `update` of the trait `Process` calls it. In the unit tests of the crate whose kernel it is,
/// `update` notes the call before. Elsewhere it runs `sparse`, if the kernel has loops that ask a mask: the same, but the loops go only
/// where bits are set.
#[proc_macro_attribute]
pub fn hdl_gen(_options: TokenStream, function: TokenStream) -> TokenStream {
    let function = one_self(function);
    let mut kernel = parse_macro_input!(function as ImplItemFn);
    connections::link(&mut kernel);
    let error = hold::keep(&mut kernel).err().map(syn::Error::into_compile_error);
    let sparse = ones::by_ones(&kernel).map(|mut sparse| {
        sparse.sig.ident = format_ident!("sparse");
        sparse
    });
    kernel.sig.ident = format_ident!("kernel");
    quote! {
        const NOTED: bool = cfg!(test);
        #[syntax_tree]
        #kernel
        #sparse
        #error
    }
    .into()
}

/// The same, with every `self` the same as that of the methods that are made of it: a macro that writes kernels may have several.
fn one_self(tokens: TokenStream) -> TokenStream {
    let same = |token| match token {
        TokenTree::Ident(mut word) if word.to_string() == "self" => {
            word.set_span(word.span().resolved_at(Span::call_site()));
            TokenTree::Ident(word)
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), one_self(group.stream()));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other,
    };
    tokens.into_iter().map(same).collect()
}
