//! Demangling of symbols: C++ (Itanium ABI, used by nvcc and clang) and Rust (legacy and v0).

use cpp_demangle::{DemangleOptions, Symbol};

/// Longest symbol that is looked at, in bytes: what it stands for may be much longer than itself.
const LONGEST: usize = 16 << 10;

fn options() -> DemangleOptions {
    DemangleOptions::new().hide_expression_literal_types()
}

/// What a symbol stands for; the options are of C++. Nothing if it is not mangled, or too long. What does not begin with `_` is a name:
/// `b`, which a demangler takes for the type `bool`, is the variable `b`.
fn read(symbol: &str, options: &DemangleOptions) -> Option<String> {
    if symbol.len() > LONGEST || !symbol.starts_with('_') {
        return None;
    }
    match rustc_demangle::try_demangle(symbol) {
        Ok(rust) => Some(format!("{rust:#}")),
        Err(_) => Symbol::new(symbol).ok()?.demangle_with_options(options).ok(),
    }
}

/// What a symbol stands for, in full: `ring(int*)`, `void copy<4>(float*)`, `kernels::ring`. Nothing if it is not mangled.
pub fn demangled(symbol: &str) -> Option<String> {
    read(symbol, &options())
}

/// Name without parameters and return type: `ring`, `copy<4>`, `kernels::ring`.
pub fn brief(symbol: &str) -> Option<String> {
    read(symbol, &options().no_params().no_return_type())
}

/// A symbol as messages name it: demangled if it is mangled.
pub fn spelled(symbol: &str) -> String {
    demangled(symbol).unwrap_or_else(|| symbol.to_owned())
}

/// Symbols in a list, as messages name them.
pub fn listed(symbols: &[&str]) -> String {
    let names: Vec<String> = symbols.iter().map(|symbol| spelled(symbol)).collect();
    names.join(if names.iter().any(|name| name.contains(',')) { "; " } else { ", " })
}

/// What a symbol stands for, without what is returned.
fn signature(symbol: &str) -> Option<String> {
    read(symbol, &options().no_return_type())
}

/// A variable as messages name it; one of a function's own without the name of that function.
pub(crate) fn variable(symbol: &str, function: &str) -> String {
    let Some(name) = signature(symbol) else { return symbol.to_owned() };
    let function = signature(function).unwrap_or_else(|| function.to_owned());
    match name.strip_prefix(&function).and_then(|rest| rest.strip_prefix("::")) {
        Some(own) => own.to_owned(),
        None => name,
    }
}

/// Ways to write a symbol, from the most specific to the least: as it is; demangled; without what is returned; without parameters; without
/// namespaces, or template arguments, or both, too.
fn ways(symbol: &str) -> [Option<String>; 7] {
    let brief = brief(symbol);
    let plain = brief.as_deref().map(without_arguments);
    let last = |name: &Option<String>| name.as_deref().map(|name| without_namespaces(name).to_owned());
    let (local, last) = (last(&brief), last(&plain));
    [Some(symbol.to_owned()), demangled(symbol), signature(symbol), brief, local, plain, last]
}

/// A name without its template arguments: `a::copy<4>::run<int>` is `a::copy::run`. Names of operators, which have such signs, stay as they are.
fn without_arguments(name: &str) -> String {
    if name.contains("operator") {
        return name.to_owned();
    }
    let mut depth = 0_usize;
    let mut letters = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => letters.push(letter),
            _ => {}
        }
    }
    letters.trim_end_matches(':').to_owned()
}

/// What is behind the last `::` that is not within template arguments.
fn without_namespaces(name: &str) -> &str {
    let depth_at = |place: usize| {
        let before = name.get(..place).unwrap_or("");
        before.matches('<').count().saturating_sub(before.matches('>').count())
    };
    let last = name.rmatch_indices("::").map(|(place, _)| place).find(|place| depth_at(*place) == 0);
    last.and_then(|place| name.get(place + 2..)).unwrap_or(name)
}

/// The symbols that a name means: those that fit it best, all of them equally well.
pub(crate) fn matching<'s>(name: &str, symbols: &[&'s str]) -> Vec<&'s str> {
    // nobody has to know where a demangler puts spaces
    let bare = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    let wanted = bare(name);
    let all: Vec<[Option<String>; 7]> = symbols.iter().map(|symbol| ways(symbol)).collect();
    for way in 0..7 {
        let fits = |ways: &[Option<String>; 7]| ways[way].as_deref().is_some_and(|way| bare(way) == wanted);
        let found: Vec<&str> =
            symbols.iter().zip(&all).filter(|(_, ways)| fits(ways)).map(|(symbol, _)| *symbol).collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Symbol, in full, in brief.
    const NAMES: &[(&str, &str, &str)] = &[
        ("_Z4ringPi", "ring(int*)", "ring"),
        ("_Z4ringPKjPjS1_", "ring(unsigned int const*, unsigned int*, unsigned int*)", "ring"),
        ("_Z4copyILi4EfEvPT0_", "void copy<4, float>(float*)", "copy<4, float>"),
        ("_ZN4mine5queue4copyEv", "mine::queue::copy()", "mine::queue::copy"),
        ("_ZN7kernels4ring17h0123456789abcdefE", "kernels::ring", "kernels::ring"),
        ("_RNvCs1234_7kernels4ring", "kernels::ring", "kernels::ring"),
    ];

    #[test]
    fn symbols_of_both_languages() {
        for (symbol, full, short) in NAMES {
            assert_eq!(demangled(symbol).as_deref(), Some(*full), "{symbol}");
            assert_eq!(brief(symbol).as_deref(), Some(*short), "{symbol}");
        }
        for symbol in ["ring", "_Z", "", "b", "f", "Pi", "_b", "$L__info_string0", "__cuda_local_var_1_full"] {
            assert_eq!(spelled(symbol), symbol);
        }
        assert_eq!(demangled(&format!("_Z{}x{}", LONGEST, "a".repeat(LONGEST))), None, "too long to be looked at");
    }

    #[test]
    fn variables_of_a_kernel_are_called_as_in_its_source() {
        assert_eq!(variable("_ZZ4ringE4full", "ring"), "full", "of an extern \"C\" kernel");
        assert_eq!(variable("_ZZ4ringPiE4full", "_Z4ringPi"), "full");
        assert_eq!(variable("_ZZ4copyILi4EfEvPT0_E4full", "_Z4copyILi4EfEvPT0_"), "full");
        assert_eq!(variable("_ZZ4ringPiE4full", "_Z5otherv"), "ring(int*)::full");
        assert_eq!(variable("_ZN4mine4fullE", "ring"), "mine::full");
        assert_eq!(variable("full", "ring"), "full");
    }

    #[test]
    fn names_mean_what_they_fit_best() {
        let symbols = ["_Z4ringPi", "_Z4ringPf", "_Z4copyILi4EfEvPT0_", "_ZN4mine4copyEv", "ring", "_ZN4mine4loneEv"];
        let means = |name: &str| matching(name, &symbols);
        assert_eq!(means("_Z4ringPi"), ["_Z4ringPi"]);
        assert_eq!(means("ring(int*)"), ["_Z4ringPi"]);
        assert_eq!(means("ring( int * )"), ["_Z4ringPi"]);
        assert_eq!(means("ring"), ["ring"], "the symbol itself comes first");
        assert_eq!(means("void copy<4, float>(float*)"), ["_Z4copyILi4EfEvPT0_"]);
        assert_eq!(means("copy<4,float>(float*)"), ["_Z4copyILi4EfEvPT0_"]);
        assert_eq!(means("copy<4, float>"), ["_Z4copyILi4EfEvPT0_"]);
        assert_eq!(means("copy"), ["_ZN4mine4copyEv"], "namespaces are left out before arguments of templates");
        assert_eq!(means("mine::copy"), ["_ZN4mine4copyEv"]);
        assert_eq!(
            matching("ring<2>", &["_ZN5rings4ringILi2EEEvPi", "_ZN5rings4ringILi4EEEvPi"]),
            ["_ZN5rings4ringILi2EEEvPi"]
        );
        assert_eq!(without_namespaces("a::b<c::d>::e<f::g>"), "e<f::g>");
        assert_eq!(means("lone"), ["_ZN4mine4loneEv"]);
        assert_eq!(matching("ring", &symbols[..4]), ["_Z4ringPi", "_Z4ringPf"]);
        assert!(means("rin").is_empty());
    }
}
