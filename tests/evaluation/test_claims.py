"""The paper's claims: counts of cells by hand, verdicts, and which experiments can decide them."""

from __future__ import annotations

import json

import pytest

from ctbnlab.evaluation.claims import ARTEFACT, FAILS, HOLDS, MOSTLY, Counts, claims, verdict
from tests.support import synthetic_metrics
from tests.support.synthetic_metrics import frame, row


def results(learner, missed, **design):
    """Return rows of networks with ten arcs: by (nodes, states, density), how many each network misses."""
    return [
        row(
            learner=learner, nodes=nodes, states=states, density=density, replicate=replicate, n_true=10,
            false_negatives=number, bic=-100.0 - number, cpu_seconds=design.get("seconds", 1.0),
            **{name: value for name, value in design.items() if name != "seconds"},
        )
        for (nodes, states, density), numbers in missed.items()
        for replicate, number in enumerate(numbers)
    ]  # fmt: skip


def decided(rows, reference="main"):
    """Return the claims by their first words."""
    return {" ".join(claim.claim.split()[:4]): claim for claim in claims(frame(rows), reference)}


CELLS = [(nodes, states, density) for nodes in (5, 10) for states in "23" for density in (0.1, 0.2)]


def test_cells_are_counted():
    ctss = results("ctss", dict.fromkeys(CELLS, (0, 0)))
    # Equal in one binary and in one ternary cell, and worse in all others.
    missed = dict.fromkeys(CELLS, (1, 0)) | {(5, "2", 0.1): (0, 0), (5, "3", 0.2): (0, 0)}
    found = decided(ctss + results("ctpc-chi2", missed))
    best = found["CTSS is the best"]
    assert best.here.startswith("F1 of CTSS higher in 3 of 4 cells, equal in 1, lower in 0 (in the published")
    assert (best.verdict, best.metric, best.learners) == (HOLDS, "f1", ("ctss", "ctpc-chi2"))
    more = found["CTPC is more accurate"]
    assert more.here.startswith("F1 of CTPC χ² higher in 0 of 4 cells, equal in 1, lower in 3")
    assert more.verdict == FAILS
    bic = found["By ΔBIC, CTSS is"]
    assert bic.here == "BIC of CTSS higher in 6 of 8 cells, equal in 2, lower in 0"
    precision = found["CTSS achieves a precision"]
    assert precision.here == "precision is 1 in 16 of 16 networks; the lowest is 1"


def test_the_published_tables_are_counted_too():
    cells = {
        (nodes, states, density): (0,) for nodes in (5, 10, 15) for states in "34" for density in (0.1, 0.4)
    }
    claim = decided(results("ctss", cells) + results("ctpc-chi2", cells))["CTPC is more accurate"]
    # 10 ternary and 10 quaternary nodes at 0.4, and 15 of either, have a higher published F1 of CTPC.
    assert claim.here == (
        "F1 of CTPC χ² higher in 0 of 12 cells, equal in 12, lower in 0 "
        "(in the published tables: higher in 4 of 12, lower in 8)"
    )


def test_cells_beyond_the_papers_design_do_not_count():
    rows = results("ctss", {(5, "2", 0.1): (0,)}) + results("ctpc-chi2", {(5, "2", 0.1): (0,)})
    rows += results("ctss", {(20, "4", 0.1): (0,)}, extension=True)
    rows += results("ctpc-chi2", {(20, "4", 0.1): (5,)}, extension=True)
    found = decided(rows)
    assert "CTPC is more accurate" not in found
    assert found["CTSS achieves a precision"].here.startswith("precision is 1 in 1 of 1 networks")


def test_times_and_trends():
    ctss = results("ctss", {cell: (3 if cell[2] == 0.2 else 0,) for cell in CELLS}, seconds=8.0)
    found = decided(ctss + results("ctpc-chi2", dict.fromkeys(CELLS, (1,)), seconds=2.0))
    time = found["Score-based and constraint-based algorithms"]
    assert time.here == (
        "CTSS takes 4 times the CPU time of CTPC χ² (median of 8 cells; 4 to 4); "
        "more than a factor of 2 apart in 8"
    )
    assert time.verdict == FAILS
    trend = found["Above two states CTPC"]
    # It rises with the density in both numbers of nodes, and with the nodes in neither density.
    assert "rises in 2 of 4 series of nodes or densities and falls in 0" in trend.here
    assert trend.verdict == HOLDS


@pytest.mark.parametrize(("with_bug", "expected"), [(True, ARTEFACT), (False, FAILS)])
def test_the_lead_of_chi2_is_an_artefact_of_the_bug(with_bug, expected):
    cell = (5, "3", 0.1)
    rows = results("ctpc-chi2", {cell: (1, 1)}) + results("ctpc-ks", {cell: (0, 0)})
    if with_bug:
        options = json.dumps({"conventions": "published"})
        rows += results("bug", {cell: (4, 4)}, algorithm="ctpc-ks", options=options)
    claim = decided(rows, "tests")["CTPC χ² performs marginally"]
    assert claim.verdict == expected
    assert "against KS as defined, F1 of CTPC χ² higher in 0 of 1 cells, lower in 1" in claim.here
    assert ("with the bug" in claim.here) == with_bug


def test_big_networks():
    (claim,) = claims(frame(synthetic_metrics.big()), "big")
    assert claim.verdict == FAILS
    assert "100 sparse binary nodes take" in claim.here


def test_verdicts():
    assert [verdict(n, 40) for n in (0, 2, 3, 10, 11)] == [HOLDS, HOLDS, MOSTLY, MOSTLY, FAILS]
    assert Counts(1, 0, 1).verdict == FAILS


def test_other_results_decide_nothing():
    rows = results("mine", {(5, "2", 0.1): (0,)})
    assert claims(frame(rows), "main") == claims(frame(rows), None) == []
    assert claims(frame([row(status="failed")]), "main") == []
