"""The warnings of model checks as lines of text: one per kind, with the variables that have it."""

from __future__ import annotations

from collections.abc import Iterable

from ctbnlab.errors import printable
from ctbnlab.learning.contract import Check
from ctbnlab.model.names import quoted

MAX_NAMES = 5


def warning_lines(checks: Iterable[Check]) -> list[str]:
    """Return one line per kind of warning: what is wrong, with which variables, and what helps."""
    groups: dict[tuple[str, str, str], list[Check]] = {}
    for check in checks:
        if check.warns:
            what, _, size = check.message.partition(" (")
            # The size is that of one variable; a line for all of the data keeps it.
            groups.setdefault((what, check.advice, "" if check.variable else size), []).append(check)
    return [_line(members) for members in groups.values()]


def _line(members: list[Check]) -> str:
    first = members[0]
    advice = f"; try {first.advice}" if first.advice.startswith("--") else ""
    if first.advice and not advice:
        advice = f"; {first.advice}"
    if first.variable is None:
        return printable(first.message + advice)
    what, _, size = first.message.partition(" (")
    strongest = sorted(members, key=lambda check: -check.statistic)
    names = [quoted(str(check.variable)) for check in strongest[:MAX_NAMES]]
    size = strongest[0].message.partition(" (")[2]
    if size:
        names[0] += f" ({size}"
    more = f" and {len(members) - MAX_NAMES} more" if len(members) > MAX_NAMES else ""
    return printable(f"{what}: {', '.join(names)}{more}{advice}")
