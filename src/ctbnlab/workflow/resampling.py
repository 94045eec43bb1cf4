"""The bootstrap of the user's own data: the files that it makes, and the arguments of its jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctbnlab.workflow.plan import Plan


class Resampling:
    """The jobs of the config's `bootstrap`; there are none without it."""

    def __init__(self, plan: Plan):
        self.plan = plan

    def folders(self) -> list[str]:
        """Return the folder of every learner that is run on resampled data: all but commands."""
        if self.plan.config.bootstrap is None:
            return []
        learners = self.plan.learners.items()
        return [f"{self.plan.root}/{label}" for label, learner in learners if learner.command is None]

    def results(self) -> list[str]:
        """Return the files that all bootstraps produce."""
        pictures = [f"frequencies.{ending}" for ending in self.plan.config.formats]
        names = ("bootstrap.json", "frequencies.csv", *pictures)
        return [f"{folder}/{name}" for folder in self.folders() for name in names]

    def batches(self) -> list[str]:
        """Return the files written by the jobs of one learner's bootstrap."""
        section = self.plan.config.bootstrap
        numbers = range(1, 1 if section is None else section.batches + 1)
        return [f"{self.plan.learner_folder}/bootstrap-{number}.json" for number in numbers]

    def replicates_per_batch(self) -> int:
        """Return the number of replicates of the largest batch."""
        section = self.plan.config.bootstrap
        return 0 if section is None else -(-section.replicates // section.batches)

    def arguments(self, wildcards: Any) -> str:
        """Return the options of `ctbnlab bootstrap` for one batch."""
        config = self.plan.config
        assert config.bootstrap is not None
        entry = self.plan.learners[wildcards.learner]
        options = {
            "replicates": config.bootstrap.replicates,
            "seed": config.seed,
            "learner": entry.algorithm,
        }
        words = self.plan.learner_arguments(entry, options)
        return f"{words} --replacement" if config.bootstrap.replacement else words
