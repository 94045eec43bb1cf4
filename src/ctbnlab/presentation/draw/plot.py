"""Read, draw and save the picture of a network or learned graph."""

from __future__ import annotations

import math
import os
from pathlib import Path

from matplotlib.figure import Figure

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.io.shown import counted
from ctbnlab.learning import graph as learned_graph
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.model.network import Network
from ctbnlab.presentation import style
from ctbnlab.presentation.draw.graph_picture import Drawing, draw_graph
from ctbnlab.presentation.draw.heatmap import draw_heatmap
from ctbnlab.presentation.draw.node_marks import NodeMarks
from ctbnlab.presentation.draw.node_positions import require_layout

KINDS = ("graph", "heatmap")
WIDTHS = ("evidence", "effect")
_SMALLEST_P = 1e-300


def read_graph(path: str | os.PathLike[str]) -> Network | LearnedGraph:
    """Read a file that holds a network or a learned graph."""
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
    width: str = "evidence",
    format: str | None = None,
) -> Figure:
    """Draw a network or learned graph; return the figure, and save it if `output` names a file.

    With `true`, arcs are coloured by whether they are right. `kind` is "graph" or "heatmap", `layout` is
    "auto", "circle" or "springs", and `cims` adds the intensity matrices of a network. The `width` of learned
    arcs shows the strength of "evidence" or the "effect". `format` is "png", "pdf" or "svg", by default the
    extension of `output`.
    """
    drawing = drawing_of(graph, true, width)
    if kind not in KINDS:
        raise InputError(f"unknown kind of picture {kind!r}; known: {', '.join(KINDS)}")
    require_layout(layout)
    if cims and not isinstance(graph, Network):
        raise InputError("has no intensity matrices; make a network of it with `ctbnlab fit`")
    if kind == "heatmap":
        figure = draw_heatmap(drawing.names, drawing.arcs, drawing.true, _title(graph, true))
    else:
        figure = draw_graph(drawing, layout, graph if cims and isinstance(graph, Network) else None)
    if output is not None:
        style.save(figure, Path(output), format)
    return figure


def drawing_of(
    graph: Network | LearnedGraph, true: Network | LearnedGraph | None = None, width: str = "evidence"
) -> Drawing:
    """Return what to draw of a network or learned graph, with the true arcs if `true` is given."""
    if width not in WIDTHS:
        raise InputError(f"unknown width of arcs {width!r}; known: {', '.join(WIDTHS)}")
    if true is not None and set(true.names) != set(graph.names):
        name = sorted(set(true.names) ^ set(graph.names))[0]
        raise InputError(f"the variable {name!r} is in only one of the two graphs")
    strength, strength_name = _effects(graph) if width == "effect" else _strength(graph)
    true_arcs = None if true is None else tuple(true.arcs)
    marks = NodeMarks.of(graph)
    ranked = width == "evidence"
    return Drawing(graph.names, tuple(graph.arcs), strength, strength_name, ranked, true_arcs, marks)


def _title(graph: Network | LearnedGraph, true: Network | LearnedGraph | None) -> list[str]:
    """Return lines that name the learner and the network, as far as the files tell."""
    network = true if isinstance(true, Network) else graph if isinstance(graph, Network) else None
    lines = []
    if isinstance(graph, LearnedGraph):
        trajectories = graph.data.get("trajectories")
        source = (
            f" from {counted(trajectories, 'trajectory', 'trajectories')}"
            if isinstance(trajectories, int)
            else ""
        )
        lines.append(f"Arcs learned by {graph.learner.get('name', 'a learner')}{source}")
    if network is not None:
        lines.append(_network_name(network))
    return lines


def _network_name(network: Network) -> str:
    """Return the name of a network from the gallery, or the size and the seed of another one."""
    about = network.about
    states = sorted({len(variable.states) for variable in network.variables})
    size = f"{len(network.variables)} variables of {', '.join(map(str, states))} states"
    arcs = f"{network.n_arcs} arcs (density {network.density:.2g})"
    if "gallery" in about:
        return f"Network {about['gallery']}: {size}, {arcs}"
    return f"Network of {size}, {arcs}" + (f", seed {about['seed']}" if "seed" in about else "")


def _effects(graph: Network | LearnedGraph) -> tuple[dict[tuple[str, str], float], str]:
    """Return the logarithm of each arc's rate ratio, and what wider arcs mean."""
    evidence = [] if isinstance(graph, Network) else [row for row in graph.evidence if row["kept"]]
    known = [row for row in evidence if "effect" in row]
    if graph.arcs and not known:
        raise InputError("has no effects of arcs; `ctbnlab learn` adds them to whole graphs")
    ratios = {(row["from"], row["to"]): float(row["effect"]["rate_ratio"]) for row in known}
    if not all(0 < ratio < math.inf for ratio in ratios.values()):
        raise InputError("is a damaged graph: a rate ratio must be a number above 0")
    return {arc: math.log(ratio) for arc, ratio in ratios.items()}, "larger effect (rate ratio)"


def _strength(graph: Network | LearnedGraph) -> tuple[dict[tuple[str, str], float], str]:
    """Return each arc's score gain or −log p, and what wider means; nothing if arcs differ in kind."""
    if isinstance(graph, Network):
        return {}, ""
    evidence = [row for row in graph.evidence if row["kept"]]
    if evidence and all("gain" in row for row in evidence):
        return {
            (row["from"], row["to"]): float(row["gain"]) for row in evidence
        }, "stronger evidence (score gain)"
    if evidence and all("p_value" in row for row in evidence):
        return {
            (row["from"], row["to"]): -math.log(max(float(row["p_value"]), _SMALLEST_P)) for row in evidence
        }, "stronger evidence (smaller p-value)"
    return {}, ""
