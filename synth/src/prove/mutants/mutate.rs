//! The mutator: puts one small defect into exported Verilog.
//!
//! It works on statements of `always` blocks, a line each, as the exporter prints them. A mutant is named by its module, the
//! text of the line, and what is changed in it, so that the same defect can be put into exports of other parameters.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

/// A kind of defect: what it is called, what it looks for in a line, and what it puts there.
struct Rule {
    name: &'static str,
    from: &'static str,
    to: &'static str,
}

const RULES: &[Rule] = &[
    Rule { name: "and becomes or", from: " & ", to: " | " },
    Rule { name: "or becomes and", from: " | ", to: " & " },
    Rule { name: "addition becomes subtraction", from: " + ", to: " - " },
    Rule { name: "subtraction becomes addition", from: " - ", to: " + " },
    Rule { name: "equal becomes unequal", from: " == ", to: " != " },
    Rule { name: "unequal becomes equal", from: " != ", to: " == " },
    Rule { name: "above becomes at least", from: " > ", to: " >= " },
    Rule { name: "operands swapped", from: " > ", to: " < " },
    Rule { name: "negation lost", from: "(~", to: "(" },
    Rule { name: "condition negated", from: "if (", to: "if (!(" },
    Rule { name: "zero becomes one", from: "'d0;", to: "'d1;" },
    Rule { name: "false becomes true", from: "= 1'b0;", to: "= 1'b1;" },
    Rule { name: "true becomes false", from: "= 1'b1;", to: "= 1'b0;" },
    Rule { name: "one becomes two", from: "'d1;", to: "'d2;" },
    Rule { name: "enable lost", from: "if (advance) ", to: "if (1'b1) " },
    Rule { name: "reduction by and", from: "|", to: "&" },
];

/// A defect.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Mutant {
    /// Module, without the prefix.
    pub module: String,
    /// The statement, as it is.
    pub before: String,
    /// The statement with the defect.
    pub after: String,
    /// What kind of defect it is.
    pub kind: String,
    /// Which of the equal statements of the module it is in.
    pub occurrence: usize,
}

/// Modules with their lines: (module, line number in the text, line).
fn statements<'a>(verilog: &'a str, prefix: &str) -> Vec<(String, usize, &'a str)> {
    let (mut module, mut inside, mut found) = (None, false, Vec::new());
    for (number, line) in verilog.lines().enumerate() {
        if let Some(rest) = line.strip_prefix("module ") {
            let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
            module = name.strip_prefix(prefix).map(|name| name.trim_start_matches('_').to_owned());
            inside = false;
        } else if line.starts_with("endmodule") {
            module = None;
        } else if line.trim_start().starts_with("always ") {
            inside = true;
        } else if inside && let Some(module) = &module {
            found.push((module.clone(), number, line));
        }
    }
    found
}

/// A line with one rule applied at one place; nothing if it would be no Verilog.
fn apply(rule: &Rule, line: &str, place: usize) -> Option<String> {
    let (begin, rest) = (&line[..place], &line[place + rule.from.len()..]);
    match rule.name {
        "condition negated" => {
            let end = rest.rfind(") begin")?;
            Some(format!("{begin}{}{}){}", rule.to, &rest[..end], &rest[end..]))
        }
        // only where a reduction begins: after a bracket or an assignment
        "reduction by and" => {
            let reduces = begin.ends_with('(') || begin.ends_with("= ");
            reduces.then(|| format!("{begin}{}{rest}", rule.to))
        }
        _ => Some(format!("{begin}{}{rest}", rule.to)),
    }
}

/// Every mutant of these modules.
pub fn all(verilog: &str, prefix: &str, modules: &[&str]) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    let lines = statements(verilog, prefix);
    for (position, (module, _, line)) in lines.iter().enumerate() {
        if !modules.contains(&module.as_str()) {
            continue;
        }
        let same = |(other, _, text): &&(String, usize, &str)| other == module && widthless(text) == widthless(line);
        let occurrence = lines[..position].iter().filter(same).count();
        for rule in RULES {
            for (place, _) in line.match_indices(rule.from) {
                if let Some(after) = apply(rule, line, place) {
                    mutants.push(Mutant {
                        module: module.clone(),
                        before: line.trim().to_owned(),
                        after: after.trim().to_owned(),
                        kind: rule.name.to_owned(),
                        occurrence,
                    });
                }
            }
        }
    }
    mutants
}

/// This many mutants, the modules in turn, chosen with a seed.
pub fn choose(mutants: Vec<Mutant>, modules: &[&str], count: usize, seed: u64) -> Vec<Mutant> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut of_each: Vec<Vec<Mutant>> = modules
        .iter()
        .map(|module| mutants.iter().filter(|mutant| mutant.module == *module).cloned().collect())
        .collect();
    of_each.iter_mut().for_each(|list| list.shuffle(&mut random));
    let mut chosen = Vec::new();
    while chosen.len() < count && of_each.iter().any(|list| !list.is_empty()) {
        chosen.extend(of_each.iter_mut().filter_map(Vec::pop));
    }
    chosen.truncate(count);
    chosen
}

/// A statement without the widths of its constants, which depend on parameters: `2'd1` is `'d1`.
fn widthless(line: &str) -> String {
    let mut text = String::new();
    for (number, part) in line.trim().split('\'').enumerate() {
        if number > 0 {
            text.truncate(text.trim_end_matches(|c: char| c.is_ascii_digit()).len());
            text.push('\'');
        }
        text += part;
    }
    text
}

/// The Verilog with the defect; nothing if the statement is not there with these parameters.
pub fn with(verilog: &str, prefix: &str, mutant: &Mutant) -> Option<String> {
    let (before, after) = (widthless(&mutant.before), widthless(&mutant.after));
    let (_, place, line) = statements(verilog, prefix)
        .into_iter()
        .filter(|(module, _, line)| *module == mutant.module && widthless(line) == before)
        .nth(mutant.occurrence)?;
    let rules = RULES.iter().filter(|rule| rule.name == mutant.kind);
    let mut defects = rules.flat_map(|rule| line.match_indices(rule.from).filter_map(|(at, _)| apply(rule, line, at)));
    let defect = defects.find(|defect| widthless(defect) == after)?;
    let lines = verilog.lines().enumerate().map(|(number, line)| if number == place { defect.trim() } else { line });
    Some(lines.collect::<Vec<_>>().join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
module txbar_one (
  input wire a
);
  wire [1:0] b = 2'd0;
  always @* begin : logic
    x = a & ~b;
    if (a == b) begin
      x = |b;
    end
  end
endmodule
";

    #[test]
    fn each_mutant_changes_one_statement() {
        let mutants = all(TEXT, "txbar", &["one"]);
        let kinds: Vec<&str> = mutants.iter().map(|mutant| mutant.kind.as_str()).collect();
        assert_eq!(kinds, ["and becomes or", "equal becomes unequal", "condition negated", "reduction by and"]);
        for mutant in &mutants {
            let text = with(TEXT, "txbar", mutant).expect("it is there");
            let changed = text.lines().zip(TEXT.lines()).filter(|(new, old)| new.trim() != old.trim()).count();
            assert_eq!(changed, 1, "{mutant:?}");
        }
        assert_eq!(mutants[2].after, "if (!(a == b)) begin");
    }

    #[test]
    fn a_mutant_is_found_at_other_widths() {
        let narrow = all(TEXT, "txbar", &["one"]).into_iter().next().expect("there is one");
        assert_eq!(widthless("  a = 12'd1 + b[3:0];"), "a = 'd1 + b[3:0];");
        let wide = TEXT.replace("a & ~b", "a & ~b & 4'd1");
        let mutant = Mutant { before: "x = a & ~b & 2'd1;".into(), after: "x = a | ~b & 2'd1;".into(), ..narrow };
        assert!(with(&wide, "txbar", &mutant).expect("it is there").contains("x = a | ~b & 4'd1;"));
    }

    #[test]
    fn a_seed_always_chooses_the_same() {
        let choice = |seed| choose(all(TEXT, "txbar", &["one"]), &["one"], 2, seed);
        assert_eq!(choice(7), choice(7));
        assert_eq!(choice(7).len(), 2);
    }
}
