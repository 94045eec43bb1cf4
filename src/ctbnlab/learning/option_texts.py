"""What each option of the built-in learners means, in one sentence with its unit.

A learner of your own describes its options in the metadata of its fields:
`alpha: float = field(default=0.05, metadata={"help": "level of the test"})`.
"""

from __future__ import annotations

import dataclasses

_EMPIRICAL_BAYES = {
    "max_fdr": "keep the most probable arcs, with at most this expected share of false ones (0 to 1); none "
    "keeps the arcs that are more likely than not; the same as --max-fdr",
    "density": "share of the possible arcs that are present, known beforehand (0 to 1); none estimates it",
    "passes": "largest number of passes over samples of the events, per node and search",
    "pairs": "pairs of events and controls per pass",
    "ratio": "controls per event",
    "largest_table": "largest table of counts that is scored, in numbers of 8 bytes",
    "memory": "memory for counting, in bytes; several times faster if tables fit a quarter of it",
    "budget_seconds": "stop the search of a node after this CPU time, in seconds; none is no limit",
    "budget_scores": "stop the search of a node after this number of scores; none is no limit",
}
_CTPC = {
    "test": "how transitions are compared: chi2, ks, pooled, dm, or your own file.py",
    "conventions": "which text or program of the paper is followed: paper-2020, published, paper-2021, text "
    "or corrected",
    "alpha": "level of the tests, a probability; none is 0.1, 0.0001 for transitions by ks, 0.01 for pooled "
    "and dm",
    "alpha_waiting": "level of the test of waiting times, a probability; none is alpha",
    "alpha_transitions": "level of the test of transitions, a probability; none is alpha",
    "stable": "remove arcs only after each size of separating sets, so that the order of variables does not "
    "matter",
    "max_separating_set": "largest number of variables in a separating set; none is no limit",
    "max_work": "largest work per node, in cells of tables read and random numbers drawn; arcs that are not "
    "tested by then stay; none is no limit",
    "search": "order of tests: pc removes candidates level by level, as in the paper; hiton admits them one "
    "by one, in order of strength",
}
_CTSS = {
    "criterion": "score to maximise: bde, bic, aic, log-likelihood, or your own file.py",
    "search": "hill-climbing or exhaustive",
    "max_parents": "largest number of parents per variable; none is no limit for hill climbing and 3 for "
    "exhaustive search",
    "tau": "bde: prior time in a state, in the unit of time of the data",
    "alpha": "bde: number of transitions that the prior is worth",
    "prior": "bde: alpha and tau for each configuration of parents (constant), or spread over them (spread)",
    "penalty": "what each parent costs, in nats of the score",
    "tabu": "hill climbing: steps to continue without a new best set, while as many of the latest sets are "
    "avoided; 0 stops at the first peak",
    "restarts": "hill climbing: number of restarts from random sets of parents",
    "seed": "hill climbing: random seed of the restarts",
}
_BY_CLASS = {"EmpiricalBayes": _EMPIRICAL_BAYES, "Ctpc": _CTPC, "Ctss": _CTSS}


def meaning(learner: type, option: dataclasses.Field[object]) -> str:
    """Return what an option of a learner means; nothing if its author does not say."""
    own = option.metadata.get("help")
    if isinstance(own, str):
        return own
    if not learner.__module__.startswith("ctbnlab.learning."):
        return ""
    return _BY_CLASS.get(learner.__name__, {}).get(option.name, "")
