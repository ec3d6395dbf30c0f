//! Static properties of instructions, for the diagnosis of mistakes.

use super::Program;
use super::code::{Action, Hand, Step, Target, Value, What};
use std::collections::HashMap;
use txbar_rtl::op::{Op, Reply};

/// The register that a value is of.
fn slot(value: Value) -> Option<u32> {
    match value {
        Value::Register(slot) | Value::Part { slot, .. } => Some(slot),
        _ => None,
    }
}

/// The registers that an instruction writes.
pub(crate) fn written(action: &Action) -> Vec<Target> {
    match action {
        Action::Move { to, .. } | Action::Pack { to, .. } => vec![*to],
        Action::Unpack { to, .. } => to.to_vec(),
        Action::Convert(convert) => vec![convert.to],
        Action::Map(map) => vec![map.to],
        Action::Ask(ask) => vec![ask.to],
        Action::Compute(compute) => compute.to.to_vec(),
        Action::World(world) => world.to.to_vec(),
        Action::Call(call) => {
            let target = |hand: &Hand| if let Hand::Target(to) = hand { Some(*to) } else { None };
            call.results.iter().filter_map(|result| target(&result.hand)).collect()
        }
        Action::Nothing | Action::Branch(_) | Action::Switch { .. } | Action::Return | Action::Unsupported(_) => vec![],
    }
}

impl Program {
    /// Waits by parity whose operand cannot be anything but a part of a token: every instruction that writes the register
    /// takes it from one that holds a token, or a part of one, and nothing else.
    pub fn token_waits(&self) -> Vec<usize> {
        let routine = |pc: usize| self.routines.iter().map(|routine| routine.pc).filter(|begin| *begin <= pc).max();
        // for each register that is written: whether all that is written is of a token, as far as is known
        let mut of_token: HashMap<(Option<usize>, u32), bool> = HashMap::new();
        loop {
            let mut next: HashMap<(Option<usize>, u32), bool> = HashMap::new();
            for (pc, step) in self.steps.iter().enumerate() {
                let home = routine(pc);
                let is = |value: Value| {
                    slot(value).is_some_and(|slot| of_token.get(&(home, slot)).copied().unwrap_or(false))
                };
                let token = match &step.action {
                    Action::Move { from, .. } | Action::Unpack { from, .. } => is(*from),
                    Action::Compute(compute) => compute.arithmetic.is_conversion() && is(compute.from[0]),
                    Action::World(world) => {
                        matches!(world.what, What::Barrier { op, .. } if op.reply() == Reply::Token)
                    }
                    _ => false,
                };
                for to in written(&step.action) {
                    next.entry((home, to.slot)).and_modify(|all| *all &= token).or_insert(token);
                }
            }
            // what is known only grows, so this ends
            if next == of_token {
                break;
            }
            of_token = next;
        }
        let is_wait = |(pc, step): (usize, &Step)| {
            let Action::World(world) = &step.action else { return None };
            let What::Barrier { op: Op::TestWaitParity | Op::TryWaitParity, operand, .. } = world.what else {
                return None;
            };
            of_token.get(&(routine(pc), slot(operand)?)).copied().unwrap_or(false).then_some(pc)
        };
        self.steps.iter().enumerate().filter_map(is_wait).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::parse;
    use crate::program::Program;
    use crate::source::Source;

    fn program(body: &str) -> Program {
        let text = format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.shared .b64 bar, word;\n\
             .reg .b64 t;\n.reg .b32 a, b, c;\n.reg .pred p;\n{body}\nret;\n}}\n"
        );
        let module = parse(&Source::new("k.ptx", text)).expect("it is well-formed");
        Program::new(&module, "k").expect("it can be executed")
    }

    const WAIT: &str = "mbarrier.try_wait.parity.shared.b64 p, [bar], a;";

    #[test]
    fn parts_of_tokens() {
        let arrive = "mbarrier.arrive.shared.b64 t, [bar];";
        for (body, waits) in [
            (format!("{arrive} mov.b64 {{a, b}}, t; {WAIT}"), 1),
            (format!("{arrive} cvt.u32.u64 b, t; mov.b32 a, b; {WAIT}"), 1),
            (format!("{arrive} mov.u32 a, 0; {WAIT} cvt.u32.u64 a, t;"), 0),
            (format!("{arrive} cvt.u32.u64 a, t; and.b32 a, a, 1; {WAIT}"), 0),
            (format!("{arrive} mov.u32 a, 1; {WAIT}"), 0),
        ] {
            assert_eq!(program(&body).token_waits().len(), waits, "{body}");
        }
    }
}
