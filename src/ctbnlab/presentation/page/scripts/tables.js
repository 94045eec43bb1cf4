// Tables: sorted by a press on a heading, filtered by a text, written as CSV.
"use strict";
(function () {
  const collator = new Intl.Collator("en", { numeric: true });

  function value(row, column) {
    const cell = row.cells[column];
    const given = cell.dataset.value;
    return given === undefined ? cell.textContent : given;
  }

  // Compares two cells: numbers by size, texts by name, cells without a value last.
  function compare(a, b, direction) {
    if (a === "" || b === "") return a === b ? 0 : a === "" ? 1 : -1;
    const x = a === "inf" ? Infinity : Number(a), y = b === "inf" ? Infinity : Number(b);
    const order = Number.isNaN(x) || Number.isNaN(y) ? collator.compare(a, b) : x === y ? 0 : x - y;
    return direction * order;
  }

  function sort(table, column, heading) {
    const before = heading.getAttribute("aria-sort");
    const numeric = heading.classList.contains("number");
    const direction = before ? (before === "descending" ? 1 : -1) : numeric ? -1 : 1;
    const body = table.tBodies[0];
    const rows = [...body.rows];
    rows.sort((a, b) => compare(value(a, column), value(b, column), direction));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    body.append(...rows);
  }

  function filter(table, text, shown) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of table.tBodies[0].rows) {
      const content = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => content.includes(word));
      count += !row.hidden;
    }
    const total = table.tBodies[0].rows.length;
    shown.textContent = count === total ? `${total.toLocaleString("en")} rows` : `${count.toLocaleString("en")} of ${total.toLocaleString("en")} rows`;
  }

  // Returns a cell of CSV; a text that a spreadsheet would compute gets a leading quote.
  ctbn.csvCell = function (text) {
    const number = text !== "" && !Number.isNaN(Number(text));
    const safe = !number && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };

  ctbn.csv = function (table) {
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
    const head = [...table.tHead.rows[0].cells].map((cell) => ctbn.csvCell(cell.textContent.trim()));
    const body = rows.map((row) => [...row.cells].map((_, i) => ctbn.csvCell(value(row, i))).join(","));
    return [head.join(","), ...body].join("\n") + "\n";
  };

  function equip(table) {
    for (const [column, heading] of [...table.tHead.rows[0].cells].entries()) {
      const text = heading.textContent;
      heading.replaceChildren(ctbn.button(text, () => sort(table, column, heading), { class: "sort" }));
    }
    const place = document.querySelector(`[data-tools-of="${table.id}"]`);
    const shown = ctbn.element("output", { class: "shown" });
    const input = ctbn.element("input", { type: "search", placeholder: "any text", on: { input: () => filter(table, input.value, shown) } });
    place.append(
      ctbn.element("label", { class: "control" }, "Filter ", input), shown,
      ctbn.button("Download as CSV", () => ctbn.download(table.dataset.file, "text/csv;charset=utf-8", ctbn.csv(table)))
    );
    filter(table, "", shown);
  }

  ctbn.startTables = () => document.querySelectorAll("table.sortable").forEach(equip);
})();
