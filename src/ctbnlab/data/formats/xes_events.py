"""The events of an XES file, a log of processes in XML (IEEE 1849), one after another in bounded memory.

A log holds traces, a trace holds events, and all of them hold attributes: elements with a key and a value.
Attributes inside attributes, and lists, are ignored. If a trace or an event lacks an attribute for which
the log declares a global default, it has the default; but a default is no name of a trace, which would merge
traces, and no timestamp.

XML can do harm: a document type, which can define entities, is refused, as are huge pieces and deep nesting.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from ctbnlab.data.formats._xes_columns import Column, EventColumns
from ctbnlab.errors import InputError
from ctbnlab.io.bounded import pieces

NAME, TIME, LIFECYCLE = "concept:name", "time:timestamp", "lifecycle:transition"
MAX_TOKEN = 16 << 20  # a tag with its attributes, or a comment
MAX_DEPTH = 100
_CODES = expat.errors.codes
_TRUNCATED = {_CODES[expat.errors.XML_ERROR_NO_ELEMENTS], _CODES[expat.errors.XML_ERROR_UNCLOSED_TOKEN]}
_INVALID = _CODES[expat.errors.XML_ERROR_INVALID_TOKEN]
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

Attributes = dict[str, str]  # values by key


class Events(NamedTuple):
    """Some events: their number, their attributes by key, their traces, and the first event of each trace."""

    size: int
    columns: dict[str, Column]
    traces: list[Attributes]
    starts: list[int]


class EventReader:
    """Reads the events of a file; `defaults` are complete once the first are read."""

    def __init__(self, path: Path, progress: Callable[[int], None] | None = None):
        self.path = path
        self.defaults: dict[str, Attributes] = {"event": {}, "trace": {}}
        self.n_traces = 0
        self._progress = progress
        self._columns = EventColumns(self)
        self._n_events = 0
        self._wanted = -1  # the event whose line to find, if any
        self._prefix = ""  # of the tags, as in <xes:log>
        self._event_tag = "event"
        self.trace: Attributes | None = None  # the one that is read
        self._default: Attributes | None = None
        self._trace_has_events = False
        self._names: dict[str, int] = {}
        self._parser = self._make_parser()

    def events(self) -> Iterator[Events]:
        """Yield all events, some thousands at a time."""
        fed = 0
        for piece in pieces(self.path, self._progress):
            if not fed and piece.startswith(_UTF16):
                raise InputError("is UTF-16 text; save it as UTF-8", path=self.path)
            self._parse(piece)
            fed += len(piece)
            if fed - self._parser.CurrentByteIndex > MAX_TOKEN:
                raise self._error(f"a tag or comment is longer than {MAX_TOKEN:,} bytes")
            yield from self._taken()
        if not fed:
            raise InputError("the file is empty", path=self.path)
        # Since version 2.6 expat may put off what it was fed until it is told that nothing follows.
        self._parse(b"", last=True)
        yield from self._taken()
        self._require_events()

    def _taken(self) -> Iterator[Events]:
        """Yield the events parsed since the last call, if any."""
        taken = Events(*self._columns.take())
        if taken.size:
            yield taken

    def line(self, event: int) -> int | None:
        """Return the line on which an event begins, counted from 0 among the events of the file."""
        self._wanted = event
        try:
            for _ in self.events():
                pass
        except _Found as found:
            return found.line
        return None

    def _make_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate("UTF-8")
        parser.ordered_attributes = True  # attributes of a tag as a list: faster than a dict
        # Methods of a compiled class: they are called for every attribute of every event.
        parser.StartElementHandler = self._columns.start
        parser.EndElementHandler = self._columns.end
        parser.StartDoctypeDeclHandler = self._refuse_document_type
        return parser

    def _parse(self, piece: bytes, last: bool = False) -> None:
        try:
            self._parser.Parse(piece, last)
        except expat.ExpatError as error:
            place = f"line {error.lineno}"
            if error.code in _TRUNCATED and last:
                fault = "the file ends before the log does; it is truncated"
            elif error.code == _INVALID and not self._is_utf8():
                fault = "is not UTF-8 text"
            else:
                fault = f"is not well-formed XML ({expat.ErrorString(error.code)})"
            raise InputError(fault, path=self.path, place=place) from None

    def _is_utf8(self) -> bool:
        """Return whether the file is UTF-8 up to the parser's error."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        left = self._parser.ErrorByteIndex + 4  # the longest character
        for piece in pieces(self.path):
            try:
                decoder.decode(piece[:left])
            except UnicodeDecodeError:
                return False
            left -= len(piece)
            if left <= 0:
                break
        return True

    def _error(self, fault: str) -> InputError:
        return InputError(fault, path=self.path, place=f"line {self._parser.CurrentLineNumber}")

    def _refuse_document_type(self, *_: object) -> None:
        raise self._error("has a document type, which can define entities; remove <!DOCTYPE …>")

    # ---- What `EventColumns` asks about ----

    def start_part(self, depth: int, tag: str, attributes: list[str]) -> bool:
        """Begin an element other than an attribute of an event; return whether an event begins."""
        if depth == 3:
            return self._start_child(tag, attributes)
        if depth == 2:
            self._start_in_log(tag.removeprefix(self._prefix), attributes)
        elif depth == 1:
            self._start_log(tag)
        elif depth > MAX_DEPTH:
            raise self._error(f"elements are nested more than {MAX_DEPTH} deep")
        return False

    def end_part(self) -> None:
        """End a trace, or another part of the log."""
        self.trace = self._default = None

    def attribute(self, tag: str, attributes: list[str]) -> tuple[str, str] | None:
        """Return the key and the value of an attribute; a list has no value, and is left out."""
        given = dict(zip(attributes[::2], attributes[1::2], strict=True))
        if "key" not in given:
            raise self._error(f"<{tag}> has no key")
        return (given["key"], given["value"]) if "value" in given else None

    def _start_log(self, tag: str) -> None:
        if tag != "log" and not tag.endswith(":log"):
            raise self._error(f"is not an XES log: it begins with <{tag}>, not <log>")
        self._prefix = tag[:-3]
        self._event_tag = f"{self._prefix}event"

    def _start_in_log(self, tag: str, attributes: list[str]) -> None:
        if tag == "trace":
            self.n_traces += 1
            self.trace, self._trace_has_events = {}, False
        elif tag == "event":
            raise self._error("an event is outside of a trace, so it belongs to no case")
        elif tag == "global":
            if self.n_traces:
                raise self._error("<global> follows a trace; write it before the traces")
            scope = attributes[attributes[::2].index("scope") * 2 + 1] if "scope" in attributes[::2] else ""
            self._default = self.defaults.get(scope)

    def _start_child(self, tag: str, attributes: list[str]) -> bool:
        """Return whether an event starts; read an attribute of a trace or of a default."""
        if self.trace is None:
            if self._default is not None:
                self._add(self._default, tag, attributes)
            return False
        if tag != self._event_tag:
            if self._trace_has_events:
                raise self._error("an attribute of a trace follows its events; write it before them")
            self._add(self.trace, tag, attributes)
            return False
        if self._n_events == self._wanted:
            raise _Found(self._parser.CurrentLineNumber)
        self._n_events += 1
        if not self._trace_has_events:
            self._trace_has_events = True
            self._name_trace(self.trace)
        return True

    def _name_trace(self, trace: Attributes) -> None:
        """Give a trace without a name its number, and one with the name of another a name that differs."""
        name = trace.get(NAME) or str(self.n_traces)
        count = self._names[name] = self._names.get(name, 0) + 1
        trace[NAME] = name if count == 1 else f"{name} ({count})"

    def _add(self, found: Attributes, tag: str, attributes: list[str]) -> None:
        """Add an attribute to those of a trace, or to the defaults."""
        given = self.attribute(tag, attributes)
        no_default = NAME if found is self.defaults["trace"] else TIME if found is self._default else None
        if given is not None and given[0] != no_default:
            found[given[0]] = given[1]

    def _require_events(self) -> None:
        if not self._n_events:
            raise InputError(f"the log has no {'event' if self.n_traces else 'trace'}", path=self.path)


class _Found(Exception):
    """The event that was looked for begins on this line."""

    def __init__(self, line: int):
        super().__init__()
        self.line = line
