// What all scripts of the page share: its data, elements that hold text only, numbers, files to download.
"use strict";
const ctbn = { data: JSON.parse(document.getElementById("page-data").textContent) };

// Returns an element with attributes and children; a child that is text stays text.
ctbn.element = function (tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "on") for (const [event, call] of Object.entries(value)) made.addEventListener(event, call);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
};

// Returns a name from the data, isolated so that a right-to-left one moves nothing else.
ctbn.name = (text) => ctbn.element("bdi", {}, text);

ctbn.variable = (i) => ctbn.data.variables[i].name;

ctbn.number = function (value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1);
  if (size >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(digits)));
};

ctbn.percent = (value) => `${ctbn.number(100 * value, 3)}%`;

ctbn.probability = function (p) {
  if (p > 0.9995) return "> 0.999";
  return p < 0.0005 ? "< 0.001" : p.toFixed(3);
};

// Hands the reader a file that the page made.
ctbn.download = function (name, type, content) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const address = URL.createObjectURL(blob);
  const link = ctbn.element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};

// Returns a labelled list to choose from; `choose` gets the value that was chosen.
ctbn.choice = function (label, options, choose) {
  const select = ctbn.element("select", { on: { change: () => choose(select.value) } });
  for (const [value, text] of options) select.append(ctbn.element("option", { value }, text));
  return ctbn.element("label", { class: "control" }, label, " ", select);
};

ctbn.button = (text, press, attributes = {}) =>
  ctbn.element("button", { type: "button", ...attributes, on: { click: press } }, text);

// Returns a table, folded under a title: what a chart shows, for those who cannot see it.
ctbn.numbers = function (title, head, rows) {
  const table = ctbn.element(
    "table", { class: "plain" },
    ctbn.element("thead", {}, ctbn.element("tr", {}, head.map((cell) => ctbn.element("th", { scope: "col" }, cell)))),
    ctbn.element("tbody", {}, rows.map((row) => ctbn.element("tr", {},
      row.map((cell, i) => ctbn.element(i ? "td" : "th", i ? {} : { scope: "row" }, cell)))))
  );
  const wide = ctbn.element("div", { class: "wide", role: "region", "aria-label": title, tabindex: "0" }, table);
  return ctbn.element("details", { class: "numbers" }, ctbn.element("summary", {}, "The numbers"), wide);
};
