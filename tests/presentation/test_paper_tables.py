"""Tables: the paper's arrangement, the marks, and a round trip through every format."""

from __future__ import annotations

import csv
import html.parser
import io
import re

import pandas as pd
import pytest

from ctbnlab.cli.main import main
from ctbnlab.errors import InputError
from ctbnlab.evaluation import results_table, summary
from ctbnlab.presentation import paper_table_formats, paper_tables
from tests.support import synthetic_metrics
from tests.support.synthetic_metrics import cells_of, frame, row


@pytest.fixture
def table():
    """CTSS on 5 and 20 nodes, two densities, three numbers of states, with every kind of cell."""
    rows = [row(density=d, replicate=i) for d in (0.1, 0.2) for i in range(3)]
    # The paper has 1.00 ± .000 for 5 ternary nodes at density 0.1; here half of the arcs are missed.
    rows += [row(states="3", replicate=i, false_negatives=2) for i in range(2)]
    # No ternary value at density 0.2; the extension with failures; a cell with nothing but failures.
    rows += [row(nodes=20, states="4", n_true=40, extension=True, replicate=i) for i in range(2)]
    rows += [row(nodes=20, states="4", extension=True, replicate=2, status="failed", reason="memory")]
    rows += [row(nodes=20, states="4", density=0.2, extension=True, status="timed out")]
    return paper_tables.arrange(cells_of(rows, "main"), "f1", "ctss")


EXPECTED = [
    ["Binary variables", "5", "ours", "1.00 (±.000)", "1.00 (±.000)"],
    ["Binary variables", "5", "published", "1.00 (±.000)", ".986 (±.045)"],
    ["Ternary variables", "5", "ours", ".667 (±.000)†", ""],
    ["Ternary variables", "5", "published", "1.00 (±.000)", ""],
    ["Quaternary variables", "20", "ours", "1.00 (±.000)§ (1 of 3 failed)", "–§ (1 of 1 timed out)"],
]


def test_csv_reads_back(table):
    rows = list(csv.reader(io.StringIO(paper_table_formats.to_csv(table))))
    assert rows[0] == ["variables", "nodes", "source", "network density 0.1", "network density 0.2"]
    assert rows[1:] == EXPECTED


def test_markdown_reads_back(table):
    text = paper_table_formats.to_markdown(table)
    parts = re.split(r"^### (.*)$", text, flags=re.MULTILINE)[1:]
    found, nodes = [], ""
    for title, part in zip(parts[::2], parts[1::2], strict=True):
        lines = [line for line in part.splitlines() if line.startswith("|")]
        assert len({len(line) for line in lines}) == 1
        assert [c.strip() for c in lines[0].split("|")[1:-1]] == ["Network density", "", "0.1", "0.2"]
        for line in lines[2:]:
            name, *rest = [cell.strip() for cell in line.split("|")[1:-1]]
            nodes = name.removesuffix(" nodes") or nodes
            found.append([title, nodes, *rest])
    assert found == EXPECTED
    assert "† differs" in text
    assert "§ not in the paper" in text
    assert "– no value" in text


class _Cells(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.rows, self.depth = [], 0

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.depth = 1
        elif tag == "small" and self.depth:
            self.rows[-1][-1] += " ("

    def handle_endtag(self, tag):
        if tag == "small" and self.depth:
            self.rows[-1][-1] += ")"
        if tag in ("td", "th"):
            self.depth = 0

    def handle_data(self, data):
        if self.depth:
            self.rows[-1][-1] += data


def test_html_reads_back_and_is_self_contained(table):
    text = paper_table_formats.to_html(table)
    parser = _Cells()
    parser.feed(text)
    body = [cells[1:] for cells in parser.rows if len(cells) == 4]
    assert body == [expected[2:] for expected in EXPECTED]
    assert not re.search(r"(src|href)=|@import|url\(", text)


def test_latex_is_balanced_and_escaped(table):
    text = paper_table_formats.to_latex(table)
    assert text.count(r"\begin{") == text.count(r"\end{") == 2
    assert text.count("{") == text.count("}")
    lines = [line for line in text.splitlines() if line.endswith(r" \\") and "multicolumn{4}" not in line]
    assert all(line.count("&") == (2 if "multicolumn{2}" in line else 3) for line in lines)
    assert r".667 ($\pm$.000)$^{\dag}$" in text
    assert not re.search(r"[±†§–χ²]", text)
    assert paper_table_formats.latex_text(r"a_b & 50% of {x}\y") == r"a\_b \& 50\% of \{x\}\textbackslash{}y"


def test_trajectories_divide_the_columns_of_the_first_experiment():
    table = paper_tables.arrange(cells_of(synthetic_metrics.first(), "tests"), "f1", "ctpc-ks")
    assert table.headings == ("Network density", "Trajectories")
    assert table.columns == tuple((d, h) for d in ("0.1", "0.2", "0.3") for h in ("100", "200", "300"))
    assert [title for title, _ in table.groups] == ["Binary variables", "Ternary variables"]
    rows = dict(table.groups)["Ternary variables"]
    published = next(row for row in rows if (row.nodes, row.source) == (10, "published"))
    printed = ".617 .623 .650 .811 .775 .780 .890 .886 .854"
    assert [entry.text for entry in published.entries] == printed.split()
    ours = next(row for row in rows if (row.nodes, row.source) == (10, "ours"))
    assert ours.entries[0].marks == "†"


def test_given_networks_are_rows():
    rows = [
        row(network=network, nodes=nodes, replicate=i, trajectories=trajectories, false_negatives=errors)
        for network, nodes, errors in (("tree", 5, 0), ("ring", 5, 2), ("large", 9, 1))
        for trajectories in (100, 300)
        for i in range(2)
        if (network, trajectories) != ("large", 100)
    ]
    table = paper_tables.arrange(cells_of(rows), "f1", "ctss")
    assert (table.headings, table.columns) == (("Trajectories",), (("100",), ("300",)))
    ((title, lines),) = table.groups
    assert title == "Given networks"
    shown = {line.label: [entry.text for entry in line.entries] for line in lines}
    assert shown == {
        "large": ["", ".857 (±.000)"],
        "ring": [".667 (±.000)"] * 2,
        "tree": ["1.00 (±.000)"] * 2,
    }
    alone = paper_tables.arrange(cells_of(rows[:1]), "f1", "ctss")
    assert (alone.headings, alone.columns) == (("Network",), (("mean",),))
    for render in paper_table_formats.FORMATS.values():
        assert "ring" in render(table) and "tree" in render(alone)


def test_cores_divide_the_columns_of_big_networks():
    table = paper_tables.arrange(cells_of(synthetic_metrics.big(), "big"), "wall_seconds", "ctpc-chi2")
    assert table.columns == (("0.1", "1"), ("0.1", "2"))
    rows = [row for _, group in table.groups for row in group]
    assert [row.nodes for row in rows if row.source == "ours"] == [20, 40, 60, 80, 100, 200]
    assert [e.text for e in rows[-2].entries] == ["1828 min", "1279 min"]


@pytest.mark.parametrize(
    ("value", "sd", "metric", "text"),
    [
        (0.9996, 0.0004, "f1", "1.00 (±.000)"),
        (0.0, float("nan"), "f1", ".000"),
        (0.0295, 0.000889, "cpu_seconds", "0.0295 (±0.0009)"),
        (123.4, 5.0, "cpu_seconds", "123 (±5)"),
        (0.0, 0.0, "cpu_seconds", "0.000 (±0.000)"),
        (3.25, 1.0, "shd", "3.2 (±1.0)"),
        (-0.5, 0.25, "delta_bic_percent", "−0.500 (±0.250)"),
    ],
)
def test_numbers(value, sd, metric, text):
    assert paper_tables._with_spread(value, sd, metric) == text


def test_command_writes_everything(tmp_path, capsys):
    results_table.write_metrics(synthetic_metrics.main(replicates=3), tmp_path / "m.parquet")
    status = main(["tables", str(tmp_path / "m.parquet"), "--reference", "main", "-o", str(tmp_path / "t")])
    assert status == 0
    assert f"start with {tmp_path / 't' / 'summary.md'}" in capsys.readouterr().err
    names = {path.name for path in (tmp_path / "t").iterdir()}
    kinds = ("f1", "precision", "recall", "average_precision", "roc_auc", "shd", "time", "delta_bic_percent")
    claims = {f"claims.{ending}" for ending in ("csv", "md", "tex", "html")}
    assert names == {"cells.csv", "summary.md", "tables.html"} | claims | {
        f"{kind}_{label}.{ending}"
        for kind in kinds
        for label in ("ctss", "ctpc-chi2", "my_learner")
        for ending in ("csv", "md", "tex", "html")
    }
    cells = pd.read_csv(tmp_path / "t" / "cells.csv")
    assert len(cells) == (3 * 48 - 1) * len(summary.METRICS)
    text = (tmp_path / "t" / "summary.md").read_text()
    assert "| ctss    | timed out | over 60 s " in text
    compared = cells["agreement"].notna().sum()
    assert compared == 87
    assert (
        sum(
            int(n)
            for n in re.findall(r"^\| CT\S+(?: χ²)? +\| (\d+) +\| \d+ +\| \d+ +\| \d+ +\|$", text, re.M)
        )
        == 87
    )


def test_labels_with_the_same_file_name_are_refused(tmp_path):
    metrics = frame([row(learner="a b"), row(learner="a/b")])
    with pytest.raises(InputError, match="same file name"):
        paper_tables.write_tables(metrics, None, tmp_path / "t")
    assert not (tmp_path / "t").exists()


def test_command_names_the_file_it_cannot_read(tmp_path, capsys):
    (tmp_path / "m.parquet").write_bytes(b"nonsense")
    assert main(["tables", str(tmp_path / "m.parquet"), "-o", str(tmp_path / "t")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "m.parquet" in error
