"""The modules that make the documentation, which are not part of the package."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[2] / "docs/site"


def site_module(name: str) -> ModuleType:
    """Import a module of docs/site."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    return importlib.import_module(name)
