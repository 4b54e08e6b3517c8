"""Headless Chromium, driven by the Chrome DevTools Protocol."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any, Self

import websocket

NAMES = ("chromium", "chromium-browser", "google-chrome")


def installed() -> str | None:
    """Return the path of a Chromium; None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """A browser with one page.

    Attributes:
        requests: the addresses that the page asked for.
        problems: errors and warnings of its console, and uncaught exceptions.
    """

    def __init__(self) -> None:
        self._profile = tempfile.mkdtemp(prefix="jobsworth-chromium-")
        program = installed()
        assert program is not None
        self._process = subprocess.Popen(
            [
                program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
                "--remote-allow-origins=*", "--window-size=1280,900", f"--user-data-dir={self._profile}",
                "--no-first-run", "--disable-background-networking", "about:blank",
            ],
            stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        address = self._address()
        with urllib.request.urlopen(f"http://{address}/json/list") as answer:
            (page, *_) = [each for each in json.load(answer) if each["type"] == "page"]
        self._socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=60)
        self._sent = 0
        self.requests: list[str] = []
        self.problems: list[str] = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def _address(self) -> str:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            found = re.search(r"ws://([^/]+)/", line)
            if found:
                return found[1]
        raise AssertionError("Chromium did not start")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(10)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, **parameters: Any) -> Any:
        """Call a method of the protocol, and return its result."""
        self._sent += 1
        number = self._sent
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]
            self._notice(message)

    def _notice(self, message: dict[str, Any]) -> None:
        parameters = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Runtime.exceptionThrown":
                self.problems.append(str(parameters["exceptionDetails"]))
            case "Log.entryAdded":
                self.problems.append(str(parameters["entry"]))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning"):
                self.problems.append(str(parameters["args"]))

    def open(
        self, path: Path, ready: str = "document.documentElement?.dataset.ready || ''"
    ) -> None:
        """Open a file, and wait until its page is ready.

        Args:
            ready: an expression that is an empty text until then.
        """
        self.visit(path.as_uri(), ready)

    def visit(self, url: str, ready: str, seconds: float = 30) -> None:
        """Open an address, and wait until its page is ready.

        Args:
            ready: an expression that is an empty text until then.
            seconds: the time after which the wait fails.
        """
        self.call("Page.navigate", url=url)
        self.wait(ready, seconds)

    def wait(self, ready: str, seconds: float = 30) -> None:
        """Wait until an expression is not an empty text any more."""
        deadline = time.monotonic() + seconds
        while self.evaluate(ready) == "":
            assert time.monotonic() < deadline, self.problems
            time.sleep(0.05)

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression, of a promise when it is settled."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def processor_seconds(self) -> float:
        """Return the processor time of the page's tasks, which other processes do not lengthen."""
        self.call("Performance.enable", timeDomain="threadTicks")
        metrics = self.call("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    def press(self, key: str) -> None:
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, **(text if kind == "keyDown" else {})
            )

    def media(self, scheme: str) -> None:
        """Prefer a light or dark color scheme."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def width(self, pixels: int) -> None:
        """Give the page a width, that of a phone or of a desktop."""
        metrics = {"height": 900, "deviceScaleFactor": 1, "mobile": pixels < 500}
        self.call("Emulation.setDeviceMetricsOverride", width=pixels, **metrics)

    def screenshot(self, path: Path) -> None:
        data = self.call("Page.captureScreenshot", captureBeyondViewport=False)["data"]
        path.write_bytes(base64.b64decode(data))
