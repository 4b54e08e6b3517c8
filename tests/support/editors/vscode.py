"""The workbench of Visual Studio Code, which code-server brings, in headless Chromium."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.timelines.chromium import Chromium

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
FOLDER = CACHE / "jobsworth/vscode"
SERVER = FOLDER / "node_modules/code-server/lib/vscode/out/server-main.js"
VSCE = FOLDER / "node_modules/@vscode/vsce/vsce"
EXTENSION = Path(__file__).parents[3] / "docs/examples/editors/vscode"
PROBE = Path(__file__).parent / "vscode_probe"
WORKBENCH = "document.querySelector('.monaco-workbench') ? 'ready' : ''"
UNDERLINED = "document.querySelector('.squiggly-error') ? 'yes' : ''"
START_SECONDS = 60
"""The longest wait for the workbench."""
SECONDS = 240
"""The longest wait for the probe."""


def installed() -> bool:
    """Return True if ``tests/browser/install`` has installed what the workbench and the extension need."""
    locks = (folder / "package-lock.json" for folder in (EXTENSION, FOLDER / "extension"))
    return (FOLDER / "installed").exists() and len({path.read_bytes() for path in locks}) == 1


def package(copy: Path) -> Path:
    """Build the extension in a copy, as docs/editors.md says, and return the path of its .vsix file."""
    shutil.copytree(EXTENSION, copy, ignore=shutil.ignore_patterns("node_modules", "*.vsix"))
    shutil.copytree(FOLDER / "extension/node_modules", copy / "node_modules", symlinks=True)
    command = ["node", str(VSCE), "package", "--skip-license", "--out", "jobsworth.vsix"]
    subprocess.run(command, cwd=copy, check=True, capture_output=True)
    return copy / "jobsworth.vsix"


class Workbench:
    """The server of a workbench with an extension and the probe.

    Args:
        data: the folder of its settings and extensions.
        vsix: the extension.
        settings: the user's settings.
    """

    def __init__(self, data: Path, vsix: Path, settings: Mapping[str, Any]) -> None:
        self._data = data
        self._run("--install-extension", str(vsix))
        # Only after a start without the list does the server find a copied folder.
        shutil.copytree(PROBE, data / "extensions/jobsworth.probe-0.0.1")
        (data / "extensions/extensions.json").unlink()
        user = data / "User"
        user.mkdir(exist_ok=True)
        (user / "settings.json").write_text(json.dumps(settings))

    def see(self, workspace: Path, screenshot: Path | None = None) -> dict[str, Any]:
        """Open a folder in Chromium, and return what the probe saw; its last text has an underlined error."""
        options = ("--host", "127.0.0.1", "--port", "0", "--without-connection-token")
        with subprocess.Popen(self._command(*options), stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                ports = (re.search(r"agent listening on (\d+)", line) for line in server.stdout)
                port = next(found[1] for found in ports if found)
                with Chromium() as browser:
                    browser.visit(
                        f"http://127.0.0.1:{port}/?folder={workspace}", WORKBENCH, START_SECONDS
                    )
                    found = self._wait(workspace / "found.json", browser)
                    browser.wait(UNDERLINED)
                    if screenshot is not None:
                        browser.screenshot(screenshot)
                    return found
            finally:
                server.terminate()

    def _wait(self, path: Path, browser: Chromium) -> dict[str, Any]:
        deadline = time.monotonic() + SECONDS
        while not path.exists():
            assert time.monotonic() < deadline, browser.problems
            browser.evaluate("0")  # reads what the page sends, so that the socket does not fill
            time.sleep(0.1)
        found: dict[str, Any] = json.loads(path.read_text())
        return found

    def _command(self, *options: str) -> list[str]:
        folders = ("--server-data-dir", "--user-data-dir")
        common = [each for name in folders for each in (name, str(self._data))]
        common += ["--extensions-dir", str(self._data / "extensions"), "--telemetry-level", "off"]
        return ["node", str(SERVER), "--accept-server-license-terms", *common, *options]

    def _run(self, *options: str) -> None:
        subprocess.run(self._command(*options), check=True, capture_output=True)
