"""A browser for the tests of pages; skipped without Chromium, unless the gate requires it."""

from __future__ import annotations

import os

import pytest

from tests.support.browser import MISSING, Browser, command


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if command() is None:
        if os.environ.get("CI") and os.environ.get("CTBNLAB_BROWSER") == "1":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    with Browser(tmp_path_factory.mktemp("browser")) as running:
        yield running
