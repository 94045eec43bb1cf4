"""The files that a command reads and writes, declared as the types of its arguments.

An argument with `type=Input()` or `type=Output()` is checked before the command runs: inputs exist, outputs
can be written, and no output is an input or another output. `-` means standard input or standard output. An
input that is not a file is copied to one, so that a command can open its inputs as often as it likes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ctbnlab.cli import file_kinds
from ctbnlab.cli.messages import tell
from ctbnlab.errors import InputError, renamed, shown_as

if TYPE_CHECKING:
    from ctbnlab.io.places import Place

_STREAM = "-"
_STDIN, _STDOUT = "/dev/stdin", "/dev/stdout"


class PathArgument:
    """The type of an argument that names a file; its value stays a text."""

    def __call__(self, text: str) -> str:
        """Return the value of the argument."""
        return text


class Input(PathArgument):
    """A file to read; `-` is standard input.

    `kinds` are those of `file_kinds` that it may be; any if none is given. `words` are values that do not
    name a file.
    """

    def __init__(self, *kinds: str, words: Sequence[str] = ()):
        self.kinds, self.words = kinds, words


class Data(Input):
    """Trajectories to read: a file, or a folder of files that are one table; `-` is standard input.

    A command may read other kinds of files in the same place.
    """

    def __init__(self, *others: str):
        super().__init__(file_kinds.TRAJECTORIES, *others)


class Config(Input):
    """A config to read, or its content as JSON text."""

    def __init__(self) -> None:
        super().__init__(file_kinds.CONFIG)


class Learner(PathArgument):
    """The name of a learner, or file.py or file.py:Class; the file must not be overwritten either."""


class Output(PathArgument):
    """A file to write; `-` is standard output. Without it, results are printed there if `printed`."""

    def __init__(self, printed: bool = False):
        self.printed = printed


class Folder(PathArgument):
    """A folder to write files to, which is made if needed."""


def note(parser: argparse.ArgumentParser) -> str:
    """Return what the help of a command says about `-`."""
    roles = [action.type for action in parser._actions]
    streams = [
        f"standard {stream}"
        for stream, role in (("input", Input), ("output", Output))
        if any(isinstance(found, role) for found in roles)
    ]
    return f"A file named `-` is {' or '.join(streams)}." if streams else ""


class _Use(NamedTuple):
    """One file of a call: its role, the text that names it, and how to read and replace that."""

    role: PathArgument
    text: str
    value: Callable[[], str]
    replace: Callable[[str], None]


@contextmanager
def opened(args: argparse.Namespace) -> Iterator[None]:
    """Check the files of a command; in the block, its arguments are paths that can be opened."""
    from ctbnlab.io.inputs import is_terminal, reading

    with ExitStack() as stack:
        try:
            uses = list(_uses(args))
            _name_streams(uses, stack)
            read = _inputs(uses)
            _check_outputs(uses, [place for _, place in read], _prints(args))
            for use, place in read:
                if is_terminal(place):
                    tell(f"Reading {place.name} from the terminal; end it with Ctrl-D")
                if place.descriptor is not None or place.kind not in ("file", "folder"):
                    use.replace(stack.enter_context(reading(place)))
                if place.kind != "folder":
                    assert isinstance(use.role, Input)
                    file_kinds.refuse_wrong_kind(use.value(), use.role.kinds)
            yield
        except OSError as error:
            raise renamed(error) from None


def refuse_overwriting(output: str, inputs: list[str]) -> None:
    """Refuse an output that is one of the files that a command finds by itself, such as those of a config."""
    from ctbnlab.io.places import place_of

    _refuse_overwriting(place_of(output), [place_of(path) for path in inputs])


def _uses(args: argparse.Namespace) -> Iterator[_Use]:
    for action in args.parser._actions:
        if not isinstance(action.type, PathArgument):
            continue
        value = getattr(args, action.dest)
        if isinstance(value, list):
            for i, text in enumerate(value):
                yield _Use(action.type, text, partial(value.__getitem__, i), partial(value.__setitem__, i))
        elif value is not None:
            get, put = partial(getattr, args, action.dest), partial(setattr, args, action.dest)
            yield _Use(action.type, value, get, put)


def _prints(args: argparse.Namespace) -> bool:
    """Return whether a command prints its results for lack of an output."""
    return any(
        isinstance(action.type, Output) and action.type.printed and getattr(args, action.dest) is None
        for action in args.parser._actions
    )


def _name_streams(uses: list[_Use], stack: ExitStack) -> None:
    """Put the paths of the standard streams in the place of `-`."""
    for i, use in enumerate(uses):
        if use.text != _STREAM or isinstance(use.role, Learner):
            continue
        if isinstance(use.role, Folder):
            raise InputError("standard output cannot hold several files; name a folder", path=_STREAM)
        path, name = (
            (_STDIN, "standard input") if isinstance(use.role, Input) else (_STDOUT, "standard output")
        )
        stack.enter_context(shown_as(path, name))
        use.replace(path)
        uses[i] = use._replace(text=path)


def _inputs(uses: list[_Use]) -> list[tuple[_Use, Place]]:
    """Return the inputs and what each leads to; refuse to read one stream twice."""
    from ctbnlab.io.inputs import require_readable
    from ctbnlab.io.places import place_of

    found = []
    streams = set()
    for use in uses:
        if not isinstance(use.role, Input):
            continue
        if use.text in use.role.words:
            continue
        if isinstance(use.role, Config) and use.text.lstrip().startswith("{"):
            continue
        place = place_of(use.text)
        require_readable(place, folders=isinstance(use.role, Data))
        if place.kind in ("pipe", "socket") or place.descriptor is not None:
            key = place.identity or place.descriptor
            if key in streams:
                raise InputError("can be read only once, but is given twice", path=place.name)
            streams.add(key)
        found.append((use, place))
    return found


def _check_outputs(uses: list[_Use], inputs: list[Place], prints: bool) -> None:
    """Refuse outputs that cannot be written, that are inputs, or that are the same."""
    from ctbnlab.io.files import require_folder, require_writable
    from ctbnlab.io.places import place_of

    for use in uses:
        if isinstance(use.role, Learner) and ".py" in use.text:
            inputs = [*inputs, place_of(use.text.rpartition(".py")[0] + ".py")]
        if isinstance(use.role, Folder):
            require_folder(use.text)
    standard = _standard_output()
    if standard is not None and standard.kind == "file":  # show data.csv >> data.csv
        _refuse_overwriting(standard, inputs)
    written: list[object] = []
    for place in [require_writable(use.text) for use in uses if isinstance(use.role, Output)]:
        _refuse_overwriting(place, inputs)
        if prints and standard is not None and (place.descriptor == 1 or _same(place, standard)):
            raise InputError("is where the results are printed; name a file here or with -o", path=place.name)
        if place.identity is not None and place.identity in written:
            raise InputError("is given as two outputs; name two files", path=place.name)
        written.append(place.identity)


def _standard_output() -> Place | None:
    """Return what standard output is, or None if it is closed."""
    from ctbnlab.io.places import place_of

    try:
        return place_of(_STDOUT)._replace(name="standard output")
    except InputError:
        return None


def _same(one: Place, other: Place) -> bool:
    return one.identity is not None and one.identity == other.identity


def _refuse_overwriting(output: Place, inputs: list[Place]) -> None:
    for place in inputs:
        if _same(output, place):
            other = "" if output.name == place.name else f", {place.name}"
            raise InputError(f"is also an input{other}; write to another file", path=output.name)
        if place.kind == "folder" and output.kind == "file" and _is_shard(output, place):
            raise InputError(f"is in the input {place.name}; write to another file", path=output.name)


def _is_shard(file: Place, folder: Place) -> bool:
    """Return whether a file is one of a folder of tables."""
    return file.end.is_relative_to(folder.end) and file.end.name.lower().endswith(
        (".parquet", ".csv", ".csv.gz")
    )
