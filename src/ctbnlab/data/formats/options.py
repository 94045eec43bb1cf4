"""What a reader is asked to do with doubtful rows, and what it reports of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from ctbnlab.errors import InputError

TIES = ("error", "order", "jitter")
UNCHANGED = ("drop", "error")


@dataclass(frozen=True)
class Options:
    """What to do with changes at one instant and with rows that change nothing."""

    ties: str = "error"
    unchanged: str = "drop"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.ties not in TIES:
            raise InputError(f"ties are resolved by {', '.join(TIES)}, not {self.ties!r}")
        if self.unchanged not in UNCHANGED:
            raise InputError(f"unchanged is one of {', '.join(UNCHANGED)}, not {self.unchanged!r}")


@dataclass
class Report:
    """What a reader or writer did that its user should know."""

    notes: list[str] = field(default_factory=list)

    def dropped(self, count: int) -> None:
        """Note rows that were left out because they change nothing."""
        if count:
            rows = (
                "1 row that changes nothing was" if count == 1 else f"{count} rows that change nothing were"
            )
            self.notes.append(f"{rows} dropped")
