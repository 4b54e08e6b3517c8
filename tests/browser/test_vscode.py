"""The extension of docs/examples/editors/vscode in the workbench of Visual Studio Code.

``tests/browser/install`` provides the workbench, with Node 20; the tests are skipped without. They build the .vsix file and
install it, and a second extension (``tests/support/editors/vscode_probe``) does what a user does.
``JOBSWORTH_SCREENSHOTS=FOLDER`` keeps a screenshot.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.editors.vscode import Workbench, installed, package
from support.timelines.chromium import installed as installed_chromium

ROOT = Path(__file__).parents[2]
INVALID = ROOT / "examples/invalid"
JOBSWORTH = Path(sys.executable).with_name("jobsworth")
SETTINGS = {
    "jobsworth.command": str(JOBSWORTH),
    "editor.codeActionsOnSave": {"source.fixAll.jobsworth": "explicit"},
    "extensions.autoCheckUpdates": False,
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
}

pytestmark = [
    pytest.mark.skipif(installed_chromium() is None, reason="Chromium is not installed"),
    pytest.mark.skipif(not installed(), reason="code-server is not installed"),
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = tmp_path_factory.mktemp("vscode") / "workspace"
    shutil.copytree(INVALID, workspace / "invalid")
    (workspace / "invalid/job.json").write_text(
        '{"apiVersion": "batch/v1", "kind": "Job", "spec": {}}\n'
    )
    (workspace / ".git").mkdir()
    for name in ("fixed.yaml", "saved.yaml"):
        shutil.copy(INVALID / "exit-codes-not-sorted.yaml", workspace / name)
    shutil.copy(ROOT / "docs/examples/training-after.yaml", workspace / "explained.yaml")
    return workspace


@pytest.fixture(scope="module")
def seen(workspace: Path) -> dict[str, Any]:
    """The state of the editor, by step of the probe."""
    folder = workspace.parent
    workbench = Workbench(folder / "data", package(folder / "extension"), SETTINGS)
    screenshots = os.environ.get("JOBSWORTH_SCREENSHOTS")
    return workbench.see(workspace, Path(screenshots) / "vscode.png" if screenshots else None)


def reported(path: Path) -> list[tuple[int, str]]:
    """Return line and code of the errors that the command line reports."""
    command = [str(JOBSWORTH), "validate", "--output", "json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return sorted(
        (finding.get("line", 0), finding["code"])
        for result in json.loads(done.stdout)["results"]
        for finding in result["findings"]
        if finding["severity"] == "error"
    )


def test_every_invalid_example_has_the_errors_of_the_command_line(
    seen: dict[str, Any], workspace: Path
) -> None:
    shown = {
        name: sorted((line, code) for line, code in found)
        for name, found in seen["diagnosticsOfExamples"].items()
    }
    assert shown == {path.name: reported(path) for path in (workspace / "invalid").iterdir()}


def test_the_preferred_quick_fix_resolves_the_finding(seen: dict[str, Any]) -> None:
    assert "values: [3, 42]" in seen["quickFix"]["text"]


def test_all_safe_fixes_are_applied_on_saving(seen: dict[str, Any]) -> None:
    assert "values: [3, 42]" in seen["fixAllOnSaving"]


def test_a_failure_policy_is_explained_in_a_page_beside_it(seen: dict[str, Any]) -> None:
    assert seen["explanation"]["tab"] == "Preview explanation-explained.md"
    assert seen["explanation"]["text"].startswith("### Job train (explained.yaml:1)")


def test_a_text_that_was_never_saved_has_findings(seen: dict[str, Any]) -> None:
    assert any('did you mean "parallelism"?' in message for message in seen["unsavedText"])


def test_a_changed_setting_restarts_the_server_also_after_it_did_not_start(
    seen: dict[str, Any],
) -> None:
    assert "JW004" in seen["changedSettings"]
