"""Figures, one kind a file: each a function from a table to a matplotlib Figure.

Most draw cells, the means over networks (`FIGURES`); some the single networks (`FIGURES_OF_NETWORKS`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from ctbnlab.errors import InputError
from ctbnlab.evaluation import summary
from ctbnlab.presentation import style
from ctbnlab.presentation.figures.big_networks import big_networks
from ctbnlab.presentation.figures.delta_bic import delta_bic
from ctbnlab.presentation.figures.f1 import f1
from ctbnlab.presentation.figures.networks import networks
from ctbnlab.presentation.figures.precision_recall import precision_recall
from ctbnlab.presentation.figures.shd import shd
from ctbnlab.presentation.figures.significance import significance
from ctbnlab.presentation.figures.time import time
from ctbnlab.presentation.figures.trajectories import trajectories

FIGURES: dict[str, Callable[[pd.DataFrame], Figure]] = {
    "f1": f1,
    "delta_bic": delta_bic,
    "time": time,
    "precision_recall": precision_recall,
    "shd": shd,
    "trajectories": trajectories,
    "big_networks": big_networks,
    "significance": significance,
}
FIGURES_OF_NETWORKS: dict[str, Callable[[pd.DataFrame], Figure]] = {"networks": networks}


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

    With `placeholders` a figure without data is a picture that says so: a workflow counts on its files.
    """
    known = (*FIGURES, *FIGURES_OF_NETWORKS)
    for name in only or ():
        if name not in known:
            raise InputError(f"there is no figure {name!r}; there are {', '.join(known)}")
    for ending in formats:
        if ending not in style.FORMATS:
            raise InputError(f"there is no picture format {ending!r}; there are {', '.join(style.FORMATS)}")
    cells = summary.summarise(metrics, reference)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    absent: dict[str, str] = {}
    for name in only or known:
        try:
            figure = FIGURES[name](cells) if name in FIGURES else FIGURES_OF_NETWORKS[name](metrics)
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
