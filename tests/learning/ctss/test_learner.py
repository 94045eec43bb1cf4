"""CTSS: exhaustive search equals brute force, hill climbing ends in a local maximum, knowledge holds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.learning.ctss.learner import Ctss
from ctbnlab.learning.ctss.search import ParentSetScores, best, focus_on_all, hill_climb
from ctbnlab.learning.knowledge import Knowledge, NodeKnowledge
from ctbnlab.learning.scores.bde import Bde, Hyperparameters
from ctbnlab.learning.scores.information import Aic, Bic, LogLikelihood
from tests.support.sample_tables import uniform_statistics
from tests.support.strategies import trajectories

SCORES = {"bde": Bde(), "bic": Bic(), "aic": Aic(), "log-likelihood": LogLikelihood()}


@st.composite
def random_statistics(draw, max_candidates=4):
    """Draw statistics whose rates depend on some candidates, with little or much data."""
    n = draw(st.integers(0, max_candidates))
    cardinalities = [draw(st.integers(1, 4)), *draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))]
    return uniform_statistics(
        np.random.default_rng(draw(st.integers(0, 2**32 - 1))),
        cardinalities,
        relevant=draw(st.sets(st.integers(1, n))) if n else (),
        time=draw(st.sampled_from([0.1, 1.0, 10.0, 200.0])),
        sparse=draw(st.booleans()),
    )


@st.composite
def knowledge_for(draw, statistics):
    """Draw prior knowledge: each candidate required, forbidden or open, and a limit on parents or none."""
    kinds = {
        j: draw(st.sampled_from(["open", "open", "open", "required", "forbidden"]))
        for j in statistics.candidates
    }
    required = tuple(j for j, kind in kinds.items() if kind == "required")
    limit = draw(st.one_of(st.none(), st.integers(len(required), len(kinds) + 1)))
    return NodeKnowledge(required, tuple(j for j, kind in kinds.items() if kind == "open"), limit)


def allowed_sets(knowledge):
    """Yield the parent sets that prior knowledge allows."""
    for k in range(knowledge.max_additions + 1):
        for added in itertools.combinations(knowledge.candidates, k):
            yield tuple(sorted(knowledge.required + added))


def brute_force(statistics, score, knowledge, penalty=0.0):
    """Score every allowed parent set from the joint table alone."""
    return {
        parents: score.node_score(statistics.joint.marginal(parents), statistics.n_events)
        - penalty * len(parents)
        for parents in allowed_sets(knowledge)
    }


def neighbours(parents, knowledge):
    """Yield the allowed parent sets that are one addition, removal or swap away."""
    max_parents = len(knowledge.required) + knowledge.max_additions
    outside = [j for j in knowledge.candidates if j not in parents]
    removable = [j for j in parents if j not in knowledge.required]
    for removed in removable:
        yield tuple(p for p in parents if p != removed)
        yield from (tuple(sorted({*parents, added} - {removed})) for added in outside)
    if len(parents) < max_parents:
        yield from (tuple(sorted((*parents, added))) for added in outside)


@settings(max_examples=300)
@given(st.data(), random_statistics(), st.sampled_from(sorted(SCORES)), st.sampled_from([0.0, 2.5]))
def test_exhaustive_search_equals_brute_force(draw, statistics, name, penalty):
    knowledge = draw.draw(knowledge_for(statistics))
    scores = brute_force(statistics, SCORES[name], knowledge, penalty)
    result = Ctss(criterion=name, search="exhaustive", penalty=penalty, max_parents=9).learn_node(
        statistics, knowledge
    )
    assert result.parents == best(scores)
    assert scores[result.parents] == pytest.approx(max(scores.values()), rel=1e-9, abs=1e-9)
    check_contract(result, statistics, knowledge)


def test_exhaustive_search_allows_three_parents_by_default():
    statistics = uniform_statistics(np.random.default_rng(1), [2] * 6, relevant=(1, 2, 3, 4), time=500)
    nothing_known = NodeKnowledge((), (1, 2, 3, 4, 5))
    assert len(Ctss(search="exhaustive").learn_node(statistics, nothing_known).parents) == 3
    assert Ctss(search="exhaustive", max_parents=5).learn_node(statistics, nothing_known).parents == (
        1,
        2,
        3,
        4,
    )
    required = NodeKnowledge((2, 3, 4, 5), (1,))
    assert Ctss(search="exhaustive").learn_node(statistics, required).parents == (2, 3, 4, 5)


@settings(max_examples=500)
@given(
    st.data(),
    random_statistics(max_candidates=5),
    st.sampled_from(sorted(SCORES)),
    st.sampled_from([0, 3]),
    st.sampled_from([0, 2]),
)
def test_hill_climbing_ends_in_a_local_maximum(draw, statistics, name, tabu, restarts):
    knowledge = draw.draw(knowledge_for(statistics))
    result = Ctss(criterion=name, tabu=tabu, restarts=restarts).learn_node(statistics, knowledge)
    scores = brute_force(statistics, SCORES[name], knowledge)
    highest = scores[result.parents]
    for other in neighbours(result.parents, knowledge):
        assert scores[other] <= highest + 1e-9 * max(1, abs(highest)), other
    check_contract(result, statistics, knowledge)


class Landscape:
    """A score by parent set, independent of the data."""

    def __init__(self, scores, elsewhere=0.0):
        self.scores = scores
        self.elsewhere = elsewhere

    def node_score(self, statistics, n_events):
        return self.scores.get(statistics.parents, self.elsewhere)


ANY_STATISTICS = uniform_statistics(np.random.default_rng(0), [2, 2, 2, 2, 2])


@settings(max_examples=300)
@given(st.data(), st.integers(0, 2**32 - 1), st.sampled_from([0, 2]), st.sampled_from([0, 2]))
def test_searches_with_random_scores(draw, seed, tabu, restarts):
    """Scores have no pattern, and some are equal, so that every kind of move is needed."""
    knowledge = draw.draw(knowledge_for(ANY_STATISTICS))
    rng = np.random.default_rng(seed)
    scores = {parents: float(rng.integers(0, 40)) for parents in allowed_sets(knowledge)}
    score = Landscape(scores)
    climbed = Ctss(criterion=score, tabu=tabu, restarts=restarts).learn_node(ANY_STATISTICS, knowledge)
    highest = scores[climbed.parents]
    assert all(scores[other] <= highest for other in neighbours(climbed.parents, knowledge))
    exhaustive = Ctss(criterion=score, search="exhaustive", max_parents=4).learn_node(
        ANY_STATISTICS, knowledge
    )
    best_sets = [parents for parents, value in scores.items() if value == max(scores.values())]
    assert exhaustive.parents == min(best_sets, key=lambda p: (len(p), p))


def test_every_kind_of_move_is_made():
    nothing_known = NodeKnowledge((), (1, 2, 3, 4))
    swap = Landscape({(): 1.0, (1,): 2.0, (3,): 2.0, (1, 3): 3.0, (2, 3): 4.0})
    assert Ctss(criterion=swap).learn_node(ANY_STATISTICS, nothing_known).parents == (2, 3)
    removal = Landscape({(1,): 2.0, (1, 2): 3.0, (1, 2, 3): 4.0, (2, 3): 5.0})
    assert Ctss(criterion=removal).learn_node(ANY_STATISTICS, nothing_known).parents == (2, 3)


def test_tabu_search_does_not_go_back():
    """The best set is three steps away, through lower scores; a shorter memory lets the search go back."""
    valley = Landscape({(): 0.0, (1,): -1.0, (1, 2): -2.0, (1, 2, 3): 10.0}, elsewhere=-100.0)
    nothing_known = NodeKnowledge((), (1, 2, 3, 4))
    assert Ctss(criterion=valley).learn_node(ANY_STATISTICS, nothing_known).parents == ()
    assert Ctss(criterion=valley, tabu=1).learn_node(ANY_STATISTICS, nothing_known).parents == ()
    assert Ctss(criterion=valley, tabu=3).learn_node(ANY_STATISTICS, nothing_known).parents == (1, 2, 3)


def check_contract(result, statistics, knowledge):
    """Check that knowledge is honoured and that every other variable has evidence with a plausible gain."""
    assert set(knowledge.required) <= set(result.parents) <= {*knowledge.required, *knowledge.candidates}
    assert result.parents == tuple(sorted(result.parents))
    if knowledge.max_parents is not None:
        assert len(result.parents) <= knowledge.max_parents
    assert [e.candidate for e in result.evidence] == list(statistics.candidates)
    for e in result.evidence:
        assert e.kept == (e.candidate in result.parents)
        if e.candidate in knowledge.required:
            assert e.why == "required"
            assert e.gain is not None
        elif e.kept:
            assert e.why == "raises the score"
            assert e.gain > 0
        elif e.candidate not in knowledge.candidates:
            assert (e.why, e.gain) == ("forbidden", None)
        elif e.why == "dropped: max_parents reached":
            assert e.gain > 0
            assert len(result.parents) == knowledge.max_parents
        else:
            assert e.gain <= 1e-6
    assert result.counts["scores"] >= 1


def test_gains_are_differences_of_scores():
    statistics = uniform_statistics(np.random.default_rng(2), [3, 2, 3, 2, 2], relevant=(1, 3), time=100)
    score = Bde(Hyperparameters(prior="spread", tau=0.1))
    result = Ctss(prior="spread", tau=0.1, penalty=4.0).learn_node(statistics, NodeKnowledge((), (1, 2, 3)))
    assert result.parents == (1, 3)
    scores = brute_force(statistics, score, NodeKnowledge((), (1, 2, 3, 4)), penalty=4.0)
    gains = [e.gain for e in result.evidence]
    assert gains[0] == pytest.approx(scores[1, 3] - scores[3,])
    assert gains[1] == pytest.approx(scores[1, 2, 3] - scores[1, 3])
    assert gains[2] == pytest.approx(scores[1, 3] - scores[1,])
    assert gains[3] is None


def test_of_equal_scores_the_fewest_and_first_parents_win():
    assert best({(1,): 5.0, (0, 2): 5.0 + 1e-12, (0,): 5.0 - 1e-12, (): 4.0}) == (0,)
    assert best({(3,): -1e9, (1, 2): -1e9 + 0.01}) == (3,)
    # Candidates 1 and 2 are copies of each other: only the diagonal of their joint table occurs.
    statistics = uniform_statistics(np.random.default_rng(3), [2, 2, 2])
    values = statistics.joint.values.reshape(2, 2, 2, 3)
    values[:] = 0
    values[0, 0] = [[100, 0, 200], [100, 150, 0]]
    values[1, 1] = [[100, 0, 400], [100, 300, 0]]
    for learner in (Ctss(), Ctss(search="exhaustive"), Ctss(tabu=4, restarts=3, seed=8)):
        assert learner.learn_node(statistics, NodeKnowledge((), (1, 2))).parents == (1,)


def test_each_step_needs_one_scan():
    """Removals and swaps are marginals: only additions need a scan."""
    statistics = uniform_statistics(np.random.default_rng(4), [2] * 9, relevant=(2, 5, 7), time=50)
    result = Ctss().learn_node(statistics, NodeKnowledge((), tuple(range(1, 9))))
    assert result.parents == (2, 5, 7)
    assert result.counts["steps"] == 3
    assert statistics.scans == 4


def test_tabu_and_restarts_escape_a_local_maximum():
    """With an exclusive or, neither parent helps alone, so that a climb from no parents ends at once."""
    statistics = uniform_statistics(np.random.default_rng(6), [2, 2, 2, 2], time=100)
    values = statistics.joint.values.reshape(2, 2, 2, 2, 3)
    values[:] = 0
    for a, b, c in np.ndindex(2, 2, 2):
        values[a, b, c] = [[100, 0, 200 + 100 * (a ^ b)], [100, 200 + 100 * (a ^ b), 0]]
    nothing_known = NodeKnowledge((), (1, 2, 3))
    assert Ctss().learn_node(statistics, nothing_known).parents == ()
    assert Ctss(tabu=3).learn_node(statistics, nothing_known).parents == (1, 2)
    assert Ctss(restarts=10).learn_node(statistics, nothing_known).parents == (1, 2)
    assert Ctss(search="exhaustive").learn_node(statistics, nothing_known).parents == (1, 2)


def test_restarts_depend_on_the_seed_and_the_node_alone():
    statistics = uniform_statistics(np.random.default_rng(7), [3, *[2] * 7], relevant=(1, 2, 3, 4, 5), time=2)
    learner = Ctss(restarts=5, seed=3)
    nothing_known = NodeKnowledge((), tuple(range(1, 8)))
    first = learner.learn_node(statistics, nothing_known)
    learner.learn_node(uniform_statistics(np.random.default_rng(8), [2, 2, 2]), NodeKnowledge((), (1, 2)))
    assert learner.learn_node(statistics, nothing_known) == first
    assert any(
        Ctss(restarts=5, seed=seed).learn_node(statistics, nothing_known).counts != first.counts
        for seed in range(5)
    )


def test_hill_climbing_can_start_anywhere():
    statistics = uniform_statistics(np.random.default_rng(9), [2] * 6, relevant=(1, 4), time=200)
    space = NodeKnowledge((), (1, 2, 3, 4, 5))
    for start in [(), (2,), (2, 3, 5), (1, 2, 3, 4, 5)]:
        assert hill_climb(ParentSetScores(statistics, Bde()), space, start).parents == (1, 4)


@settings(max_examples=100)
@given(
    st.data(),
    trajectories(max_variables=3, max_states=3, max_trajectories=3, plain=True),
    st.sampled_from(["hill-climbing", "exhaustive"]),
    st.sampled_from(sorted(SCORES)),
)
def test_degenerate_data_give_a_graph_and_notes(draw, data, search, name):
    """Data may have no events, one trajectory, one variable, a constant variable, or unseen states."""
    learner = Ctss(criterion=name, search=search)
    for target, known in enumerate(Knowledge().for_nodes(data.names)):
        statistics = NodeStatistics(data, target)
        result = learner.learn_node(statistics, known)
        check_contract(result, statistics, known)
        table = statistics.table(())
        if table.n_states == 1:
            assert "one state" in result.notes[0]
        elif not table.transitions.any():
            assert "never changes" in result.notes[0]
        if table.n_states == 1 or not table.transitions.any():
            assert result.parents == ()
        assert any("never visited" in note for note in result.notes) == bool((table.time == 0).any())


def test_data_without_time_and_events():
    data = Trajectories.from_arrays(
        [("A", "xy"), ("B", "xyz")],
        offsets=[0, 0],
        start=[1],
        end=[1],
        initial=[[0, 1]],
        time=[],
        variable=[],
        new=[],
    )
    for target, known in enumerate(Knowledge.from_arcs(required=[("A", "B")]).for_nodes(data.names)):
        result = Ctss().learn_node(NodeStatistics(data, target), known)
        assert result.parents == ((), (0,))[target]
        assert "never changes" in result.notes[0]
        assert result.evidence[0].why == ("has one state only", "required")[target]


def test_empty_lists_of_arcs_equal_no_knowledge():
    statistics = uniform_statistics(np.random.default_rng(11), [2, 2, 3], relevant=(2,), time=20)
    names = ["X0", "X1", "X2"]
    empty = Knowledge.from_arcs(required=[], forbidden=[]).for_nodes(names)[0]
    assert empty == Knowledge().for_nodes(names)[0]
    assert Ctss().learn_node(statistics, empty) == Ctss().learn_node(
        statistics, Knowledge().for_nodes(names)[0]
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "bdeu"}, "unknown score 'bdeu'"),
        ({"search": "greedy"}, "unknown search 'greedy'"),
        ({"tau": 0}, "tau"),
        ({"alpha": -1.0}, "alpha"),
        ({"prior": "flat"}, "unknown prior"),
        ({"penalty": -0.5}, "penalty"),
        ({"penalty": float("nan")}, "penalty"),
        ({"max_parents": -1}, "max_parents"),
        ({"max_parents": 2.0}, "max_parents"),
        ({"tabu": True}, "tabu"),
        ({"restarts": "3"}, "restarts"),
        ({"seed": -4}, "seed"),
        ({"search": "exhaustive", "tabu": 3}, "tabu and restarts apply to hill climbing only"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        Ctss(**options)


def test_impossible_searches_are_refused():
    statistics = uniform_statistics(np.random.default_rng(13), [2, 2, 2], time=1)
    with pytest.raises(InputError, match="2 parents are required, but max_parents allows 1"):
        Ctss(max_parents=1).learn_node(statistics, NodeKnowledge((1, 2), ()))
    with pytest.raises(InputError, match="lower max_parents or use search=hill-climbing"):
        focus_on_all(statistics, NodeKnowledge((), tuple(range(1, 200)), 5))
