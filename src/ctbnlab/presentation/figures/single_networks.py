"""The F1 scores of single networks, whose spread a mean hides."""

from __future__ import annotations

import warnings

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets, given_networks


@style.styled
def single_networks(metrics: pd.DataFrame) -> Figure:
    """Return the figure: box plots of the networks' F1, in the paper's facets."""
    done, selection = facets.only_most_data(metrics[metrics["status"] == "done"])
    cell = (
        ["learner", "network"]
        if facets.has_given_networks(done)
        else ["learner", "nodes", "states", "density"]
    )
    if done.empty or done.groupby(cell).size().max() < 2:
        raise style.AbsentData("no learner has finished several networks of one size, density and states")
    pairs = facets.labels_of(done)
    looks = style.looks(pairs)
    labels = [label for label, _ in pairs]
    given = facets.has_given_networks(done)
    along = "network" if given else "nodes"
    order = given_networks.in_order(done) if given else sorted(set(done["nodes"]))
    grid = _one_facet(order, len(labels)) if given else facets.states_by_density(done)
    every = [(axes, done) for axes in grid.axes.values()] if given else facets.in_facets(grid, done)
    for axes, here in every:
        with warnings.catch_warnings():
            # seaborn 0.13 passes the orientation by a name that matplotlib 3.11 deprecates.
            warnings.filterwarnings("ignore", "vert: bool was deprecated")
            sns.boxplot(
                here, x=along, y="f1", hue="learner", hue_order=labels, order=order,
                palette={label: looks[label].colour for label in labels}, legend=False, ax=axes,
                width=0.75, linewidth=0.7, fliersize=1.5, saturation=1.0, boxprops={"alpha": 0.75},
            )  # fmt: skip
        axes.set(xlabel="", ylabel="F1 score" if given else "")
        if given:
            given_networks.name_networks(axes, order)
    facets.share_limits(grid.axes.values())
    if not given:
        facets.name_states_and_densities(grid, done, "F1 score")
    grid.handles.extend(
        Patch(facecolor=looks[label].colour, alpha=0.75, label=summary.display_name(label))
        for label in labels
    )
    grid.notes.append(
        f"Boxes: median and quartiles over {facets.replicates(done)}; whiskers: to the last value within "
        "1.5 box heights; dots: values beyond."
    )
    grid.notes.extend(facets.abbreviations(done["algorithm"]))
    title = "F1 score of single data sets" if given else "F1 score of single networks"
    return grid.finish(title + selection, "Network" if given else "Number of nodes")


def _one_facet(networks: list[str], learners: int) -> facets.Grid:
    return facets.grid([(0, 0)], (given_networks.width_of(networks, learners), 2.4))
