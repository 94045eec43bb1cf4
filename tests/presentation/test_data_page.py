"""The page on one's own data: what it says is so, and the same input gives the same bytes."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.learning.check_residuals import check_residuals
from ctbnlab.learning.contract import Check, NodeFailure
from ctbnlab.presentation.page.arc_findings import arc_findings
from ctbnlab.presentation.page.data_page import data_page
from ctbnlab.presentation.page.data_profile import activity, horizon, states_over_time, timelines
from ctbnlab.presentation.page.graph_positions import stress_positions
from ctbnlab.presentation.page.rate_section import rate_data
from tests.support.data_pages import content_of, network_of, odd_network
from tests.support.html_pages import Page
from tests.support.report_folders import ODD_NAMES, own_data_folder, page_of


@pytest.fixture(scope="module")
def content():
    return content_of(network_of(5), trajectories=100)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return own_data_folder(tmp_path_factory.mktemp("results") / "mine")


def block_of(page: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page)[1])


def test_it_opens_on_what_was_learned(content):
    page = Page(data_page(content))
    assert page.headings[:3] == ["Known", "Summary", "Graph"]
    sections = ["Summary", "Graph", "Data", "Arcs", "Rates", "Queries", "Checks", "Method"]
    assert [heading for heading in page.headings if heading in sections] == sections
    arcs = len(content.graph.arcs)
    assert (
        f"Among 5 variables, observed in 100 trajectories with {content.data.n_events:,} events, "
        in page.text
    )
    assert f"known found {arcs} arcs" in page.text
    assert "ctbnlab report data.csv -o report.html" in page.text and "Somebody: A paper" in page.text


def test_warnings_come_before_the_arcs(content):
    assert "The model checks do not warn." in data_page(
        replace(content, graph=replace(content.graph, checks=()))
    )
    check = Check("waiting times", "X1", 99.0, True, "waits <vary> (a lot)", "--clock own")
    page = data_page(replace(content, graph=replace(content.graph, checks=(check,))))
    assert page.index("waits &lt;vary&gt;: X1") < page.index("The strongest effects are")
    assert "The model was not checked" in data_page(
        replace(content, graph=replace(content.graph, checks=None))
    )


def test_failed_variables_are_named_first(content):
    *nodes, last = content.graph.nodes
    failed = replace(
        content.graph, nodes=tuple(nodes), failures=(NodeFailure(last.target, "timed out", "over <60> s"),)
    )
    text = Page(data_page(replace(content, graph=failed))).text
    assert f"{failed.names[last.target]} timed out over <60> s" in text
    assert text.index("over <60> s") < text.index("known found")


def test_the_page_needs_nothing_else(content):
    page = data_page(content)
    parsed = Page(page)
    assert parsed.tags.count("script") == 3  # the data, the library, its own
    assert len(set(parsed.ids)) == len(parsed.ids)
    assert all(link.startswith("data:") or link[1:] in parsed.ids for link in parsed.links)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#x27;", "'")
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert not re.search(r'<[^>]+ style="', page.partition("<script")[0])


def test_the_same_content_gives_the_same_bytes(content):
    again = content_of(network_of(5), trajectories=100)
    assert data_page(content) == data_page(again)


def test_without_data_the_graph_is_shown_alone(content):
    page = Page(data_page(replace(content, data=None)))
    assert "The data are not at hand" in page.text and "known found" in page.text


def test_a_graph_without_arcs_and_variables_that_never_change(tmp_path, capfd):
    rows = [f"{i},{t},{'ab'[t % 2]},x" for i in range(4) for t in range(5)]
    (tmp_path / "data.csv").write_text("\n".join(["id,time,A,B", *rows]))
    assert main(["report", str(tmp_path / "data.csv"), "-o", str(tmp_path / "r.html")]) == 0
    page = Page((tmp_path / "r.html").read_text())
    assert "found none that drives another" in page.text
    assert "never changes: nothing can be learned about its parents" in page.text
    assert "Learned 0 arcs" in capfd.readouterr().err


# ---- What the sections show ----


def test_rates_are_those_of_a_table_of_rates(content):
    data = content.data
    frame = (
        ctbnlab.fit_parameters(data, [node.parents for node in content.graph.nodes]).rates
        if hasattr(ctbnlab, "fit_parameters")
        else content.fitted.rates
    )
    found = rate_data(content)
    for i, name in enumerate(data.names):
        rows = frame[frame["variable"] == name]
        flat = [
            (found[str(i)][key][u][x][y])
            for key in ("rate", "low", "high")
            for u in range(len(found[str(i)]["given"]))
            for x, y in ((0, 1), (1, 0))
        ]
        expected = np.concatenate([rows[key].to_numpy() for key in ("rate", "low", "high")])
        assert np.array([np.nan if value is None else value for value in flat]) == pytest.approx(
            expected, rel=6e-3, nan_ok=True
        )
        assert (
            sum(map(sum, (row for moves in found[str(i)]["moves"] for row in moves)))
            == rows["transitions"].sum()
        )


def test_arcs_are_marked_by_truth_and_by_who_found_them(content):
    kept = content.graph.arcs
    truth = frozenset({kept[0], ("X1", "X2") if ("X1", "X2") not in kept else ("X2", "X1")})
    fewer = replace(
        content.graph,
        nodes=tuple(replace(node, parents=()) if node.parents else node for node in content.graph.nodes),
    )
    found = {
        (arc.source, arc.target): arc
        for arc in arc_findings(replace(content, truth=truth, compared={"none": fewer}))
    }
    assert found[kept[0]].truth == "found"
    assert {found[arc].truth for arc in kept[1:]} == {"invented"}
    assert {found[arc].truth for arc in truth - {kept[0]}} <= {"missed", "invented"}
    assert [arc.order for arc in found.values()] == list(range(len(found)))


def test_the_contrast_is_right():
    """Rates are five times as high in one state of the parent: the words name that state."""
    names = ("Cause", "Effect")
    effect = [[[-1.0, 1.0], [2.0, -2.0]], [[-5.0, 5.0], [2.0, -2.0]]]
    network = ctbnlab.Network.build(
        [("Cause", ("no", "yes")), ("Effect", ("off", "on"))],
        {"Effect": ["Cause"]},
        {"Cause": [[-1.0, 1.0], [1.0, -1.0]], "Effect": effect},
    )
    (arc,) = [arc for arc in arc_findings(content_of(network, trajectories=200, duration=10.0)) if arc.kept]
    assert (arc.source, arc.target) == names
    assert arc.contrast == "Effect goes from off to on more often while Cause is yes than while it is no"


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_states_over_time_are_those_of_each_trajectory(seed):
    rng = np.random.default_rng(seed)
    network = ctbnlab.generate(3, states=3, density=0.4, seed=seed)
    data = ctbnlab.simulate(network, trajectories=6, duration=3.0, seed=seed)
    data = data.subset(np.sort(rng.integers(0, 6, 5)))
    moments = np.sort(rng.uniform(0, 3.5, 7))
    found = states_over_time(data, moments)
    for k, moment in enumerate(moments):
        watched = [t for t in range(len(data)) if data.end[t] - data.start[t] >= moment]
        assert found.observed[k] == len(watched)
        for i in range(3):
            counts = np.zeros(3)
            for t in watched:
                state = data.initial[t, i]
                for e in range(data.begin[t], data.stop[t]):
                    if data.variable[e] == i and data.time[e] - data.start[t] <= moment:
                        state = data.new[e]
                counts[state] += 1
            if watched:
                assert found.shares[i][k] == pytest.approx(counts / len(watched))


def test_events_and_time_add_up(content):
    found = activity(content.data)
    data = content.data
    assert found.events.sum() == data.n_events
    assert found.exposure.sum() == pytest.approx(data.total_time)
    assert horizon(data) == pytest.approx(2.0)


def test_residuals_add_up_to_the_transitions(content):
    for found in check_residuals(content.data, content.graph):
        assert found.observed.sum() == pytest.approx(found.expected.sum())


def test_timelines_go_from_few_events_to_many(content):
    counts = [len(line.events) for line in timelines(content.data)]
    assert len(counts) == 5 and counts == sorted(counts)


@pytest.mark.parametrize("n", [1, 2, 5, 30, 100])
def test_nodes_do_not_overlap_and_arcs_are_short(n):
    network = network_of(n) if n > 1 else ctbnlab.generate(1, states=2, density=0.0, seed=1)
    index = {name: i for i, name in enumerate(network.names)}
    pairs = [(index[a], index[b]) for a, b in network.arcs]
    sizes = np.full((n, 2), (0.8, 0.36))
    centres = stress_positions(n, pairs, sizes, 1.25)
    assert np.array_equal(centres, stress_positions(n, pairs, sizes, 1.25))
    gaps = np.abs(centres[:, None] - centres[None])
    close = (gaps < sizes[0]).all(axis=2) & ~np.eye(n, dtype=bool)
    assert close.sum() <= n // 20
    if len(pairs) > 5:
        lengths = [np.linalg.norm(centres[a] - centres[b]) for a, b in pairs]
        every = np.linalg.norm(centres[:, None] - centres[None], axis=2)
        assert np.mean(lengths) < every[~np.eye(n, dtype=bool)].mean()


def test_odd_names_are_shown_as_text():
    page = data_page(content_of(odd_network(ODD_NAMES)))
    assert "<script>alert(1)" not in page and "\u202e" not in page and "<i>off" not in page
    parsed = Page(page)
    assert "".join(parsed.texts).count("</script><script>alert(1)</script>") > 3
    assert block_of(page)["variables"][0]["name"] == ODD_NAMES[0]


# ---- Commands ----


def test_a_page_from_a_file_with_everything_beside_it(tmp_path, capfd):
    network = network_of(5)
    network.write(tmp_path / "truth.json")
    data = ctbnlab.simulate(network, trajectories=200, duration=3.0, seed=3)
    ctbnlab.write(data, tmp_path / "data.csv")
    file, page = str(tmp_path / "data.csv"), str(tmp_path / "page.html")
    assert main(["bootstrap", file, "-n", "4", "-o", str(tmp_path / "b.json")]) == 0
    line = [
        "report",
        file,
        "-o",
        page,
        "--network",
        str(tmp_path / "truth.json"),
        "--compare",
        "ctss,ctpc-chi2",
    ]
    line += [
        "--bootstrap",
        str(tmp_path / "b.json"),
        "--folder",
        str(tmp_path / "files"),
        "--forbid",
        "X1->X2",
    ]
    assert main(line) == 0
    text = Page((tmp_path / "page.html").read_text()).text
    assert "--compare ctss,ctpc-chi2 --network truth.json --bootstrap b.json" in text
    assert str(tmp_path) not in (tmp_path / "page.html").read_text()
    assert "Found in" in text and "true arcs" in text
    import networkx

    graph = networkx.read_graphml(tmp_path / "files/graph.graphml")
    learned = ctbnlab.LearnedGraph.read(tmp_path / "files/graph.json")
    named = {node: entry["name"] for node, entry in graph.nodes(data=True)}
    assert {(named[a], named[b]) for a, b in graph.edges} == set(learned.arcs)
    assert sorted(path.name for path in (tmp_path / "files").iterdir()) == [
        *("arcs.csv", "graph.dot", "graph.graphml", "graph.json", "network.json", "rates.csv")
    ]
    before = (tmp_path / "page.html").read_bytes()
    assert main([*line, "--jobs", "2"]) == 0
    assert (tmp_path / "page.html").read_bytes() == before
    assert "Learned " in capfd.readouterr().err


def test_roles_are_marked(tmp_path):
    rows = ["id,time,sex,ill,death"]
    rng = np.random.default_rng(1)
    for i in range(60):
        sex = "fm"[i % 2]
        rows += [
            f"{i},0,{sex},no,no",
            f"{i},{rng.integers(1, 9)},{sex},yes,no",
            f"{i},{rng.integers(10, 30)},{sex},yes,yes",
        ]
    (tmp_path / "data.csv").write_text("\n".join(rows))
    line = ["report", str(tmp_path / "data.csv"), "-o", str(tmp_path / "r.html"), "--static", "sex"]
    assert main([*line, "--terminal", "death", "--clock", "entry", "--no-robust"]) == 0
    page = (tmp_path / "r.html").read_text()
    roles = {node["label"]: node["role"] for node in block_of(page)["graph"]["nodes"]}
    assert roles["sex"] == "static" and roles["death"] == "terminal" and "clock" in roles.values()
    assert "--no-robust" in Page(page).text


def test_a_folder_of_results_gives_the_same_page(own):
    page = Page(page_of(own))
    assert page.headings[:2] == ["mine", "Summary"]
    for section in ("Graph", "Data", "Arcs", "Rates", "Checks", "Method"):
        assert section in page.headings
    arcs = len(ctbnlab.LearnedGraph.read(own / "ctss/graph.json").arcs)
    assert f"ctss found {arcs} arcs" in page.text and "ctpc-chi2" in page.text
    assert "snakemake --cores all --configfile results/mine/config.json" in page.text
    assert page_of(own) == page_of(own)


def test_learners_come_in_the_order_of_the_config(tmp_path):
    folder = own_data_folder(tmp_path / "mine", learners=("ctss", "ctpc-chi2"))
    (folder / "ctss").rename(folder / "ctss_tau=2")
    assert "ctss_tau=2 found" in Page(page_of(folder)).text
