// The panel beside the graph: all that is known about the node or the arc that is selected.
"use strict";
(function () {
  const TRUTH = { found: "It is in the truth.", missed: "It is in the truth, and was missed.", invented: "It is not in the truth." };

  const facts = (rows) => ctbn.element("dl", {}, rows.filter(Boolean).map(([what, value]) => [ctbn.element("dt", {}, what), ctbn.element("dd", {}, value)]).flat());

  const arrow = (arc) => ctbn.element("span", {}, ctbn.name(ctbn.variable(arc.from)), " → ", ctbn.name(ctbn.variable(arc.to)));

  function list(title, arcs, end, select) {
    if (!arcs.length) return null;
    const items = arcs.map((arc) => {
      const size = arc.ratio === undefined ? "" : ` ×${ctbn.number(arc.ratio)}`;
      return ctbn.element("li", {}, ctbn.button(ctbn.name(ctbn.variable(arc[end])), () => select(arc), { class: "link" }), size, arc.kept ? "" : " (not in the graph)");
    });
    return ctbn.element("div", {}, ctbn.element("h4", {}, title), ctbn.element("ul", {}, items));
  }

  ctbn.describeArc = function (arc) {
    const by = Object.entries(arc.by || {});
    return [
      ctbn.element("h3", {}, arrow(arc)),
      arc.kept ? null : ctbn.element("p", {}, "Not in the graph."),
      arc.contrast ? ctbn.element("p", {}, ctbn.name(arc.contrast), ".") : null,
      facts([
        arc.probability !== undefined && ["Probability", ctbn.probability(arc.probability)],
        arc.ratio !== undefined && ["Largest rate ratio", `×${ctbn.number(arc.ratio)} (${ctbn.number(arc.low)} to ${ctbn.number(arc.high)})`],
        arc.information !== undefined && ["Share of what the parents explain", ctbn.percent(arc.information)],
        arc.probability === undefined && arc.strength && ["Evidence", arc.strength],
        arc.frequency !== undefined && ["Found in samples", ctbn.percent(arc.frequency)],
        ...by.map(([label, words]) => [ctbn.name(label), words]),
        arc.why && ["Why", ctbn.name(arc.why)],
      ]),
      arc.truth ? ctbn.element("p", {}, TRUTH[arc.truth]) : null,
      ctbn.data.rates[arc.to] ? ctbn.button(`Rates of ${ctbn.variable(arc.to)}`, () => ctbn.showRates(arc.to)) : null,
    ];
  };

  ctbn.describeNode = function (i, arcs, select) {
    const node = ctbn.data.graph.nodes[i], variable = ctbn.data.variables[i];
    const remarks = [...node.warnings, ...node.notes];
    return [
      ctbn.element("h3", {}, ctbn.name(variable.name)),
      facts([
        node.role && ["Role", node.role],
        ["States", ctbn.element("span", {}, variable.states.slice(0, 12).map((state, k) => [k ? ", " : "", ctbn.name(state)]).flat(), variable.states.length > 12 ? " …" : "")],
      ]),
      node.own ? ctbn.element("p", {}, "Its rates follow the time since its own last change.") : null,
      list("Parents", arcs.filter((arc) => arc.to === i), "from", select),
      list("Children", arcs.filter((arc) => arc.from === i), "to", select),
      remarks.length ? ctbn.element("div", { class: "remarks" }, ctbn.element("h4", {}, "Remarks"), ctbn.element("ul", {}, remarks.map((text) => ctbn.element("li", {}, ctbn.name(text))))) : null,
      ctbn.data.rates[i] ? ctbn.button("Its rates", () => ctbn.showRates(i)) : null,
    ];
  };
})();
