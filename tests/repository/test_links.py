"""Every relative link, image and anchor in the documents leads somewhere, and what they count is so."""

from __future__ import annotations

import ast
import csv
import os
import re
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import yaml

import ctbnlab
from ctbnlab.workflow.plan import load_plan

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "config/README.md")]
    + list((ROOT / "docs").rglob("*.md"))
)
# Made when the site is built (docs/hooks): what a page of them has is not known here.
GENERATED = {ROOT / "docs/commands.md"}
_CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`(?!\])", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+)\)")


def links(text: str) -> list[str]:
    """Return the targets of links and images outside code."""
    return _LINK.findall(_CODE.sub("", text))


def anchors(path: Path) -> set[str]:
    """Return what `#…` can name in a Markdown file: its headings, and objects that mkdocstrings shows."""
    text = path.read_text()
    objects = set(re.findall(r"^::: (\S+)$", text, re.MULTILINE))
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE)
    words = [re.sub(r"[^\w\- ]", "", heading) for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE)]
    return objects | {heading.strip().lower().replace(" ", "-") for heading in words}


def faults(document: Path) -> list[str]:
    """Return the relative links of a document that lead nowhere."""
    found = []
    for target in links(document.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (document.parent / name).resolve() if name else document
        if path in GENERATED:
            continue
        if not path.exists():
            found.append(f"{target}: there is no such file")
        elif anchor and anchor not in anchors(path):
            found.append(f"{target}: there is no such heading")
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    assert not faults(document)


def test_the_check_finds_what_is_wrong(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A heading: one\n[a](#a-heading-one) [b](#b) [c](c.md) ![d](page.md) `[e](e.md)`\n")
    assert faults(page) == ["#b: there is no such heading", "c.md: there is no such file"]


def test_every_exported_name_is_in_the_reference():
    shown = anchors(ROOT / "docs/api.md")
    assert not {f"ctbnlab.{name}" for name in ctbnlab._EXPORTS} - shown


def test_type_checkers_see_every_exported_name():
    """Names are looked up lazily, so the package lists them twice: for Python and for type checkers."""
    source = (ROOT / "src/ctbnlab/__init__.py").read_text()
    block = next(node for node in ast.parse(source).body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    listed = {name: f"ctbnlab.{module}" for name, module in ctbnlab._EXPORTS.items()}
    for name, module in ctbnlab._MODULES.items():
        listed[name] = f"ctbnlab.{module}".rpartition(".")[0]
    assert seen == listed
    assert set(dir(ctbnlab)) == {"__version__", *listed}


def test_the_numbers_of_networks_are_those_of_the_configs():
    text = (ROOT / "docs/reproduce.md").read_text()
    rows = re.findall(r"^\| `(config/\w+\.yaml)` \|.*\| (\d+) \|$", text, re.MULTILINE)
    assert len(rows) == len(list((ROOT / "config").glob("*.yaml"))) - 1  # all but the user's own data
    for name, count in rows:
        assert len(load_plan(yaml.safe_load((ROOT / name).read_text())).runs()) == int(count), name


def test_the_side_by_side_table_is_that_of_the_committed_rows():
    spec = spec_from_file_location("side_by_side", ROOT / "benchmarks/pyagrum_side_by_side.py")
    benchmark = module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    with (ROOT / "docs/results/pyagrum.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(benchmark.COLUMNS)
    assert benchmark.summary(rows) in (ROOT / "docs/related.md").read_text()


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed: .ci/run builds the site")
def test_the_site_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    for page in ("index", "commands", "api", "statistics", "config/index"):
        text = (tmp_path / f"site/{page}.html").read_text()
        assert "arithmatex" not in text, page
        assert not re.search(r'(src|href)="https?://[^"]*\.(js|css|woff2?)"', text), page
