"""Hidden spells and coarse dates in plain Python: the state of a variable is asked for moment by moment."""

from __future__ import annotations

import math


def code_at(data, t, j, moment):
    """Return the code of a variable at a moment, changes at that moment included."""
    code = int(data.initial[t, j])
    for e in range(int(data.begin[t]), int(data.stop[t])):
        if data.variable[e] == j and data.time[e] <= moment:
            code = int(data.new[e])
    return code


def events_by(data, t, moments, see):
    """Return the initial codes and the events (time, variable, code) of what is seen at some moments."""
    n = data.n_variables
    start = float(data.start[t])
    seen = [see(j, start) for j in range(n)]
    initial, events = list(seen), []
    for moment in sorted(set(moments)):
        for j in range(n):
            code = see(j, moment)
            if moment > start and code != seen[j]:
                events.append((moment, j, code))
                seen[j] = code
    return initial, events


def hidden(data, t, spells):
    """Return what is seen of a trajectory; spells are (trajectory, variable, begin, end)."""
    mine = [(j, begin, end) for trajectory, j, begin, end in spells if trajectory == t]

    def see(j, moment):
        if any(k == j and begin <= moment < end for k, begin, end in mine):
            return len(data.variables[j].states)
        return code_at(data, t, j, moment)

    moments = data.time[int(data.begin[t]) : int(data.stop[t])].tolist()
    moments += [moment for _, begin, end in mine for moment in (begin, end)]
    return events_by(data, t, [m for m in moments if m <= data.end[t]], see)


def multiple(time, step):
    """Return the smallest multiple of a step that is not less than a time."""
    count = math.floor(time / step) - 2
    while count * step < time:
        count += 1
    return count * step


def coarse(data, t, step):
    """Return the end and what is seen of a trajectory without clocks if times are rounded up."""
    start, end = float(data.start[t]), float(data.end[t])
    moments = [multiple(time, step) for time in data.time[int(data.begin[t]) : int(data.stop[t])].tolist()]
    initial, events = events_by(data, t, moments, lambda j, moment: code_at(data, t, j, moment))
    return (multiple(end, step) if end > start else end), initial, events
