"""The page of commands, generated from the argument parsers at every build."""

from __future__ import annotations

import argparse
from typing import Any

from mkdocs.structure.files import File, Files

from ctbnlab.cli.commands import GROUPS
from ctbnlab.cli.parser import build_parser
from ctbnlab.presentation.table_writers import markdown_table

PAGE = "commands.md"
TITLES = {"positional arguments": "argument", "options": "option"}


def on_files(files: Files, config: Any) -> Files:
    """Add the page to the site."""
    files.append(File.generated(config, PAGE, content=page()))
    return files


def page() -> str:
    """Return the page: each command with its description, usage, arguments and options."""
    parser = build_parser()
    subcommands = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    parts = [
        "# Commands",
        "This page is generated from `ctbnlab COMMAND --help`. Every command exits with status 0 on success, "
        "2 on invalid input (with one line on the file, the place, the fault and the remedy) and 130 if "
        "interrupted.",
        "Every command takes `--quiet` (print only errors, no notes or progress), `--verbose` (print "
        "what is read, chosen and written, with times) and `--traceback` (print the Python traceback of an "
        "error), before or after its name.",
    ]
    purposes = {action.dest: _cell(action.help) for action in subcommands._choices_actions}
    for group, names in GROUPS.items():
        rows = [[f"[`{name}`](#{name})", purposes[name]] for name in names]
        parts.append(markdown_table([group[0].upper() + group[1:], ""], rows))
    for name, subparser in subcommands.choices.items():
        parts += [f"## {name}", *_sections(subparser)]
    return "\n\n".join(parts) + "\n"


def _sections(parser: argparse.ArgumentParser) -> list[str]:
    formatter = argparse.HelpFormatter(parser.prog, width=96)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups)
    usage = formatter.format_help().removeprefix("usage: ").strip()
    parts = [_prose(parser.description or ""), f"```text\n{usage}\n```"]
    for group in parser._action_groups[:-1]:  # the last one, of messages, is described above
        rows = [_row(action) for action in group._group_actions if _shown(action)]
        if rows:
            title = TITLES.get(group.title or "", group.title or "")
            parts.append(markdown_table([title, ""], rows))
    if parser.epilog:
        parts.append(_prose(parser.epilog))
    return parts


def _shown(action: argparse.Action) -> bool:
    return action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction)


def _row(action: argparse.Action) -> list[str]:
    metavar = action.metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else "")
    if isinstance(metavar, tuple):
        metavar = " ".join(metavar)
    if not action.option_strings:
        name = f"`{metavar or action.dest}`"
    else:
        takes = "" if action.nargs == 0 else f" {metavar or action.dest.upper()}"
        name = ", ".join(f"`{option}{takes}`" for option in action.option_strings)
    return [name, _cell(action.help)]


def _cell(text: str | None) -> str:
    return " ".join((text or "").replace("%%", "%").split()).replace("*", "\\*")


def _prose(text: str) -> str:
    """Return help text as Markdown, with indented lines as code blocks."""
    parts: list[str] = []
    inside = False
    for line in text.rstrip().splitlines():
        indented = line.startswith("  ")
        if indented != inside and line.strip():
            parts.append("```text" if indented else "```")
            if not inside:
                parts.insert(-1, "")
            inside = indented
        parts.append(line.removeprefix("  ") if inside else line.replace("<", "&lt;").replace("*", "\\*"))
    return "\n".join([*parts, "```"] if inside else parts)
