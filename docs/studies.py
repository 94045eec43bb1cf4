"""Blocks with results of benchmarks: tables of their rows, and their printed output (see `refresh`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

import pandas as pd
from blocks import BLOCKS, OURS, RESULTS, block

from ctbnlab.presentation.overview import two_digits
from ctbnlab.presentation.paper_tables import fraction
from ctbnlab.presentation.table_writers import markdown_table


def study(name: str) -> pd.DataFrame:
    """Return the rows that a benchmark wrote."""
    return pd.read_csv(RESULTS / f"{name}.csv")


@block
def families_table() -> str:
    """Show F1 of three learners on further families of networks."""
    found = study("robustness")
    means = found.pivot_table("f1", "family", "learner", sort=False)
    networks = found.groupby("family")["seed"].nunique()
    body = [
        [family, str(networks[family]), *(fraction(row[label]) for label in (OURS, "ctpc-chi2", "ctss"))]
        for family, row in means.iterrows()
    ]
    return markdown_table(["Family", "Networks", "`empirical-bayes`", "CTPC χ²", "CTSS"], body)


def _by_cell(name: str) -> Iterable[tuple[list[str], pd.DataFrame]]:
    for (nodes, states, density), rows in study(name).groupby(["nodes", "states", "density"], sort=False):
        yield [str(nodes), str(states), f"{density:g}"], rows


@block
def query_times() -> str:
    """Show the cost of exact answers by the number of joint states."""
    found = study("queries")
    body = []
    for _, row in found[found["steps"].notna()].iterrows():
        scipy = row["scipy_cpu_seconds"]
        body.append(
            [
                f"2<sup>{int(row['variables'])}</sup>",
                f"{int(row['steps'])}",
                f"{row['cpu_seconds']:.2g}",
                f"{int(row['mb'])}",
                "" if pd.isna(scipy) else f"{scipy:.2g} ({scipy / row['cpu_seconds']:.0f} ×)",
            ]
        )
    return markdown_table(["Joint states", "Steps", "CPU s", "MB", "SciPy, CPU s"], body)


@block
def cost_table() -> str:
    """Show the CPU time of our learner compared with CTPC."""
    body = []
    for cell, rows in _by_cell("cost"):
        means = rows.mean()
        parentless = rows["parentless"].max()
        body.append(
            [
                *cell, fraction(means["f1"]), fraction(means["f1_ctpc"]), f"{means['seconds']:.2f}",
                f"{means['seconds_ctpc']:.3f}", f"{means['times_ctpc']:.0f}",
                "–" if pd.isna(parentless) else f"{parentless:.1f}",
            ]
        )  # fmt: skip
    head = ["Nodes", "States", "Density", "F1", "F1, CTPC", "CPU time (s)", "CPU time, CTPC (s)", "Ratio"]
    return markdown_table([*head, "Parentless"], body)


@block
def dense_table() -> str:
    """Show our learner on dense networks with the seeds of the benchmarks."""
    body = [
        [
            *cell, str(len(rows)), fraction(rows["f1"].mean()), fraction(rows["f1"].min()),
            fraction(rows["f1_findable"].mean()), fraction(rows["f1_ctpc"].mean()),
            f"{rows['seconds'].mean():.0f}",
        ]
        for cell, rows in _by_cell("dense")
    ]  # fmt: skip
    head = ["Nodes", "States", "Density", "Networks", "F1", "Lowest F1", "F1, findable", "F1, CTPC"]
    return markdown_table([*head, "CPU time (s)"], body)


@block
def sizing_table() -> str:
    """Show the time and memory of learning jobs, by the size of the data."""
    found = study("sizing")
    labels = list(dict.fromkeys(found["learner"]))
    body = []
    for (nodes, states, events, size), rows in found.groupby(
        ["nodes", "states", "events", "data_mb"], sort=False
    ):
        seconds = rows.groupby("learner")["cpu_seconds"]
        memory = rows["peak_memory_mb"]
        body.append(
            [
                f"one of {nodes:,}" if rows["part"].any() else str(nodes), str(states),
                f"{events / 1e6:.1f} M", f"{size:,} MB",
                *(_range(seconds.get_group(label)) for label in labels),
                f"{memory.min():,}–{memory.max():,} MB",
            ]
        )  # fmt: skip
    head = ["Nodes", "States", "Events", "Data", *(f"`{name}`" for name in labels), "Memory"]
    return markdown_table(head, body)


def _range(seconds: pd.Series) -> str:
    texts = list(dict.fromkeys(f"{value:.2g}" for value in (seconds.min(), seconds.max())))
    return "–".join(texts) + " s"


@block
def tests_table() -> str:
    """Show F1 of CTPC with each test, and of our learner with and without its search."""
    found = study("tests_in_ctpc")
    labels = list(dict.fromkeys(found["learner"]))
    body = []
    for cell, rows in _by_cell("tests_in_ctpc"):
        f1 = rows.set_index("learner")["f1"]
        body.append([*cell, *(fraction(f1[label]) for label in labels)])
    return markdown_table(["Nodes", "States", "Density", *(f"`{name}`" for name in labels)], body)


def _hiton_labels(group: tuple[object, ...], settings: pd.Series) -> list[str]:
    kind, nodes, states, trajectories, duration = group
    what = f"{nodes} nodes, {states} states" if kind == "random" else str(settings.iloc[0])
    return [f"{kind}, {what}", f"{trajectories} × {duration}"]


@block
def hiton_table() -> str:
    """Show what HITON's order of tests gains in F1 and saves in tests, over the densities."""
    found = study("hiton")
    body = []
    for group, rows in found.groupby(["kind", "nodes", "states", "trajectories", "duration"], sort=False):
        row = _hiton_labels(group, rows["setting"])
        for test in ("chi2", "pooled"):
            tested = rows[rows["test"] == test].set_index("search")
            pc, hiton = (tested.loc[[search]] for search in ("pc", "hiton"))
            error = (hiton["standard_error"] ** 2).sum() ** 0.5 / len(hiton)
            gain = f"{round(hiton['gain'].mean(), 3) + 0.0:+.3f}".replace("-", "−")
            saved = hiton["tests"].sum() / pc["tests"].sum()
            row += [fraction(pc["f1"].mean()), f"{gain} ± {error:.3f}", f"{saved:.2f}"]
        body.append(row)
    columns = [f"{name}, {test}" for test in ("χ²", "pooled") for name in ("F1 `pc`", "`hiton`", "tests")]
    return markdown_table(["Networks", "Data", *columns], body)


@block
def hiton_times() -> str:
    """Return the CPU time of HITON relative to the paper's search, for random and for Boolean networks."""
    found = study("hiton").query("trajectories == 300")
    times = found.assign(random=found["kind"] == "random").groupby(["random", "search"])["seconds"].sum()
    random, boolean = (times[kind, "hiton"] / times[kind, "pc"] for kind in (True, False))
    return f"{random:.2f} times on random networks and {boolean:.2f} times on Boolean ones"


@block
def intervals_table() -> str:
    """Show how often intervals of 95% cover the truth, by the amount of data."""
    found = study("intervals")
    kinds = ("rate (ml)", "exit rate (ml)", "next state (ml)", "rate (bayes)")
    ratios = ("rate ratio (true graph)", "rate ratio (learned)")
    head = ["Rates", "States", "Trajectories", "Rate", "Exit rate", "Next state", "Rate, `bayes`"]
    body = []
    for (law, states, trajectories), rows in found.groupby(["law", "states", "trajectories"], sort=False):
        row = rows.set_index("quantity")
        cells = [_with_error(row.loc[kind]) if kind in row.index else "–" for kind in (*kinds, *ratios)]
        body.append([str(law), str(states), str(trajectories), *cells])
    return markdown_table([*head, "Ratio, true graph", "Ratio, learned"], body)


def _with_error(row: pd.Series) -> str:
    """Return a share in per cent with its standard error; few intervals with their number instead."""
    share = f"{100 * row['coverage']:.1f}"
    return (
        f"{share} ± {100 * row['standard_error']:.1f}"
        if row["intervals"] >= 200
        else f"{share} of {row['intervals']}"
    )


@block
def interval_priors_table() -> str:
    """Show how often intervals with other priors cover the truth."""
    found = study("interval_priors")
    priors = list(dict.fromkeys(found["prior"]))
    body = []
    for (states, trajectories), rows in found.groupby(["states", "trajectories"], sort=False):
        row = rows.set_index("prior")
        body.append([str(states), str(trajectories), *(_with_error(row.loc[prior]) for prior in priors)])
    return markdown_table(["States", "Trajectories", *(prior.capitalize() for prior in priors)], body)


@block
def log_loss_table() -> str:
    """Show the log loss of probabilities and of the earlier evidence, and the bins that are off."""
    found = study("arc_probabilities")
    body = []
    for setting, rows in found.groupby("setting", sort=False):
        loss = rows.groupby("source")["log_loss_of_all"].first()
        ours = rows[(rows["source"] == "probability") & (rows["pairs"] >= 100)]
        off = ours[(ours["mean_probability"] - ours["share_true"]).abs() > 0.05]
        off = off[(off["mean_probability"] - off["share_true"]).abs() > 2 * off["standard_error"]]
        listed = [f"{row.mean_probability:.2f}: {row.share_true:.2f}" for row in off.itertuples()]
        networks = str(rows["networks"].iloc[0])
        losses = [f"{loss[source]:.3f}" for source in ("probability", "gain before, as odds")]
        body.append([str(setting), networks, *losses, f"{len(ours)}", ", ".join(listed) or "none"])
    head = ["Data", "Networks", "Log loss", "Log loss of the gain", "Bins", "Bins that are off (said: true)"]
    return markdown_table(head, body)


@block
def discoveries_table() -> str:
    """Show the false discovery rate that each bound gives."""
    found = study("false_discoveries")
    body = []
    for setting, rows in found.groupby("setting", sort=False):
        row = rows.set_index("max_fdr")["false_discovery_rate"].astype(str)
        error = rows.set_index("max_fdr")["standard_error"].astype(str)
        bounds = ("0.05", "0.1", "0.2", "more likely than not")
        body.append([str(setting), *(f"{float(row[b]):.3f} ± {float(error[b]):.3f}" for b in bounds)])
    head = ["Data", "`--max-fdr 0.05`", "`--max-fdr 0.1`", "`--max-fdr 0.2`", "Default: above ½"]
    return markdown_table(head, body)


@block
def scarce_table() -> str:
    """Show F1 and the false discovery rate of each learner on few data."""
    found = study("scarce_data")
    learners = ("default", "ctss", "ctpc pooled", "default before")
    body = []
    for setting, rows in found.groupby("setting", sort=False):
        row = rows.set_index("learner")
        cells = [f"{row.f1[name]:.3f} ({row.false_discovery_rate[name]:.2f})" for name in learners]
        body.append([str(setting), str(rows["networks"].iloc[0]), *cells])
    head = ["Data", "Networks", "`empirical-bayes`", "CTSS", "CTPC pooled", "`empirical-bayes` 0.1.0"]
    return markdown_table(head, body)


def printed(benchmark: str) -> str:
    """Return the printed output of a benchmark."""
    text = (RESULTS / "benchmarks" / f"{benchmark}.txt").read_text(encoding="utf-8")
    return f"```text\n{text.rstrip()}\n```"


@block
def benchmark_formats() -> str:
    """Show the printed output, with numbers of rows per second rounded: a single run has no more digits."""

    def rounded(match: re.Match[str]) -> str:
        number = match[0]
        return two_digits(int(number.replace(",", ""))).rjust(len(number))

    return re.sub(r"\b\d{1,3}(,\d{3})+\b", rounded, printed("formats"))


for name in ("simulation", "startup", "learners"):
    BLOCKS[f"benchmark-{name}"] = partial(printed, name)
