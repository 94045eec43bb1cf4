"""The report of a simulated experiment: summary, agreement with the paper, figures, tables, failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ctbnlab.evaluation import summary
from ctbnlab.evaluation.results_table import KEY
from ctbnlab.io.shown import counted
from ctbnlab.presentation import overview
from ctbnlab.presentation.paper_tables import TITLES
from ctbnlab.presentation.report.captions import caption_of, ordered
from ctbnlab.presentation.report.embedded import picture, tables_of
from ctbnlab.presentation.report.markup import (
    Html,
    folded,
    joined,
    name,
    number_tiles,
    paragraph,
    plain_table,
)
from ctbnlab.presentation.report.page_layout import Part, Section, report_page
from ctbnlab.presentation.report.run_record import record
from ctbnlab.presentation.report.wording import levels, listed

_BEST_NAMED = 3
# What tells one network from another; the other columns of a row's key tell how it was observed and learned.
_NETWORK = [column for column in KEY if column not in ("trajectories", "duration", "learner", "threads")]


@dataclass(frozen=True)
class ExperimentResults:
    """What the report of an experiment is made of."""

    config: Mapping[str, Any]
    environment: Mapping[str, Any]
    metrics: pd.DataFrame
    figures: Mapping[str, Path]
    tables: Sequence[Path]  # pages with tables, without the one that repeats all others
    claims: Path | None = None  # the page with the table of the paper's claims


def experiment_report(results: ExperimentResults) -> str:
    """Return the page."""
    cells = summary.summarise(results.metrics, results.config.get("reference"))
    names = ordered(list(results.figures))
    sections = [
        Section("Summary", _summary(results, cells, names[:1])),
        *_comparison(results, cells),
        *_claims(results),
        Section("Learners", _learners(results, cells)),
        *_figures(results, names[1:]),
        *_tables(results),
        Section("Failures", _failures(results)),
        record(results.config, results.environment),
    ]
    return report_page(results.config["experiment"], "Structure learning experiment", sections)


# ---- The first screen ----


def _summary(results: ExperimentResults, cells: pd.DataFrame, main: Sequence[str]) -> Html:
    sentences = [_what_was_run(results), _what_is_done(results), _best(results, cells)]
    sentences += _agreement_sentence(results, cells)
    pictures = [_picture(results, figure) for figure in main]
    lead = paragraph(joined([sentence for sentence in sentences if sentence], " "), class_="lead")
    return joined([lead, _tiles(results, cells), *pictures])


def _what_was_run(results: ExperimentResults) -> Html:
    metrics = results.metrics
    networks = len(metrics[_NETWORK].drop_duplicates())
    states = sorted(set(metrics["states"]), key=summary.states_key)
    learners = counted(metrics["learner"].nunique(), "learner")
    return joined(
        [
            f"{learners} ran on {counted(networks, 'network')} of {levels(metrics['nodes'])} nodes "
            f"with {listed(states, 'or')} states per variable and density {levels(metrics['density'])}, "
            f"each observed on {levels(metrics['trajectories'])} trajectories of "
            f"{levels(metrics['duration'])} time units."
        ]
    )


def _what_is_done(results: ExperimentResults) -> str:
    statuses = results.metrics["status"].value_counts()
    rows, done = len(results.metrics), int(statuses.get("done", 0))
    if done == rows:
        return f"All {rows:,} runs finished."
    others = [f"{int(number):,} {status}" for status, number in statuses.items() if status != "done"]
    return f"{done:,} of {rows:,} runs finished; {', '.join(others)}."


def _best(results: ExperimentResults, cells: pd.DataFrame) -> Html:
    """Return the mean F1 of the best learners."""
    done = results.metrics[results.metrics["status"] == "done"]
    means = done.groupby("learner")["f1"].mean().dropna()
    labels = [label for label in summary.learners(cells) if label in means.index]
    best = sorted(labels, key=lambda label: -means[label])[:_BEST_NAMED]
    if not best:
        return Html()
    named = [joined([name(summary.display_name(label)), f" {means[label]:.3f}"]) for label in best]
    what = "Mean F1 over all networks" if len(labels) <= _BEST_NAMED else "Highest mean F1"
    return joined([f"{what}: ", listed(named), "."])


def _agreement_sentence(results: ExperimentResults, cells: pd.DataFrame) -> list[str]:
    reference = results.config.get("reference")
    if reference == "big":
        speed = overview.speed_rows(cells).body
        if not speed:
            return []
        learner, nodes, cores, ours, paper, _ = max(speed, key=lambda row: (int(row[1]), -int(row[2])))
        return [f"{learner} on {nodes} nodes takes {ours} on {_cores(cores)}; the paper reports {paper}."]
    judged = _judged(cells)
    if judged.empty:
        return []
    within = int((judged["agreement"] == summary.WITHIN).sum())
    return [f"F1 agrees with the published value in {within} of {len(judged)} cells."]


def _cores(number: str) -> str:
    return "one core" if number == "1" else f"{number} cores"


def _judged(cells: pd.DataFrame) -> pd.DataFrame:
    return cells[cells["agreement"].isin((summary.WITHIN, summary.BEYOND))]


def _tiles(results: ExperimentResults, cells: pd.DataFrame) -> Html:
    metrics = results.metrics
    done = int((metrics["status"] == "done").sum())
    tiles = {
        "Networks": f"{len(metrics[_NETWORK].drop_duplicates()):,}",
        "Learners": f"{metrics['learner'].nunique():,}",
        "Runs finished": f"{done:,} of {len(metrics):,}",
    }
    judged = _judged(cells)
    if not judged.empty:
        within = int((judged["agreement"] == summary.WITHIN).sum())
        tiles["Cells as published"] = f"{within} of {len(judged)}"
    return number_tiles(tiles)


# ---- The sections ----


def _comparison(results: ExperimentResults, cells: pd.DataFrame) -> list[Section]:
    """Return the section that compares the results with the published values, if the config asks for it."""
    reference = results.config.get("reference")
    if reference is None:
        return []
    if reference == "big":
        speed = overview.speed_rows(cells)
        if not speed.body:
            return []
        table = plain_table(*speed, label="Time compared with the paper", numeric=range(1, 6))
        notes = [paragraph(note, class_="note") for note in overview.speed_notes()]
        return [Section("Time compared with the paper", joined([table, *notes]))]
    title = "Agreement with the paper"
    compared = cells[cells["agreement"].notna()]
    if compared.empty:
        return [Section(title, paragraph(overview.NOT_COMPARED))]
    intro = paragraph(
        "Cells of the design whose F1 agrees with the published one, and cells where it does not."
    )
    table = plain_table(*overview.agreement_rows(compared), label=title, numeric=range(1, 5))
    note = paragraph(overview.verdict_note(compared), class_="note")
    beyond = overview.beyond_rows(compared)
    differing = Html()
    if beyond.body:
        details = plain_table(*beyond, label="Cells beyond spread", numeric=range(2, 10))
        differing = folded(f"{counted(len(beyond.body), 'cell')} beyond spread", details)
    return [Section(title, joined([intro, table, note, differing]))]


def _claims(results: ExperimentResults) -> list[Section]:
    if results.claims is None:
        return []
    return [Section("Claims of the paper", joined([table for _, table in tables_of(results.claims)]))]


def _learners(results: ExperimentResults, cells: pd.DataFrame) -> Html:
    head, body = overview.learner_rows(results.metrics, cells)
    rows = [[name(row[0]), *row[1:]] for row in body]
    intro = paragraph("Means over all networks that the learner finished, of any size and density.")
    return joined([intro, plain_table(head, rows, label="Learners", numeric=range(1, len(head)))])


def _figures(results: ExperimentResults, names: Sequence[str]) -> list[Section]:
    parts = tuple(Part(caption_of(figure).title, _picture(results, figure)) for figure in names)
    return [Section("Figures", Html(), parts)] if parts else []


def _picture(results: ExperimentResults, figure: str) -> Html:
    caption = caption_of(figure)
    words = caption.text(results.config.get("reference") is not None)
    return picture(results.figures[figure], f"{caption.title}. {words}".strip(), words)


def _tables(results: ExperimentResults) -> list[Section]:
    """Return all tables, folded, in groups by what they measure."""
    groups: dict[str, list[Html]] = {title: [] for title in TITLES.values()}
    empty = [TITLES[metric] for metric in TITLES if not results.metrics[metric].notna().any()]
    for path in results.tables:
        for title, table in tables_of(path):
            group = next((known for known in TITLES.values() if title.startswith(known)), "Further tables")
            if group not in empty:
                groups.setdefault(group, []).append(folded(name(title), table))
    parts = tuple(
        Part(group, joined(tables), group.partition(":")[0]) for group, tables in groups.items() if tables
    )
    return [Section("Tables", Html(), parts)] if parts else []


def _failures(results: ExperimentResults) -> Html:
    head, body = overview.failure_rows(results.metrics)
    if not body:
        return paragraph(f"None: all {len(results.metrics):,} runs finished.")
    rows = [[name(label), status, name(reason), number] for label, status, reason, number in body]
    intro = paragraph("Runs that gave no graph. Means and tables leave them out, and count them.")
    return joined([intro, plain_table(head, rows, label="Failures", numeric=(3,))])
