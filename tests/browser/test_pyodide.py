"""The same seed gives the same bytes in a browser's Python (Pyodide, run by Node.js) as here.

``tests/browser/install`` provides Pyodide; the test is skipped without it or Node.js.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from jobsworth.manifests import read_file
from support.simulation.printed_runs import print_runs

ROOT = Path(__file__).parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
PYODIDE = CACHE / "jobsworth/npm/node_modules/pyodide"
SCENARIOS = ("spot-with-escalation", "tail-under-consolidation", "kep-3850-story-1")

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed"),
    pytest.mark.skipif(not PYODIDE.exists(), reason="run tests/browser/install"),
]


def test_the_same_seed_gives_the_same_bytes_in_pyodide(tmp_path: Path) -> None:
    documents = {
        name: [each.value for each in read_file(str(ROOT / f"examples/scenarios/{name}.yaml"))]
        for name in SCENARIOS
    }
    (tmp_path / "documents.json").write_text(json.dumps(documents), encoding="utf-8")
    done = subprocess.run(
        ["node", Path(__file__).parent / "print_runs.mjs", PYODIDE, ROOT, tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    print_runs(tmp_path / "documents.json", tmp_path / "here.json")
    here = (tmp_path / "here.json").read_bytes()
    assert len(here) > 10_000
    assert (tmp_path / "pyodide.json").read_bytes() == here
