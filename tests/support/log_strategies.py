"""Event logs and rules of every kind for them."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.support.layout_strategies import IDS, TIMES, shuffled

# Names with the characters of patterns in them.
EVENTS = ["on", "off", "fall", "fall*", "E10", "E11", "E1?", "[x]", "x", "lab"]
PATTERNS = st.lists(
    st.sampled_from([*EVENTS, "E1*", "*", "f?ll", "on+start", "*+complete", "[ox]*", "none"]),
    min_size=1,
    max_size=3,
)
RULES = st.one_of(
    st.builds(lambda a, b, c: {"states": {"off": a, "on": b, "new": c}}, PATTERNS, PATTERNS, PATTERNS),
    st.builds(
        lambda a, b, initial: {"states": {"off": a, "on": b}, "initial": initial},
        PATTERNS,
        PATTERNS,
        st.sampled_from(["on", "before", "unknown", "NA"]),
    ),
    st.builds(lambda events: {"ever": events}, PATTERNS),
    st.builds(lambda events: {"count": events}, PATTERNS),
    st.builds(lambda events, limit: {"count": events, "max": limit}, PATTERNS, st.integers(1, 4)),
    st.builds(lambda events, time: {"events": events, "within": time}, PATTERNS, st.integers(1, 4)),
    st.builds(lambda events, cut: {"value": events, "cut": cut}, PATTERNS, st.sampled_from([[1], [0, 2.5]])),
)


@st.composite
def logs(draw, events=tuple(EVENTS), timeless=False):
    rows = []
    for label in draw(IDS):
        for _ in range(draw(st.integers(1, 6))):
            time = None if timeless and not draw(st.integers(0, 3)) else float(draw(TIMES))
            value = draw(st.sampled_from([None, 0.0, 1.0, 2.0, 3.0]))
            cycle = draw(st.sampled_from([None, "start", "complete"]))
            rows.append((label, time, draw(st.sampled_from(events)), value, cycle))
    return draw(shuffled(rows))


@st.composite
def rule_files(draw):
    rules = {"variables": {name: draw(RULES) for name in draw(st.sampled_from(["A", "AB", "ABC"]))}}
    if draw(st.booleans()):
        keys = draw(st.sampled_from([["start"], ["end"], ["start", "end"]]))
        rules["observation"] = {key: draw(PATTERNS) for key in keys}
    return rules
