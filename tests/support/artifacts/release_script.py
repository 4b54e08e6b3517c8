"""`.ci/release.py` as a module."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[3]


def _loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release_script_of_ci", ROOT / ".ci/release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = _loaded()
