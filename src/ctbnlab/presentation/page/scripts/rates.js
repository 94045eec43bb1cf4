// Rates: the matrices of a variable as heat maps, with what stands behind each rate.
"use strict";
(function () {
  const LEVELS = 8;
  const UNFOLDED = 3; // variables whose rates are shown at first
  const PRINTED = 30; // those that are printed

  function level(rate, top) {
    return rate > 0 && top > 0 ? Math.max(1, Math.min(LEVELS, Math.ceil(LEVELS * Math.sqrt(rate / top)))) : 0;
  }

  function words(found, variable, u, x, y) {
    const states = ctbn.data.variables[variable].states;
    const interval = found.low[u][x][y] === null ? "no interval: never visited" : `95% interval ${ctbn.number(found.low[u][x][y])} to ${ctbn.number(found.high[u][x][y])}`;
    return `${states[x]} → ${states[y]}: ${ctbn.number(found.rate[u][x][y])} per unit of time; ${interval}; ${found.moves[u][x][y].toLocaleString("en")} transitions in ${ctbn.number(found.time[u][x])} units of time`;
  }

  function matrix(found, variable, u, top, hint) {
    const states = ctbn.data.variables[variable].states.slice(0, found.states);
    const show = (cell) => { hint.textContent = cell.dataset.words; };
    const cell = (x, y) => {
      if (x === y) return ctbn.element("td", { class: "own" }, "–");
      const text = words(found, variable, u, x, y);
      const made = ctbn.element("td", { class: `heat-${level(found.rate[u][x][y], top)}${found.time[u][x] ? "" : " unseen"}`, title: text, "data-words": text, tabindex: "0" }, ctbn.number(found.rate[u][x][y]));
      made.addEventListener("focus", () => show(made));
      made.addEventListener("pointerenter", () => show(made));
      return made;
    };
    const given = found.parents.map((parent, k) => ctbn.element("span", {}, k ? ", " : "", ctbn.name(ctbn.variable(parent)), " = ", ctbn.name(ctbn.data.variables[parent].states[found.given[u][k]])));
    const total = d3.sum(found.time[u]);
    const caption = ctbn.element("caption", {}, given.length ? given : "always", ctbn.element("small", {}, `time ${ctbn.number(total)}`));
    const head = ctbn.element("tr", {}, ctbn.element("th", { scope: "col" }, "from \\ to"), states.map((state) => ctbn.element("th", { scope: "col" }, ctbn.name(state))), ctbn.element("th", { scope: "col", class: "spent" }, "time"));
    const rows = states.map((state, x) => ctbn.element("tr", {}, ctbn.element("th", { scope: "row" }, ctbn.name(state)), states.map((_, y) => cell(x, y)), ctbn.element("td", { class: "spent" }, ctbn.number(found.time[u][x]))));
    return ctbn.element("div", { class: "matrix" }, ctbn.element("table", { class: "heat" }, caption, ctbn.element("thead", {}, head), ctbn.element("tbody", {}, rows)));
  }

  function fill(place, found, variable) {
    const top = d3.max(found.rate.flatMap((rows) => rows.flatMap((row, x) => row.filter((_, y) => y !== x)))) || 0;
    const hint = ctbn.element("p", { class: "hint", "aria-live": "polite" }, "Point at a rate.");
    place.append(hint, ...found.rate.map((_, u) => matrix(found, variable, u, top, hint)));
    const notes = [];
    if (found.configurations > found.rate.length) notes.push(`The ${found.rate.length} of ${found.configurations.toLocaleString("en")} combinations with the most time are shown.`);
    if (ctbn.data.variables[variable].states.length > found.states) notes.push(`The first ${found.states} states are shown.`);
    if (notes.length) place.append(ctbn.element("p", { class: "note" }, notes.join(" "), " ", "`ctbnlab report --folder` writes all rates."));
  }

  ctbn.drawRates = function (place) {
    const listed = Object.entries(ctbn.data.rates).sort((a, b) => a[0] - b[0]);
    listed.forEach(([number, found], k) => {
      const variable = Number(number);
      const names = found.parents.map((parent, i) => [i ? ", " : "", ctbn.name(ctbn.variable(parent))]).flat();
      const body = ctbn.element("div", { class: "matrices" });
      const folded = ctbn.element("details", { id: `rates-${variable}` },
        ctbn.element("summary", {}, ctbn.name(ctbn.variable(variable)), ctbn.element("span", { class: "given" }, names.length ? [" given ", ...names] : " (no parents)")), body);
      const open = () => { if (folded.open && !body.childElementCount) fill(body, found, variable); };
      folded.addEventListener("toggle", open);
      place.append(folded);
      if (k < UNFOLDED) { folded.open = true; open(); }
    });
    ctbn.fillRates = () => listed.slice(0, PRINTED).forEach(([number, found]) => {
      const body = document.querySelector(`#rates-${number} .matrices`);
      if (!body.childElementCount) fill(body, found, Number(number));
    });
  };

  // Opens the rates of a variable and goes there.
  ctbn.showRates = function (variable) {
    ctbn.drawNow("rate-matrices");
    const place = document.getElementById(`rates-${variable}`);
    if (!place) return;
    place.open = true;
    place.scrollIntoView({ block: "start" });
    place.querySelector("summary").focus();
  };
})();
