"""The pages say what the committed results say."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def refresh():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        yield importlib.import_module("refresh")


def test_pages_are_what_the_results_make_of_them(refresh):
    marked = [path for path in refresh.pages() if "<!-- begin " in path.read_text(encoding="utf-8")]
    assert {path.name for path in marked} >= {"README.md", "reproduction.md", "published-cells.md"}
    for path in marked:
        text = path.read_text(encoding="utf-8")
        assert refresh.refreshed(text) == text, f"{path.name}: run python docs/refresh.py"


def test_every_figure_of_the_pages_can_be_drawn_again(refresh):
    redraw = importlib.import_module("redraw")
    shown = {
        name
        for path in refresh.pages()
        for name in re.findall(r"!\[[^]]*\]\((?:docs/)?images/(\w+)\.png\)", path.read_text(encoding="utf-8"))
    }
    assert shown
    assert shown <= {*redraw.ALL}
    committed = {path.stem for path in (ROOT / "docs/images").glob("*.png")}
    assert shown <= committed <= {*redraw.ALL}


def test_every_published_cell_has_its_value(refresh):
    cells = refresh.every_published_cell()
    assert cells.groupby("experiment").size().to_dict() == {"main": 88, "first": 207}
    assert cells["value"].notna().all()
    committed = pd.read_csv(ROOT / "docs/results/published_cells.csv")
    assert len(committed) == 295
    assert committed["value"].tolist() == pytest.approx(cells["value"].tolist(), abs=1e-5)


def test_a_changed_number_is_noticed(refresh):
    text = (ROOT / "docs/reproduction.md").read_text(encoding="utf-8")
    assert refresh.refreshed(text.replace("agree within spread", "agree")) == text
