"""The demo of the README prints what is printed there, and the pictures show what they say."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

from ctbnlab.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
_DEMO = re.compile(r"```sh\n(ctbnlab gallery .*?)```\n\n```text\n(.*?)```", re.DOTALL)
_SECONDS = re.compile(r" in [0-9.]+ s$", re.MULTILINE)


def commands(block: str) -> list[list[str]]:
    """Return the commands of a block as words, without the name of the program."""
    lines = [part for line in block.splitlines() for part in line.split(" && ")]
    assert all(line.startswith("ctbnlab ") for line in lines)
    return [shlex.split(line)[1:] for line in lines]


def test_the_demo_works_as_printed(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    block, expected = _DEMO.search(README).groups()
    printed = ""
    for words in commands(block):
        assert main(words) == 0
        out, err = capfd.readouterr()
        printed += err + out
    assert _SECONDS.sub("", printed) == _SECONDS.sub("", expected)
    assert "</html>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_badge_has_the_versions_of_python_that_wheels_are_built_for():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]["build"]
    minors = [int(minor) for minor in re.findall(r"cp3(\d+)-", build)]
    versions = f"3.{min(minors)}–3.{max(minors)}"
    assert versions in (ROOT / "docs/images/badges/python.svg").read_text(encoding="utf-8")
    assert f"[![Python {versions}]" in README
