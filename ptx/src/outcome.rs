//! Result of a launch.

use crate::element::{Element, ElementType, Format};
use crate::machine::findings::{Bug, Finding};
use crate::machine::hang::Hang;
use crate::machine::trace::Traced;
use crate::machine::{End, Machine, Tally, across};
use crate::memory::Printed;
use crate::program::Program;
use std::collections::HashSet;

/// A buffer after the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Name.
    pub name: String,
    /// Type of its elements.
    pub element: ElementType,
    /// Bytes.
    pub bytes: Vec<u8>,
    /// Whether it was given numbers.
    pub is_input: bool,
    /// Whether the kernel has changed it.
    pub has_changed: bool,
}

impl Buffer {
    /// Its elements, to be written so.
    pub fn elements(&self, format: Format) -> impl Iterator<Item = Element<'_>> {
        let ty = self.element;
        self.bytes.chunks(ty.bytes()).map(move |bytes| Element { ty, format, bytes })
    }
}

/// Result of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Result of the run.
    pub end: End,
    /// Number of the cluster that ended it, or of the last one.
    pub cluster: u32,
    /// Mistakes that were found, with the number of the cluster.
    pub findings: Vec<(u32, Finding)>,
    /// Races were looked for, and some accesses could not be judged: there was no room to remember them.
    pub incomplete: bool,
    /// How often threads executed the synchronisation that was to be ignored.
    pub ignored: u64,
    /// Counts of the operations performed.
    pub tally: Tally,
    /// All buffers, in the order of the parameters.
    pub buffers: Vec<Buffer>,
    /// CTAs of a cluster.
    pub ctas: usize,
    /// Clusters of the grid.
    pub clusters: u32,
    /// If it hangs: the other clusters that had begun and were not done, by number.
    pub others: Vec<(u32, Hang)>,
    /// Operations on barriers of the first cluster, as many as the settings ask for, the last ones.
    pub trace: Vec<Traced>,
    /// What its threads have printed.
    pub printed: Printed,
}

impl Outcome {
    /// The mistakes that were found, that of a fault, and those that a hang looks like.
    pub fn bugs(&self) -> Vec<Bug> {
        let mut bugs: Vec<Bug> = self.findings.iter().map(|(_, finding)| finding.bug).collect();
        match &self.end {
            End::Hang(_) => bugs.extend(self.hangs().flat_map(|(_, hang)| &hang.bugs).map(|diagnosis| diagnosis.bug)),
            End::Fault(fault) => bugs.extend(fault.bug),
            End::Done | End::Refused(..) => {}
        }
        bugs
    }

    /// The clusters that hang, by number.
    pub fn hangs(&self) -> impl Iterator<Item = (u32, &Hang)> {
        let first = if let End::Hang(hang) = &self.end { Some((self.cluster, hang)) } else { None };
        first.into_iter().chain(self.others.iter().map(|(number, hang)| (*number, hang)))
    }

    /// What clusters that hang wait for from each other.
    pub(super) fn settle_across(&mut self) {
        let first = if let End::Hang(hang) = &mut self.end { Some((self.cluster, hang)) } else { None };
        let others = self.others.iter_mut().map(|(number, hang)| (*number, hang));
        let mut hangs: Vec<(u32, &mut Hang)> = first.into_iter().chain(others).collect();
        if hangs.len() > 1 {
            across::settle(&mut hangs, self.ctas);
        }
        // one with a cause comes first
        let cause = self.others.iter().position(|(_, hang)| !hang.bugs.is_empty());
        if let (End::Hang(hang), Some(cause)) = (&mut self.end, cause)
            && hang.bugs.is_empty()
        {
            std::mem::swap(hang, &mut self.others[cause].1);
            std::mem::swap(&mut self.cluster, &mut self.others[cause].0);
            self.others.sort_by_key(|(number, _)| *number);
        }
    }

    /// Of races that are told of the same lines of the source (of an unrolled loop) the first is kept; what they follow from comes before
    /// them.
    pub(super) fn once_a_line(&mut self, program: &Program) {
        let mut told = HashSet::new();
        let lines = |pc: usize| -> Vec<(usize, u32)> {
            program.sources.frames(pc).iter().map(|frame| (frame.file, frame.line)).collect()
        };
        // where a phase has other bytes than were expected, waits come back too early, and races follow from that
        if self.findings.iter().any(|(_, finding)| finding.bug == Bug::ExpectTxBytes) {
            self.findings.sort_by_key(|(_, finding)| finding.accesses.is_some());
        }
        self.findings.retain(|(_, finding)| {
            let (here, there) = (lines(finding.pc), finding.shows.map(lines));
            let is_known = !here.is_empty() && there.as_ref().is_none_or(|there| !there.is_empty());
            finding.accesses.is_none() || !is_known || told.insert((finding.bug, here, there))
        });
    }

    /// A cluster has ended.
    pub(super) fn add(&mut self, number: u32, mut machine: Box<Machine>) {
        if number == 0 {
            self.trace = machine.take_trace();
        }
        let (end, tally, findings) = machine.finish();
        // where the hang names what is wrong with a barrier of the CTA, warps that meet there unordered follow from it
        let is_of_bar = |bug: Bug| matches!(bug, Bug::BarCount | Bug::BarSurplus);
        let named = matches!(&end, End::Hang(hang) if hang.bugs.iter().any(|cause| is_of_bar(cause.bug)));
        let follows = |finding: &Finding| named && finding.bug == Bug::BarSurplus && finding.accesses.is_some();
        for finding in findings.into_iter().filter(|finding| !follows(finding)) {
            // many clusters make the same mistake
            let of = |finding: &Finding| (finding.bug, finding.pc, finding.accesses.is_some().then_some(finding.shows));
            match self.findings.iter_mut().find(|(_, known)| of(known) == of(&finding)) {
                Some((_, known)) => known.times += finding.times,
                None => self.findings.push((number, finding)),
            }
        }
        self.tally.instructions += tally.instructions;
        self.tally.operations += tally.operations;
        self.tally.remote_requests += tally.remote_requests;
        self.tally.phases += tally.phases;
        self.tally.threads += tally.threads;
        match end {
            End::Hang(hang) if matches!(self.end, End::Hang(_)) => self.others.push((number, hang)),
            end if self.end == End::Done => (self.end, self.cluster) = (end, number),
            _ => {}
        }
    }
}
