"""The section on the data: each variable, what is hardly seen, timelines, and events over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.io.shown import counted
from ctbnlab.presentation.describe import occupancy
from ctbnlab.presentation.page.data_profile import activity, timelines
from ctbnlab.presentation.page.page_content import PageContent, short
from ctbnlab.presentation.page.sortable_table import Cell, sortable_table
from ctbnlab.presentation.report.markup import Html, element, joined, name, paragraph
from ctbnlab.presentation.report.page_layout import Part, Section
from ctbnlab.presentation.terminal import number

HARDLY = 0.01  # of the time of a variable: its rates there are hardly known
_MOST_STATES = 6


def data_section(content: PageContent) -> Section:
    """Return the section; the script draws the charts."""
    data = content.data
    if data is None:
        return Section("Data", paragraph("The data are not at hand: the graph alone was given."))
    parts = [Part("Variables", _variables(data), "Variables")]
    if len(data) and data.total_time > 0:
        parts.append(
            Part(
                "Events over time since entry",
                joined(
                    [
                        paragraph(
                            "Events per unit of time under observation. A network takes this to change only "
                            "as the states do."
                        ),
                        element("div", id="activity", class_="chart-box"),
                    ]
                ),
                "Events over time",
            )
        )
        parts.append(
            Part(
                "A few trajectories",
                joined(
                    [
                        paragraph("From one with few events to one with many; each row is a variable."),
                        element("div", id="timelines", class_="chart-box"),
                    ]
                ),
                "Trajectories",
            )
        )
    return Section("Data", _facts(data), tuple(parts))


def _facts(data: Trajectories) -> Html:
    """Return sentences on people, time, ties and gaps."""
    lengths = data.end - data.start
    sentences = [
        f"{counted(len(data), 'trajectory', 'trajectories')} with {counted(data.n_events, 'event')}."
    ]
    if len(lengths):
        low, middle, high = (number(float(value)) for value in np.quantile(lengths, (0, 0.5, 1)))
        per = number(data.n_events / len(data))
        if low == high:
            sentences.append(f"Each is observed for {low} units of time and has {per} events on average.")
        else:
            sentences.append(
                f"Half of them are observed for {middle} units of time or more (from {low} to {high}), and "
                f"they have {per} events on average."
            )
    instants, tied = data.tied_instants()
    if tied:
        share = f"{tied / instants:.1%}"
        sentences.append(f"At {share} of the moments with events, several variables change at once.")
    else:
        sentences.append("No two variables change at the same moment.")
    gaps = [variable for variable, has in zip(data.names, data.gaps, strict=True) if has]
    if gaps:
        which = counted(len(gaps), "variable is", "variables are")
        sentences.append(f"{which} unobserved for some time (gaps).")
    return paragraph(" ".join(sentences))


def _variables(data: Trajectories) -> Html:
    times, moves = occupancy(data)
    head = ["Variable", "Role", "Events", "Events per trajectory", "Share of time in each state", "Remarks"]
    rows = [_row(data, i, times[i], int(moves[i].sum())) for i in range(data.n_variables)]
    return sortable_table(
        "variable-table", head, rows, label="Variables", file="variables.csv", numeric=(2, 3)
    )


def _row(data: Trajectories, i: int, time: NDArray[np.float64], events: int) -> list[Cell]:
    variable, states = data.variables[i]
    role = data.roles.role_of(variable) or ""
    total = float(time.sum())
    shares = [float(spent) / total if total else 0.0 for spent in time]
    remarks = _remarks(data, i, shares, events, role)
    per = events / len(data) if len(data) else 0.0
    return [
        Cell(name(variable), variable),
        Cell(role or "–", role),
        Cell(f"{events:,}", float(events)),
        Cell(number(per), per),
        Cell(*_shares(states, shares)),
        Cell(joined(map(name, remarks), "; "), "; ".join(remarks), "remark") if remarks else Cell("–", ""),
    ]  # fmt: skip


def _shares(states: Sequence[str], shares: Sequence[float]) -> tuple[Html, str]:
    order = sorted(range(len(states)), key=lambda x: (-shares[x], x))[:_MOST_STATES]
    pieces = [joined([name(states[x]), f" {_percent(shares[x])}"]) for x in sorted(order)]
    if len(states) > _MOST_STATES:
        pieces.append(Html(f"and {len(states) - _MOST_STATES} more"))
    text = ", ".join(f"{state} {_percent(share)}" for state, share in zip(states, shares, strict=True))
    return joined(pieces, ", "), text


def _percent(share: float) -> str:
    if 0 < share < 0.001:
        return "< 0.1%"
    return f"{100 * share:.1f}%" if share < 0.1 else f"{100 * share:.0f}%"


def _remarks(data: Trajectories, i: int, shares: Sequence[float], events: int, role: str) -> list[str]:
    remarks = []
    states = data.variables[i].states
    if not events and role not in ("static", "clock"):
        remarks.append("never changes: nothing can be learned about its parents")
    never = [state for state, share in zip(states, shares, strict=True) if not share]
    hardly = [state for state, share in zip(states, shares, strict=True) if 0 < share < HARDLY]
    for what, which in (("never in", never), ("hardly ever in", hardly)):
        if which and role != "clock":
            listed = ", ".join(which[:3]) + (f" and {len(which) - 3} more" if len(which) > 3 else "")
            remarks.append(f"{what} {listed}")
    if data.gaps[i]:
        remarks.append("has gaps")
    return remarks


def data_charts(content: PageContent) -> dict[str, Any]:
    """Return what the script draws."""
    data = content.data
    if data is None:
        return {}
    result: dict[str, Any] = {
        "timelines": [
            {
                "id": line.id,
                "end": short(line.end),
                "initial": line.initial,
                "events": [[short(time, 5), variable, code] for time, variable, code in line.events],
                "cut": line.cut,
            }
            for line in timelines(data)
        ]
    }
    found = activity(data)
    if found is not None:
        result["activity"] = {
            "cuts": [short(float(cut)) for cut in found.cuts],
            "exposure": [short(float(time)) for time in found.exposure],
            "events": found.events.tolist(),
        }
    return result
