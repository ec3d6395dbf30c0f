"use strict";

/*
 * Rates and latencies, drawn with uPlot. Those over time show the cycles that the timeline shows, and the other way round.
 */
Txbar.Plots = class {
  constructor(view, timeline, parent) {
    Object.assign(this, { view, timeline, parent });
    this.overTime = [];
    this.all = [];
    const style = getComputedStyle(document.documentElement);
    this.colour = (name) => style.getPropertyValue("--" + name).trim();
    this.factor = this.factorInSight();
    this.time("Operations a cycle", "", [["operations/cycle", "pending"]], ({ x, rate }) => [x, rate]);
    this.time(
      "Latency, from acceptance to answer",
      "without suspended waits",
      [["mean (cycles)", "wait"], ["longest (cycles)", "wait-late"]],
      ({ x, mean, longest }) => [x, mean, longest],
    );
    this.time("Phases completed, and faults", "", [["phases", "bytes"], ["faults", "alarm"]], ({ x, flips, faults }) => [x, flips, faults]);
    this.histogram("Latency of answers", timeline.latency, "answers");
    this.histogram("Latency of wake-ups, from the completion of the phase", timeline.wake_latency, "waits");
    view.onChange(() => this.followSoon());
    new ResizeObserver(() => this.resize()).observe(parent);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.all.forEach(({ plot }) => plot.redraw()));
  }

  /** How many of the record's slices are drawn as one: so many that there are a few hundred in sight. */
  factorInSight() {
    const inSight = this.view.span / this.timeline.series.width;
    return 2 ** Math.max(0, Math.ceil(Math.log2(inSight / 300)));
  }

  /** Rates and latencies in the slices that are drawn. */
  slices() {
    const { series, cycles } = this.timeline;
    const { factor } = this;
    const width = series.width * factor;
    const count = Math.ceil(series.accepted.length / factor);
    const join = (column, both) => {
      const joined = new Array(count).fill(0);
      column.forEach((value, i) => (joined[Math.floor(i / factor)] = both(joined[Math.floor(i / factor)], value)));
      return joined;
    };
    const sum = (column) => join(column, (one, other) => one + other);
    const answered = sum(series.answered);
    const unlessNone = (column, value) => column.map((each, i) => (answered[i] ? value(each, i) : null));
    return {
      x: answered.map((_, i) => (i + 0.5) * width),
      // the last slice may be a part of one
      rate: sum(series.accepted).map((count, i) => count / Math.max(1, Math.min(width, cycles - i * width))),
      mean: unlessNone(sum(series.latency_sum), (total, i) => total / answered[i]),
      longest: unlessNone(join(series.latency_max, Math.max), (longest) => longest),
      flips: sum(series.flips),
      faults: sum(series.faults),
    };
  }

  /** A figure with a title. */
  figure(title, note) {
    const figure = document.createElement("figure");
    const caption = Txbar.element("figcaption", title + " ");
    caption.append(Txbar.element("span", note));
    figure.append(caption);
    this.parent.append(figure);
    return figure;
  }

  axes(x) {
    const axis = (label) => ({
      label,
      labelSize: 18,
      labelFont: "12px sans-serif",
      font: "12px sans-serif",
      stroke: () => this.colour("ink"),
      grid: { stroke: () => this.colour("line"), width: 1 },
      ticks: { stroke: () => this.colour("line"), width: 1 },
    });
    return [axis(x), { ...axis(undefined), size: 60 }];
  }

  add(figure, options, data) {
    const width = Math.max(200, figure.clientWidth);
    const plot = new uPlot({ width, height: 220, ...options }, data, figure);
    this.all.push({ figure, plot });
    return plot;
  }

  /** A plot over time: of these lines (label and colour), with what `pick` takes of the slices. */
  time(title, note, lines, pick) {
    const line = ([label, colour]) => ({
      label,
      stroke: () => this.colour(colour),
      width: 1.5,
      spanGaps: true,
      value: (_, value) => (value === null ? "none" : Number(value.toFixed(3)).toLocaleString("en")),
    });
    const figure = this.figure(title, note);
    const plot = this.add(
      figure,
      {
        cursor: { sync: { key: "cycles" }, drag: { x: true, y: false, setScale: false } },
        scales: { x: { time: false, range: () => [this.view.begin, this.view.end] } },
        axes: this.axes("cycle"),
        series: [{ label: "cycle", value: (_, value) => (value === null ? "" : Math.round(value).toLocaleString("en")) }, ...lines.map(line)],
        hooks: {
          setSelect: [
            (plot) => {
              const { left, width } = plot.select;
              if (width < 3) return;
              this.view.show(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
              plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
        },
      },
      pick(this.slices()),
    );
    plot.over.addEventListener("dblclick", () => this.view.show(0, this.view.last));
    this.overTime.push({ plot, pick, note, told: figure.querySelector("span") });
    this.tell();
  }

  /** How many took how long. */
  histogram(title, counts, what) {
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (total === 0) return;
    const shortest = counts.findIndex((count) => count > 0);
    const at = (share) => {
      let seen = 0;
      return counts.findIndex((count) => (seen += count) >= Math.max(1, Math.ceil(total * share)));
    };
    const note = `${total.toLocaleString("en")} ${what}: min ${shortest}, median ${at(0.5)}, p99 ${at(0.99)}, max ${counts.length - 1} cycles`;
    const x = counts.map((_, i) => i);
    this.add(
      this.figure(title, note),
      {
        scales: { x: { time: false, range: (_, low, high) => [Math.max(-0.6, low - 1), high + 1] } },
        axes: this.axes("cycles"),
        series: [
          { label: "cycles" },
          {
            label: what,
            stroke: () => this.colour("pending"),
            fill: () => this.colour("pending-range"),
            paths: uPlot.paths.bars({ size: [0.9, 40] }),
            points: { show: false },
          },
        ],
      },
      [x, counts],
    );
  }

  /** Says how wide the slices are. */
  tell() {
    const width = this.timeline.series.width * this.factor;
    const slices = width === 1 ? "each cycle" : `slices of ${width.toLocaleString("en")} cycles`;
    this.overTime.forEach(({ told, note }) => (told.textContent = note ? `${slices}; ${note}` : slices));
  }

  /** Follows ten times a second at most: while somebody zooms, the time of a frame is the timeline's. */
  followSoon() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.follow();
    }, 100);
  }

  /** Shows the cycles that the timeline shows. */
  follow() {
    const { begin, end } = this.view;
    if (this.begin === begin && this.end === end) return;
    [this.begin, this.end] = [begin, end];
    const factor = this.factorInSight();
    if (factor !== this.factor) {
      this.factor = factor;
      const slices = this.slices();
      this.overTime.forEach(({ plot, pick }) => plot.setData(pick(slices), false));
      this.tell();
    }
    this.overTime.forEach(({ plot }) => plot.setScale("x", { min: begin, max: end }));
  }

  resize() {
    this.all.forEach(({ figure, plot }) => {
      const width = Math.max(200, figure.clientWidth);
      if (width !== plot.width) plot.setSize({ width, height: 220 });
    });
  }
};
