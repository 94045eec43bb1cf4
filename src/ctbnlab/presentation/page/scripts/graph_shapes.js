// The geometry of the graph: outlines of nodes by their role, and curves from border to border.
"use strict";
(function () {
  const DOT = 9;
  ctbn.enlarged = 1; // by which boxes are larger than they were computed, to be readable from afar

  // Returns the path of a node around (0, 0), and for arcs how far its border is in a direction.
  ctbn.outline = function (node) {
    const boxes = ctbn.data.graph.boxes;
    const w = boxes ? node.w / 2 : DOT, h = boxes ? node.h / 2 : DOT;
    if (node.role === "static") return `M${-w},${-h}H${w}V${h}H${-w}Z`;
    if (node.role === "clock") {
      return boxes ? `M${-w},0L${-w + 12},${-h}H${w - 12}L${w},0L${w - 12},${h}H${-w + 12}Z` : `M${-w - 2},0L0,${-h - 2}L${w + 2},0L0,${h + 2}Z`;
    }
    const r = boxes ? Math.min(w, h) : DOT;
    return `M${-w + r},${-h}H${w - r}A${r},${r} 0 0 1 ${w - r},${h}H${-w + r}A${r},${r} 0 0 1 ${-w + r},${-h}Z`;
  };

  function border(node, dx, dy) {
    const gap = 3;
    if (!ctbn.data.graph.boxes) return ctbn.enlarged * DOT + gap + 1;
    const w = (ctbn.enlarged * node.w) / 2 + gap, h = (ctbn.enlarged * node.h) / 2 + gap;
    const length = Math.hypot(dx, dy) || 1;
    return Math.min(w / Math.abs(dx / length || 1e-9), h / Math.abs(dy / length || 1e-9));
  }

  // Returns the path of an arc, bent a little to its left, and the triangle of its head.
  ctbn.curve = function (a, b, bent, width) {
    const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1;
    const bend = bent ? Math.min(36, 0.16 * length) : Math.min(12, 0.04 * length);
    const cx = (a.x + b.x) / 2 + (bend * 2 * dy) / length, cy = (a.y + b.y) / 2 - (bend * 2 * dx) / length;
    const from = border(a, cx - a.x, cy - a.y), to = border(b, cx - b.x, cy - b.y);
    const out = Math.hypot(cx - a.x, cy - a.y) || 1, into = Math.hypot(cx - b.x, cy - b.y) || 1;
    const sx = a.x + ((cx - a.x) / out) * from, sy = a.y + ((cy - a.y) / out) * from;
    const tx = b.x + ((cx - b.x) / into) * to, ty = b.y + ((cy - b.y) / into) * to;
    const ux = (b.x - cx) / into, uy = (b.y - cy) / into; // the direction in which the arc arrives
    const size = 7 + 1.3 * width, half = 3 + 0.9 * width;
    const ex = tx - ux * size * 0.8, ey = ty - uy * size * 0.8;
    const bx = tx - ux * size, by = ty - uy * size;
    const p = (value) => value.toFixed(1);
    return {
      line: `M${p(sx)},${p(sy)}Q${p(cx)},${p(cy)} ${p(ex)},${p(ey)}`,
      head: `M${p(tx)},${p(ty)}L${p(bx - uy * half)},${p(by + ux * half)}L${p(bx + uy * half)},${p(by - ux * half)}Z`,
    };
  };

  // The width of an arc shows its effect, on a logarithmic scale.
  ctbn.arcWidth = (arc) => (arc.ratio === undefined ? 1.8 : Math.max(1.2, Math.min(7, 1.2 + 2.2 * Math.log(Math.max(1, arc.ratio)))));

  ctbn.arcOpacity = (arc) => (arc.kept ? (arc.probability === undefined ? 0.9 : 0.25 + 0.7 * arc.probability) : 0.6);

  // Parents to the left, children to the right, those that are both below: the neighbourhood of one node.
  ctbn.neighbourhood = function (centre, arcs) {
    const parents = new Set(arcs.filter((arc) => arc.to === centre).map((arc) => arc.from));
    const children = new Set(arcs.filter((arc) => arc.from === centre).map((arc) => arc.to));
    const both = [...parents].filter((i) => children.has(i));
    const left = [...parents].filter((i) => !children.has(i)), right = [...children].filter((i) => !parents.has(i));
    const places = new Map([[centre, { x: 0, y: 0 }]]);
    const column = (list, x) => list.forEach((i, k) => places.set(i, { x, y: (k - (list.length - 1) / 2) * 64 }));
    column(left, -280);
    column(right, 280);
    const low = Math.max(1, left.length, right.length) * 32 + 70;
    both.forEach((i, k) => places.set(i, { x: (k - (both.length - 1) / 2) * 150, y: low }));
    return places;
  };
})();
