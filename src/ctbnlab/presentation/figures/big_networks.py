"""Time and memory against the number of nodes of big networks, with power laws and the paper's times."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from ctbnlab.evaluation import summary
from ctbnlab.evaluation.published import paper_values
from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets

PAPER_MEMORY_MB = 256 * 1024
_DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))


@dataclass(frozen=True)
class _Curve:
    label: str
    colour: str
    marker: str
    dashes: object
    hollow: bool
    nodes: list[float]
    mean: list[float]
    sd: list[float]


def exponent(nodes: list[float], values: list[float]) -> float:
    """Return the exponent p of the power law value ∝ nodes^p, by least squares on logarithms."""
    slope: float = np.polyfit(np.log(nodes), np.log(values), 1)[0]
    return slope


@style.styled
def big_networks(cells: pd.DataFrame) -> Figure:
    """Return the figure: wall-clock time and peak memory, on logarithmic axes."""
    if not (cells["scattered"] > 1).any():
        raise style.AbsentData("no network is a disjoint union of others")
    time = _curves(cells, "wall_seconds")
    if not time:
        raise style.AbsentData("no learner has a time")
    time += _published_curves(cells)
    memory = _curves(cells, "peak_memory_mb")
    figure = style.new_figure(5.8 if not memory else 8.5, 4.9)
    panels = figure.subplots(1, 2 if memory else 1, squeeze=False)[0]
    _draw(panels[0], time, "Wall-clock time (s)", "Learning time")
    if memory:
        _draw(panels[1], memory, "Peak memory (MB)", "Peak memory")
        label = "the paper's machine (256 GB)"
        panels[1].axhline(PAPER_MEMORY_MB, color=style.GREY, linestyle="--", label=label)
    for axes in panels:
        # The panels show different curves, so each has its legend below it.
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), handlelength=2.6, fontsize=8.5)
    figure.suptitle("Big networks: disjoint unions of binary networks")
    note = "Mean ± standard deviation over networks; p: exponent of the fitted power law nᵖ."
    notes = [note, *facets.abbreviations(cells["algorithm"]), *_remarks(time)]
    figure.supxlabel(textwrap.fill(" ".join(notes), int(figure.get_figwidth() / 0.066)), fontsize=8.5)
    return figure


def _remarks(curves: list[_Curve]) -> list[str]:
    if not any(curve.hollow for curve in curves):
        return []
    remarks = "; ".join(paper_values.notes_on_big_networks())
    return [f"Hollow markers: the paper's published times ({remarks})."]


def _curves(cells: pd.DataFrame, metric: str) -> list[_Curve]:
    known = cells[(cells["metric"] == metric) & (cells["value"] > 0)]
    looks = style.looks(facets.labels_of(cells))
    cores = sorted(set(known["threads"]))
    curves = []
    for learner, look in looks.items():
        for number, threads in enumerate(cores):
            here = known[known["threads"] == threads]
            points = here[here["learner"] == learner].sort_values("nodes")
            if points.empty:
                continue
            nodes, mean = points["nodes"].astype(float).tolist(), points["value"].tolist()
            label = f"{_name(here, learner)}, {_cores(threads)}{_law(nodes, mean)}"
            sd = points["sd"].fillna(0.0).tolist()
            dashes = _DASHES[number % len(_DASHES)]
            curves.append(_Curve(label, look.colour, look.marker, dashes, False, nodes, mean, sd))
    return curves


def _name(cells: pd.DataFrame, learner: str) -> str:
    """Return the name of the learner's algorithm, or the learner's label if others run the same algorithm."""
    algorithm = cells.loc[cells["learner"] == learner, "algorithm"].iloc[0]
    same = cells.loc[cells["algorithm"] == algorithm, "learner"].nunique()
    return summary.display_name(algorithm if same == 1 else learner)


def _published_curves(cells: pd.DataFrame) -> list[_Curve]:
    known = cells[cells["published"].notna() & (cells["metric"] == "wall_seconds")]
    curves = []
    for number, threads in enumerate(sorted(set(known["threads"]))):
        points = known[known["threads"] == threads].drop_duplicates("nodes").sort_values("nodes")
        nodes, seconds = points["nodes"].astype(float).tolist(), points["published"].tolist()
        label = f"the paper's CTPC, {_cores(threads)}{_law(nodes, seconds)}"
        dashes, zeros = _DASHES[number % len(_DASHES)], [0.0] * len(nodes)
        curves.append(_Curve(label, style.BLACK, "o", dashes, True, nodes, seconds, zeros))
    return curves


def _cores(threads: int) -> str:
    return {1: "one core", 2: "two cores"}.get(threads, f"{threads} cores")


def _law(nodes: list[float], values: list[float]) -> str:
    return f" (p = {exponent(nodes, values):.2f})" if len(set(nodes)) > 1 else ""


def _draw(axes: Axes, curves: list[_Curve], y_label: str, title: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log", nonpositive="clip")
    for curve in curves:
        axes.errorbar(
            curve.nodes, curve.mean, yerr=curve.sd, label=curve.label, color=curve.colour,
            marker=curve.marker, linestyle=curve.dashes, elinewidth=0.8, capsize=2,
            markerfacecolor="white" if curve.hollow else curve.colour,
        )  # fmt: skip
    nodes = sorted({n for curve in curves for n in curve.nodes})
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(nodes)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set(xlabel="Number of nodes", ylabel=y_label, title=title)
