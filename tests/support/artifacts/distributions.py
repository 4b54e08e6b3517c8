"""Build wheel and sdist with the build backend of this environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def build(source: Path, target: Path) -> None:
    """Build the wheel and the sdist of a source folder into another folder."""
    kinds = ("-t", "wheel", "-t", "sdist")
    command = [sys.executable, "-m", "hatchling", "build", *kinds, "-d", str(target)]
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("SOURCE_DATE_EPOCH", "PYTHONPATH")
    }
    subprocess.run(command, cwd=source, check=True, capture_output=True, env=environment)
