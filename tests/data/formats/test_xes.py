"""XES logs: the table agrees with a plain reading of the XML, and damaged files get one clear line."""

from __future__ import annotations

import gc
import gzip
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ctbnlab
from ctbnlab.data.formats import xes, xes_events
from ctbnlab.data.formats.detect import kind_to_read
from ctbnlab.data.formats.xes import Attribute, XesSource, named_columns
from ctbnlab.errors import InputError
from ctbnlab.io import bounded
from tests.support.sample_trajectories import two_trajectories

HEAD = '<?xml version="1.0" encoding="UTF-8" ?>\n'
LOG = (
    HEAD
    + """\
<!-- a comment -->
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
  <extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
  <global scope="trace"><string key="concept:name" value="?"/><string key="unit" value="A&amp;E"/></global>
  <global scope="event">
    <string key="concept:name" value="UNKNOWN"/>
    <date key="time:timestamp" value="1970-01-01T00:00:00+00:00"/>
    <string key="org:resource" value="nobody"/>
    <string key="never" value="used"/>
  </global>
  <classifier name="Event Name" keys="concept:name"/>
  <string key="concept:name" value="the log"/>
  <trace>
    <string key="concept:name" value="Ann"/>
    <int key="age" value="40"/>
    <event>
      <string key="concept:name" value="admit"/>
      <date key="time:timestamp" value="2024-01-01T01:00:00.000+01:00"/>
      <string key="lifecycle:transition" value="start"/>
      <string key="org:resource" value="Dr. &lt;X&gt;"><string key="nested" value="ignored"/></string>
      <list key="items"><values><string key="item" value="1"/></values></list>
    </event>
    <event>
      <date value="2024-01-02T00:00:00Z" key="time:timestamp"/>
      <string key="case" value="odd"/>
    </event>
  </trace>
  <trace>
    <string key="unit" value="ward 3"/>
    <event><string key="concept:name" value="leave"/></event>
  </trace>
  <trace><string key="concept:name" value="empty"/></trace>
</log>
"""
)
COLUMNS = ["case", "time", "event", "lifecycle", "org:resource", "event:case", "case:age", "case:unit"]


def written(folder, content, name="log.xes"):
    path = Path(folder) / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def texts(labels):
    return [None if index < 0 else labels.texts[index] for index in labels.indices.tolist()]


def table(source):
    """Return all columns as texts, and the times as numbers."""
    found = {name: [] for name in source.columns}
    times = []
    for chunk in source.chunks(["time"], source.columns):
        assert chunk.rows.tolist() == list(range(len(times), len(times) + len(chunk.rows)))
        times += chunk.numbers["time"].tolist()
        for name, labels in chunk.labels.items():
            found[name] += texts(labels)
    return found, times


def test_a_log_by_hand(tmp_path):
    source = XesSource(written(tmp_path, LOG))
    assert source.columns == COLUMNS
    found, times = table(source)
    assert found == {
        "case": ["Ann", "Ann", "2"],
        "time": ["2024-01-01T01:00:00.000+01:00", "2024-01-02T00:00:00Z", None],
        "event": ["admit", "UNKNOWN", "leave"],
        "lifecycle": ["start", None, None],
        "org:resource": ["Dr. <X>", "nobody", "nobody"],
        "event:case": [None, "odd", None],
        "case:age": ["40", "40", None],
        "case:unit": ["A&E", "A&E", "ward 3"],
    }
    assert times[:2] == [19723.0, 19724.0] and np.isnan(times[2])
    assert {name: texts(labels) for name, labels in source.sample(2).items()} == {
        name: column[:2] for name, column in found.items()
    }
    lines = LOG.split("\n")
    starts = [f"line {k}" for k, line in enumerate(lines, 1) if "<event>" in line]
    assert [source.place(row) for row in range(4)] == [*starts, "event 4"]
    assert source.labelled == frozenset() and source.declared() == {}


def test_gzip_byte_order_mark_and_prefixes_change_nothing(tmp_path):
    expected = table(XesSource(written(tmp_path, LOG)))
    prefixed = LOG
    for tag in ("log", "trace", "event", "global", "string", "date", "int"):
        prefixed = prefixed.replace(f"<{tag} ", f"<x:{tag} ").replace(f"<{tag}>", f"<x:{tag}>")
        prefixed = prefixed.replace(f"</{tag}>", f"</x:{tag}>")
    prefixed = prefixed.replace("xmlns=", "xmlns:x=")
    for content in (
        gzip.compress(LOG.encode()),
        b"\xef\xbb\xbf" + LOG.encode(),
        LOG.replace("\n", "\r\n").encode(),
        prefixed.encode(),
    ):
        np.testing.assert_equal(table(XesSource(written(tmp_path, content))), expected)


def test_detection(tmp_path):
    for name, content in (
        ("log.xes", LOG),
        ("log.XES", LOG),
        ("log.xes.gz", gzip.compress(LOG.encode())),
        ("log", LOG),
        ("plain", LOG.removeprefix(HEAD).removeprefix("<!-- a comment -->\n")),
        ("packed", gzip.compress(LOG.encode())),
    ):
        assert kind_to_read(written(tmp_path, content, name), None) == ("xes", "event_log")
    assert kind_to_read(tmp_path / "log.xes", "xes") == ("xes", "event_log")
    assert kind_to_read(tmp_path / "log.xes", "event_log") == ("xes", "event_log")
    for format in ("wide", "csv"):
        with pytest.raises(InputError, match=rf"log\.xes: a \.xes file cannot have the format {format}"):
            kind_to_read(tmp_path / "log.xes", format)


@pytest.mark.parametrize(
    ("name", "format", "shown"),
    [
        ("a.xes", None, "xes"),
        ("a.xes.gz", None, "xes"),
        ("a", "xes", "xes"),
        ("a.csv", "event_log", "event-log"),
    ],
)
def test_event_logs_are_not_written(name, format, shown, tmp_path):
    with pytest.raises(InputError, match=f": the format {shown} can be read, not written"):
        ctbnlab.write(two_trajectories(), tmp_path / name, format=format)
    assert list(tmp_path.iterdir()) == []


def attribute(key, value):
    return f"<string key={quoteattr(key)} value={quoteattr(value)}/>"


def within(body, attributes=""):
    return f"<log>{attributes}<trace>{body}</trace></log>"


EVENT = '<event><string key="concept:name" value="a"/></event>'
DAMAGED = {
    "empty": (b"", "the file is empty"),
    "no XML": (b"case,time\n1,2\n", "line 1: is not well-formed XML (syntax error)"),
    "another root": (b"<html><body/></html>", "line 1: is not an XES log: it begins with <html>, not <log>"),
    "similar root": (b"<catalog/>", "line 1: is not an XES log: it begins with <catalog>, not <log>"),
    "no trace": (b"<log></log>", "the log has no trace"),
    "no event": (b"<log><trace/></log>", "the log has no event"),
    "event without trace": (f"<log>\n{EVENT}</log>", "line 2: an event is outside of a trace"),
    "truncated": (LOG[:-8], "the file ends before the log does; it is truncated"),
    "truncated in a tag": (LOG[:-3], "the file ends before the log does; it is truncated"),
    "mismatched": (within(EVENT + "\n</event>"), "line 2: is not well-formed XML (mismatched tag)"),
    "two roots": (within(EVENT) + "\n<log/>", "line 2: is not well-formed XML (junk after document element)"),
    "unknown entity": (
        within("\n" + attribute("a", "b").replace('"b"', '"&b;"') + EVENT),
        "(undefined entity)",
    ),
    "document type": (
        '<?xml version="1.0"?>\n<!DOCTYPE log [<!ENTITY a "b"><!ENTITY c SYSTEM "file:///etc/passwd">]>\n'
        + within(EVENT),
        "line 2: has a document type, which can define entities; remove <!DOCTYPE …>",
    ),
    "empty document type": ("<!DOCTYPE log>" + within(EVENT), "line 1: has a document type"),
    "Latin-1": (
        b'<?xml version="1.0" encoding="ISO-8859-1"?>\n'
        + within(attribute("a", "é") + EVENT).encode("latin-1"),
        "line 2: is not UTF-8 text",
    ),
    "UTF-16": (within(EVENT).encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
    "control character": (within("\n\x01" + EVENT), "line 2: is not well-formed XML (not well-formed"),
    "zero bytes": (bytes(100), "line 1: is not well-formed XML"),
    "no key": (within('<event>\n<string value="a"/></event>'), "line 2: <string> has no key"),
    "no key of a trace": (within("\n<int/>" + EVENT), "line 2: <int> has no key"),
    "attribute twice": (
        within('\n<string key="a" key="b"/>'),
        "line 2: is not well-formed XML (duplicate attr",
    ),
    "late attribute": (within(EVENT + "\n" + attribute("a", "b")), "line 2: an attribute of a trace follows"),
    "late default": (
        f'<log><trace>{EVENT}</trace>\n<global scope="event"/></log>',
        "line 2: <global> follows a trace; write it before the traces",
    ),
    "deep": (within("<a key='a'>" * 120), "line 1: elements are nested more than 100 deep"),
    "truncated gzip": (gzip.compress(LOG.encode())[:-20], "is truncated or not a gzip file"),
    "no gzip": (b"\x1f\x8b" + bytes(30), "is truncated or not a gzip file"),
    "keys": (
        within("<event>" + "".join(attribute(f"k{k}", "") for k in range(4200)) + "</event>"),
        "has more than 4,096 attributes",
    ),
}


@pytest.mark.parametrize(("content", "message"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_files_get_one_line(content, message, tmp_path):
    path = written(tmp_path, content)
    with pytest.raises(InputError) as caught:
        XesSource(path)
    shown = str(caught.value)
    assert shown.startswith(f"{path}: ") and message in shown and shown.count("\n") == 0
    assert "etc/passwd" not in shown


@pytest.mark.parametrize("inside", ["attribute", "comment", "text"])
def test_huge_pieces_are_refused_before_they_are_held(inside, tmp_path, monkeypatch):
    """Text between elements is never held, so its size does not matter."""
    monkeypatch.setattr(xes_events, "MAX_TOKEN", 1 << 16)
    monkeypatch.setattr(bounded, "_CHUNK", 1 << 12)
    long = "x" * (1 << 17)
    part = {"attribute": attribute("a", long), "comment": f"<!--{long}-->", "text": long}[inside]
    path = written(tmp_path, within(f"\n{part}{EVENT}"))
    if inside == "text":
        assert XesSource(path).columns == ["case", "time", "event"]
        return
    with pytest.raises(InputError, match=r"line 2: a tag or comment is longer than 65,536 bytes"):
        XesSource(path)


def test_gzip_bombs_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded, "_ALWAYS_UNPACKED", 1 << 20)
    path = written(tmp_path, gzip.compress(within(EVENT + " " * (8 << 20)).encode()))
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        XesSource(path)


def test_a_bad_time_names_its_line(tmp_path):
    bad = LOG.replace("2024-01-02T00:00:00Z", "02.01.2024")
    source = XesSource(written(tmp_path, bad))
    with pytest.raises(InputError, match=r"line 24: the time '02.01.2024' is not a date"):
        list(source.chunks(["time"], []))


def test_a_log_without_names_or_times(tmp_path):
    found, times = table(XesSource(written(tmp_path, within("<event/><event/>"))))
    assert found == {"case": ["1", "1"], "time": [None, None], "event": [None, None]}
    assert np.isnan(times).all()


def test_names_of_columns_never_clash():
    def names(*found):
        return list(named_columns([Attribute(*one) for one in found]))

    fixed = ["case", "time", "event"]
    assert names((False, "lifecycle")) == [*fixed, "event:lifecycle"]
    assert names((False, "time"), (False, "")) == [*fixed, "event:time", "event:"]
    assert names((True, "a"), (False, "case:a"), (False, "a")) == [*fixed, "event:case:a", "a", "case:a"]


def test_no_temporary_file_is_left(tmp_path, monkeypatch):
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(xes, "_IN_MEMORY", 1)
    path = written(tmp_path, LOG)
    source = XesSource(path)
    assert len(table(source)[1]) == 3 and list(folder.iterdir()) == []
    rows = source._rows
    del source
    gc.collect()
    assert rows._file.closed
    with pytest.raises(InputError):
        XesSource(written(tmp_path, LOG[:-8]))
    gc.collect()


# ---- Against a plain reading ----

TEXT = st.text(
    st.one_of(
        st.sampled_from("ab&<>\"' é\u0416\U0001f600"),
        st.characters(min_codepoint=32, max_codepoint=0xD7FF, exclude_characters="\x7f"),
    ),
    max_size=6,
)
KEYS = st.sampled_from(
    ["concept:name", "time:timestamp", "lifecycle:transition", "org:resource", "case", "case:a", "a", "ключ"]
)
VALUES = st.dictionaries(KEYS, TEXT, max_size=4)
CHILD = st.sampled_from(["", '<int key="a" value="inside"/>', '<list key="l"><values/></list>', "text"])


@st.composite
def logs(draw):
    def elements(values):
        parts = [
            f"<string key={quoteattr(key)} value={quoteattr(value)}>{draw(CHILD)}</string>"
            for key, value in values.items()
        ]
        return "".join(parts) + draw(
            st.sampled_from(["", '<list key="x"><string key="y" value="z"/></list>'])
        )

    body = "".join(
        f'<global scope="{scope}">{elements(draw(VALUES))}</global>'
        for scope in draw(st.lists(st.sampled_from(["event", "trace", "other"]), max_size=3))
    )
    for k in range(draw(st.integers(1, 4))):
        # Names of traces are no numbers: those would clash with the numbers of unnamed traces.
        named = {key: f"n{value}" if key == "concept:name" else value for key, value in draw(VALUES).items()}
        events = [f"<event>{elements(draw(VALUES))}</event>" for _ in range(draw(st.integers(0, 4)))]
        body += f"\n<trace>{elements(named)}{''.join(events)}{EVENT if not k else ''}</trace>"
    return f"<log>{body}</log>"


def reference(content):
    """Return the columns of a log as ElementTree's document shows them."""
    root = ET.fromstring(content)
    defaults = {"event": {}, "trace": {}, "other": {}}
    for part in root.findall("global"):
        defaults[part.get("scope")].update(plain(part))
    defaults["event"].pop("time:timestamp", None)
    defaults["trace"].pop("concept:name", None)
    rows, names = [], []
    for number, trace in enumerate(root.findall("trace"), 1):
        if trace.find("event") is None:
            continue
        case = plain(trace)
        name = case.get("concept:name") or str(number)
        names.append(name)
        case["concept:name"] = name if names.count(name) == 1 else f"{name} ({names.count(name)})"
        rows += [(case, plain(event)) for event in trace.findall("event")]
    columns = {}
    always = {"trace": {"concept:name"}, "event": {"concept:name", "time:timestamp"}}
    for side, scope in enumerate(always):
        for key in {key for row in rows for key in row[side]} | always[scope]:
            default = defaults[scope].get(key)
            columns[scope, key] = [row[side].get(key, default) for row in rows]
    return columns


def plain(parent):
    return {
        child.get("key"): child.get("value")
        for child in parent
        if child.tag != "event" and child.get("value") is not None
    }


def column_of(name):
    """Return where the values of a column come from."""
    fixed = {
        "case": ("trace", "concept:name"),
        "time": ("event", "time:timestamp"),
        "event": ("event", "concept:name"),
        "lifecycle": ("event", "lifecycle:transition"),
    }
    return fixed.get(name)


@given(logs(), st.integers(1, 300), st.integers(1, 20))
def test_tables_agree_with_the_document(content, piece, cells):
    expected = reference(content)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded, "_CHUNK", piece)
        patch.setattr(xes, "_MAX_CELLS", cells)
        source = XesSource(written(folder, content))
        found = {name: [] for name in source.columns}
        for chunk in source.chunks([], source.columns):
            for name, labels in chunk.labels.items():
                found[name] += texts(labels)
        last = len(found["case"]) - 1
        assert source.place(last) == f"line {line_of_event(content, last)}"
    seen = set()
    for name, column in found.items():
        origin = column_of(name)
        if origin is None and name.startswith("case:"):
            origin = ("trace", name.removeprefix("case:"))
            if origin not in expected:
                origin = ("event", name)
        elif origin is None:
            origin = ("event", name if ("event", name) in expected else name.removeprefix("event:"))
        assert column == expected[origin], name
        seen.add(origin)
    assert seen == expected.keys()


def line_of_event(content, number):
    """Return the line of an event; those of the tests begin traces on lines of their own."""
    position = -1
    for _ in range(number + 1):
        position = content.index("<event>", position + 1)
    return content.count("\n", 0, position) + 1
