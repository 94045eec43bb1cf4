"""Accuracy of the learners on families of networks other than the paper's: mean F1 per family.

    python benchmarks/robustness.py -o docs/results/robustness.csv
    python benchmarks/robustness.py --family mixed --first-seed 50 --networks 3
    python benchmarks/robustness.py --figure docs/images/robustness -o docs/results/robustness.csv

Families: rates that are products of one factor per parent (log-linear main effects, uniform in [−e, e]),
rates log-uniform in [0.01, 100], variables with two, three and four states in one network, a third of the
data, and the named networks of the gallery, for which only the data are drawn anew. There is one row per
network, learner and family; the means are printed, with a mark if the empirical-Bayes learner is more than
0.005 below the better of the other two. `--figure` draws the rows of -o.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from measuring import write_rows

from ctbnlab.evaluation.metrics import compare
from ctbnlab.learning.nodes import learn
from ctbnlab.learning.registry import make
from ctbnlab.model import gallery
from ctbnlab.model.cims import Law
from ctbnlab.model.generate import generate
from ctbnlab.model.network import Network
from ctbnlab.presentation.style import legend, looks, new_figure, save, styled
from ctbnlab.simulation.simulate import simulate

LEARNERS = ("empirical-bayes", "ctpc-chi2", "ctss")
TOLERANCE = 0.005


def random_network(n: int, states: int | list[int], law: Law | None, seed: int) -> Network:
    return generate(n, states, 0.3, count="probability", connectivity="no-isolated", law=law, seed=seed)


def named_network(name: str, seed: int) -> Network:  # noqa: ARG001
    return gallery.get(name)


def families() -> dict[str, tuple[Callable[[int], Network], int]]:
    """Return, by family, the function that makes a network from a seed and the number of trajectories."""
    found: dict[str, tuple[Callable[[int], Network], int]] = {}
    for effect in (0.15, 0.5):
        for n in (10, 15):
            law = Law("additive", effect=effect)
            found[f"additive {effect:g}, {n} nodes"] = (partial(random_network, n, 3, law), 300)
    found["log-uniform, 10 nodes"] = (partial(random_network, 10, 3, Law("log-uniform", 0.01, 100.0)), 300)
    for n in (10, 15):
        found[f"mixed states, {n} nodes"] = (partial(random_network, n, [2, 3, 4], None), 300)
        found[f"100 trajectories, {n} nodes"] = (partial(random_network, n, 3, None), 100)
    for name in gallery.names():
        found[f"gallery: {name}"] = (partial(named_network, name), 300)
    return found


def rows(family: str, seeds: range) -> Iterator[dict[str, Any]]:
    network_of, trajectories = families()[family]
    for seed in seeds:
        network = network_of(seed)
        data = simulate(network, trajectories=trajectories, duration=100.0, seed=seed)
        for name in LEARNERS:
            learned = learn(data, make(name))
            against = compare(network.arcs, learned.graph.arcs, network.names)
            yield {
                "family": family,
                "seed": seed,
                "learner": name,
                "arcs": len(network.arcs),
                "missed": len(against.missed),
                "invented": len(against.invented),
                "f1": round(against.whole.f1, 5),
                "seconds": round(sum(learned.seconds.values()), 3),
            }


@styled
def draw(made: pd.DataFrame, path: Path) -> None:
    """Draw the F1 of each network as a small marker and the mean of each family as a large one."""
    names = list(made["family"].unique())
    figure = new_figure(8.0, 0.9 + 0.36 * len(names))
    axes = figure.subplots()
    handles = []
    for k, (label, look) in enumerate(looks([(name, name) for name in LEARNERS]).items()):
        chosen = made[made["learner"] == label]
        rows = np.array([names.index(family) for family in chosen["family"]]) + 0.22 * (k - 1)
        axes.scatter(chosen["f1"], rows, s=5, color=look.colour, alpha=0.35, lw=0)
        means = chosen.groupby("family", sort=False)["f1"].mean()
        handles += axes.plot(
            means,
            np.arange(len(names)) + 0.22 * (k - 1),
            color=look.colour,
            marker=look.marker,
            ls="none",
            markersize=6,
            label={"empirical-bayes": "empirical Bayes", "ctpc-chi2": "CTPC χ²", "ctss": "CTSS"}[label],
        )
    axes.set_yticks(range(len(names)), labels=names)
    axes.invert_yaxis()
    axes.set_xlabel("F1")
    count = made.groupby(["family", "learner"]).size().max()
    legend(
        figure,
        handles,
        [f"Large markers: means over {count} networks or data sets; small markers: each of them."],
    )
    for ending in (".png", ".svg"):
        save(figure, path.with_suffix(ending))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--family", default="", help="run only families whose name contains this")
    parser.add_argument("--networks", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=3001)
    parser.add_argument("--figure", type=Path, help="draw the rows of -o into these .png and .svg files")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    if arguments.figure:
        draw(pd.read_csv(arguments.output), arguments.figure)
        return 0
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.networks)
    everything: list[dict[str, Any]] = []
    print(f"{'':<28}" + "".join(f"{name:>17}" for name in LEARNERS))
    for family in families():
        if arguments.family not in family:
            continue
        made = list(rows(family, seeds))
        everything += made
        means = [float(np.mean([row["f1"] for row in made if row["learner"] == name])) for name in LEARNERS]
        mark = "  <" if means[0] < max(means[1:]) - TOLERANCE else ""
        print(f"{family:<28}" + "".join(f"{mean:>17.4f}" for mean in means) + mark, flush=True)
    write_rows(arguments.output, everything)
    return 0


if __name__ == "__main__":
    sys.exit(main())
