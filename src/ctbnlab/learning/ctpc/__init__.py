"""CTPC, the constraint-based learner: `learner` has options, `search` and `hiton` the order of tests."""
