//! Barriers in shared memory and that of the cluster: operands by the slots of the form.

use crate::ast::{Instruction, Operand, Space, Type};
use crate::barrier::{Form, Layout, Place, Slot, Verb};
use crate::effect::{Effect, Round};
use crate::program::code::{Action, Address, Target, Value, What, Where};
use crate::program::lower::memory::world;
use crate::program::lower::operand::Fit;
use crate::program::lower::{Body, Lowered, Refusal};
use txbar_rtl::op::{NO_LIMIT, Op};

impl Body<'_, '_> {
    /// An instruction on a barrier in shared memory or on that of the cluster.
    pub(super) fn barrier(&mut self, instruction: &Instruction, form: &Form) -> Lowered<Action> {
        let said = match form.place() {
            Place::Generic => None,
            Place::SharedCta | Place::SharedCluster => Some(Space::Shared),
        };
        let mut to: Vec<Target> = Vec::new();
        let mut address = Address { base: Value::Constant(0), offset: 0, mask: u64::MAX, place: Where::Shared };
        let mut operand = Value::Constant(1); // arrivals if none are named
        let mut limit = Value::Constant(u64::from(NO_LIMIT));
        let mut answered = false;
        for (slot, given) in form.slots().iter().zip(&instruction.operands) {
            match slot {
                Slot::State | Slot::WaitComplete | Slot::HasLayout | Slot::Pending => {
                    let ty = match slot {
                        Slot::State => Type::B64,
                        Slot::WaitComplete | Slot::HasLayout => Type::Pred,
                        _ => Type::B32,
                    };
                    to.push(self.target(given, ty, Fit::Exact)?);
                    answered = !matches!(given.value, Operand::Sink);
                }
                Slot::WaitReport => {
                    to.extend(self.target_pair(given, [Type::Pred, Type::Pred])?);
                    answered = true;
                }
                Slot::Report => to.push(self.target(given, Type::B8, Fit::Exact)?),
                Slot::Address => address = self.address(given, said)?,
                Slot::Count | Slot::CountV1 | Slot::Arrivals | Slot::TxCount | Slot::Parity => {
                    operand = self.value(given, Type::B32, Fit::Exact)?;
                }
                Slot::Token => operand = self.value(given, Type::B64, Fit::Exact)?,
                Slot::SuspendTimeHint => limit = self.value(given, Type::B32, Fit::Exact)?,
                _ => {}
            }
        }
        let order = form.order();
        let v1 = form.layout() == Some(Layout::V1);
        let verb = form.line().verb;
        let what = match (verb, form.op()) {
            (Verb::ClusterArrive | Verb::ClusterWait, _) => {
                let wait = verb == Verb::ClusterWait;
                let releases = !wait && order.semantics.releases();
                What::Plain(Effect::Round(Round { wait, aligned: form.has("aligned"), releases }))
            }
            (Verb::CpAsyncArrive, _) => What::CopyArrive { address, noinc: form.has("noinc") },
            (Verb::CheckLayout, _) => What::CheckLayout { address, v1 },
            (Verb::Init, _) => What::Barrier { op: Op::Init, address, operand, limit, order, answered, v1 },
            (_, Some(op)) => What::Barrier { op, address, operand, limit, order, answered, v1: false },
            (_, None) => return Err(Refusal::unsupported(instruction)),
        };
        // on sm_90 there are no reports: the second and third of a wait are zero
        Ok(world(what, to.into()))
    }
}
