//! What passes the door of a CTA's memory: beats that are stored, each byte of which some copy, box or other CTA is to have sent, and
//! blocks that are read for copies.

use super::{Combined, Entry, Landing, Range, Tap, failure, forget_landed};
use crate::cluster::global;
use crate::cluster::outgoing::{Due, named};
use crate::reduction::reduce_word;
use crate::scoreboard::{Failure, each};
use txbar_rtl::cluster::cta::Cta;
use txbar_rtl::word::address::BEAT_WORDS;

impl Range {
    /// Whether a byte at an address is one that has not come yet.
    fn awaits(&self, (at, value): (u32, u8)) -> bool {
        let offset = at.wrapping_sub(self.shared) as usize;
        if let Some(content) = &self.content {
            return self.came.get(offset) == Some(&false) && content[offset] == Some(value);
        }
        let from = self.global + offset as u64;
        self.came.get(offset) == Some(&false) && value == (global::word(from & !7) >> (from % 8 * 8)) as u8
    }
}

impl Tap {
    /// A beat is shown.
    pub(super) fn show(&mut self, cta: &Cta) {
        let unit = &cta.unit;
        let strobe = unit.write_strobe[0].val().raw() as u32;
        let data = std::array::from_fn(|word| unit.write_data[0][word].val().raw());
        let missing =
            (0..BEAT_WORDS).filter(|word| strobe >> (word * 8) & 0xff != 0).fold(0, |mask, word| mask | 1 << word);
        let index = unit.write_address[0].val().raw() as usize / 8;
        self.landings.push_back(Landing { index, strobe, data, missing });
        let word = |word: usize| self.scoreboard.word(index + word);
        let operand = |word: usize| cta.reducer.operand[word].val().raw();
        self.combined = cta.reducer.stores.val().then(|| Combined {
            before: std::array::from_fn(word),
            operand: std::array::from_fn(operand),
            reduction: cta.reducer.code.val().raw() as u8,
        });
        self.shown = Some((index, strobe));
    }

    /// A beat is taken.
    pub(super) fn land(&mut self, cycle: u64, cta: &Cta) -> Result<(), Box<Failure>> {
        let unit = &cta.unit;
        let address = unit.write_address[0].val().raw() as u32;
        let strobe = unit.write_strobe[0].val().raw() as u32;
        let data: [u64; BEAT_WORDS] = std::array::from_fn(|word| unit.write_data[0][word].val().raw());
        let taken = Some((address as usize / 8, strobe));
        if std::mem::take(&mut self.shown) != taken {
            return Err(failure(cycle, format!("CTA {}: a beat is exchanged before it is taken", self.rank)));
        }
        let barrier = cta.completer.barrier.val().raw() as u32;
        if self.takes_awaited(barrier, address, strobe, &data) {
            return Ok(());
        }
        self.copied += u64::from(strobe.count_ones());
        // a beat belongs to one copy: the one that all its bytes fit
        let bytes: Vec<(u32, u8)> = each(u64::from(strobe))
            .map(|byte| (address + byte as u32, (data[byte / 8] >> (byte % 8 * 8)) as u8))
            .collect();
        if self.fills_boxes(barrier, &bytes) {
            return Ok(());
        }
        // or each half to one, on the same barrier
        let whole = self.range_of(&bytes, None).map(|place| vec![(place, &bytes[..])]);
        let (lower, upper) = bytes.split_at(bytes.iter().take_while(|(at, _)| *at < address + 16).count());
        let halves = || {
            let first = self.range_of(lower, Some(barrier))?;
            Some(vec![(first, lower), (self.range_of(upper, Some(barrier))?, upper)])
        };
        let Some(parts) = whole.or_else(halves) else {
            let what = format!("CTA {}: no copy stores {data:x?} at {address:#x}, bytes {strobe:032b}", self.rank);
            return Err(failure(cycle, what));
        };
        for (place, bytes) in parts {
            self.fill(place, bytes);
        }
        self.ranges.retain(|range| range.came.contains(&false));
        Ok(())
    }

    /// The copy that awaits all of these bytes, and completes on this barrier if it is said.
    fn range_of(&self, bytes: &[(u32, u8)], barrier: Option<u32>) -> Option<usize> {
        let fits = |range: &Range| {
            let is_on = barrier.is_none_or(|barrier| range.barrier == Some(barrier));
            range.content.is_none() && is_on && bytes.iter().all(|byte| range.awaits(*byte))
        };
        self.ranges.iter().position(fits)
    }

    /// These bytes of a copy have come.
    fn fill(&mut self, place: usize, bytes: &[(u32, u8)]) {
        let range = &mut self.ranges[place];
        for (at, _) in bytes {
            range.came[(at - range.shared) as usize] = true;
        }
        if let (Some((thread, number)), false) = (range.copy, range.came.contains(&false)) {
            for entry in &mut self.entries[thread] {
                if let Entry::Copy { number: its_number, landed } = entry {
                    *landed |= *its_number == number;
                }
            }
            forget_landed(&mut self.entries[thread]);
        }
        if let Some(barrier) = range.barrier {
            self.bytes.entry(barrier).or_default().landed += bytes.len() as u64;
        }
    }

    /// Whether all bytes of a beat are of boxes of tensors that are completed on a barrier. What is filled looks the same in all of them, so
    /// each byte is of any that awaits it.
    fn fills_boxes(&mut self, barrier: u32, bytes: &[(u32, u8)]) -> bool {
        let is_box = |range: &Range| range.content.is_some() && range.barrier == Some(barrier);
        let awaited = |byte: &(u32, u8)| self.ranges.iter().any(|range| is_box(range) && range.awaits(*byte));
        if !bytes.iter().all(awaited) {
            return false;
        }
        for byte in bytes {
            if let Some(range) = self.ranges.iter_mut().find(|range| is_box(range) && range.awaits(*byte)) {
                range.came[(byte.0 - range.shared) as usize] = true;
            }
        }
        self.bytes.entry(barrier).or_default().landed += bytes.len() as u64;
        self.ranges.retain(|range| range.came.contains(&false));
        true
    }

    /// Whether a beat is one of those that are awaited: what it stores is what they say, or what they make of the memory.
    fn takes_awaited(&mut self, barrier: u32, address: u32, strobe: u32, data: &[u64; BEAT_WORDS]) -> bool {
        let combined = self.combined.take();
        // minima and the like of several sources can look the same: what came for them tells them apart
        let (reduction, came) = combined.map_or((0, *data), |it| (it.reduction, it.operand));
        let due = Due { reduction, bytes: named(address.into(), strobe, &came) };
        let place = self.awaited.iter().position(|(on, awaited)| *on == barrier && *awaited == due);
        let is_result = |Combined { before, .. }: Combined| {
            (0..BEAT_WORDS).all(|word| {
                let bytes = (strobe >> (word * 8)) as u8;
                let left = reduce_word(reduction, before[word], came[word], bytes);
                reduce_word(0, left, data[word], bytes) == left
            })
        };
        let Some(place) = place.filter(|_| combined.is_none_or(is_result)) else { return false };
        self.awaited.remove(place);
        self.bytes.entry(barrier).or_default().landed += due.bytes.len() as u64;
        if due.reduction == 0 {
            self.copied += due.bytes.len() as u64;
        } else {
            self.reduced += due.bytes.len() as u64;
        }
        true
    }

    /// What is read at the door: for copies it must be what the model says, at the moment at which it is found.
    pub(super) fn look(&mut self, cycle: u64, cta: &Cta) -> Result<(), Box<Failure>> {
        let unit = &cta.unit;
        if unit.write_taken[0].val() && unit.write_errand[0].val().raw() == 1 {
            let [address, strobe] = [unit.write_address[0].val().raw(), unit.write_strobe[0].val().raw()];
            self.reading.push_back((address as u32, strobe as u32, cta.sender.reads_of_box().is_some()));
        }
        if unit.read_errand[0].val().raw() != 1 {
            return Ok(());
        }
        let Some((address, strobe, of_box)) = self.reading.pop_front() else {
            return Err(failure(cycle, format!("CTA {}: words are found that nobody reads", self.rank)));
        };
        let data: [u64; BEAT_WORDS] = std::array::from_fn(|word| unit.read_data[0][word].val().raw());
        for (word, found) in data.into_iter().enumerate() {
            let bytes = (strobe >> (word * 8)) as u8;
            let index = address as usize / 8 + word;
            // with few banks the words of a block are found one after the other
            if self.parameters.unit.banks >= BEAT_WORDS && bytes != 0 {
                let should = self.scoreboard.word(index);
                if reduce_word(0, should, found, bytes) != should {
                    let what = format!("CTA {}: word {index} is read as {found:016x}, is {should:016x}", self.rank);
                    return Err(failure(cycle, what));
                }
            }
        }
        self.read = Some((named(address.into(), strobe, &data), of_box));
        Ok(())
    }

    /// Words that are stored reach the model.
    pub(super) fn store(&mut self, cycle: u64, cta: &Cta) -> Result<(), Box<Failure>> {
        for index in cta.unit.stored_by_copies() {
            let due = self.landings.front_mut().and_then(|landing| {
                let word =
                    index.checked_sub(landing.index).filter(|word| *word < 64 && landing.missing >> word & 1 != 0);
                word.map(|word| (landing, word))
            });
            let Some((landing, word)) = due else {
                let what = format!("CTA {}: a copy stores word {index}, which did not land", self.rank);
                return Err(failure(cycle, what));
            };
            landing.missing &= !(1 << word);
            self.scoreboard.copy(index, landing.data[word], (landing.strobe >> (word * 8)) as u8);
            if landing.missing == 0 {
                self.landings.pop_front();
            }
        }
        Ok(())
    }
}
