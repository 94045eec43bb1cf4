"""The truth that learned graphs are compared with: a network, a graph, or a list of arcs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError, shown
from ctbnlab.io import json_text
from ctbnlab.learning import graph
from ctbnlab.learning.arc_list import read_arc_list
from ctbnlab.learning.contract import Evidence, NodeResult
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.nodes import description_of
from ctbnlab.model import gallery
from ctbnlab.model.network import Network

AnyPath = str | os.PathLike[str]
TrueGraph = Network | LearnedGraph
NAME = "truth"  # instead of a learner's name
WHY = "in the truth"


def read_true_graph(path: AnyPath) -> TrueGraph:
    """Read the JSON file of a network or of a whole graph."""
    content = json_text.read(path)
    if not isinstance(content, dict) or content.get("format") != graph.FORMAT:
        return Network.read(path)
    try:
        found = LearnedGraph.from_json(content)
        if not found.is_whole:
            raise InputError("is only a part of a graph; merge the parts with `ctbnlab merge` first")
    except InputError as error:
        raise error.within(path) from None
    return found


def network_of(source: str) -> Network:
    """Return the network that a name of the gallery or a file stands for."""
    if source in gallery.names():
        return gallery.get(source)
    if not Path(source).exists():
        known = ", ".join(gallery.names())
        raise InputError(f"is neither a file nor in the gallery, which has {known}", path=source)
    if Path(source).is_dir():
        raise InputError("is a folder; name a file to read", path=source)
    return Network.read(source)


def true_parents(path: AnyPath, names: Sequence[str], of: AnyPath) -> list[tuple[int, ...]]:
    """Return the true parents of each of the variables `names`, which are those of the file `of`."""
    if is_arc_list(path):
        arcs = [(arc.source, arc.target) for arc in read_arc_list(path, names) if arc.kept]
    else:
        truth = read_true_graph(path)
        if isinstance(truth, LearnedGraph) and truth.failures:
            failed = truth.names[truth.failures[0].target]
            raise InputError(f"has no parents of {failed!r}, on which its learner failed", path=path)
        for name in sorted(set(truth.names) ^ set(names)):
            lacks, has = (of, path) if name in truth.names else (path, of)
            raise InputError(f"lacks the variable {name!r}, which {shown(has)} has", path=lacks)
        index = {name: i for i, name in enumerate(names)}
        arcs = [(index[source], index[target]) for source, target in truth.arcs]
    return [tuple(sorted(j for j, k in arcs if k == i)) for i in range(len(names))]


def is_arc_list(path: AnyPath) -> bool:
    """Return whether a truth is a list of arcs, by the extension of its file."""
    return os.fspath(path).lower().removesuffix(".gz").endswith(".csv")


def truth_for(path: AnyPath, data: Trajectories, of: AnyPath) -> LearnedGraph:
    """Return a truth as a graph over the variables of the data in the file `of`."""
    nodes = tuple(
        NodeResult(i, parents, tuple(Evidence(j, kept=True, why=WHY) for j in parents))
        for i, parents in enumerate(true_parents(path, data.names, of))
    )
    described = description_of(data, NAME, {})
    return LearnedGraph(data.variables, nodes, described["learner"], described["data"], roles=data.roles)
