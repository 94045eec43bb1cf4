"""The report in a headless Chromium: first screen, console, requests, widths, dark mode, keyboard, print.

The tests are skipped if there is no Chromium, but with CI=1 and CTBNLAB_BROWSER=1, as in the gate, they fail.
"""

from __future__ import annotations

import pytest

from tests.support.browser import WIDTHS
from tests.support.report_folders import ODD_NAMES, experiment_folder, own_data_folder, page_of

PAGES = ("experiment", "own", "odd")
# Whether an element is on the first screen, and not outside of it to any side.
ON_SCREEN = """(() => {{
    const box = document.querySelector({selector!r}).getBoundingClientRect();
    return box.top >= 0 && box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
}})()"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The reports of an experiment, of own data, and of own data with odd names."""
    root = tmp_path_factory.mktemp("pages")
    folders = {
        "experiment": experiment_folder(root / "experiment"),
        "own": own_data_folder(root / "own"),
        "odd": own_data_folder(root / "odd", ODD_NAMES, learners=("ctss",)),
    }
    for folder in folders.values():
        page_of(folder)
    return {name: folder / "report.html" for name, folder in folders.items()}


@pytest.fixture(params=PAGES)
def page(request, pages):
    return pages[request.param]


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_the_first_screen_has_the_summary_and_nothing_scrolls_sideways(browser, page, width, height):
    browser.open(page, width, height)
    assert browser.value(ON_SCREEN.format(selector=".lead"))
    assert browser.value(ON_SCREEN.format(selector="h1"))
    content, window = browser.value(WIDTHS)
    assert content <= window


def test_the_console_is_empty_and_nothing_is_requested(browser, page):
    browser.requests.clear()
    browser.messages.clear()
    browser.open(page)
    assert browser.value("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
    assert browser.messages == []
    assert [url for url in browser.requests if not url.startswith("data:")] == [page.resolve().as_uri()]


def test_the_policy_holds(browser, page):
    """What a name might smuggle in would not run, and could not load anything."""
    browser.open(page)
    browser.messages.clear()
    smuggled = '<img src="file:///none.png" onerror="window.ran = 1">'
    browser.value(f"document.body.insertAdjacentHTML('beforeend', {smuggled!r})")
    browser.value("new Promise(done => setTimeout(done, 200))")
    assert browser.value("window.ran") is None
    assert any("Content Security Policy" in message for message in browser.messages)


def test_dark_mode_is_dark_and_readable(browser, page):
    lightness = "(() => { const c = {0}.match(/[0-9]+/g).map(Number); return (c[0] + c[1] + c[2]) / 765; })()"
    style = "getComputedStyle(document.body)."
    found = {}
    for dark in (False, True):
        browser.open(page, dark=dark)
        found[dark] = [
            browser.value(lightness.replace("{0}", style + part)) for part in ("backgroundColor", "color")
        ]
    assert found[False][0] > 0.9 and found[False][1] < 0.3
    assert found[True][0] < 0.2 and found[True][1] > 0.8


def test_the_keyboard_reaches_the_contents_first(browser, page):
    browser.open(page)
    browser.press("Tab")
    assert browser.value("document.activeElement.textContent") == "Skip to the results"
    browser.press("Tab")
    assert browser.value("document.activeElement.textContent") == "Summary"
    assert browser.value("document.activeElement.getAttribute('href')") == "#summary"


def test_the_contents_stay_in_view(browser, pages):
    browser.open(pages["experiment"])
    browser.value("document.querySelector('#record').scrollIntoView()")
    assert browser.value("scrollY") > 500
    assert browser.value("document.querySelector('nav').getBoundingClientRect().top") == pytest.approx(
        0, abs=2
    )


def test_folded_tables_are_printed(browser, pages):
    """A page of paper cannot be unfolded: the printed page is longer than with the tables taken out."""
    browser.open(pages["experiment"])
    with_tables = browser.printed()
    browser.value("document.querySelectorAll('details > :not(summary)').forEach(each => each.remove())")
    without = browser.printed()
    assert with_tables.startswith(b"%PDF-")
    assert with_tables.count(b"/Type /Page\n") > without.count(b"/Type /Page\n")
