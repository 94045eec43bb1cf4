// Charts of the page: a frame with axes, in which others draw. Colours are classes of the style sheet.
"use strict";
(function () {
  ctbn.COLOURS = 8; // classes tone-0 … tone-7

  // Draws axes and returns what is needed to draw in them.
  ctbn.frame = function (place, options) {
    const { x, y, label, xLabel, yLabel, height = 260, left = 56 } = options;
    const width = Math.max(280, Math.min(place.clientWidth || 700, 760));
    const margin = { top: 12, right: 16, bottom: 44, left };
    const svg = d3.create("svg").attr("viewBox", [0, 0, width, height]).attr("class", "chart")
      .attr("width", width).attr("height", height).attr("role", "img").attr("aria-label", label);
    const across = d3.scaleLinear(x, [margin.left, width - margin.right]);
    const up = options.names
      ? d3.scalePoint(y, [margin.top, height - margin.bottom]).padding(0.5)
      : d3.scaleLinear(y, [height - margin.bottom, margin.top]);
    const bottom = d3.axisBottom(across).ticks(options.xTicks || Math.min(8, width / 90)).tickSizeOuter(0);
    if (options.xFormat) bottom.tickFormat(options.xFormat);
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - margin.bottom})`).call(bottom);
    if (!options.names) {
      const side = svg.append("g").attr("class", "axis").attr("transform", `translate(${margin.left},0)`)
        .call(d3.axisLeft(up).ticks(5).tickSizeOuter(0));
      side.selectAll(".tick line").clone().attr("class", "grid").attr("x2", width - margin.left - margin.right);
    }
    svg.append("text").attr("class", "axis-label").attr("x", (margin.left + width - margin.right) / 2)
      .attr("y", height - 6).attr("text-anchor", "middle").text(xLabel);
    if (yLabel) {
      svg.append("text").attr("class", "axis-label").attr("transform", `translate(13,${(height - margin.bottom + margin.top) / 2}) rotate(-90)`)
        .attr("text-anchor", "middle").text(yLabel);
    }
    place.append(ctbn.element("p", { class: "printed" }, label), svg.node());
    return { svg, across, up, width, height, margin };
  };

  // Returns the names of states with the colours of their codes.
  ctbn.key = (names, codes) => ctbn.element("ul", { class: "key" },
    names.map((name, i) => ctbn.element("li", { class: `key-${codes[i] % ctbn.COLOURS}` }, ctbn.name(name))));

  // Returns [number, name] of variables to choose from.
  ctbn.variableOptions = (numbers) => numbers.map((i) => [i, ctbn.variable(i)]);
})();
