"""Draw the diagram in docs/architecture.md from the imports in the code: ``python docs/architecture.py``.

An arrow goes from a package to one that it imports. Transitive arrows are omitted: if `evaluation` imports
`policy`, which imports `validation`, there is no arrow from `evaluation` to `validation`. The layers and the
core are those of the import contracts in pyproject.toml.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
CODE = ROOT / "webhook/jobsworth"
BELOW = ROOT / "webhook/kube_cel"
"""A package of its own, which does not import jobsworth."""
PAGE = ROOT / "docs/architecture.md"
BEGIN, END = "<!-- picture: docs/architecture.py draws it -->\n", "<!-- end of picture -->"

Graph = dict[str, set[str]]
"""The packages that each package imports; a top-level module counts as a package."""


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names that a module imports, at any level."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def packages() -> dict[str, list[Path]]:
    """Return the modules of each package."""
    files = {path.parent.name: [*path.parent.rglob("*.py")] for path in CODE.glob("*/__init__.py")}
    files[BELOW.name] = [*BELOW.rglob("*.py")]
    return files | {path.stem: [path] for path in CODE.glob("*.py") if path.name[:2] != "__"}


def imports() -> Graph:
    """Return the imports between packages."""
    files = packages()
    graph: Graph = {package: set() for package in files}
    for package, paths in files.items():
        for path in paths:
            for name in imported(ast.parse(path.read_text(encoding="utf-8"))):
                top, _, rest = name.partition(".")
                other = top if top == BELOW.name else rest.partition(".")[0]
                if top in ("jobsworth", other) and other in files and other != package:
                    graph[package].add(other)
    return graph


def reachable(graph: Graph, start: str) -> set[str]:
    """Return the packages that a package imports, directly or indirectly."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        more = graph[waiting.pop()] - found
        found |= more
        waiting += more
    return found


def reduced(graph: Graph) -> Graph:
    """Return an acyclic graph without its transitive arrows."""
    return {
        package: {
            other
            for other in others
            if not any(other in reachable(graph, between) for between in others - {other})
        }
        for package, others in graph.items()
    }


def contract(name: str) -> dict[str, Any]:
    """Return an import contract of pyproject.toml."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (found,) = (
        each for each in settings["tool"]["importlinter"]["contracts"] if each["name"] == name
    )
    return dict(found)


def layers() -> list[list[str]]:
    """Return the packages of each layer, from the top."""
    listed = contract("Imports run downwards only")["layers"]
    return [
        [name.strip().removeprefix("jobsworth.") for name in line.split("|")] for line in listed
    ]


def core() -> list[str]:
    """Return the packages that use no files, clock, network or threads."""
    named = contract("The core knows no file, clock, network or thread")["source_modules"]
    return sorted(name.removeprefix("jobsworth.") for name in named)


def picture() -> str:
    """Return the diagram as a Mermaid block."""
    graph = reduced(imports())
    ordered = [package for layer in layers() for package in layer]
    lines = ["```mermaid", "flowchart TB"]
    lines += [f"  {package}" for package in ordered]
    lines += [f"  {package} --> {other}" for package in ordered for other in sorted(graph[package])]
    lines += [
        "  classDef core fill:#dbeafe,stroke:#1d4ed8,color:#111",
        "  classDef shell fill:#f3f4f6,stroke:#6b7280,color:#111",
        f"  class {','.join(core())} core",
        f"  class {','.join(sorted(graph.keys() - set(core())))} shell",
        "```",
    ]
    return "\n".join(lines) + "\n"


def page(text: str) -> str:
    """Return the page with the current diagram."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{picture()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
