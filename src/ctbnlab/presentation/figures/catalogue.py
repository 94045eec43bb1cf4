"""The list of figures, and the function that writes them to files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from ctbnlab.errors import InputError
from ctbnlab.evaluation import summary
from ctbnlab.presentation import style
from ctbnlab.presentation.figures.against_nodes import areas, cpu_time, f1, precision_recall, shd
from ctbnlab.presentation.figures.big_networks import big_networks
from ctbnlab.presentation.figures.delta_bic import delta_bic, delta_bic_other
from ctbnlab.presentation.figures.f1_by_trajectories import f1_by_trajectories
from ctbnlab.presentation.figures.option_effects import sweep
from ctbnlab.presentation.figures.ranking_curves import precision_recall_curves, roc_curves
from ctbnlab.presentation.figures.single_networks import single_networks

# By the names that files, captions and `--only` use; drawn from cells, that is means over networks.
CELL_FIGURES: dict[str, Callable[[pd.DataFrame], Figure]] = {
    "f1": f1,
    "precision_recall": precision_recall,
    "areas": areas,
    "shd": shd,
    "delta_bic": delta_bic,
    "delta_bic_other": delta_bic_other,
    "time": cpu_time,
    "trajectories": f1_by_trajectories,
    "big_networks": big_networks,
    "sweep": sweep,
}
# Drawn from the rows of single networks.
NETWORK_FIGURES: dict[str, Callable[[pd.DataFrame], Figure]] = {
    "networks": single_networks,
    "curves_precision_recall": precision_recall_curves,
    "curves_roc": roc_curves,
}
NAMES = (*CELL_FIGURES, *NETWORK_FIGURES)


def write_figures(
    metrics: pd.DataFrame,
    reference: str | None,
    folder: Path,
    formats: Sequence[str] = style.FORMATS,
    only: Sequence[str] | None = None,
    *,
    placeholders: bool = False,
) -> tuple[list[Path], dict[str, str]]:
    """Write the figures that the metrics have data for; return the files, and why others are not made.

    With `placeholders` a figure without data becomes a picture with the reason, because a workflow expects
    every file.
    """
    for name in only or ():
        if name not in NAMES:
            raise InputError(f"unknown figure {name!r}; known: {', '.join(NAMES)}")
    for ending in formats:
        if ending not in style.FORMATS:
            raise InputError(f"unknown picture format {ending!r}; known: {', '.join(style.FORMATS)}")
    cells = summary.summarise(metrics, reference)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    absent: dict[str, str] = {}
    for name in only or NAMES:
        try:
            figure = CELL_FIGURES[name](cells) if name in CELL_FIGURES else NETWORK_FIGURES[name](metrics)
        except style.AbsentData as reason:
            absent[name] = str(reason)
            if not placeholders:
                continue
            figure = style.placeholder(f"{name}: {reason}")
        for ending in formats:
            path = folder / f"{name}.{ending}"
            style.save(figure, path)
            written.append(path)
    return written, absent
