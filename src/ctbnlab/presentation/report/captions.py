"""Titles and captions of the figures, in the order of the report.

Snakemake's own report has the same captions, from workflow/report/NAME.rst; a test compares them.
"""

from __future__ import annotations

from typing import NamedTuple


class Caption(NamedTuple):
    """What a figure is called and what it shows; `published` is added if published values are drawn."""

    title: str
    shows: str
    published: str = ""

    def text(self, with_published: bool) -> str:
        """Return the whole caption."""
        return f"{self.shows} {self.published}" if with_published and self.published else self.shows


CAPTIONS = {
    "f1": Caption(
        "F1 score",
        "F1 of the learned arcs against the number of nodes: mean ± standard deviation over the networks "
        "that the learner finished. Columns are densities, rows numbers of states. A cross on the axis "
        "marks a cell in which some networks failed, timed out or were skipped.",
        "Hollow markers with dashed lines are the published values; a shaded band marks cells that the paper "
        "does not have.",
    ),
    "big_networks": Caption(
        "Time and memory of big networks",
        "Wall-clock time and peak memory of learning against the number of nodes, on logarithmic axes: mean "
        "± standard deviation over networks. p is the exponent of the power law fitted to each curve.",
        "Hollow markers are the published times for one core and for two.",
    ),
    "sweep": Caption(
        "Effect of the swept options",
        "Precision, recall and F1 against every option that takes several values: mean ± standard deviation "
        "over networks. Options with numbers are an axis, logarithmic if they span decades; other options "
        "have their values side by side. A dotted vertical line is the value that the paper uses.",
    ),
    "trajectories": Caption(
        "F1 score and number of trajectories",
        "F1 against the number of trajectories, with one facet per number of nodes (columns), number of "
        "states and density (rows). F1 is computed from counts of arcs summed over the networks; error bars "
        "are the spread of one network.",
        "Hollow markers with dashed lines are the published values.",
    ),
    "networks": Caption(
        "F1 score of single networks",
        "The networks behind the means: median and quartiles over the replicates of a cell. Whiskers reach "
        "to the last network within 1.5 box heights; dots are networks beyond.",
    ),
    "precision_recall": Caption(
        "Precision and recall",
        "Precision is the share of learned arcs that are true, recall the share of true arcs that are "
        "learned: mean ± standard deviation over networks, against the number of nodes, in two rows for each "
        "number of states.",
    ),
    "areas": Caption(
        "Areas under the curves",
        "Areas under the precision–recall curve (average precision) and the ROC curve of all possible arcs, "
        "ranked by the learner's evidence: mean ± standard deviation over networks. They compare learners "
        "whatever their thresholds; a random order has a ROC area of 0.5.",
    ),
    "curves_precision_recall": Caption(
        "Precision–recall curves",
        "Precision against recall while walking down the arcs, ranked by the learner's evidence: mean over "
        "the largest networks of each facet. Markers are the means of the learner's own graphs, that is of "
        "where it stops.",
    ),
    "curves_roc": Caption(
        "ROC curves",
        "Share of the true arcs against share of the false arcs while walking down the arcs, ranked by the "
        "learner's evidence: mean over the largest networks of each facet. Markers are the means of the "
        "learner's own graphs; the dotted line is a random order.",
    ),
    "shd": Caption(
        "Structural Hamming distance",
        "The number of arcs missed plus the number of arcs invented, against the number of nodes: mean ± "
        "standard deviation over networks.",
    ),
    "delta_bic": Caption(
        "BIC compared with the baseline",
        "ΔBIC % = 100 · (BIC of the baseline − BIC) / BIC of the baseline on the same data, for the paper's "
        "learners: mean ± standard deviation over networks, each row on its own scale. BIC = ln L − ½ k ln ψ "
        "with k parameters and ψ transitions. The line at 0 is the baseline. Which side of it is better "
        "depends on the sign of the baseline's BIC; the legend states it for these data.",
    ),
    "delta_bic_other": Caption(
        "BIC of the other learners",
        "ΔBIC % of the learners that the paper does not have: mean over networks, on a scale that is "
        "logarithmic beyond ±1. A learner that finds the large parent sets of dense networks has a worse BIC "
        "than one that misses them: BIC charges ½ ln ψ for each parameter, and the rates of a large parent "
        "set cost more than they earn in likelihood, although the parents are true.",
    ),
    "time": Caption(
        "Time of learning",
        "CPU time per network against the number of nodes, on a logarithmic axis: mean ± standard deviation "
        "over networks. Only the learner is timed, not the start of the program, reading or writing.",
    ),
    "heatmap": Caption(
        "Arcs of one network",
        "A learned graph compared with the true one, named in the title; rows are parents, columns children. "
        "Dark cells are true arcs that were found, hatched blue ones true arcs that were missed, crossed "
        "orange ones arcs that were invented.",
    ),
    "example": Caption(
        "How to read a network",
        "A small example network with its conditional intensity matrices: for each variable, one matrix per "
        "configuration of its parents. Rows are the states that are left, columns the states that are "
        "entered; the shaded diagonal is minus the rate of leaving a state.",
    ),
}
# The first of these that there is opens the report.
MAIN_FIGURES = ("big_networks", "f1", "sweep", "trajectories")


def caption_of(name: str) -> Caption:
    """Return the title and caption of a figure; one that is not listed has its name as title."""
    return CAPTIONS.get(name) or Caption(name.replace("_", " ").capitalize(), "")


def ordered(names: list[str]) -> list[str]:
    """Return names of figures in the order of the report: the main one first, the last two last."""
    main = next((name for name in MAIN_FIGURES if name in names), None)
    *listed, heatmap, example = CAPTIONS
    order = [main, *listed, *sorted(set(names) - set(CAPTIONS)), heatmap, example]
    return [name for name in dict.fromkeys(order) if name in names and name is not None]
