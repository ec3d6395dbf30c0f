//! What can be said of instructions without executing them, for the diagnosis of mistakes.

use super::Program;
use super::code::{Action, Hand, Step, Target, Value, What};
use crate::effect::Effect;
use std::collections::HashMap;
use txbar_rtl::op::{Op, Reply};

/// Instructions that a loop has at most which does nothing but look at a word.
const NEAR: usize = 16;

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

    /// Whether a load looks at one word again and again until it is what is wanted: it stands in a short loop that does
    /// nothing else to the world, at an address that the loop does not change.
    pub fn is_polled(&self, pc: usize) -> bool {
        let base = |step: &Step| match &step.action {
            Action::World(world) => match world.what.inner() {
                What::Load { at } => Some(at.address.base),
                _ => None,
            },
            _ => None,
        };
        let Some(base) = self.steps.get(pc).and_then(base) else { return false };
        let harmless = |step: &Step| match &step.action {
            Action::World(world) => {
                matches!(world.what, What::Load { .. } | What::Plain(Effect::Fence(_) | Effect::Sleep(_)))
            }
            _ => true,
        };
        let loops = |end: usize| match self.steps.get(end).map(|step| &step.action) {
            Some(Action::Branch(begin)) if (pc.saturating_sub(NEAR)..=pc).contains(begin) => {
                self.steps.get(*begin..end)
            }
            _ => None,
        };
        (pc + 1..pc + NEAR).filter_map(loops).any(|steps| {
            let moves = |step: &Step| written(&step.action).iter().any(|to| slot(base) == Some(to.slot));
            steps.iter().all(harmless) && !steps.iter().any(moves)
        })
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

    #[test]
    fn loops_that_look_at_a_word() {
        let polled = |body: &str| {
            let program = program(body);
            (0..program.len()).any(|pc| program.is_polled(pc))
        };
        assert!(polled("mov.u32 b, word; look: ld.volatile.shared.u32 a, [b]; setp.eq.u32 p, a, 0; @p bra look;"));
        assert!(!polled(
            "mov.u32 b, word; sum: ld.shared.u32 a, [b]; add.u32 b, b, 4; setp.lt.u32 p, b, 64; @p bra sum;"
        ));
        assert!(!polled(&format!("look: {WAIT} ld.shared.u32 c, [word]; @!p bra look;")));
        assert!(!polled("ld.shared.u32 a, [word];"));
    }
}
