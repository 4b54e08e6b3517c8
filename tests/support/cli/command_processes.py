"""`jobsworth` run in a process of its own, as a user runs it, and three manifests to run it on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

GOOD = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: busybox:1.36
          resources: {requests: {cpu: 100m, memory: 64Mi}}
  activeDeadlineSeconds: 3600
  ttlSecondsAfterFinished: 86400
"""
BAD = GOOD.replace("spec:\n  template", "spec:\n  backoffLimitPerIndex: 1\n  template", 1)
OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n"


def run(
    *arguments: str, stdin: str = "", folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command line in a folder, with more environment variables."""
    return subprocess.run(
        [sys.executable, "-m", "jobsworth", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "webhook"), **environment},
    )
