// Charts of the model checks: residuals, and observed against expected transitions.
"use strict";
(function () {
  const KINDS = [["entry", "time since entry"], ["own", "time since its last change"]];

  ctbn.drawResiduals = function (place) {
    const all = (ctbn.data.residuals || []).filter((row) => row.entry.length || row.own.length);
    if (!all.length) return place.append(ctbn.element("p", {}, "There are too few events for residuals."));
    const box = ctbn.element("div");
    let row = all[0], kind = "entry";
    const draw = () => {
      box.replaceChildren();
      const ratios = row[kind];
      if (!ratios.length) return box.append(ctbn.element("p", {}, "There are too few events for these residuals."));
      const bounds = ratios.map(([ratio, error]) => [ratio - 2 * error, ratio + 2 * error]);
      const low = Math.max(0, Math.min(0.8, d3.min(bounds, (bound) => bound[0]))), high = Math.max(1.2, d3.max(bounds, (bound) => bound[1]));
      const words = KINDS.find(([key]) => key === kind)[1];
      const { svg, across, up } = ctbn.frame(box, {
        x: [0.5, ratios.length + 0.5], y: [low, high], xTicks: ratios.length, xFormat: d3.format("d"),
        xLabel: `period of ${words} (1 is the earliest)`, yLabel: "observed / expected",
        label: `Observed divided by expected transitions of ${ctbn.variable(row.variable)}, by ${words}`,
      });
      svg.append("line").attr("class", "one").attr("x1", across(0.5)).attr("x2", across(ratios.length + 0.5)).attr("y1", up(1)).attr("y2", up(1));
      const points = svg.append("g").selectAll("g").data(ratios).join("g").attr("transform", (_, k) => `translate(${across(k + 1)},0)`);
      points.append("line").attr("class", "whisker").attr("y1", (_, k) => up(Math.max(low, bounds[k][0]))).attr("y2", (_, k) => up(bounds[k][1]));
      points.append("circle").attr("class", "point").attr("r", 4).attr("cy", ([ratio]) => up(ratio))
        .append("title").text(([ratio, error]) => `${ctbn.number(ratio)} ± ${ctbn.number(2 * error)}`);
      const cuts = kind === "entry" ? [0, ...row.cuts] : null;
      box.append(ctbn.numbers("Residuals", ["Period", "Observed / expected", "2 standard errors"],
        ratios.map(([ratio, error], k) => [cuts && cuts[k] !== undefined ? `${k + 1}: from ${ctbn.number(cuts[k])}` : String(k + 1), ctbn.number(ratio), ctbn.number(2 * error)])));
    };
    place.append(
      ctbn.choice("Variable", all.map((each, k) => [k, ctbn.variable(each.variable)]), (k) => { row = all[k]; draw(); }),
      ctbn.choice("By", KINDS, (chosen) => { kind = chosen; draw(); }), box
    );
    draw();
  };

  ctbn.drawExpected = function (place) {
    const points = ctbn.data.points || [];
    if (!points.length) return;
    const top = 1.05 * (d3.max(points, (point) => Math.max(point[1], point[2])) || 1);
    const { svg, across, up } = ctbn.frame(place, {
      x: [0, top], y: [0, top], height: 360, xLabel: "expected transitions", yLabel: "observed transitions",
      label: `Observed against expected transitions of ${points.length} trajectories`,
    });
    svg.append("line").attr("class", "one").attr("x1", across(0)).attr("y1", up(0)).attr("x2", across(top)).attr("y2", up(top));
    svg.append("g").selectAll("circle").data(points).join("circle").attr("class", "point faint").attr("r", 3.5)
      .attr("cx", (point) => across(point[1])).attr("cy", (point) => up(point[2]))
      .append("title").text((point) => `${point[0]}: ${ctbn.number(point[2], 5)} observed, ${ctbn.number(point[1], 5)} expected`);
    place.append(ctbn.numbers("Observed against expected transitions", ["Trajectory", "Expected", "Observed"],
      points.map(([id, expected, observed]) => [ctbn.name(id), ctbn.number(expected, 5), ctbn.number(observed, 5)])));
  };
})();
