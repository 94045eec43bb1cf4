"""Rates as a table: a row per variable, configuration of its parents and transition, with intervals."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from ctbnlab.errors import InputError
from ctbnlab.learning.rate_posterior import RatePosterior
from ctbnlab.model.names import quoted
from ctbnlab.model.network import Network

FORMAT = "ctbnlab.rates"
VERSION = 1
MAX_ROWS = 5_000_000

_TEXT, _NUMBER = pa.string(), pa.float64()
COLUMNS = {
    "variable": _TEXT,
    "parents": _TEXT,  # "A=0,B=1", as `parse_assignments` reads it; empty without parents
    "from": _TEXT,
    "to": _TEXT,
    "transitions": pa.int64(),
    "time": _NUMBER,
    **{
        f"{prefix}{name}": _NUMBER
        for prefix, first in (("", "rate"), ("exit_", "rate"), ("next_", "probability"))
        for name in (first, "standard_error", "low", "high")
    },
    "visited": pa.bool_(),
}


def rate_table(network: Network, posteriors: Sequence[RatePosterior | None], level: float) -> Any:
    """Return the estimated rates as a pyarrow.Table; null where the data say nothing.

    `rate`, `exit_rate` and `next_probability` are those of the network. `visited` is False if no time was
    spent in `from` under this configuration: the network's rate is then not an estimate from it.
    """
    rows = sum(p.transitions.size - p.time.size for p in posteriors if p is not None)
    if rows > MAX_ROWS:
        raise InputError(f"a table of {rows:,} rates is too large; the limit is {MAX_ROWS:,}")
    metadata = {"ctbnlab": json.dumps({"format": FORMAT, "version": VERSION, "level": level})}
    schema = pa.schema([pa.field(name, kind) for name, kind in COLUMNS.items()], metadata)
    batches = [
        pa.table(_columns(network, target, posterior, level), schema)
        for target, posterior in enumerate(posteriors)
        if posterior is not None
    ]
    return pa.concat_tables(batches) if batches else schema.empty_table()


def _columns(network: Network, target: int, posterior: RatePosterior, level: float) -> dict[str, Any]:
    q = network.cims[target].table()
    n, c, _ = q.shape
    moving = ~np.eye(c, dtype=bool)
    exits = -np.einsum("uxx->ux", q)
    after = np.divide(q, exits[:, :, None], out=np.full(q.shape, np.nan), where=exits[:, :, None] > 0)
    name, states = network.variables[target]
    start, end = np.nonzero(moving)
    labels = np.array(states, object)

    def each(values: Any) -> Any:
        """Return the values of [u, x] or [u, x, x'] for each row."""
        full = values if values.ndim == 3 else np.broadcast_to(values[:, :, None], q.shape)
        return pa.array(full[:, moving].ravel(), from_pandas=True)

    columns: dict[str, Any] = {
        "variable": pa.array([name]).take(pa.array(np.zeros(n * len(start), np.int64))),
        "parents": pa.array(list(_configurations(network, target))).take(
            pa.array(np.repeat(np.arange(n), len(start)))
        ),
        "from": pa.array(np.tile(labels[start], n), _TEXT),
        "to": pa.array(np.tile(labels[end], n), _TEXT),
        "transitions": each(posterior.transitions.astype(np.int64)),
        "time": each(posterior.time),
    }
    for prefix, first, values, estimates in (
        ("", "rate", q, posterior.rates(level)),
        ("exit_", "rate", exits, posterior.exit_rates(level)),
        ("next_", "probability", after, posterior.next_states(level)),
    ):
        columns[f"{prefix}{first}"] = each(values)
        columns |= {f"{prefix}{key}": each(value) for key, value in estimates._asdict().items()}
    columns["visited"] = each(posterior.visited)
    return columns


def _configurations(network: Network, target: int) -> Iterator[str]:
    parents = [network.variables[j] for j in network.parents[target]]
    for states in product(*(parent.states for parent in parents)):
        yield ",".join(
            f"{quoted(parent.name)}={quoted(state)}" for parent, state in zip(parents, states, strict=True)
        )
