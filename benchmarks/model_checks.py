"""How often the model checks warn, where the model holds and where it does not; and what --robust changes.

    python benchmarks/model_checks.py -o docs/results/model_checks.csv
    python benchmarks/model_checks.py --study level --sets 50 --seed 7

    level     networks that are what the model says: no check should warn
    broken    one assumption broken in each data set: the check in question should warn
    robust    false and true arcs without and with --robust, where an assumption is broken

In `level` and `broken` a graph is learned from every data set, and the checks are made on it; a row has the
number of data sets in which each check warns for any variable. The rows of `robust` go to a file of their
own, with `_robust` in its name; they have false arcs per node with a standard error, and true arcs found,
without and with --robust, and without the arcs that it marks. All take about ten minutes. The seed of the
committed results is used for nothing else.
"""

from __future__ import annotations

import argparse
import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import real_data
from measuring import write_rows
from real_data import Case, generator, onsets, semi_markov

import ctbnlab
from ctbnlab.data.prepare import prepare
from ctbnlab.data.role_request import RoleRequest
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.learning.checks import NAMES, model_checks
from ctbnlab.learning.robust import learn_robustly
from ctbnlab.simulation.degrade import coarsen, hide

Make = Callable[[int], Case]
DEFAULT_SEED = 20_261_500


def network_data(
    nodes: int, states: int, trajectories: int, duration: float, k: int, density: float = 0.3
) -> Case:
    """Return data of a random network with rates as in the paper."""
    rng = generator(11, nodes, states, trajectories, k)
    network = ctbnlab.generate(
        nodes, states=states, density=density, connectivity="none", seed=int(rng.integers(2**31))
    )
    data = ctbnlab.simulate(
        network, trajectories=trajectories, duration=duration, seed=int(rng.integers(2**31))
    )
    return data, set(network.arcs)


def with_factors(data: Trajectories, factors: np.ndarray) -> Trajectories:
    """Return data in which all rates of a trajectory are multiplied by its factor, on a common duration.

    The beginning of a trajectory is played faster: time is cut at factor × duration and divided by the
    factor. Durations shrink by the largest factor.
    """
    data = data.compact()
    keep = factors / factors.max() * (data.end - data.start)
    trajectory = np.repeat(np.arange(len(data)), data.stop - data.begin)
    time = data.time - data.start[trajectory]
    kept = time <= keep[trajectory]
    counts = np.bincount(trajectory[kept], minlength=len(data))
    return Trajectories.from_arrays(
        data.variables,
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        start=np.zeros(len(data)),
        end=keep / factors,
        initial=data.initial,
        time=(time / factors[trajectory])[kept],
        variable=data.variable[kept],
        new=data.new[kept],
        ties=True,
    )


def people(variation: float, k: int, trajectories: int = 60, density: float = 0.2) -> Case:
    """Return a binary network of six nodes whose trajectories have Gamma-distributed factors."""
    rng = generator(12, int(100 * variation), trajectories, k)
    shape = 1 / variation**2
    factors = rng.gamma(shape, 1 / shape, trajectories)
    factors /= factors.max()
    data, arcs = network_data(6, 2, trajectories, 90.0, 1000 + k, density)
    return with_factors(data, factors), arcs


def separate_factors(variation: float, k: int) -> Case:
    """Return six independent binary variables; each has its own rates and factor in every trajectory."""
    rng = generator(16, int(100 * variation), k)
    shape = 1 / variation**2
    trajectory, time, variable, new = [], [], [], []
    initial = rng.integers(0, 2, (60, 6))
    for t in range(60):
        for i in range(6):
            rates = rng.uniform(1, 5, 2) * rng.gamma(shape, 1 / shape)
            now, state = 0.0, initial[t, i]
            while (now := now + rng.exponential(1 / rates[state])) < 30:
                state = 1 - state
                trajectory.append(t)
                time.append(now)
                variable.append(i)
                new.append(state)
    order = np.lexsort((time, trajectory))
    data = Trajectories.from_arrays(
        [(f"X{i}", "01") for i in range(6)], start=np.zeros(60), end=np.full(60, 30.0), initial=initial,
        offsets=np.concatenate([[0], np.cumsum(np.bincount(trajectory, minlength=60))]),
        time=np.array(time)[order], variable=np.array(variable)[order], new=np.array(new)[order],
    )  # fmt: skip
    return data, set()


def people_onsets(variation: float, k: int) -> Case:
    """Return four one-way events in 2,000 people with a factor each; no arc is true."""
    rng = generator(13, int(100 * variation), k)
    shape = 1 / variation**2
    factors = rng.gamma(shape, 1 / shape, 2000)
    times = 3 * rng.exponential(size=(2000, 4)) / factors[:, None]
    return real_data.one_way(times, np.full(2000, 5.0), "ABCD"), set()


def rounded(share: float, k: int) -> Case:
    """Return data whose times are multiples of a share of the fastest variable's mean waiting time."""
    data, arcs = network_data(6, 2, 60, 30.0, 2000 + k)
    fastest = np.bincount(data.variable).max()
    return coarsen(data, share * data.total_time / fastest), arcs


def dated(k: int) -> Case:
    """Return people who enter at different dates; all rates double halfway through the study."""
    rng = generator(14, k)
    start = rng.uniform(0, 10, 500)
    # Play time after the date 8 twice as fast.
    data, arcs = network_data(4, 2, 500, 12.0, 3000 + k)
    data = data.compact()
    trajectory = np.repeat(np.arange(500), data.stop - data.begin)
    slow = np.maximum(0.0, 8 - start)

    def date(own: np.ndarray, who: np.ndarray) -> np.ndarray:
        before = slow[who]
        return start[who] + np.where(own < before, own, before + (own - before) / 2)

    return Trajectories.from_arrays(
        data.variables, offsets=data.offsets, start=start, end=date(data.end, np.arange(500)),
        initial=data.initial, time=date(data.time, trajectory), variable=data.variable, new=data.new,
    ), arcs  # fmt: skip


def hidden_cause(speed: float, k: int) -> Case:
    """Return a network from which a cause of three variables, with rates × speed, is left out."""
    rng = generator(15, int(100 * speed), k)
    names = ["H", "A", "B", "C", "D"]
    rates = {}
    for child in "ABC":
        rates[child] = {("low",): rng.uniform(0.5, 1.0, 2), ("high",): rng.uniform(2.0, 4.0, 2)}
    initial, times, variable, new, offsets = [], [], [], [], [0]
    flip = np.array([2.0 * speed, 0, 0, 0, 2.0])
    for _ in range(60):
        state = rng.integers(0, 2, 5)
        initial.append(state[1:].copy())
        now = 0.0
        while True:
            level = ("high",) if state[0] else ("low",)
            rate = flip.copy()
            for j, child in enumerate("ABC", 1):
                rate[j] = rates[child][level][state[j]]
            now += rng.exponential(1 / rate.sum())
            if now > 60:
                break
            j = int(rng.choice(5, p=rate / rate.sum()))
            state[j] = 1 - state[j]
            if j:
                times.append(now)
                variable.append(j - 1)
                new.append(state[j])
        offsets.append(len(times))
    data = Trajectories.from_arrays(
        [(name, "01") for name in names[1:]], offsets=offsets, start=np.zeros(60), end=np.full(60, 60.0),
        initial=initial, time=times, variable=variable, new=new,
    )  # fmt: skip
    return data, set()


def clocked(make: Make, clock: str, k: int) -> Case:
    """Return data with a clock."""
    data, arcs = make(k)
    return prepare(data, RoleRequest(clocks=(clock,)))[0], arcs


def gaps(k: int) -> Case:
    """Return data in which each variable is unobserved for 20 % of the time."""
    data, arcs = network_data(6, 2, 60, 30.0, 4000 + k)
    return hide(data, 0.2, 3.0, seed=k), arcs


def small_network(nodes: int, states: int, trajectories: int, duration: float) -> Make:
    return functools.partial(network_data, nodes, states, trajectories, duration)


HOLDS: dict[str, Make] = {
    "6 binary, 10 × 10": small_network(6, 2, 10, 10.0),
    "6 ternary, 10 × 10": small_network(6, 3, 10, 10.0),
    "6 binary, 3 × 10": small_network(6, 2, 3, 10.0),
    "3 binary, 1 × 300": small_network(3, 2, 1, 300.0),
    "10 binary, 60 × 30": small_network(10, 2, 60, 30.0),
    "10 ternary, 30 × 100": small_network(10, 3, 30, 100.0),
    "20 quaternary, 30 × 20": functools.partial(network_data, 20, 4, 30, 20.0, density=0.1),
    "4 onsets, 2,000 people": functools.partial(onsets, 1.0, 1.5, 2000),
    "4 onsets, 100 people": functools.partial(onsets, 1.0, 1.5, 100),
    "6 binary with gaps, 60 × 30": gaps,
    "gamma shape 1, own clock": functools.partial(clocked, functools.partial(semi_markov, 1.0), "own"),
}
# A tenth of the data sets is enough for these.
SLOW = (
    "20 quaternary, 30 × 20",
    "gamma shape 1, own clock",
    "gamma waits, shape 5, own clock",
    "slow hidden cause",
    "fast hidden cause",
)
FAULTY: dict[str, tuple[str, Make]] = {
    "gamma waits, shape 2": ("waiting times", functools.partial(semi_markov, 2.0)),
    "gamma waits, shape 5": ("waiting times", functools.partial(semi_markov, 5.0)),
    "gamma waits, shape 2, 10 × 10": (
        "waiting times",
        lambda k: semi_markov(2.0, k, trajectories=10, duration=10.0),
    ),
    **{
        f"Weibull onsets, shape {shape}": ("time since entry", functools.partial(onsets, shape, 1.0, 2000))
        for shape in (0.5, 0.7, 1.5, 3.0)
    },
    "rates double at a date": ("calendar time", dated),
    "factors, variation 0.5": ("trajectories", functools.partial(people, 0.5)),
    "factors, variation 0.3": ("trajectories", functools.partial(people, 0.3)),
    "factors, variation 0.5, 10 trajectories": (
        "trajectories",
        lambda k: people(0.5, k, trajectories=10),
    ),
    "separate factors, variation 0.5": ("trajectories", functools.partial(separate_factors, 0.5)),
    "factors of one-way events, variation 0.7": ("trajectories", functools.partial(people_onsets, 0.7)),
    "times rounded to 0.5 waits": ("grid", functools.partial(rounded, 0.5)),
    "times rounded to 0.25 waits": ("grid", functools.partial(rounded, 0.25)),
    "gamma waits, shape 5, own clock": (
        "",
        functools.partial(clocked, functools.partial(semi_markov, 5.0), "own"),
    ),
    "Weibull onsets, shape 0.7, entry clock": (
        "",
        functools.partial(clocked, functools.partial(onsets, 0.7, 1.0, 2000), "entry"),
    ),
    "slow hidden cause": ("waiting times", functools.partial(hidden_cause, 0.1)),
    "fast hidden cause": ("waiting times", functools.partial(hidden_cause, 10.0)),
}


def warned(data: Trajectories) -> set[str]:
    """Learn a graph, and return the checks that warn."""
    graph = ctbnlab.learn(data, ctbnlab.EmpiricalBayes()).graph
    return {check.name for check in model_checks(data, graph) if check.warns}


def check_rows(study: str, case: str, make: Make, sets: int, expected: str) -> dict[str, object]:
    """Return how many data sets of a case each check warns on."""
    counts = dict.fromkeys(NAMES, 0)
    for k in range(sets):
        for name in warned(make(k)[0]):
            counts[name] += 1
    return {"study": study, "case": case, "sets": sets, "expected": expected, **counts}


def level_rows(sets: int) -> Iterator[dict[str, object]]:
    for case, make in HOLDS.items():
        yield check_rows("level", case, make, sets // 10 if case in SLOW else sets, "")


def broken_rows(sets: int) -> Iterator[dict[str, object]]:
    for case, (expected, make) in FAULTY.items():
        yield check_rows("broken", case, make, max(2, sets // (10 if case in SLOW else 4)), expected)


NULLS: dict[str, Make] = {
    "holds, 10 binary, 60 × 30": small_network(10, 2, 60, 30.0),
    "holds, 6 binary, 10 × 10": small_network(6, 2, 10, 10.0),
    "gamma waits, shape 2": functools.partial(semi_markov, 2.0),
    "gamma waits, shape 5": functools.partial(semi_markov, 5.0),
    "Weibull onsets, shape 0.5": functools.partial(onsets, 0.5, 1.0, 2000),
    "Weibull onsets, shape 0.7, hazard ratio 1.5": functools.partial(onsets, 0.7, 1.5, 2000),
    "Weibull onsets, shape 1.5, hazard ratio 1.5": functools.partial(onsets, 1.5, 1.5, 2000),
    "Weibull onsets, shape 3": functools.partial(onsets, 3.0, 1.0, 2000),
    "factors, variation 0.5": functools.partial(people, 0.5),
    "factors, variation 1": functools.partial(people, 1.0),
    "factors, variation 1, no arcs": functools.partial(people, 1.0, density=0.0),
    "factors, variation 1, 20 trajectories": functools.partial(people, 1.0, trajectories=20),
    "separate factors, variation 1, no arcs": functools.partial(separate_factors, 1.0),
    "factors of one-way events, variation 0.7": functools.partial(people_onsets, 0.7),
}


def robust_rows(sets: int) -> Iterator[dict[str, object]]:
    """Count false and true arcs without and with --robust, and then without the arcs that it marks."""
    for case, make in NULLS.items():
        counts: dict[str, list[tuple[int, int]]] = {"plain": [], "robust": [], "robust, unmarked": []}
        nodes = true = 0
        for k in range(max(2, sets // 10)):
            data, arcs = make(k)
            names = set(data.names)
            nodes += len(names)
            true += len(arcs)
            result = learn_robustly(data, lambda some: ctbnlab.learn(some, ctbnlab.EmpiricalBayes()))
            marked = {(a, b) for a, b, _ in result.marked}
            robust = {arc for arc in result.learned.graph.arcs if arc[0] in names}
            plain = set(ctbnlab.learn(data, ctbnlab.EmpiricalBayes()).graph.arcs)
            graphs = plain, robust, robust - marked
            for found, graph in zip(counts.values(), graphs, strict=True):
                found.append((len(graph - arcs), len(graph & arcs)))
        for method, found in counts.items():
            false = np.array([f for f, _ in found]) * len(found) / nodes  # nodes differ little
            yield {
                "study": "robust", "case": case, "method": method, "sets": len(found),
                "false_per_node": round(float(false.mean()), 4),
                "standard_error": round(float(false.std(ddof=1) / np.sqrt(len(found))), 4),
                "true": true, "found": sum(t for _, t in found),
            }  # fmt: skip


STUDIES = {"level": level_rows, "broken": broken_rows, "robust": robust_rows}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=200, help="data sets per case, or a part of them (200)")
    parser.add_argument("--study", choices=STUDIES, help="run one study only")
    parser.add_argument("--case", help="run only cases whose name matches this regular expression")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="another one for tuning")
    parser.add_argument("-o", "--output", type=Path, help="write the rows to this CSV file")
    args = parser.parse_args()
    real_data.seed = args.seed
    if args.case:
        for cases in (HOLDS, FAULTY, NULLS):
            for name in [name for name in cases if not re.search(args.case, name)]:
                del cases[name]
    found = []
    for name in [args.study] if args.study else STUDIES:
        for each in STUDIES[name](args.sets):
            found.append(each)
            print(*each.values(), sep="\t", flush=True)
    if args.output is not None:
        # The rows of one study have other columns than those of the others.
        robust = [row for row in found if row["study"] == "robust"]
        write_rows(args.output, [row for row in found if row["study"] != "robust"])
        if robust:
            write_rows(args.output.with_name(args.output.stem + "_robust.csv"), robust)


if __name__ == "__main__":
    main()
