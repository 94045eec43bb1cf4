"""The page on one's own data in a headless Chromium: speed, graph, tables, charts, what axe-core finds.

Skipped without Chromium, as the tests of the other report are.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.browser import WIDTHS
from tests.support.data_pages import SIZES, content_of, network_of, odd_network, write_page
from tests.support.event_cohorts import event_cohort
from tests.support.report_folders import ODD_NAMES

AXE = Path(__file__).parents[1] / "support/vendor/axe.min.js"
MOST_SECONDS = 3
SHOWN = (
    "[...document.querySelectorAll('.arc')].filter((arc) => arc.getAttribute('display') !== 'none').length"
)
DETAILS = "document.getElementById('graph-details').textContent"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    made = {n: write_page(folder / f"{n}.html", content_of(network_of(n))) for n in SIZES}
    made["odd"] = write_page(folder / "odd.html", content_of(odd_network(ODD_NAMES)))
    truth = frozenset({("X1", "X2"), *network_of(5).arcs[1:]})
    made["events"] = write_page(folder / "events.html", content_of(event_cohort(), duration=4.0))
    made["truth"] = write_page(folder / "truth.html", content_of(network_of(5), truth=truth))
    return made


def move(browser, selector: str, value: object) -> None:
    """Move a slider, or type into an input."""
    browser.value(
        f"(() => {{ const input = document.querySelector({selector!r}); input.value = {json.dumps(value)};"
        " input.dispatchEvent(new Event('input')); })()"
    )


@pytest.mark.parametrize("n", SIZES)
def test_pages_of_any_size_are_there_at_once(browser, pages, n):
    assert pages[n].stat().st_size < 5_000_000
    times = []
    for _ in range(2):
        browser.requests.clear()
        browser.messages.clear()
        # CPU time: the machine may be busy with something else.
        began = browser.processor_seconds()
        browser.open(pages[n])
        times.append(browser.processor_seconds() - began)
        assert browser.value("document.documentElement.dataset.ready") == "yes"
        assert browser.messages == []
        requested = [url for url in browser.requests if not url.startswith("data:")]
        assert requested == [pages[n].resolve().as_uri()]
    assert min(times) < MOST_SECONDS
    browser.value("ctbn.drawAll()")
    assert browser.messages == []
    assert browser.value("document.querySelectorAll('svg.chart').length") == 5


@pytest.mark.parametrize("which", [5, 100, "odd", "events"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_scrolls_sideways(browser, pages, which, width):
    browser.open(pages[which], width, 844)
    browser.value("ctbn.drawAll()")
    content, window = browser.value(WIDTHS)
    assert content <= window


@pytest.mark.parametrize("width", [1280, 390])
def test_the_graph_has_every_node_and_arc(browser, pages, width):
    for which in (*SIZES, "odd"):
        network = odd_network(ODD_NAMES) if which == "odd" else network_of(which)
        browser.open(pages[which], width, 844)
        assert browser.value("document.querySelectorAll('.node').length") == len(network.names)
        assert browser.value(SHOWN) == len(network.arcs)
        inside = """(() => {
            const frame = document.getElementById('graph-picture').getBoundingClientRect();
            return [...document.querySelectorAll('.node .shape')].every((node) => {
                const box = node.getBoundingClientRect();
                const across = box.left >= frame.left && box.right <= frame.right;
                return across && box.top >= frame.top && box.bottom <= frame.bottom;
            });
        })()"""
        assert browser.value(inside)


def test_names_can_be_read_at_once(browser, pages):
    """Of small graphs all names are shown, of large ones many; none is smaller than 10 pixels."""
    for n, least in ((5, 5), (30, 30), (100, 40), (300, 40)):
        browser.open(pages[n])
        heights = browser.value(
            "[...document.querySelectorAll('.node text')]"
            ".filter((text) => text.getAttribute('display') !== 'none')"
            ".map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"
        )
        assert len(heights) >= least and min(heights) > 10


def test_a_click_on_a_node_and_on_an_arc_shows_what_is_known(browser, pages):
    browser.open(pages[5])
    arcs = network_of(5).arcs
    _, target = arcs[0]
    browser.click(f".node[aria-label='{target}']")
    assert target in browser.value(DETAILS) and "Parents" in browser.value(DETAILS)
    assert "States" in browser.value(DETAILS)
    browser.click("#graph-details ul button")
    assert "→" in browser.value(DETAILS) and "Probability" in browser.value(DETAILS)
    assert "Largest rate ratio" in browser.value(DETAILS)
    browser.value(
        "document.querySelector('.arc .hit').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    assert browser.value("document.querySelectorAll('.arc.chosen').length") == 1
    browser.click("#graph-details > button")
    assert browser.value("document.activeElement.tagName") == "SUMMARY"


def test_sliders_leave_the_probable_and_the_strongest(browser, pages):
    browser.open(pages[30])
    graph = browser.value("ctbn.data.graph.arcs.map((arc) => [arc.kept, arc.probability])")
    for least in (0.05, 0.5, 0.7, 0.99):
        move(browser, "#graph-probability", least)
        expected = sum(p >= least and (kept or least < 0.5) for kept, p in graph)
        assert browser.value(SHOWN) == expected
        assert browser.value("document.getElementById('graph-count').textContent").startswith(str(expected))
    move(browser, "#graph-probability", 0.5)
    move(browser, "#graph-most", 3)
    assert browser.value(SHOWN) == 3


def test_search_and_neighbourhood(browser, pages):
    browser.open(pages[300])
    move(browser, "#graph-search", "x042")
    assert browser.value("document.querySelector('#graph-details h3').textContent") == "X042"
    browser.click("#graph-only")
    near = {"X042"} | {name for arc in network_of(300).arcs if "X042" in arc for name in arc}
    visible = SHOWN.replace("'.arc'", "'.node'")
    assert browser.value(visible) == len(near)
    move(browser, "#graph-search", "no such name")
    assert browser.value("document.getElementById('graph-search').getAttribute('aria-invalid')") == "true"
    press(browser, "Show all")
    assert browser.value(visible) == 300
    assert browser.value(SHOWN) == len(network_of(300).arcs)


def test_drag_and_zoom(browser, pages):
    browser.open(pages[5])
    browser.value("document.getElementById('graph-picture').scrollIntoView()")
    before = browser.value("[ctbn.view.nodes[0].x, d3.zoomTransform(ctbn.view.svg.node()).k]")
    browser.drag(".node[aria-label='X1']", 60, 20)
    browser.awaited("new Promise((done) => setTimeout(done, 50))")  # d3 ignores a click right after a drag
    press(browser, "Zoom in")
    after = browser.value("[ctbn.view.nodes[0].x, d3.zoomTransform(ctbn.view.svg.node()).k]")
    assert after[0] > before[0] + 20 and after[1] > before[1]


def test_pictures_to_save(browser, pages):
    browser.open(pages["truth"])
    picture = browser.value("ctbn.view.picture()")
    assert picture.startswith("<svg") and picture.count("<text") == 5 and "var(" not in picture
    size = browser.awaited(
        "new Promise((done, failed) => { const image = new Image(); image.onload = () => done(image.width);"
        " image.onerror = failed;"
        " image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(ctbn.view.picture()); })"
    )
    assert size > 300


def test_truth_is_marked(browser, pages):
    browser.open(pages["truth"])
    counts = browser.value(
        "['found', 'missed', 'invented']"
        ".map((kind) => document.querySelectorAll(`.arc.truth-${kind}`).length)"
    )
    assert counts == [len(network_of(5).arcs) - 1, 1, 1]


def press(browser, button: str) -> None:
    """Press a button above the graph."""
    browser.value(
        "[...document.querySelectorAll('#graph-tools button')]"
        f".find((button) => button.textContent === {button!r}).click()"
    )


def column(browser, table: str, index: int) -> list:
    return browser.value(
        f"[...document.querySelectorAll('#{table} tbody tr')].filter((row) => !row.hidden)"
        f".map((row) => row.cells[{index}].dataset.value)"
    )


def test_tables_are_sorted_and_filtered(browser, pages):
    browser.open(pages[30])
    browser.value("ctbn.drawAll()")  # a chart that is drawn meanwhile would move the table
    heads = browser.value(
        "[...document.querySelectorAll('#arc-table thead th')].map((cell) => cell.textContent)"
    )
    place = heads.index("Rate ratio")
    browser.click(f"#arc-table th:nth-child({place + 1}) button")
    ratios = [float(value) for value in column(browser, "arc-table", place) if value]
    assert ratios == sorted(ratios, reverse=True) and len(ratios) > 10
    assert column(browser, "arc-table", place)[-1] == ""  # those without come last
    browser.click(f"#arc-table th:nth-child({place + 1}) button")
    assert [float(value) for value in column(browser, "arc-table", place) if value] == sorted(ratios)
    assert (
        browser.value("document.querySelector('#arc-table [aria-sort]').getAttribute('aria-sort')")
        == "ascending"
    )
    move(browser, "[data-tools-of='arc-table'] input", "X07")
    rows = list(zip(column(browser, "arc-table", 0), column(browser, "arc-table", 1), strict=True))
    assert rows and all("X07" in row for row in rows)
    written = browser.value("ctbn.csv(document.getElementById('arc-table'))")
    assert len(written.splitlines()) == len(rows) + 1 and written.startswith("From,To,Probability")


def test_charts_that_are_drawn_hardly_move_what_is_below(browser, pages):
    for which in (30, "events"):
        browser.open(pages[which])
        height = "document.querySelector('#arcs').getBoundingClientRect().top + scrollY"
        before = browser.value(height)
        browser.value("ctbn.drawAll()")
        assert abs(browser.value(height) - before) < 250


def test_csv_is_safe_in_a_spreadsheet(browser, pages):
    browser.open(pages[5])
    cells = ["=1+1", "-3", "+x", 'a "b", c', "plain"]
    assert browser.value(f"{json.dumps(cells)}.map(ctbn.csvCell)") == [
        "'=1+1",
        "-3",
        "'+x",
        '"a ""b"", c"',
        "plain",
    ]


def test_rates_show_what_is_behind_them(browser, pages):
    browser.open(pages[5])
    browser.value("ctbn.drawAll()")
    browser.value("document.querySelector('.heat td[data-words]').focus()")
    words = browser.value("document.querySelector('.matrices .hint').textContent")
    assert "95% interval" in words and "transitions in" in words
    folded = "document.querySelectorAll('#rate-matrices details:not([open])').length"
    assert browser.value(folded) == 2


def test_curves_of_the_network_are_beside_what_was_observed(browser, pages):
    browser.messages.clear()
    browser.open(pages["events"])
    browser.value("ctbn.drawAll()")
    shown = "[...document.querySelectorAll('#{} svg {}')].length"
    assert browser.value(shown.format("curves", "path.curve")) == 2
    assert browser.value(shown.format("curves", "circle.seen")) == 2 * 25
    assert browser.value(shown.format("curves", "line.seen-error")) == 2 * 25
    assert browser.value(shown.format("events", "path.curve")) == 1  # the state before is no event
    options = browser.value(
        "[...document.querySelectorAll('#curves option')].map((each) => each.textContent)"
    )
    assert options == ["V1", "V2", "V3", "V4", "V5", "Sex"]
    choose = "(() => { const list = document.querySelector('#curves select'); list.value = '3';"
    browser.value(f"{choose} list.dispatchEvent(new Event('change')); }})()")
    label = browser.value("document.querySelector('#curves svg').getAttribute('aria-label')")
    assert label.startswith("Probability of each state of V3")
    head, first = browser.value(
        "[...document.querySelectorAll('#curves table tr')].slice(0, 2)"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert head[:5] == ["Time", "Trajectories", "no, network", "no, observed", "no, ± standard error"]
    assert first[2] == first[3]  # at the start the network is like the data
    assert browser.messages == []


def test_odd_names_are_text_everywhere(browser, pages):
    browser.messages.clear()
    browser.open(pages["odd"])
    browser.value("ctbn.drawAll()")
    for k in range(len(ODD_NAMES)):
        browser.value(f"ctbn.view.select({{node: {k}}})")
    assert browser.value("document.querySelectorAll('i, script').length") == 3  # the page's own
    assert browser.messages == []
    assert browser.value("document.querySelector('.node text').textContent").startswith("</script>")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("which", [5, 100, "odd", "events"])
def test_axe_finds_no_serious_fault(browser, pages, which, dark):
    browser.open(pages[which], dark=dark)
    browser.value("ctbn.drawAll()")
    browser.value("ctbn.view.select({node: 0})")
    browser.value(
        "document.querySelectorAll('details').forEach((each, k) => { if (k < 12) each.open = true; })"
    )
    browser.value(AXE.read_text(encoding="utf-8") + "; 0")
    found = browser.awaited(
        "axe.run(document, {resultTypes: ['violations']}).then((result) => result.violations.map((fault) =>"
        " [fault.impact, fault.id,"
        " fault.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + node.failureSummary)]))"
    )
    assert [fault for fault in found if fault[0] in ("serious", "critical")] == []


def test_everything_is_printed(browser, pages):
    browser.open(pages[5])
    assert browser.printed().startswith(b"%PDF-")
    assert browser.value("document.querySelectorAll('svg.chart').length") == 5  # drawn for it
