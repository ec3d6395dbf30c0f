//! Faults to inject into the low-latency unit, by what they are in: forwarding, one update of one word, decoding and answering, groups,
//! waits, crossbar and queues, order, counters, checked mode. Those of the table with the wake mask are in [`super::wakes`].

use super::faults;
use txbar_rtl::bank::Bank;
use txbar_rtl::bank::decode;
use txbar_rtl::hdl::Bits;
use txbar_rtl::look::Point;
use txbar_rtl::low_latency::counters::Counter;
use txbar_rtl::low_latency::unit::Unit;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::Order;
use txbar_rtl::status::Status;
use txbar_rtl::word;

/// Replaces the word that a group leaves in a bank, wherever it goes.
fn replace_word(bank: &mut Bank, word: Bits<64>) {
    bank.alu.word.next = word;
    bank.ram.write_data.next = word;
    bank.word_c5.d.next = word;
}

/// The bank in which a port's request is done.
fn bank_of(unit: &mut Unit, port: usize) -> Option<&mut Bank> {
    unit.bank.iter_mut().find(|bank| bank.done.val().get_bit(port))
}

faults! {
    in Unit;
    // forwarding
    "forward-any-address", "forwarding is not qualified by the address", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.follows_c3.d.next = bank.writes_c2.q.val();
        }
    }
    "forward-not-next", "the word of the operation just ahead is not forwarded", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.follows_c3.d.next = false;
        }
    }
    "forward-not-second", "the word of the operation two ahead is not forwarded", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.follows_c4.d.next = false;
        }
    }
    "forward-not-third", "the word of the operation three ahead is not forwarded", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.follows_c5.d.next = false;
        }
    }
    "forward-not-fourth", "a read that meets a write of the same word trusts the memory", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.follows_c6.d.next = false;
        }
    }
    "forward-oldest", "of several operations on the word, the oldest is forwarded", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            if bank.follows_c5.d.val() {
                bank.follows_c4.d.next = false;
                bank.follows_c3.d.next = false;
            }
        }
    }

    // one update of one word
    "flip-without-reload", "a flip leaves pending at zero", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Committed) {
            if bank.alu.flips.val() {
                let word = bank.alu.word.val() & !word::PENDING.mask();
                replace_word(bank, word);
            }
        }
    }
    "flip-without-phase", "a flip does not flip the phase", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Committed) {
            if bank.alu.flips.val() {
                let word = bank.alu.word.val() ^ word::PHASE.mask();
                replace_word(bank, word);
            }
        }
    }
    "flip-ignores-tx", "a phase completes although bytes are missing", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.alu.tx_met.d.next = true;
            bank.alu.completes.d.next = bank.alu.pending_met.d.val();
        }
    }
    "flip-reloads-old-expected", "a drop that completes the phase is not taken from the reload", |unit, point, memo| {
        for (number, bank) in only(&mut unit.bank, point, Point::Settled).iter_mut().enumerate() {
            memo.data[number] = bank.alu.drops.val().raw(); // of the operation that flips in the next cycle
        }
        for (number, bank) in only(&mut unit.bank, point, Point::Committed).iter_mut().enumerate() {
            if bank.alu.flips.val() {
                let word = bank.alu.word.val();
                let pending = word::PENDING.of(word.raw()).wrapping_sub(memo.data[number]) & 0xf_ffff;
                let word = (word & !word::PENDING.mask()) | (pending << word::PENDING.lsb);
                replace_word(bank, word);
            }
        }
    }
    "tx-unsigned", "the tx-count is taken for unsigned: bytes that come early are a fault", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            let alu = &mut bank.alu;
            let field = word::TX.of(alu.stepped.d.val().raw());
            let negative = field != 0 && field >> 20 == 0; // stored negative: a clear sign is a tx-count below zero
            if alu.updates.val() && negative {
                alu.tx_carry.d.next = !alu.stepped.d.val().get_bit(word::TX_SIGN);
            }
        }
    }
    "tx-unchecked", "a tx-count that leaves its range wraps", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.alu.tx_carry.d.next = bank.alu.stepped.d.val().get_bit(word::TX_SIGN);
        }
    }
    "pending-wraps", "more arrivals than are pending wrap the count", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.alu.pending_left.d.next |= word::PENDING.of(bank.alu.base.val().raw()) != 0;
        }
    }
    "pending-empty-wraps", "an arrival where nothing is pending wraps the count", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.alu.pending_left.d.next |= word::PENDING.of(bank.alu.base.val().raw()) == 0;
        }
    }
    "expected-wraps", "more drops than are expected wrap the count", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.alu.expected_left.d.next = true;
        }
    }
    "drop-stays", "a drop is just an arrival", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Gathered) {
            bank.drops.d.next = 0.into();
            bank.drops_negative.d.next = 0.into();
        }
    }
    "fault-not-sticky", "an operation on a faulted word goes on", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            let alu = &mut bank.alu;
            alu.holds.d.next = !alu.updates.val();
            alu.holds_or_alone.d.next = !alu.updates.val() | !alu.follower.val();
        }
    }
    "posted-fault-silent", "a posted operation that faults leaves no trace in the word", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.alu.taints.d.next = false;
        }
    }
    "fault-always-taints", "an operation that is answered sets the fault bit too", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.alu.taints.d.next = bank.alu.updates.val();
        }
    }

    // decoding and answering
    "token-after", "the token shows the word after the operation", |unit, point, memo| {
        for port in each_port(unit, point, Point::Answered) {
            if unit.lane[port].reveal_upper_c4.q.val()
                && let Some(bank) = bank_of(unit, port)
            {
                let word = bank.alu.word.val() & 0xffff_ffff_0000_0000;
                unit.lane[port].content.next = word | (unit.lane[port].content.val() & 0xffff_ffff);
            }
        }
    }
    "token-late", "port 0 gets the data of its previous answer", |unit, point, memo| {
        if point == Point::Answered && unit.lane[0].answer.val() {
            let data = unit.lane[0].content.val().raw();
            unit.lane[0].content.next = std::mem::replace(&mut memo.data[0], data).into();
        }
    }
    "wait-ignores-operand", "a wait answers the phase bit itself", |unit, point, memo| {
        for port in each_port(unit, point, Point::Answered) {
            let lane = &mut unit.lane[port];
            if lane.waits_c4.q.val() && !lane.faulted.val() {
                lane.predicate.next = lane.old.val().get_bit(word::PHASE.lsb);
            }
        }
    }
    "operand-20-bits", "bits of an operand above the twentieth are ignored", |unit, point, memo| {
        for port in each_port(unit, point, Point::Gathered) {
            let decode = &mut unit.decode[port];
            if decode::BOUNDED.get_bit(decode.op.q.val().index()) {
                decode.data.q.next = decode.data.q.val() & 0xf_ffff;
            }
        }
    }
    "address-wraps", "an address outside the memory comes round again", |unit, point, memo| {
        for port in each_port(unit, point, Point::Gathered) {
            unit.decode[port].outside.q.next = false;
        }
    }
    "strobe-ignored", "a store writes all bytes", |unit, point, memo| {
        for port in each_port(unit, point, Point::Gathered) {
            unit.decode[port].strobe.q.next = 0xff.into();
        }
    }
    "init-keeps-tx", "init does not clear the tx-count", |unit, point, memo| {
        if point == Point::Gathered {
            for port in (0..unit.ports).filter(|port| unit.decode[*port].inits.q.val()) {
                for bank in unit.bank.iter_mut().filter(|bank| bank.members_c2.q.val().get_bit(port)) {
                    bank.replace.d.next = (!word::TX.mask()).into();
                }
            }
        }
    }
    "inval-clears", "inval clears the word", |unit, point, memo| {
        if point == Point::Settled {
            for port in 0..unit.ports {
                let decode = &mut unit.decode[port];
                if decode.op.q.val() == Op::Inval && decode.go.val() {
                    decode.inits.d.next = true;
                    decode.amount_negative.d.next = 0.into();
                    for bank in unit.bank.iter_mut().filter(|bank| bank.members_c1.q.val().get_bit(port)) {
                        bank.writes_c2.d.next = true;
                    }
                }
            }
        }
    }
    "remote-token", "a remote arrival is given a token", |unit, point, memo| {
        for port in each_port(unit, point, Point::Settled) {
            let decode = &mut unit.decode[port];
            let token = decode.go.val() & decode::TOKEN.get_bit(decode.op.q.val().index());
            decode.reveal_upper.d.next |= token;
        }
    }

    // groups
    "join-any-address", "requests on different words of a bank are done as one", |unit, point, memo| {
        if point == Point::Granted {
            for port in 0..unit.ports {
                let others = (0..unit.ports).filter(|other| *other != port);
                let joins = &unit.combine[0].joins;
                let joining = others.filter(|other| joins[*other].val() & joins[port].val());
                unit.combine[0].partners[port].next = joining.fold(0u64, |mask, other| mask | 1 << other).into();
            }
        }
    }
    "join-anything", "stores and the like are done in groups, too", |unit, point, memo| {
        if point == Point::Granted {
            for port in 0..unit.ports {
                let address = unit.req[port].address.val();
                let same = (0..unit.ports).filter(|other| *other != port && unit.req[*other].address.val() == address);
                unit.combine[0].partners[port].next = same.fold(0u64, |mask, other| mask | 1 << other).into();
            }
        }
    }
    "prefix-missing", "every token of a group is that of the first arrival", |unit, point, memo| {
        for port in each_port(unit, point, Point::Gathered) {
            unit.lane[port].ahead.d.next = 0.into();
        }
    }
    "prefix-stale", "the tokens of a group count the arrivals ahead in the group before", |unit, point, memo| {
        for port in each_port(unit, point, Point::Gathered) {
            let ahead = unit.lane[port].ahead.d.val().raw();
            unit.lane[port].ahead.d.next = std::mem::replace(&mut memo.data[port], ahead).into();
        }
    }
    "prefix-without-bytes", "the tokens of a group do not show bytes expected ahead of them", |unit, point, memo| {
        for port in each_port(unit, point, Point::Gathered) {
            unit.lane[port].ahead_tx.d.next = 0.into();
        }
    }
    "prefix-in-replay", "the tokens of members that are replayed count those ahead twice", |unit, point, memo| {
        if point == Point::Committed {
            for bank in unit.bank.iter_mut() {
                bank.replayed.next = false;
            }
        }
    }
    "sum-drops-late-bytes", "bytes completed in a group with arrivals are lost", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Gathered) {
            if bank.arrives.d.val() && bank.completes.d.val() && !bank.expects.d.val() {
                bank.tx.d.next = 0.into();
                bank.tx_negative.d.next = 0.into();
            }
        }
    }
    "group-never-splits", "a group that crosses a phase or faults is done whole", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.alu.group.d.next = false;
        }
    }
    "group-crosses", "a group is done whole although its phase completes on the way", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            bank.alu.mixed.d.next = false;
            bank.alu.completing.d.next = false;
            bank.alu.expecting_alone.d.next = false;
        }
    }
    "group-strays", "a group is done whole although its tx-count leaves its range on the way", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Committed) {
            let alu = &bank.alu;
            let only = alu.strays.val() & !alu.refuses.val() & !alu.crosses.val() & !alu.old.q.val().get_bit(42);
            if bank.splits.val() && only {
                bank.splits.next = false;
                bank.done.next = bank.members_c4.q.val();
                bank.flips.next = alu.completes.q.val() && !alu.holds.q.val();
                bank.ram.write_enable.next = bank.writes_c4.q.val();
            }
        }
    }
"overrun-turns-once", "a group that completes two phases turns the phase bit over once", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Committed) {
            if bank.flips.val() && bank.more.iter().any(|more| more.val().get_bit(0)) {
                replace_word(bank, bank.alu.word.val() ^ word::PHASE.mask());
            }
        }
    }
    "overrun-loses-rest", "arrivals behind the one that completes the phase are lost", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Committed) {
            if bank.flips.val() && bank.alu.overrun.iter().any(|overrun| overrun.over.q.val()) {
                let word = bank.alu.word.val().raw();
                let expected = word::EXPECTED.of(word) << word::PENDING.lsb;
                replace_word(bank, (word & !word::PENDING.mask() | expected).into());
            }
        }
    }
    "overrun-token-of-old-phase", "tokens behind the end of a phase are those of the phase before", |unit, point, memo| {
        for port in each_port(unit, point, Point::Answered) {
            let lane = &mut unit.lane[port];
            if lane.laps.iter().any(|laps| laps.reaches.val()) && !lane.replayed.val() && lane.reveal_upper_c4.q.val() {
                let old = lane.old.val().raw();
                let pending = old.wrapping_add(lane.ahead_c4.q.val().raw() << word::PENDING.lsb);
                let token = (old & !word::PENDING.mask() | pending & word::PENDING.mask()) >> 32 << 32;
                lane.content.next = token.into();
            }
        }
    }
    "overrun-hides-flip", "a group that completes two phases reports none, and wakes nobody", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Committed) {
            if bank.more.iter().any(|more| more.val().get_bit(0)) {
                bank.flips.next = false;
                bank.more.iter_mut().for_each(|more| more.next = 0.into());
            }
        }
    }
    "overrun-wait-sees-one", "a wait behind two phases that complete in a group sees one", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Committed) {
            bank.more.iter_mut().for_each(|more| more.next = 0.into());
        }
    }
    "overrun-of-any-count", "arrivals of any count are done as if they were of one where a phase ends", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Gathered) {
            bank.singles.iter_mut().for_each(|singles| singles.d.next = true);
        }
    }
    "overrun-forgets-following", "what follows a group in which a phase ends sees the expected count pending", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            let alu = &mut bank.alu;
            let over = alu.overrun.iter().any(|overrun| overrun.over.q.val());
            if over && !alu.choose_held.val() && alu.moves_on.val() {
                let arrivals = alu.arrivals.val();
                let pending = (alu.stepped_expected.val() + arrivals).raw() << word::PENDING.lsb;
                let stepped = alu.stepped.d.val().raw() & !word::PENDING.mask() | pending & word::PENDING.mask();
                alu.stepped.d.next = stepped.into();
            }
        }
    }
    "replay-forgets-last", "the last member of a split group is not replayed", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            if bank.splits.val() {
                let left = bank.replay[0].left.d.val();
                bank.replay[0].left.d.next = left & (left - 1);
            }
        }
    }
    "replay-from-stale-word", "what follows a split group sees the word before it", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Settled) {
            if !bank.advance.val() {
                bank.alu.stored.d.next = bank.alu.stored.q.val();
            }
        }
    }
    "replay-does-not-stop", "requests are accepted while a split group is replayed", |unit, point, memo| {
        if point == Point::Requested {
            unit.advance.next = true;
        }
    }
    "commit-twice", "what has been done is done again when another bank replays", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Committed) {
            let alone = bank.stood.val() && !bank.turn_c4.val().any() && !bank.turn.val().any();
            if alone && bank.members_c4.q.val().any() {
                bank.done.next = bank.members_c4.q.val();
            }
        }
    }

    // suspended waits
    "wake-lost-when-parked", "a completion right behind a wait that is being suspended does not wake it", |unit, point, memo| {
        for port in each_port(unit, point, Point::Settled) {
            let waiters = &mut unit.waiters[port];
            for met in waiters.met.iter_mut() {
                met.d.next = met.d.val() & !Bits::from(memo.data[port]);
            }
            memo.data[port] = waiters.place.val().raw();
        }
    }
    "wake-first-only", "a completion wakes one of those that wait for it", |unit, point, memo| {
        for port in each_port(unit, point, Point::Settled) {
            let waiters = &mut unit.waiters[port];
            let waking = waiters.waking.val();
            let others = waking & (waking - (waking.any() as u64));
            waiters.parked.d.next = waiters.parked.d.val() | others;
            waiters.over.d.next = waiters.over.d.val() & !others;
            waiters.success.d.next = waiters.success.d.val() & !others;
        }
    }
    "wake-any-word", "a completion wakes those that wait for other words, too", |unit, point, memo| {
        for port in each_port(unit, point, Point::Settled) {
            let waiters = &mut unit.waiters[port];
            if waiters.waking.val().any() {
                let parked = waiters.parked.q.val();
                waiters.parked.d.next = waiters.place.val();
                waiters.over.d.next = waiters.over.d.val() | parked;
                waiters.success.d.next = waiters.success.d.val() | parked;
            }
        }
    }
    "wake-other-bank", "a completion in another bank than the first wakes nobody", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Answered) {
            waiters.flips.d.next = waiters.flips.d.val() & 1;
        }
    }
    "wake-as-timeout", "a wait that is woken is told that its phase has not completed", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            waiters.success.d.next = 0.into();
        }
    }
    "deadline-early", "time limits are a cycle too short", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            waiters.deadlines.gives_up.d.next = waiters.deadlines.gives_up.d.val() - 10;
        }
    }
    "deadline-late", "time limits are a cycle too long", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            waiters.deadlines.gives_up.d.next = waiters.deadlines.gives_up.d.val() + 10;
        }
    }
    "deadline-never", "the time of a suspended wait is never over", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            let early = waiters.ending.val() & !waiters.waking.val() & !waiters.going.val();
            waiters.parked.d.next = waiters.parked.d.val() | early;
            waiters.over.d.next = waiters.over.d.val() & !early;
        }
    }
    "deadline-short-missed", "a time limit that is over at the next tick is not looked at before that", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            waiters.deadlines.placed.d.next = 0.into();
        }
    }
    "deadline-entry-skipped", "the time limit of the first entry is not looked at once it is suspended", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            waiters.deadlines.ring.d.next = waiters.deadlines.ring.d.val() & !Bits::from(1);
        }
    }
    "park-overwrites", "a wait is suspended in a place that is taken", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Answered) {
            if waiters.parks.val() {
                waiters.place.next = 1.into();
                waiters.spot_index.next = 0.into();
            }
        }
    }
    "park-complete", "a wait is suspended although its phase has completed", |unit, point, memo| {
        if point == Point::Committed {
            for lane in unit.lane.iter_mut() {
                lane.flips.next = false;
            }
        }
        for port in each_port(unit, point, Point::Answered) {
            let waiters = &mut unit.waiters[port];
            let wrong = waiters.done.val() && waiters.deadlines.bounded.q.val() && !waiters.parks.val();
            let taken = waiters.parked.q.val() | waiters.over.q.val() | waiters.chosen.q.val();
            if wrong && !taken.any() && waiters.roomy.q.val() {
                waiters.parks.next = true;
                waiters.place.next = 1.into();
                waiters.spot_index.next = 0.into();
            }
        }
    }
    "park-keeps-place", "a suspended wait keeps its place in the response queue", |unit, point, memo| {
        for port in each_port(unit, point, Point::Requested) {
            unit.queue[port].withdraw.next = false;
        }
    }
    "test-suspends", "test_wait is suspended, too", |unit, point, memo| {
        for port in each_port(unit, point, Point::Settled) {
            let deadlines = &mut unit.waiters[port].deadlines;
            deadlines.suspends_c2.d.next = decode::WAITING.get_bit(deadlines.op.q.val().index());
        }
    }
    "inval-leaves-waiters", "those that wait for a barrier are not told that it has ended", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Answered) {
            waiters.ended.d.next = 0.into();
        }
    }
    "inval-wakes-as-complete", "those that wait for a barrier that ends are told that their phase has completed", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            waiters.gone.d.next = 0.into();
            waiters.success.d.next = waiters.success.d.val() | waiters.going.val();
        }
    }
    "refused-ends-barrier", "an init that is refused cancels the waits on the barrier", |unit, point, memo| {
        if point == Point::Answered {
            for bank in 0..unit.banks {
                let ports = (0..unit.ports).filter(|port| unit.bank[bank].done.val().get_bit(*port));
                if ports.clone().any(|port| unit.ending[port].ends_c4.q.val()) {
                    for waiters in unit.waiters.iter_mut() {
                        waiters.ended.d.next = waiters.ended.d.val() | (1 << bank);
                    }
                }
            }
        }
    }
    "waiters-starve", "answers of the queue always come first", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            waiters.prefer.d.next = false;
        }
    }

    // crossbar and queues
    "bank-ignored", "the bank of a request is that of the request before", |unit, point, memo| {
        if point == Point::Granted && memo.every(50) {
            for lane in unit.lane.iter_mut() {
                lane.index.d.next = 0.into();
            }
            let banks = unit.banks;
            let requests: Vec<_> = unit.bank.iter().map(|bank| (bank.lead.val(), bank.request.val())).collect();
            for (number, bank) in unit.bank.iter_mut().enumerate() {
                (bank.lead.next, bank.request.next) = requests[(number + 1) % banks];
            }
        }
    }
    "wrong-outcome", "every hundredth answer is that of another bank", |unit, point, memo| {
        if point == Point::Committed && memo.every(100) {
            let old = unit.bank[0].old.val();
            for bank in unit.bank.iter_mut() {
                bank.old.next = old;
            }
        }
    }
    "wrong-port", "every hundredth answer goes to the next port", |unit, point, memo| {
        for port in each_port(unit, point, Point::Requested) {
            let next = (port + 1) % unit.ports;
            if unit.queue[port].push.val() && !unit.queue[next].push.val() && memo.every(100) {
                unit.queue[port].push.next = false;
                unit.queue[next].push.next = true;
            }
        }
    }
    "tag-lost", "every hundredth answer has tag 0", |unit, point, memo| {
        for port in each_port(unit, point, Point::Requested) {
            if unit.queue[port].push.val() && memo.every(100) {
                unit.queue[port].push_tag.next = 0.into();
            }
        }
    }
    "answer-dropped", "every hundredth answer is lost", |unit, point, memo| {
        for port in each_port(unit, point, Point::Requested) {
            if unit.queue[port].push.val() && memo.every(100) {
                unit.queue[port].push.next = false;
            }
        }
    }
    "answer-not-held", "an answer that is not taken at once is gone", |unit, point, memo| {
        for port in each_port(unit, point, Point::Requested) {
            unit.queue[port].ready.next = true;
        }
    }
    "queue-overflows", "requests are accepted although their answers have no room", |unit, point, memo| {
        if point == Point::Requested {
            let all = (1u64 << unit.ports) - 1;
            unit.room.next = all.into();
        }
    }
    // order
    "acquire-ignored", "later requests pass one that acquires", |unit, point, memo| {
        for port in each_port(unit, point, Point::Requested) {
            unit.req_order[port].next = unit.req_order[port].val() & Bits::from(!(1 << Order::ACQUIRE) & 7);
        }
    }
    "release-ignored", "one that releases passes earlier ones", |unit, point, memo| {
        for port in each_port(unit, point, Point::Requested) {
            unit.req_order[port].next = unit.req_order[port].val() & Bits::from(!(1 << Order::RELEASE) & 7);
        }
    }
    "passes-anything", "a request passes the slot on its own bank and with its own tag", |unit, point, memo| {
        for issue in only(&mut unit.issue, point, Point::Requested) {
            if issue.full.q.val() && issue.slot_order.q.val().raw() == 0 {
                issue.slot_address.q.next = issue.slot_address.q.val() ^ Bits::from(8);
            }
        }
    }
    "wait-holds-nobody", "a suspended acquire wait does not hold its thread", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            waiters.holds.acquiring.d.next = 0.into();
        }
    }
    "wait-holds-late", "an acquire wait holds its thread only once it is suspended", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Requested) {
            let holds = &mut waiters.holds;
            (holds.meets_c1.next, holds.meets_c2.next, holds.meets_c3.next, holds.meets_c4.next) = Default::default();
            holds.meets.next = (holds.hits.val() & holds.acquiring.q.val()).any();
        }
    }
    "wait-holds-from-next", "what comes right behind an acquire wait of its thread may pass the slot", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Requested) {
            let holds = &waiters.holds;
            let seen = !holds.blocked.q.val() && holds.seen.q.val() == holds.coming_thread.val();
            waiters.looked.next = waiters.looked.val() || seen;
        }
    }
    "wait-holds-slot-early", "a wait does not hold the request in the slot once it is suspended", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            let holds = &mut waiters.holds;
            if holds.from_c4.val() {
                holds.slot_holds.d.next = holds.slot_holds.d.val() & !holds.place.val();
            }
        }
    }
    "wait-holds-slot-late", "a wait in the pipeline does not hold the request that comes into the slot", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            let holds = &mut waiters.holds;
            if holds.loads.val() {
                (holds.near_c2.d.next, holds.near_c3.d.next, holds.near_c4.d.next) = Default::default();
            }
        }
    }
    "wait-holds-on", "a wait that is over still holds its thread", |unit, point, memo| {
        for waiters in only(&mut unit.waiters, point, Point::Settled) {
            let holds = &mut waiters.holds;
            holds.acquiring.d.next = holds.acquiring.d.val() | holds.acquiring.q.val();
        }
    }
    "slot-overwritten", "a request goes into the slot although there is something in it", |unit, point, memo| {
        for port in each_port(unit, point, Point::Settled) {
            let (ready, mine) = (unit.req_ready.val(), 1u64 << port);
            let waits = unit.req_valid.val().get_bit(port) && !ready.get_bit(port) && unit.issue[port].full.q.val();
            if waits && memo.every(50) {
                unit.issue[port].full.d.next = false;
                unit.req_ready.next = ready | Bits::from(mine);
            }
        }
    }

    // counters
    "count-from-nowhere", "an operation is counted although the one in c4 is not done", |unit, point, memo| {
        for counters in only(&mut unit.counters, point, Point::Settled) {
            if !counters.done.val() && memo.every(100) {
                counters.shown.write_enable.next = true;
                counters.counted.write_enable.next = true;
            }
        }
    }
    "count-lost", "of two operations of a kind right behind each other, one is counted", |unit, point, memo| {
        for (port, counters) in only(&mut unit.counters, point, Point::Settled).iter_mut().enumerate() {
            let op = counters.op_c4.q.val().raw() + 1;
            if counters.done.val() && memo.data[port] == op {
                counters.counted.write_enable.next = false;
            }
            memo.data[port] = if counters.done.val() { op } else { 0 };
        }
    }
    "count-stale", "a register shows the count that it is about to have", |unit, point, memo| {
        for counters in only(&mut unit.counters, point, Point::Answered) {
            if counters.reads_c4.q.val() && counters.number_c4.q.val().raw() == u64::from(Counter::Cycles.number()) {
                counters.value.next = counters.value.val() + 1;
            }
        }
    }
    "stalls-uncounted", "cycles in which a port waits are not counted", |unit, point, memo| {
        for counters in only(&mut unit.counters, point, Point::Settled) {
            counters.stalled.d.next = counters.stalled.q.val();
        }
    }
    "high-water-falls", "the most waits at once are those of now", |unit, point, memo| {
        for counters in only(&mut unit.counters, point, Point::Settled) {
            counters.most.d.next = counters.waits.val();
        }
    }
    "flips-once", "phases that complete in one cycle count as one", |unit, point, memo| {
        if point == Point::Settled {
            for totals in unit.totals.iter_mut() {
                if totals.now.val().raw() > 1 {
                    totals.flips.d.next = totals.flips.q.val() + 1;
                }
            }
        }
    }
    // checked mode
    "checked-outlives", "a barrier lives on after inval or a store", |unit, point, memo| {
        for shadow in only(&mut unit.shadow, point, Point::Settled) {
            shadow.bits.write_data.next = shadow.bits.write_data.val() | Bits::from(shadow.live.val() as u64);
        }
    }
    "checked-unborn", "a barrier does not live until it is operated on again", |unit, point, memo| {
        for shadow in only(&mut unit.shadow, point, Point::Settled) {
            if shadow.begins.val() && !shadow.live.val() {
                shadow.bits.write_enable.next = false;
            }
        }
    }
    "checked-seen-for-good", "a phase that nobody has seen complete counts as seen", |unit, point, memo| {
        for shadow in only(&mut unit.shadow, point, Point::Settled) {
            if shadow.flips.val() {
                shadow.bits.write_data.next = shadow.bits.write_data.val() | Bits::from(2);
            }
        }
    }
    "checked-woken-blind", "a wait that is woken has not seen its phase complete", |unit, point, memo| {
        for shadow in only(&mut unit.shadow, point, Point::Settled) {
            if shadow.flips.val() && !shadow.sees.val() {
                shadow.bits.write_data.next = shadow.bits.write_data.val() & Bits::from(1);
            }
        }
    }
    "checked-neighbour", "what is known of a word is kept beside its neighbour", |unit, point, memo| {
        for shadow in only(&mut unit.shadow, point, Point::Settled) {
            shadow.bits.write_address.next = (shadow.row.val().raw() ^ 1).into();
        }
    }
    "checked-any-promise", "a promise is broken by whoever completes the phase", |unit, point, memo| {
        for check in only(&mut unit.check, point, Point::Answered) {
            if check.followed.val() && check.flips.val() && check.status.val() == Status::Ok {
                check.verdict.next = Status::NoCompleteCompleted.into();
            }
        }
    }
    "checked-faults-first", "a fault of the word hides that there is no barrier", |unit, point, memo| {
        for check in only(&mut unit.check, point, Point::Answered) {
            if check.status.val() != Status::Ok {
                check.verdict.next = check.status.val();
            }
        }
    }

    "arbiter-unfair", "the lowest port is always served first", |unit, point, memo| {
        for bank in only(&mut unit.bank, point, Point::Granted) {
            bank.arbiter.served.d.next = 0.into();
        }
    }
}

/// Blocks of one kind, at one point; none at the others.
fn only<T>(blocks: &mut [T], point: Point, at: Point) -> &mut [T] {
    if point == at { blocks } else { &mut [] }
}

/// The ports, at one point; none at the others.
fn each_port(unit: &Unit, point: Point, at: Point) -> std::ops::Range<usize> {
    if point == at { 0..unit.ports } else { 0..0 }
}
