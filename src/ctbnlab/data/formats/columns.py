"""Which column of a table is the id, which the time, and which are variables.

Columns that the user named come first; then `trajectory` and `time`, the names that ctbnlab writes; then
names that are usual elsewhere, in any case (`Patient ID` is `patient_id`). Two candidates are an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ctbnlab.data.formats.cell_values import Values
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Source, date_columns
from ctbnlab.errors import InputError

TRAJECTORY, TIME = "trajectory", "time"
ROLES = ("id", "time", "start", "end", "event", "birth")
_OWN = {"id": TRAJECTORY, "time": TIME}
_PLAIN = {"id": "id", "time": "time", "start": "start", "event": "event", "birth": "birth"}
_PEOPLE = ("subject", "patient", "person", "case", "participant", "individual", "trajectory", "sample")
_USUAL = {
    "id": {
        "id",
        "ids",
        "pid",
        "ptid",
        "ptnum",
        "idsample",
        "case_concept_name",
        *_PEOPLE,
        *(f"{who}_id" for who in _PEOPLE),
        *(f"{who}id" for who in _PEOPLE),
        *(f"id_{who}" for who in _PEOPLE),
    },
    "time": {
        "time",
        "t",
        "times",
        "date",
        "datetime",
        "date_time",
        "timestamp",
        "time_timestamp",
        "obstime",
        "obs_time",
        "visit_date",
        "years",
        "year",
        "months",
        "month",
        "weeks",
        "week",
        "days",
        "day",
        "hours",
        "hour",
        "minutes",
        "seconds",
    },
    "start": {
        "start",
        "tstart",
        "t_start",
        "begin",
        "start_time",
        "start_date",
        "from",
        "entry",
        "entry_date",
        "time1",
    },
    "end": {
        "stop",
        "tstop",
        "t_stop",
        "end",
        "stop_time",
        "end_time",
        "end_date",
        "to",
        "exit",
        "exit_date",
        "time2",
        "futime",
        "fu_time",
        "last_seen",
        "last_contact",
        "last_follow_up",
    },
    "event": {"event", "status", "activity", "code", "concept_name"},
    "birth": {"birth", "birth_date", "birthdate", "born", "date_of_birth", "dob", "birthday"},
}
# What ends observation, where a table says so in a column.
END_POINTS = ("death", "dead", "died", "deceased", "mortality", "status", "vital_status", "exitus")
# Names of rows, as R and pandas write them: the last are indices without a name in Parquet files.
_ROW_NAMES = re.compile(r"|rownames|row[._]names|Unnamed: [0-9]+|__index_level_[0-9]+__")


@dataclass(frozen=True)
class Columns:
    """The columns of a table by role; None if there is none."""

    id: str | None
    time: str | None
    start: str | None
    end: str | None
    event: str | None
    birth: str | None
    others: tuple[str, ...]  # in no role: variables, in most layouts
    ignored: tuple[str, ...]

    @property
    def ids(self) -> list[str]:
        """The column of ids, to be read with others; empty if there is none."""
        return [] if self.id is None else [self.id]

    def notes(self, n_variables: int) -> list[str]:
        """Return what the user should know about the choice; nothing if the names are ctbnlab's own."""
        notes = [f"ignored column {name!r}: it holds the names of rows" for name in self.ignored]
        chosen = [(role, getattr(self, role)) for role in ROLES if getattr(self, role) is not None]
        if any(_OWN.get(role) != name for role, name in chosen):
            roles = ", ".join(f"{role} {name!r}" for role, name in chosen)
            count = "1 variable" if n_variables == 1 else f"{n_variables} variables"
            notes.append(f"columns: {roles}, {count}")
        return notes


def recognise(source: Source, options: Options, wanted: Sequence[str] = ("id", "time")) -> Columns:
    """Return the columns of a table by role; only roles in `wanted` are recognised without being named."""
    chosen: dict[str, str | None] = {}
    for role in ROLES:
        chosen[role] = _named(source, role, getattr(options, role))
    ignored = tuple(name for name in source.columns if _ROW_NAMES.fullmatch(name))
    taken = {name for name in chosen.values() if name is not None}
    free = [name for name in source.columns if name not in {*taken, *ignored}]
    if options.variables is not None:
        free = [name for name in free if name not in options.variables]
    for role in ROLES:
        if chosen[role] is None and role in wanted:
            # Rows may have starts and ends of their own, called like those of people.
            elsewhere = () if role in ("start", "end") else options.elsewhere
            chosen[role] = _usual(role, [name for name in free if name not in elsewhere])
    taken = {name for name in chosen.values() if name is not None}
    given = {*taken, *ignored, *options.elsewhere}
    others = tuple(name for name in source.columns if name not in given)
    return Columns(**chosen, others=others, ignored=tuple(name for name in ignored if name not in taken))


def with_end_point(columns: Columns, options: Options) -> Columns:
    """Return the columns with the variable that is named like an end point as events, if there are none."""
    wanted = columns.others if options.variables is None else options.variables
    found = [name for name in columns.others if name in wanted and is_end_point(name)]
    if columns.event is not None or not found:
        return columns
    event = _only("event", found)
    return replace(columns, event=event, others=tuple(name for name in columns.others if name != event))


def is_end_point(name: str) -> bool:
    """Return whether a column has the usual name of what ends observation."""
    return _normal(name) in END_POINTS


def usual_names(columns: Sequence[str], options: Options) -> set[str]:
    """Return the columns that are, or may be, the id or the time, and those of row names."""
    named = {name for name in (options.id, options.time) if name is not None}
    usual = _USUAL["id"] | _USUAL["time"]
    return named | {name for name in columns if _normal(name) in usual or _ROW_NAMES.fullmatch(name)}


def is_row_name(name: str) -> bool:
    """Return whether a column holds the names of rows, as R and pandas write them."""
    return _ROW_NAMES.fullmatch(name) is not None


def role_columns(columns: Iterable[str]) -> dict[str, list[str]]:
    """Return the columns with the usual names of each role, the plainest first."""
    found = {role: [name for name in columns if _normal(name) in _USUAL[role]] for role in ROLES}
    for role, names in found.items():
        names.sort(key=lambda name: _normal(name) != _PLAIN.get(role))
    return found


def has_role(columns: Iterable[str], options: Options, role: str) -> bool:
    """Return whether some column has a role: the user names it, or its name is usual."""
    named = getattr(options, role)
    return any(name == named or _normal(name) in _USUAL[role] for name in columns)


def require_time(columns: Columns, source: Source) -> str:
    """Return the name of the time column; refuse a table without one."""
    if columns.time is None:
        found = ", ".join(name for name in source.columns if name) or "none"
        raise InputError(f"no 'time' column; found: {found}; name it with --time")
    return columns.time


def require_roles(columns: Columns, source: Source, *roles: str) -> list[str]:
    """Return the names of the columns of some roles; refuse a table that lacks one."""
    for role in roles:
        if getattr(columns, role) is None:
            raise InputError(f"no {role!r} column; found: {_listed(source)}; name it with --{role}")
    return [str(getattr(columns, role)) for role in roles]


def same_kind(source: Source, names: Sequence[str], values: Values) -> list[str]:
    """Refuse times of which some are dates and others numbers; return a note on dates, if there are any."""
    dates = sorted(date_columns(source, names, values))
    others = [name for name in names if name not in dates]
    if dates and others:
        raise InputError(
            f"column {dates[0]!r} has dates but {others[0]!r} has numbers; times must be of the same kind"
        )
    shown = ", ".join(map(repr, dates[:4])) + (", …" if len(dates) > 4 else "")
    return [f"dates in {shown} are read as {values.unit}s since 1970-01-01"] if dates else []


def chosen_variables(columns: Columns, options: Options, source: Source) -> list[str]:
    """Return the variables of a table with one column each: those the user named, in that order, else all."""
    if options.variables is None:
        if not columns.others:
            roles = ("time", "start", "end", "event", "id")
            used = " and ".join(repr(name) for role in roles if (name := getattr(columns, role)) is not None)
            raise InputError(f"no variable columns besides {used}")
        return list(columns.others)
    for name in options.variables:
        if name not in source.columns:
            raise InputError(f"no column {name!r}, which --variables names; found: {_listed(source)}")
        if name not in columns.others:
            raise InputError(
                f"column {name!r} cannot be a variable and have another role; change --variables"
            )
    return list(dict.fromkeys(options.variables))


def require_repeated_ids(columns: Columns, options: Options, source: Source) -> None:
    """Refuse a guessed id that differs in every row: it numbers the rows, not the trajectories."""
    if columns.id is None or columns.id == options.id or columns.id == TRAJECTORY:
        return
    labels = source.sample()[columns.id]
    if len(labels.indices) > 2 and len(set(labels.indices.tolist())) == len(labels.indices):
        raise InputError(
            f"column {columns.id!r} has another value in every row, so it does not identify trajectories; "
            "name the right column with --id"
        )


def _named(source: Source, role: str, name: str | None) -> str | None:
    if name is not None and name not in source.columns:
        raise InputError(f"no column {name!r}, which --{role} names; found: {_listed(source)}")
    return name


def _usual(role: str, free: list[str]) -> str | None:
    if _OWN.get(role) in free:
        return _OWN[role]
    candidates = [name for name in free if _normal(name) in _USUAL[role]]
    # A column called just `id` is the id, even if there is a `case_id`, too.
    candidates = [name for name in candidates if _normal(name) == _PLAIN.get(role)] or candidates
    return _only(role, candidates) if candidates else None


def _only(role: str, candidates: Sequence[str]) -> str:
    if len(candidates) > 1:
        both = ", ".join(map(repr, candidates[:-1])) + f" and {candidates[-1]!r}"
        number = "two" if len(candidates) == 2 else str(len(candidates))
        raise InputError(f"{number} columns could be the {role}: {both}; choose with --{role}")
    return candidates[0]


def _normal(name: str) -> str:
    return re.sub(r"[\s.:-]+", "_", name.strip().lower())


def _listed(source: Source) -> str:
    return ", ".join(source.columns)
