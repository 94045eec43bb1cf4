"""How nodes with a role look: static and terminal variables, clocks, variables with their own clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.lines import Line2D

from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.model.network import Network

OWN_CLOCK = "\N{CLOCKWISE OPEN CIRCLE ARROW}"
_PLAIN = {"facecolor": "#F6F3EA", "edgecolor": "#333333", "linestyle": "-"}
_LOOKS = {
    "static": {**_PLAIN, "facecolor": "#FFFFFF", "linestyle": ":"},
    "terminal": {**_PLAIN, "facecolor": "#D9D9D9"},
    "clock": {**_PLAIN, "facecolor": "#E3EEF6", "linestyle": "--"},
}
_WORDS = {
    "static": "dotted: static, never changes",
    "terminal": "terminal: its change ends the trajectory",
    "clock": "dashed: clock, changes by itself",
}


@dataclass(frozen=True)
class NodeMarks:
    """The role of each node that has one, and the nodes that have a clock of their own."""

    roles: Mapping[str, str] = field(default_factory=dict)
    own_clocks: frozenset[str] = frozenset()

    @classmethod
    def of(cls, graph: Network | LearnedGraph) -> NodeMarks:
        """Return the marks of a network or learned graph."""
        found = {name: graph.roles.role_of(name) for name in graph.names} if graph.roles else {}
        own = frozenset(graph.own_clocks) if isinstance(graph, LearnedGraph) else frozenset()
        return cls({name: role for name, role in found.items() if role is not None}, own)

    def look(self, name: str) -> dict[str, str]:
        """Return the colours and the line style of a node."""
        return _LOOKS.get(self.roles.get(name, ""), _PLAIN)

    def legend(self, names: Sequence[str]) -> list[Line2D]:
        """Return one entry per kind of mark that occurs."""
        entries = []
        for role, words in _WORDS.items():
            if role in {self.roles.get(name) for name in names}:
                look = {f"marker{key}": _LOOKS[role][key] for key in ("facecolor", "edgecolor")}
                entries.append(_entry("o", words, **look))
        if self.own_clocks:
            label = "rates change with the time since its own last change"
            entries.append(_entry(f"${OWN_CLOCK}$", label, color="#333333"))
        return entries


def _entry(marker: str, label: str, **look: Any) -> Line2D:
    return Line2D([], [], linestyle="", marker=marker, markersize=9, label=label, **look)
