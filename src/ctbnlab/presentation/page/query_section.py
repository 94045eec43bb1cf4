"""The section of queries: what the fitted network says will happen, beside what was observed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.io.shown import counted
from ctbnlab.presentation.page.data_profile import MOMENTS, horizon, states_over_time
from ctbnlab.presentation.page.model_curves import (
    Answered,
    Curve,
    Situation,
    events_of_model,
    median,
    situation,
    states_of_model,
)
from ctbnlab.presentation.page.observed_events import Reached, reached_by
from ctbnlab.presentation.page.page_content import PageContent, short
from ctbnlab.presentation.report.markup import element, joined, name, paragraph, plain_table
from ctbnlab.presentation.report.page_layout import Part, Section
from ctbnlab.presentation.report.wording import listed
from ctbnlab.presentation.terminal import number

Floats = NDArray[np.float64]


class PageQueries:
    """What the page asks the fitted network, each question once."""

    def __init__(self, content: PageContent):
        self.content = content
        self.last = 0.0 if content.data is None else horizon(content.data)
        self.times = np.linspace(0.0, self.last, MOMENTS)

    @cached_property
    def asked(self) -> Situation | None:
        """The network and its start; None if there is nothing to ask."""
        content = self.content
        if content.data is None or content.fitted is None or self.last <= 0:
            return None
        return situation(content.data, content.fitted.network, self.last, content.seed)

    @cached_property
    def states(self) -> Answered:
        """States over time."""
        return Answered() if self.asked is None else states_of_model(self.asked, self.times)

    @cached_property
    def events(self) -> Answered:
        """Terminal events over time."""
        return Answered() if self.asked is None else events_of_model(self.asked, self.times)

    @cached_property
    def events_observed(self) -> Reached:
        """Terminal events over time in the data."""
        assert self.content.data is not None
        return reached_by(self.content.data, self.times)

    def states_after(self, variable: str) -> list[int]:
        """Return the states of a terminal variable in which no trajectory starts: its events."""
        data = self.content.data
        assert data is not None
        i = data.index(variable)
        begun = set(data.initial[:, i].tolist())
        return [code for code in range(len(data.variables[i].states)) if code not in begun]


def query_section(queries: PageQueries) -> Section:
    """Return the section; the script draws the charts."""
    data = queries.content.data
    if queries.asked is None or data is None:
        why = "The data are not at hand" if data is None else "There are no rates, or no time"
        return Section("Queries", paragraph(f"{why}: nothing can be asked."))
    intro = paragraph(
        "Answers of the network with the rates of this page, started like the data: in the initial states of "
        f"the trajectories, each equally likely, up to the time {number(queries.last)} since entry. The "
        "rates are taken as estimated, without their uncertainty."
    )
    notes = [paragraph(each, class_="note") for each in _notes(queries)]
    parts = [_states_part(queries)]
    if data.roles.terminal:
        parts.append(_events_part(queries))
    return Section("Queries", joined([intro, *notes]), tuple(parts))


def _notes(queries: PageQueries) -> list[str]:
    graph = queries.content.graph
    found = []
    if any(clock.kind == "entry" for clock in graph.roles.clocks):
        found.append("Rates change with the clock of time since entry, at its cuts.")
    if graph.own_clocks:
        found.append("Rates that change with the time since a variable's own last change are means over it.")
    return found


def _states_part(queries: PageQueries) -> Part:
    found = queries.states
    terminal = queries.content.graph.roles.terminal
    ended = " Trajectories that have ended by a terminal event no longer count." if terminal else ""
    explained = (
        "The probability of each state: of the network (lines), and the share of the trajectories under "
        f"observation (points, ± 2 standard errors).{ended} One point in twenty is further from a true line; "
        "where many are, the network does not describe the course of this variable."
    )
    body = joined(
        [
            paragraph(explained),
            paragraph(*_engines(found)),
            element("div", id="curves", class_="chart-box"),
        ]
    )
    return Part("States over time", body, "States over time")


def _engines(found: Answered) -> list[object]:
    """Return in words how curves were found, and why others are missing."""
    exact = sum(curve.errors is None for curve in found.curves.values())
    simulated = len(found.curves) - exact
    ways = {"exact": exact, "simulated, with standard errors in the numbers": simulated}
    words = [f"{way} for {counted(count, 'variable')}" for way, count in ways.items() if count]
    sentences = [
        f"The network's curves are {' and '.join(words)}." if words else "The network has no curves here."
    ]
    if found.reason:
        sentences.append(f" {'Others are' if words else 'They are'} missing: {found.reason}.")
    return [name(sentence) for sentence in sentences]


def _events_part(queries: PageQueries) -> Part:
    data = queries.content.data
    assert data is not None
    explained = (
        "The probability that a terminal event has happened, by time since entry: of the network (lines), "
        "and estimated from the data without a network, after Aalen and Johansen (points, ± 2 standard "
        "errors). Other terminal events compete."
    )
    pieces = [paragraph(explained), paragraph(*_engines(queries.events))]
    rows = list(_event_rows(queries))
    if rows:
        by = f"by {number(queries.last)}"
        head = ["Event", f"Probability {by}", "In the data, ± standard error", "Half have it by"]
        pieces.append(plain_table(head, rows, label="Terminal events", numeric=(1, 2, 3)))
    always = [each for each in data.roles.terminal if not queries.states_after(each)]
    if always:
        which = listed([name(each) for each in always])
        pieces.append(paragraph("Trajectories start in every state of ", which, ": no state is an event."))
    pieces.append(element("div", id="events", class_="chart-box"))
    return Part("Terminal events", joined(pieces), "Terminal events")


def _event_rows(queries: PageQueries) -> list[list[object]]:
    data, asked = queries.content.data, queries.asked
    assert data is not None and asked is not None
    observed = queries.events_observed
    rows: list[list[object]] = []
    for variable, curve in queries.events.curves.items():
        for code in queries.states_after(variable):
            seen, spread = (table[variable][-1, code] for table in (observed.probability, observed.errors))
            half = median(asked, variable, code, curve, queries.times)
            error = "" if curve.errors is None else f" ± {float(curve.errors[-1, code]):.2g}"
            what = joined([name(variable), " = ", name(data.variables[data.index(variable)].states[code])])
            rows.append(
                [
                    what,
                    number(float(curve.values[-1, code])) + error,
                    f"{number(float(seen))} ± {float(spread):.2g}",
                    "fewer than half" if half is None else number(half),
                ]
            )
    return rows


def query_charts(queries: PageQueries) -> dict[str, Any]:
    """Return what the script draws."""
    data = queries.content.data
    if data is None or queries.last <= 0:
        return {}
    index = {variable: i for i, variable in enumerate(data.names)}
    roles = data.roles
    states = states_over_time(data, queries.times)
    shown = [each for each in data.names if roles.role_of(each) not in ("clock", "terminal")]
    shown.sort(key=lambda each: each in roles.static)  # what moves comes first
    result: dict[str, Any] = {
        "moments": [short(float(moment)) for moment in queries.times],
        "curves": {
            "people": states.observed.tolist(),
            "order": [index[each] for each in shown],
            "variables": {
                str(index[each]): _both(states.shares[index[each]], queries.states.curves.get(each))
                for each in shown
            },
        },
    }
    if roles.terminal:
        reached = queries.events_observed
        result["events"] = {
            "people": reached.at_risk.tolist(),
            "order": [index[each] for each in roles.terminal if queries.states_after(each)],
            "variables": {
                str(index[each]): {
                    "states": after,
                    **_both(reached.probability[each], queries.events.curves.get(each), after),
                    "spread": _rounded(reached.errors[each], after),
                }
                for each in roles.terminal
                if (after := queries.states_after(each))
            },
        }
    return result


def _both(observed: Floats, curve: Curve | None, states: Sequence[int] | None = None) -> dict[str, Any]:
    """Return observed and the model's probabilities by state, in ten-thousandths."""
    chosen = list(range(observed.shape[1])) if states is None else list(states)
    found: dict[str, Any] = {"observed": _rounded(observed, chosen)}
    if curve is not None:
        found |= {"model": _rounded(curve.values, chosen), "how": curve.how}
        if curve.errors is not None:
            found["errors"] = _rounded(curve.errors, chosen)
    return found


def _rounded(values: Floats, states: Sequence[int]) -> list[list[float | None]]:
    return [[short(round(float(value), 4)) for value in values[:, state]] for state in states]
