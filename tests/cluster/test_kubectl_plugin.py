"""``kubectl jobsworth`` with a real kubectl, which finds a plugin by its name on the PATH."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from cluster.programs import find

ROOT = Path(__file__).parents[2]
VALID = str(ROOT / "examples/valid/ml-training.yaml")
INVALID = str(ROOT / "examples/invalid/exit-code-zero.yaml")


def test_kubectl_finds_and_runs_it(tmp_path: Path) -> None:
    script = tmp_path / "kubectl-jobsworth"
    script.write_text(f"#!{sys.executable}\nfrom jobsworth.cli import main\nmain()\n")
    script.chmod(0o755)

    def validate(path: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [find("kubectl"), "jobsworth", "validate", path],
            env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )

    assert validate(VALID).returncode == 0
    done = validate(INVALID)
    assert done.returncode == 1
    assert "must not be 0 for the In operator" in done.stdout
