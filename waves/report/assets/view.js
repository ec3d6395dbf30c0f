"use strict";

/*
 * Which cycles are in sight, and which barrier and cycle are looked at. Whoever draws asks to be told of changes; they are told
 * once a frame, however often it has changed.
 */
Txbar.View = class {
  /** A view of all of a timeline. */
  constructor(timeline) {
    this.timeline = timeline;
    this.last = Math.max(1, timeline.cycles);
    this.tracks = timeline.tracks;
    this.begin = 0;
    this.end = this.last;
    /** What is looked at: a track of `tracks`, and the cycle. */
    this.track = 0;
    this.cycle = 0;
    this.listeners = [];
    this.requested = false;
  }

  /** Cycles in sight. */
  get span() {
    return this.end - this.begin;
  }

  /** The barrier that is looked at; nothing if none fits the filter. */
  get chosen() {
    return this.tracks[this.track];
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  /** Something has changed. */
  changed() {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame(() => {
      this.requested = false;
      this.listeners.forEach((listener) => listener());
    });
  }

  /** Shows these cycles: some at least, and none before the first or behind the last. */
  show(begin, end) {
    const least = Math.min(16, this.last);
    const span = Math.min(Math.max(end - begin, least), this.last);
    const middle = (begin + end) / 2;
    this.begin = Math.min(Math.max(middle - span / 2, 0), this.last - span);
    this.end = this.begin + span;
    this.changed();
  }

  /** Shows less (a factor below 1) or more; what is at `cycle` stays where it is. */
  zoom(factor, cycle = this.cycle) {
    const fixed = cycle >= this.begin && cycle <= this.end ? cycle : (this.begin + this.end) / 2;
    const span = Math.min(Math.max(this.span * factor, Math.min(16, this.last)), this.last);
    const begin = fixed - ((fixed - this.begin) / this.span) * span;
    this.show(begin, begin + span);
  }

  /** Moves by so many cycles. */
  pan(cycles) {
    this.show(this.begin + cycles, this.end + cycles);
  }

  /** Looks at a cycle of a track, and brings it into sight. */
  look(track, cycle) {
    this.track = Math.min(Math.max(track, 0), Math.max(this.tracks.length - 1, 0));
    this.cycle = Math.min(Math.max(cycle, 0), this.last);
    if (this.cycle < this.begin || this.cycle > this.end) {
      this.show(this.cycle - this.span / 2, this.cycle + this.span / 2);
    }
    this.changed();
  }

  /** Position of the last operation of a track at a cycle or before; -1 if there is none. */
  static position(track, cycle) {
    return Txbar.above(track.cycle, cycle) - 1;
  }

  /** Goes to the next cycle (`step` above 0) or the previous one in which something is done to the barrier. */
  step(step) {
    const track = this.chosen;
    if (!track || track.count === 0) return;
    const next = step > 0 ? Txbar.above(track.cycle, this.cycle) : Txbar.above(track.cycle, this.cycle - 1) - 1;
    this.look(this.track, track.cycle[Math.min(Math.max(next, 0), track.count - 1)]);
  }

  /** Goes to the first or last operation of the barrier that is looked at. */
  toEnd(last) {
    const track = this.chosen;
    if (track && track.count > 0) this.look(this.track, track.cycle[last ? track.count - 1 : 0]);
  }

  /** Goes to the next cycle with a fault or mark, or the previous one, on any track; says whether there is one. */
  toAlarm(forward) {
    const better = (cycle, best) => (forward ? cycle > this.cycle && cycle < best : cycle < this.cycle && cycle > best);
    let best = forward ? Infinity : -Infinity;
    let where = this.track;
    this.tracks.forEach((track, number) => {
      for (let i = 0; i < track.count; i++) {
        if (track.alarm[i] && better(track.cycle[i], best)) [best, where] = [track.cycle[i], number];
      }
    });
    for (const mark of this.timeline.marks) {
      if (better(mark.cycle, best)) best = mark.cycle;
    }
    if (!Number.isFinite(best)) return false;
    this.look(where, best);
    return true;
  }

  /** Keeps only tracks that fit a text, in an order: `address` or `events`. */
  arrange(text, order) {
    const wanted = text.trim().toLowerCase();
    const chosen = this.chosen;
    this.tracks = this.timeline.tracks.filter((track) => track.name.toLowerCase().includes(wanted));
    const place = (track) => (track.address === null ? Infinity : track.address);
    const byAddress = (one, other) => one.cta - other.cta || place(one) - place(other) || one.number - other.number;
    const byEvents = (one, other) => other.count - one.count || byAddress(one, other);
    this.tracks.sort(order === "events" ? byEvents : byAddress);
    this.track = Math.max(0, this.tracks.indexOf(chosen));
    this.changed();
  }
};
