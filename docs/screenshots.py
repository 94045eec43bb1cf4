"""Screenshots of pages for the documentation, by headless Chromium."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from blocks import DOCS

_DEMO = re.compile(r"```sh\n(ctbnlab gallery .*?)```", re.DOTALL)
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_SIZE = 1280, 1330  # the page down to the end of its graph


def readme_page(target: Path) -> None:
    """Run the demo of the README, and take a screenshot of the page that it writes."""
    demo = _DEMO.search((DOCS.parent / "README.md").read_text(encoding="utf-8"))
    assert demo is not None
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        sys.exit(f"{target.name}: needs Chromium")
    with tempfile.TemporaryDirectory() as folder:
        for command in demo[1].replace("&&", "\n").splitlines():
            words = shlex.split(command)[1:]
            subprocess.run([sys.executable, "-m", "ctbnlab", *words], cwd=folder, check=True)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += [f"--user-data-dir={folder}/profile", "--virtual-time-budget=4000"]
        options += ["--window-size={},{}".format(*_SIZE), f"--screenshot={target}"]
        subprocess.run([browser, *options, f"file://{folder}/report.html"], check=True)
