"use strict";

/*
 * The record of the run, as typed arrays, barrier by barrier.
 *
 * A barrier (an element of `timeline.tracks`) holds, for each of its operations in the order of time: cycle[], row[] (of
 * timeline.events), pending[], tx[], expected[] and phase[] of the word afterwards, numberOfPhase[] (phases completed since the
 * barrier was made) and alarm[] (1 if the status is not `ok`); its suspended waits: wait.begin[], end[], lane[], row[]; and
 * the word before its first operation.
 */
const Txbar = {};

/** Bits of `events.flags`. */
Txbar.FLIP = 1;
Txbar.SUSPENDED = 2;
Txbar.PREDICATE = 4;

/** Waits of a barrier that are drawn below each other at most. */
Txbar.LANES = 8;

/** Position of the first element above a value, in a sorted array. */
Txbar.above = function (array, value) {
  let low = 0;
  let high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** What a barrier is called. */
Txbar.nameOf = function (barrier, ctas) {
  const cta = ctas > 1 ? `CTA ${barrier.cta} ` : "";
  if (barrier.address === null) return `${cta}no word`;
  const address = "0x" + barrier.address.toString(16);
  return cta + (barrier.name ? `${barrier.name} (${address})` : address);
};

/** Gives each wait a lane in which no other overlaps it, as far as there are lanes. */
Txbar.assignLanes = function (wait) {
  const free = new Float64Array(Txbar.LANES).fill(-1);
  wait.longest = 0;
  wait.lanes = 0;
  for (let i = 0; i < wait.begin.length; i++) {
    let lane = free.findIndex((end) => end < wait.begin[i]);
    if (lane < 0) lane = Txbar.LANES - 1; // what has no room shares the last
    wait.lane[i] = lane;
    wait.lanes = Math.max(wait.lanes, lane + 1);
    free[lane] = Math.max(free[lane], wait.end[i]);
    wait.longest = Math.max(wait.longest, wait.end[i] - wait.begin[i]);
  }
};

/** The suspended waits of each barrier, by their begin. */
Txbar.waitsByBarrier = function (timeline) {
  const { waits, barriers, cycles } = timeline;
  const rows = barriers.map(() => []);
  waits.barrier.forEach((barrier, row) => rows[barrier].push(row));
  return rows.map((mine) => {
    mine.sort((one, other) => waits.begin[one] - waits.begin[other]);
    const wait = {
      row: Int32Array.from(mine),
      begin: Float64Array.from(mine, (row) => waits.begin[row]),
      end: Float64Array.from(mine, (row) => waits.end[row] ?? cycles),
      lane: new Uint8Array(mine.length),
    };
    Txbar.assignLanes(wait);
    return wait;
  });
};

/** The operations of each barrier. */
Txbar.tracksOf = function (timeline) {
  const { events, barriers, operations } = timeline;
  const init = operations.findIndex((operation) => operation.name === "init");
  const counts = new Uint32Array(barriers.length);
  events.barrier.forEach((barrier) => counts[barrier]++);
  const ctas = 1 + barriers.reduce((most, barrier) => Math.max(most, barrier.cta), 0);
  const waits = Txbar.waitsByBarrier(timeline);
  const tracks = barriers.map((barrier, number) => {
    const count = counts[number];
    return {
      number,
      name: Txbar.nameOf(barrier, ctas),
      address: barrier.address,
      cta: barrier.cta,
      count,
      cycle: new Float64Array(count),
      row: new Int32Array(count),
      pending: new Int32Array(count),
      tx: new Int32Array(count),
      expected: new Int32Array(count),
      phase: new Uint8Array(count),
      numberOfPhase: new Int32Array(count),
      alarm: new Uint8Array(count),
      wait: waits[number],
      before: barrier.before,
      phases: (barrier.phases & 1) === barrier.before.phase ? barrier.phases : barrier.before.phase,
      // what the tx-count reaches: without any there is nothing to draw
      txLow: Math.min(0, barrier.before.tx),
      txHigh: Math.max(0, barrier.before.tx),
    };
  });
  const next = new Uint32Array(barriers.length);
  const phases = Int32Array.from(tracks, (track) => track.phases);
  for (let row = 0; row < events.cycle.length; row++) {
    const number = events.barrier[row];
    const track = tracks[number];
    const i = next[number]++;
    if (events.op[row] === init && events.status[row] === 0) phases[number] = 0;
    if (events.flags[row] & Txbar.FLIP) phases[number]++;
    // a word that was stored begins with whatever parity it has
    if ((phases[number] & 1) !== events.phase[row]) phases[number] = events.phase[row];
    track.cycle[i] = events.cycle[row];
    track.row[i] = row;
    track.pending[i] = events.pending[row];
    track.tx[i] = events.tx[row];
    track.expected[i] = events.expected[row];
    track.phase[i] = events.phase[row];
    track.numberOfPhase[i] = phases[number];
    track.alarm[i] = events.status[row] === 0 ? 0 : 1;
    track.txLow = Math.min(track.txLow, events.tx[row]);
    track.txHigh = Math.max(track.txHigh, events.tx[row]);
  }
  return tracks;
};

/** Reads the record that is in the page. */
Txbar.readRecord = function () {
  const record = JSON.parse(document.getElementById("record").textContent);
  if (record.timeline) record.timeline.tracks = Txbar.tracksOf(record.timeline);
  return record;
};
