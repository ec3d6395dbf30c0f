"use strict";

/* The text of the kernel, line by line, with marks of what happened there; and links from everywhere else to it. */
Txbar.Source = class {
  /** Lines of a file up to which it is shown as a whole; of a longer one what is around its marks. */
  static WHOLE = 4000;
  static AROUND = 30;

  constructor(record) {
    this.files = record.listing?.files ?? [];
    this.places = new Map((record.listing?.places ?? []).map((place) => [place.ptx_line, place]));
    /** By file and line: marks, a text each, and whether it is an alarm. */
    this.marks = this.files.map(() => new Map());
    const waits = (row) => `${row.threads.length === 1 ? "thread" : "threads"} ${Txbar.tables.ranges(row.threads)}: ${row.waits_for === "nothing" ? "at work" : "waiting"}`;
    for (const row of record.hang) this.mark(row.line, waits(row), true);
    for (const row of record.remarks) {
      this.mark(row.line, row.bug ?? row.status ?? "fault", true);
      if (row.other_line !== undefined) this.mark(row.other_line, `${row.bug ?? "fault"}: the other`, true);
    }
    const counts = new Map();
    for (const line of record.timeline?.events.line ?? []) if (line !== null) counts.set(line, (counts.get(line) ?? 0) + 1);
    const byPlace = new Map();
    for (const [line, count] of counts) {
      const place = this.places.get(line);
      if (place) byPlace.set(this.id(place), [place, (byPlace.get(this.id(place))?.[1] ?? 0) + count]);
    }
    for (const [place, count] of byPlace.values()) {
      this.mark(place.ptx_line, `${count.toLocaleString("en")} operation${count === 1 ? "" : "s"}`, false);
    }
  }

  id(place) {
    return `line-${place.file}-${place.line}`;
  }

  mark(line, text, alarm) {
    const place = this.places.get(line);
    if (!place) return;
    const marks = this.marks[place.file];
    const known = marks.get(place.line) ?? [];
    if (!known.some((mark) => mark.text === text)) known.push({ text, alarm });
    marks.set(place.line, known);
  }

  /** A link to the place of a line of the PTX text, or its number where there is no text. */
  link(line) {
    if (line === null || line === undefined) return "";
    const place = this.places.get(line);
    if (!place) return String(line);
    const name = this.files[place.file].name.split(/[/\\]/).pop();
    const link = Txbar.element("a", `${name}:${place.line}`);
    link.href = "#" + this.id(place);
    link.title = place.text;
    return link;
  }

  /** Numbers of the lines of a file that are shown. */
  shown(lines, marks, places) {
    if (lines.length <= Txbar.Source.WHOLE) return lines.map((_, i) => i + 1);
    const shown = new Set();
    for (const line of [...marks.keys(), ...places]) {
      const { AROUND } = Txbar.Source;
      for (let i = Math.max(1, line - AROUND); i <= Math.min(lines.length, line + AROUND); i++) shown.add(i);
    }
    return [...shown].sort((one, other) => one - other);
  }

  write(section) {
    if (this.files.length === 0) return;
    Txbar.tables.show("source");
    this.files.forEach((file, number) => {
      const marks = this.marks[number];
      const places = [...this.places.values()].filter((place) => place.file === number).map((place) => place.line);
      const table = document.createElement("table");
      table.className = "listing";
      const lines = file.text.split("\n");
      if (lines[lines.length - 1] === "") lines.pop();
      let last = 0;
      for (const line of this.shown(lines, marks, places)) {
        const row = table.insertRow();
        row.id = this.id({ file: number, line });
        if (line !== last + 1) row.className = "gap";
        last = line;
        const said = marks.get(line) ?? [];
        const cell = Txbar.element("td", "", "marks");
        for (const { text, alarm } of said) cell.append(Txbar.element("span", text, alarm ? "alarm" : ""));
        if (said.length > 0) row.classList.add("marked");
        row.append(Txbar.element("td", String(line), "number"), Txbar.element("td", lines[line - 1].replace(/\r$/, ""), "code"), cell);
      }
      const scroll = Txbar.element("div", "", "scroll");
      Object.assign(scroll, { tabIndex: 0, role: "region", ariaLabel: file.name });
      scroll.append(table);
      section.append(Txbar.element("h3", file.name, "mono"), scroll);
    });
  }
};
