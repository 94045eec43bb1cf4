"""Synthetic metrics, not measured: published values plus noise, from a seed."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd

from ctbnlab.evaluation import results_table, summary
from ctbnlab.evaluation.published import paper_values
from ctbnlab.evaluation.ranking import RankingCurve

OPTIONS = {"ctss": {"search": "tabu"}, "ctpc-chi2": {"alpha": 0.1}, "ctpc-ks": {"alpha": 0.1}}


def row(**given):
    """Return one row; the default is a perfect result for five binary nodes."""
    learner = given.get("learner", "ctss")
    base = {
        "experiment": "synthetic",
        "network": None,
        "nodes": 5,
        "states": "2",
        "density": 0.1,
        "trajectories": 300,
        "duration": 100.0,
        "replicate": 0,
        "scattered": 1,
        "extension": False,
        "learner": learner,
        "algorithm": given.get("algorithm", learner),
        "options": json.dumps(OPTIONS.get(learner, {})),
        "threads": 1,
        "timed": "thread",
        "status": "done",
        "reason": None,
        "n_true": 4,
        "events": 100_000,
        "version": "0",
    }
    base |= given
    if base["status"] == "done":
        base = with_counts(base)
    return base


def frame(rows):
    """Return rows as a table with all columns of metrics."""
    return pd.DataFrame(rows).reindex(columns=results_table.COLUMNS)


def cells_of(rows, reference=None):
    """Return the cells of rows, with the published values of `reference`."""
    return summary.summarise(frame(rows), reference)


def with_counts(base):
    """Add what follows from the counts of arcs; by default none is missed or invented."""
    missed, invented = base.get("false_negatives", 0), base.get("false_positives", 0)
    found = base["n_true"] - missed
    possible = base["nodes"] * (base["nodes"] - 1)
    measured = {"cpu_seconds": 1.0, "wall_seconds": 1.0, "peak_memory_mb": 100.0} | base
    return measured | {
        "n_learned": found + invented,
        "true_positives": found,
        "false_positives": invented,
        "false_negatives": missed,
        "true_negatives": possible - base["n_true"] - invented,
        "precision": found / (found + invented) if found + invented else 0.0,
        "recall": found / base["n_true"],
        "f1": 2 * found / (2 * found + missed + invented),
        "shd": missed + invented,
    }


def ranked(base):
    """Add the areas and the curve of the arcs: found ones, invented ones, then missed ones among the rest."""
    found, invented = base["true_positives"], base["false_positives"]
    true = (found, found, base["n_true"])
    false = (0, invented, invented + base["true_negatives"])
    curve = RankingCurve(true, false)
    areas = {"average_precision": curve.average_precision, "roc_auc": curve.roc_auc}
    return base | areas | {"curve_true_positives": list(true), "curve_false_positives": list(false)}


def _noisy(rng, base, f1, invents):
    """Return a row with F1 of about `f1`; the errors are invented or else missed arcs."""
    n, density = base["nodes"], base["density"]
    n_true = max(math.ceil(n / 2), int(rng.binomial(n * (n - 1) // base["scattered"], density)))
    target = float(np.clip(f1 + rng.normal(0, 0.3 * (1 - f1) + 0.002), 0.05, 1))
    missed = 0 if invents else round(n_true * (1 - target / (2 - target)))
    invented = round(n_true * 2 * (1 - target) / target) if invents else 0
    invented = min(invented, n * (n - 1) - n_true)
    states = sum(map(int, base["states"].split(","))) / len(base["states"].split(","))
    seconds = 2e-5 * n**2 * states**1.5 * (1 + 5 * density) * float(rng.lognormal(0, 0.2))
    if base["algorithm"] == "ctss":
        seconds *= 3
    bic = -1e5 * n * states
    full = with_counts(
        base
        | {"n_true": n_true, "false_negatives": missed, "false_positives": invented}
        | {"events": int(1e5 * n * states), "log_likelihood": bic * 0.99, "bic": bic}
        | {"delta_bic_percent": 0.0 if base["algorithm"] == "ctss" else -abs(rng.normal(0, 3)) * (1 - f1)}
        | {"cpu_seconds": seconds, "wall_seconds": seconds / base["threads"] ** 0.9}
        | {"peak_memory_mb": 60 + 1.4 * n + 8 * base["threads"], "n_parameters": 100 * n}
    )
    return ranked(full)


def main(seed=1, replicates=10):
    """Return rows of the main experiment: a user's learner, the extension, failures, a missing cell."""
    rng = np.random.default_rng(seed)
    table = paper_values.main_experiment()
    rows = []
    for learner in ("ctss", "ctpc-chi2", "my learner"):
        for nodes in (5, 10, 15, 20):
            for states in "234":
                for density in (0.1, 0.2, 0.3, 0.4):
                    known = table.get((learner, nodes, states, density))
                    f1 = known.value if known else 0.98 if learner == "my learner" else 0.6
                    if (learner, nodes, states, density) == ("ctss", 5, "3", 0.2):
                        continue
                    for replicate in range(replicates):
                        base = row(
                            learner=learner, nodes=nodes, states=states, density=density,
                            replicate=replicate, extension=nodes == 20 and states == "4", status="failed",
                        )  # fmt: skip
                        if base["extension"] and learner == "ctss" and replicate < 2:
                            rows.append(base | {"status": "timed out", "reason": "over 60 s"})
                        elif (nodes, states, density, replicate) == (10, "3", 0.4, 0) and learner == "ctss":
                            rows.append(base | {"reason": "ValueError: no such thing"})
                        else:
                            full = _noisy(rng, base | {"status": "done"}, f1, learner == "ctpc-chi2")
                            rows.append(full)
    return rows


def first(seed=2):
    """Return rows of the first experiment; KS follows the formula, and so differs from the published one."""
    rng = np.random.default_rng(seed)
    rows = []
    for key, known in paper_values.first_experiment().items():
        learner, nodes, states, density, trajectories = key
        f1 = 0.98 if learner == "ctpc-ks" and states == "3" else known.value
        for replicate in range(known.networks):
            base = row(
                learner=learner, nodes=nodes, states=states, density=density,
                trajectories=trajectories, replicate=replicate,
            )  # fmt: skip
            rows.append(_noisy(rng, base, f1, learner != "ctss"))
    return rows


def big(seed=3):
    """Return rows of the big networks on one core and on two."""
    rng = np.random.default_rng(seed)
    return [
        _noisy(
            rng,
            row(
                learner="ctpc-chi2", nodes=20 * parts, density=0.1, scattered=parts,
                threads=threads, replicate=replicate,
            ),
            0.99,
            True,
        )
        for parts in (1, 2, 3, 4, 5, 10)
        for threads in (1, 2)
        for replicate in range(3)
    ]  # fmt: skip


def significance(seed=4):
    """Return rows of the study of the significance level."""
    rng = np.random.default_rng(seed)
    rows = []
    for alpha in (1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2):
        for algorithm in ("ctpc-chi2", "ctpc-ks"):
            for states in "23":
                for density in (0.1, 0.3):
                    for replicate in range(5):
                        base = row(
                            learner=f"{algorithm}_alpha={alpha:g}", algorithm=algorithm, nodes=10,
                            states=states, density=density, replicate=replicate,
                            options=json.dumps({"alpha": alpha}),
                        )  # fmt: skip
                        f1 = (
                            0.97 - 0.03 * abs(math.log10(alpha) + 2) - (0.03 if algorithm == "ctpc-ks" else 0)
                        )
                        rows.append(_noisy(rng, base, f1, alpha > 0.01))
    return rows


def given_networks(seed=5, metrics=False):
    """Return cells, or rows, of two learners on networks that were given by name, at two sizes of data."""
    rng = np.random.default_rng(seed)
    parts = []
    for network, nodes in (("drug", 8), ("mammalian-cell-cycle", 10), ("budding-yeast", 11), ("eating", 3)):
        rows = [
            _noisy(
                rng,
                row(
                    learner=learner, nodes=nodes, trajectories=trajectories, replicate=replicate, density=0.2
                ),
                0.9 - 0.1 * (learner == "ctss") - 10 / trajectories,
                True,
            )
            for learner in ("ctss", "empirical-bayes")
            for trajectories in (50, 300)
            for replicate in range(3)
        ]
        table = frame(rows)
        parts.append((table if metrics else summary.summarise(table)).assign(network=network))
    return pd.concat(parts, ignore_index=True)
