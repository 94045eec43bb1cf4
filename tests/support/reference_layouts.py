"""The layouts of tables in plain Python: one trajectory and one variable at a time, from the rows as given.

Each function returns {id: (start, end, {variable: [(time, state), …]})}: the states of a variable from each
of these times on, None where it is unobserved. A table that must be refused raises `Refused`.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from itertools import pairwise

from ctbnlab.data.formats.cutting import cut_labels

LONG_AGO = -math.inf


class Refused(Exception):
    """The table has a fault."""


def pieces(start, end, marks):
    """Return the states from `start` to `end`, given marks (time, state); the last one of a time counts."""
    marks = sorted(marks, key=lambda mark: mark[0])
    before = [state for time, state in marks if time <= start]
    result = [(start, before[-1] if before else None)]
    for time, state in marks:
        unobserved_for_no_time = state is None and time == end
        if start < time <= end and state != result[-1][1] and not unobserved_for_no_time:
            result.append((time, state))
    return result


def require_one_state(marks):
    """Refuse marks of one time with different states."""
    for time, state in marks:
        if any(time == other and state != another for other, another in marks):
            raise Refused(f"two states at {time}")


def by_id(rows):
    """Return the rows of each trajectory, without the id."""
    found = {}
    for label, *rest in rows:
        found.setdefault(label, []).append(tuple(rest))
    return found


class People:
    """A table of people: {id: {"start": …, "end": …, "static": {…}, "flag": {…}, "date": {…}}}."""

    def __init__(self, people, constants=(), flags=(), dates=()):
        self.people, self.constants, self.flags, self.dates = people, constants, flags, dates

    def window(self, label, start, end):
        """Return when a trajectory is observed, given what its own rows say."""
        mine = self.people.get(label, {})
        start = start if mine.get("start") is None else mine["start"]
        end = end if mine.get("end") is None else mine["end"]
        if start is None or end is None or end < start:
            raise Refused(f"{label} has no start or no end")
        return start, end

    def marks(self, label, end):
        """Return the marks of the variables of this table."""
        mine = self.people.get(label)
        result = {}
        for name in self.constants:
            result[name] = [] if mine is None else [(LONG_AGO, mine["static"][name])]
        for name in self.flags:
            result[name] = [] if mine is None else [(LONG_AGO, "0"), (end, mine["flag"][name])]
        for name in self.dates:
            result[name] = [] if mine is None else [(LONG_AGO, "no")]
            if mine is not None and mine["date"][name] is not None:
                result[name].append((mine["date"][name], "yes"))
        return result


NOBODY = People({})


def joined(own, people, without_rows=None):
    """Return trajectories from {id: (start, end, {variable: marks})} and a table of people.

    `without_rows` has the marks of people of whom there are no rows, if their states are known nonetheless.
    """
    own = dict(own)
    if without_rows is not None:
        for label in people.people:
            own.setdefault(label, (None, None, without_rows))
    result = {}
    for label, (start, end, marks) in own.items():
        start, end = people.window(label, start, end)
        every = {**marks, **people.marks(label, end)}
        result[label] = start, end, {name: pieces(start, end, found) for name, found in every.items()}
    return result


def intervals(rows, with_states, people=NOBODY):
    """Rows are (id, variable, state, start, end); an end may be None."""
    names = sorted({variable for _, variable, *_ in rows})
    own = {}
    for label, mine in by_id(rows).items():
        marks = {}
        for name in names:
            spans = [(s, math.inf if e is None else e, state) for v, state, s, e in mine if v == name]

            def at(time, spans=spans):
                states = {state for start, end, state in spans if start <= time < end}
                if len(states) > 1:
                    raise Refused(f"several states at {time}")
                if with_states:
                    return states.pop() if states else None
                return "yes" if states else "no"

            times = {time for span in spans for time in span[:2]}
            marks[name] = [(LONG_AGO, None if with_states else "no"), *((t, at(t)) for t in times)]
        starts, ends = [row[2] for row in mine], [row[3] for row in mine if row[3] is not None]
        own[label] = min(starts), max(starts + ends) if ends else None, marks
    return joined(own, people, None if with_states else {name: [(LONG_AGO, "no")] for name in names})


def start_stop(rows, names, nothing, people=NOBODY):
    """Rows are (id, start, stop, event, state, state, …); the event's variable is called `event`."""
    own = {}
    for label, mine in by_id(rows).items():
        mine.sort(key=lambda row: (*row[:2], row[2] == nothing))
        marks = {name: [] for name in (*names, "event")}
        unknown_from = []
        happened = nothing
        for k, (start, stop, event, *states) in enumerate(mine):
            if stop < start or (k and start < mine[k - 1][1]):
                raise Refused("overlap")
            follows = mine[k + 1][0] if k + 1 < len(mine) else stop
            for name, state in zip(names, states, strict=True):
                marks[name].append((start, state))
                if follows > stop:
                    # A state that begins at an instant holds at that instant.
                    unknown_from.append((name, math.nextafter(stop, math.inf) if stop == start else stop))
            if event == nothing or stop > start:
                marks["event"].append((start, happened))
            if event != nothing:
                happened = event
                marks["event"].append((stop, event))
            if follows > stop:
                at_once = event == nothing and stop > start
                unknown_from.append(("event", stop if at_once else math.nextafter(stop, math.inf)))
        for found in marks.values():
            require_one_state(found)
        for name, time in unknown_from:
            marks[name].append((time, None))
        own[label] = min(row[0] for row in mine), max(row[1] for row in mine), marks
    return joined(own, people)


def full_name(event, lifecycle):
    """Return the name of an event with its lifecycle."""
    return event if lifecycle is None else f"{event}+{lifecycle}"


def fits(text, pattern):
    """Return whether a text fits a pattern in which * is any text and ? any character."""
    parts = {"*": ".*", "?": "."}
    return re.fullmatch("".join(parts.get(letter, re.escape(letter)) for letter in pattern), text) is not None


def matches(patterns, event, lifecycle, match=fits):
    """Return whether a pattern matches an event's name or its full name."""
    return any(match(text, p) for p in patterns for text in (event, full_name(event, lifecycle)))


def state_reached(states, event, lifecycle):
    """Return the number of the state that an event leads to: an exact name first, then the last pattern."""
    for match in (str.__eq__, fits):
        found = [
            k for k, patterns in enumerate(states.values()) if matches(patterns, event, lifecycle, match)
        ]
        if found:
            return max(found)
    return None


def marks_of_rule(rule, rows):
    """Return the marks of one variable; rows are (time, event, value, lifecycle), times LONG_AGO if None."""
    if "states" in rule:
        labels = list(rule["states"])
        initial = rule.get("initial", labels[0])
        found = [(time, state_reached(rule["states"], event, cycle)) for time, event, _, cycle in rows]
        found = [(time, state) for time, state in found if state is not None]
        marks = [(time, labels[max(s for t, s in found if t == time)]) for time, _ in found]
        return marks if initial in ("", "NA", "unknown") else [(LONG_AGO, initial), *marks]
    kind = next(key for key in ("ever", "count", "events", "value") if key in rule)
    patterns = [rule[kind]] if isinstance(rule[kind], str) else rule[kind]
    chosen = [(time, value) for time, event, value, cycle in rows if matches(patterns, event, cycle)]
    times = [time for time, _ in chosen]
    if kind == "ever":
        return [(LONG_AGO, "no"), *((time, "yes") for time in times)]
    if kind == "count":
        limit = rule.get("max", 3)
        numbers = [(time, sum(other <= time for other in times)) for time in times]
        return [(LONG_AGO, "0"), *((t, f"{limit}+" if n >= limit else str(n)) for t, n in numbers)]
    if kind == "events":
        window = rule["within"]
        dated = [time for time in times if time != LONG_AGO]
        moments = {moment for time in dated for moment in (time, time + window)}
        recent = {m: any(time <= m < time + window for time in dated) for m in moments}
        return [(LONG_AGO, "no"), *((m, "yes" if recent[m] else "no") for m in moments)]
    labels = cut_labels(rule["cut"])
    measured = [(time, value) for time, value in chosen if value is not None]
    largest = {time: max(value for other, value in measured if other == time) for time, _ in measured}
    return [(time, labels[bisect_right(rule["cut"], value)]) for time, value in largest.items()]


def event_log(rows, rules, people=NOBODY, birth=None):
    """Rows are (id, time, event, value, lifecycle); rules as in a file of them."""
    observation = {"start": (), "end": (), **rules.get("observation", {})}
    own = {}
    for label, mine in by_id(rows).items():
        mine = [(LONG_AGO if time is None else time, *rest) for time, *rest in mine]
        marks = {name: marks_of_rule(rule, mine) for name, rule in rules["variables"].items()}
        born = [time for time, event, *_ in mine if event == birth and time != LONG_AGO]
        times = [time for time, event, *_ in mine if event != birth and time != LONG_AGO]
        times = times or [min(born, default=0.0)]
        start, end = min(times), max(times)
        starts = [t for t, e, _, c in mine if t != LONG_AGO and matches(observation["start"], e, c)]
        start = min(starts, default=start)
        ends = [t for t, e, _, c in mine if t >= start and matches(observation["end"], e, c)]
        own[label] = start, min(ends, default=end), marks
    nothing_happened = {name: marks_of_rule(rule, []) for name, rule in rules["variables"].items()}
    return joined(own, people, nothing_happened if any(nothing_happened.values()) else None)


def flags(rows, birth=None, death=None):
    """Return the rules for a log without any: each complete event is a variable."""
    complete = [(e, c) for _, _, e, _, c in rows if c in (None, "complete")] or [row[2::2] for row in rows]
    names = {("death" if e == death else e): [] for e, _ in complete if e != birth}
    for event, cycle in complete:
        if event != birth:
            names["death" if event == death else event].append((event, cycle))
    return {name: set(pairs) for name, pairs in names.items()}


def flag_log(rows, people=NOBODY, birth=None, death=None):
    """Return a log without rules: variables tell whether events have ever happened, whatever their names."""
    named = flags(rows, birth, death)
    renamed = []
    for label, time, event, value, cycle in rows:
        names = [f"v{k}" for k, pairs in enumerate(named.values()) if (event, cycle) in pairs]
        renamed.append((label, time, "birth" if event == birth else "".join(names) or "nothing", value, None))
    rules = {"variables": {name: {"ever": [f"v{k}"]} for k, name in enumerate(named)}}
    return event_log(renamed, rules, people, "birth")


def person(rows, events, constants):
    """Rows are {"id", "start", "end", "static": {…}, "event": {name: (time, state)}}, state None: nothing.

    `events` maps each event to the state that means that nothing happened.
    """
    own = {}
    for row in rows:
        marks = {name: [(LONG_AGO, row["static"][name])] for name in constants}
        for name, nothing in events.items():
            time, state = row["event"][name]
            if state is not None and time is None:
                raise Refused("happened at no time")
            marks[name] = [(LONG_AGO, nothing)] + ([] if state is None else [(time, state)])
        own[row["id"]] = row["start"], row["end"], marks
    return joined(own, NOBODY)


def sequence(rows, n_periods, constants):
    """Rows are (id, state, state, …, static, …)."""
    result = {}
    for label, *cells in rows:
        marks = {"state": [(float(k), state) for k, state in enumerate(cells[:n_periods])]}
        marks |= {name: [(LONG_AGO, cell)] for name, cell in zip(constants, cells[n_periods:], strict=True)}
        result[label] = 0.0, float(n_periods), {n: pieces(0.0, n_periods, m) for n, m in marks.items()}
    return result


def visits(rows, names, people=NOBODY, last_step=0.0):
    """Rows are (id, time, state, state, …), of the wide layout; the last one lasts `last_step`."""
    own = {}
    for label, mine in by_id(rows).items():
        marks = {}
        for j, name in enumerate(names, 1):
            known = [(row[0], row[j]) for row in mine if row[j] is not None]
            require_one_state(known)
            given = dict(known)
            marks[name] = [(time, given.get(time)) for time in {row[0] for row in mine}]
        times = [row[0] for row in mine]
        own[label] = min(times), max(times) + last_step, marks
    return joined(own, people)


def ended(trajectories, name):
    """Return the trajectories, each up to the first change of a terminal variable."""
    result = {}
    for label, (start, end, variables) in trajectories.items():
        found = variables[name]
        changes = [time for (_, old), (time, new) in pairwise(found) if old is not None and new is not None]
        last = min(changes, default=end)
        kept = {v: [piece for piece in states if piece[0] <= last] for v, states in variables.items()}
        result[label] = start, last, kept
    return result
