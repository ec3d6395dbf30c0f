"use strict";

/*
 * The word that a barrier holds in a cycle, in words: for the panel below the timeline, for the tip at the mouse, and for
 * whoever has the page read out.
 */
Txbar.Inspector = class {
  constructor(view) {
    this.view = view;
    this.timeline = view.timeline;
  }

  /** Rows of a track in a cycle: from the first to before the second. */
  static rowsIn(track, cycle) {
    return [Txbar.above(track.cycle, cycle - 1), Txbar.above(track.cycle, cycle)];
  }

  /** The word of a track at the end of a cycle. */
  wordAt(track, cycle) {
    const position = Txbar.View.position(track, cycle);
    if (position < 0) return { ...track.before, number: track.phases, since: null };
    const { events } = this.timeline;
    const row = track.row[position];
    const { [row]: word } = events.word;
    const [phase, pending, tx] = [events.phase[row], events.pending[row], events.tx[row]];
    const [expected, fault] = [events.expected[row], events.fault[row]];
    return { word, phase, pending, tx, expected, fault, number: track.numberOfPhase[position], since: events.cycle[row] };
  }

  /** Waits that are suspended on a track in a cycle. */
  waitsAt(track, cycle) {
    const { wait } = track;
    const rows = [];
    for (let i = Txbar.above(wait.begin, cycle - wait.longest - 1); i < wait.begin.length && wait.begin[i] <= cycle; i++) {
      if (wait.end[i] >= cycle) rows.push(wait.row[i]);
    }
    return rows;
  }

  /** Who made a request. */
  who(port, thread) {
    const name = this.timeline.ports[port];
    return name.startsWith("port") ? `thread ${thread} (${name})` : name;
  }

  /** An operation in a line. */
  line(row) {
    const { events, operations, statuses } = this.timeline;
    const operation = operations[events.op[row]];
    const [status, meaning] = statuses[events.status[row]];
    const value = operation.operand === "token" ? events.operand[row].toString(16).padStart(8, "0") : events.operand[row];
    const operand = operation.operand ? ` ${operation.operand} ${value}` : "";
    const flags = events.flags[row];
    const answered = events.answered[row];
    const results = [
      status === "ok" ? "" : `${status}: ${meaning}`,
      operation.class === "wait" && status === "ok" && !(flags & Txbar.SUSPENDED)
        ? `predicate ${flags & Txbar.PREDICATE ? "true" : "false"}`
        : "",
      flags & Txbar.SUSPENDED ? "suspended" : "",
      flags & Txbar.FLIP ? "completes the phase" : "",
      answered === null ? "" : `answered after ${answered - events.accepted[row]} cycles`,
    ];
    const told = results.filter((text) => text !== "").join("; ");
    return {
      text: `${operation.name}${operand}, ${this.who(events.port[row], events.thread[row])}${told ? ": " + told : ""}`,
      alarm: status !== "ok",
      ptx: operation.ptx,
      line: events.line?.[row],
    };
  }

  /** A suspended wait in a line. */
  waitLine(row) {
    const { waits } = this.timeline;
    const how = { woken: "woken", timed_out: "its time was over", invalidated: "its barrier was ended", waiting: "never answered" };
    const end = waits.end[row] === null ? "the end" : waits.end[row].toLocaleString("en");
    return `waits for parity ${waits.parity[row]}: ${this.who(waits.port[row], waits.thread[row])}, cycles ` +
      `${waits.begin[row].toLocaleString("en")} to ${end}, ${how[waits.how[row]]}`;
  }

  /** Everything there is to say of a track in a cycle: fields by name, and lines. */
  describe(track, cycle) {
    const at = this.wordAt(track, cycle);
    const plain = (number) => number.toLocaleString("en");
    const fields = [
      ["barrier", track.name],
      ["cycle", plain(cycle)],
    ];
    if (track.address !== null) {
      fields.push(
        ["word", at.word],
        ["phase", `${plain(at.number)} (parity ${at.phase})`],
        ["pending", `${plain(at.pending)} of ${plain(at.expected)} arrivals`],
        ["tx-count", `${plain(at.tx)} bytes`],
        ["fault bit", at.fault ? "set" : "clear"],
        ["since cycle", at.since === null ? "before the first row" : plain(at.since)],
      );
    }
    const [from, to] = Txbar.Inspector.rowsIn(track, cycle);
    const lines = [];
    for (let i = from; i < to; i++) lines.push(this.line(track.row[i]));
    for (const row of this.waitsAt(track, cycle)) lines.push({ text: this.waitLine(row), alarm: this.timeline.waits.how[row] === "waiting" });
    for (const mark of this.timeline.marks) {
      if (mark.cycle === cycle) lines.push({ text: mark.text, alarm: true });
    }
    return { fields, lines };
  }

  /** The cycle at or near a cycle, so many away at most, in which something is done to a track. */
  nearest(track, cycle, away) {
    const after = Txbar.above(track.cycle, cycle);
    let best = null;
    for (const i of [after - 1, after]) {
      if (i < 0 || i >= track.count) continue;
      const distance = Math.abs(track.cycle[i] - cycle);
      if (distance <= away && (best === null || distance < Math.abs(best - cycle))) best = track.cycle[i];
    }
    return best ?? Math.min(Math.max(0, Math.floor(cycle)), this.view.last);
  }

  /** Writes the panel. */
  write(panel) {
    const track = this.view.chosen;
    panel.replaceChildren();
    if (!track) return;
    const { fields, lines } = this.describe(track, this.view.cycle);
    const list = document.createElement("dl");
    for (const [name, value] of fields) {
      const field = document.createElement("div");
      field.append(Txbar.element("dt", name), Txbar.element("dd", value, name === "word" ? "mono" : ""));
      list.append(field);
    }
    const said = document.createElement("ul");
    const most = 12;
    for (const { text, alarm, ptx, line } of lines.slice(0, most)) {
      const item = Txbar.element("li", text, alarm ? "alarm" : "");
      const link = Txbar.source.link(line);
      if (link !== "") item.append(" ", link);
      if (ptx) item.title = ptx;
      said.append(item);
    }
    if (lines.length > most) said.append(Txbar.element("li", `and ${lines.length - most} more`));
    panel.append(list, said);
  }

  /** The tip's text. */
  tip(track, cycle) {
    const { fields, lines } = this.describe(track, cycle);
    const most = 5;
    const texts = lines.slice(0, most).map((line) => line.text);
    if (lines.length > most) texts.push(`and ${lines.length - most} more`);
    return [fields.map(([name, value]) => `${name} ${value}`).join(" · "), ...texts].join("\n");
  }
};

/** An element with a text, and a class if it has one. */
Txbar.element = function (kind, text, className) {
  const element = document.createElement(kind);
  element.textContent = text;
  if (className) element.className = className;
  return element;
};
