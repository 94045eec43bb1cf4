"""Pages and files of the site that stand elsewhere in the repository, and links between them.

A link in any page is one that works in the repository: `../examples/bivariate_learner.py`. In the site the
same file has another place; links are rewritten to it. What the site does not have is shown as text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
# Beside docs/ itself: pages and files that the site has at the same path as the repository.
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "config/README.md")
FILES = (
    "schemas/network.schema.json",
    "workflow/schemas/config.schema.json",
    "examples/bivariate_learner.py",
    "examples/likelihood_ratio_test.py",
    "constraints.txt",
)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_FENCE = re.compile(r"(^ *```.*?^ *```$|`[^`\n]*`(?!\]))", re.DOTALL | re.MULTILINE)


def on_config(config: Any) -> Any:
    """Leave pages out of the navigation that this branch does not have."""
    config.nav = _present(config.nav)
    return config


def _present(entries: list[Any]) -> list[Any]:
    kept = []
    for entry in entries:
        ((title, target),) = entry.items()
        if isinstance(target, list):
            kept.append({title: _present(target)})
        elif target in (*PAGES, "commands.md") or (ROOT / "docs" / target).is_file():
            kept.append(entry)
    return kept


def on_files(files: Files, config: Any) -> Files:
    """Add what stands elsewhere in the repository."""
    for path in (*PAGES, *FILES):
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: Any) -> str:
    """Rewrite relative links, outside code."""
    source = page.file.src_uri
    here = source if source in PAGES else f"docs/{source}"
    pieces = _FENCE.split(markdown)
    for index in range(0, len(pieces), 2):
        pieces[index] = _LINK.sub(lambda match: _rewritten(match, here, source, files), pieces[index])
    return "".join(pieces)


def _rewritten(match: re.Match[str], here: str, source: str, files: Files) -> str:
    mark, text, target = match.groups()
    if re.match(r"[a-z]+:|#", target):
        return match[0]
    path, hash_, anchor = target.partition("#")
    in_repository = posixpath.normpath(posixpath.join(posixpath.dirname(here), path))
    in_site = in_repository.removeprefix("docs/")
    if files.get_file_from_path(in_site) is None:
        return match[0] if mark else text
    relative = posixpath.relpath(in_site, posixpath.dirname(source) or ".")
    return f"{mark}[{text}]({relative}{hash_}{anchor})"
