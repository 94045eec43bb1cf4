// Starts the page: what is seen first comes first, charts when they come near the screen.
"use strict";
(function () {
  const CHARTS = { activity: ctbn.drawActivity, timelines: ctbn.drawTimelines, curves: ctbn.drawCurves, events: ctbn.drawEvents, residuals: ctbn.drawResiduals, expected: ctbn.drawExpected, "rate-matrices": ctbn.drawRates };
  const drawn = new Set();

  function draw(place) {
    if (!place || drawn.has(place.id)) return;
    drawn.add(place.id);
    CHARTS[place.id](place);
    if (!place.childElementCount) place.remove(); // it would keep the height of a chart
  }

  ctbn.startGraph();
  ctbn.startTables();
  const watcher = new IntersectionObserver((entries) => entries.forEach((entry) => { if (entry.isIntersecting) draw(entry.target); }), { rootMargin: "400px" });
  for (const id of Object.keys(CHARTS)) {
    const place = document.getElementById(id);
    if (place) watcher.observe(place);
  }
  const drawAll = () => Object.keys(CHARTS).forEach((id) => draw(document.getElementById(id)));
  addEventListener("beforeprint", () => { drawAll(); if (ctbn.fillRates) ctbn.fillRates(); });
  ctbn.drawAll = drawAll;
  ctbn.drawNow = (id) => draw(document.getElementById(id));
  document.documentElement.dataset.ready = "yes";
})();
