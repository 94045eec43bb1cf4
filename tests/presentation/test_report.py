"""The report: what it shows, each thing once, and names as text whatever they contain."""

from __future__ import annotations

import re

import jinja2
import pytest
from hypothesis import given, strategies as st

from ctbnlab.evaluation.results_table import read_metrics, write_metrics
from ctbnlab.io.shown import counted
from ctbnlab.presentation.report.captions import CAPTIONS, caption_of, ordered
from ctbnlab.presentation.report.embedded import picture_files, tables_of
from ctbnlab.presentation.report.markup import Html, element, folded, joined, name, plain_table, text
from ctbnlab.presentation.report.page_layout import Part, Section, report_page
from ctbnlab.presentation.report.wording import levels, listed
from tests.support.html_pages import Page
from tests.support.report_folders import (
    DESIGN,
    ENVIRONMENT,
    REVISION,
    experiment_folder,
    page_of,
    write_record,
)
from tests.support.runs import ROOT
from tests.support.synthetic_metrics import row


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    return experiment_folder(tmp_path_factory.mktemp("results") / "synthetic")


def test_an_experiment_opens_on_its_results(experiment):
    page = Page(page_of(experiment))
    assert page.headings[:2] == ["synthetic", "Summary"]
    summary = page.text.partition("Learners Figures")[2] or page.text
    for sentence in (
        "2 learners ran on 4 networks of 5 or 10 nodes with 2 states per variable and density 0.1, "
        "each observed on 300 trajectories of 100 time units.",
        "7 of 8 runs finished; 1 failed.",
        "Mean F1 over all networks: ",
        "F1 agrees with the published value in ",
    ):
        assert sentence in summary
    assert page.images[0]["alt"].startswith("F1 score.")
    order = ["Agreement with the paper", "Learners", "Figures", "Tables", "Failures", "Record"]
    assert [heading for heading in page.headings if heading in order] == order


def test_means_are_those_of_the_metrics(experiment):
    page = Page(page_of(experiment))
    metrics = read_metrics(experiment / "metrics.parquet")
    means = metrics[metrics["status"] == "done"].groupby("learner")["f1"].mean()
    assert f"CTPC χ² {means['ctpc-chi2']:.3f}" in page.text
    assert f"CTSS {means['ctss']:.3f}" in page.text


def test_each_figure_and_each_table_appears_once(experiment):
    page = Page(page_of(experiment))
    assert len(page.images) == 3
    assert len({image["src"] for image in page.images}) == 3
    assert all(
        image["src"].startswith("data:image/svg+xml;base64,") and image["alt"] for image in page.images
    )
    titles = [title for path in (experiment / "tables").glob("*_*.html") for title, _ in tables_of(path)]
    assert titles
    for title in titles:
        group = title.rpartition(", ")[0]
        expected = 0 if group.startswith("ΔBIC") else 1  # nothing was measured for it
        assert "".join(page.texts).count(title) == expected, title


def test_failures_are_shown_with_their_reasons_as_text(experiment):
    page = page_of(experiment)
    assert "ValueError: &lt;b&gt;no&lt;/b&gt; such thing" in page
    assert "b" not in Page(page).tags


def test_the_record_has_config_revision_and_command(experiment):
    page = Page(page_of(experiment))
    assert f"{REVISION} with changes" in page.text
    assert f"git checkout {REVISION}" in page.text
    assert "snakemake --cores all --configfile results/synthetic/config.json" in page.text
    assert "alpha=0.05" in page.text and "numpy 2.99" in page.text and "ctbnlab 9.9.9" in page.text
    assert '"experiment": "synthetic"' in page.text


def test_a_page_needs_nothing_else(experiment):
    page = page_of(experiment)
    parsed = Page(page)
    policy = page.replace("&#x27;", "'")
    assert "script" not in parsed.tags and "default-src 'none'" in policy and "script-src 'none'" in policy
    assert len(set(parsed.ids)) == len(parsed.ids)
    for link in parsed.links:
        assert link.startswith("data:") or link[1:] in parsed.ids, link
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style and "@import" not in style


def test_the_same_files_give_the_same_bytes(experiment):
    assert page_of(experiment) == page_of(experiment)


def test_claims_are_shown_if_there_are_any(tmp_path):
    folder = experiment_folder(tmp_path / "x", figures=("f1",))
    assert "Claims of the paper" in Page(page_of(folder)).headings
    (folder / "tables/claims.html").unlink()
    assert "Claims of the paper" not in page_of(folder)
    (folder / "tables/claims.html").write_text(
        "<figure><figcaption>Claims</figcaption><table><tr><td>χ² beats KS</td></tr></table></figure>"
    )
    page = Page(page_of(folder))
    assert page.text.count("χ² beats KS") == 1


def test_without_a_reference_nothing_is_said_about_the_paper(tmp_path):
    config = {key: value for key, value in DESIGN.items() if key != "reference"}
    config["learners"] = {"ctss": {"algorithm": "ctss"}}
    page = Page(page_of(experiment_folder(tmp_path / "x", config, figures=("f1",))))
    assert "Agreement with the paper" not in page.headings
    assert "published" not in page.text.lower() and "paper" not in page.text.lower()


def test_pictures_that_browsers_cannot_show_can_be_downloaded(tmp_path):
    folder = experiment_folder(tmp_path / "x", formats=("pdf",), figures=("f1",))
    page = Page(page_of(folder))
    assert page.images == [] and any(link.startswith("data:application/pdf") for link in page.links)


def test_an_svg_is_preferred_unless_it_is_very_large(tmp_path):
    for ending in ("svg", "png", "pdf"):
        (tmp_path / f"f1.{ending}").write_bytes(b"x")
    assert picture_files(tmp_path)["f1"].suffix == ".svg"
    (tmp_path / "f1.svg").write_bytes(b"x" * 2_000_000)
    assert picture_files(tmp_path)["f1"].suffix == ".png"


def test_an_environment_of_another_shape_is_shown_too(tmp_path):
    folder = experiment_folder(tmp_path / "x", figures=("f1",))
    rows = [{"revision": "aaa", "rows": 3}, {"revision": "bbb with changes", "rows": 4}]
    write_record(folder, DESIGN, {**ENVIRONMENT, "revision": None, "rows": rows})
    page = Page(page_of(folder))
    assert "revision aaa, rows 3" in page.text and "revision bbb with changes, rows 4" in page.text


def test_time_is_compared_for_big_networks(tmp_path):
    big = [row(learner="ctpc-chi2", nodes=20 * n, scattered=n, wall_seconds=0.5 * n) for n in (1, 5)]
    config = DESIGN | {"reference": "big", "learners": {"ctpc-chi2": {"algorithm": "ctpc-chi2"}}}
    write_record(tmp_path, config)
    write_metrics(big, tmp_path / "metrics.parquet")
    page = Page(page_of(tmp_path))
    assert "CTPC χ² on 100 nodes takes 2.5 s on one core; the paper reports 1828 min." in page.text
    assert "Time compared with the paper" in page.headings


# ---- Names are text ----


ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_comes_back_from_the_page(content, attribute):
    page = report_page(
        content,
        "kind",
        [Section("A", plain_table([content], [[content]], label=attribute), (Part(content, text(content)),))],
    )
    parsed = Page(page)
    assert set(parsed.tags) <= {
        *("html", "head", "meta", "link", "title", "style", "body", "header", "nav", "main", "section"),
        *("a", "p", "h1", "h2", "h3", "bdi", "ol", "li", "div", "table", "thead", "tbody", "tr", "th"),
    }
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in content)
    assert parsed.headings[0] == shown
    assert "".join(parsed.texts).count(shown) >= 5


def test_markup_is_only_what_was_made_here():
    assert element("p", "<b>", Html("<i></i>"), title='"<') == '<p title="&quot;&lt;">&lt;b&gt;<i></i></p>'
    assert joined(["a", Html("<br>")], " & ") == "a &amp; <br>"
    assert folded("<", "x") == "<details><summary>&lt;</summary>x</details>"
    assert name("<") == "<bdi>&lt;</bdi>"
    assert element("img", alt=None, src="x") == '<img src="x">'


def test_only_tables_are_taken_from_other_pages(tmp_path):
    page = tmp_path / "t.html"
    page.write_text(
        "<h1>no</h1><figure><figcaption>A &lt;b&gt;</figcaption><script>alert(1)</script>"
        '<table onclick="x()" class="y"><tr><td colspan="2" style="z">1 &lt; 2<img src=x></td></tr></table>'
        "</figure>"
    )
    ((title, table),) = tables_of(page)
    assert title == "A <b>"
    assert '<table class="y"><tr><td colspan="2">1 &lt; 2</td></tr></table>' in table
    assert "<script" not in table and "onclick" not in table and "img" not in table


# ---- Words and captions ----


def test_wording():
    assert counted(1, "arc") == "1 arc" and counted(2000, "arc") == "2,000 arcs"
    assert levels([10, 5, 5]) == "5 or 10" and levels([1, 2, 3, 4, 5]) == "1 to 5" and levels([0.1]) == "0.1"
    assert listed(["a", "<", "c"]) == "a, &lt; and c" and listed(["a"]) == "a"


def test_the_main_figure_is_first_and_unknown_figures_have_a_title():
    assert ordered(["example", "roc_curve", "time", "f1", "heatmap"]) == [
        *("f1", "time", "roc_curve", "heatmap", "example")
    ]
    assert ordered(["trajectories", "sweep"])[0] == "sweep"
    assert caption_of("roc_curve").title == "Roc curve"


def rendered(path, config):
    class Running:
        pass

    Running.config = config
    return " ".join(jinja2.Template(path.read_text(encoding="utf-8")).render(snakemake=Running).split())


@pytest.mark.parametrize("figure", CAPTIONS)
def test_captions_are_those_of_snakemake_s_report(figure):
    path = ROOT / f"workflow/report/{figure}.rst"
    assert rendered(path, {}) == CAPTIONS[figure].text(False)
    assert rendered(path, {"reference": "main"}) == CAPTIONS[figure].text(True)


def test_every_caption_belongs_to_a_figure():
    others = {"own_arcs", "own_frequencies", "own_graph", "tables", "workflow"}
    assert {path.stem for path in (ROOT / "workflow/report").glob("*.rst")} - others == set(CAPTIONS)


def test_the_text_of_snakemake_s_report_fits_the_data():
    path = ROOT / "workflow/report/workflow.rst"
    assert "Bregoli" in rendered(path, {"experiment": "x", "design": {}, "reference": "main"})
    for config in ({"experiment": "x", "data": {"path": "y"}}, {"experiment": "x", "design": {}}):
        assert not re.search("Bregoli|publish|paper", rendered(path, config))
