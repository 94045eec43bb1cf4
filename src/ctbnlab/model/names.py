"""Names of variables in options and configs: arcs, lists and assignments, with one rule for quotes.

A name that contains a separator (`->`, a comma, `=`), outer spaces or a leading quote is put in double
quotes, and a double quote in it is doubled, as in CSV: `"A->B"->"C, D"` is an arc from `A->B` to `C, D`. In
quotes a name is literal, so that `"*"` is a variable called `*`. Other names may be quoted, too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ctbnlab.errors import InputError, printable

ARROW = "->"
_QUOTED = re.compile(r'\s*"((?:[^"]|"")*)"\s*')
_SEPARATORS = (ARROW, "→", ",", "=")


class LiteralName(NamedTuple):
    """A name that is meant literally even if it is `*`, which otherwise stands for every variable."""

    name: str


End = str | LiteralName  # one end of an arc


def parse_arc(text: str) -> tuple[End, End]:
    """Read an arc written as `A->B`; `*` on either side stands for every variable."""
    fields = _fields(text, (ARROW,))
    if len(fields) != 2 or not all(name for name, _ in fields):
        raise InputError(f"write an arc as A->B, not {text!r}; put a name that contains -> in double quotes")
    source, target = (LiteralName(name) if quoted and name == "*" else name for name, quoted in fields)
    return source, target


def parse_list(text: str) -> list[str]:
    """Read names separated by commas; empty ones are left out."""
    return [name for name, quoted in _fields(text, (",",)) if name or quoted]


def parse_groups(text: str, separator: str) -> list[list[str]]:
    """Read groups of names: commas within a group, `separator` between groups."""
    groups: list[list[str]] = [[]]
    position = 0
    while position <= len(text):
        (name, is_quoted), position = _field(text, position, (separator, ","))
        if name or is_quoted:
            groups[-1].append(name)
        if text[position : position + 1] == separator:
            groups.append([])
        position += 1
    return groups


def parse_assignments(text: str) -> dict[str, str]:
    """Read `A=x,B=y`: each name once, with a value; both may be quoted."""
    result: dict[str, str] = {}
    position = 0
    while position <= len(text):
        (name, _), position = _field(text, position, ("=", ","))
        if not name or text[position : position + 1] != "=":
            raise InputError(f"expected NAME=VALUE, separated by commas, not {text!r}")
        (value, _), position = _field(text, position + 1, (",",))
        if name in result:
            raise InputError(f"{name!r} appears twice in {text!r}")
        result[name] = value
        position += 1
    return result


def quoted(name: str) -> str:
    """Return a name as the functions above read it back: in double quotes if it would be misread."""
    ambiguous = (
        not name
        or name == "*"
        or name != name.strip()
        or name.startswith('"')
        or any(separator in name for separator in _SEPARATORS)
    )
    return '"' + name.replace('"', '""') + '"' if ambiguous else name


def arc_text(source: str, target: str, arrow: str = f" {ARROW} ") -> str:
    """Return an arc between two variables to print on one line, quoted where it would be ambiguous."""
    return printable(f"{quoted(source)}{arrow}{quoted(target)}")


def written_arc(arc: tuple[End, End]) -> str:
    """Return an arc as `parse_arc` reads it back; `*` without quotes stands for every variable."""
    return f" {ARROW} ".join(
        end if end == "*" else quoted(end.name if isinstance(end, LiteralName) else end) for end in arc
    )


def _fields(text: str, separators: tuple[str, ...]) -> list[tuple[str, bool]]:
    """Return the fields between separators outside quotes, and whether each is quoted."""
    fields = []
    position = 0
    while position <= len(text):
        field, position = _field(text, position, separators)
        fields.append(field)
        position += len(separators[0])
    return fields


def _field(text: str, start: int, separators: tuple[str, ...]) -> tuple[tuple[str, bool], int]:
    """Return the field that begins at `start`, and the position of the separator after it or the end."""
    match = _QUOTED.match(text, start)
    if match is None:
        found = [text.find(separator, start) for separator in separators]
        end = min((position for position in found if position >= 0), default=len(text))
        name = text[start:end].strip()
        if name.startswith('"'):
            raise InputError(f"a double quote is not closed in {text!r}")
        return (name, False), end
    end = match.end()
    if end < len(text) and not any(text.startswith(separator, end) for separator in separators):
        raise InputError(f"text follows a closing quote in {text!r}; double the quotes in a name")
    return (match[1].replace('""', '"'), True), end
