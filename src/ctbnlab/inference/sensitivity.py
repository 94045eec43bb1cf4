"""Which rates an answer hangs on: its derivative by the logarithm of each rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ctbnlab.errors import InputError
from ctbnlab.inference.answer import Answer
from ctbnlab.inference.scenario import with_rates
from ctbnlab.model.cims import states_of
from ctbnlab.model.names import quoted

if TYPE_CHECKING:
    from ctbnlab.inference.question import Query

MAX_RATES = 1000
LOG_STEP = 1e-3  # central differences: the error is of the order of its square


def sensitivity(query: Query, ask: Callable[[Query], Answer], of: Iterable[str] | None) -> Answer:
    """Return d answer / d ln rate for every rate above 0 and every row of the answer, the strongest first."""
    network = with_rates(query.network, query.rates)
    query = replace(query, network=network, rates=())
    plain = ask(query)
    if plain.about["engine"] != "exact":
        raise InputError("sensitivities need the exact engine; ask for fewer variables")
    names = list(network.names if of is None else [of] if isinstance(of, str) else of)
    rows: list[dict[str, Any]] = []
    rates = [rate for name in names for rate in _rates(query, network.index(name))]
    if len(rates) > MAX_RATES:
        raise InputError(
            f"there are {len(rates):,} rates, more than {MAX_RATES:,}; name the variables whose rates to vary"
        )
    for name, given, before, after, rate in rates:
        up, down = (
            np.array(ask(replace(query, rates=[(name, given, before, after, rate * math.exp(step))])).values)
            for step in (LOG_STEP, -LOG_STEP)
        )
        with np.errstate(invalid="ignore"):
            slopes = (up - down) / (2 * LOG_STEP)
        for row, slope in zip(plain.rows(), slopes, strict=True):
            key = {f"of {k}": v for k, v in row.items() if k != plain.value}
            parents = ",".join(f"{quoted(parent)}={quoted(state)}" for parent, state in given.items())
            rows.append(
                {
                    "rate of": name,
                    "parents": parents,
                    "from": before,
                    "to": after,
                    "rate": rate,
                    **key,
                    "sensitivity": float(slope),
                }
            )
    rows.sort(key=lambda row: -abs(row["sensitivity"]) if math.isfinite(row["sensitivity"]) else -math.inf)
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ("sensitivity",))}
    return Answer(f"sensitivity of {plain.question}", "sensitivity", columns, plain.about)


def _rates(query: Query, i: int) -> list[tuple[str, dict[str, str], str, str, float]]:
    """Return the rates above 0 of a variable."""
    network = query.network
    name, states = network.variables[i]
    if name in network.roles.never_targets:
        return []
    parents = [network.variables[j] for j in network.parents[i]]
    table = network.cims[i].table()
    found = []
    for u, x, y in np.argwhere(table > 0).tolist():
        codes = states_of(u, [len(parent.states) for parent in parents])
        given = {parent.name: parent.states[code] for parent, code in zip(parents, codes, strict=True)}
        found.append((name, given, states[x], states[y], float(table[u, x, y])))
    return found
