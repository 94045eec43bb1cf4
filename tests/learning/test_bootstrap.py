"""The bootstrap: replicates are those of written-out samples, in one run and in batches of any size."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import ctbnlab
from ctbnlab.errors import InputError
from ctbnlab.learning.bootstrap import bootstrap, drawn
from ctbnlab.learning.bootstrap_result import Bootstrap, _interval, merged
from ctbnlab.learning.rate_ratio import Contrast

NETWORK = ctbnlab.generate(4, [2, 3], 0.4, seed=5)
DATA = ctbnlab.simulate(NETWORK, trajectories=30, duration=8.0, seed=6)
WHOLE = bootstrap(DATA, n=12)


def test_a_replicate_is_learned_from_the_drawn_trajectories(tmp_path):
    """A sample is written out row by row, under new labels, and read and learned as any other data."""
    frame = ctbnlab.to_dataframe(DATA)
    column = frame.columns[0]
    rows = dict(list(frame.groupby(column, sort=False)))
    labels = list(rows)
    for replicate in WHOLE.replicates[:3]:
        chosen = drawn(DATA, 1, replicate.number)
        lines = [rows[labels[i]].assign(**{column: f"sample {k}"}) for k, i in enumerate(chosen)]
        path = tmp_path / "sample.csv"
        path.write_text("".join(line.to_csv(index=False, header=k == 0) for k, line in enumerate(lines)))
        states = {variable.name: variable.states for variable in DATA.variables}
        sample = ctbnlab.read(path, states=states)
        assert sample.n_trajectories == DATA.n_trajectories // 2
        graph = ctbnlab.learn(sample, ctbnlab.EmpiricalBayes()).graph
        assert [(sample.index(a), sample.index(b)) for a, b in graph.arcs] == list(replicate.arcs)


def test_trajectories_are_drawn_with_replacement():
    size = DATA.n_trajectories
    counts = Counter(int(i) for number in range(1, 2001) for i in drawn(DATA, 3, number, replacement=True))
    assert set(counts) == set(range(size))
    # Each is drawn 2000 times on average, with a standard deviation of about 44.
    assert max(abs(count - 2000) for count in counts.values()) < 5 * 44
    samples = [drawn(DATA, 3, number, replacement=True) for number in range(1, 2001)]
    missing = np.mean([size - len(set(sample.tolist())) for sample in samples])
    assert missing / size == pytest.approx((1 - 1 / size) ** size, abs=0.01)
    assert (drawn(DATA, 3, 7) == drawn(DATA, 3, 7)).all()
    assert (drawn(DATA, 3, 7) != drawn(DATA, 3, 8)).any()
    assert (drawn(DATA, 4, 7) != drawn(DATA, 3, 7)).any()


def test_halves_are_drawn_without_replacement():
    data = DATA.subset(slice(21))
    counts = Counter(int(i) for number in range(1, 2001) for i in drawn(data, 3, number))
    assert all(len(set(drawn(data, 3, number).tolist())) == 10 for number in range(1, 50))
    # Each is in 10 of 21 samples: 952 times, with a standard deviation of 22.
    assert max(abs(count - 2000 * 10 / 21) for count in counts.values()) < 5 * 22
    found = bootstrap(DATA, n=3)
    sample = DATA.subset(drawn(DATA, 1, 2))
    arcs = ctbnlab.learn(sample, ctbnlab.EmpiricalBayes()).graph.arcs
    assert [(DATA.index(a), DATA.index(b)) for a, b in arcs] == list(found.replicates[1].arcs)
    assert Bootstrap.from_json(found.to_json()) == found
    with pytest.raises(InputError, match="of different bootstraps"):
        merged([found, bootstrap(DATA, n=3, replacement=True)])


def test_jobs_and_batches_do_not_change_the_result():
    assert bootstrap(DATA, n=12, jobs=3) == WHOLE
    assert bootstrap(DATA, n=12, graph=WHOLE.graph) == WHOLE
    batches = [bootstrap(DATA, n=12, which=range(a, b)) for a, b in ((8, 13), (1, 4), (4, 8))]
    assert merged(batches) == WHOLE
    assert bootstrap(DATA, n=5).replicates == WHOLE.replicates[:5]


def test_the_file_keeps_everything(tmp_path):
    WHOLE.write(tmp_path / "bootstrap.json")
    assert Bootstrap.read(tmp_path / "bootstrap.json") == WHOLE
    odd = replace(
        WHOLE,
        ratios=(WHOLE.ratios[0]._replace(contrast=None, value=None), *WHOLE.ratios[1:]),
        replicates=tuple(
            entry._replace(ratios=(None, float("inf"), *entry.ratios[2:])) for entry in WHOLE.replicates
        ),
    )
    odd.write(tmp_path / "odd.json")
    assert Bootstrap.read(tmp_path / "odd.json") == odd
    assert (odd.rows[0].low, odd.rows[0].contrast) == (None, "")


def test_frequencies_count_the_graphs_of_the_replicates():
    frame = WHOLE.frequencies
    names = DATA.names
    assert len(frame) == 4 * 3
    arcs = set(WHOLE.graph.arcs)
    for row in frame.itertuples(index=False):
        source, target, frequency, kept = row[:4]
        arc = names.index(source), names.index(target)
        assert frequency == np.mean([arc in replicate.arcs for replicate in WHOLE.replicates])
        assert kept == ((source, target) in arcs)
        assert kept == (row.low <= row.high)  # NaN for an arc that is not in the graph
    assert frame[frame.kept].frequency.min() > frame[~frame.kept].frequency.mean()


def test_an_interval_holds_95_percent_of_the_replicates():
    values = np.random.default_rng(1).permutation(np.arange(1.0, 201.0))
    assert _interval(list(values)) == (5.0, 195.0)
    assert _interval([None, float("nan")]) == (None, None)
    assert _interval([1.0, float("inf"), float("nan")]) == (1.0, float("inf"))


def test_states_of_a_contrast_are_named():
    k, ratio = next((k, ratio) for k, ratio in enumerate(WHOLE.ratios) if ratio.contrast is not None)
    replaced = ratio._replace(contrast=Contrast(1, 0, 0, 1))
    found = replace(WHOLE, ratios=(*WHOLE.ratios[:k], replaced, *WHOLE.ratios[k + 1 :]))
    row = next(row for row in found.rows if row.contrast)
    assert row.contrast == "0 → 1: 1 against 0"


@pytest.mark.parametrize(
    ("trajectories", "options", "message"),
    [
        (1, {}, "has only one trajectory; a bootstrap draws whole trajectories and needs at least 10"),
        (9, {}, "has 9 trajectories; a bootstrap"),
        (30, {"n": 0}, "the number of replicates must be from 1"),
        (30, {"jobs": 0}, "the number of jobs must be from 1"),
        (30, {"seed": -1}, "the seed must be at least 0"),
        (29, {"graph": WHOLE.graph}, "was learned from other data"),
        (30, {"graph": replace(WHOLE.graph, nodes=WHOLE.graph.nodes[:2])}, "is a part of a graph"),
    ],
)
def test_refusals(trajectories, options, message):
    with pytest.raises(InputError, match=message):
        bootstrap(DATA.subset(slice(trajectories)), **{"n": 2, **options})


def test_batches_that_do_not_belong_together_are_refused():
    first = bootstrap(DATA, n=12, which=range(1, 6))
    with pytest.raises(InputError, match="no batches to merge"):
        merged([])
    with pytest.raises(InputError, match="5 of 12 replicates: merge all batches"):
        merged([first])
    with pytest.raises(InputError, match="replicate 1 is in two batches"):
        merged([first, WHOLE])
    with pytest.raises(InputError, match="of different bootstraps"):
        merged([first, replace(WHOLE, seed=2)])


def changed(**members):
    return {**WHOLE.to_json(), **members}


def with_replicate(**members):
    first, *others = WHOLE.to_json()["replicates"]
    return changed(replicates=[{**first, **members}, *others])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "is not a bootstrap"),
        ({"format": "ctbnlab.graph"}, "is not a bootstrap"),
        (changed(version=2), "has format version 2; this ctbnlab reads version 1"),
        (changed(ratios=[]), "its ratios are not those of the arcs"),
        (changed(replicates=[]), "are not numbered in order"),
        (changed(n=3), "are not numbered in order"),
        (changed(n="12"), "'n' must be a number"),
        (with_replicate(number=2), "are not numbered in order"),
        (with_replicate(**{"from": ["A"]}), "'A' is not a variable of its graph"),
        (with_replicate(**{"from": [], "to": [DATA.names[0]]}), "have different lengths"),
        (with_replicate(rate_ratios=[]), "have different lengths"),
        (with_replicate(rate_ratios=[-1.0] * len(WHOLE.ratios)), "-1.0 is not a rate ratio"),
        (with_replicate(rate_ratios=["many"] * len(WHOLE.ratios)), "'many' is not a rate ratio"),
        (changed(ratios=[{**row, "state": 9} for row in WHOLE.to_json()["ratios"]]), "no state number 9"),
    ],
)
def test_damaged_files_are_refused(content, message, tmp_path):
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=message) as refusal:
        Bootstrap.read(path)
    assert "damaged.json" in str(refusal.value)


def test_one_replicate_per_line(tmp_path):
    WHOLE.write(tmp_path / "bootstrap.json")
    lines = (tmp_path / "bootstrap.json").read_text().splitlines()
    assert sum(line.strip().startswith('{"number":') for line in lines) == 12
