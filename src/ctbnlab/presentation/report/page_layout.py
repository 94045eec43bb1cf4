"""The frame of every report: title, contents, sections, and a style for screens, phones and paper.

The page needs no other file and makes no request: its policy forbids everything remote, and all scripts but
its own, which it knows by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from ctbnlab.presentation.report.markup import Html, anchor, element, joined, name, text

_CLOSED = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:"


@dataclass(frozen=True)
class Part:
    """A part of a section that the contents list too."""

    title: str
    body: Html
    label: str = ""  # shorter than the title, for the contents


@dataclass(frozen=True)
class Section:
    """A section of the report: its title, what it shows, and its parts."""

    title: str
    body: Html
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Interaction:
    """What makes a page respond: one block of data, scripts in their order, and more style."""

    data: Mapping[str, Any]
    scripts: tuple[str, ...]
    style: str = ""


def report_page(
    title: str, kind: str, sections: Sequence[Section], interaction: Interaction | None = None
) -> str:
    """Return the whole page; `kind` says in a few words what the report is about."""
    ids = _ids(sections)
    style = files("ctbnlab.presentation.report").joinpath("page.css").read_text(encoding="utf-8")
    style += "" if interaction is None else interaction.style
    scripts = () if interaction is None else interaction.scripts
    head = joined(
        [
            element("meta", charset="utf-8"),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", http_equiv="Content-Security-Policy", content=_policy(style, scripts)),
            element("meta", name="color-scheme", content="light dark"),
            element("link", rel="icon", href="data:,"),
            element("title", f"{title} – ctbnlab report"),
            element("style", Html(style)),
        ],
        Html("\n"),
    )
    main = element("main", *(_section(section, ids) for section in sections), id="content")
    header = element("header", element("p", kind, class_="kind"), element("h1", name(title)))
    skip = element("a", "Skip to the results", href="#content", class_="skip")
    body = element("body", skip, header, _contents(sections, ids), main, _running(interaction))
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n{body}\n</html>\n'


def _policy(style: str, scripts: Sequence[str]) -> str:
    """Return the policy that lets the page's own style and scripts run, and nothing else."""
    own = " ".join(map(_hash, scripts)) or "'none'"
    return f"{_CLOSED}; style-src {_hash(style)}; script-src {own}"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _running(interaction: Interaction | None) -> Html:
    """Return the block of data and the scripts of a page."""
    if interaction is None:
        return Html("")
    # In a script element only `</` and `<!--` have a meaning.
    block = json.dumps(interaction.data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    block = block.replace("<", "\\u003c")
    parts = [element("script", Html(block), type="application/json", id="page-data")]
    return joined([*parts, *(element("script", Html(script)) for script in interaction.scripts)])


def _ids(sections: Sequence[Section]) -> dict[tuple[str, str], str]:
    """Return an id for each section and each of its parts, all different."""
    ids: dict[tuple[str, str], str] = {}
    taken: set[str] = {"content"}
    for section in sections:
        for title in ("", *(part.title for part in section.parts)):
            first = anchor(f"{section.title} {title}")
            number, candidate = 1, first
            while candidate in taken:
                number += 1
                candidate = f"{first}-{number}"
            taken.add(candidate)
            ids[section.title, title] = candidate
    return ids


def _section(section: Section, ids: dict[tuple[str, str], str]) -> Html:
    parts = (
        element(
            "section",
            element("h3", name(part.title)),
            part.body,
            id=ids[section.title, part.title],
        )
        for part in section.parts
    )
    heading = element("h2", section.title)
    return element("section", heading, section.body, *parts, id=ids[section.title, ""])


def _contents(sections: Sequence[Section], ids: dict[tuple[str, str], str]) -> Html:
    """Return the links to all sections and their parts."""
    items = []
    for section in sections:
        link = element("a", section.title, href=f"#{ids[section.title, '']}")
        inner = [
            element(
                "li", element("a", name(part.label or part.title), href=f"#{ids[section.title, part.title]}")
            )
            for part in section.parts
        ]
        items.append(element("li", link, element("ol", *inner) if inner else text("")))
    return element("nav", element("ol", *items), aria_label="Contents")
