"""Hypothesis strategies for variables and trajectories, edge cases included."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.model.variables import Variable

# Letters of several alphabets, a quote, a comma and a space; no control characters or line breaks.
_LABELS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=8
)


def plain_variables(cardinalities) -> tuple[Variable, ...]:
    """Return variables called X0, X1, … with the states 0, 1, …"""
    return tuple(Variable(f"X{i}", tuple(map(str, range(c)))) for i, c in enumerate(cardinalities))


@st.composite
def variables(draw, min_variables=1, max_variables=5, max_states=4, plain=False):
    """Draw variables of mixed cardinality, with any names or, if `plain`, those of `plain_variables`."""
    n = draw(st.integers(min_variables, max_variables))
    cardinalities = draw(st.lists(st.integers(1, max_states), min_size=n, max_size=n))
    if plain:
        return plain_variables(cardinalities)
    names = draw(st.lists(_LABELS, min_size=n, max_size=n, unique=True))
    return tuple(
        Variable(name, tuple(draw(st.lists(_LABELS, min_size=c, max_size=c, unique=True))))
        for name, c in zip(names, cardinalities, strict=True)
    )


@st.composite
def trajectories(draw, max_trajectories=4, max_events=12, rough=False, **options):
    """Draw trajectories; some have no events, some variables never change, some states never occur.

    If `rough`, some have several changes at one instant, and some variables have gaps.
    """
    chosen = draw(variables(**options))
    seed = draw(st.integers(0, 2**32 - 1))
    counts = draw(st.lists(st.integers(0, max_events), min_size=1, max_size=max_trajectories))
    rng = np.random.default_rng(seed)
    if rough:
        gaps = draw(st.lists(st.booleans(), min_size=len(chosen), max_size=len(chosen)))
        return rough_trajectories(rng, chosen, counts, draw(st.sampled_from([0.0, 0.3, 0.9])), gaps)
    return random_trajectories(rng, chosen, counts)


def rough_trajectories(rng, chosen, counts, tied, gaps) -> Trajectories:
    """Return random trajectories in which the next change is at the same instant with probability `tied`."""
    codes = [len(v.states) + g for v, g in zip(chosen, gaps, strict=True)]
    movable = [i for i, c in enumerate(codes) if c > 1]
    start = np.round(rng.normal(0, 10, len(counts)), 3)
    initial = np.array([[rng.integers(c) for c in codes] for _ in counts], np.uint8)
    time, variable, new, end, offsets = [], [], [], [], [0]
    for t, count in enumerate(counts if movable else [0] * len(counts)):
        state, now, changed = initial[t].copy(), float(start[t]), []
        for _ in range(count):
            if not changed or rng.random() >= tied or len(changed) == len(movable):
                now, changed = now + rng.exponential(1.0) + 1e-9, []
            changed.append(rng.choice([j for j in movable if j not in changed]))
            time.append(now)
        for instant in np.unique(time[offsets[-1] :]):
            moved = rng.choice(movable, time[offsets[-1] :].count(instant), replace=False)
            for j in sorted(moved.tolist()):
                state[j] = (state[j] + 1 + rng.integers(codes[j] - 1)) % codes[j]
                variable.append(j)
                new.append(state[j])
        offsets.append(len(time))
        end.append(now + rng.choice([0.0, rng.exponential(1.0)]))
    return Trajectories.from_arrays(
        chosen, offsets=offsets, start=start, end=end, initial=initial, time=time, variable=variable, new=new,
        ties=True, gaps=gaps,
    )  # fmt: skip


def random_trajectories(rng, chosen, counts) -> Trajectories:
    """Return random trajectories with the given numbers of events; all changes are equally likely."""
    movable = [i for i, v in enumerate(chosen) if len(v.states) > 1]
    if not movable:
        counts = [0] * len(counts)
    start = np.round(rng.normal(0, 10, len(counts)), 3)
    initial = np.array([[rng.integers(len(v.states)) for v in chosen] for _ in counts], np.uint8)
    time, variable, new, end = [], [], [], []
    for t, count in enumerate(counts):
        state = initial[t].copy()
        steps = start[t] + np.cumsum(rng.exponential(1.0, count) + 1e-9)
        for now in steps:
            j = movable[rng.integers(len(movable))]
            state[j] = (state[j] + 1 + rng.integers(len(chosen[j].states) - 1)) % len(chosen[j].states)
            time.append(now)
            variable.append(j)
            new.append(state[j])
        end.append((steps[-1] if count else start[t]) + rng.choice([0.0, rng.exponential(1.0)]))
    return Trajectories.from_arrays(
        chosen,
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        start=start,
        end=end,
        initial=initial,
        time=time,
        variable=variable,
        new=new,
    )
