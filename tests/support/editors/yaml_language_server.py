"""yaml-language-server with a schema, as an editor with a YAML extension runs it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from support.editors.language_client import LanguageClient

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
PROGRAM = CACHE / "jobsworth/npm/node_modules/yaml-language-server/bin/yaml-language-server"


def installed() -> bool:
    """Return True if ``tests/browser/install`` has installed it, and there is Node."""
    return PROGRAM.is_file() and shutil.which("node") is not None


def yaml_language_server(schema: Path, **settings: Any) -> LanguageClient:
    """Start it for files of any name, with no schemas but one.

    Args:
        schema: the file of a JSON Schema.
        settings: further settings of the section ``yaml``, such as ``yamlVersion``.
    """
    alone = {"schemaStore": {"enable": False}, "kubernetesCRDStore": {"enable": False}}
    section = {"validate": True, "hover": True, "completion": True, **alone, **settings}
    section["schemas"] = {schema.as_uri(): "*.yaml"}
    command = ["node", str(PROGRAM), "--stdio"]
    return LanguageClient(command, settings={"yaml": section}, folder=schema.parent)
