"""Static variables, a clock and terminal events for random networks.

Further arcs point from static variables and the clock to ordinary and terminal variables, and from ordinary
to terminal ones; the density is their share of all possible ones. Unless the connectivity is "none", every
static variable and the clock have an ordinary child, and every terminal variable an ordinary parent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.model.cims import DrawnCims, Law, TabledCims
from ctbnlab.model.network_roles import period_labels
from ctbnlab.model.roles import MAX_PERIODS, Clock, Roles
from ctbnlab.model.variables import MAX_VARIABLES

CLOCK = "clock"
# Terminal events are rarer than other changes by this factor, or trajectories would end at once.
TERMINAL_FACTOR = 0.1
MAX_TERMINAL_CONFIGURATIONS = 1 << 20


class RoleCounts(NamedTuple):
    """How many static and terminal variables to add, and the cuts of a clock; no cuts, no clock."""

    static: int = 0
    terminal: int = 0
    cuts: tuple[float, ...] = ()

    @property
    def total(self) -> int:
        """The number of variables to add."""
        return self.static + self.terminal + bool(self.cuts)

    @property
    def states(self) -> list[tuple[str, tuple[str, ...]]]:
        """The variables to add: S1 …, the clock, T1 …, with their states."""
        clock = [(CLOCK, period_labels(self.cuts))] if self.cuts else []
        return [
            *((name, ("0", "1")) for name in _numbered("S", self.static)),
            *clock,
            *((name, ("no", "yes")) for name in _numbered("T", self.terminal)),
        ]

    @property
    def roles(self) -> Roles:
        """The roles of the added variables."""
        clocks = (Clock(CLOCK, "entry", self.cuts),) if self.cuts else ()
        return Roles(_numbered("S", self.static), _numbered("T", self.terminal), clocks)

    def about(self) -> dict[str, int | list[float]]:
        """Return what a network's `about` records; nothing if there is nothing to add."""
        entries: dict[str, int | list[float]] = {
            "static": self.static,
            "terminal": self.terminal,
            "clock_cuts": list(self.cuts),
        }
        return {key: value for key, value in entries.items() if value}


def role_counts(static: int, terminal: int, cuts: Sequence[float], n: int) -> RoleCounts:
    """Check what a caller asks for, beside n ordinary variables."""
    for name, count in (("static", static), ("terminal", terminal)):
        if count < 0:
            raise InputError(f"the number of {name} variables must be 0 or more, not {count}")
    checked = tuple(float(cut) for cut in cuts)
    if not all(0 < cut < math.inf for cut in checked) or list(checked) != sorted(set(checked)):
        raise InputError("the cuts of the clock must be increasing numbers above 0")
    if len(checked) >= MAX_PERIODS:
        raise InputError(f"the clock must have at most {MAX_PERIODS} periods, not {len(checked) + 1}")
    counts = RoleCounts(static, terminal, checked)
    if n + counts.total > MAX_VARIABLES:
        raise InputError(f"a network has at most {MAX_VARIABLES:,} variables, not {n + counts.total:,}")
    return counts


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i:0{len(str(count))}d}" for i in range(1, count + 1))


def with_role_arcs(
    graph: NDArray[np.bool_],
    counts: RoleCounts,
    density: float,
    count: str,
    connectivity: str,
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Return the graph of ordinary variables with the added variables and their arcs."""
    n, total = len(graph), len(graph) + counts.total
    ordinary = np.arange(total) < n
    terminal = np.arange(total) >= total - counts.terminal
    fixed = ~ordinary & ~terminal
    result = np.zeros((total, total), bool)
    possible = np.outer(fixed, ~fixed) | np.outer(ordinary, terminal)
    if connectivity != "none":
        partners = (rng.random(total) * n).astype(int)
        result[np.flatnonzero(fixed), partners[fixed]] = True
        result[partners[terminal], np.flatnonzero(terminal)] = True
    ranks = rng.random((total, total))
    if count == "probability":
        result |= possible & (ranks < density)
    else:
        free = np.flatnonzero(possible & ~result)
        order = np.argsort(ranks.flat[free], kind="stable")
        more = max(0, round(density * int(possible.sum())) - int(result.sum()))
        result.flat[free[order[:more]]] = True
    result[:n, :n] = graph
    return result


def terminal_cims(law: Law, key: int, parent_cardinalities: tuple[int, ...]) -> TabledCims:
    """Draw the rates of a terminal event, a tenth of those of other changes; none leads back from "yes"."""
    drawn = DrawnCims(law, key, parent_cardinalities, 2)
    if drawn.n_configurations > MAX_TERMINAL_CONFIGURATIONS:
        found = f"{drawn.n_configurations:,} parent configurations"
        raise InputError(f"a terminal variable has {found}, which are too many; lower the density")
    q = drawn.table() * TERMINAL_FACTOR
    q[:, 1] = 0.0
    return TabledCims(q)
