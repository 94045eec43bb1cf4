"""The layout of a network in memory for the simulator's loop: flat, read-only arrays shared by threads.

Each node has a position: the index in `tables` of the exit rate for its current parent configuration and
state. When a node's state changes by d, its own position and those of its children move by d times the size
of a step. For each exit rate there is a row of cumulative rates to the other states, in order. A row is read
only for the node that changes, so rows are stored apart from the exit rates, which stay close together.

A node whose table would be too large has none: its position is then the parent configuration, and its rates
are drawn from their law when needed. The numbers are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.model.cims import LAWS, Cims, DrawnCims, n_configurations
from ctbnlab.model.network import Network
from ctbnlab.model.network_roles import checked_roles

FAN = 8  # members per block of exit rates, see `_simulation.pyx`
TABLE_BYTES = 4 << 20  # if tables do not fit in cache, drawing a row again is faster than loading it
_CHUNK = 1 << 20  # rates requested at a time

NODE = np.dtype(
    [
        ("origin", np.int64),  # position if all states are 0
        ("n_rates", np.int64),  # numbers in a row; the last one is the exit rate
        ("rows", np.int64),  # the row for position p begins at rows + p · width
        ("width", np.int64),
        ("first_step", np.int64),  # its slice of `steps`: the node itself and its children
        ("last_step", np.int64),
        ("first_block", np.int64),  # its slice of `blocks`: those to sum again, lower levels first
        ("last_block", np.int64),
        ("row", np.int64),  # without a table: where the last drawn row is kept; else -1
        ("key", np.uint64),
        ("low", np.float64),
        ("high", np.float64),
        ("effect", np.float64),
        ("law", np.int32),
        ("n_states", np.int32),
        ("first_parent", np.int32),  # its slice of `parent_cardinalities`
        ("n_parents", np.int32),
        ("terminal", np.int32),  # whether a transition ends the trajectory
    ],
    align=True,
)
# In a step to a node without a table, `node` is ~index.
STEP = np.dtype([("node", np.int64), ("size", np.int64)], align=True)
# A clock moves to its next state at `time`; in order of time, then of node.
CUT = np.dtype([("time", np.float64), ("node", np.int64)], align=True)


@dataclass(frozen=True, eq=False)
class SimulationLayout:
    """The arrays that the loop reads (see the module's docstring and `NODE`)."""

    nodes: NDArray[Any]
    steps: NDArray[Any]
    blocks: NDArray[np.int64]
    above: NDArray[np.int64]  # for each block: the member one level up that is its sum; -1 at the top
    levels: NDArray[np.int64]  # the first block of each level, from the nodes up
    tables: NDArray[np.float64]
    parent_cardinalities: NDArray[np.int32]
    row_memory: int  # total length of the rows of nodes without a table
    initial_order: NDArray[np.int32]
    initial_steps: NDArray[Any]
    initial_offsets: NDArray[np.int64]
    initial_origins: NDArray[np.int64]
    initial_tables: NDArray[np.float64]  # cumulative probabilities
    cuts: NDArray[Any]


def lay_out(network: Network, table_bytes: int = TABLE_BYTES) -> SimulationLayout:
    """Lay out a network; drawn rates get tables for the smallest nodes, up to `table_bytes` in total."""
    cardinalities = network.cardinalities
    _require_matching(network, cardinalities)
    _require_clocks(network)
    nodes = np.zeros(len(cardinalities), NODE)
    nodes["n_states"] = cardinalities
    nodes["n_rates"] = np.maximum(cardinalities - 1, 1)
    nodes["terminal"] = [name in network.roles.terminal for name in network.names]
    tabled = _tabled(network, table_bytes)
    tables = _tables(network, nodes, tabled)
    nodes["row"] = np.where(tabled, -1, np.cumsum(np.where(tabled, 0, nodes["n_rates"])) - nodes["n_rates"])
    steps, reached = _steps(network, nodes, tabled)
    above, levels = _pyramid(len(cardinalities))
    blocks = _blocks(nodes, reached, above)
    return SimulationLayout(
        nodes=nodes,
        steps=steps,
        blocks=blocks,
        above=above,
        levels=levels,
        tables=tables,
        parent_cardinalities=_laws(network, nodes, tabled),
        row_memory=max(1, int(nodes["n_rates"][~tabled].sum())),
        **_initial(network, cardinalities),
        cuts=_cuts(network),
    )


def _require_matching(network: Network, cardinalities: NDArray[np.int32]) -> None:
    """Refuse parents, matrices and tables that do not belong together: the loop does not check bounds."""
    n, initial = len(cardinalities), network.initial
    lengths = {len(part) for part in (network.parents, network.cims, initial.parents, initial.tables)}
    if lengths != {n} or sorted(initial.order) != list(range(n)):
        raise InputError("the network does not have parents, rates and initial states of every variable")
    for i, (name, states) in enumerate(network.variables):
        place, cims = f"variable {name!r}", network.cims[i]
        for parents in (network.parents[i], initial.parents[i]):
            if not set(parents) <= set(range(n)) - {i} or len(set(parents)) < len(parents):
                raise InputError("its parents are not distinct other variables", place=place)
        given = cardinalities[list(network.parents[i])].tolist()
        if (cims.n_configurations, cims.n_states) != (n_configurations(given), len(states)) or (
            isinstance(cims, DrawnCims) and list(cims.parent_cardinalities) != given
        ):
            raise InputError("its intensity matrices do not match its states and parents", place=place)
        rows = n_configurations(cardinalities[list(initial.parents[i])].tolist())
        if initial.tables[i].shape != (rows, len(states)):
            raise InputError("its initial distribution does not match its states and parents", place=place)


def _require_clocks(network: Network) -> None:
    """Refuse roles that do not belong to the network, and clocks that depend on more than the time."""
    checked_roles(network.variables, network.parents, network.cims, network.roles)
    for clock in network.roles.clocks:
        if clock.kind != "entry":
            raise InputError(
                f"the clock {clock.name!r} is of the kind {clock.kind!r}; "
                "only clocks of time since entry can be simulated"
            )
    if network.roles.own_clock:
        raise InputError("the network has own clocks; only clocks of time since entry can be simulated")


def _cuts(network: Network) -> NDArray[Any]:
    cuts = [
        (cut, network.index(clock.name)) for clock in network.roles.clocks for cut in clock.cuts if cut > 0
    ]
    return np.array(sorted(cuts), CUT)


def _row_width(n_rates: int) -> int:
    """Return the distance between rows, such that a row that fits in a cache line never straddles two."""
    return 1 << (n_rates - 1).bit_length() if n_rates <= 8 else -(-n_rates // 8) * 8


def _table_sizes(cims: Cims) -> tuple[int, int]:
    """Return the number of exit rates in a table and the total length of its rows.

    With two states the exit rate is the only rate, so no rows are needed.
    """
    if cims.n_states == 1:
        return 1, 0
    exits = cims.n_configurations * cims.n_states
    return exits, exits * _row_width(cims.n_states - 1) if cims.n_states > 2 else 0


def _tabled(network: Network, table_bytes: int) -> NDArray[np.bool_]:
    """Return which nodes get a table: all with given matrices, and those with the smallest drawn ones."""
    drawn = {i: 8 * sum(_table_sizes(c)) for i, c in enumerate(network.cims) if isinstance(c, DrawnCims)}
    result = np.ones(len(network.cims), bool)
    left = table_bytes
    for i in sorted(drawn, key=drawn.__getitem__):
        left -= drawn[i]
        result[i] = left >= 0 or network.cims[i].n_states == 1
    return result


def _tables(network: Network, nodes: NDArray[Any], tabled: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the tables: all exit rates, then all rows, each table aligned to a cache line."""
    chosen = np.flatnonzero(tabled).tolist()
    sizes = [_table_sizes(network.cims[i]) for i in chosen]
    padded = [-(-size // 8) * 8 for size in [s[0] for s in sizes] + [s[1] for s in sizes]]
    ends = np.cumsum([0, *padded]).tolist()
    memory = np.zeros(ends[-1] + 16)
    tables = memory[-(memory.ctypes.data // 8) % 8 :]
    for k, (i, (n_exits, n_rows)) in enumerate(zip(chosen, sizes, strict=True)):
        exits, rows = ends[k], ends[len(chosen) + k]
        width = n_rows // n_exits or 1
        nodes["origin"][i] = exits
        nodes["width"][i] = width
        nodes["rows"][i] = rows - exits * width if n_rows else 0
        if network.cims[i].n_states > 1:
            _fill(
                network.cims[i],
                tables[exits : exits + n_exits].reshape(-1, network.cims[i].n_states),
                tables[rows : rows + n_rows].reshape(-1, network.cims[i].n_states, width) if n_rows else None,
            )
    return tables


def _fill(cims: Cims, exits: NDArray[np.float64], rows: NDArray[np.float64] | None) -> None:
    """Fill in the exit rates and cumulative rates of every matrix, a chunk of configurations at a time."""
    c = cims.n_states
    off_diagonal = ~np.eye(c, dtype=bool)
    chunk = max(1, _CHUNK // c**2)
    for first in range(0, len(exits), chunk):
        part = slice(first, min(first + chunk, len(exits)))
        q = cims.matrices(np.arange(part.start, part.stop, dtype=np.uint64))
        rates = q[:, off_diagonal].reshape(-1, c, c - 1)
        with np.errstate(over="ignore", invalid="ignore"):
            cumulative = np.cumsum(rates, axis=2)
        if not (rates >= 0).all() or not np.isfinite(cumulative).all():
            raise InputError("the network has rates that are negative, infinite or not numbers")
        exits[part] = cumulative[:, :, -1]
        if rows is not None:
            rows[part, :, : c - 1] = cumulative


def _strides(cardinalities: NDArray[np.int32], parents: tuple[int, ...]) -> list[int]:
    """Return by how much each parent's state changes the configuration number; for the last parent, 1."""
    strides = [1]
    for parent in reversed(parents[1:]):
        strides.append(strides[-1] * int(cardinalities[parent]))
    return strides[: len(parents)][::-1]


def _steps(
    network: Network, nodes: NDArray[Any], tabled: NDArray[np.bool_]
) -> tuple[NDArray[Any], list[list[int]]]:
    """Return the steps of all nodes, and for each node the nodes whose rates depend on its state."""
    cardinalities = nodes["n_states"]
    steps: list[list[tuple[int, int]]] = [[] for _ in nodes]
    for i, parents in enumerate(network.parents):
        if cardinalities[i] == 1:
            continue
        node, own, per_configuration = (i, 1, int(cardinalities[i])) if tabled[i] else (~i, 0, 1)
        steps[i].append((node, own))
        for parent, stride in zip(parents, _strides(cardinalities, parents), strict=True):
            steps[parent].append((node, stride * per_configuration))
    ends = np.cumsum([len(s) for s in steps])
    nodes["first_step"][1:], nodes["last_step"] = ends[:-1], ends
    flat = np.array([step for s in steps for step in s] or [(0, 0)], STEP)
    return flat, [[i if i >= 0 else ~i for i, _ in s] for s in steps]


def _pyramid(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for the levels of blocks over n nodes, `above` and `levels` of `SimulationLayout`."""
    counts = [-(-n // FAN)]
    while counts[-1] > 1:
        counts.append(-(-counts[-1] // FAN))
    firsts = np.concatenate([[0], np.cumsum(counts)])
    above = [FAN * firsts[level + 1] + k for level, count in enumerate(counts[:-1]) for k in range(count)]
    return np.array([*above, -1], np.int64), firsts[:-1].astype(np.int64)


def _blocks(nodes: NDArray[Any], reached: list[list[int]], above: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each node the blocks whose sums its transitions change, lower levels first."""
    lists = []
    for affected in reached:
        blocks: set[int] = set()
        for member in affected:
            while member >= 0:
                blocks.add(member // FAN)
                member = int(above[member // FAN])
        lists.append(sorted(blocks))
    ends = np.cumsum([len(b) for b in lists])
    nodes["first_block"][1:], nodes["last_block"] = ends[:-1], ends
    return np.array([b for blocks in lists for b in blocks] or [0], np.int64)


def _laws(network: Network, nodes: NDArray[Any], tabled: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Fill in the laws of nodes without a table; return the cardinalities of all their parents."""
    cardinalities: list[int] = []
    for i in np.flatnonzero(~tabled):
        cims = network.cims[i]
        assert isinstance(cims, DrawnCims)
        law = cims.law
        node = nodes[i]
        node["law"], node["key"] = LAWS[law.kind], cims.key
        node["low"], node["high"], node["effect"] = law.low, law.high, law.effect
        node["first_parent"], node["n_parents"] = len(cardinalities), len(cims.parent_cardinalities)
        cardinalities.extend(cims.parent_cardinalities)
    return np.array([*cardinalities, 0], np.int32)


def _initial(network: Network, cardinalities: NDArray[np.int32]) -> dict[str, Any]:
    """Lay out the initial distribution likewise: positions move when a state is drawn."""
    initial = network.initial
    steps: list[list[tuple[int, int]]] = [[] for _ in cardinalities]
    for i, parents in enumerate(initial.parents):
        for parent, stride in zip(parents, _strides(cardinalities, parents), strict=True):
            steps[parent].append((i, stride * int(cardinalities[i])))
    sizes = [table.size for table in initial.tables]
    return {
        "initial_order": np.array(initial.order, np.int32),
        "initial_steps": np.array([step for s in steps for step in s] or [(0, 0)], STEP),
        "initial_offsets": np.concatenate([[0], np.cumsum([len(s) for s in steps])]).astype(np.int64),
        "initial_origins": (np.cumsum(sizes) - sizes).astype(np.int64),
        "initial_tables": np.concatenate([np.cumsum(t, axis=1).reshape(-1) for t in initial.tables]),
    }
