"""Pictures of networks and learned graphs."""

from __future__ import annotations

import math
import os
from pathlib import Path

from matplotlib.figure import Figure

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.learning import graph as learned_graph
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.model.network import Network
from ctbnlab.presentation import style
from ctbnlab.presentation.draw.heatmap import draw_heatmap
from ctbnlab.presentation.draw.layout import LAYOUTS
from ctbnlab.presentation.draw.picture import Drawing, draw_graph

__all__ = ["KINDS", "LAYOUTS", "Drawing", "draw_graph", "draw_heatmap", "drawing_of", "plot", "read"]
KINDS = ("graph", "heatmap")
_SMALLEST_P = 1e-300


def read(path: str | os.PathLike[str]) -> Network | LearnedGraph:
    """Read a network's or a learned graph's file."""
    content = json_text.read(path)
    if isinstance(content, dict) and content.get("format") == learned_graph.FORMAT:
        return LearnedGraph.read(path)
    return Network.read(path)


def plot(
    graph: Network | LearnedGraph,
    output: str | os.PathLike[str] | None = None,
    *,
    true: Network | LearnedGraph | None = None,
    kind: str = "graph",
    layout: str = "auto",
    cims: bool = False,
) -> Figure:
    """Draw a network or learned graph; return the figure, and save it if `output` names a file.

    With `true`, arcs are coloured by whether they are right. `kind` is "graph" or "heatmap", `layout` is
    "auto", "circle" or "springs", and `cims` adds the intensity matrices of a network.
    """
    drawing = drawing_of(graph, true)
    if kind not in KINDS:
        raise InputError(f"the kind of picture is one of {', '.join(KINDS)}, not {kind!r}")
    if cims and not isinstance(graph, Network):
        raise InputError("has no intensity matrices; make a network of it with `ctbnlab fit`")
    if kind == "heatmap":
        figure = draw_heatmap(drawing.names, drawing.arcs, drawing.true)
    else:
        figure = draw_graph(drawing, layout, graph if cims and isinstance(graph, Network) else None)
    if output is not None:
        style.save(figure, Path(output))
    return figure


def drawing_of(graph: Network | LearnedGraph, true: Network | LearnedGraph | None = None) -> Drawing:
    """Return what is to be drawn of a network or learned graph, beside the truth if that is known."""
    if true is not None and set(true.names) != set(graph.names):
        odd = sorted(set(true.names) ^ set(graph.names))[0]
        raise InputError(f"the variable {odd!r} is in only one of the two graphs")
    strength, name = _strength(graph) if isinstance(graph, LearnedGraph) else ({}, "")
    truth = None if true is None else _arcs(true)
    return Drawing(graph.names, _arcs(graph), strength, name, truth)


def _arcs(graph: Network | LearnedGraph) -> tuple[tuple[str, str], ...]:
    if isinstance(graph, LearnedGraph):
        return tuple(graph.arcs)
    names = graph.names
    return tuple((names[j], names[i]) for i, parents in enumerate(graph.parents) for j in parents)


def _strength(graph: LearnedGraph) -> tuple[dict[tuple[str, str], float], str]:
    """Return the score gain behind each arc kept, or its −log p; of one kind for all arcs, or nothing."""
    kept = [row for row in graph.evidence if row["kept"]]
    if kept and all("gain" in row for row in kept):
        return {(row["from"], row["to"]): float(row["gain"]) for row in kept}, "score gain"
    if kept and all("p_value" in row for row in kept):
        return {
            (row["from"], row["to"]): -math.log(max(float(row["p_value"]), _SMALLEST_P)) for row in kept
        }, "smaller p-value"
    return {}, ""
