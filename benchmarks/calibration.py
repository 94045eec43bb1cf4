"""Nominal and actual level of every test, on tables where the candidate has no effect.

    python benchmarks/calibration.py --tables 2000 -o docs/results/calibration.csv
    python benchmarks/calibration.py --figure docs/images/calibration -o docs/results/calibration.csv

The first command runs the study. It writes one row per test, number of states, size of the separating set,
kind of table and nominal level, with the share of independent candidates that the test calls dependent, and
the standard error of that share for a test of exactly the nominal level. For the test by Bayes factors, the
nominal level is the bound e^−threshold, which it must not exceed. The second command draws the study.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.io.files import replacing
from ctbnlab.learning.independence.base import IndependenceTest
from ctbnlab.learning.independence.conventions import NAMED
from ctbnlab.learning.independence.dirichlet_multinomial import DirichletMultinomial
from ctbnlab.learning.independence.paper_tests import ChiSquare, Combined, KolmogorovSmirnov, WaitingTimes
from ctbnlab.learning.independence.pooled import Pooled
from ctbnlab.presentation.style import BLUE, ORANGE, VERMILLION, legend, new_figure, save, styled

LEVELS = (0.01, 0.05, 0.1)
# Mean time in a cell (s, y, x): with rates from 1 to 5, about 90, six or one transitions of each kind.
TIMES = {"dense": 30.0, "middling": 2.0, "sparse": 0.4}
TITLES = {
    "ctpc-chi2": "CTPC χ², as published",
    "ctpc-ks": "CTPC KS, as published",
    "corrected": "CTPC χ², corrected",
    "pooled": "pooled",
    "dm": "Bayes factor (a bound)",
}
FLOOR = 3e-4  # where a level of 0 is drawn on a logarithmic axis


def tests(alpha: float) -> dict[str, IndependenceTest]:
    paper, corrected = NAMED["paper-2020"], NAMED["corrected"]
    return {
        "ctpc-chi2": Combined(WaitingTimes(paper, alpha), ChiSquare(paper, alpha)),
        "ctpc-ks": Combined(WaitingTimes(paper, alpha), KolmogorovSmirnov(paper, alpha)),
        "corrected": Combined(WaitingTimes(corrected, alpha), ChiSquare(corrected, alpha)),
        "pooled": Pooled(alpha),
        "dm": DirichletMultinomial(-math.log(alpha)),
    }


def tables(states: int, given: int, time: float, number: int, seed: int) -> Iterator[SufficientStatistics]:
    """Yield tables whose rates depend on the separating set but not on the candidate (the last parent)."""
    rng = np.random.default_rng([seed, states, given, int(10 * time)])
    for _ in range(number):
        rates = rng.uniform(1, 5, (states**given, 1, states, states))
        times = rng.gamma(2.0, time / 2, (states**given, states, states, 1))
        moves = rng.poisson(rates * times) * (1 - np.eye(states))
        values = np.concatenate([times, moves], -1).reshape(-1, states, states + 1)
        yield SufficientStatistics(0, tuple(range(1, given + 2)), (states,) * (given + 1), values)


def study(number: int, seed: int) -> Iterator[dict[str, Any]]:
    for states in (2, 3, 4):
        for given in (0, 1, 2):
            for kind, time in TIMES.items():
                drawn = list(tables(states, given, time, number, seed))
                transitions = np.mean([table.transitions.sum() for table in drawn])
                for alpha in LEVELS:
                    for name, test in tests(alpha).items():
                        rejected = sum(not test.test(table, given + 1).independent for table in drawn)
                        yield {
                            "test": name,
                            "states": states,
                            "separating_set": given,
                            "tables": kind,
                            "transitions": round(float(transitions), 1),
                            "nominal": alpha,
                            "actual": round(rejected / number, 5),
                            "standard_error": round(math.sqrt(alpha * (1 - alpha) / number), 5),
                            "number": number,
                        }


@styled
def draw(rows: pd.DataFrame, path: Path) -> None:
    """Draw actual against nominal levels: one column per test, one row per kind of table."""
    figure = new_figure(8.7, 6.6)
    axes = figure.subplots(len(TIMES), len(TITLES), sharex=True, sharey=True)
    colours = {2: BLUE, 3: ORANGE, 4: VERMILLION}
    markers = {0: "o", 1: "s", 2: "^"}
    nominal = np.geomspace(0.008, 0.125, 50)
    error = np.sqrt(nominal * (1 - nominal) / rows["number"].iloc[0])
    handles: dict[str, Any] = {}
    for row, kind in zip(axes, TIMES, strict=True):
        for panel, (test, title) in zip(row, TITLES.items(), strict=True):
            panel.fill_between(nominal, nominal - 3 * error, nominal + 3 * error, color="#D8D8D8", lw=0)
            panel.plot(nominal, nominal, color="#777777", lw=0.8)
            chosen = rows[(rows["test"] == test) & (rows["tables"] == kind)]
            for (states, given), line in chosen.groupby(["states", "separating_set"]):
                label = f"{states} states, {given} given"
                handles[label] = panel.plot(
                    # Slightly apart, so that coinciding points are visible.
                    line["nominal"] * (1 + 0.05 * (3 * (states - 3) + given - 1) / 4),
                    np.maximum(line["actual"], FLOOR),
                    color=colours[states],
                    marker=markers[given],
                    label=label,
                    lw=0.8,
                )[0]
            panel.set(xscale="log", yscale="log", xlim=(0.0075, 0.14), ylim=(FLOOR / 1.4, 1.4))
            panel.set_xticks(LEVELS, labels=["0.01", "0.05", "0.1"])
            panel.set_yticks([FLOOR, 0.001, 0.01, 0.1, 1.0], labels=["0", "0.001", "0.01", "0.1", "1"])
            panel.minorticks_off()
            if kind == "dense":
                panel.set_title(title, fontsize=9)
        row[0].set_ylabel(f"{kind} tables\nactual level")
    for panel in axes[-1]:
        panel.set_xlabel("nominal level")
    legend(
        figure,
        list(handles.values()),
        [
            "How often a candidate without effect is called dependent. The line is a test of exactly the "
            "nominal level, the band is three standard errors around it. Dense, middling and sparse tables "
            "have about 90, 6 and 1 transitions per cell; “given” is the size of the separating set."
        ],
    )
    for ending in (".png", ".svg"):
        save(figure, path.with_suffix(ending))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--figure", type=Path, help="draw the study of -o into these .png and .svg files")
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/results/calibration.csv"))
    arguments = parser.parse_args()
    if arguments.figure:
        draw(pd.read_csv(arguments.output), arguments.figure)
        return 0
    text = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for row in study(arguments.tables, arguments.seed):
        if writer is None:
            writer = csv.DictWriter(text, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)
        print(*row.values(), flush=True)
    with replacing(arguments.output) as temporary:
        temporary.write_text(text.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main())
