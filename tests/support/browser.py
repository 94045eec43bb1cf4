"""A headless Chromium for tests of pages, driven over its debugging pipe: no driver and no port needed."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

SECONDS = 60
MISSING = "no chromium, chromium-browser or google-chrome on the PATH; on Debian: apt-get install chromium"
# Snippets of a page's state for tests.
WIDTHS = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
_COMMANDS = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--remote-debugging-pipe",
)


def command() -> str | None:
    """Return the browser's command, or None if there is none."""
    return next((found for name in _COMMANDS if (found := shutil.which(name))), None)


class Browser:
    """One page in a browser with an empty profile; it collects requests and messages of the console."""

    def __init__(self, folder: Path):
        """Start the browser with its profile in `folder`."""
        self._number = 0
        self._rest = b""
        self.requests: list[str] = []
        self.messages: list[str] = []
        self._loaded = 0
        commands, self._write = os.pipe()
        self._read, answers = os.pipe()
        program = command()
        assert program is not None

        def connect() -> None:  # the browser reads commands from descriptor 3 and answers on 4
            high = [fcntl.fcntl(pipe, fcntl.F_DUPFD, 100) for pipe in (commands, answers)]
            for descriptor, pipe in zip((3, 4), high, strict=True):
                os.dup2(pipe, descriptor)

        profile = f"--user-data-dir={folder / 'profile'}"
        self._process = subprocess.Popen(
            [program, *_FLAGS, profile, "about:blank"],
            preexec_fn=connect,
            close_fds=False,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._session: str | None = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log", "Performance"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(AssertionError, OSError):
            self._session = None
            self.call("Browser.close")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def call(self, method: str, **parameters: object) -> dict:
        """Call a method of the browser's protocol and wait for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + SECONDS
        while True:
            answer = self._receive(end)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _receive(self, end: float) -> dict:
        """Return the next message of the browser, and note it if it is an event."""
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            chunk = os.read(self._read, 1 << 20)
            assert chunk, "the browser ended"
            self._rest += chunk
        message, _, self._rest = self._rest.partition(b"\0")
        content = json.loads(message)
        self._note(content)
        return content

    def _note(self, event: dict) -> None:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Log.entryAdded":
            self.messages.append(parameters["entry"]["text"])
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            self.messages.append(json.dumps(parameters))
        elif method == "Page.loadEventFired":
            self._loaded += 1

    def open(self, path: Path, width: int = 1280, height: int = 800, *, dark: bool = False) -> None:
        """Open a file in a window of this size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        before, end = self._loaded, time.monotonic() + SECONDS
        self.call("Page.navigate", url=path.resolve().as_uri())
        while self._loaded == before:
            self._receive(end)

    def value(self, expression: str) -> object:
        """Return the value of an expression on the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def processor_seconds(self) -> float:
        """Return the CPU time of the process of the page so far."""
        metrics = self.call("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "ProcessTime")

    def awaited(self, expression: str) -> object:
        """Return the value that a promise on the page comes to."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def click(self, selector: str) -> None:
        """Click on the middle of an element with the mouse, after scrolling it into view.

        A page that is still drawing moves its elements: wait until this one stays where it is, uncovered.
        """
        place = f"""(async () => {{
            const element = document.querySelector({selector!r});
            for (let frame = 0, before = ""; frame < 600; frame++) {{
                element.scrollIntoView({{block: "center", inline: "center"}});
                const box = element.getBoundingClientRect();
                const at = [box.left + box.width / 2, box.top + box.height / 2];
                if (String(at) === before && element.contains(document.elementFromPoint(...at))) return at;
                before = String(at);
                await new Promise(requestAnimationFrame);
            }}
            throw new Error("moving or covered: " + {selector!r});
        }})()"""
        x, y = self.awaited(place)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, selector: str, dx: int, dy: int) -> None:
        """Drag an element that is in view by some pixels."""
        x, y = self.value(
            f"(() => {{ const box = document.querySelector({selector!r}).getBoundingClientRect();"
            " return [box.left + box.width / 2, box.top + box.height / 2]; })()"
        )
        steps = (("mousePressed", 0.0), ("mouseMoved", 0.5), ("mouseMoved", 1.0), ("mouseReleased", 1.0))
        for kind, share in steps:
            at = {"x": x + share * dx, "y": y + share * dy}
            self.call("Input.dispatchMouseEvent", type=kind, button="left", buttons=1, clickCount=1, **at)

    def press(self, key: str) -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode={"Tab": 9}[key]
            )

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """Write a picture of the window, or of the whole page."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def printed(self) -> bytes:
        """Return the page as PDF, as it would be printed."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])
