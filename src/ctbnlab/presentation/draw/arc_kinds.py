"""Arcs of a learned graph by kind (true and found, missed, invented), and the look of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ctbnlab.presentation.style import BLUE, VERMILLION

Arc = tuple[str, str]  # parent, child
_PLAIN = "#3A3A3A"


@dataclass(frozen=True)
class Kind:
    """Arcs of one kind, told apart by colour and, for readers who do not see it, by dashes or hatching."""

    label: str
    arcs: tuple[Arc, ...]
    colour: str
    dashes: Any = "-"
    hatch: str | None = None
    filled: bool = True

    def line(self) -> Line2D:
        """Return the legend entry in a picture of arrows."""
        return Line2D([], [], color=self.colour, linestyle=self.dashes, linewidth=1.3, label=self.label)

    def square(self) -> dict[str, Any]:
        """Return the patch properties of a cell in a heat map."""
        return {
            "facecolor": self.colour if self.filled else "white",
            "edgecolor": "white" if self.filled else self.colour,
            "hatch": self.hatch,
            "linewidth": 0.0 if self.filled and not self.hatch else 0.8,
        }

    def patch(self) -> Patch:
        """Return the legend entry in a heat map."""
        return Patch(label=self.label, **self.square())


def kinds_of(arcs: Sequence[Arc], true: Sequence[Arc] | None) -> list[Kind]:
    """Return the arcs by kind; all are of one kind if the truth is not known."""
    if true is None:
        return [Kind(f"arcs ({len(arcs)})", tuple(arcs), _PLAIN)]
    learned, truth = set(arcs), set(true)
    found = tuple(arc for arc in arcs if arc in truth)
    missed = tuple(arc for arc in true if arc not in learned)
    invented = tuple(arc for arc in arcs if arc not in truth)
    return [
        Kind(f"true arcs found ({len(found)})", found, _PLAIN),
        Kind(f"true arcs missed ({len(missed)})", missed, BLUE, (0, (4, 2)), "////", filled=False),
        Kind(f"arcs invented ({len(invented)})", invented, VERMILLION, (0, (6, 1, 1, 1)), "xxxx"),
    ]
