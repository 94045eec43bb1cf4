"""What may come next on a command line: the candidates that the completion scripts of all shells ask for.

The scripts call `ctbnlab __complete WORD… CURRENT`. The answer has one candidate per line, with a description
after a tab; `:files` and `:folders` ask the shell to complete names of files or folders.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence

from ctbnlab.cli.commands import COMMANDS
from ctbnlab.cli.parser import build_parser, subparsers_of
from ctbnlab.cli.paths import Folder, Learner, PathArgument

FILES, FOLDERS = ":files", ":folders"

# Arguments that name learners, which may be files, but are not checked like files.
_LEARNERS = (("learn", "list"), ("report", "compare"))

Candidate = tuple[str, str]  # and its description


def lines(words: Sequence[str]) -> list[str]:
    """Return the answer to a script: `words` follow the name of the program, the last is being typed."""
    *before, current = _without_equals_signs(words) or [""]
    return ["\t".join(part for part in found if part) for found in candidates(before, current)]


def _without_equals_signs(words: Sequence[str]) -> list[str]:
    """Return the words without `=`, which bash cuts `--option=value` at."""
    found = [word for i, word in enumerate(words) if word != "=" or not words[i - 1].startswith("--")]
    return found if words and found and words[-1] != "=" else [*found, ""]


def candidates(before: Sequence[str], current: str) -> list[Candidate]:
    """Return what the word `current` may become, after the words `before`."""
    at = next((i for i, word in enumerate(before) if not word.startswith("-")), None)
    if at is None:
        parser = build_parser()
        if current.startswith("-"):
            return _starting(_options(parser, ()), current)
        actions = subparsers_of(parser)._choices_actions
        return _starting([(action.dest, action.help or "") for action in actions], current)
    command, words = before[at], before[at + 1 :]
    if command not in COMMANDS:
        return []
    parser = subparsers_of(build_parser(command)).choices[command]
    option, equals, value = current.partition("=")
    if equals and option in parser._option_string_actions:
        return _starting(_values(command, parser._option_string_actions[option], words), value)
    pending, given = _walked(parser, words)
    if pending is None and current.startswith("-"):
        return _starting(_options(parser, words), current)
    action = pending if pending is not None else _positional(parser, given)
    return [] if action is None else _starting(_values(command, action, words), current)


def _starting(found: Iterable[Candidate], start: str) -> list[Candidate]:
    return [each for each in found if each[0].startswith((start, ":"))]


def _options(parser: argparse.ArgumentParser, words: Sequence[str]) -> Iterator[Candidate]:
    """Yield the long options that are not given yet, or may be repeated."""
    for action in parser._actions:
        names = action.option_strings
        if action.help == argparse.SUPPRESS or not names:
            continue
        if {*names} & {*words} and not isinstance(action, argparse._AppendAction):
            continue
        for name in names:
            if name.startswith("--"):
                yield name, _first_words(action)


def _first_words(action: argparse.Action) -> str:
    text = " ".join((action.help or "").replace("%%", "%").split())
    return text if len(text) <= 60 else f"{text[:60].rpartition(' ')[0]} …"


def _walked(parser: argparse.ArgumentParser, words: Sequence[str]) -> tuple[argparse.Action | None, int]:
    """Return the option that waits for a value after these words, and the number of positional words."""
    pending: argparse.Action | None = None
    is_open, given = False, 0  # an option with several values takes words until the next option
    for word in words:
        if word.startswith("-") and word != "-":
            name, equals, _ = word.partition("=")
            found = parser._option_string_actions.get(name)
            takes = found is not None and found.nargs != 0 and not equals
            pending = found if takes else None
            is_open = takes and found is not None and found.nargs in ("*", "+")
        elif pending is not None:
            pending = pending if is_open else None
        else:
            given += 1
    return pending, given


def _positional(parser: argparse.ArgumentParser, given: int) -> argparse.Action | None:
    """Return the positional argument of the next word; the last one may take several."""
    for action in parser._actions:
        if action.option_strings:
            continue
        if given == 0 or action.nargs in ("*", "+"):
            return action
        given -= 1
    return None


def _values(command: str, action: argparse.Action, words: Sequence[str]) -> Iterator[Candidate]:
    """Yield the values that an argument may have."""
    if action.choices is not None:
        yield from ((str(choice), "") for choice in action.choices)
    elif isinstance(action.type, Learner) or (command, action.dest) in _LEARNERS:
        yield from _learners()
        yield FILES, ""
    elif action.dest == "option":
        yield from _learner_options(words)
    elif (command, action.dest) == ("gallery", "name"):
        from ctbnlab.model import gallery

        yield from ((name, gallery.summary(name)) for name in gallery.names())
    elif (command, action.dest) == ("help", "topic"):
        yield from ((name, "") for name in COMMANDS)
    elif action.dest in ("format", "from_format", "to_format", "layout"):
        from ctbnlab.data.formats.detect import FORMATS, TABLE_LAYOUTS

        names = TABLE_LAYOUTS if action.dest == "layout" else FORMATS
        yield from ((name.replace("_", "-"), "") for name in names)
    elif isinstance(action.type, Folder):
        yield FOLDERS, ""
    elif isinstance(action.type, PathArgument):
        yield from ((word, "") for word in getattr(action.type, "words", ()))
        yield FILES, ""


def _learners() -> Iterator[Candidate]:
    from ctbnlab.learning import registry

    yield from registry.summaries().items()


def _learner_options(words: Sequence[str]) -> Iterator[Candidate]:
    """Yield `NAME=` for the options of the learner that is named; code from outside is not loaded."""
    import dataclasses
    from typing import Any, cast

    from ctbnlab.learning import registry
    from ctbnlab.learning.option_texts import meaning

    named = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "--learner"]
    named += [word.partition("=")[2] for word in words if word.startswith("--learner=")]
    name = named[-1] if named else registry.DEFAULT
    if name not in registry.LEARNERS:
        return
    found, preset = registry.learner_class(name)
    for field in dataclasses.fields(cast(Any, found)):
        if field.init and field.name not in preset:
            yield f"{field.name}=", meaning(found, field)
