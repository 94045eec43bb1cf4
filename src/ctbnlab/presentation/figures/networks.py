"""How F1 varies from network to network: what a mean hides."""

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
def networks(metrics: pd.DataFrame) -> Figure:
    """Return the figure: boxes of the single networks' F1, in the paper's facets."""
    done, kept = facets.only_most_data(metrics[metrics["status"] == "done"])
    if done.groupby(["learner", "nodes", "states", "density"]).size().max() < 2 or done.empty:
        raise style.AbsentData("no learner has finished several networks of one size, density and states")
    pairs = facets.labels_of(done)
    looks = style.looks(pairs)
    order = [label for label, _ in pairs]
    points = zip(done["states"].map(summary.states_key), done["density"], strict=True)
    grid = facets.grid(points)
    for (states, density), axes in grid.axes.items():
        text = ",".join(map(str, states))
        here = done[(done["states"] == text) & (done["density"] == density)]
        with warnings.catch_warnings():
            # seaborn 0.13 tells matplotlib 3.11 the orientation by a name that 3.13 will have forgotten.
            warnings.filterwarnings("ignore", "vert: bool was deprecated")
            sns.boxplot(
                here, x="nodes", y="f1", hue="learner", hue_order=order, order=sorted(set(done["nodes"])),
                palette={label: looks[label].colour for label in order}, legend=False, ax=axes,
                width=0.75, linewidth=0.7, fliersize=2.0, saturation=1.0, boxprops={"alpha": 0.75},
            )  # fmt: skip
        axes.set(xlabel="", ylabel="")
    row_names = {summary.states_key(s): summary.states_name(s) for s in set(done["states"])}
    column_names = {d: f"Density {d:g}" for d in set(done["density"])}
    facets.name_facets(grid, "F1 score", row_names, column_names)
    grid.handles.extend(
        Patch(facecolor=looks[label].colour, alpha=0.75, label=summary.display_name(label)) for label in order
    )
    grid.notes.append(
        "Boxes: median and quartiles over networks; whiskers to the last network within 1.5 times the "
        "box's height; dots: networks beyond."
    )
    grid.notes.extend(facets.abbreviations(done["algorithm"]))
    return grid.finish("F1 score of single networks" + kept, "Number of nodes")
