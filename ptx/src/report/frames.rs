//! Code frames: of the kernel's source if available, of the PTX otherwise.

use super::Reporter;
use crate::source::{Complaint, PtxError};

/// What is told of an instruction.
pub(super) struct Told {
    /// The instruction.
    pub pc: usize,
    /// Message, in one line.
    pub message: String,
    /// What stands under its place.
    pub label: String,
    /// What else there is to say, a line each.
    pub help: Vec<String>,
    /// Other instructions that have to do with it, and what stands under them.
    pub others: Vec<(usize, String)>,
}

impl Reporter<'_> {
    /// Shows an instruction, and others.
    pub(super) fn show(&self, told: Told) -> PtxError {
        let Told { pc, message, label, mut help, others } = told;
        let Some(place) = self.texts.place(&self.at(pc)) else {
            let complaint = Complaint::new(self.program.span(pc), message, label);
            let also = |complaint: Complaint, (pc, label)| complaint.also(self.program.span(pc), label);
            return self.source.error(others.into_iter().fold(complaint, also).helps(help));
        };
        let mut labels = vec![(place.outer, label)];
        let mut inner = place.inner;
        for (pc, label) in others {
            match self.texts.place(&self.at(pc)).filter(|other| other.file == place.file) {
                None => help.insert(0, format!("{}: {label}", self.at(pc))),
                Some(other) => {
                    inner.extend(other.inner);
                    match labels.iter_mut().find(|(span, _)| *span == other.outer) {
                        Some((_, shown)) if *shown == label => {}
                        Some((_, shown)) => *shown += &format!("; {label}"),
                        None => labels.push((other.outer, label)),
                    }
                }
            }
        }
        for span in inner {
            if labels.iter().all(|(shown, _)| *shown != span) {
                labels.push((span, "inlined: this line".to_owned()));
            }
        }
        let mut labels = labels.into_iter();
        let (span, label) = labels.next().unwrap_or_default();
        let complaint = Complaint::new(span, message, label);
        place.text.error(labels.fold(complaint, |complaint, (span, label)| complaint.also(span, label)).helps(help))
    }
}
