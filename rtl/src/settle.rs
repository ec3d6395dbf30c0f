//! The order in which every block settles. Derived from what its processes read and drive, and written by
//! `TXBAR_UPDATE_ORDER=1 cargo test -p txbar-rtl schedule`; of a process or block that is no more, delete the name before.

use crate::hdl::settle;

settle! { [crate::bank] Bank inline:
    settle_1 { alu.settle_1(), Commit }
    settle_2 { Compare }
    settle_3 { Operands, Select, alu.settle_2() }
    settle_4 { Fetch }
    settle_5 { Arbitrate, arbiter.settle(), Lead, Split, each replay.settle() }
}
settle! { [crate::bank::alu] Alu inline:
    settle_1 { each overrun.settle_1(), Commit }
    settle_2 { Update, Overtake, each overrun.settle_2() }
}
settle! { [crate::bank::decode] Decode inline: settle { Replace, Check, Deltas, Contents } }
settle! { [crate::bank::lane] Lane inline: settle { Follow, each laps.settle(), Answer, Carry } }
settle! { [crate::bank::laps] Laps inline: settle { Run } }
settle! { [crate::bank::overrun] Overrun inline:
    settle_1 { Tell }
    settle_2 { Begin, laps_kept.settle(), laps_moved.settle(), Choose }
}
settle! { [crate::bank::replay] Replay inline: settle { Turns } }
settle! { [crate::banked] Fabric apart:
    settle_1 { each returns.settle_1(), Show }
    settle_2 { Enter, each entrance.settle(), Stop, Bring, each gather.settle(), Gathered, each pipeline.settle(),
        Park, each parking.settle(), Return, each returns.settle_2() }
}
settle! { [crate::banked::backlog] Backlog inline:
    settle { Move, head.settle(), tail.settle(), Keep, each outcomes.read(), each contents.read(), Show }
}
settle! { [crate::banked::batches] Batches inline:
    settle { Count, comers.settle(), left.settle(), Come, oldest.settle(), behind.settle(), filling.settle(),
        serving.settle(), Serve, firsts.read(), others.read(), plurals.read(), Turn }
}
settle! { [crate::banked::entrance] Entrance inline: settle { Look, Owe, owed.settle() } }
settle! { [crate::banked::gather] Gather inline:
    settle { Wait, batches.settle(), Crowd, held.settle(), Take, each heads.read(), each rows.read(),
        each contents.read(), each strobes.read(), each tags.read(), Choose }
}
settle! { [crate::banked::parking] Parking inline:
    settle { each limits.settle(), each timer.settle(), Enter, Weigh, each table.settle(), Tell, Reply }
}
settle! { [crate::banked::pipeline] Pipeline inline:
    settle { decode.settle(), bank.settle_1(), Outcome, lane.settle(), Tell, Enter, bank.settle_5(), Lead,
        bank.settle_4(), Gather, bank.settle_3(), Written, bank.settle_2() }
}
settle! { [crate::banked::returns] Returns inline:
    settle_1 { Show }
    settle_2 { Wait, batches.settle(), Take, each outcomes.read(), each contents.read(), Choose, backlog.settle() }
}
settle! { [crate::banked::table] Limits inline: settle { Name, Bound } }
settle! { [crate::banked::table] Table inline: settle { Park, Wake, Foresee, Leave } }
settle! { [crate::banked::tally] Tally inline: settle { Find, Count } }
settle! { [crate::banked::unit] BankedHighClock apart:
    settle { fabric.settle_1(), Outcome, Respond, Request, fabric.settle_2() }
}
settle! { [crate::board::beat] Beat apart: settle { Turn } }
settle! { [crate::board::bridge] Bridge apart:
    settle_1 { Show, Send }
    settle_2 { Judge, Keep, Next }
}
settle! { [crate::board::bridge_top] BridgeTop apart:
    settle { rx.settle(), tx.settle_1(), framer.settle_1(), beat.settle(), Hear, Speak, tx.settle_2(),
        bridge.settle_1(), Drive, deframer.settle(), unit.settle(), Collect, bridge.settle_2(), Light,
        framer.settle_2() }
}
settle! { [crate::board::checksum] Checksum apart: settle { Step } }
settle! { [crate::board::conductor] Conductor apart: settle { Know, Turn } }
settle! { [crate::board::deframer] Deframer apart: settle { Meaning, checksum.settle(), Collect } }
settle! { [crate::board::framer] Framer apart:
    settle_1 { Spell }
    settle_2 { checksum.settle(), Step }
}
settle! { [crate::board::oracle] Oracle apart: settle { Read, Reckon, Judge, Conclude } }
settle! { [crate::board::reporter] Reporter apart:
    settle_1 { Spell }
    settle_2 { Step }
}
settle! { [crate::board::tester] Tester apart:
    settle_1 { lfsr.settle(), Offer }
    settle_2 { own.read(), queue.settle_1(), Foresee, oracle.settle(), Compare, Choose, Keep, queue.settle_2(),
        Follow }
}
settle! { [crate::board::uart_rx] UartRx apart: settle { Receive } }
settle! { [crate::board::uart_tx] UartTx apart:
    settle_1 { Show }
    settle_2 { Send }
}
settle! { [crate::board::verdict] Verdict apart: settle { Find, Write } }
settle! { [crate::bus] BusUnit apart:
    settle { each windows.settle_1(), Come, Drive, unit.settle(), Collect, each windows.settle_2(), Reply,
        each axi.settle(), each wishbone.settle(), each apb.settle(), each tilelink.settle(), Ask,
        each windows.settle_3(), Go }
}
settle! { [crate::bus::apb] ApbFront apart: settle { Ask, End } }
settle! { [crate::bus::axi_lite] AxiLiteFront apart: settle { Respond, Ask, Step } }
settle! { [crate::bus::tilelink] TileLinkFront apart: settle { Ask, Answer, Step } }
settle! { [crate::bus::windows] Windows apart:
    settle_1 { Offer }
    settle_2 { Hear }
    settle_3 { Find, each operands.read(), each ranges.read(), each endings.read(), each labels.read(),
        results.read(), Merge, Show, Decide, Begin, Store, Answer, Finish }
}
settle! { [crate::bus::wishbone] WishboneFront apart: settle { Ask, Step } }
settle! { [crate::cells::arbiter] CopierArbiter inline: settle { GrantCopier } }
settle! { [crate::cells::arbiter] CtaArbiter inline: settle { GrantCta } }
settle! { [crate::cells::arbiter] RoundRobin inline: settle { Grant } }
settle! { [crate::cells::fifo] Fifo inline:
    settle_1 { if [valid.q.val()] { Look, each store.read(), Show } }
    settle_2 { Move }
}
settle! { [crate::cells::lane_count] LaneCount inline: settle { Add } }
settle! { [crate::cells::level] Level inline: settle { Step } }
settle! { [crate::cells::lfsr] Lfsr apart: settle { Roll } }
settle! { [crate::cells::steps] Steps inline: settle { Step } }
settle! { [crate::cells::timer] Timer inline: settle { Count } }
settle! { [crate::cluster] Cluster looked into at [crate::cluster::Point]:
    settle_steps { Heed, each coalesce.settle_1(), each scatter.settle_1(), each access.settle_1(),
        each deliver.settle_1(), Drive, each cta.settle_1(), each requests.settle_1(), each answers.settle_1(),
        each beats.settle_1(), Bring, look Brought, each cta.settle_2(), look Sent, Ask, each asks.settle(),
        each replies.settle(), each casts.settle(), Route, look Routed, each cta.settle_3(), Take, Show, Gather,
        each coalesce.settle_2(), each access.settle_2(), Hand, each scatter.settle_2(), each requests.settle_2(),
        each answers.settle_2(), each beats.settle_2(), each deliver.settle_2(), look Settled }
}
settle! { [crate::cluster::cta] Cta inline:
    settle_1 { Stand }
    settle_2 { copier.settle_1(), sender.settle_1(), outlet.settle_1(), each tensor.settle_1(),
        each replies.settle_1(), Greet, rendezvous.settle_1(), Open, Ask, Meet, outlet.settle_2(),
        junction.settle_1(), Land, completer.settle_1(), Admit, reducer.settle_1(), Knock, unit.settle(), Depart,
        each arbiter.settle(), Send }
    settle_3 { each answers.settle_1(), each askers.settle_1(), Show, Take, rendezvous.settle_2(),
        each answers.settle_2(), Answer, each askers.settle_2(), each replies.settle_2(), Copy, copier.settle_3(),
        junction.settle_2(), completer.settle_2(), Sort, each inlet.settle(), Share, each tensor.settle_2(), Serve,
        copier.settle_2().settle_4(), outlet.settle_3(), poster.settle(), reducer.settle_2(), Pass,
        sender.settle_2(), Hand, each tensor.settle_3(), Tell }
}
settle! { [crate::cluster::link] Link inline:
    settle_1 { queue.settle_1(), Show }
    settle_2 { Move, queue.settle_2() }
}
settle! { [crate::cluster::rendezvous] Rendezvous inline:
    settle_1 { Drain }
    settle_2 { Address, gone.read(), parity.read(), owes.read(), waiting.read(), Hear, Judge, all_lanes.settle(),
        new_lanes.settle(), Keep, Meet, Answer }
}
settle! { [crate::copies::completer] Completer inline:
    settle_1 { Admit }
    settle_2 { Move }
}
settle! { [crate::copies::copier] Copier inline:
    settle_1 { tracker.settle_1(), Show }
    settle_2 { Find, progress.read(), place.read(), shape.read(), burst_barrier.read(), burst_ctas.read(), Turned,
        Place }
    settle_3 { Judge }
    settle_4 { burst_thread.read(), burst_turn.read(), each kept.read(), Land, tracker.settle_3(), Keep, Choose,
        Table, Offer, tracker.settle_2(), Accept, tracker.settle_4() }
}
settle! { [crate::copies::junction] Junction inline:
    settle_1 { Choose }
    settle_2 { Move }
}
settle! { [crate::copies::ledger] Ledger inline:
    settle_1 { Show }
    settle_2 { Wait }
    settle_3 { owner.read(), Move }
}
settle! { [crate::copies::outlet] Outlet inline:
    settle_1 { way.settle_1(), blocks.settle_1(), Show }
    settle_2 { Look }
    settle_3 { Move, way.settle_2(), blocks.settle_2() }
}
settle! { [crate::copies::post] Post inline: settle { Name, lawful.settle(), Judge, Place } }
settle! { [crate::copies::reducer] Reducer inline:
    settle_1 { Show }
    settle_2 { Step, Compute }
}
settle! { [crate::copies::reduction] Lawful inline: settle { Rule } }
settle! { [crate::copies::sender] Sender inline:
    settle_1 { ledger.settle_1(), Show }
    settle_2 { Name, ledger.settle_2(), lawful.settle(), Judge, Accept, ledger.settle_3() }
}
settle! { [crate::copies::tensor] Tensor inline:
    settle_1 { Look, Ask }
    settle_2 { Owe, outward.settle_1(), Tell }
    settle_3 { maps.settle_1(), rows.settle_1(), Feed, fields.settle(), Begin, sizer.settle(), origin.settle_1(),
        operator.settle(), Judge, origin.settle_2(), Run, maps.settle_2(), lander.settle_1(), Join, cutter.settle(),
        Accept, rows.settle_2(), lander.settle_2(), outward.settle_2(), Show }
}
settle! { [crate::copies::tensor::bursts] Cutter inline: settle { Cut, Go } }
settle! { [crate::copies::tensor::fields] MapFields inline: settle { Read } }
settle! { [crate::copies::tensor::inlet] Inlet inline: settle { Choose, Sort, Move } }
settle! { [crate::copies::tensor::lander] Lander inline:
    settle_1 { Offer, Find, progress.read(), place.read(), form.read(), burst_barrier.read(), burst_ctas.read(),
        Feed, each rounding.settle(), Cut }
    settle_2 { each kept.read(), Choose, Store, Land, Swizzle, Keep }
}
settle! { [crate::copies::tensor::maps] Maps inline:
    settle_1 { Find, each store.read(), measures.read(), Show }
    settle_2 { Move }
}
settle! { [crate::copies::tensor::operator] Operator inline: settle { Name, lawful.settle(), Judge } }
settle! { [crate::copies::tensor::origin] Origin inline:
    settle_1 { Reckon, Measure }
    settle_2 { Step }
}
settle! { [crate::copies::tensor::outward] Outward inline:
    settle_1 { Offer }
    settle_2 { Keep }
}
settle! { [crate::copies::tensor::rounding] Rounding inline: settle { Round } }
settle! { [crate::copies::tensor::rows] Rows inline:
    settle_1 { Look }
    settle_2 { Go }
}
settle! { [crate::copies::tensor::sizer] Sizer inline: settle { Judge, Divide, Measure } }
settle! { [crate::copies::tracker] Tracker inline:
    settle_1 { Address, each entry.read(), Look }
    settle_2 { Offer }
    settle_3 { Ask }
    settle_4 { arbiter.settle(), Show, Step }
}
settle! { [crate::high_clock] Deep apart:
    settle { Enter, intake.settle(), Weigh, verdict.settle(), Feed, ring.settle(), Travel, train.settle(), Look,
        lookahead.settle(), Loop, accumulator.settle(), Answer, answers.settle(), Show, Count }
}
settle! { [crate::high_clock::accumulator] Accumulator inline:
    settle { Fetch, Find, Add, Select, Complete, Base, Keep }
}
settle! { [crate::high_clock::answers] Answers inline: settle { Store, Front, Show } }
settle! { [crate::high_clock::intake] Intake inline: settle { Classify, Judge, Kinds } }
settle! { [crate::high_clock::lookahead] Lookahead inline: settle { Compare, Choose, Gate, Pair, Total, Carry } }
settle! { [crate::high_clock::ring] Ring inline: settle { Show, Address, early.read(), Step } }
settle! { [crate::high_clock::train] Train inline: settle { Begin, Move } }
settle! { [crate::high_clock::unit] HighClock apart:
    settle { Request, each deep.settle(), Outcome, Respond, Taken }
}
settle! { [crate::high_clock::verdict] Verdict inline: settle { Write, Weigh, Judge, Tell } }
settle! { [crate::low_latency::check] Check inline:
    settle_1 { Classify }
    settle_2 { Judge, Move }
}
settle! { [crate::low_latency::check] Shadow inline:
    settle_1 { Point, bits.read(), Known }
    settle_2 { Follow }
}
settle! { [crate::low_latency::combine] Combine inline: settle { Pair } }
settle! { [crate::low_latency::counters] Counters inline:
    settle_1 { Find, shown.read(), Read }
    settle_2 { counted.read(), Count }
}
settle! { [crate::low_latency::ending] Ending inline: settle { End, Carry } }
settle! { [crate::low_latency::inlets::door] Door inline:
    settle_1 { Collect }
    settle_2 { Pick, Offer, Carry }
}
settle! { [crate::low_latency::inlets::gate] Gate inline:
    settle_1 { See }
    settle_2 { Open, Hand }
}
settle! { [crate::low_latency::inlets::turns] Turns inline:
    settle_1 { Show }
    settle_2 { Count }
}
settle! { [crate::low_latency::issue] Issue inline:
    settle_1 { Stand }
    settle_2 { Choose }
    settle_3 { Take }
}
settle! { [crate::low_latency::queue] ResponseQueue inline:
    settle_1 { Address, outcomes.read(), contents.read(), Show }
    settle_2 { Count }
}
settle! { [crate::low_latency::recall] Recall inline: settle { Keep } }
settle! { [crate::low_latency::totals] Totals inline:
    settle { Begin, completing.settle(), each tally.settle(), Sum }
}
settle! { [crate::low_latency::unit] Unit looked into at [crate::look::Point]:
    settle_steps { each bank.settle_1(), look Committed, Advance, Find, each door.settle_1(), Tell, Outcome,
        each lane.settle(), Seek, each waiters.settle_3(), each check.settle_1(), each shadow.settle_1(),
        each wakes.settle_2(), Compare, each gate.settle_1(), Reveal, each check.settle_2(), Suspend,
        each ending.settle(), Event, Look, each waiters.settle_2(), each counters.settle_1(), each wakes.settle_1(),
        look Answered, each queue.settle_1(), Respond, look Requested, Lock, each turns.settle_1(), Enter,
        each issue.settle_1(), each door.settle_2(), Admit, each gate.settle_2(), Offer, each issue.settle_2(),
        Depart, Request, Share, each bank.settle_5(), each combine.settle(), look Granted, Accept,
        each issue.settle_3(), Taken, Replayed, each decode.settle(), Gather, look Gathered, Written, Tally,
        each waiters.settle_1().settle_4().settle_5(), each counters.settle_2(), each totals.settle(),
        each timer.settle(), each bank.settle_2().settle_3().settle_4(), each queue.settle_2(), each recall.settle(),
        each shadow.settle_2(), each wakes.settle_3().settle_4(), each turns.settle_2(), look Settled }
}
settle! { [crate::low_latency::waiters] Waiters inline:
    settle_1 { Relate }
    settle_2 { Enter, holds.settle_1(), Hold, Choose, name.read(), Show, Park }
    settle_3 { deadlines.settle_1(), End, Watch }
    settle_4 { Answer }
    settle_5 { Store, deadlines.settle_2(), holds.settle_2(), Wake }
}
settle! { [crate::low_latency::waiters::deadlines] Deadlines inline:
    settle_1 { Expire }
    settle_2 { Limit, Store, deadline.read(), Look }
}
settle! { [crate::low_latency::waiters::holds] Holds inline:
    settle_1 { Meet }
    settle_2 { Follow }
}
settle! { [crate::low_latency::wakes] Wakes inline:
    settle_1 { Enter, claims.settle_1(), Hold, Park }
    settle_2 { limits.settle_1(), End, Watch }
    settle_3 { Tell }
    settle_4 { Store, claims.settle_2(), limits.settle_2(), Wake, Relate }
}
settle! { [crate::low_latency::wakes::claims] Claims inline:
    settle_1 { Meet }
    settle_2 { Claim, Follow }
}
settle! { [crate::low_latency::wakes::limits] Limits inline:
    settle_1 { Expire }
    settle_2 { Limit, Store, deadline.read(), Look }
}
settle! { [crate::warp] WarpUnit looked into at [crate::warp::Point]:
    settle_steps { Answer, each scatter.settle_1(), each deliver.settle_1(), look Shown, each coalesce.settle_1(),
        Contend, Drive, each turn.settle(), Enter, each access.settle_1(), look Asked, unit.settle(), Accept,
        each coalesce.settle_2(), look Grouped, each access.settle_2(), Show, each scatter.settle_2(),
        each deliver.settle_2(), look Settled }
}
settle! { [crate::warp::access] Access apart:
    settle_1 { Stand }
    settle_2 { Spread, each pick.settle(), Choose, Take, Go }
}
settle! { [crate::warp::coalesce] Coalesce apart:
    settle_1 { Stand, Choose }
    settle_2 { Move, Fit, Leave, Add, Ask }
}
settle! { [crate::warp::deliver] Deliver apart:
    settle_1 { Point, masks.read(), halves.read(), tags.read(), manners.read(), each origins.read(),
        each found.read(), each strikes.read(), Show }
    settle_2 { Keep }
}
settle! { [crate::warp::pick] Pick apart: settle { Serve, Merge } }
settle! { [crate::warp::scatter] Scatter apart:
    settle_1 { Find, masks.read(), phases.read(), tags.read(), steps.read(), Show }
    settle_2 { Take }
}
