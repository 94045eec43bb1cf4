"""Pages and files of the site that are outside docs/, and the links to them.

Links in the pages are those that work in the repository, such as `../examples/bivariate_learner.py`. The site
has that file at another path, so links are rewritten; links to files that the site lacks become plain text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
# Outside docs/: pages and files that have the same path in the site as in the repository.
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
    """Remove pages that do not exist from the navigation."""
    config.nav = _present(config.nav)
    return config


def _present(entries: list[Any]) -> list[Any]:
    present = []
    for entry in entries:
        ((title, target),) = entry.items()
        if isinstance(target, list):
            present.append({title: _present(target)})
        elif target in (*PAGES, "commands.md") or (ROOT / "docs" / target).is_file():
            present.append(entry)
    return present


def on_files(files: Files, config: Any) -> Files:
    """Add the pages and files outside docs/."""
    for path in (*PAGES, *FILES):
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: Any) -> str:
    """Rewrite relative links outside of code."""
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
