"""The `ctbnlab query` command for one of the page's curves."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from ctbnlab.model.names import quoted
from ctbnlab.presentation.page.model_curves import Curve, Situation
from ctbnlab.presentation.page.query_section import PageQueries


class ExampleQuery(NamedTuple):
    """A variable of the page, and the commands that print its curve."""

    variable: str
    commands: str
    exact: bool


def example_query(queries: PageQueries) -> ExampleQuery | None:
    """Return the commands for one curve, if possible an exact one that moves; None if there are none."""
    how, asked, content = queries.content.made.asking, queries.asked, queries.content
    if how is None or asked is None or content.fitted is None or content.fitted.network.roles.own_clock:
        return None  # a network with own clocks is refused by the command
    for curves, live in ((queries.states.curves, asked.live), (queries.events.curves, {})):
        if not curves:
            continue
        variable, curve = max(curves.items(), key=lambda each: _interest(each[1]))
        last = _command(queries, asked, variable, curve, live)
        return ExampleQuery(variable, "\n".join([*how.before, last]), curve.errors is None)
    return None


def _interest(curve: Curve) -> tuple[bool, bool]:
    return curve.errors is None, bool((curve.values[0] != curve.values[-1]).any())


def _command(
    queries: PageQueries, asked: Situation, variable: str, curve: Curve, live: dict[str, str]
) -> str:
    how, last = queries.content.made.asking, queries.last
    assert how is not None
    words = ["ctbnlab", "query", how.network, "--start-like", how.data]
    words += ["--at", f"0:{last!r}:{last / (len(queries.times) - 1)!r}", *_option("--of", quoted(variable))]
    for name, state in live.items():
        words += ["--observe", f"0..{last!r}:{quoted(name)}={quoted(state)}"]
    words += ["--filter"] if live else []
    words += ["--engine", "exact"] if curve.errors is None else _simulated(asked)
    return shlex.join([*words, "--seed", str(queries.content.seed), "-o", "curve.csv"])


def _simulated(asked: Situation) -> list[str]:
    return ["--engine", "simulation", "--samples", str(asked.copies)]


def _option(name: str, value: str) -> list[str]:
    return [f"{name}={value}"] if value.startswith("-") else [name, value]
