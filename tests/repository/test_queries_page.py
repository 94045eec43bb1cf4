"""The commands of docs/queries.md print what the page says, and its Python runs.

`CTBNLAB_UPDATE_SNAPSHOTS=1 pytest tests/repository/test_queries_page.py` writes what they print into it.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from ctbnlab.cli.main import main

PAGE = Path(__file__).resolve().parents[2] / "docs/queries.md"
_BLOCK = re.compile(r"```sh\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
_CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def printed(block: str, capsys) -> str:
    """Return all that the commands of a block print."""
    text = ""
    for line in block.replace("\\\n", " ").splitlines():
        assert line.startswith("ctbnlab "), line
        assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err
        out, err = capsys.readouterr()
        text += out + err
    return text


def test_commands_print_what_the_page_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")

    def filled(match: re.Match[str]) -> str:
        text = printed(match[1], capsys)
        return match[0] if match[2] is None else f"```sh\n{match[1]}```\n\n```text\n{text}```"

    made = _BLOCK.sub(filled, page)
    if os.environ.get("CTBNLAB_UPDATE_SNAPSHOTS"):
        PAGE.write_text(made, encoding="utf-8")
    else:
        assert made == page


@pytest.mark.parametrize("code", _CODE.findall(PAGE.read_text(encoding="utf-8")))
def test_code_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(PAGE), "exec"), {})
