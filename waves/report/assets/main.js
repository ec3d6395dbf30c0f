"use strict";

/* Puts the page together: the record's parts to their sections, and keys, mouse and buttons to the view. */
Txbar.legend = [
  ["phase-0-strip", "phase of parity 0"],
  ["phase-1-strip", "phase of parity 1"],
  ["phase-many-strip", "several phases in a pixel"],
  ["pending", "arrivals pending (lighter: up to)"],
  ["bytes", "bytes missing (below the line: came before they were expected)"],
  ["wait", "suspended wait, woken"],
  ["wait-late", "its time was over"],
  ["wait-bad", "never answered, or its barrier was ended"],
  ["alarm", "▲ fault or remark, ◆ mark"],
];

Txbar.byId = (id) => document.getElementById(id);

Txbar.wireMouse = function (view, timeline, inspector, say) {
  const { canvas } = timeline;
  const tip = Txbar.element("div", "");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  /** The track and cycle at the mouse, if it is over one. */
  const target = (event) => {
    const [x, y] = place(event);
    const number = timeline.trackAt(y);
    if (number < 0 || x < 0) return null;
    const track = view.tracks[number];
    const away = (6 * view.span) / timeline.breadth;
    const inTime = x >= Txbar.Timeline.NAMES;
    return { number, track, cycle: inTime ? inspector.nearest(track, timeline.cycleAt(x), away) : view.cycle, inTime };
  };
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, begin: view.begin, end: view.end, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag) {
      const cycles = ((drag.x - event.clientX) / timeline.breadth) * (drag.end - drag.begin);
      drag.moved ||= Math.abs(drag.x - event.clientX) > 3;
      if (drag.moved) view.show(drag.begin + cycles, drag.end + cycles);
    }
    const at = drag?.moved ? null : target(event);
    tip.hidden = !at?.inTime;
    if (!at?.inTime) return;
    tip.textContent = inspector.tip(at.track, at.cycle);
    const { innerWidth, innerHeight } = window;
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
    const below = event.clientY + 16 + tip.offsetHeight < innerHeight;
    tip.style.top = (below ? event.clientY + 16 : event.clientY - tip.offsetHeight - 10) + "px";
  });
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
  canvas.addEventListener("pointerup", (event) => {
    const at = drag && !drag.moved ? target(event) : null;
    drag = null;
    if (at) {
      view.look(at.number, at.cycle);
      say();
    }
  });
  canvas.addEventListener("pointercancel", () => (drag = null));
  canvas.addEventListener("dblclick", (event) => view.zoom(0.25, timeline.cycleAt(place(event)[0])));
  timeline.container.addEventListener(
    "wheel",
    (event) => {
      const [x] = place(event);
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        view.zoom(2 ** (event.deltaY / 200), timeline.cycleAt(Math.max(x, Txbar.Timeline.NAMES)));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        view.pan(((event.deltaX || event.deltaY) / timeline.breadth) * view.span);
      }
    },
    { passive: false },
  );
};

Txbar.wireKeys = function (view, timeline, say) {
  const toTrack = (step) => view.look(view.track + step, view.cycle);
  const keys = {
    ArrowLeft: () => view.pan(-view.span / 5),
    ArrowRight: () => view.pan(view.span / 5),
    ArrowUp: () => toTrack(-1),
    ArrowDown: () => toTrack(1),
    "+": () => view.zoom(0.5),
    "=": () => view.zoom(0.5),
    "-": () => view.zoom(2),
    0: () => view.show(0, view.last),
    n: () => view.step(1),
    p: () => view.step(-1),
    f: () => view.toAlarm(true),
    F: () => view.toAlarm(false),
    Home: () => view.toEnd(false),
    End: () => view.toEnd(true),
    Enter: () => view.show(view.cycle - 30, view.cycle + 30),
  };
  const moves = ["ArrowUp", "ArrowDown", "n", "p", "f", "F", "Home", "End"];
  timeline.container.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
    if (moves.includes(event.key)) {
      timeline.reveal();
      say();
    }
  });
};

Txbar.wireControls = function (view, timeline, say) {
  const click = (id, act) => Txbar.byId(id).addEventListener("click", act);
  click("zoom-in", () => view.zoom(0.5));
  click("zoom-out", () => view.zoom(2));
  click("zoom-all", () => view.show(0, view.last));
  click("go-left", () => view.pan(-view.span / 2));
  click("go-right", () => view.pan(view.span / 2));
  click("next-mark", () => {
    view.toAlarm(true);
    timeline.reveal();
    say();
  });
  const cycle = Txbar.byId("cycle");
  cycle.max = view.last;
  cycle.addEventListener("change", () => {
    if (!Number.isFinite(cycle.valueAsNumber)) return;
    view.look(view.track, cycle.valueAsNumber);
    say();
  });
  const [filter, order] = [Txbar.byId("filter"), Txbar.byId("order")];
  const arrange = () => view.arrange(filter.value, order.value);
  filter.addEventListener("input", arrange);
  order.addEventListener("change", arrange);
  const shown = Txbar.byId("window");
  view.onChange(() => {
    const plain = (number) => Math.round(number).toLocaleString("en");
    shown.textContent = `cycles ${plain(view.begin)} to ${plain(view.end)}; ${view.tracks.length} barriers`;
    if (document.activeElement !== cycle) cycle.value = view.cycle;
  });
};

Txbar.writeLegend = function (list) {
  for (const [colour, meaning] of Txbar.legend) {
    const key = Txbar.element("span", "", "key");
    key.style.background = `var(--${colour})`;
    const item = document.createElement("li");
    item.append(key, meaning);
    list.append(item);
  }
};

Txbar.showTimeline = function (timeline) {
  Txbar.tables.show("timeline");
  const view = new Txbar.View(timeline);
  view.arrange("", "address");
  const inspector = new Txbar.Inspector(view);
  const drawn = new Txbar.Timeline(view, Txbar.byId("tracks"), Txbar.byId("spacer"), Txbar.byId("canvas"));
  const readout = Txbar.byId("readout");
  const say = () => inspector.write(readout);
  Txbar.writeLegend(Txbar.byId("legend"));
  Txbar.wireMouse(view, drawn, inspector, say);
  Txbar.wireKeys(view, drawn, say);
  Txbar.wireControls(view, drawn, say);
  new Txbar.RowsTable(view, inspector, Txbar.byId("rows"));
  if (timeline.dropped > 0) {
    const note = Txbar.byId("dropped");
    note.hidden = false;
    note.textContent = `${timeline.dropped.toLocaleString("en")} earlier operations were not kept; the timeline begins with cycle ` +
      `${(timeline.events.cycle[0] ?? 0).toLocaleString("en")}. Plots and counts are of the whole run.`;
  }
  Txbar.tables.show("rates");
  Txbar.plots = new Txbar.Plots(view, timeline, Txbar.byId("plots"));
  Txbar.tables.counts(timeline);
  [Txbar.view, Txbar.drawn] = [view, drawn];
  // what the run ended with is what one wants to see first; without a mark, the beginning
  const mark = timeline.marks[timeline.marks.length - 1];
  const busiest = view.tracks.reduce((best, track, i) => (track.count > view.tracks[best].count ? i : best), 0);
  const at = mark?.cycle ?? view.tracks[busiest]?.cycle[0] ?? 0;
  view.look(busiest, at);
  drawn.reveal();
  say();
};

Txbar.writeParts = function () {
  const list = document.createElement("ul");
  for (const heading of document.querySelectorAll("main section:not([hidden]) > h2")) {
    const link = Txbar.element("a", heading.textContent);
    link.href = "#" + heading.parentElement.id;
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  Txbar.byId("parts").replaceChildren(list);
};

{
  const record = Txbar.readRecord();
  Txbar.source = new Txbar.Source(record);
  Txbar.tables.hang(record.hang, Txbar.source);
  Txbar.tables.remarks(record.remarks, Txbar.source);
  Txbar.source.write(Txbar.byId("source"));
  if (record.timeline) Txbar.showTimeline(record.timeline);
  Txbar.tables.conformance(record.conformance);
  Txbar.writeParts();
  document.documentElement.dataset.ready = "true";
}
