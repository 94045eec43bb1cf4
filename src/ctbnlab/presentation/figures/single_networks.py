"""The F1 scores of single networks, whose spread a mean hides."""

from __future__ import annotations

import warnings

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets


@style.styled
def single_networks(metrics: pd.DataFrame) -> Figure:
    """Return the figure: box plots of the networks' F1, in the paper's facets."""
    done, selection = facets.only_most_data(metrics[metrics["status"] == "done"])
    if done.groupby(["learner", "nodes", "states", "density"]).size().max() < 2 or done.empty:
        raise style.AbsentData("no learner has finished several networks of one size, density and states")
    pairs = facets.labels_of(done)
    looks = style.looks(pairs)
    labels = [label for label, _ in pairs]
    grid = facets.states_by_density(done)
    for axes, here in facets.in_facets(grid, done):
        with warnings.catch_warnings():
            # seaborn 0.13 passes the orientation by a name that matplotlib 3.11 deprecates.
            warnings.filterwarnings("ignore", "vert: bool was deprecated")
            sns.boxplot(
                here, x="nodes", y="f1", hue="learner", hue_order=labels, order=sorted(set(done["nodes"])),
                palette={label: looks[label].colour for label in labels}, legend=False, ax=axes,
                width=0.75, linewidth=0.7, fliersize=2.0, saturation=1.0, boxprops={"alpha": 0.75},
            )  # fmt: skip
        axes.set(xlabel="", ylabel="")
    facets.name_states_and_densities(grid, done, "F1 score")
    grid.handles.extend(
        Patch(facecolor=looks[label].colour, alpha=0.75, label=summary.display_name(label))
        for label in labels
    )
    grid.notes.append(
        "Boxes: median and quartiles over networks; whiskers: to the last network within 1.5 box heights; "
        "dots: networks beyond."
    )
    grid.notes.extend(facets.abbreviations(done["algorithm"]))
    return grid.finish("F1 score of single networks" + selection, "Number of nodes")
