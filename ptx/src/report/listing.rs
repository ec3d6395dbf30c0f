//! The text of a kernel with the places mentioned on a page.

use super::Reporter;
use crate::machine::End;
use crate::outcome::Outcome;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use txbar_testbench::record::{ListedFile, ListedPlace, Listing};

/// Bytes of a file that a page shows at most: 4 MiB.
const MOST_BYTES: usize = 1 << 22;

impl Reporter<'_> {
    /// Instructions that something is told of.
    fn named(outcome: &Outcome) -> BTreeSet<usize> {
        let traced = outcome.trace.iter().map(|traced| traced.pc);
        let mut named: BTreeSet<usize> = traced.collect();
        named.extend(outcome.findings.iter().flat_map(|(_, finding)| [Some(finding.pc), finding.shows]).flatten());
        for (_, hang) in outcome.hangs() {
            named.extend(hang.groups.iter().map(|group| group.pc).chain(hang.bugs.iter().map(|bug| bug.pc)));
        }
        if let End::Fault(fault) = &outcome.end {
            named.extend([Some(fault.pc), fault.beside.as_ref().map(|(pc, _)| *pc)].into_iter().flatten());
        }
        named
    }

    /// The files that the instructions of a run are from, as far as they are at hand: of the PTX otherwise.
    pub fn listing(&self, outcome: &Outcome) -> Listing {
        let mut listing = Listing::default();
        let mut numbers: HashMap<Option<usize>, usize> = HashMap::new();
        let mut places = BTreeMap::new();
        for at in Self::named(outcome).into_iter().map(|pc| self.at(pc)) {
            let place = self.texts.place(&at);
            let (text, line) =
                place.as_ref().map_or((self.source, at.line), |place| (place.text, place.text.line(place.outer)));
            if text.text().len() > MOST_BYTES {
                continue;
            }
            let file = *numbers.entry(place.map(|place| place.file)).or_insert_with(|| {
                listing.files.push(ListedFile { name: text.name().to_owned(), text: text.text().to_owned() });
                listing.files.len() - 1
            });
            places.entry(at.line).or_insert(ListedPlace { ptx_line: at.line, file, line, text: at.to_string() });
        }
        listing.places = places.into_values().collect();
        listing
    }

    /// Lines of the instructions that operations on barriers were of, by cycle, CTA, byte address and name of the operation; not where
    /// several instructions did the same at once.
    pub fn lines_of_operations(&self, outcome: &Outcome) -> HashMap<(u64, usize, u64, &'static str), Option<usize>> {
        let mut lines: HashMap<_, Option<usize>> = HashMap::new();
        for traced in &outcome.trace {
            let key = (traced.cycle, usize::from(traced.spot.cta), u64::from(traced.spot.offset), traced.op.name());
            let line = self.at(traced.pc).line;
            lines.entry(key).and_modify(|known| *known = known.filter(|known| *known == line)).or_insert(Some(line));
        }
        lines
    }
}
