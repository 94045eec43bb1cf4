"""Are the probabilities of arcs right, is the false discovery rate kept, and how good are graphs of few data?

    python benchmarks/arc_probabilities.py --study reliability -o docs/results/arc_probabilities.csv
    python benchmarks/arc_probabilities.py --study discoveries -o docs/results/false_discoveries.csv
    python benchmarks/arc_probabilities.py --study scarce -o docs/results/scarce_data.csv
    python docs/redraw.py arc_probabilities

Networks are those of the paper's design: rates uniform in [1, 5], densities 0.1 to 0.4. `--before PYTHON`
names the interpreter of an environment with an earlier revision, whose default learner gets the same data:
its `gain`, read as log odds, for the reliability, its graphs for few data. The last command draws what the
first one wrote. Seeds count from `--seed`; those of the committed results were used for nothing else.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from measuring import write_rows

import ctbnlab
from ctbnlab.presentation.style import BLUE, GREY, VERMILLION, new_figure, save, styled

DENSITIES = (0.1, 0.2, 0.3, 0.4)
EDGES = (0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1)
SEED = 20_261_500


@dataclass(frozen=True)
class Setting:
    """A kind of data: networks of `nodes` variables, and trajectories of a length."""

    states: int
    trajectories: int
    duration: float = 10.0
    nodes: int = 6
    null: bool = False

    @property
    def name(self) -> str:
        """What the results call it."""
        words = {2: "binary", 3: "ternary"}[self.states]
        data = f"{self.trajectories} × {self.duration:g}"
        return f"{words}, {self.nodes} nodes, {data}" + (", no arcs" if self.null else "")

    def cases(self, number: int, seed: int) -> Iterator[tuple[ctbnlab.Network, ctbnlab.Trajectories]]:
        """Yield networks and data."""
        for k in range(number):
            streams = np.random.SeedSequence([seed, self.states, self.trajectories, self.nodes, self.null, k])
            network_seed, data_seed = map(int, streams.generate_state(2))
            network = ctbnlab.generate(
                self.nodes,
                states=self.states,
                density=0.0 if self.null else DENSITIES[k % 4],
                count="probability",
                connectivity="none" if self.null else "no-isolated",
                seed=network_seed,
            )
            data = ctbnlab.simulate(
                network, trajectories=self.trajectories, duration=self.duration, seed=data_seed
            )
            yield network, data


LITTLE_AND_MUCH = tuple(Setting(states, trajectories) for states in (2, 3) for trajectories in (10, 60))
NULLS = tuple(Setting(states, trajectories, null=True) for states in (2, 3) for trajectories in (10, 60))
SCARCE = (
    *(Setting(states, trajectories) for states in (2, 3) for trajectories in (3, 10, 30)),
    Setting(2, 10, 20.0, nodes=20),
)


class Earlier:
    """An earlier revision's default learner, in a separate process: the evidence for every arc."""

    WORKER = """
import json, sys, ctbnlab
for line in sys.stdin:
    rows = ctbnlab.EmpiricalBayes().fit(line.strip()).log_
    print(json.dumps([[r["from"], r["to"], r["kept"], r.get("gain")] for r in rows]), flush=True)
"""

    def __init__(self, python: str):
        self._process = subprocess.Popen(
            [python, "-E", "-c", self.WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._folder = tempfile.TemporaryDirectory()

    def evidence(self, data: ctbnlab.Trajectories) -> list[tuple[str, str, bool, float | None]]:
        """Return (from, to, kept, gain) of each possible arc."""
        path = Path(self._folder.name) / "data.arrow"
        ctbnlab.write(data, path)
        assert self._process.stdin is not None and self._process.stdout is not None
        print(path, file=self._process.stdin, flush=True)
        return [tuple(row) for row in json.loads(self._process.stdout.readline())]


def reliability(number: int, seed: int, earlier: Earlier | None) -> Iterator[dict[str, object]]:
    """Yield for each setting and bin of probabilities how many arcs it has, and how many of them are true."""
    for setting in LITTLE_AND_MUCH:
        sources: dict[str, list[tuple[float, bool]]] = {"probability": [], "gain before, as odds": []}
        for network, data in setting.cases(number, seed):
            true = set(network.arcs)
            for row in ctbnlab.EmpiricalBayes().fit(data).log_:
                arc = (row["from"], row["to"])
                sources["probability"].append((row["probability"], arc in true))
            for a, b, _, gain in earlier.evidence(data) if earlier else ():
                odds = 0.0 if gain is None else 1 / (1 + np.exp(-np.clip(gain, -30, 30)))
                sources["gain before, as odds"].append((odds, (a, b) in true))
        for source, pairs in sources.items():
            if pairs:
                yield from _bins(setting, source, number, np.array(pairs, float))


def _bins(setting: Setting, source: str, number: int, pairs: np.ndarray) -> Iterator[dict[str, object]]:
    said, true = pairs.T
    clipped = np.clip(said, 1e-6, 1 - 1e-6)
    log_loss = -np.mean(true * np.log(clipped) + (1 - true) * np.log(1 - clipped))
    for low, high in pairwise(EDGES):
        inside = (said >= low) & ((said < high) | (high == 1))
        if inside.any():
            mean, share = said[inside].mean(), true[inside].mean()
            yield {
                "setting": setting.name,
                "networks": number,
                "source": source,
                "low": low,
                "high": high,
                "pairs": int(inside.sum()),
                "mean_probability": round(mean, 4),
                "share_true": round(share, 4),
                "standard_error": round(float(np.sqrt(mean * (1 - mean) / inside.sum())), 4),
                "log_loss_of_all": round(float(log_loss), 5),
            }


def discoveries(number: int, seed: int, _: Earlier | None) -> Iterator[dict[str, object]]:
    """Yield the false discovery rate and the share of true arcs found, for several bounds."""
    for setting in (*LITTLE_AND_MUCH, *NULLS):
        for max_fdr in (0.05, 0.1, 0.2, None):
            false, found = [], []
            for network, data in setting.cases(number, seed + 1):
                true = set(network.arcs)
                kept = set(ctbnlab.EmpiricalBayes(max_fdr=max_fdr).fit(data).graph_.arcs)
                false.append(len(kept - true) / max(len(kept), 1))
                found.append(len(kept & true) / len(true) if true else np.nan)
            error = np.std(false, ddof=1) / np.sqrt(number)
            yield {
                "setting": setting.name,
                "networks": number,
                "max_fdr": "more likely than not" if max_fdr is None else max_fdr,
                "false_discovery_rate": round(float(np.mean(false)), 4),
                "standard_error": round(float(error), 4),
                "upper_95": round(float(np.mean(false) + 1.645 * error), 4),
                "true_arcs_found": "" if setting.null else round(float(np.mean(found)), 4),
            }


def scarce(number: int, seed: int, earlier: Earlier | None) -> Iterator[dict[str, object]]:
    """Yield the mean F1 and false discovery rate of each learner on few data."""
    learners = {
        "default": lambda data: ctbnlab.EmpiricalBayes().fit(data).graph_.arcs,
        "ctss": lambda data: ctbnlab.Ctss().fit(data).graph_.arcs,
        "ctpc pooled": lambda data: ctbnlab.Ctpc(test="pooled").fit(data).graph_.arcs,
    }
    if earlier:
        learners["default before"] = lambda data: [(a, b) for a, b, kept, _ in earlier.evidence(data) if kept]
    for setting in SCARCE:
        networks = number if setting.nodes == 6 else max(number // 6, 2)
        scores: dict[str, list[tuple[float, float]]] = {name: [] for name in learners}
        for network, data in setting.cases(networks, seed + 2):
            true = set(network.arcs)
            for name, learned in learners.items():
                kept = set(learned(data))
                f1 = 2 * len(kept & true) / (len(kept) + len(true)) if kept or true else 1.0
                scores[name].append((f1, len(kept - true) / max(len(kept), 1)))
        for name, pairs in scores.items():
            f1, false = np.array(pairs).T
            yield {
                "setting": setting.name,
                "networks": networks,
                "learner": name,
                "f1": round(float(f1.mean()), 4),
                "standard_error": round(float(f1.std(ddof=1) / np.sqrt(networks)), 4),
                "false_discovery_rate": round(float(false.mean()), 4),
            }


@styled
def figure(rows: pd.DataFrame) -> Figure:
    """Return the shares of true arcs against the probabilities said, one panel per setting."""
    settings = list(dict.fromkeys(rows["setting"]))
    drawn = new_figure(2.4 * len(settings), 2.9)
    axes = drawn.subplots(1, len(settings), sharey=True)
    for axis, setting in zip(axes, settings, strict=True):
        axis.plot([0, 1], [0, 1], color=GREY, linewidth=1, zorder=1)
        for source, colour, marker in (("gain before, as odds", VERMILLION, "x"), ("probability", BLUE, "o")):
            some = rows[(rows["setting"] == setting) & (rows["source"] == source) & (rows["pairs"] >= 20)]
            axis.plot(some["mean_probability"], some["share_true"], marker, color=colour, label=source)
        axis.set(title=setting.replace(", 6 nodes", ""), xlabel="Probability said", xlim=(-0.02, 1.02))
    axes[0].set(ylabel="Share of true arcs", ylim=(-0.02, 1.02))
    axes[0].legend(loc="lower right", handletextpad=0.2)
    return drawn


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    studies = {"reliability": reliability, "discoveries": discoveries, "scarce": scarce}
    parser.add_argument("--study", choices=studies)
    parser.add_argument("--networks", type=int, default=500)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--before", metavar="PYTHON")
    parser.add_argument("--figure", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    if args.figure is not None:
        drawn = figure(pd.read_csv(args.output))
        for ending in (".png", ".svg"):
            save(drawn, args.figure.with_suffix(ending))
        return
    if args.study is None:
        parser.error("--study or --figure is needed")
    earlier = Earlier(args.before) if args.before else None
    rows = []
    for row in studies[args.study](args.networks, args.seed, earlier):
        rows.append(row)
        print(*row.values(), sep="  ", flush=True)
    write_rows(args.output, rows)


if __name__ == "__main__":
    sys.exit(main())
