//! Answers: the expected one, or one that another order of operations explains.

use super::{Failure, Scoreboard, Suspended, Waiting, count};
use crate::linearize;
use crate::request::{Request, Response};

impl Scoreboard {
    /// An answer is taken. Gives the request that it belongs to.
    ///
    /// # Errors
    /// Nothing explains it.
    pub fn answer(&mut self, cycle: u64, port: usize, response: &Response) -> Result<Request, Box<Failure>> {
        // the port's queue and its table of waits answer independently
        let fits = |waiting: &Waiting| response.agrees_with(&waiting.expected);
        if response.resumed {
            let ended =
                |suspended: &Suspended| suspended.over.is_some_and(|over| over < cycle) && fits(&suspended.waiting);
            let Some(position) = self.suspended[port].iter().position(ended) else {
                return Err(self.unforeseen(cycle, port, response));
            };
            let Suspended { waiting, over, .. } = self.suspended[port].remove(position);
            if let Some(fabric) = &mut self.fabric {
                let others = self.suspended[port].iter().any(ended);
                fabric.answered(waiting.index % self.parameters.banks, port, response, others);
            }
            self.freed[port] = Some((cycle, waiting.index));
            if waiting.expected.predicate {
                self.tally.woken += 1;
                self.counted[port].woken += 1;
                count(&mut self.tally.wake_latency, cycle - over.unwrap_or(cycle));
            }
            if let Some(call) = self.histories[waiting.index].call(waiting.call) {
                call.answered = Some((cycle, *response));
            }
            return Ok(waiting.request);
        }
        let Some(waiting) = self.waiting[port].pop_front() else {
            return Err(self.unforeseen(cycle, port, response));
        };
        let history = &mut self.histories[waiting.index];
        if let Some(call) = history.call(waiting.call) {
            call.answered = Some((cycle, *response));
        }
        count(&mut self.tally.latency, cycle - waiting.accepted);
        if response.agrees_with(&waiting.expected) {
            return Ok(waiting.request);
        }
        let calls = history.calls.make_contiguous();
        // what a register shows does not follow from any order of the calls on a word
        // nor does what checked mode says
        // and in a fabric there is no other order
        let is_about_word =
            waiting.request.register().is_none() && !self.parameters.checked && !self.parameters.is_banked();
        if is_about_word && linearize::explain(history.word, calls, self.bytes).is_ok() {
            return Ok(waiting.request);
        }
        let what = format!(
            "port {port} got `{response}` where `{}` was expected, and no serial order of the requests on word {} explains it",
            waiting.expected, waiting.index
        );
        Err(self.failure(cycle, what, waiting.index))
    }

    /// An answer that nobody waits for.
    fn unforeseen(&self, cycle: u64, port: usize, response: &Response) -> Box<Failure> {
        let waits: Vec<String> = self.suspended[port]
            .iter()
            .map(|suspended| {
                let Suspended { waiting, until, over } = suspended;
                match over {
                    Some(over) => format!("`{}` has ended in cycle {over}: `{}`", waiting.request, waiting.expected),
                    None => format!("`{}` is suspended until {until}", waiting.request),
                }
            })
            .collect();
        let known = if waits.is_empty() { String::new() } else { format!("; {}", waits.join("; ")) };
        let what = format!("port {port} got an answer without a request: {response}{known}");
        Box::new(Failure { cycle, what, history: None })
    }
}
