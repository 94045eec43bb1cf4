// The controls of the graph: search, sliders, neighbourhood, zoom, pictures to download.
"use strict";
(function () {
  function search(view) {
    const names = ctbn.data.variables.map((variable) => variable.name);
    const list = ctbn.element("datalist", { id: "graph-names" }, names.map((name) => ctbn.element("option", { value: name })));
    const find = () => {
      const text = input.value.trim().toLowerCase();
      if (!text) return view.select(null);
      const rank = (name) => (name.toLowerCase() === text ? 0 : name.toLowerCase().startsWith(text) ? 1 : 2);
      const found = names.map((name, i) => [rank(name), i]).filter(([, i]) => names[i].toLowerCase().includes(text)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      input.setAttribute("aria-invalid", String(!found.length));
      if (found.length) view.goTo(found[0][1]);
    };
    const input = ctbn.element("input", { type: "search", id: "graph-search", list: "graph-names", placeholder: "name of a variable", autocomplete: "off", on: { input: find, change: find } });
    return ctbn.element("label", { class: "control" }, "Search ", input, list);
  }

  // Returns a slider with its value beside it; `say` puts the value in words.
  function slider(label, id, { min, max, step, value }, say, move) {
    const output = ctbn.element("output", { for: id }, say(value));
    const input = ctbn.element("input", { type: "range", id, min, max, step, value, on: { input: () => { output.textContent = say(Number(input.value)); move(Number(input.value)); } } });
    return ctbn.element("label", { class: "control" }, label, " ", input, " ", output);
  }

  function sliders(view) {
    const known = view.arcs.filter((arc) => arc.probability !== undefined);
    const kept = view.arcs.filter((arc) => arc.kept).length;
    let least = known.length ? 0.5 : 0, most = kept;
    const inGraph = (arc) => (arc.probability === undefined ? arc.kept || arc.truth === "missed" : least < 0.5 ? arc.probability >= least : arc.kept && arc.probability >= least || (arc.truth === "missed" && least <= 0.5));
    const apply = () => {
      view.shows = (arc) => inGraph(arc) && arc.order < most;
      view.update();
      const shown = view.arcs.filter((arc) => view.shows(arc)).length;
      count.textContent = `${shown.toLocaleString("en")} ${shown === 1 ? "arc" : "arcs"} shown`;
    };
    const count = ctbn.element("output", { id: "graph-count", class: "shown" });
    const made = [];
    if (known.length) made.push(slider("Probability at least", "graph-probability", { min: 0.05, max: 0.99, step: 0.01, value: 0.5 }, (value) => value.toFixed(2), (value) => { least = value; apply(); }));
    const total = view.arcs.length;
    most = total;
    if (total > 1) made.push(slider("Strongest", "graph-most", { min: 1, max: total, step: 1, value: total }, (value) => `${value} of ${total}`, (value) => { most = value; apply(); }));
    apply();
    return [...made, count];
  }

  function picture(view, type) {
    const svg = view.picture();
    const name = `${ctbn.data.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "graph"}-graph`;
    if (type === "svg") return ctbn.download(`${name}.svg`, "image/svg+xml", svg);
    const image = new Image();
    image.onload = () => {
      const canvas = ctbn.element("canvas", { width: 2 * image.width, height: 2 * image.height });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => ctbn.download(`${name}.png`, "image/png", blob));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  }

  ctbn.startGraph = function () {
    const place = document.getElementById("graph-canvas");
    const view = new ctbn.GraphView(place, document.getElementById("graph-details"));
    ctbn.view = view;
    const only = ctbn.element("input", { type: "checkbox", id: "graph-only", on: { change: () => {
      if (!only.checked) return view.setNeighbourhood(null);
      const { node, arc } = view.selected || {};
      const centre = node !== undefined ? node : arc ? arc.to : d3.maxIndex(view.degree);
      view.setNeighbourhood(centre);
      view.select({ node: centre });
    } } });
    document.getElementById("graph-tools").append(
      ctbn.element("div", { class: "tools" }, search(view), ctbn.element("label", { class: "control" }, only, " Only the neighbourhood")),
      ctbn.element("div", { class: "tools" }, sliders(view)),
      ctbn.element("div", { class: "tools" },
        ctbn.button("Zoom in", () => view.zoomBy(1.4)), ctbn.button("Zoom out", () => view.zoomBy(1 / 1.4)), ctbn.button("Show all", () => { only.checked = false; view.setNeighbourhood(null); view.select(null); view.fit(); }),
        ctbn.button("Save as SVG", () => picture(view, "svg")), ctbn.button("Save as PNG", () => picture(view, "png")))
    );
    view.fit();
  };
})();
