// The graph: drawn once, then only changed. Positions come with the page; d3 zooms and drags.
"use strict";
(function () {
  const TALLEST = 560, SMALLEST = 11; // pixels of a name on the screen
  const MOST_STOPS = 40; // nodes that Tab reaches; more are found by the search

  ctbn.GraphView = class {
    constructor(place, details) {
      const graph = ctbn.data.graph;
      this.nodes = graph.nodes.map((node, i) => ({ ...node, i, home: { x: node.x, y: node.y } }));
      this.arcs = graph.arcs.map((arc, order) => ({ ...arc, order }));
      const pairs = new Set(this.arcs.map((arc) => `${arc.from} ${arc.to}`));
      for (const arc of this.arcs) arc.bent = pairs.has(`${arc.to} ${arc.from}`);
      this.details = details;
      this.shows = (arc) => arc.kept;
      this.selected = null;
      this.centre = null;
      this.degree = this.nodes.map((node) => this.arcs.filter((arc) => arc.kept && (arc.from === node.i || arc.to === node.i)).length);
      this.draw(place);
      this.stretch();
      this.select(null);
      this.update();
      this.fit();
    }

    draw(place) {
      this.width = place.clientWidth || 800;
      this.height = Math.min(TALLEST, Math.max(320, Math.round(1.1 * this.width)));
      this.svg = d3.select(place).append("svg").attr("id", "graph-picture").attr("height", this.height).attr("viewBox", [0, 0, this.width, this.height])
        .attr("role", "group").attr("aria-label", place.dataset.description);
      this.world = this.svg.append("g");
      this.zoom = d3.zoom().scaleExtent([0.02, 6]).on("zoom", (event) => {
        this.world.attr("transform", event.transform);
        this.rename(event.transform.k);
      });
      this.svg.call(this.zoom).on("dblclick.zoom", null).on("click", (event) => { if (event.target === this.svg.node()) this.select(null); });
      this.lines = this.world.append("g").selectAll("g").data(this.arcs).join("g")
        .attr("class", (arc) => `arc ${arc.kept ? "kept" : "absent"} ${arc.truth ? `truth-${arc.truth}` : ""}`)
        .on("click", (event, arc) => this.select({ arc }));
      this.lines.append("path").attr("class", "hit");
      this.lines.append("path").attr("class", "line").attr("stroke-width", ctbn.arcWidth).attr("stroke-opacity", ctbn.arcOpacity);
      this.lines.append("path").attr("class", "head").attr("fill-opacity", ctbn.arcOpacity);
      this.lines.append("title").text((arc) => `${ctbn.variable(arc.from)} → ${ctbn.variable(arc.to)}`);
      this.marks = this.world.append("g").selectAll("g").data(this.nodes).join("g")
        .attr("class", (node) => `node ${node.role} ${node.warnings.length ? "warned" : ""}`)
        .attr("role", "button").attr("tabindex", this.nodes.length <= MOST_STOPS ? "0" : "-1")
        .attr("aria-label", (node) => this.spoken(node))
        .on("click", (event, node) => this.select({ node: node.i }))
        .on("keydown", (event, node) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.select({ node: node.i }); } });
      this.marks.append("path").attr("class", "shape").attr("d", ctbn.outline);
      this.marks.filter((node) => node.role === "terminal").append("path").attr("class", "ring").attr("d", ctbn.outline).attr("transform", "scale(0.82)");
      this.marks.append("text").attr("text-anchor", "middle").attr("direction", "auto")
        .attr("dy", ctbn.data.graph.boxes ? "0.35em" : null).attr("y", ctbn.data.graph.boxes ? null : -13).text((node) => `${node.label}${node.own ? " ↻" : ""}`);
      this.marks.append("title").text((node) => ctbn.variable(node.i));
      this.marks.call(d3.drag().clickDistance(4).on("drag", (event, node) => { node.x = event.x; node.y = event.y; this.place(); }));
    }

    // Uses the height of a narrow screen: positions were computed for a wide one.
    stretch() {
      const [left, right] = d3.extent(this.nodes, (node) => node.x), [top, bottom] = d3.extent(this.nodes, (node) => node.y);
      const factor = Math.min(2, (((right - left) / (bottom - top || 1)) * this.height) / this.width);
      if (factor > 1) for (const node of this.nodes) node.y = node.home.y = node.y * factor;
    }

    // Returns what a screen reader says of a node: what is written on it, its whole name, its role.
    spoken(node) {
      const name = ctbn.variable(node.i);
      return `${node.label}${node.own ? " ↻" : ""}${name === node.label ? "" : ` (${name})`}${node.role ? `, ${node.role}` : ""}`;
    }

    // Puts everything where it belongs.
    place() {
      this.marks.attr("transform", (node) => `translate(${node.x},${node.y}) scale(${ctbn.enlarged})`);
      const nodes = this.nodes;
      this.lines.filter((arc) => this.isShown(arc)).each(function (arc) {
        const width = ctbn.arcWidth(arc) * ctbn.enlarged;
        const curve = ctbn.curve(nodes[arc.from], nodes[arc.to], arc.bent, width);
        const parts = this.children;
        parts[0].setAttribute("d", curve.line);
        parts[1].setAttribute("d", curve.line);
        parts[1].setAttribute("stroke-width", width.toFixed(2));
        parts[2].setAttribute("d", curve.head);
      });
    }

    isShown(arc) {
      return this.shows(arc) && (this.centre === null || arc.from === this.centre || arc.to === this.centre);
    }

    // Shows the arcs that the sliders let through, and the nodes of the neighbourhood if one is asked for.
    update() {
      const places = this.centre === null ? null : ctbn.neighbourhood(this.centre, this.arcs.filter((arc) => this.shows(arc)));
      for (const node of this.nodes) {
        const at = places ? places.get(node.i) : this.moved ? node.home : null;
        node.hidden = places !== null && !at;
        if (at) Object.assign(node, at);
      }
      this.moved = places !== null;
      this.lines.attr("display", (arc) => (this.isShown(arc) ? null : "none"));
      this.marks.attr("display", (node) => (node.hidden ? "none" : null));
      this.place();
      this.rename(d3.zoomTransform(this.svg.node()).k);
    }

    setNeighbourhood(centre) {
      if (centre === this.centre) return;
      this.centre = centre;
      this.update();
      this.fit();
    }

    // What would be too small to see is enlarged: boxes until they can be read, dots a little.
    enlarge(scale) {
      const wanted = Math.round(10 * Math.min(2.2, Math.max(1, (ctbn.data.graph.boxes ? SMALLEST / 13 : 0.6) / scale))) / 10;
      if (wanted === ctbn.enlarged) return;
      ctbn.enlarged = wanted;
      this.place();
    }

    // In large graphs names keep a readable size; those that would overlap others are hidden.
    rename(scale) {
      this.enlarge(scale);
      if (ctbn.data.graph.boxes) return;
      const size = Math.max(13, SMALLEST / scale); // in the units of the graph
      const taken = [];
      const near = this.selected === null ? new Set() : this.near();
      const order = [...this.nodes].filter((node) => !node.hidden).sort((a, b) => near.has(b.i) - near.has(a.i) || this.degree[b.i] - this.degree[a.i] || a.i - b.i);
      const named = new Set();
      for (const node of order) {
        const w = (node.label.length * 0.6 + 0.6) * size / 2, h = size * 0.65, y = node.y - 9 * ctbn.enlarged - size * 0.6;
        if (taken.some(([x, v, a, b]) => Math.abs(x - node.x) < w + a && Math.abs(v - y) < h + b)) continue;
        taken.push([node.x, y, w, h]);
        named.add(node.i);
      }
      this.marks.select("text").style("font-size", `${size / ctbn.enlarged}px`).attr("display", (node) => (named.has(node.i) ? null : "none"));
    }

    // Returns the nodes that are selected or joined to what is.
    near() {
      const { node, arc } = this.selected;
      if (arc) return new Set([arc.from, arc.to]);
      const joined = this.arcs.filter((each) => this.isShown(each) && (each.from === node || each.to === node));
      return new Set([node, ...joined.flatMap((each) => [each.from, each.to])]);
    }

    // Selects {node} or {arc}, or nothing, and shows what is known about it.
    select(what) {
      this.selected = what;
      const near = what ? this.near() : null;
      const isOn = (arc) => what && (what.arc ? arc.order === what.arc.order : arc.from === what.node || arc.to === what.node);
      this.marks.classed("faded", (node) => near && !near.has(node.i)).classed("chosen", (node) => what && what.node === node.i);
      this.lines.classed("faded", (arc) => near && !isOn(arc)).classed("chosen", (arc) => Boolean(what && what.arc && arc.order === what.arc.order));
      const select = (arc) => this.select({ arc });
      if (!what) this.details.replaceChildren(ctbn.element("p", { class: "note" }, "Nothing is selected: press a variable or an arc."));
      else this.details.replaceChildren(...(what.arc ? ctbn.describeArc(what.arc) : ctbn.describeNode(what.node, this.arcs, select)).filter(Boolean));
      if (what && what.node !== undefined && this.centre !== null) this.setNeighbourhood(what.node);
      this.rename(d3.zoomTransform(this.svg.node()).k);
    }

    // Zooms so that all nodes shown are in view.
    fit() {
      const shown = this.nodes.filter((node) => !node.hidden);
      if (!shown.length) return;
      const boxes = ctbn.data.graph.boxes;
      const w = (node) => (boxes ? (ctbn.enlarged * node.w) / 2 : 30), h = (node) => (boxes ? (ctbn.enlarged * node.h) / 2 : 26);
      let left, right, top, bottom, scale, before;
      this.enlarge(1);
      do { // boxes are enlarged where the scale is small, which takes a smaller scale
        [left, right] = [d3.min(shown, (node) => node.x - w(node)), d3.max(shown, (node) => node.x + w(node))];
        [top, bottom] = [d3.min(shown, (node) => node.y - h(node)), d3.max(shown, (node) => node.y + h(node))];
        scale = Math.min(1.4, (this.width - 24) / (right - left), (this.height - 24) / (bottom - top));
        before = ctbn.enlarged;
        this.enlarge(scale);
      } while (boxes && ctbn.enlarged > before);
      const transform = d3.zoomIdentity.translate(this.width / 2 - scale * (left + right) / 2, this.height / 2 - scale * (top + bottom) / 2).scale(scale);
      this.svg.call(this.zoom.transform, transform);
    }

    zoomBy(factor) { this.svg.call(this.zoom.scaleBy, factor); }

    // Brings a node to the middle, large enough to read.
    goTo(i) {
      this.select({ node: i });
      if (this.centre !== null) return;
      const node = this.nodes[i];
      const scale = Math.max(0.9, d3.zoomTransform(this.svg.node()).k);
      this.svg.call(this.zoom.transform, d3.zoomIdentity.translate(this.width / 2 - scale * node.x, this.height / 2 - scale * node.y).scale(scale));
    }

    // Returns the picture as it is on the screen, as an SVG that needs no style sheet.
    picture() {
      const copy = this.svg.node().cloneNode(true);
      const seen = this.svg.node().querySelectorAll("*"), made = copy.querySelectorAll("*");
      const kept = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "stroke-opacity", "fill-opacity", "font-size", "font-family", "font-weight", "paint-order"];
      seen.forEach((element, k) => {
        const style = getComputedStyle(element);
        if (style.display === "none") return made[k].setAttribute("display", "none");
        for (const key of kept) made[k].setAttribute(key, style.getPropertyValue(key));
      });
      copy.querySelectorAll('[display="none"], .hit').forEach((element) => element.remove());
      const back = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [key, value] of Object.entries({ width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor })) back.setAttribute(key, value);
      copy.prepend(back);
      copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      copy.setAttribute("width", this.width);
      return new XMLSerializer().serializeToString(copy);
    }
  };
})();
