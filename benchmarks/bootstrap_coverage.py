"""What a bootstrap's numbers mean: coverage of its intervals, and frequencies of arcs that do not exist.

    python benchmarks/bootstrap_coverage.py -o docs/results/bootstrap.csv

Binary networks of 4 nodes, default learner, 200 replicates. “effects”: random arcs, log-linear rates, so that
the rate ratio of a contrast is the same for all states of the other parents and known; counted are the
intervals of arcs into nodes whose parents were all found, and no others. “none”: no arcs at all; “people”:
the same, but each trajectory has its own rate factor, so that the model does not hold.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from measuring import write_rows

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.learning.bootstrap import bootstrap
from ctbnlab.learning.bootstrap_result import ArcRow, Bootstrap
from ctbnlab.model.cims import Law
from ctbnlab.model.generate import generate
from ctbnlab.model.network import Network
from ctbnlab.simulation.simulate import simulate

NODES, REPLICATES, DURATION = 4, 200, 10.0
COLUMNS = (
    *("setting", "draw", "trajectories", "data_sets", "intervals", "coverage", "standard_error"),
    *("absent_pairs", "kept", "mean_frequency", "above_half"),
    *("present_pairs", "present_kept", "present_frequency"),
)


def effects(seed: int) -> Network:
    """Draw a network with log-linear rates."""
    return generate(NODES, 2, 0.35, law=Law("additive", 1.0, 1.0, 0.8), seed=seed)


def data_of(setting: str, trajectories: int, seed: int) -> tuple[Network, Trajectories]:
    """Simulate a data set, and return its network, too."""
    if setting == "effects":
        network = effects(seed)
        return network, simulate(network, trajectories=trajectories, duration=DURATION, seed=seed)
    matrix = np.array([[-1.0, 1.0], [1.0, -1.0]])
    names = [f"X{i + 1}" for i in range(NODES)]
    network = Network.build([(name, "ab") for name in names], {}, dict.fromkeys(names, matrix))
    data = simulate(network, trajectories=trajectories, duration=DURATION, seed=seed)
    if setting == "none":
        return network, data
    # Faster trajectories: the same events in less time, then cut at the common end.
    factors = np.random.default_rng(seed).gamma(1.0, 1.0, trajectories) + 0.1
    long = simulate(network, trajectories=trajectories, duration=DURATION * 12, seed=seed)
    parts = []
    for i, factor in enumerate(factors):
        begin, stop = int(long.begin[i]), int(long.stop[i])
        time = long.time[begin:stop] / factor
        stop = begin + int(np.searchsorted(time, DURATION))
        parts.append((begin, stop, time[: stop - begin]))
    rows = np.concatenate([np.arange(begin, stop) for begin, stop, _ in parts])
    return network, Trajectories.from_arrays(
        long.variables,
        offsets=np.cumsum([0, *(stop - begin for begin, stop, _ in parts)]),
        start=np.zeros(trajectories),
        end=np.full(trajectories, DURATION),
        initial=long.initial,
        time=np.concatenate([time for _, _, time in parts]),
        variable=long.variable[rows],
        new=long.new[rows],
    )


def covered(network: Network, found: Bootstrap) -> list[bool]:
    """Return for each arc whose true ratio is known whether its interval has it."""
    result = []
    rows = {(row.source, row.target): row for row in found.rows}
    for ratio in found.ratios:
        target = network.names[ratio.target]
        parents = set(found.graph.parents[target])
        if ratio.contrast is None or parents != set(network.parents_of(target)):
            continue
        y, z, old, new = ratio.contrast
        row = rows[network.names[ratio.parent], target]
        states = {parent: network.variables[network.index(parent)].states[0] for parent in parents}
        of_parent = network.variables[ratio.parent].states
        rates = [network.cim(target, {**states, row.source: of_parent[state]})[old, new] for state in (y, z)]
        assert row.low is not None and row.high is not None
        result.append(row.low <= rates[0] / rates[1] <= row.high)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=40)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    made: list[dict[str, object]] = []
    for setting, trajectories in (("effects", 20), ("effects", 100), ("none", 100), ("people", 100)):
        for replacement in (True, False):
            made.append(measured(setting, trajectories, replacement, arguments.data_sets))
            print(*made[-1].values(), sep="\t", flush=True)
    write_rows(arguments.output, made)
    return 0


def measured(setting: str, trajectories: int, replacement: bool, data_sets: int) -> dict[str, object]:
    """Return the row of one setting."""
    inside: list[bool] = []
    absent: list[ArcRow] = []
    present: list[ArcRow] = []
    for seed in range(91_001, 91_001 + data_sets):
        network, data = data_of(setting, trajectories, seed)
        found = bootstrap(data, n=REPLICATES, replacement=replacement)
        inside += covered(network, found)
        for row in found.rows:
            (present if (row.source, row.target) in network.arcs else absent).append(row)
    coverage = mean(inside)
    row = [
        *(setting, "replacement" if replacement else "half", trajectories, data_sets, len(inside)),
        *(f"{coverage:.3f}", f"{(coverage * (1 - coverage) / max(len(inside), 1)) ** 0.5:.3f}"),
        *(len(absent), f"{mean([row.kept for row in absent]):.4f}"),
        f"{mean([row.frequency for row in absent]):.4f}",
        f"{mean([row.frequency > 0.5 for row in absent]):.4f}",
        *(len(present), f"{mean([row.kept for row in present]):.4f}"),
        f"{mean([row.frequency for row in present]):.4f}",
    ]
    return dict(zip(COLUMNS, row, strict=True))


def mean(values: Sequence[float]) -> float:
    """Return the mean; NaN of nothing."""
    return float(np.mean(values)) if values else float("nan")


if __name__ == "__main__":
    sys.exit(main())
