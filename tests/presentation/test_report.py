"""The report: what it shows, each thing once, and names as text whatever they contain."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import jinja2
import pytest
from hypothesis import given, strategies as st

from ctbnlab.evaluation.results_table import read_metrics, write_metrics
from ctbnlab.presentation.report.captions import CAPTIONS, caption_of, ordered
from ctbnlab.presentation.report.embedded import picture_files, tables_of
from ctbnlab.presentation.report.markup import Html, element, folded, joined, name, plain_table, text
from ctbnlab.presentation.report.page_layout import Part, Section, report_page
from ctbnlab.presentation.report.wording import counted, levels, listed
from tests.support.report_folders import (
    DESIGN,
    ENVIRONMENT,
    ODD_NAMES,
    REVISION,
    experiment_folder,
    own_data_folder,
    page_of,
    write_record,
)
from tests.support.runs import ROOT
from tests.support.synthetic_metrics import row

VOID = {"meta", "link", "img", "br"}
BLOCKS = {"a", "p", "h1", "h2", "h3", "li", "th", "td", "summary", "dt", "dd", "title"}


class Page(HTMLParser):
    """A page's elements, ids, links, texts and pictures; checks that elements are closed in order."""

    def __init__(self, page: str):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.images = [], [], [], [], []
        self.texts, self.words, self.headings = [], [], []
        self.feed(page)
        self.close()
        assert self.open == []
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.append(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if tag == "a" else []
        self.images += [values] if tag == "img" else []
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag in BLOCKS:
            self.words.append(" ")

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)
            self.words.append(data)
        if set(self.open) & {"h1", "h2", "h3"}:
            self.headings[-1] += data


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    return experiment_folder(tmp_path_factory.mktemp("results") / "synthetic")


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return own_data_folder(tmp_path_factory.mktemp("results") / "mine")


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


def test_a_page_needs_nothing_else(experiment, own):
    for folder in (experiment, own):
        page = page_of(folder)
        parsed = Page(page)
        assert "script" not in parsed.tags and "default-src 'none'" in page.replace("&#x27;", "'")
        assert len(set(parsed.ids)) == len(parsed.ids)
        for link in parsed.links:
            assert link.startswith("data:") or link[1:] in parsed.ids, link
        style = page.partition("<style>")[2].partition("</style>")[0]
        assert "url(" not in style and "@import" not in style


def test_the_same_files_give_the_same_bytes(experiment, own):
    for folder in (experiment, own):
        assert page_of(folder) == page_of(folder)


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


# ---- The user's own data ----


def test_own_data_opens_on_what_was_learned(own):
    page = Page(page_of(own))
    assert page.headings[:2] == ["mine", "Summary"]
    graphs = {label: json.loads((own / label / "graph.json").read_text()) for label in ("ctss", "ctpc-chi2")}
    found = {
        label: {(parent, node["name"]) for node in graph["nodes"] for parent in node["parents"]}
        for label, graph in graphs.items()
    }
    common = found["ctss"] & found["ctpc-chi2"]
    assert ("Hungry", "Eating") in common
    for label, arcs in found.items():
        assert f"{label} found {len(arcs)} arcs" in page.text
    assert f"Both agree on {len(common)} arcs:" in page.text
    for source, target in common:
        assert f"{source} → {target}" in page.text
    assert page.images[0]["alt"].startswith("Graph of ctss: ")
    for word in ("F1", "published", "replicate"):
        assert word not in page.text


def test_rates_are_those_of_the_network(own):
    page = page_of(own)
    network = json.loads((own / "ctss/network.json").read_text())
    entry = next(entry for entry in network["variables"] if entry["name"] == "Full")
    for given_states in entry["cims"]:
        assert f">{given_states['intensities'][0][1]:.3g}</td>" in page
    assert "Full</bdi> given <bdi>Eating" in page


def test_warnings_of_the_model_checks_come_before_the_arcs(tmp_path):
    folder = own_data_folder(tmp_path / "mine", learners=("ctss",))
    page = page_of(folder)
    assert "No check warns." in page
    assert "The model does not hold" not in page
    path = folder / "ctss/graph.json"
    graph = json.loads(path.read_text())
    graph["checks"][0] |= {"warns": True, "message": "waits <vary>", "advice": "--clock own"}
    path.write_text(json.dumps(graph))
    page = page_of(folder)
    assert page.index("The model does not hold everywhere") < page.index(
        "waits &lt;vary&gt;: Eating; try --clock own"
    )
    assert page.index("waits &lt;vary&gt;") < page.index("Every arc that was found")
    del graph["checks"]
    path.write_text(json.dumps(graph))
    assert "Model checks" not in page_of(folder)


def test_failed_variables_are_shown(tmp_path):
    folder = own_data_folder(tmp_path / "mine", learners=("ctss",))
    graph = json.loads((folder / "ctss/graph.json").read_text())
    node = graph["nodes"].pop()
    graph["failures"] = [{"name": node["name"], "status": "timed out", "reason": "over <60> s"}]
    (folder / "ctss/graph.json").write_text(json.dumps(graph))
    (folder / "ctss/network.json").unlink()
    page = Page(page_of(folder))
    assert "Hungry timed out over <60> s" in page.text and "Rates" not in page.headings


def test_learners_come_in_the_order_of_the_config(tmp_path):
    folder = own_data_folder(tmp_path / "mine", learners=("ctss", "ctpc-chi2"))
    (folder / "ctss").rename(folder / "ctss_tau=2")
    page = Page(page_of(folder))
    assert page.text.index("ctss_tau=2 found") < page.text.index("ctpc-chi2 found")


# ---- Names are text ----


def test_odd_names_are_shown_as_text(tmp_path):
    folder = own_data_folder(tmp_path / "mine", ODD_NAMES, learners=("ctss",))
    page = page_of(folder)
    parsed = Page(page)
    assert "script" not in parsed.tags
    for shown in (
        "</script><script>alert(1)</script>",
        "\"quotes\" & 'more'",
        "😀 emoji",
        "שלום RTL \\u202e",
    ):
        assert shown in "".join(parsed.texts)
    assert "\u202e" not in page  # would reverse what follows it
    assert "<bdi>שלום" in page


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
