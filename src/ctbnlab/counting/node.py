"""Sufficient statistics: T[u, x], the time a target spends in x while its parents are in u, and
M[u, x, x'], its transitions from x to x' meanwhile.

Counting is apart from estimating and deciding: a learner asks a `NodeStatistics` for the table of any
parent set and never sees the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._joint import FAR
from ctbnlab.counting._marginals import extension_values, values_of
from ctbnlab.counting._sparse import sparse_counts
from ctbnlab.counting.cover import TablePlan, plan_marginals, plan_tables
from ctbnlab.counting.groups import grouped
from ctbnlab.counting.joint_states import MOST_EVENTS, joint_of
from ctbnlab.counting.scan import scan_of, ticks_per_time
from ctbnlab.counting.tables import BoundedCache, CountTable
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError

# Makes the joint table of a target and some candidates, as `_counting` lays it out.
JointCounts = Callable[[int, tuple[int, ...]], NDArray[np.int64]]

MEMORY = 48 << 20  # bytes for the tables of one node, unless told otherwise
_MOST_CONFIGURATIONS = 1 << 62  # more cannot be numbered
_MANY_TABLES = 64  # of one target: more are counted as they are asked for
_CELLS_OF_GROUP = 16  # of candidates that are counted together beside the same parents
_NEAR = 8 << 20  # bytes of such a table: of a larger one, every candidate has columns of its own
_SMALL_TABLE = 256  # configurations; of a joint table up to this, marginals are summed directly


@dataclass(frozen=True, eq=False)
class SufficientStatistics:
    """T and M of one target for one parent set.

    `values[u, x]` holds T[u, x] and then M[u, x, 0], M[u, x, 1], … (0 on the diagonal), side by side, so
    that a marginal table is a sum of blocks. Configurations u are numbered in C order over `parents`,
    the first slowest. Counts are whole numbers in float64, exact up to 2^53.

    A table of too many configurations has rows only for those that occur: `configurations` then says
    which they are, in increasing order, and all others are zero. None stands for all of them.
    """

    target: int
    parents: tuple[int, ...]
    parent_cardinalities: tuple[int, ...]
    values: NDArray[np.float64]
    configurations: NDArray[np.int64] | None = None

    @property
    def time(self) -> NDArray[np.float64]:
        """T[u, x]."""
        return self.values[:, :, 0]

    @property
    def transitions(self) -> NDArray[np.float64]:
        """M[u, x, x']."""
        return self.values[:, :, 1:]

    @property
    def n_states(self) -> int:
        """How many states the target has."""
        return int(self.values.shape[1])

    def marginal(self, parents: Iterable[int]) -> SufficientStatistics:
        """Return the statistics for fewer parents, in this table's order, by summing out the rest.

        Transitions are exact; times are sums of rounded times, and may differ in the last bits from
        those that `NodeStatistics.of` counts.
        """
        c = self.n_states
        table = CountTable(
            self.parents,
            self.parent_cardinalities,
            c * (c + 1),
            np.ascontiguousarray(self.values).reshape(-1),
            self.configurations,
        ).marginal(tuple(parents))
        return SufficientStatistics(
            target=self.target,
            parents=table.parents,
            parent_cardinalities=table.cardinalities,
            values=table.numbers.reshape(-1, c, c + 1),
            configurations=table.configurations,
        )


class NodeStatistics:
    """The sufficient statistics of one target for any parent set, counted from trajectories.

    Tables are for parents in increasing order of their index. `extensions` serves a parent set and one
    candidate more, for every candidate, from one scan, and `pairs` all single parents; `focus` says that
    from now on only subsets of some candidates are wanted, so that joint tables over them can serve the
    rest.

    `memory` bounds the bytes of tables kept and of those in the making, not those handed out. A table
    above a quarter of it has rows only for configurations that occur.

    Times are counted in whole ticks, the time observed in all being about 2^60 of them, so that sums are
    exact. A table's numbers depend on the data, the target and the parents alone: not on what was asked
    before, not on `memory`, not on the way they were counted. Times differ from a plain sum by at most
    a tick or the rounding of (time − start) for each visit. Tables may be shared: they are read-only.
    """

    def __init__(self, data: Trajectories, target: int, *, memory: int = MEMORY):
        if not 0 <= target < data.n_variables:
            raise ValueError(f"there is no variable {target}; there are {data.n_variables}")
        self.data = data
        self.target = target
        self.memory = memory
        self.cardinalities = data.cardinalities
        self._states = [int(c) for c in data.cardinalities]
        self._c = self._states[target]
        # Of a table with all its configurations, the whole numbers and what is made of them together.
        self._most_rows = memory // 4 // (self._c * (2 * self._c + 1) * 8)
        self.tick = 1 / ticks_per_time(data.total_time)
        self.scan = scan_of(data)
        self._pair_counts: NDArray[np.int64] | None = None
        self._shared_joints: dict[tuple[int, ...], JointCounts] = {}
        self.table_plan: TablePlan | None = None  # of the joint tables that `focus` asks for
        self._sparse: CountTable[np.int64] | None = None
        self._sparse_candidates: tuple[int, ...] = ()
        self._steps_between: dict[tuple[tuple[int, ...], int], TablePlan | None] = {}
        self._joints: BoundedCache[CountTable[np.int64]] = BoundedCache(memory // 2)
        self._marginals: BoundedCache[CountTable[np.int64]] = BoundedCache(memory // 8)
        self._results: BoundedCache[SufficientStatistics] = BoundedCache(memory // 8)

    @property
    def candidates(self) -> tuple[int, ...]:
        """All other variables, in the order of their index."""
        return tuple(j for j in range(self.data.n_variables) if j != self.target)

    def pairs(self) -> dict[int, SufficientStatistics]:
        """Return the statistics for each single candidate, from one scan."""
        return self.extensions(())

    def share_pairs(self, counts: NDArray[np.int64]) -> None:
        """Take what a scan for several targets has counted (see `shared_scan`), instead of scanning again."""
        self._pair_counts = counts

    def joints_wanted(self) -> list[tuple[int, ...]]:
        """Return the candidates of each joint table that serves what `focus` asked for, if they are few."""
        plan = self.table_plan
        return list(plan.tables()) if plan is not None and plan.n_tables <= _MANY_TABLES else []

    def share_joint(self, union: tuple[int, ...], counts: JointCounts) -> None:
        """Take a joint table from a scan for several targets (see `shared_joints`) instead of scanning.

        `counts` makes it, of the target and the union, when it is asked for.
        """
        self._shared_joints[union] = counts

    def extensions(
        self, parents: Iterable[int], candidates: Iterable[int] | None = None
    ) -> dict[int, SufficientStatistics]:
        """Return the statistics for the parents and one candidate more, for each candidate, from one scan.

        By default the candidates are all variables that are not parents. Where the tables together are
        above a quarter of `memory` there is a scan for as many candidates as fit, and none where one joint
        table that `focus` asked for has them all.
        """
        base = self._checked(parents)
        chosen = [j for j in self.candidates if j not in base]
        if candidates is not None:
            wanted = self._checked(candidates)
            if not set(wanted).isdisjoint(base):
                raise ValueError(f"a candidate is among the parents {base}")
            chosen = list(wanted)
        if self.table_plan is not None and self.table_plan.covering((*base, *chosen)) is not None:
            return {j: self.of((*base, j)) for j in chosen}
        result: dict[int, SufficientStatistics] = {}
        room = self.memory // 4 // (prod(self._states[p] for p in base) * self._c**2 * 8) - 1
        batch: list[int] = []
        columns = 0
        for j in chosen:
            if self._states[j] > room:
                result[j] = self.of((*base, j))
                continue
            if columns + self._states[j] > room:
                result.update(self._extended(base, batch, room))
                batch, columns = [], 0
            batch.append(j)
            columns += self._states[j]
        if batch:
            result.update(self._extended(base, batch, room))
        return {j: result[j] for j in chosen}

    def _extended(
        self, base: tuple[int, ...], candidates: list[int], room: int
    ) -> dict[int, SufficientStatistics]:
        """Return the tables of the base and one candidate more, for each, in one scan of so many columns."""
        if self._pair_counts is not None and not base and len(candidates) == len(self._states) - 1:
            counts = self._pair_counts
        else:
            states = [self._states[j] for j in candidates]
            groups = grouped(states, _CELLS_OF_GROUP)
            near = _NEAR // (prod(self._states[p] for p in base) * self._c**2 * 8)
            if int(groups.cells[-1]) > near or int(groups.cells[-1]) + sum(states) > room:
                groups = grouped(states, 1)
            counts = self.scan.extensions(self.target, _indices(base), _indices(candidates), *groups)
        result = {}
        offset = 0
        for j in candidates:
            parents = tuple(sorted((*base, j)))
            inner = prod(self._states[p] for p in base if p > j)
            values = extension_values(counts, offset, self._states[j], inner, self._c, self.tick)
            result[j] = self._kept(parents, tuple(self._states[p] for p in parents), values, None)
            offset += self._states[j]
        return result

    def focus(self, candidates: Iterable[int], max_size: int | None = None) -> None:
        """Say that only subsets of these candidates, of at most so many elements, will be asked for.

        Others may be asked for still, at the price of a scan each. Joint tables are counted when first
        needed: one over all candidates if it fits, or else over some of them at a time.
        """
        chosen = self._checked(candidates)
        states = [self._states[p] for p in chosen]
        row = self._c**2 * 8
        # A table of many more cells than events costs more to sum than the events to count again.
        worthwhile = max(1 << 16, 16 * self.data.n_events) // row
        size = len(chosen) if max_size is None else min(max(max_size, 1), len(chosen))
        self.table_plan = plan_tables(
            chosen,
            states,
            size,
            target=(self.target, self._c),
            # Of many small sets every table is summed often: it should stay near the processor.
            cells_of_table=min(self.memory // (2 if max_size is None else 10) // row, worthwhile),
            cells_kept=self.memory // 2 // row,
        )
        self._steps_between = {}
        self._sparse = None
        self._sparse_candidates = chosen if self.table_plan is None else ()

    def of(self, parents: Iterable[int]) -> SufficientStatistics:
        """Return the statistics for a parent set: a marginal of a joint table, or else from a scan."""
        chosen = tuple(sorted(map(int, parents)))
        result = self._results.get(chosen)
        if result is None:
            table = self._counts(chosen)
            values = values_of(table.numbers, self._c, self.tick)
            result = self._kept(chosen, table.cardinalities, values, table.configurations)
        return result

    def _counts(self, parents: tuple[int, ...]) -> CountTable[np.int64]:
        """Return the whole numbers of a table, from joint tables where there are any."""
        if self.table_plan is not None:
            union = self.table_plan.covering(parents)
            if union is not None:
                return self._marginal(parents, union)
        parents = self._checked(parents)
        configurations = prod(self._states[p] for p in parents)
        dense = configurations <= self._most_rows
        if self._sparse_candidates and set(parents).issubset(self._sparse_candidates):
            self._sparse = self._sparse or self._sparse_joint()
            if self._sparse is not None:
                return self._sparse.marginal(parents, dense=dense)
        table = self._counted(parents) if dense else self._sparsely_counted(parents, configurations)
        assert table is not None
        return table

    def _marginal(self, parents: tuple[int, ...], union: tuple[int, ...]) -> CountTable[np.int64]:
        """Return a marginal of the union's joint table, by way of a smaller one that serves more sets."""
        key = (union, len(parents))
        if key not in self._steps_between:
            states = [self._states[p] for p in union]
            large = prod(states) > _SMALL_TABLE
            self._steps_between[key] = plan_marginals(union, states, len(parents)) if large else None
        plan = self._steps_between[key]
        between = None if plan is None else plan.covering(parents)
        if plan is None or between is None:
            return self._joint(union).marginal(parents)
        return self._between(between, union, plan.groups).marginal(parents)

    def _between(
        self, wanted: tuple[int, ...], union: tuple[int, ...], groups: Sequence[tuple[int, ...]]
    ) -> CountTable[np.int64]:
        """Return the table of some groups of a union: one group less at a time, and each step is kept."""
        table = self._marginals.get(wanted)
        if table is None:
            present = set(wanted)
            missing = next((group for group in groups if group[0] not in present), None)
            if missing is None:
                return self._joint(union)
            larger = tuple(sorted((*wanted, *missing)))
            table = self._between(larger, union, groups).marginal(wanted)
            self._marginals.put(wanted, table, table.nbytes)
        return table

    def _joint(self, union: tuple[int, ...]) -> CountTable[np.int64]:
        """Return the joint table of these candidates: a marginal of one that is kept, or from a scan."""
        table = self._joints.get(union)
        if table is None:
            larger = self._joints.containing(union)
            if larger is not None:
                table = larger.marginal(union)
            elif union in self._shared_joints:
                table = self._table(union, self._shared_joints[union](self.target, union))
            else:
                table = self._counted(union)
            self._joints.put(union, table, table.nbytes)
        return table

    def joint_counts(self, union: tuple[int, ...]) -> NDArray[np.int64]:
        """Return the whole numbers of one of the plan's joint tables, as `_counting` lays them out."""
        return self._joint(union).numbers

    def _sparse_joint(self) -> CountTable[np.int64] | None:
        """Return the configurations of all candidates that occur; None, for good, if they are too many."""
        chosen = self._sparse_candidates
        # Summing a row costs as much as counting several events.
        rows = min(self.memory // 8 // (self._c**2 * 8 + 8), max(1 << 10, self.data.n_events // 16))
        table = None
        if prod(self._states[p] for p in chosen) <= _MOST_CONFIGURATIONS:
            table = self._sparsely_counted(chosen, rows)
        if table is None:
            self._sparse_candidates = ()
        return table

    def _sparsely_counted(self, parents: tuple[int, ...], most: int) -> CountTable[np.int64] | None:
        """Return the table of the configurations that occur, from a scan; None if above `most`."""
        states = tuple(self._states[p] for p in parents)
        if prod(states) > _MOST_CONFIGURATIONS:
            raise InputError(f"{len(parents)} parents have more than 2^62 joint states; ask for fewer")
        found = sparse_counts(self.scan, self.target, _indices(parents), most)
        return None if found is None else CountTable(parents, states, self._c**2, found[1], found[0])

    def _counted(self, parents: tuple[int, ...]) -> CountTable[np.int64]:
        """Return the table of all configurations, from a scan."""
        if prod(self._states[p] for p in parents) * self._c > FAR and self.data.n_events < MOST_EVENTS:
            return self._table(parents, joint_of(self.scan, self.target, parents, self._states))
        return self._table(parents, self.scan.joint(self.target, _indices(parents)))

    def _table(self, parents: tuple[int, ...], numbers: NDArray[np.int64]) -> CountTable[np.int64]:
        return CountTable(parents, tuple(self._states[p] for p in parents), self._c**2, numbers)

    def _kept(
        self,
        parents: tuple[int, ...],
        states: tuple[int, ...],
        values: NDArray[np.float64],
        configurations: NDArray[np.int64] | None,
    ) -> SufficientStatistics:
        """Return the statistics to hand out, kept in case they are asked for again."""
        values.flags.writeable = False
        result = SufficientStatistics(self.target, parents, states, values, configurations)
        size = values.nbytes + (0 if configurations is None else configurations.nbytes)
        self._results.put(parents, result, size)
        return result

    def _checked(self, parents: Iterable[int]) -> tuple[int, ...]:
        """Return variables as plain integers in order; refuse the target, repeats and unknown ones."""
        chosen = tuple(sorted(int(p) for p in parents))
        if len(set(chosen)) < len(chosen) or self.target in chosen:
            raise ValueError(f"{chosen}: a target's parents are other variables, each once")
        if chosen and not 0 <= chosen[0] <= chosen[-1] < len(self._states):
            raise ValueError(f"{chosen}: there are {len(self._states)} variables")
        return chosen


def _indices(parents: Sequence[int]) -> NDArray[np.int32]:
    return np.array(parents, np.int32)
