"""False and true arcs where real data break the paper's assumptions.

    python benchmarks/real_data.py -o docs/results/real_data.csv
    python benchmarks/real_data.py --study wait --networks 20 --seed 7

Every study simulates data in which the true arcs are known, mostly none, and learns from the same data with
and without what ctbnlab has against the problem:

    onset     one-way events with Weibull times: rates change with time since entry (--clock entry, auto)
    periods   the same with other numbers of periods, and with the clock as one more candidate
    wait      binary networks with Gamma waiting times: rates change since the last change (--clock own)
    visits    recurring variables, one-way events, diagnoses at death, seen at visits (--ties together)
    hidden    networks of which each variable is unobserved for 30 % of the time (gaps)

A row has the mean number of false arcs per node and its standard error, the true arcs found of those there
are, those lost that the first method of the case finds, the networks in which a clock was taken in, and the
CPU seconds of learning per network. The seed of the committed results is used for nothing else. They take
about five minutes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from measuring import write_rows

import ctbnlab
from ctbnlab.data.prepare import prepare
from ctbnlab.data.role_request import RoleRequest
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.model.cims import Law
from ctbnlab.model.roles import NO_ROLES
from ctbnlab.simulation.degrade import coarsen, hide

Arcs = set[tuple[str, str]]
Case = tuple[Trajectories, Arcs]  # data, and the arcs that are true in them
seed = 20_261_200


def generator(*keys: int) -> np.random.Generator:
    """Return the generator of one data set."""
    return np.random.default_rng([seed, *keys])


def one_way(times: np.ndarray, end: np.ndarray, names: Iterable[str]) -> Trajectories:
    """Return people in whom each variable changes once, from no to yes, if its time is before the end."""
    people, count = times.shape
    seen = times <= end[:, None]
    person, variable = np.nonzero(seen)
    moment = times[seen]
    order = np.lexsort((variable, moment, person))
    return Trajectories.from_arrays(
        [(name, ("no", "yes")) for name in names],
        offsets=np.concatenate([[0], np.cumsum(seen.sum(axis=1))]),
        start=np.zeros(people),
        end=end,
        initial=np.zeros((people, count), np.uint8),
        time=moment[order],
        variable=variable[order],
        new=np.ones(len(order), np.uint8),
        ties=True,
    )


# ---- Rates that change with time since entry ----


def onsets(shape: float, ratio: float, people: int, k: int, names: str = "ABCD") -> Case:
    """Return one-way events with Weibull times; after A, the hazard of B is multiplied by `ratio`."""
    rng = generator(1, int(10 * shape), int(10 * ratio), people, k)
    times = 3 * rng.weibull(shape, (people, len(names)))
    if ratio != 1:
        later = times[:, 0] < times[:, 1]
        hazard = (times[later, 0] / 3) ** shape + rng.exponential(size=later.sum()) / ratio
        times[later, 1] = 3 * hazard ** (1 / shape)
    return one_way(times, np.full(people, 5.0), names), {("A", "B")} if ratio != 1 else set()


# ---- Waiting times that are not exponential ----


def semi_markov(shape: float, k: int, trajectories: int = 60, duration: float = 60.0) -> Case:
    """Return a binary network of 5 to 8 nodes; a node changes as its integrated rate reaches a draw."""
    rng = generator(2, int(shape), k)
    n = 5 + k % 4
    parents = [
        sorted(rng.choice([j for j in range(n) if j != i], rng.integers(0, 3), replace=False).tolist())
        for i in range(n)
    ]
    rates = [rng.uniform(1, 5, (2,) * (len(parents[i]) + 1)) for i in range(n)]
    followers = [[i, *(j for j in range(n) if i in parents[j])] for i in range(n)]
    initial, times, variable, new, offsets = [], [], [], [], [0]
    for _ in range(trajectories):
        state = rng.integers(0, 2, n)
        initial.append(state.copy())
        left = rng.gamma(shape, 1 / shape, n)
        rate = np.array([rates[i][(*state[parents[i]], state[i])] for i in range(n)])
        now = 0.0
        while True:
            wait = left / rate
            i = int(np.argmin(wait))
            now += wait[i]
            if now > duration:
                break
            left -= rate * wait[i]
            left[i] = rng.gamma(shape, 1 / shape)
            state[i] = 1 - state[i]
            for j in followers[i]:
                rate[j] = rates[j][(*state[parents[j]], state[j])]
            times.append(now)
            variable.append(i)
            new.append(state[i])
        offsets.append(len(times))
    data = Trajectories.from_arrays(
        [(f"X{i}", "01") for i in range(n)], offsets=offsets, start=np.zeros(trajectories), ties=True,
        end=np.full(trajectories, duration), initial=initial, time=times, variable=variable, new=new,
    )  # fmt: skip
    return data, {(f"X{j}", f"X{i}") for i in range(n) for j in parents[i]}


# ---- Changes seen at visits ----


def recurring(step: float, density: float, k: int) -> Case:
    """Return eight slow binary variables that change over and over, seen at multiples of `step`."""
    rng = generator(4, k)
    law = Law(low=0.02, high=0.1)
    network = ctbnlab.generate(
        8, states=2, density=density, connectivity="none", law=law, seed=int(rng.integers(2**31))
    )
    data = ctbnlab.simulate(network, trajectories=200, duration=100.0, seed=int(rng.integers(2**31)))
    return (coarsen(data, step) if step else data), set(network.arcs)


def visited(k: int, with_death: bool) -> Case:
    """Return five one-way events that are noticed at the next yearly visit, or coded on the day of death."""
    rng = generator(3, k, with_death)
    people = 2000
    times = rng.exponential(rng.uniform(5, 20, 5), (people, 5))
    times = np.ceil(times)  # visits
    end = np.full(people, 10.0)
    if not with_death:
        return one_way(times, end, "ABCDE"), set()
    death = rng.exponential(12.0, people)
    true_times = times - rng.random(times.shape)  # some time before the visit
    times = np.where(true_times < death[:, None], np.minimum(times, death[:, None]), np.inf)
    data = one_way(np.column_stack([times, death]), np.minimum(end, death), [*"ABCDE", "death"])
    return data, set()


# ---- Gaps ----


def complete(density: float, k: int) -> Case:
    """Return a binary network of eight nodes and complete data."""
    rng = generator(5, k)
    network = ctbnlab.generate(
        8, states=2, density=density, connectivity="none", seed=int(rng.integers(2**31))
    )
    data = ctbnlab.simulate(network, trajectories=60, duration=60.0, seed=int(rng.integers(2**31)))
    return data, set(network.arcs)


# ---- Methods ----


@dataclass(frozen=True)
class Method:
    """How to learn: roles to give to the data, after changing them."""

    name: str
    roles: dict[str, Any] = field(default_factory=dict)
    change: Callable[[Trajectories], Trajectories] | None = None
    as_candidates: bool = False  # clocks are variables like others
    learner: ctbnlab.Learner = field(default_factory=ctbnlab.EmpiricalBayes)

    def learn(self, data: Trajectories) -> tuple[Arcs, bool, float]:
        """Return the arcs between variables, whether the data got a clock, and the CPU seconds."""
        names = set(data.names)
        data = self.change(data) if self.change is not None else data
        data, _ = prepare(data, RoleRequest(**self.roles))
        has_clock = bool(data.roles.clocks)
        if self.as_candidates:
            data = data.with_roles(NO_ROLES)
        began = time.process_time()
        found = ctbnlab.learn(data, self.learner, nodes=names).graph.arcs
        seconds = time.process_time() - began
        return {arc for arc in found if arc[0] in names}, has_clock, seconds


def entry(periods: int | None = None) -> Method:
    """Return learning with a clock of time since entry."""
    name = "--clock entry" if periods is None else f"--clock entry --periods {periods}"
    return Method(name, {"clocks": ("entry",), "periods": periods})


def own(periods: int | None = None) -> Method:
    """Return learning with the own clock of each variable."""
    name = "--clock own" if periods is None else f"--clock own --periods {periods}"
    return Method(name, {"clocks": ("own",), "periods": periods})


NO_CLOCK = Method("no clock")
AUTO = Method("--clock auto", {"clocks": ("auto",)})
CANDIDATE = Method("clock as a candidate", {"clocks": ("entry",)}, as_candidates=True)


def in_order(data: Trajectories) -> Trajectories:
    """Return the data with changes at one instant after each other in the order of columns."""
    data = data.compact()
    trajectory = np.repeat(np.arange(len(data)), data.stop - data.begin)
    tied = np.zeros(data.n_events, bool)
    tied[1:] = (trajectory[1:] == trajectory[:-1]) & (data.time[1:] == data.time[:-1])
    place = np.arange(data.n_events)
    place -= np.maximum.accumulate(np.where(tied, 0, place))
    return Trajectories.from_arrays(
        data.variables, offsets=data.offsets, start=data.start, end=data.end + 1e-5, initial=data.initial,
        time=data.time + 1e-7 * place, variable=data.variable, new=data.new,
    )  # fmt: skip


def first_share(share: float) -> Method:
    """Return learning from the first trajectories of complete data."""
    name = f"complete, {share:.0%} of the data".replace("%", " %")
    return Method(name, change=lambda data: data.subset(slice(0, round(share * len(data)))))


# ---- Studies ----


def rows(study: str, case: str, cases: Iterable[Case], *methods: Method) -> Iterator[dict[str, object]]:
    """Learn from every data set of a case with each method, and count arcs."""
    false: list[list[float]] = [[] for _ in methods]
    counts = np.zeros((len(methods), 3), int)  # found, lost, with a clock
    seconds = np.zeros(len(methods))
    nodes = true = 0
    for data, arcs in cases:
        nodes += data.n_variables
        true += len(arcs)
        first: Arcs | None = None
        for k, method in enumerate(methods):
            graph, has_clock, spent = method.learn(data)
            first = graph & arcs if first is None else first
            false[k].append(len(graph - arcs) / data.n_variables)
            counts[k] += len(graph & arcs), len(first - graph), has_clock
            seconds[k] += spent
    for k, method in enumerate(methods):
        networks = len(false[k])
        error = np.std(false[k], ddof=1) / np.sqrt(networks)
        yield {
            "study": study, "case": case, "method": method.name, "networks": networks, "nodes": nodes,
            "false_per_node": round(float(np.mean(false[k])), 4), "standard_error": round(float(error), 4),
            "true": true, "found": int(counts[k, 0]), "lost": int(counts[k, 1]),
            "with_clock": int(counts[k, 2]), "seconds": round(float(seconds[k]) / networks, 4),
        }  # fmt: skip


def onset_rows(networks: int) -> Iterator[dict[str, object]]:
    for shape in (0.5, 0.7, 1.0, 1.5, 3.0):
        for ratio in (1.0, 1.5):
            cases = (onsets(shape, ratio, 2000, k) for k in range(networks))
            case = f"shape {shape}, hazard ratio {ratio}"
            yield from rows("onset", case, cases, NO_CLOCK, entry(), AUTO)


def period_rows(networks: int) -> Iterator[dict[str, object]]:
    numbers = (4, 8, 16, 32)
    for people, count in ((2000, networks // 2), (20_000, networks // 10)):
        for ratio in (1.0, 1.5):
            cases = (onsets(3.0, ratio, people, networks + k) for k in range(max(2, count)))
            case = f"shape 3.0, hazard ratio {ratio}, {people:,} people"
            yield from rows("periods", case, cases, entry(), *map(entry, numbers), CANDIDATE)
    for ratio in (1.0, 1.5):
        cases = (onsets(3.0, ratio, 2000, networks + k, "ABCDEFGHIJKL") for k in range(max(2, networks // 5)))
        others = {"ctss": ctbnlab.Ctss(), "pooled": ctbnlab.Ctpc(test="pooled", alpha=0.01)}
        methods = [
            replace(method, name=f"{method.name}, {name}", learner=learner)
            for name, learner in others.items()
            for method in (entry(), CANDIDATE)
        ]
        case = f"shape 3.0, hazard ratio {ratio}, 12 events"
        yield from rows("periods", case, cases, entry(), CANDIDATE, *methods)


def wait_rows(networks: int) -> Iterator[dict[str, object]]:
    for shape in (1, 2, 5):
        cases = (semi_markov(shape, k) for k in range(max(2, networks // 5)))
        yield from rows("wait", f"Gamma shape {shape}", cases, NO_CLOCK, own(), own(4), own(8))


def visit_rows(networks: int) -> Iterator[dict[str, object]]:
    strict = ctbnlab.EmpiricalBayes(max_fdr=0.05)
    together, order = Method("--ties together"), Method("order of columns", change=in_order)
    few_false = Method("--ties together --max-fdr 0.05", learner=strict)
    makers: dict[str, Callable[[int], Case]] = {
        "recurring, no arcs, visits every 5": lambda k: recurring(5.0, 0.0, k),
        "recurring, exact times": lambda k: recurring(0.0, 0.2, k),
        "recurring, days": lambda k: recurring(1.0, 0.2, k),
        "recurring, visits every 5": lambda k: recurring(5.0, 0.2, k),
        "onsets at visits, no arcs": lambda k: visited(k, False),
    }
    for case, make in makers.items():
        cases = (make(k) for k in range(max(2, networks // 2)))
        yield from rows("visits", case, cases, together, order, few_false)
    roles = {"terminal": ("death",)}
    cases = (visited(k, True) for k in range(max(2, networks // 2)))
    methods = replace(together, roles=roles), replace(order, roles=roles), replace(few_false, roles=roles)
    yield from rows("visits", "diagnoses at death, no arcs", cases, *methods)


def hidden_rows(networks: int) -> Iterator[dict[str, object]]:
    gaps = Method("30 % hidden", change=lambda data: hide(data, 0.3, 5.0, seed=data.n_events))
    # Two variables are observed at once for 0.7² of the time, a node and two parents for 0.7³.
    methods = first_share(0.34), first_share(0.49), gaps, first_share(1.0)
    for density in (0.0, 0.25):
        cases = (complete(density, k) for k in range(max(2, networks // 5)))
        case = "no arcs" if density == 0 else f"density {density}"
        yield from rows("hidden", case, cases, *methods)


STUDIES = {
    "onset": onset_rows, "periods": period_rows, "wait": wait_rows, "visits": visit_rows,
    "hidden": hidden_rows,
}  # fmt: skip


def main() -> None:
    global seed
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--networks", type=int, default=100, help="data sets per case, or a part (100)")
    parser.add_argument("--study", choices=STUDIES, help="run one study only")
    parser.add_argument("--seed", type=int, default=seed, help="another one for tuning")
    parser.add_argument("-o", "--output", type=Path, help="write the rows to this CSV file")
    args = parser.parse_args()
    seed = args.seed
    found = []
    for name in [args.study] if args.study else STUDIES:
        for each in STUDIES[name](args.networks):
            found.append(each)
            print(*each.values(), sep="\t", flush=True)
    write_rows(args.output, found)


if __name__ == "__main__":
    main()
