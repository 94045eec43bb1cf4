"""Names and paths with braces, quotes, markup and shell syntax, through a real run and its report."""

from __future__ import annotations

import csv
import html
import io
import json
from html.parser import HTMLParser

import numpy as np
import pytest

from tests.support.runs import planned, snakemake

# Variables, the data file, the learner's file and its options all hold what some layer could interpret.
MARKUP = "</script><script>alert(1)</script>"
NAMES = ["{word}", 'A->B, "x"', MARKUP, "$(touch made-by-name) {} ünï*"]
DATA = 'my {word} {} "data" $(touch made-by-path) ünï.csv'
LEARNER = "my {word} 'learner'.py"
NOTE = "{word} {} </script><b>bold</b> $(touch made-by-option) \"quoted\" 'ünï'"
SOURCE = """\
from dataclasses import dataclass
from ctbnlab import Evidence, NodeResult

@dataclass(frozen=True)
class Mine:
    note: str = ""
    citation = "none"

    def learn_node(self, statistics, knowledge):
        rows = tuple(Evidence(j, j in knowledge.required, self.note) for j in statistics.candidates)
        return NodeResult(statistics.target, knowledge.required, rows)
"""


def data():
    """Return a CSV in which the odd variables change in turn."""
    rng = np.random.default_rng(1)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["trajectory", "time", *NAMES])
    for trajectory in range(5):
        states, time = [0] * len(NAMES), 0.0
        writer.writerow([trajectory, time, *states])
        for _ in range(40):
            time += float(rng.exponential())
            changed = int(rng.integers(len(NAMES)))
            states[changed] = 1 - states[changed]
            writer.writerow([trajectory, repr(time), *states])
    return text.getvalue()


def config():
    return {
        "experiment": "odd",
        "data": {
            "path": DATA,
            "require": ['{word}->"A->B, ""x"""', f"{MARKUP}->{{word}}"],
            "forbid": [f"{NAMES[3]}->{MARKUP}"],
        },
        "learners": {
            "mine": {"algorithm": LEARNER, "options": {"note": NOTE}},
            "ctss": {"algorithm": "ctss"},
        },
        "formats": ["svg"],
        "nodes_per_job": 1,
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run on odd names, its report included."""
    folder = tmp_path_factory.mktemp("odd {word} names")
    (folder / DATA).write_text(data(), encoding="utf-8")
    (folder / LEARNER).write_text(SOURCE, encoding="utf-8")
    snakemake(folder, config())
    return folder


def test_names_arrive_as_they_were_written(finished):
    root = finished / "results/odd"
    graph = json.loads((root / "mine/graph.json").read_text(encoding="utf-8"))
    assert [variable["name"] for variable in graph["variables"]] == NAMES
    parents = {node["name"]: node["parents"] for node in graph["nodes"]}
    assert parents[NAMES[1]] == ["{word}"] and parents["{word}"] == [MARKUP]
    assert graph["learner"]["parameters"] == {"note": NOTE}
    assert json.loads((root / "config.json").read_text(encoding="utf-8"))["data"]["path"] == DATA


def test_nothing_in_a_name_is_executed(finished):
    assert not list(finished.rglob("made-by-*"))


def test_changed_data_and_learners_are_noticed_although_their_paths_have_braces(finished):
    assert planned(finished, config()) == {}
    learner = finished / LEARNER
    learner.write_text(SOURCE + "# changed\n", encoding="utf-8")
    assert planned(finished, config())["learn"] == len(NAMES)
    (finished / DATA).write_text(data() + "9,0,0,0,0,0\n9,1,0,0,0,0\n", encoding="utf-8")
    assert planned(finished, config())["own_data"] == 1


class Elements(HTMLParser):
    """Collects the elements and the text of a page, and the text of its scripts by their ids."""

    def __init__(self, path):
        super().__init__()
        self.tags, self.scripts, self._script, self.text = [], {}, None, ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "script":
            self._script = dict(attributes).get("id", len(self.scripts))
            self.scripts[self._script] = ""

    def handle_endtag(self, tag):
        self._script = None

    def handle_data(self, data):
        self.text += data
        if self._script is not None:
            self.scripts[self._script] += data


def test_names_are_text_in_the_report(finished):
    page = Elements(finished / "results/odd/report.html")
    assert {"html", "head", "body", "style", "table"} <= set(page.tags)
    assert set(page.scripts) == {"page-data", 1, 2} and "b" not in page.tags  # the page's own
    for shown in (*NAMES, DATA, LEARNER, NOTE):
        assert shown in page.text


def test_names_are_text_in_the_table_of_arcs(finished):
    page = Elements(finished / "results/odd/arcs.html")
    assert page.scripts == {} and "b" not in page.tags
    text = (finished / "results/odd/arcs.html").read_text(encoding="utf-8")
    assert html.escape(f"{MARKUP} → {{word}}") in text


def test_markdown_shows_names_as_text(finished):
    text = (finished / "results/odd/arcs.md").read_text(encoding="utf-8")
    assert "<script>" not in text and r"\<script\>" in text
