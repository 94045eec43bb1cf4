"""What an arc of a learned graph is beside the truth: found, missed or invented; and how that looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ctbnlab.presentation.style import BLUE, VERMILLION

Arc = tuple[str, str]
_PLAIN = "#3A3A3A"


@dataclass(frozen=True)
class Kind:
    """Arcs of one kind, with a colour and a second sign for those who see no colours."""

    label: str
    arcs: tuple[Arc, ...]
    colour: str
    dashes: Any = "-"
    hatch: str | None = None
    filled: bool = True

    def line(self, width: float = 1.3) -> Line2D:
        """Return the legend's entry in a picture of arrows."""
        return Line2D([], [], color=self.colour, linestyle=self.dashes, linewidth=width, label=self.label)

    def square(self) -> dict[str, Any]:
        """Return how a cell of a heat-map looks."""
        return {
            "facecolor": self.colour if self.filled else "white",
            "edgecolor": "white" if self.filled else self.colour,
            "hatch": self.hatch,
            "linewidth": 0.0 if self.filled and not self.hatch else 0.8,
        }

    def patch(self) -> Patch:
        """Return the legend's entry in a heat-map."""
        return Patch(label=self.label, **self.square())


def kinds_of(arcs: Sequence[Arc], true: Sequence[Arc] | None) -> list[Kind]:
    """Return the arcs by kind, all of one kind where the truth is not known."""
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
