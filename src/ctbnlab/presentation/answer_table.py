"""Answers as tables for a terminal."""

from __future__ import annotations

import math
from typing import Any

from ctbnlab.errors import printable
from ctbnlab.inference.answer import Answer
from ctbnlab.io.shown import counted
from ctbnlab.presentation import terminal
from ctbnlab.presentation.terminal import significant

MAX_LINES = 60
_MAX_TIMES = 7


def answer_lines(answer: Answer) -> list[str]:
    """Return the lines of an answer: times side by side if they fit, else a line per row."""
    rows = answer.rows()
    times = sorted({row["time"] for row in rows if row.get("time") is not None})
    plain = set(answer.columns) - {"time", answer.value}
    beside = 1 < len(times) <= _MAX_TIMES and not plain & {"standard_error", "low", "without", "quantity"}
    table = _by_time(answer, times) if beside else _by_row(answer)
    lines = terminal.table(table, right=[k for k in range(len(table[0])) if _is_number(table, k)])
    if len(lines) > MAX_LINES + 1:
        left = len(lines) - 1 - MAX_LINES
        lines = [*lines[: MAX_LINES + 1], f"… and {counted(left, 'more row')}: write them with -o"]
    return lines


def engine_line(answer: Answer) -> str:
    """Return how the answer was found, in one line."""
    about = answer.about
    parts = [f"Engine: {about.get('engine')}"]
    if "variables" in about:
        parts.append(counted(about["variables"], "variable that matters", "variables that matter"))
    if "joint_states" in about:
        parts.append(f"at most {counted(about['joint_states'], 'joint state')}")
    if "error" in about:
        parts.append(f"error below {max(about['error'], 1e-15):.1g}")
    if "samples" in about:
        parts.append(f"{counted(about['samples'], 'simulated copy', 'simulated copies')}")
    if "draws" in about:
        parts.append(
            f"{100 * about['level']:g}% intervals from {counted(about['draws'], 'draw')} of the rates"
        )
    if about.get("log_likelihood") is not None:
        parts.append(f"log-likelihood of the evidence {significant(about['log_likelihood'], 6)}")
    return ", ".join(parts)


def _by_row(answer: Answer) -> list[list[str]]:
    names = [name for name in answer.columns if any(v not in (None, "") for v in answer.columns[name])]
    return [[printable(name) for name in names]] + [
        [_cell(row[name]) for name in names] for row in answer.rows()
    ]


def _by_time(answer: Answer, times: list[float]) -> list[list[str]]:
    names = [name for name in answer.columns if name not in ("time", answer.value)]
    found: dict[tuple[Any, ...], dict[float, float]] = {}
    for row in answer.rows():
        found.setdefault(tuple(row[name] for name in names), {})[row["time"]] = row[answer.value]
    head = [*map(printable, names), *(f"t={t:g}" for t in times)]
    return [head] + [
        [*map(_cell, key), *(_cell(values.get(t)) for t in times)] for key, values in found.items()
    ]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return ("∞" if value > 0 else "–∞") if math.isinf(value) else terminal.number(value)
    return printable(str(value))


def _is_number(table: list[list[str]], k: int) -> bool:
    return all(row[k][:1] in "-–0123456789∞" for row in table[1:])
