"""`ctbnlab inspect`: looks at a file and prints the command that would read it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ctbnlab.cli.paths import Data
from ctbnlab.io.shown import counted

if TYPE_CHECKING:
    from ctbnlab.data.formats.inspection import Inspection

HELP = "look at a table and print the command that reads it"
DESCRIPTION = """\
Look at the first rows of a table and print what its columns seem to be, the command that would read it, and
the questions that only you can answer.

  ctbnlab inspect visits.csv
"""
_MAX_BYTES = 50_000_000  # larger files are not read to see what comes out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Data(), metavar="FILE", help="a table, or any file of trajectories")


def run(args: argparse.Namespace) -> None:
    from ctbnlab.data.formats.inspection import inspected
    from ctbnlab.errors import shown
    from ctbnlab.io.files import naming_file

    with naming_file(args.file):
        found = inspected(Path(args.file))
    print(shown(args.file))
    print("\n".join(_lines(found, args.file)))


def _lines(found: Inspection | None, file: str) -> Iterator[str]:
    if found is None:
        yield "trajectories in a format of their own, which needs no options"
        yield ""
        yield f"  ctbnlab learn {_quoted(file)}"
        return
    from ctbnlab.presentation.terminal import clipped, shown, table

    rows = [["column", "holds", "distinct", "missing", "such as"]]
    for column in found.columns:
        rows.append(
            [
                clipped(shown(column.name), 24),
                column.kind,
                f"{column.n_distinct:,}",
                f"{column.n_missing:,}",
                ", ".join(clipped(shown(text), 16) for text in column.examples),
            ]
        )
    yield f"{counted(len(found.columns), 'column')}; looked at {counted(found.rows, 'row')}"
    yield ""
    yield from (clipped(line) for line in table(rows, right=(2, 3)))
    yield ""
    suggestion = found.suggestion
    if suggestion.layout is None:
        yield f"layout: unknown ({suggestion.reason})"
    else:
        yield f"layout: {suggestion.layout.replace('_', '-')} ({suggestion.reason})"
    for question in suggestion.questions:
        yield f"  - {question}"
    yield ""
    words = suggestion.words()
    yield f"  ctbnlab learn {' '.join(map(_quoted, [file, *words]))}"
    if suggestion.layout is not None:
        yield ""
        yield _trial(file, words)


def _quoted(word: str) -> str:
    """Return a word as a shell needs it; a stream has a name that is none of a file."""
    from ctbnlab.errors import shown

    return shlex.quote(word) if shown(word) == word else shown(word)


def _trial(file: str, words: list[str]) -> str:
    """Read the file with the suggested options, and return what comes out."""
    from ctbnlab.cli.data_options import add_table_options, asked
    from ctbnlab.data.formats.reading import load
    from ctbnlab.errors import InputError

    path = Path(file)
    size = sum(part.stat().st_size for part in path.rglob("*")) if path.is_dir() else path.stat().st_size
    if size > _MAX_BYTES:
        return "(the file is large: not tried)"
    parser = argparse.ArgumentParser()
    add_table_options(parser)
    try:
        data, _ = load(file, **asked(parser.parse_args(words)))
    except InputError as error:
        return f"It does not work yet: {error}"
    return (
        f"This reads {counted(data.n_variables, 'variable')}, "
        f"{counted(len(data), 'trajectory', 'trajectories')}, {counted(data.n_events, 'event')}."
    )
