"""The section of the rates: for each variable its intensity matrices, which the page's script draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.learning.rate_posterior import RatePosterior
from ctbnlab.model.cims import states_of
from ctbnlab.presentation.page.page_content import PageContent, short
from ctbnlab.presentation.report.markup import element, joined, paragraph
from ctbnlab.presentation.report.page_layout import Section

MAX_CONFIGURATIONS = 24
MAX_STATES = 12


def rate_section(content: PageContent) -> Section:
    """Return the section; the script fills it from `rate_data`."""
    if content.fitted is None:
        why = "The data are not at hand" if content.data is None else "A table of rates would be too large"
        return Section("Rates", paragraph(f"{why}: there are no rates."))
    intro = paragraph(
        "How often each variable changes from one state (row) to another (column) per unit of time, in every "
        "combination of the states of its parents; darker is more often. Point at a rate, or move to it by "
        "Tab, for its 95% interval, the transitions observed and the time spent in the state."
    )
    own = content.graph.own_clocks
    note = paragraph(
        "Rates that also change with the time since the variable's own last change are shown as means over "
        "that time.",
        class_="note",
    )
    drawn = element("div", id="rate-matrices")
    return Section("Rates", joined([intro, *([note] if own else []), drawn]))


def rate_data(content: PageContent) -> dict[str, Any]:
    """Return the rates of each variable for the script, by the variable's number."""
    fitted = content.fitted
    if fitted is None:
        return {}
    learned = {node.target for node in content.graph.nodes}
    result = {}
    for i, posterior in enumerate(fitted.posteriors):
        if posterior is not None and i in learned:
            result[str(i)] = _of_variable(content, i, posterior)
    return result


def _of_variable(content: PageContent, target: int, posterior: RatePosterior) -> dict[str, Any]:
    fitted = content.fitted
    assert fitted is not None
    network = fitted.network
    parents = network.parents[target]
    count = network.cims[target].n_configurations
    spent = posterior.time.sum(axis=1)
    # Those with the most time, in their own order.
    chosen = np.sort(np.lexsort((np.arange(len(spent)), -spent))[:MAX_CONFIGURATIONS])
    states = min(len(network.variables[target].states), MAX_STATES)
    estimates = posterior.rates(fitted.level)
    cardinalities = [len(network.variables[j].states) for j in parents]
    rates = network.cims[target].matrices(chosen)
    return {
        "parents": list(parents),
        "configurations": count,
        "states": states,
        "given": [list(states_of(int(u), cardinalities)) for u in chosen],
        "time": _rounded(posterior.time[chosen][:, :states]),
        "moves": posterior.transitions[chosen][:, :states, :states].astype(int).tolist(),
        "rate": _rounded(rates[:, :states, :states], 3),
        "low": _rounded(estimates.low[chosen][:, :states, :states], 3),
        "high": _rounded(estimates.high[chosen][:, :states, :states], 3),
    }


def _rounded(values: NDArray[np.float64], digits: int = 4) -> Any:
    if values.ndim == 1:
        return [short(float(value), digits) for value in values]
    return [_rounded(part, digits) for part in values]
