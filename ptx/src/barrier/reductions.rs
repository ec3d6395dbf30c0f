//! Types of each operation of `red.async` and `cp.reduce.async.bulk`, from the hardware's table.

use super::Form;
use crate::ast::Type;
use txbar_rtl::copies::reduction::{Action, Element, Reduction};

/// The reduction of an operation and a type as they are written; nothing if there is none.
pub fn reduction(action: Action, ty: Type, noftz: bool) -> Option<Reduction> {
    let on_bits = matches!(action, Action::And | Action::Or | Action::Xor);
    let element = match ty {
        Type::B32 if on_bits => Element::U32,
        Type::B64 if on_bits => Element::U64,
        _ if on_bits => return None,
        ty => Element::named(ty.name())?,
    };
    let halves = matches!(element, Element::F16 | Element::Bf16);
    (noftz == (halves && action == Action::Add)).then_some(Reduction { action, element })
}

/// Types, as they are written with `.noftz` where it must be, that the operation of an instruction goes with; nothing if
/// the instruction has no operation and type.
pub fn reductions(form: &Form) -> Option<(&'static str, Vec<(Type, bool)>)> {
    let name = form.line().name;
    let in_global =
        form.words().iter().find(|word| word.starts_with("shared") || **word == "global") == Some(&"global");
    let (operation, action) = form.words().iter().find_map(|word| Some((*word, Action::named(word)?)))?;
    let goes = |ty: &Type, noftz: bool| {
        reduction(action, *ty, noftz).is_some_and(|it| match name {
            "red.async" => it.is_for_shared(),
            "cp.reduce.async.bulk" if in_global => it.is_for_global(),
            // red.async alone does this
            "cp.reduce.async.bulk" => it.is_for_shared() && it.element != Element::S64,
            _ => false,
        })
    };
    matches!(name, "red.async" | "cp.reduce.async.bulk").then_some(())?;
    let types = Type::ALL.iter().flat_map(|ty| [(*ty, false), (*ty, true)]);
    Some((operation, types.filter(|(ty, noftz)| goes(ty, *noftz)).collect()))
}
