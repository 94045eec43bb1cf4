"""What a notebook shows of networks, learned graphs and trajectories: a line and a small picture or table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.data.trajectory_methods import transition_counts
from ctbnlab.io.shown import counted
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.model.network import Network
from ctbnlab.presentation.report.markup import Html, element, joined, name
from ctbnlab.presentation.terminal import number

MAX_CHARACTERS = 9_000
_ROWS = 12
_LISTED = 8


def svg_of(graph: Network | LearnedGraph) -> str | None:
    """Return a small picture, or None if the graph is too large for one or matplotlib is not installed."""
    if not graph.names or len(graph.names) + len(graph.arcs) > MAX_CHARACTERS // 100:
        return None
    try:
        from ctbnlab.presentation.draw.plot import drawing_of
        from ctbnlab.presentation.draw.small_svg import small_svg
    except ImportError:
        return None
    picture = small_svg(drawing_of(graph))
    return str(picture) if len(picture) <= MAX_CHARACTERS else None


def network_html(network: Network) -> str:
    """Return a network's size, and its picture or its variables with their parents."""
    sizes = (len(network.names), "variable"), (network.n_arcs, "arc"), (network.n_parameters, "rate")
    return _with_picture("Network", ", ".join(counted(*size) for size in sizes), network)


def graph_html(graph: LearnedGraph) -> str:
    """Return what was learned from what, and its picture or its variables with their parents."""
    facts = [counted(len(graph.names), "variable"), counted(len(graph.arcs), "arc")]
    if "name" in graph.learner:
        facts.append(f"learned by {graph.learner['name']}")
    if isinstance(graph.data.get("events"), int):
        facts.append(f"from {counted(graph.data['events'], 'event')}")
    if graph.failures:
        facts.append(f"{counted(len(graph.failures), 'variable')} not learned")
    warnings = sum(check.warns for check in graph.checks or ())
    if warnings:
        facts.append(f"{counted(warnings, 'warning')} of the model checks")
    return _with_picture("Learned graph", ", ".join(facts), graph)


def trajectories_html(data: Trajectories) -> str:
    """Return how much was observed, and a table of the variables."""
    facts = (
        f"{len(data):,} of {counted(data.n_variables, 'variable')}, {counted(data.n_events, 'event')}, "
        f"observed time {number(data.total_time)}"
    )
    moves = transition_counts(data).tolist()
    rows = [
        (name(variable.name), _listed(variable.states), data.roles.role_of(variable.name) or "", f"{count:,}")
        for variable, count in zip(data.variables[:_ROWS], moves[:_ROWS], strict=True)
    ]
    head = ("variable", "states", "role", "transitions")
    with_roles = [0, 1, 2, 3] if data.roles else [0, 1, 3]
    table = _table([head[k] for k in with_roles], [[row[k] for k in with_roles] for row in rows])
    return _shown("Trajectories", facts, joined([table, _more(data.n_variables)]))


def _with_picture(kind: str, facts: str, graph: Network | LearnedGraph) -> str:
    picture = svg_of(graph)
    if picture is not None:
        return _shown(kind, facts, Html(picture))
    parents: dict[str, list[str]] = {child: [] for child in graph.names}
    for parent, child in graph.arcs:
        parents[child].append(parent)
    rows = [(name(child), _listed(parents[child])) for child in graph.names[:_ROWS]]
    return _shown(kind, facts, joined([_table(("variable", "parents"), rows), _more(len(graph.names))]))


def _shown(kind: str, facts: str, content: Html) -> str:
    line = element("div", element("b", kind), f": {facts}")
    return str(element("div", line, content))


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Html:
    left = "text-align:left"
    top = element("tr", *(element("th", cell, style=left) for cell in head))
    body = (element("tr", *(element("td", cell, style=left) for cell in row)) for row in rows)
    return element("table", element("thead", top), element("tbody", *body))


def _listed(names: Sequence[str]) -> Html:
    shown = [name(each if len(each) <= 40 else f"{each[:39]}…") for each in names[:_LISTED]]
    return joined([*shown, *([f"{len(names) - _LISTED} more"] if len(names) > _LISTED else [])], ", ")


def _more(variables: int) -> Html:
    return element("div", f"and {variables - _ROWS} more variables") if variables > _ROWS else Html("")
