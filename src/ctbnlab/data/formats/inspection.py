"""Look at a table and suggest how to read it: its layout, the roles of its columns, what has to be cut.

Only the first rows are looked at, and nothing is decided: the suggestion is a command for the user to judge.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.formats.cell_values import MISSING_VALUES, is_date
from ctbnlab.data.formats.columns import is_end_point, is_row_name, recognise, role_columns
from ctbnlab.data.formats.cutting import parsed
from ctbnlab.data.formats.detect import layout_of
from ctbnlab.data.formats.labels import MAX_NUMBERS, Labels
from ctbnlab.data.formats.layouts.person import status_columns
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Source
from ctbnlab.errors import InputError

_MIN_PERIODS = 4


class ColumnFacts(NamedTuple):
    """One column in the first rows of a table."""

    name: str
    kind: str  # dates, whole numbers, numbers, text, or empty
    n_distinct: int
    n_missing: int
    examples: tuple[str, ...]
    codes: NDArray[np.int64]  # of each row's value; -1 if it is missing

    @property
    def is_measured(self) -> bool:
        """Whether the numbers have fractions, or are too many to be states."""
        return self.kind == "numbers" or (self.kind == "whole numbers" and self.n_distinct > MAX_NUMBERS)


@dataclass
class Suggestion:
    """How a table could be read: options of the commands, and remarks."""

    layout: str | None
    reason: str
    options: dict[str, str] = field(default_factory=dict)
    cut: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    def words(self) -> list[str]:
        """Return the options as words of a command line."""
        words = [] if self.layout is None else ["--layout", self.layout.replace("_", "-")]
        for name, value in self.options.items():
            words += [f"--{name}", value]
        for cut in self.cut:
            words += ["--cut", cut]
        return words


@dataclass(frozen=True)
class Inspection:
    """What the first rows of a table hold, and a suggestion; rows is the number looked at."""

    columns: tuple[ColumnFacts, ...]
    rows: int
    suggestion: Suggestion


def inspected(path: Path) -> Inspection | None:
    """Look at a file; None if it holds events, which need no explanation."""
    from ctbnlab.data.formats.reading import locate, open_table

    layout = locate(path)[1].layout
    if layout in ("events", "pyctbn"):
        return None
    source = open_table(path)
    sample = source.sample()
    columns = tuple(_facts(name, sample[name]) for name in source.columns)
    rows = max((len(labels.indices) for labels in sample.values()), default=0)
    if not rows:
        raise InputError("the table has no rows", path=path)
    by_name = {column.name: column for column in columns}
    if layout == "event_log":  # a process log can be nothing else
        return Inspection(columns, rows, _log(layout, by_name, {"event": ["event"]}))
    return Inspection(columns, rows, _suggestion(source, by_name))


def _facts(name: str, labels: Labels) -> ColumnFacts:
    texts = ["" if text is None else text.strip() for text in labels.texts]
    distinct = {text: k for k, text in enumerate(dict.fromkeys(t for t in texts if t not in MISSING_VALUES))}
    table = np.array([*(distinct.get(text, -1) for text in texts), -1], np.int64)
    codes = table[labels.indices]
    used = [text for text, k in distinct.items() if (codes == k).any()]
    return ColumnFacts(name, _kind(used), len(used), int((codes < 0).sum()), tuple(used[:3]), codes)


def _kind(texts: Sequence[str]) -> str:
    if not texts:
        return "empty"
    if all(map(is_date, texts)):
        return "dates"
    numbers = [parsed(text, ".") for text in texts]
    if any(number is None for number in numbers):
        return "text"
    whole = all(number is not None and (math.isinf(number) or number.is_integer()) for number in numbers)
    return "whole numbers" if whole else "numbers"


def _suggestion(source: Source, columns: Mapping[str, ColumnFacts]) -> Suggestion:
    found = role_columns(source.columns)
    for role in ("time", "start", "end", "birth"):
        found[role] = [name for name in found[role] if columns[name].kind != "text"]
    identity = found["id"]
    repeated = bool(identity) and columns[identity[0]].n_distinct < len(columns[identity[0]].codes)
    if found["start"] and found["end"] and "variable" not in columns:
        return _start_stop(columns, found) if repeated else _person(source, columns, found)
    if not found["time"] and (periods := _sequence(columns)):
        options = {"start": periods[0], "end": periods[-1]}
        return Suggestion("sequence", f"{len(periods)} neighbouring columns have the same states", options)
    if not repeated and identity and not found["time"]:
        return _person(source, columns, found)
    try:
        layout = layout_of(source.columns, Options())
    except InputError as error:
        return Suggestion(None, error.message)
    if layout == "wide" and not found["time"]:
        return Suggestion(None, "no column looks like a time", questions=["which is it? --time COLUMN"])
    if layout in ("event_log", "meds"):
        return _log(layout, columns, found)
    if layout == "wide":
        return _wide(source, columns, found, repeated)
    return Suggestion(layout, "its columns have the names of this layout")


def _start_stop(columns: Mapping[str, ColumnFacts], found: Mapping[str, list[str]]) -> Suggestion:
    happened = found["event"] or [name for name in columns if is_end_point(name)]
    roles = {**found, "event": happened}
    options = {role: roles[role][0] for role in ("id", "start", "end", "event") if roles[role]}
    ids = columns[options["id"]].codes
    others = [name for name in columns if name not in options.values() and not is_row_name(name)]
    static = [name for name in others if _is_constant(columns[name].codes, ids)]
    if static:
        options["static"] = ",".join(static)
    return Suggestion(
        "start_stop",
        "each row has a start and an end, and ids repeat",
        options,
        _cuts(columns, others),
        [
            f"does {options['event']!r} end observation? --terminal {options['event']}"
            if happened
            else "which column is what happens at the end of a row? --event COLUMN"
        ],
    )


def _person(source: Source, columns: Mapping[str, ColumnFacts], found: Mapping[str, list[str]]) -> Suggestion:
    options = {role: found[role][0] for role in ("id", "start", "end") if found[role]}
    pairs = status_columns(source.columns)
    questions = [] if "end" in options else ["which column is the end of observation? --end COLUMN"]
    happened = [name for name in columns if is_end_point(name)]
    if happened and "end" in options:
        options["terminal"] = happened[0]
    if not (pairs or happened or any(column.kind == "dates" for column in columns.values())):
        questions.append("which columns are times of events? --event A,B")
    taken = {*options.values(), *pairs, *pairs.values()}
    others = [name for name in columns if name not in taken and not is_row_name(name)]
    return Suggestion("person", "ids do not repeat", options, _cuts(columns, others), questions)


def _log(layout: str, columns: Mapping[str, ColumnFacts], found: Mapping[str, list[str]]) -> Suggestion:
    event = columns["code"] if layout == "meds" else columns[found["event"][0]]
    questions = [
        "which event moves which variable? By default each one is a variable, from no to yes: --rules FILE",
        "when does observation start and end? By default with the first and last row: --people FILE",
    ]
    return Suggestion(layout, f"one row per event, {event.n_distinct} kinds of events", questions=questions)


def _wide(
    source: Source, columns: Mapping[str, ColumnFacts], found: Mapping[str, list[str]], repeated: bool
) -> Suggestion:
    suggestion = Suggestion("wide", "a time, and one column per variable")
    try:
        roles = recognise(source, Options())
    except InputError as error:
        suggestion.questions.append(error.message)
        return suggestion
    for role in ("id", "time"):
        if (name := getattr(roles, role)) is not None:
            suggestion.options[role] = name
    others = list(roles.others)
    static: list[str] = []
    if roles.id is not None and repeated:
        ids = columns[roles.id].codes
        static = [name for name in others if _is_constant(columns[name].codes, ids)]
    ends = [name for name in others if is_end_point(name)]
    # An end that is repeated in every row belongs to the person: the table is its own table of people.
    if static and found["end"] and found["end"][0] in static:
        suggestion.options |= {"people": str(getattr(source, "path", "")), "end": found["end"][0]}
        static.remove(found["end"][0])
        others.remove(found["end"][0])
        static = [name for name in static if name not in ends[:1]]
    if ends and ends[0] not in static:
        suggestion.options["terminal"] = ends[0]
    if static and len(static) < len(others):
        suggestion.options["static"] = ",".join(static)
    suggestion.cut = _cuts(columns, others)
    if "people" not in suggestion.options:
        suggestion.questions.append(
            "does the last row of each trajectory mark the end of observation? If it lasts as long as the "
            "others: --layout period"
        )
    suggestion.questions.append("do states hold between rows, as is assumed, or are they unknown there?")
    return suggestion


def _cuts(columns: Mapping[str, ColumnFacts], names: Sequence[str]) -> list[str]:
    return [f"{name}:quartiles" for name in names if columns[name].is_measured]


def _is_constant(codes: NDArray[np.int64], ids: NDArray[np.int64]) -> bool:
    """Return whether a column has one value within each trajectory."""
    pairs = {*zip(ids.tolist(), codes.tolist(), strict=True)}
    return len(pairs) == len({*ids.tolist()})


def _sequence(columns: Mapping[str, ColumnFacts]) -> list[str]:
    """Return the longest run of neighbouring columns of text that share most of their values."""
    best: list[str] = []
    run: list[str] = []
    for name, column in columns.items():
        shared = run and len({*column.examples} & {*columns[run[-1]].examples}) > 0
        if column.kind == "text" and column.n_distinct <= MAX_NUMBERS and (shared or not run):
            run.append(name)
        else:
            run = [name] if column.kind == "text" else []
        best = max(best, run, key=len)
    return best if len(best) >= _MIN_PERIODS else []
