"""Metrics of networks that were given by name: one group of points per network, one row per metric."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import pandas as pd
from matplotlib.axes import Axes

from ctbnlab.presentation.figures import facets

_WIDTH_PER_POINT = 0.16  # inches
_WIDTH_PER_LETTER = 0.085
_LONGEST_LINE = 13  # letters of a network's name on one line


def arranged(
    cells: pd.DataFrame,
    metrics: Mapping[str, str],
    lines: Sequence[facets.Line],
    share_y: bool | Literal["row"],
) -> facets.Grid:
    """Return facets with a row for each metric; the networks stand side by side, in order of size."""
    networks = in_order(cells)
    place = {network: number for number, network in enumerate(networks)}
    cells = cells.assign(place=cells["network"].map(place))
    width = width_of(networks, len(lines) // len(metrics))
    grid = facets.grid(((number, 0) for number in range(len(metrics))), (width, 1.9), share_y=share_y)
    for (number, _), axes in grid.axes.items():
        metric = list(metrics)[number]
        here = [replace(line, dashes="") for line in lines if line.metric == metric]
        # Points are further apart than in curves: a network's points form a group, without lines.
        facets.draw_lines(axes, cells, here, "place", 7 / max(len(here), 4))
        name_networks(axes, networks)
    facets.name_facets(grid, {n: name[0].upper() + name[1:] for n, name in enumerate(metrics.values())}, {})
    return replace(grid, x_label="Network")


def in_order(cells: pd.DataFrame) -> list[str]:
    """Return the names of the networks, by number of nodes and then by name."""
    nodes = cells.groupby("network")["nodes"].max()
    return sorted(nodes.index, key=lambda network: (nodes[network], network))


def width_of(networks: Sequence[str], learners: int) -> float:
    """Return the width, in inches, of a facet with a point for each network and learner."""
    longest = max(len(line) for network in networks for line in folded(network).split("\n"))
    return max(
        4.6, len(networks) * max(0.45 + _WIDTH_PER_POINT * learners, 0.2 + _WIDTH_PER_LETTER * longest)
    )


def folded(name: str) -> str:
    """Return a name in lines, broken at spaces and hyphens."""
    return "\n".join(textwrap.wrap(name, _LONGEST_LINE)) or name


def name_networks(axes: Axes, networks: Sequence[str]) -> None:
    """Put the networks' names below the axis, with lines between the groups."""
    axes.set_xticks(range(len(networks)), list(map(folded, networks)), parse_math=False)
    axes.set_xlim(-0.5, len(networks) - 0.5)
    axes.grid(axis="x", visible=False)
    for number in range(1, len(networks)):
        axes.axvline(number - 0.5, color="#D0D0D0", linewidth=0.8)
