//! Record of a kernel's operations on barriers, for a page.

use crate::Verdict;
use crate::report::{self, Outputs};
use crate::shell::output::Lines;
use crate::shell::wave_writer::WavesWritten;
use anyhow::Result;
use txbar_ptx::machine::End;
use txbar_ptx::machine::state::Spot;
use txbar_ptx::outcome::Outcome;
use txbar_ptx::report::Reporter;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_testbench::record::{Recorder, RunRecord};

/// Looks at the first cluster of a grid, if its record is wanted.
#[derive(Default)]
pub struct Look<'a> {
    wanted: Option<&'a Outputs>,
    /// Recorder.
    pub recorder: Option<Recorder>,
    /// The waves beside it, if they are wanted.
    pub waves: Option<WavesWritten>,
}

impl<'a> Look<'a> {
    /// Looks if these are wanted.
    pub fn new(outputs: &'a Outputs) -> Self {
        Self { wanted: Some(outputs), ..Self::default() }
    }

    /// The hardware is known.
    pub fn begin(&mut self, parameters: &ClusterParameters) -> Result<()> {
        if let Some(outputs) = self.wanted {
            self.recorder = outputs.of_cluster(parameters);
        }
        Ok(())
    }

    /// A cycle.
    pub fn at(&mut self, cluster: &Cluster, cycle: u64) {
        if let Some(recorder) = &mut self.recorder {
            recorder.look(cluster, cycle);
        }
    }
}

/// The record of a kernel.
pub fn record(reporter: &Reporter, outcome: &Outcome, verdict: Verdict, mut recorder: Recorder) -> RunRecord {
    let tally = &outcome.tally;
    let mut lines = Lines::default();
    lines.add("entry", &reporter.program.spelled).add("threads", tally.threads).add("cycles", tally.cycles);
    lines.add("instructions", tally.instructions).add("operations", tally.operations);
    lines.add("remote requests", tally.remote_requests).add("phases completed", tally.phases);
    let mut summary = match &outcome.end {
        End::Hang(_) => reporter.hangs(outcome),
        End::Fault(fault) => reporter.fault(fault).to_string(),
        End::Done | End::Refused(..) if verdict == Verdict::Pass => "the kernel is done".to_owned(),
        End::Done | End::Refused(..) => "the kernel is done; it misuses a barrier".to_owned(),
    };
    if outcome.clusters > 1 {
        let (clusters, last) = (outcome.clusters, outcome.cluster);
        summary +=
            &format!("\nthe timeline shows cluster 0 of {clusters}; cluster {last} was the last or stopped the grid");
    }
    // a fault or a hang ends the run: with the last cycle of the cluster that is shown
    let shown = outcome.cluster == 0;
    match &outcome.end {
        End::Hang(hang) if shown => recorder.mark(hang.since, "nothing has moved since"),
        End::Fault(fault) if shown => recorder.mark(recorder.cycles().saturating_sub(1), &fault.what),
        _ => {}
    }
    let mut record = report::record(verdict, summary, &lines, Some(recorder));
    record.hang = match &outcome.end {
        End::Hang(_) => reporter.hang_json(outcome),
        _ => Vec::new(), // whoever waits would go on
    };
    record.remarks = reporter.remarks_json(outcome);
    if let Some(timeline) = &mut record.timeline {
        let name = |cta: usize, address: u64| Some(reporter.symbol(Spot { cta: cta as u8, offset: address as u32 }));
        timeline.name_barriers(name);
        let named = reporter.lines_of_operations(outcome);
        timeline.name_lines(|cycle, cta, address, op| named.get(&(cycle, cta, address, op)).copied().flatten());
    }
    record.listing = Some(reporter.listing(outcome)).filter(|listing| !listing.files.is_empty());
    record
}
