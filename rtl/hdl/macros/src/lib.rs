//! The attribute of processes: rust-hdl's, with a hook that records which kernels run and in which order, and a second, faster body of
//! frequent kernels for the simulator.

mod connections;
mod hold;
mod ones;

use proc_macro::{Group, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{Generics, Ident, ImplItem, ImplItemFn, ItemImpl, Type, parse_macro_input, parse_quote};

/// Makes processes of the functions of a block's `impl`: of `fn update_sum(&mut self)` the process `UpdateSum`. They are inlined where they are
/// called, unless they have an attribute `inline` of their own.
///
/// A register that one drives under conditions only keeps its value otherwise. The function becomes `kernel` of the trait `Process`, of which rust-hdl's
/// macro writes the syntax tree, too, and `update` calls it. In the unit tests of the crate whose kernel it is, `update` notes the call before.
/// Elsewhere it runs `sparse`, if the kernel has loops that ask a mask: the same, but the loops go only where bits are set.
#[proc_macro_attribute]
pub fn processes(_options: TokenStream, block: TokenStream) -> TokenStream {
    let block = one_self(block);
    let ItemImpl { generics, self_ty, items, .. } = parse_macro_input!(block as ItemImpl);
    let processes = items.into_iter().map(|item| match item {
        ImplItem::Fn(kernel) => process(kernel, &generics, &self_ty),
        other => syn::Error::new_spanned(other, "only processes: functions that take `&mut self`").into_compile_error(),
    });
    quote!(#(#processes)*).into()
}

fn process(mut kernel: ImplItemFn, generics: &Generics, block: &Type) -> proc_macro2::TokenStream {
    let name = named(&kernel.sig.ident);
    let errors = connections::link(&mut kernel).into_iter().chain(hold::keep(&mut kernel).err());
    let errors: Vec<_> = errors.map(syn::Error::into_compile_error).collect();
    if !kernel.attrs.iter().any(|attribute| attribute.path().is_ident("inline")) {
        kernel.attrs.push(parse_quote!(#[inline(always)]));
    }
    let sparse = ones::by_ones(&kernel).map(|mut sparse| {
        sparse.sig.ident = format_ident!("sparse");
        sparse
    });
    kernel.sig.ident = format_ident!("kernel");
    quote! {
        impl #generics Process<#name> for #block {
            const NOTED: bool = cfg!(test);
            #[syntax_tree]
            #kernel
            #sparse
            #(#errors)*
        }
    }
}

/// The type that names a process: `UpdateSum` for `update_sum`.
fn named(function: &Ident) -> Ident {
    let text = function.to_string();
    let words = text.trim_start_matches("r#").split('_');
    let large = |word: &str| word[..1].to_uppercase() + &word[1..];
    Ident::new(&words.map(large).collect::<String>(), function.span())
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
