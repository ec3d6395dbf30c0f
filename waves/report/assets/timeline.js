"use strict";

/*
 * Draws the barriers that are in sight.
 *
 *   |            | 0        100        200        300     |  axis, with marks
 *   | name       | [ phase 3  ][ phase 4          ][ ph.. |  the phases as bands; faults as triangles
 *   |            | ▇▇▇▇▅▅▅▂    ▇▇▇▇▇▇▅▅▅▅▅▂        ▇▇▇▅▅▅ |  arrivals that are pending, as steps
 *   |            |     ▅▅▅▂                               |  bytes that are missing, as steps around zero
 *   |            |   ▬▬▬▬▬▬▬      ▬▬▬▬▬▬▬▬▬               |  waits that are suspended, as bars
 *
 * Every operation in sight is looked at once, and what lies in one column of pixels is drawn as one: the lowest and highest value,
 * both phases if there were both, one triangle. So a frame takes as long for a hundred thousand operations as for a few.
 */
Txbar.Timeline = class {
  static AXIS = 26;
  static NAMES = 150;
  static BAND = 13;
  static PENDING = 30;
  static BYTES = 22;
  static LANE = 3;
  static GAP = 8;

  constructor(view, container, spacer, canvas) {
    Object.assign(this, { view, container, spacer, canvas });
    this.context = canvas.getContext("2d");
    this.readColours();
    this.columns = null;
    view.onChange(() => this.draw());
    container.addEventListener("scroll", () => view.changed());
    new ResizeObserver(() => this.resize()).observe(container);
    this.watchScale();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.readColours();
      view.changed();
    });
    this.resize();
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const known = new Map();
    this.colour = (name) => {
      if (!known.has(name)) known.set(name, style.getPropertyValue("--" + name).trim());
      return known.get(name);
    };
    this.font = getComputedStyle(document.body).fontFamily;
  }

  /** Draws anew when the window comes to a screen with other pixels, or the browser's zoom changes. */
  watchScale() {
    const same = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    const changed = () => {
      this.watchScale();
      this.view.changed();
    };
    same.addEventListener("change", changed, { once: true });
  }

  /** Height of a track: as many parts as it has something to show in. */
  static heightOf(track) {
    const { BAND, PENDING, BYTES, LANE, GAP } = Txbar.Timeline;
    const bytes = track.txLow < 0 || track.txHigh > 0 ? BYTES + 2 : 0;
    const waits = track.wait.lanes > 0 ? track.wait.lanes * LANE + 3 : 0;
    return BAND + 2 + PENDING + bytes + waits + GAP;
  }

  /** Where each track begins, below the axis; and where the last ends. */
  tops() {
    if (this.arranged !== this.view.tracks) {
      this.arranged = this.view.tracks;
      this.top = [0];
      this.view.tracks.forEach((track, i) => this.top.push(this.top[i] + Txbar.Timeline.heightOf(track)));
    }
    return this.top;
  }

  /** Takes the container's size. */
  resize() {
    const tops = this.tops();
    const least = 30; // for a word about why there is nothing
    const wanted = Math.max(tops[tops.length - 1], least) + Txbar.Timeline.AXIS + 2;
    this.spacer.style.height = wanted + "px";
    this.container.style.height = `min(70vh, ${wanted + 2}px)`;
    this.width = this.container.clientWidth;
    this.height = this.container.clientHeight;
    const scale = window.devicePixelRatio;
    this.scale = scale;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.canvas.style.width = this.width + "px";
    this.canvas.style.height = this.height + "px";
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    const columns = Math.max(1, this.width - Txbar.Timeline.NAMES);
    const of = (type) => new type(columns);
    this.columns = { low: of(Int32Array), high: of(Int32Array), txLow: of(Int32Array), txHigh: of(Int32Array), seen: of(Uint8Array) };
    this.draw();
  }

  /** Pixels of the part that shows time. */
  get breadth() {
    return this.columns.low.length;
  }

  x(cycle) {
    return Txbar.Timeline.NAMES + ((cycle - this.view.begin) / this.view.span) * this.breadth;
  }

  cycleAt(x) {
    return this.view.begin + ((x - Txbar.Timeline.NAMES) / this.breadth) * this.view.span;
  }

  /** Number of the track at a height of the canvas; -1 if there is none. */
  trackAt(y) {
    const at = y - Txbar.Timeline.AXIS + this.container.scrollTop;
    const number = Txbar.above(this.tops(), at) - 1;
    return y >= Txbar.Timeline.AXIS && number < this.view.tracks.length ? number : -1;
  }

  /** Scrolls so that the chosen track is in sight. */
  reveal() {
    const tops = this.tops();
    const { AXIS } = Txbar.Timeline;
    const top = tops[this.view.track];
    const bottom = tops[this.view.track + 1];
    const room = this.height - AXIS;
    if (top < this.container.scrollTop) this.container.scrollTop = top;
    else if (bottom > this.container.scrollTop + room) this.container.scrollTop = bottom - room;
  }

  draw() {
    if (!this.columns) return;
    // other tracks, or another screen: that has to be made room for, and then it is drawn
    if (this.arranged !== this.view.tracks || this.scale !== window.devicePixelRatio) return this.resize();
    const { AXIS, NAMES } = Txbar.Timeline;
    const { context, view } = this;
    context.clearRect(0, 0, this.width, this.height);
    const tops = this.tops();
    const scroll = this.container.scrollTop;
    context.save();
    context.beginPath();
    context.rect(0, AXIS, this.width, this.height - AXIS);
    context.clip();
    let number = Math.max(0, Txbar.above(tops, scroll) - 1);
    for (; number < view.tracks.length && tops[number] < scroll + this.height; number++) {
      this.drawTrack(view.tracks[number], AXIS + tops[number] - scroll, number === view.track);
    }
    context.restore();
    if (view.tracks.length === 0) {
      const none = view.timeline.tracks.length === 0 ? "nothing was done to any barrier" : "no barrier has such a name";
      this.text(none, NAMES + 10, AXIS + 20, "faint");
    }
    this.drawAxis();
    this.drawCursor();
  }

  text(text, x, y, colour, bold) {
    const { context } = this;
    context.fillStyle = this.colour(colour);
    context.font = `${bold ? "bold " : ""}12px ${this.font}`;
    context.fillText(text, x, y);
  }

  /** A text that is legible on whatever is below it. */
  label(text, x, y) {
    const { context } = this;
    context.font = `12px ${this.font}`;
    context.strokeStyle = this.colour("paper");
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeText(text, x, y);
    this.text(text, x, y, "ink");
  }

  /** What each column of pixels holds of a track, in `columns`; gives the range of its operations. */
  gather(track) {
    const { view, columns, breadth } = this;
    const { low, high, txLow, txHigh, seen } = columns;
    const scale = breadth / view.span;
    const first = Txbar.above(track.cycle, view.begin - 1e-9);
    let { phase, pending, tx } = track.before;
    if (first > 0) {
      const before = first - 1;
      [phase, pending, tx] = [track.phase[before], track.pending[before], track.tx[before]];
    }
    let column = 0;
    const fill = (end) => {
      low.fill(pending, column, end);
      high.fill(pending, column, end);
      txLow.fill(tx, column, end);
      txHigh.fill(tx, column, end);
      seen.fill(1 << phase, column, end);
      column = end;
    };
    const exact = scale >= 1; // a column is a cycle at most: the old value takes no room in that of the new one
    let open = -1; // the column that the last operation fell into
    let i = first;
    for (; i < track.count && track.cycle[i] < view.end; i++) {
      const at = Math.min(breadth - 1, Math.floor((track.cycle[i] - view.begin) * scale));
      const news = at !== open;
      if (news) fill(exact ? at : at + 1);
      [phase, pending, tx] = [track.phase[i], track.pending[i], track.tx[i]];
      if (news && exact) fill(at + 1);
      open = at;
      if (pending < low[at]) low[at] = pending;
      if (pending > high[at]) high[at] = pending;
      if (tx < txLow[at]) txLow[at] = tx;
      if (tx > txHigh[at]) txHigh[at] = tx;
      seen[at] |= 1 << phase;
    }
    if (column < breadth) fill(breadth);
    return [first, i];
  }

  drawTrack(track, y, chosen) {
    const { BAND, PENDING, BYTES, GAP, NAMES } = Txbar.Timeline;
    const { context, columns, breadth } = this;
    const height = Txbar.Timeline.heightOf(track);
    const range = this.gather(track);
    if (chosen) {
      context.fillStyle = this.colour("panel");
      context.fillRect(0, y, NAMES, height);
      context.fillStyle = this.colour("focus");
      context.fillRect(0, y, 4, height - GAP / 2);
    }
    this.drawName(track, y, chosen);
    this.drawPhases(y, BAND, height - GAP);
    let below = y + BAND + 2;
    const steps = (low, high, from, to, size, colour) => {
      this.drawSteps(low, high, from, to, below, size, colour);
      below += size;
    };
    // in proportion to what is in sight: a word that random traffic stores has a million arrivals pending
    const most = columns.high.reduce((most, high) => Math.max(most, high), 1);
    this.text(`up to ${most.toLocaleString("en")}`, 10, y + 42, "pending");
    steps(columns.low, columns.high, 0, most, PENDING, "pending");
    if (track.txLow < 0 || track.txHigh > 0) {
      below += 2;
      const least = columns.txLow.reduce((least, low) => Math.min(least, low), 0);
      const bytes = columns.txHigh.reduce((most, high) => Math.max(most, high), 0);
      steps(columns.txLow, columns.txHigh, least, bytes, BYTES, "bytes");
    }
    this.drawWaits(track.wait, below + 3);
    if (range[1] - range[0] < breadth / 24) this.drawNames(track, range, y);
    this.drawAlarms(track, range, y);
    context.fillStyle = this.colour("line");
    context.fillRect(0, y + height - GAP / 2, this.width, 1);
  }

  drawName(track, y, chosen) {
    const { NAMES } = Txbar.Timeline;
    const room = 21;
    const name = track.name.length > room ? track.name.slice(0, room - 1) + "…" : track.name;
    this.text(name, 10, y + 12, "ink", chosen);
    this.text(`${track.count.toLocaleString("en")} operations`, 10, y + 27, "faint");
    this.context.fillStyle = this.colour("line");
    this.context.fillRect(NAMES - 1, y, 1, Txbar.Timeline.heightOf(track));
  }

  /** Runs of columns with the same phases: a strip, and a lighter ground below. */
  drawPhases(y, band, height) {
    const { NAMES } = Txbar.Timeline;
    const { seen } = this.columns;
    const kinds = [null, new Path2D(), new Path2D(), new Path2D()];
    const grounds = [null, new Path2D(), new Path2D(), new Path2D()];
    for (let from = 0; from < seen.length; ) {
      let to = from + 1;
      while (to < seen.length && seen[to] === seen[from]) to++;
      const kind = seen[from] || 3;
      kinds[kind].rect(NAMES + from, y, to - from, band);
      grounds[kind].rect(NAMES + from, y + band, to - from, height - band);
      from = to;
    }
    ["phase-0", "phase-1", "phase-many"].forEach((colour, i) => {
      this.context.fillStyle = this.colour(colour);
      this.context.fill(grounds[i + 1]);
      this.context.fillStyle = this.colour(colour + "-strip");
      this.context.fill(kinds[i + 1]);
    });
  }

  /** A value as an area from zero: full up to the lowest in each column, lighter up to the highest. */
  drawSteps(low, high, from, to, y, size, colour) {
    const { NAMES } = Txbar.Timeline;
    const { context } = this;
    const scale = size / Math.max(1, to - from);
    const zero = y + to * scale;
    const at = (value) => {
      // a single arrival among a million is to be seen, too
      const height = value * scale;
      return zero - (value === 0 ? 0 : Math.sign(value) * Math.max(1, Math.abs(height)));
    };
    const area = (value) => {
      context.beginPath();
      context.moveTo(NAMES, zero);
      for (let from = 0; from < low.length; ) {
        let to = from + 1;
        const here = value(from);
        while (to < low.length && value(to) === here) to++;
        context.lineTo(NAMES + from, at(here));
        context.lineTo(NAMES + to, at(here));
        from = to;
      }
      context.lineTo(NAMES + low.length, zero);
      context.fill();
    };
    if (low.some((value, i) => value !== high[i])) {
      context.fillStyle = this.colour(colour + "-range");
      area((i) => Math.max(high[i], 0));
      if (from < 0) area((i) => Math.min(low[i], 0));
    }
    context.fillStyle = this.colour(colour);
    area((i) => Math.max(low[i], 0));
    if (from < 0) area((i) => Math.min(high[i], 0));
    if (from < 0) {
      context.fillStyle = this.colour("faint");
      context.fillRect(NAMES, zero, low.length, 0.5);
    }
  }

  /** Bars; those that are shorter than a pixel and side by side become one. */
  drawWaits(wait, y) {
    const { NAMES, LANE } = Txbar.Timeline;
    const { view } = this;
    const { how } = view.timeline.waits;
    const colours = { woken: "wait", timed_out: "wait-late", invalidated: "wait-bad", waiting: "wait-bad" };
    const paths = {};
    const drawn = new Float64Array(Txbar.LANES).fill(-1);
    let i = Txbar.above(wait.begin, view.begin - wait.longest - 1);
    for (; i < wait.begin.length && wait.begin[i] < view.end; i++) {
      if (wait.end[i] < view.begin) continue;
      const lane = wait.lane[i];
      const from = Math.max(NAMES, this.x(wait.begin[i]), drawn[lane]);
      const to = Math.min(this.width, Math.max(this.x(wait.end[i]), from + 1));
      if (this.x(wait.end[i]) <= drawn[lane]) continue;
      drawn[lane] = to;
      const kind = how[wait.row[i]];
      paths[kind] ??= new Path2D();
      paths[kind].rect(from, y + lane * LANE, to - from, LANE - 1);
    }
    for (const [kind, path] of Object.entries(paths)) {
      this.context.fillStyle = this.colour(colours[kind]);
      this.context.fill(path);
    }
  }

  /** Faults and remarks. */
  drawAlarms(track, [first, last], y) {
    const path = new Path2D();
    let drawn = -Infinity;
    for (let i = first; i < last; i++) {
      if (!track.alarm[i]) continue;
      const x = this.x(track.cycle[i]);
      if (x < drawn + 8) continue; // one stands for those beside it
      drawn = x;
      path.moveTo(x, y);
      path.lineTo(x - 5, y + 10);
      path.lineTo(x + 5, y + 10);
      path.closePath();
    }
    const { context } = this;
    context.fillStyle = this.colour("alarm");
    context.fill(path);
    context.strokeStyle = this.colour("paper");
    context.lineWidth = 1;
    context.stroke(path);
  }

  /** With few operations in sight: what each is, and the number of the phase. */
  drawNames(track, [first, last], y) {
    const { NAMES, BAND } = Txbar.Timeline;
    const { events, operations } = this.view.timeline;
    let free = NAMES;
    // the number of a phase stands within its strip, or nowhere
    let begin = NAMES;
    let number = first > 0 ? track.numberOfPhase[first - 1] : track.phases;
    const label = (end) => {
      this.context.font = `12px ${this.font}`;
      const fits = (text) => this.context.measureText(text).width + 12 <= end - begin;
      const text = [`phase ${number}`, `${number}`].find(fits);
      if (text) this.text(text, begin + 8, y + BAND - 2, "ink");
    };
    for (let i = first; i < last; i++) {
      const x = this.x(track.cycle[i]);
      if (track.numberOfPhase[i] !== number) {
        label(x);
        begin = Math.max(x, NAMES);
        number = track.numberOfPhase[i];
      }
      this.context.fillStyle = this.colour("ink");
      this.context.fillRect(x, y + BAND, 1, 4);
      const text = operations[events.op[track.row[i]]].short;
      if (x >= free) {
        this.label(text, x + 3, y + BAND + 14);
        free = x + 3 + this.context.measureText(text).width + 6;
      }
    }
    label(this.width);
  }

  /** Cycles at round distances, and marks. */
  drawAxis() {
    const { AXIS, NAMES } = Txbar.Timeline;
    const { context, view } = this;
    const room = view.span / (this.breadth / 110);
    const power = 10 ** Math.floor(Math.log10(room));
    const step = Math.max(1, [1, 2, 5, 10].find((factor) => factor * power >= room) * power);
    this.text("cycle", 10, 17, "faint");
    for (let cycle = Math.ceil(view.begin / step) * step; cycle <= view.end; cycle += step) {
      const x = this.x(cycle);
      context.fillStyle = this.colour("faint");
      context.fillRect(x, AXIS - 6, 1, 6);
      this.text(cycle.toLocaleString("en"), x + 3, 17, "faint");
    }
    context.fillStyle = this.colour("line");
    context.fillRect(0, AXIS - 1, this.width, 1);
    for (const mark of view.timeline.marks) {
      if (mark.cycle < view.begin || mark.cycle > view.end) continue;
      const x = this.x(mark.cycle);
      context.fillStyle = this.colour("alarm");
      context.fillRect(x - 1, 0, 2, this.height);
      const width = context.measureText("◆").width;
      this.text("◆", Math.min(x - width / 2, this.width - width), 12, "alarm", true);
    }
    context.fillStyle = this.colour("line");
    context.fillRect(NAMES - 1, 0, 1, AXIS);
  }

  /** The cycle that is looked at. */
  drawCursor() {
    const { view, context } = this;
    if (view.cycle < view.begin || view.cycle > view.end) return;
    context.strokeStyle = this.colour("cursor");
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(this.x(view.cycle) + 0.5, Txbar.Timeline.AXIS - 8);
    context.lineTo(this.x(view.cycle) + 0.5, this.height);
    context.stroke();
    context.setLineDash([]);
  }
};
