"use strict";

/* Everything that is a table. All texts go in as texts, never as HTML. */
Txbar.tables = {
  /** Fills a table: columns are [title, class], rows lists of texts or elements. */
  fill(table, columns, rows) {
    const head = document.createElement("thead");
    const line = head.insertRow();
    for (const [title, className] of columns) {
      const cell = Txbar.element("th", title, className === "number" ? className : "");
      cell.scope = "col";
      line.append(cell);
    }
    const body = document.createElement("tbody");
    for (const row of rows) {
      const line = body.insertRow();
      row.forEach((content, i) => {
        const cell = Txbar.element("td", "", columns[i][1]);
        cell.append(content ?? "");
        line.append(cell);
      });
    }
    table.replaceChildren(head, body);
  },

  /** Shows a section. */
  show(name) {
    document.getElementById(name).hidden = false;
  },

  /** Numbers as ranges: 0-31, 40. */
  ranges(numbers) {
    const ranges = [];
    for (const number of numbers) {
      const last = ranges[ranges.length - 1];
      if (last && last[1] + 1 === number) last[1] = number;
      else ranges.push([number, number]);
    }
    return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
  },

  hang(rows, source) {
    if (rows.length === 0) return;
    Txbar.tables.show("hang");
    const columns = [["CTA", "number"], ["threads"], ["line", "number"], ["wait for"], ["word", "mono"], ["its parity", "number"],
      ["arrivals missing", "number"], ["bytes missing", "number"], ["arrived"]];
    const cells = (row) => [row.cta, Txbar.tables.ranges(row.threads), source.link(row.line), row.waits_for, row.word, row.word_parity,
      row.arrivals_missing, row.bytes_missing, (row.arrived ?? []).join("; ")];
    Txbar.tables.fill(document.getElementById("hang-table"), columns, rows.map(cells));
  },

  remarks(rows, source) {
    if (rows.length === 0) return;
    Txbar.tables.show("remarks");
    const columns = [["mistake"], ["line", "number"], ["CTA", "number"], ["thread", "number"], ["status"], ["what"], ["word before", "mono"]];
    const cells = (row) => [row.bug, source.link(row.line), row.cta, row.thread, row.status, row.message, row.word_before];
    Txbar.tables.fill(document.getElementById("remarks-table"), columns, rows.map(cells));
  },

  conformance(conformance) {
    if (!conformance) return;
    Txbar.tables.show("conformance");
    const sum = (key) => conformance.rows.reduce((sum, row) => sum + row[key], 0);
    const [matched, records] = [sum("matched"), sum("records")];
    document.getElementById("against").textContent =
      `${matched.toLocaleString("en")} of ${records.toLocaleString("en")} are as ${conformance.against}.`;
    const columns = [["source"], ["operation"], ["compared", "number"], ["the same", "number"], ["different", "number"]];
    const cells = (row) => [row.source, row.operation, row.records.toLocaleString("en"), row.matched.toLocaleString("en"),
      row.records === row.matched ? "" : (row.records - row.matched).toLocaleString("en")];
    const table = document.getElementById("conformance-table");
    Txbar.tables.fill(table, columns, conformance.rows.map(cells));
    conformance.rows.forEach((row, i) => {
      if (row.records !== row.matched) table.tBodies[0].rows[i].className = "alarm";
    });
    const list = document.getElementById("mismatches");
    list.replaceChildren(...conformance.mismatches.map((text) => Txbar.element("li", text, "mono")));
  },

  counts({ counts, operations, statuses }) {
    if (counts.length === 0) return;
    Txbar.tables.show("counts");
    const columns = [["operation"], ["PTX"], ["status"], ["times", "number"], ["meaning"]];
    const cells = ({ op, status, times }) => [operations[op].name, operations[op].ptx, statuses[status][0],
      times.toLocaleString("en"), statuses[status][0] === "ok" ? "" : statuses[status][1]];
    const table = document.getElementById("counts-table");
    Txbar.tables.fill(table, columns, counts.map(cells));
    counts.forEach(({ status }, i) => {
      if (statuses[status][0] !== "ok") table.tBodies[0].rows[i].className = "alarm";
    });
  },
};

/** The operations in sight on the barrier that is looked at, so many at a time. */
Txbar.RowsTable = class {
  static PAGE = 50;

  constructor(view, inspector, details) {
    Object.assign(this, { view, inspector, details, page: 0 });
    this.table = document.getElementById("rows-table");
    view.onChange(() => this.update());
    details.addEventListener("toggle", () => this.update());
    document.getElementById("rows-back").addEventListener("click", () => this.turn(-1));
    document.getElementById("rows-on").addEventListener("click", () => this.turn(1));
  }

  turn(pages) {
    this.page += pages;
    this.update();
  }

  update() {
    if (!this.details.open) return;
    const { view } = this;
    const track = view.chosen;
    const columns = [["cycle", "number"], ["operation"], ["word", "mono"], ["phase", "number"], ["pending", "number"],
      ["expected", "number"], ["tx-count", "number"], ["line"]];
    const from = track ? Txbar.above(track.cycle, view.begin - 1e-9) : 0;
    const to = track ? Txbar.above(track.cycle, view.end) : 0;
    const { PAGE } = Txbar.RowsTable;
    const pages = Math.max(1, Math.ceil((to - from) / PAGE));
    this.page = Math.min(Math.max(this.page, 0), pages - 1);
    const begin = from + this.page * PAGE;
    const end = Math.min(begin + PAGE, to);
    const { events } = view.timeline;
    const rows = [];
    for (let i = begin; i < end; i++) {
      const row = track.row[i];
      rows.push([events.cycle[row].toLocaleString("en"), this.inspector.line(row).text, events.word[row], events.phase[row],
        events.pending[row], events.expected[row], events.tx[row], Txbar.source.link(events.line?.[row])]);
    }
    Txbar.tables.fill(this.table, columns, rows);
    const shown = end > begin ? `${begin - from + 1} to ${end - from} of ` : "";
    document.getElementById("rows-shown").textContent = `${track ? track.name : ""}: ${shown}${(to - from).toLocaleString("en")}`;
  }
};
