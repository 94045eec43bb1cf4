"""What CTPC reports after a search: parents, the evidence for each arc, and what could not be tested."""

from __future__ import annotations

from ctbnlab.learning.contract import OVER_LIMIT, Evidence, NodeResult
from ctbnlab.learning.ctpc.search import Search
from ctbnlab.learning.independence.table_test import NEVER_CHANGES, TOO_FEW, TableTest

UNTESTED = "kept untested: max_work is spent"


def result_of(search: Search) -> NodeResult:
    """Return the node's result."""
    required = set(search.knowledge.required)
    survivors = [j for j in search.remaining if j not in required]
    over = set(_over_the_limit(search, survivors))
    parents = tuple(sorted(j for j in search.remaining if j not in over))
    evidence = tuple(_evidence(search, j, j in required, j in over) for j in search.statistics.candidates)
    return NodeResult(
        target=search.statistics.target,
        parents=parents,
        evidence=evidence,
        counts={"tests": search.tests, "levels": search.levels},
        notes=tuple(_notes(search, survivors, len(over))),
    )


def _over_the_limit(search: Search, survivors: list[int]) -> list[int]:
    """Return the survivors that the limit on parents drops: those with the largest p-values.

    An arc that only the rule of thumb kept has no p-value and is dropped first.
    """
    ranked = sorted(survivors, key=lambda j: (search.closest.get(j, (2.0,))[0], j))
    return ranked[search.knowledge.max_additions :]


def _evidence(search: Search, j: int, required: bool, over: bool) -> Evidence:
    if required:
        return Evidence(j, True, "required")
    if j in search.removed:
        separating, outcome = search.removed[j]
        why = f"independent; {outcome.why}"
        if outcome.untested:
            why += f"; {outcome.untested} comparisons could not be made"
    elif j in search.closest:
        _, separating = search.closest[j]
        table = search.table(tuple(sorted((*separating, j))))
        test = search.test
        outcome = test.decide(table, j) if isinstance(test, TableTest) else test.test(table, j)
        why = f"dependent; {outcome.why}"
    elif j in search.ruled:
        return Evidence(j, not over, OVER_LIMIT if over else TOO_FEW)
    elif j in search.open:
        return Evidence(j, not over, OVER_LIMIT if over else UNTESTED)
    else:
        return Evidence(j, False, "forbidden")
    return Evidence(
        candidate=j,
        kept=j not in search.removed and not over,
        why=OVER_LIMIT if over else why,
        statistic=outcome.statistic,
        degrees_of_freedom=outcome.degrees_of_freedom,
        p_value=outcome.p_value,
        separating_set=separating,
    )


def _notes(search: Search, survivors: list[int], over: int) -> list[str]:
    name = search.statistics.name
    notes = []
    table = next(iter(search.pairs.values()), None) or search.statistics.table(())
    if not table.transitions.any():
        notes.append(f"{name(search.statistics.target)} never changes: nothing could be tested")
    else:
        constant = [j for j, (_, outcome) in search.removed.items() if outcome.why == NEVER_CHANGES]
        if constant:
            never = ", ".join(name(j) for j in sorted(constant))
            notes.append(f"no arc from variables that never change: {never}")
        partly = sum(
            1 for _, outcome in search.removed.values() if outcome.untested and outcome.why != NEVER_CHANGES
        )
        if partly:
            notes.append(f"arcs dropped though some comparisons lacked transitions: {partly}")
    untested = sum(1 for j in survivors if j not in search.closest and j in search.ruled)
    if untested:
        notes.append(f"arcs kept by the rule of thumb alone, with too few transitions to test: {untested}")
    if search.stopped:
        notes.append(
            f"max_work={search.max_work:,} is spent after {search.tests:,} tests: {len(survivors)} arcs stay "
            "that further tests might remove"
        )
    if over:
        notes.append(f"more parents than allowed: the {over} with the largest p-values were dropped")
    return notes
