//! The attribute of kernels: rust-hdl's, with a door for those who want to know which kernels run, and in which order.

use proc_macro::{Ident, TokenStream, TokenTree};

/// Makes a kernel of `fn update(&mut self)`: rust-hdl's macro writes the syntax tree.
///
/// The function becomes `kernel`, and `update` of the trait `Process` calls it. In the unit tests of the crate whose kernel it is,
/// `update` notes the call before.
#[proc_macro_attribute]
pub fn hdl_gen(_options: TokenStream, function: TokenStream) -> TokenStream {
    let mut after_fn = false;
    let renamed: TokenStream = function
        .into_iter()
        .map(|token| match &token {
            TokenTree::Ident(name) if after_fn && name.to_string() == "update" => {
                after_fn = false;
                TokenTree::Ident(Ident::new("kernel", name.span()))
            }
            TokenTree::Ident(name) => {
                after_fn = name.to_string() == "fn";
                token
            }
            _ => token,
        })
        .collect();
    let mut made: TokenStream = "const NOTED: bool = cfg!(test); #[syntax_tree]".parse().expect("this is Rust");
    made.extend(renamed);
    made
}
