"""Update the numbers in the pages from the committed results:  python docs/refresh.py

A page marks a block by `<!-- begin NAME -->` and `<!-- end NAME -->`. The function of that name, below, in
`front_page`, `peers` or `studies`, makes its content from the tables under docs/results, so that no measured
number is typed by hand. A test checks that all pages are up to date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

import front_page  # noqa: F401  (registers the blocks of the README)
import pandas as pd
import peers  # noqa: F401  (registers the blocks of other programs)
import studies  # noqa: F401  (registers the blocks of benchmark results)
from blocks import DOCS, OURS, RESULTS, block, refreshed
from experiments import PAPERS, REFERENCES, cells, compared, metrics

from ctbnlab.evaluation import summary
from ctbnlab.evaluation.claims import claims
from ctbnlab.evaluation.published import paper_values
from ctbnlab.presentation.figures.big_networks import exponent
from ctbnlab.presentation.overview import two_digits
from ctbnlab.presentation.paper_table_formats import to_markdown
from ctbnlab.presentation.paper_tables import arrange, fraction
from ctbnlab.presentation.table_writers import markdown_table

# The published Kolmogorov–Smirnov values come from code that divides columns instead of rows.
TESTED = ("ctss", "ctpc-chi2", "ctpc-ks-published")


def every_published_cell() -> pd.DataFrame:
    """Return the 88 cells of the main and the 207 of the first experiment."""
    main, first = compared("paper", PAPERS), compared("paper_tests", TESTED)
    return pd.concat([main.assign(experiment="main"), first.assign(experiment="first")], ignore_index=True)


def within(found: pd.DataFrame) -> int:
    """Return the number of cells that agree within spread."""
    return int((found["agreement"] == summary.WITHIN).sum())


def cell_row(cell: dict[str, object], *, verdict: bool) -> list[str]:
    """Return a cell with a published value as a row of a table."""
    ours, theirs = (
        fraction(cell[value]) + ("" if pd.isna(cell[sd]) else f"&nbsp;±&nbsp;{fraction(cell[sd])}")
        for value, sd in (("value", "sd"), ("published", "published_sd"))
    )
    row = [
        summary.display_name(str(cell["learner"])).replace(" with the paper's bug", " (bug)"),
        str(cell["states"]), str(cell["nodes"]), f"{cell['density']:g}", str(cell["trajectories"]),
        ours, theirs, f"{int(cell['n'])}, {int(cell['published_n'])}",
        f"{cell['difference']:+.3f}".replace("-", "−"), f"{cell['margin']:.3f}",
    ]  # fmt: skip
    return [*row, "" if cell["agreement"] == summary.WITHIN else str(cell["agreement"])] if verdict else row


CELL_HEAD = [
    "Learner", "States", "Nodes", "Density", "Trajectories",
    "Ours", "Published", "Networks (ours, theirs)", "Difference", "Margin",
]  # fmt: skip


@block
def agreement() -> str:
    """Count the published cells that are reproduced."""
    main, first = compared("paper", PAPERS), compared("paper_tests", TESTED)
    lines = [
        f"Of the **{len(main)} cells** of the main experiment **{within(main)}** agree within spread; of the "
        f"**{len(first)} cells** of the first experiment **{within(first)}**.",
        "",
    ]
    body = []
    for title, experiment, learners in (
        ("main", "paper", PAPERS),
        ("first", "paper_tests", (*TESTED[:2], "ctpc-ks-published", "ctpc-ks")),
    ):
        for learner in learners:
            found = compared(experiment, [learner])
            verdicts = int((found["agreement"] != summary.NOT_JUDGED).sum())
            body.append(
                [
                    title, summary.display_name(learner), str(len(found)),
                    str(within(found)), str(verdicts - within(found)),
                    f"{found['difference'].abs().mean():.3f}",
                ]
            )  # fmt: skip
    head = ["Experiment", "Learner", "Cells", "Within spread", "Beyond", "Mean absolute difference"]
    return "\n".join([*lines, markdown_table(head, body)])


@block
def claims_table() -> str:
    """Show what the paper claims, what is found here, and the results behind it."""
    body = []
    for experiment in ("paper", "paper_tests", "big_networks"):
        link = f"[`{experiment}`](results/{experiment}/metrics.parquet)"
        for claim in claims(metrics(experiment), REFERENCES[experiment]):
            where = f"{link}: `{claim.metric}` of {', '.join(f'`{label}`' for label in claim.learners)}"
            body.append([claim.claim, claim.place, claim.here, f"**{claim.verdict}**", where])
    head = ["The paper claims", "where", "Found here", "Verdict", "Behind it"]
    return markdown_table(head, body, padded=False)


@block
def ks_against_chi2() -> str:
    """Count the cells in which Kolmogorov–Smirnov is better and worse than χ²."""
    found = cells("paper_tests")
    found = found[(found["metric"] == "f1") & (found["states"] == "3")].set_index([*summary.POINT, "learner"])
    values = found["value"].unstack("learner")
    ks, chi2 = values["ctpc-ks"], values["ctpc-chi2"]
    return (
        f"better than χ² in {(ks > chi2).sum()} of the {len(values)} cells and worse in {(ks < chi2).sum()}"
    )


@block
def cells_beyond() -> str:
    """List every published cell that does not agree."""
    found = every_published_cell()
    found = found[found["agreement"] != summary.WITHIN]
    body = [[str(c["experiment"]), *cell_row(c, verdict=False)] for c in found.to_dict("records")]
    return markdown_table(["Experiment", *CELL_HEAD], body)


@block
def expected_by_chance() -> str:
    """Return the number of marks expected by chance."""
    return f"{len(every_published_cell()) / 20:.0f}"


def _listed(found: pd.DataFrame) -> str:
    body = [cell_row(cell, verdict=True) for cell in found.to_dict("records")]
    return markdown_table([*CELL_HEAD, "Verdict"], body)


@block
def main_cells() -> str:
    """List all cells of the main experiment."""
    return _listed(compared("paper", PAPERS))


@block
def first_cells() -> str:
    """List all cells of the first experiment."""
    return _listed(compared("paper_tests", TESTED))


def _arranged(experiment: str, learners: Iterable[str]) -> str:
    texts = (to_markdown(arrange(cells(experiment), "f1", label)) for label in learners)
    # Two levels down, under the headings of the page.
    return re.sub(r"^(##+) ", r"##\1 ", "\n\n".join(texts), flags=re.MULTILINE)


@block
def main_tables() -> str:
    """Show F1 in the main experiment in the paper's arrangement."""
    return _arranged("paper", PAPERS)


@block
def our_table() -> str:
    """Show F1 of our learner in the main experiment."""
    return _arranged("paper", [OURS])


@block
def ranked_arcs() -> str:
    """Show the areas under the curves of the ranked arcs, and the curves."""
    rows = metrics("paper")
    if rows["roc_auc"].isna().all():
        return "The committed results were measured before arcs were ranked."
    body = []
    for label in summary.learners(rows):
        found = rows[rows["learner"] == label]
        areas = found.groupby("states")[["average_precision", "roc_auc"]].mean()
        shown = [fraction(areas.loc[states, name]) for name in areas for states in sorted(areas.index)]
        body.append([summary.display_name(label), *shown])
    head = [f"{name}, {states}" for name in ("Average precision", "ROC area") for states in "234"]
    images = [
        "![Areas under the curves](images/paper_areas.png)",
        "![Precision–recall curves](images/paper_curves_precision_recall.png)",
        "![ROC curves](images/paper_curves_roc.png)",
    ]
    table = markdown_table(["Learner, states", *head], body)
    return "\n\n".join([table, *images])


@block
def our_errors() -> str:
    """Count the arcs that our learner invents and misses."""
    lines = []
    for experiment, text in (("paper", "these"), ("best", "the fresh")):
        rows = metrics(experiment)
        rows = rows[rows["learner"] == OURS]
        largest = (rows["states"] == "4") & (rows["nodes"] == 20)
        missed, invented = rows["false_negatives"], rows["false_positives"]
        lines.append(
            f"On {text} {len(rows)} networks with {rows['n_true'].sum():,} arcs, it invents "
            f"{invented.sum()} arcs and misses {missed.sum()}; {missed[largest].sum()} of the missed ones "
            "are in networks of 20 quaternary nodes."
        )
    return "\n".join(lines)


@block
def ks_tables() -> str:
    """Show the first experiment's Kolmogorov–Smirnov results, with and without the bug."""
    return _arranged("paper_tests", ["ctpc-ks-published", "ctpc-ks"])


@block
def first_tables() -> str:
    """Show the first experiment's other results."""
    return _arranged("paper_tests", ["ctss", "ctpc-chi2"])


@block
def best_table() -> str:
    """Show our learner on fresh seeds, and the paper's learners on the same design, cell by cell."""
    keys = ["learner", "states", "nodes", "density"]
    fresh, main = (cells(name)[cells(name)["metric"] == "f1"].set_index(keys) for name in ("best", "paper"))
    body = []
    for key in fresh.loc[OURS].index:
        ours = fresh.loc[(OURS, *key)]
        theirs = [main.loc[(label, *key)] for label in PAPERS]
        body.append(
            [
                *(f"{part:g}" if isinstance(part, float) else str(part) for part in key),
                str(int(ours["n"])), f"**{fraction(ours['value'])}**",
                *(fraction(cell["value"]) for cell in theirs),
                *("–" if pd.isna(cell["published"]) else fraction(cell["published"]) for cell in theirs),
            ]
        )  # fmt: skip
    head = ["States", "Nodes", "Density", "Networks", "`empirical-bayes`", "CTSS", "CTPC χ²"]
    return markdown_table([*head, "CTSS published", "CTPC χ² published"], body)


@block
def big_table() -> str:
    """Show time and memory for big networks, and the paper's times."""
    found = cells("big_networks")
    seconds = found[found["metric"] == "wall_seconds"].set_index(["nodes", "threads"])
    memory = found[found["metric"] == "peak_memory_mb"].set_index(["nodes", "threads"])
    body = []
    for (nodes, cores), cell in seconds.iterrows():
        theirs = paper_values.big_networks().get((nodes, cores))
        body.append(
            [
                str(nodes), str(cores), f"{cell['value']:.2f} s",
                f"{memory.loc[(nodes, cores), 'value']:.0f} MB",
                "–" if theirs is None else f"{theirs / 60:.0f} min",
                "–" if theirs is None else f"{two_digits(theirs / cell['value'])} ×",
            ]
        )  # fmt: skip
    head = ["Nodes", "Cores", "Ours", "Peak memory", "Paper", "Ratio"]
    return markdown_table(head, body)


@block
def big_exponents() -> str:
    """Return how time grows with the number of nodes, ours and the paper's."""
    found = cells("big_networks")
    ours = found[(found["metric"] == "wall_seconds") & (found["threads"] == 1)]
    theirs = [(nodes, t) for (nodes, cores), t in paper_values.big_networks().items() if cores == 1]
    mine = exponent(ours["nodes"].astype(float).tolist(), ours["value"].tolist())
    other = exponent([float(nodes) for nodes, _ in theirs], [t for _, t in theirs])
    return f"n^{mine:.1f} for ours, n^{other:.1f} for the paper's"


@block
def significance_table() -> str:
    """Show precision, recall and F1 for each significance level."""
    found = metrics("significance")
    found = found.assign(alpha=[json.loads(text)["alpha"] for text in found["options"]])
    body = []
    everything = pd.concat([found, found.assign(states="2, 3 and 4")])
    for (states, alpha), rows in everything.groupby(["states", "alpha"]):
        means = [fraction(rows[name].mean()) for name in ("precision", "recall", "f1")]
        body.append([str(states), f"{alpha:g}", str(len(rows)), *means])
    return markdown_table(["States", "Level", "Networks", "Precision", "Recall", "F1"], body)


@block
def runs_table() -> str:
    """Show the time and memory that each run took."""
    body = []
    for run in json.loads((RESULTS / "runs.json").read_text()):
        body.append(
            [
                f"`{run['config']}`", run["what"], f"{run['jobs']:,}", f"{run['wall_seconds'] / 60:.0f} min",
                "not measured" if run["cpu_seconds"] is None else f"{run['cpu_seconds'] / 60:.0f} min",
                "not measured" if run["peak_mb"] is None else f"{run['peak_mb']:.0f} MB",
            ]
        )  # fmt: skip
    head = ["Config", "Experiment", "Jobs", "Wall-clock time", "CPU time", "Peak memory of learning a graph"]
    return markdown_table(head, body)


def pages() -> list[Path]:
    """Return the pages that can have blocks."""
    return [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]


def main() -> None:
    """Update the pages and the list of published cells."""
    every_published_cell().to_csv(RESULTS / "published_cells.csv", index=False, float_format="%.6g")
    for path in pages():
        text = path.read_text(encoding="utf-8")
        if refreshed(text) != text:
            path.write_text(refreshed(text), encoding="utf-8")
            print(f"updated {path.name}")


if __name__ == "__main__":
    main()
