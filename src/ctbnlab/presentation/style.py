"""The common style of figures: a colour-blind-safe palette, fixed font sizes, reproducible bytes."""

from __future__ import annotations

import functools
import math
import os
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ctbnlab.errors import InputError
from ctbnlab.io.files import replacing

P = ParamSpec("P")
T = TypeVar("T")

FORMATS = ("png", "pdf", "svg")
# Okabe and Ito's palette, under their names.
BLACK, ORANGE, SKY_BLUE, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#8C8C8C"
_LOOKS = {
    "ctss": (BLUE, "o"),
    "ctpc-chi2": (VERMILLION, "s"),
    "ctpc-ks": (GREEN, "^"),
    "empirical-bayes": (PURPLE, "D"),
}
_OTHER_LOOKS = (
    (ORANGE, "v"), (SKY_BLUE, "P"), (BLACK, "X"),
    (BLUE, "<"), (VERMILLION, ">"), (GREEN, "h"), (GREY, "p"), (PURPLE, "d"),
)  # fmt: skip
ABBREVIATIONS = {
    "ctss": "CTSS: continuous-time search and score (score-based)",
    "ctpc-chi2": "CTPC χ²: continuous-time PC, χ² test of transitions (constraint-based)",
    "ctpc-ks": "CTPC KS: continuous-time PC, Kolmogorov–Smirnov test of transitions (constraint-based)",
    "empirical-bayes": "Empirical Bayes: coincidences of events, then probabilities of arcs (ours)",
}
_SETTINGS: dict[str, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 9.5,
    "legend.fontsize": 9.0,
    "legend.title_fontsize": 8.5,
    "figure.titlesize": 12.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "savefig.dpi": 150.0,
    # A fixed salt instead of a random one makes the ids in an SVG reproducible.
    "svg.hashsalt": "ctbnlab",
    "pdf.fonttype": 42,
}
_METADATA: dict[str, dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}


class AbsentData(Exception):
    """The metrics lack a figure's data; the message is the reason to report."""


def styled(function: Callable[P, T]) -> Callable[P, T]:
    """Run a function under this style alone, whatever the user's matplotlibrc."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        with mpl.rc_context():
            mpl.rcdefaults()
            settings: Any = mpl.rcParams
            settings.update(_SETTINGS)
            return function(*args, **kwargs)

    return wrapper


def new_figure(width: float, height: float, layout: Literal["constrained"] | None = "constrained") -> Figure:
    """Return an empty figure, its size in inches, drawn by Agg, so that no display is needed."""
    figure = Figure(figsize=(width, height), layout=layout)
    FigureCanvasAgg(figure)
    return figure


@styled
def placeholder(text: str) -> Figure:
    """Return a figure that only shows a text: why there is nothing to draw."""
    figure = new_figure(6, 1.5)
    figure.text(0.5, 0.5, textwrap.fill(text, 70), ha="center", va="center")
    return figure


def picture_format(path: str | os.PathLike[str], format: str | None = None) -> str:
    """Return the format of a picture: the given one, else the file name's suffix; refuse unknown ones."""
    suffix = Path(path).suffix[1:].lower()
    if format is None and suffix not in FORMATS:
        if not suffix:
            raise InputError(f"no file extension; use --to or one of .{', .'.join(FORMATS)}", path=path)
        raise InputError(f"unknown picture format {suffix!r}; known: {', '.join(FORMATS)}", path=path)
    if format is not None and suffix in FORMATS and suffix != format:
        raise InputError(f"a .{suffix} file cannot have the format {format}", path=path)
    return format or suffix


@styled
def save(figure: Figure, path: Path, format: str | None = None) -> None:
    """Write a figure without dates, in the given format or that of the file name's suffix."""
    ending = picture_format(path, format)
    if figure.get_layout_engine() is not None:
        # Lay out once, not per format, so that all formats look the same. The second pass settles what the
        # first moved, so that a figure looks the same whether or not it was drawn before.
        figure.draw_without_rendering()
        figure.draw_without_rendering()
        figure.set_layout_engine(None)
    with replacing(path) as temporary:
        figure.savefig(temporary, format=ending, metadata=_METADATA[ending])


@dataclass(frozen=True)
class Look:
    """The colour and marker of a learner in all figures."""

    colour: str
    marker: str


def looks(learners: Sequence[tuple[str, str]]) -> dict[str, Look]:
    """Return a look for each (label, algorithm); the first of a known algorithm always has the same."""
    result: dict[str, Look] = {}
    taken: set[str] = set()
    others = 0
    for label, algorithm in learners:
        if algorithm in _LOOKS and algorithm not in taken:
            taken.add(algorithm)
            result[label] = Look(*_LOOKS[algorithm])
        else:
            result[label] = Look(*_OTHER_LOOKS[others % len(_OTHER_LOOKS)])
            others += 1
    return result


def legend(figure: Figure, handles: Sequence[Any], notes: Sequence[str]) -> None:
    """Put one legend below all facets, with notes on conventions and abbreviations above it."""
    labels = [str(handle.get_label()) for handle in handles]
    width = figure.get_figwidth()
    columns = max(1, min(len(labels), math.floor(width / (0.45 + 0.075 * max(map(len, labels))))))
    lines = textwrap.wrap(" ".join(notes), int(width / 0.066), break_on_hyphens=False)
    placed = figure.legend(
        handles=list(handles),
        loc="outside lower center",
        ncols=columns,
        title="\n".join(lines),
        alignment="center",
        handlelength=2.6,
        borderpad=0.2,
    )
    placed.get_title().set_multialignment("center")
