// Charts of the queries: probabilities of the network as lines, what was observed as points.
"use strict";
(function () {
  const EVERY = 2; // observed moments from one point to the next

  function drawPair(box, variable, found, shown) {
    const { moments } = ctbn.data;
    const { svg, across, up } = ctbn.frame(box, { x: [0, moments.at(-1)], y: [0, 1], xLabel: "time since entry", yLabel: shown.yLabel, label: shown.label });
    const line = d3.line().defined((p) => p !== null).x((_, k) => across(moments[k])).y((p) => up(p));
    shown.codes.forEach((code, at) => {
      const group = svg.append("g"), name = ctbn.data.variables[variable].states[code];
      if (found.model) group.append("path").attr("class", `curve line-${code % ctbn.COLOURS}`).attr("d", line(found.model[at])).append("title").text(`${name}, network`);
      const points = found.observed[at].map((p, k) => [p, k]).filter(([p, k]) => p !== null && k % EVERY === 0);
      const bound = (sign) => ([p, k]) => up(Math.min(1, Math.max(0, p + sign * 2 * shown.spread[at][k])));
      group.selectAll("line").data(points).join("line").attr("class", `seen-error line-${code % ctbn.COLOURS}`)
        .attr("x1", ([, k]) => across(moments[k])).attr("x2", ([, k]) => across(moments[k])).attr("y1", bound(-1)).attr("y2", bound(1));
      group.selectAll("circle").data(points).join("circle").attr("class", `seen line-${code % ctbn.COLOURS}`).attr("r", 3)
        .attr("cx", ([, k]) => across(moments[k])).attr("cy", ([p]) => up(p))
        .append("title").text(([p, k]) => `${name}, observed at ${ctbn.number(moments[k])}: ${ctbn.number(p)}`);
    });
  }

  // The heading and the cells of a state: network, observed, with standard errors of what is simulated or observed.
  function columns(found, spread, names) {
    const parts = [found.model && ["network", found.model], found.errors && ["± standard error", found.errors], ["observed", found.observed], ["± standard error", spread]].filter(Boolean);
    return names.flatMap((name, at) => parts.map(([what, values]) => [ctbn.element("span", {}, ctbn.name(name), `, ${what}`), values[at]]));
  }

  // The standard errors of shares of the people observed.
  const ofShares = (found, people) => found.observed.map((row) => row.map((p, k) => (p === null ? null : Math.sqrt(p * (1 - p) / people[k]))));

  function drawAll(place, given, describe) {
    if (!given) return;
    const box = ctbn.element("div");
    const numbers = given.order;
    if (!numbers.length) return;
    const draw = (variable) => {
      box.replaceChildren();
      const found = given.variables[variable], states = ctbn.data.variables[variable].states;
      const codes = found.states || d3.range(states.length);
      const spread = found.spread || ofShares(found, given.people);
      const shown = { codes, spread, ...describe(ctbn.variable(variable)) };
      drawPair(box, variable, found, shown);
      box.append(ctbn.key(codes.map((code) => states[code]), codes));
      box.append(ctbn.element("p", { class: "note" }, found.how || "Observed only: the network was not asked."));
      const listed = columns(found, spread, codes.map((code) => states[code]));
      box.append(ctbn.numbers(shown.label, ["Time", "Trajectories", ...listed.map(([head]) => head)],
        ctbn.data.moments.map((moment, k) => [ctbn.number(moment), given.people[k].toLocaleString("en"), ...listed.map(([, values]) => ctbn.number(values[k]))])));
    };
    place.append(ctbn.choice("Variable", ctbn.variableOptions(numbers), draw), box);
    draw(numbers[0]);
  }

  ctbn.drawCurves = (place) => drawAll(place, ctbn.data.curves, (name) => ({
    yLabel: "probability", label: `Probability of each state of ${name} over time, of the network and observed`,
  }));

  ctbn.drawEvents = (place) => drawAll(place, ctbn.data.events, (name) => ({
    yLabel: "probability by then", label: `Probability that ${name} has happened, of the network and observed`,
  }));
})();
