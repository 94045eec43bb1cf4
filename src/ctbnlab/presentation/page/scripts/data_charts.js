// Charts of the data: events over time since entry, and timelines of a few trajectories.
"use strict";
(function () {
  const MOST_ROWS = 14;

  ctbn.drawActivity = function (place) {
    const found = ctbn.data.activity;
    if (!found) return;
    const box = ctbn.element("div");
    const draw = (which) => {
      box.replaceChildren();
      const counts = which === "all"
        ? found.exposure.map((_, k) => d3.sum(found.events, (row) => row[k]))
        : found.events[which];
      const rates = counts.map((count, k) => (found.exposure[k] ? count / found.exposure[k] : null));
      const what = which === "all" ? "all variables" : ctbn.variable(which);
      const top = d3.max(rates) || 1;
      const { svg, across, up } = ctbn.frame(box, {
        x: [0, found.cuts.at(-1)], y: [0, top * 1.08], xLabel: "time since entry", yLabel: "events per unit of time",
        label: `Events per unit of time of ${what}, by time since entry`,
      });
      svg.append("g").selectAll("rect").data(rates).join("rect").attr("class", "bar")
        .attr("x", (_, k) => across(found.cuts[k]) + 0.5).attr("width", (_, k) => Math.max(1, across(found.cuts[k + 1]) - across(found.cuts[k]) - 1))
        .attr("y", (rate) => up(rate || 0)).attr("height", (rate) => up(0) - up(rate || 0))
        .append("title").text((rate, k) => `${ctbn.number(found.cuts[k])} to ${ctbn.number(found.cuts[k + 1])}: ${counts[k].toLocaleString("en")} events in ${ctbn.number(found.exposure[k])} units of time, ${ctbn.number(rate)} per unit`);
      box.append(ctbn.numbers("Events over time since entry", ["From", "To", "Events", "Time observed", "Per unit"],
        rates.map((rate, k) => [ctbn.number(found.cuts[k]), ctbn.number(found.cuts[k + 1]), counts[k].toLocaleString("en"), ctbn.number(found.exposure[k]), ctbn.number(rate)])));
    };
    const moving = d3.range(found.events.length).filter((i) => d3.sum(found.events[i]));
    place.append(ctbn.choice("Variable", [["all", "all variables"], ...ctbn.variableOptions(moving)], draw), box);
    draw("all");
  };

  // Returns the stays of a variable in a trajectory: from, to, code.
  function stays(line, variable) {
    const found = [];
    let start = 0, code = line.initial[variable];
    for (const [time, changed, next] of line.events) {
      if (changed !== variable) continue;
      found.push([start, time, code]);
      [start, code] = [time, next];
    }
    found.push([start, line.end, code]);
    return found;
  }

  function state(variable, code) {
    const states = ctbn.data.variables[variable].states;
    return code < states.length ? states[code] : "unobserved";
  }

  ctbn.drawTimelines = function (place) {
    const lines = ctbn.data.timelines || [];
    if (!lines.length) return;
    const box = ctbn.element("div");
    const draw = (number) => {
      box.replaceChildren();
      const line = lines[number];
      const counts = d3.rollup(line.events, (rows) => rows.length, (row) => row[1]);
      const order = d3.range(line.initial.length).sort((a, b) => (counts.get(b) || 0) - (counts.get(a) || 0) || a - b);
      const rows = order.slice(0, MOST_ROWS);
      const left = Math.min(150, 20 + 7 * d3.max(rows, (i) => Math.min(18, ctbn.variable(i).length)));
      const { svg, across, up } = ctbn.frame(box, {
        x: [0, line.end || 1], y: rows, names: true, left, height: 60 + 24 * rows.length, xLabel: "time since entry",
        label: `Trajectory ${line.id}: the states of ${rows.length} variables over time`,
      });
      for (const i of rows) {
        const row = svg.append("g");
        row.append("text").attr("class", "row-name").attr("x", left - 8).attr("y", up(i) + 4).attr("text-anchor", "end")
          .text(ctbn.variable(i).length > 18 ? `${ctbn.variable(i).slice(0, 17)}…` : ctbn.variable(i)).append("title").text(ctbn.variable(i));
        row.selectAll("rect").data(stays(line, i)).join("rect")
          .attr("class", (stay) => (stay[2] < ctbn.data.variables[i].states.length ? `stay tone-${stay[2] % ctbn.COLOURS}` : "stay gap"))
          .attr("x", (stay) => across(stay[0])).attr("y", up(i) - 8).attr("height", 16)
          .attr("width", (stay) => Math.max(0.5, across(stay[1]) - across(stay[0])))
          .append("title").text((stay) => `${ctbn.variable(i)}: ${state(i, stay[2])} from ${ctbn.number(stay[0])} to ${ctbn.number(stay[1])}`);
      }
      const notes = [];
      if (line.cut) notes.push(`Only the first ${line.events.length} events are shown.`);
      if (order.length > rows.length) notes.push(`The ${rows.length} variables that change most are shown.`);
      notes.push("Colours are states, in the order of the variable's table; point at one for its name.");
      box.append(ctbn.element("p", { class: "note" }, notes.join(" ")));
      box.append(ctbn.numbers(`Trajectory ${line.id}`, ["Time", "Variable", "New state"],
        line.events.map(([time, variable, code]) => [ctbn.number(time, 5), ctbn.name(ctbn.variable(variable)), ctbn.name(state(variable, code))])));
    };
    place.append(ctbn.choice("Trajectory", lines.map((line, k) => [k, `${line.id} (${line.events.length}${line.cut ? "+" : ""} events)`]), draw), box);
    draw(0);
  };
})();
