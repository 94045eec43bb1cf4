"""Pages on data whose graph is known, made without learning it: of any size, quickly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import ctbnlab
from ctbnlab.learning.checks import model_checks
from ctbnlab.learning.contract import Evidence, NodeResult
from ctbnlab.learning.effects import with_effects
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.model.network import Network
from ctbnlab.presentation.page.data_page import data_page
from ctbnlab.presentation.page.page_content import HowMade, PageContent

SIZES = (5, 30, 100, 300)
MADE = HowMade("ctbnlab report data.csv -o report.html", {"ctbnlab": "9.9.9"}, ("Somebody: A paper",))


def network_of(n: int) -> Network:
    """Return a network with about one arc and a half per node."""
    return ctbnlab.generate(n, states=2, density=min(0.3, 1.5 / n), seed=n)


def content_of(network: Network, *, trajectories: int = 60, duration: float = 2.0, **more) -> PageContent:
    """Return the content of a page whose graph is that of the network, with some evidence for each arc.

    Every seventh arc is uncertain, and every variable has another arc that is unlikely.
    """
    data = ctbnlab.simulate(network, trajectories=trajectories, duration=duration, seed=2)
    n = len(network.variables)
    nodes = []
    for target, parents in enumerate(network.parents):
        kept = {j: 0.6 if (j + target) % 7 == 0 else 0.999999 for j in parents}
        spare = {j: 0.2 for j in [(target + 1) % n] if j not in kept and j != target}
        evidence = [
            Evidence(j, j in kept, "likely" if j in kept else "unlikely", gain=10 * p - 5, probability=p)
            for j, p in sorted({**kept, **spare}.items())
        ]  # fmt: skip
        nodes.append(NodeResult(target, tuple(sorted(kept)), tuple(evidence)))
    described = {"trajectories": len(data), "events": data.n_events, "time": data.total_time}
    graph = LearnedGraph(
        data.variables, tuple(nodes), {"name": "known", "parameters": {}}, described, roles=data.roles
    )
    graph = with_effects(replace(graph, checks=model_checks(data, graph)), data)
    return PageContent("Known", "data.csv", "known", graph, data, MADE, **more)


def write_page(path: Path, content: PageContent) -> Path:
    """Write a page, and return its path."""
    path.write_text(data_page(content), encoding="utf-8", newline="\n")
    return path


def odd_network(names: tuple[str, ...]) -> Network:
    """Return a ring of variables with these names, whose states have odd names as well."""
    parents = {names[i]: [names[i - 1]] for i in range(len(names))}
    cims = {each: [[[-1.0, 1.0], [5.0, -5.0]], [[-5.0, 5.0], [1.0, -1.0]]] for each in names}
    return Network.build([(each, ("<i>off</i>", 'on & "on"')) for each in names], parents, cims)
