"""All that a learner may ask about one target: its sufficient statistics for any parent set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf, prod

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting import tuning
from ctbnlab.counting._joint import MAX_CACHED_CELLS
from ctbnlab.counting._marginals import extension_values, values_of
from ctbnlab.counting._sparse import sparse_counts
from ctbnlab.counting.cover import SetCover, cover_subsets
from ctbnlab.counting.gaps import observed
from ctbnlab.counting.points import MAX_VARIABLES, SampledPoints, sample_points
from ctbnlab.counting.scan import grouped, scan_of, ticks_per_time
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.counting.tables import MAX_EVENTS, BoundedCache, CountTable, joint_table_of
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError

# Makes the joint table of a target and some candidates, in the layout of `_scan`.
JointCounts = Callable[[int, tuple[int, ...]], NDArray[np.int64]]

_MAX_CONFIGURATIONS = 1 << 62  # more cannot be numbered


class NodeStatistics:
    """The sufficient statistics of one target for any parent set, counted from trajectories.

    A learner asks for tables and never sees the data. `table` serves any parent set, `pairs` all single
    parents from one scan, and `extensions` a parent set with each further candidate from one scan. `focus`
    announces that only subsets of some candidates will be asked for, so that joint tables can serve them.
    Tables have their parents in increasing order of index.

    `memory` bounds the bytes of tables that are kept or being counted, not of those handed out. A table above
    a quarter of it has rows only for configurations that occur.

    Times are counted in whole ticks, about 2^60 of them in the total observed time, so that sums are exact.
    A table's numbers depend on the data, the target and the parents alone: not on earlier questions, not on
    `memory`, not on the way they were counted. Times differ from a plain sum by at most a tick or the
    rounding of (time − start) per visit. Tables may be shared: they are read-only.

    A table counts only while the target and the parents are observed. `gaps` tells which variables have gaps:
    tables of other parents may then cover more or less time.
    """

    def __init__(self, data: Trajectories, target: int, *, memory: int = tuning.MEMORY):
        if not 0 <= target < data.n_variables:
            raise ValueError(f"no variable {target}: the data have {data.n_variables}")
        self.target = target
        self.memory = memory
        self.variables = data.variables
        self.cardinalities = data.cardinalities
        self.n_events = data.n_events
        self.gaps = data.gaps
        # Inside, gaps are one more state.
        self._cardinalities = [int(c) for c in data.events.cardinalities]
        self._has_gaps = any(data.gaps)
        self._n_changes = data.n_changes
        self._c = self._cardinalities[target]
        # A table with all its configurations takes its whole numbers and the values made of them.
        self._max_dense_rows = memory // 4 // (self._c * (2 * self._c + 1) * 8)
        self.tick = 1 / ticks_per_time(data.total_time)
        self._scan = scan_of(data)
        self._shared_pairs: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        self._shared_joints: dict[tuple[int, ...], JointCounts] = {}
        self.cover: SetCover | None = None  # the joint tables that `focus` asks for
        self._sparse: CountTable[np.int64] | None = None
        self._sparse_candidates: tuple[int, ...] = ()
        self._joints: BoundedCache[CountTable[np.int64]] = BoundedCache(memory // 2)
        self._steps: BoundedCache[CountTable[np.int64]] = BoundedCache(memory // 8)
        self._results: BoundedCache[SufficientStatistics] = BoundedCache(memory // 8)

    @property
    def candidates(self) -> tuple[int, ...]:
        """All other variables, in increasing order of index."""
        return tuple(j for j in range(len(self.variables)) if j != self.target)

    def name(self, variable: int) -> str:
        """Return the name of a variable."""
        return self.variables[variable].name

    def pairs(self) -> dict[int, SufficientStatistics]:
        """Return the statistics for each single candidate, from one scan."""
        return self.extensions(())

    def table(self, parents: Iterable[int]) -> SufficientStatistics:
        """Return the statistics for a parent set: a marginal of a joint table, or else from a scan."""
        chosen = tuple(sorted(map(int, parents)))
        result = self._results.get(chosen)
        if result is None:
            counts = self._counts(chosen)
            values = values_of(counts.numbers, self._c, self.tick)
            result = self._kept(chosen, values, counts.configurations)
        return result

    def table_with_gaps(self, parents: Iterable[int]) -> SufficientStatistics:
        """Return the statistics in which a parent that is unobserved counts as being in one more state."""
        counts = self._counts(tuple(sorted(map(int, parents))))
        values = values_of(counts.numbers, self._c, self.tick)
        codes = counts.cardinalities
        values, configurations = observed(
            values, counts.configurations, codes, codes, int(self.cardinalities[self.target])
        )
        return SufficientStatistics(self.target, counts.parents, codes, values, configurations)

    def extensions(
        self, parents: Iterable[int], candidates: Iterable[int] | None = None
    ) -> dict[int, SufficientStatistics]:
        """Return the statistics for the parents with each further candidate, from one scan.

        By default the candidates are all variables that are not parents. If the tables together exceed a
        quarter of `memory`, each scan takes as many candidates as fit; there is no scan if one joint table
        that `focus` asked for has them all.
        """
        base = self._checked(parents)
        chosen = [j for j in self.candidates if j not in base]
        if candidates is not None:
            wanted = self._checked(candidates)
            if not set(wanted).isdisjoint(base):
                raise ValueError(f"a candidate is among the parents {base}")
            chosen = list(wanted)
        if self.cover is not None and self.cover.union_with((*base, *chosen)) is not None:
            return {j: self.table((*base, j)) for j in chosen}
        result: dict[int, SufficientStatistics] = {}
        max_columns = self.memory // 4 // (self._configurations(base) * self._c**2 * 8) - 1
        batch: list[int] = []
        columns = 0
        for j in chosen:
            if self._cardinalities[j] > max_columns:
                result[j] = self.table((*base, j))
                continue
            if columns + self._cardinalities[j] > max_columns:
                result.update(self._extended(base, batch, max_columns))
                batch, columns = [], 0
            batch.append(j)
            columns += self._cardinalities[j]
        if batch:
            result.update(self._extended(base, batch, max_columns))
        return {j: result[j] for j in chosen}

    def focus(self, candidates: Iterable[int], max_size: int | None = None) -> None:
        """Announce that only subsets of these candidates, of at most `max_size` members, will be asked for.

        Other tables can still be asked for, at the price of a scan each. Joint tables are counted when first
        needed: one over all candidates if it fits, otherwise over some of them at a time. Other tables are
        no longer kept.
        """
        chosen = self._checked(candidates)
        self._results.keep_subsets(chosen)
        self._shared_pairs = None
        row = self._c**2 * 8
        worthwhile = max(tuning.MIN_JOINT_BYTES, 8 * tuning.JOINT_NUMBERS_PER_EVENT * self._n_changes) // row
        size = len(chosen) if max_size is None else min(max(max_size, 1), len(chosen))
        self.cover = cover_subsets(
            chosen,
            [self._cardinalities[p] for p in chosen],
            size,
            target=(self.target, self._c),
            # For many small sets every table is summed often and should stay in cache.
            max_cells=min(self.memory // (2 if max_size is None else 10) // row, worthwhile),
            max_cells_in_use=self.memory // 2 // row,
        )
        self._sparse = None
        self._sparse_candidates = chosen if self.cover is None else ()

    def sample_points(self, candidates: Sequence[int], max_events: int, ratio: float) -> SampledPoints:
        """Return a sample of the target's events, and of moments between them, with the candidates' states.

        At most about `max_events` events of each kind are taken, and `ratio` controls per event of the most
        frequent kind.
        """
        if len(self._checked(candidates)) > MAX_VARIABLES:
            raise ValueError(f"points have the states of at most {MAX_VARIABLES} candidates")
        if max_events < 1 or not 0 <= ratio < inf:
            raise ValueError("max_events must be at least 1, and ratio finite and not negative")
        return sample_points(self._scan, self.table(()), candidates, self._cardinalities, max_events, ratio)

    # For `batch` and `subsets`: tables that one scan counts for several targets.

    def share_pairs(self, counts: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        """Use pair counts from a scan for several targets: a variable's states begin at its column."""
        self._shared_pairs = counts, columns

    def wanted_joints(self) -> list[tuple[int, ...]]:
        """Return the candidates of each joint table that `focus` asked for, if they are not too many."""
        cover = self.cover
        return (
            list(cover.unions()) if cover is not None and cover.n_tables <= tuning.MAX_SHARED_TABLES else []
        )

    def share_joint(self, union: tuple[int, ...], counts: JointCounts) -> None:
        """Use a joint table from a scan for several targets; `counts` makes it when it is needed."""
        self._shared_joints[union] = counts

    def joint_counts(self, union: tuple[int, ...]) -> NDArray[np.int64]:
        """Return the whole numbers of one of the cover's joint tables, in the layout of `_scan`.

        A shared table is made anew rather than kept: that is cheap, and this is called once per table.
        """
        shared = self._shared_joints.get(union)
        return self._joint(union).numbers if shared is None else shared(self.target, union)

    # Where a table comes from

    def _counts(self, parents: tuple[int, ...]) -> CountTable[np.int64]:
        """Return the whole numbers of a table, from a joint table if one has it."""
        if self.cover is not None:
            union = self.cover.union_with(parents)
            if union is not None:
                return self._marginal(parents, union)
        parents = self._checked(parents)
        configurations = self._configurations(parents)
        dense = configurations <= self._max_dense_rows
        if self._sparse_candidates and set(parents).issubset(self._sparse_candidates):
            self._sparse = self._sparse or self._sparse_joint()
            if self._sparse is not None:
                return self._sparse.marginal(parents, dense=dense)
        table = self._counted(parents) if dense else self._sparsely_counted(parents, configurations)
        assert table is not None
        return table

    def _marginal(self, parents: tuple[int, ...], union: tuple[int, ...]) -> CountTable[np.int64]:
        """Return a marginal of a joint table.

        A large one is summed over one variable at a time, always the first that is not wanted, and every step
        is kept: the sets that learners ask for one after the other begin with the same steps.
        """
        table = self._joint(union)
        if len(table.numbers) <= tuning.MAX_DIRECT_SUM:
            return table.marginal(parents)
        for variable in union:
            if variable not in parents:
                rest = tuple(p for p in table.parents if p != variable)
                step = self._steps.get(rest)
                if step is None:
                    step = table.marginal(rest)
                    self._steps.put(rest, step, step.nbytes)
                table = step
        return table

    def _joint(self, union: tuple[int, ...]) -> CountTable[np.int64]:
        """Return the joint table of these candidates: kept, shared, or from a scan."""
        table = self._joints.get(union)
        if table is None:
            shared = self._shared_joints.get(union)
            table = self._counted(union) if shared is None else self._dense(union, shared(self.target, union))
            self._joints.put(union, table, table.nbytes)
        return table

    def _sparse_joint(self) -> CountTable[np.int64] | None:
        """Return the candidates' configurations that occur; None, and no retry, if they are too many."""
        chosen = self._sparse_candidates
        max_rows = min(
            self.memory // 8 // (self._c**2 * 8 + 8),
            max(tuning.MIN_SPARSE_ROWS, self._n_changes // tuning.EVENTS_PER_SPARSE_ROW),
        )
        table = None
        if self._configurations(chosen) <= _MAX_CONFIGURATIONS:
            table = self._sparsely_counted(chosen, max_rows)
        if table is None:
            self._sparse_candidates = ()
        return table

    def _sparsely_counted(self, parents: tuple[int, ...], max_rows: int) -> CountTable[np.int64] | None:
        """Return the table of the configurations that occur, from a scan; None if above `max_rows`."""
        if self._configurations(parents) > _MAX_CONFIGURATIONS:
            raise InputError(f"{len(parents)} parents have more than 2^62 joint states; ask for fewer")
        found = sparse_counts(self._scan, self.target, _indices(parents), max_rows)
        if found is None:
            return None
        cardinalities = tuple(self._cardinalities[p] for p in parents)
        return CountTable(parents, cardinalities, self._c**2, found[1], found[0])

    def _counted(self, parents: tuple[int, ...]) -> CountTable[np.int64]:
        """Return the table of all configurations, from a scan."""
        cells = self._configurations(parents) * self._c
        if cells > MAX_CACHED_CELLS and self._n_changes < MAX_EVENTS:
            numbers = joint_table_of(self._scan, self.target, parents, self._cardinalities)
        else:
            numbers = self._scan.joint(self.target, _indices(parents))
        return self._dense(parents, numbers)

    def _extended(
        self, base: tuple[int, ...], candidates: list[int], max_columns: int
    ) -> dict[int, SufficientStatistics]:
        """Return the tables of the base with each candidate, from one scan with at most `max_columns`."""
        cardinalities = [self._cardinalities[j] for j in candidates]
        columns = np.cumsum([0, *cardinalities]).tolist()
        if self._shared_pairs is not None and not base:
            counts, column_of = self._shared_pairs
            columns = column_of[candidates].tolist()
        else:
            groups = grouped(cardinalities, tuning.EXTENSION_GROUP_CELLS)
            near = tuning.EXTENSION_TABLE_BYTES // (self._configurations(base) * self._c**2 * 8)
            if groups.n_cells > near or groups.n_cells + sum(cardinalities) > max_columns:
                groups = grouped(cardinalities, 1)
            counts = self._scan.extensions(self.target, _indices(base), _indices(candidates), *groups)
        result = {}
        for j, column in zip(candidates, columns, strict=False):
            parents = tuple(sorted((*base, j)))
            inner = self._configurations(p for p in base if p > j) if base else 1
            values = extension_values(counts, column, self._cardinalities[j], inner, self._c, self.tick)
            result[j] = self._kept(parents, values, None)
        return result

    def _configurations(self, parents: Iterable[int]) -> int:
        return prod(self._cardinalities[p] for p in parents)

    def _dense(self, parents: tuple[int, ...], numbers: NDArray[np.int64]) -> CountTable[np.int64]:
        return CountTable(parents, tuple(self._cardinalities[p] for p in parents), self._c**2, numbers)

    def _kept(
        self,
        parents: tuple[int, ...],
        values: NDArray[np.float64],
        configurations: NDArray[np.int64] | None,
    ) -> SufficientStatistics:
        """Return the statistics to hand out, and keep them in case they are asked for again."""
        cardinalities = tuple(int(self.cardinalities[p]) for p in parents)
        if self._has_gaps:
            codes = [self._cardinalities[p] for p in parents]
            c = int(self.cardinalities[self.target])
            values, configurations = observed(values, configurations, codes, cardinalities, c)
        values.flags.writeable = False
        result = SufficientStatistics(self.target, parents, cardinalities, values, configurations)
        size = values.nbytes + (0 if configurations is None else configurations.nbytes)
        self._results.put(parents, result, size)
        return result

    def _checked(self, parents: Iterable[int]) -> tuple[int, ...]:
        """Return variables as plain integers in order; refuse the target, repeats and unknown ones."""
        chosen = tuple(sorted(int(p) for p in parents))
        if len(set(chosen)) < len(chosen) or self.target in chosen:
            raise ValueError(f"{chosen}: parents must be distinct variables other than the target")
        if chosen and not 0 <= chosen[0] <= chosen[-1] < len(self.variables):
            raise ValueError(f"{chosen}: the data have {len(self.variables)} variables")
        return chosen


def _indices(parents: Sequence[int]) -> NDArray[np.int32]:
    return np.array(parents, np.int32)
