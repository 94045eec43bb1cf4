"""Draw every figure of the pages again from the committed results:  python docs/redraw.py [NAME …]

Run it after an experiment's results under docs/results have changed, together with docs/refresh.py. A figure
whose data the results do not have, such as curves in older results, is reported and left as it is.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import query_figures
import screenshots
from blocks import DOCS
from experiments import cells, metrics
from matplotlib.figure import Figure

from ctbnlab.presentation import style
from ctbnlab.presentation.figures.catalogue import CELL_FIGURES, NETWORK_FIGURES

IMAGES = DOCS / "images"
# The learners in the README's figure: the paper's two, and ours.
FRONT_PAGE = ("ctss", "ctpc-chi2", "empirical-bayes")


def of_cells(experiment: str, name: str) -> Callable[[], Figure]:
    """Return a function that draws a figure from the cells of an experiment."""
    return lambda: CELL_FIGURES[name](cells(experiment))


def of_networks(experiment: str, name: str) -> Callable[[], Figure]:
    """Return a function that draws a figure from the single networks of an experiment."""
    return lambda: NETWORK_FIGURES[name](metrics(experiment))


def front_page() -> Figure:
    """Draw F1 of the main experiment with fewer learners."""
    found = cells("paper")
    return CELL_FIGURES["f1"](found[found["learner"].isin(FRONT_PAGE)])


FIGURES: dict[str, Callable[[], Figure]] = {
    "readme_f1": front_page,
    **{
        f"paper_{name}": of_cells("paper", name)
        for name in ("f1", "precision_recall", "areas", "delta_bic", "delta_bic_other", "time")
    },
    **{f"paper_{name}": of_networks("paper", name) for name in ("curves_precision_recall", "curves_roc")},
    "paper_tests_trajectories": of_cells("paper_tests", "trajectories"),
    "big_networks": of_cells("big_networks", "big_networks"),
    "significance": of_cells("significance", "sweep"),
    "queries_drug": query_figures.pain,
    "queries_cycle": query_figures.cycle,
}
# Drawn by the benchmark that made their results.
BENCHMARKS = ("arc_probabilities", "calibration", "robustness")
SCREENSHOTS: dict[str, Callable[[Path], None]] = {"readme_page": screenshots.readme_page}
ALL = (*FIGURES, *BENCHMARKS, *SCREENSHOTS)


def draw_benchmark(name: str) -> None:
    """Let a benchmark draw its committed results."""
    command = [sys.executable, f"benchmarks/{name}.py", "--figure", f"docs/images/{name}"]
    subprocess.run([*command, "-o", f"docs/results/{name}.csv"], cwd=DOCS.parent, check=True)


def main(names: list[str]) -> int:
    """Draw the named figures, or all."""
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"unknown figure {unknown[0]!r}; known: {', '.join(ALL)}", file=sys.stderr)
        return 2
    for name, draw in FIGURES.items():
        if not names or name in names:
            try:
                style.save(draw(), Path(IMAGES / f"{name}.png"))
            except style.AbsentData as reason:
                print(f"{name}: not drawn, {reason}")
    for name in BENCHMARKS:
        if not names or name in names:
            draw_benchmark(name)
    for name, take in SCREENSHOTS.items():
        if not names or name in names:
            take(IMAGES / f"{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
