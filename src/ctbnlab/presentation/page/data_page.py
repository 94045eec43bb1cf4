"""The page on one's own data, section by section."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from ctbnlab.errors import printable
from ctbnlab.presentation.page.arc_findings import ArcFinding, arc_findings
from ctbnlab.presentation.page.arc_section import arc_section
from ctbnlab.presentation.page.check_section import check_charts, check_section
from ctbnlab.presentation.page.data_section import data_charts, data_section
from ctbnlab.presentation.page.graph_section import graph_data, graph_section
from ctbnlab.presentation.page.method_section import method_section
from ctbnlab.presentation.page.opening_section import opening_section
from ctbnlab.presentation.page.page_content import PageContent
from ctbnlab.presentation.page.query_section import PageQueries, query_charts, query_section
from ctbnlab.presentation.page.rate_section import rate_data, rate_section
from ctbnlab.presentation.report.page_layout import Interaction, report_page

# In the order in which they are run: the library, then the page's own.
LIBRARY = "vendor/d3.min.js"
SCRIPTS = (
    *("basics", "tables", "charts", "data_charts", "query_charts", "check_charts", "rates"),
    *("graph_shapes", "graph_details", "graph_view", "graph_tools", "start"),
)


def data_page(content: PageContent) -> str:
    """Return the page: one HTML file."""
    arcs = arc_findings(content)
    queries = PageQueries(content)
    sections = [
        opening_section(content, arcs),
        graph_section(content, arcs),
        data_section(content),
        arc_section(content, arcs),
        rate_section(content),
        query_section(queries),
        check_section(content),
        method_section(content, queries),
    ]
    kind = f"Continuous-time Bayesian network learned from {content.source}"
    return report_page(content.title, kind, sections, _interaction(content, arcs, queries))


def _interaction(content: PageContent, arcs: list[ArcFinding], queries: PageQueries) -> Interaction:
    """Return the scripts, and all that they draw as one block of data."""
    block: dict[str, Any] = {
        "title": printable(content.title),
        "variables": [
            {"name": printable(name), "states": [printable(state) for state in states]}
            for name, states in content.graph.variables
        ],
        "graph": graph_data(content, arcs),
        "rates": rate_data(content),
        **data_charts(content),
        **query_charts(queries),
        **check_charts(content),
    }
    own = "\n".join(_text(f"scripts/{name}.js") for name in SCRIPTS)
    return Interaction(block, (_text(LIBRARY), own), _text("own_data.css"))


def _text(name: str) -> str:
    return files("ctbnlab.presentation.page").joinpath(name).read_text(encoding="utf-8")
