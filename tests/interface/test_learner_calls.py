"""What users of scikit-learn try with learners: each call, and what it gives."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import ctbnlab
from ctbnlab.learning.contract import Evidence, NodeResult
from ctbnlab.learning.held_out import predictive_network
from tests.support.sample_trajectories import times_multiplied

LEARNERS = [ctbnlab.EmpiricalBayes, ctbnlab.Ctpc, ctbnlab.Ctss]
CALLS = {
    "ctbnlab.Ctss().fit(data).graph_.arcs == graph.arcs": True,
    "ctbnlab.Ctss().fit(frame).graph_.arcs == graph.arcs": True,
    "ctbnlab.Ctss().fit([data[:20], data[20:]]).graph_.arcs == graph.arcs": True,
    "ctbnlab.Ctss().fit(data, None).graph_.arcs == graph.arcs": True,
    "ctbnlab.Ctss().fit(frame.rename(columns={'time': 'day'}), time='day').graph_.arcs == graph.arcs": True,
    "ctbnlab.Ctss().fit(data, forbid=[('Full', 'Hungry')]).graph_.parents['Hungry']": ("Eating",),
    "ctbnlab.Ctss().fit(data, forbid=['Full->Hungry']).graph_.parents['Hungry']": ("Eating",),
    "ctbnlab.Ctss().fit(data, forbid='*->Hungry').graph_.parents['Hungry']": (),
    "ctbnlab.Ctss().fit(data, require=['Eating->Hungry']).graph_.parents['Hungry']": ("Eating", "Full"),
    "ctbnlab.Ctss().fit(data, max_parents=0).graph_.arcs": [],
    "ctbnlab.Ctss().fit(data, static=[]).graph_.arcs == graph.arcs": True,
    "hasattr(ctbnlab.Ctss(), 'graph_')": False,
    "hasattr(learner, 'graph_')": True,
    "repr(ctbnlab.EmpiricalBayes())": "EmpiricalBayes()",
    "repr(ctbnlab.Ctpc(test='ks', alpha=0.01))": "Ctpc(test='ks', alpha=0.01)",
    "ctbnlab.Ctss(tabu=3).get_params()['tabu']": 3,
    "ctbnlab.Ctss().set_params(tabu=3)": ctbnlab.Ctss(tabu=3),
    "type(learner.log_).__name__": "DataFrame",
    "learner.log_.query('kept')[['from', 'to']].values.tolist()": [
        ["Hungry", "Eating"],
        ["Eating", "Full"],
        ["Full", "Hungry"],
    ],
    "learner.probabilities_.loc['Hungry', 'Eating'] > 0.99": True,
    "learner.network_.arcs == network.arcs": True,
    "learner.score(data) > ctbnlab.EmpiricalBayes().fit(data, max_parents=0).score(data)": True,
    "learner.score(frame) == learner.score(data)": True,
    "sorted(learner.seconds_)": ["Eating", "Full", "Hungry"],
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call(call, scope):
    assert eval(call, dict(scope)) == CALLS[call]


@pytest.mark.parametrize("result", ["graph_", "network_", "log_", "probabilities_", "checks_", "seconds_"])
@pytest.mark.parametrize("kind", LEARNERS)
def test_results_before_fit_say_to_call_fit(kind, result):
    assert not hasattr(kind(), result)
    with pytest.raises(ctbnlab.NotFittedError, match=f"this {kind.__name__} has no .*; call fit first"):
        getattr(kind(), result)


def test_a_score_before_fit_says_to_call_fit(scope):
    with pytest.raises(ctbnlab.NotFittedError, match="call fit first"):
        ctbnlab.Ctpc().score(scope["data"])


def test_other_names_are_no_results(scope):
    for learner in (ctbnlab.Ctss(), scope["learner"]):
        with pytest.raises(AttributeError, match="has no attribute 'graph'"):
            _ = learner.graph


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "order"}, "these trajectories have been read; give ties to ctbnlab.read"),
        ({"forbid": [("A",)]}, "write an arc as 'A->B' or"),
        ({"forbid": ["X->Full"]}, "forbidden arc X -> Full: unknown variable 'X'"),
        ({"forbid": ["Full->Hungry"], "knowledge": ctbnlab.Knowledge()}, "not both"),
        ({"patient": "id"}, "these trajectories have been read; give patient"),
    ],
)
def test_what_fit_refuses(options, message, scope):
    with pytest.raises(ctbnlab.InputError, match=message):
        ctbnlab.Ctss().fit(scope["data"], **options)


def test_simultaneous_changes_are_read_as_asked(scope):
    frame = scope["frame"].round({"time": 1}).drop_duplicates(["trajectory", "time"], keep="last")
    assert ctbnlab.Ctss().fit(frame).graph_.arcs
    with pytest.raises(ctbnlab.InputError):
        ctbnlab.Ctss().fit(frame, ties="error")


def test_options_are_set_together_and_checked():
    learner = ctbnlab.Ctpc(test="chi2")
    assert learner.independence_test.transitions == ctbnlab.ChiSquare()
    assert learner.set_params(test="ks", alpha=0.05) is learner
    assert learner == ctbnlab.Ctpc(test="ks", alpha=0.05)
    assert learner.independence_test == ctbnlab.Ctpc(test="ks", alpha=0.05).independence_test
    with pytest.raises(ctbnlab.InputError, match="Ctpc has no option 'tests'; did you mean 'test'"):
        learner.set_params(tests="ks")
    with pytest.raises(ctbnlab.InputError, match="alpha"):
        learner.set_params(alpha=2.0)
    assert learner == ctbnlab.Ctpc(test="ks", alpha=0.05)


def test_options_are_still_frozen():
    with pytest.raises(AttributeError, match="cannot assign to field 'tabu'"):
        ctbnlab.Ctss().tabu = 3
    with pytest.raises(AttributeError, match="cannot assign to field 'taboo'"):
        ctbnlab.Ctss().taboo = 3


@pytest.mark.parametrize("learner", [kind() for kind in LEARNERS] + [ctbnlab.Ctss(tabu=2, restarts=1)])
def test_clone_copies_options_and_no_results(learner, scope):
    learner = clone(learner).fit(scope["data"])
    check_is_fitted(learner)
    copied = clone(learner)
    assert copied == learner
    with pytest.raises(SklearnNotFittedError):
        check_is_fitted(copied)


def test_a_grid_search_finds_how_many_parents_there_are(scope):
    search = GridSearchCV(ctbnlab.Ctss(), {"max_parents": [0, 1], "tau": [0.5, 1.0]}, cv=3)
    search.fit(scope["data"])
    assert search.best_params_["max_parents"] == 1
    assert search.best_estimator_.graph_.arcs == scope["graph"].arcs
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert math.isfinite(search.score(scope["data"]))


def test_cross_validation_of_a_table_keeps_the_rows_of_a_trajectory_together(scope):
    frame = scope["frame"]
    scores = cross_val_score(ctbnlab.Ctss(), frame, cv=GroupKFold(4), groups=frame["trajectory"])
    whole = ctbnlab.Ctss().fit(scope["data"]).score(scope["data"])
    assert scores.shape == (4,)
    assert np.abs(scores - whole).max() < 0.1


def test_trajectories_are_split_for_training_and_testing(scope):
    train, test = train_test_split(scope["data"], test_size=10, random_state=1)
    learner = ctbnlab.Ctss().fit(train)
    assert sorted(part.ids[0] for part in (*train, *test)) == sorted(scope["data"].ids)
    assert learner.score(test) == learner.score(ctbnlab.concat(test))


def test_an_error_in_a_result_is_not_taken_for_a_missing_fit(scope):
    class Faulty(Chain):
        @property
        def late_(self):
            return self.graph_.no_such_thing

    with pytest.raises(ctbnlab.NotFittedError, match="this Faulty has no late_ yet"):
        _ = Faulty().late_
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = Faulty().fit(scope["data"]).late_


def test_a_learner_is_the_last_step_of_a_pipeline(scope):
    pipeline = Pipeline([("learn", ctbnlab.EmpiricalBayes())]).fit(scope["data"])
    assert pipeline["learn"].graph_.arcs == scope["graph"].arcs
    assert pipeline.score(scope["data"]) == scope["learner"].score(scope["data"])


def test_a_fitted_learner_is_pickled(scope):
    restored = pickle.loads(pickle.dumps(scope["learner"]))
    assert restored.graph_.to_json() == scope["graph"].to_json()
    assert restored.score(scope["data"]) == scope["learner"].score(scope["data"])
    assert restored.network_.equals(scope["learner"].network_)


@dataclass(frozen=True)
class Chain(ctbnlab.Estimator):
    """A learner as users write them: the variable before is the parent, if there is a step."""

    step: int = 1

    def learn_node(self, statistics, knowledge):
        parents = tuple(j for j in knowledge.candidates if self.step and j == statistics.target - self.step)
        evidence = (Evidence(j, j in parents, "by order") for j in (*knowledge.candidates,))
        return NodeResult(statistics.target, parents, tuple(evidence))


def test_a_learner_of_a_user_has_the_same_methods(scope):
    search = GridSearchCV(Chain(), {"step": [0, 1]}, cv=2).fit(scope["data"])
    assert search.best_params_ == {"step": 1}
    assert Chain().fit(scope["data"]).graph_.arcs == [("Eating", "Full"), ("Full", "Hungry")]


# ---- The score ----


def test_the_score_is_the_log_likelihood_per_event_under_positive_rates(scope):
    train, test = scope["data"][:40], scope["data"][40:]
    fitted = ctbnlab.EmpiricalBayes().fit(train)
    network = predictive_network(train, fitted)
    assert network.arcs == sorted(fitted.graph_.arcs)
    assert all((cims.table()[:, ~np.eye(2, dtype=bool)] > 0).all() for cims in network.cims)
    assert fitted.score(test) == pytest.approx(network.log_likelihood(test) / test.n_events)


def test_the_difference_of_scores_does_not_depend_on_the_unit_of_time(scope):
    def difference(data):
        full, empty = (ctbnlab.EmpiricalBayes().fit(data, max_parents=limit) for limit in (None, 0))
        return full.score(data) - empty.score(data)

    data = scope["data"]
    assert difference(times_multiplied(data, 60.0)) == pytest.approx(difference(data))


def test_a_transition_that_was_never_seen_has_a_finite_score():
    states = {"A": ["x", "y", "z"]}
    train = ctbnlab.read(pd.DataFrame({"id": 0, "time": [0.0, 1, 2, 3], "A": list("xyxy")}), states=states)
    other = ctbnlab.read(pd.DataFrame({"id": 0, "time": [0.0, 1, 2, 3], "A": list("xzyz")}), states=states)
    learner = ctbnlab.EmpiricalBayes().fit(train)
    assert math.isfinite(learner.score(other))
    assert learner.score(other) < learner.score(train)
    assert math.isfinite(learner.score(other[0:0]))


def test_data_get_the_clocks_that_the_learner_has_added():
    network = ctbnlab.generate(3, 2, 0.4, clock_cuts=(1.0, 2.0), seed=1)
    data = network.simulate(60, duration=4.0, seed=1)
    frame = data.to_dataframe().drop(columns="clock").drop_duplicates(["trajectory", "time"])
    learner = ctbnlab.EmpiricalBayes().fit(frame, clock="entry", periods=3)
    assert learner.graph_.roles.clocks
    assert learner.score(frame) == pytest.approx(learner.score(ctbnlab.read(frame)))
    assert math.isfinite(learner.score(frame))
