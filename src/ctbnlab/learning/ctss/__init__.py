"""CTSS, the score-based learner: `learner` has options, `search` hill climbing and exhaustive search."""
