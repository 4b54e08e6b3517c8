"""Build the playground into a folder: ``python docs/site/playground/build.py build/playground``.

``docs/site/playground/install`` installs what it is made of. Nothing is loaded from another host: the folder has Pyodide
(CPython for WebAssembly), the standard library, jobsworth with PyYAML and ruamel.yaml as one archive, and the page.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import hashlib
import io
import json
import shutil
import subprocess
import tempfile
import zipfile
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PYODIDE = HERE / "node_modules/pyodide"
ESBUILD = HERE / "node_modules/.bin/esbuild"
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
PAGE_FILES = ("index.html", "style.css")
ENTRIES = ("boot.js", "main.js", "worker.js")
EXAMPLES = {
    "FailIndex without a limit": "invalid/fail-index-without-limit-per-index.yaml",
    "Training with a failure policy": "valid/ml-training.yaml",
    "Failure policy with OnFailure": "invalid/failure-policy-with-on-failure.yaml",
    "Exit codes not sorted": "invalid/exit-codes-not-sorted.yaml",
    "Indexed test suite": "valid/test-suite.yaml",
    "Nightly report": "valid/nightly-report.yaml",
    "Time zone in the schedule": "invalid/cronjob-time-zone-in-schedule.yaml",
}
"""The manifests to begin with, in examples/."""
NOT_IN_BROWSER = (
    "_api.py", "admission/", "audit/", "certificates/", "cli/", "client/", "files/recordings/", "library/diagnoses.py", "live/",
    "lsp/", "policy/admission_policies/", "policy/export/", "policy/kyverno/", "policy/profiles/", "policy/starter/",
    "reconciler/", "registration/", "reports/health_", "reports/why_", "runs/health/", "runs/replay/", "runs/why/", "serving/",
)  # fmt: skip
"""Beginnings of the names of modules that serve, call a cluster, or belong to other commands than those of the page."""
DATA = (".py", ".json", ".txt", ".css", ".html")
NOT_DATA = ("lint/findings_in_public.json",)
LIBRARIES = {"yaml": "PyYAML", "ruamel.yaml": "ruamel.yaml", "tzdata": "tzdata"}
"""The distribution of each package that the archive has."""
ON_DEMAND = ("licenses.txt", "zones.gzip")
"""What a first visit does not download."""
EPOCH = (2020, 2, 2, 0, 0, 0)
"""The time of each file in the archive, so that the same files make the same bytes."""


def build(target: Path) -> dict[str, tuple[int, int]]:
    """Write the playground, and return the size of each file, plain and compressed by gzip.

    Raises:
        FileNotFoundError: ``docs/site/playground/install`` has not run.
    """
    if not PYODIDE.exists():
        raise FileNotFoundError("run docs/site/playground/install first")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in PYODIDE_FILES:
        shutil.copy(PYODIDE / name, target / name)
    (target / "pyodide-lock.json").write_text(_lock(), encoding="utf-8")
    _write_archives(target)
    _bundle(target)
    for name in PAGE_FILES:
        shutil.copy(HERE / "src" / name, target / name)
    (target / "licenses.txt").write_text(_licenses(), encoding="utf-8")
    _write_service_worker(target)
    return sizes(target)


def sizes(target: Path) -> dict[str, tuple[int, int]]:
    """Return the size of each file, plain and compressed by gzip."""
    return {path.name: _sizes(path) for path in sorted(target.iterdir())}


def _lock() -> str:
    """Return Pyodide's lock file without the packages that it does not ship."""
    lock = json.loads((PYODIDE / "pyodide-lock.json").read_text(encoding="utf-8"))
    return json.dumps({**lock, "packages": {}})


def _write_archives(target: Path) -> None:
    """Write ``app.gzip``, and ``zones.gzip``, the time zones, which few manifests need.

    Each is a zip file whose files are stored as they are, compressed as a whole: what hundreds of small modules have in
    common is then sent once, which makes it a sixth smaller than files compressed alone. The name ends so that no server
    takes it for the encoding of another file.

    The modules that a first verdict imports are compiled: that takes longer than all other work of jobsworth before
    it. The others stay sources, which are half as large.
    """
    with tempfile.TemporaryDirectory() as folder:
        app, zones = Path(folder) / "app", Path(folder) / "zones"
        for name, source in _sources():
            path = (zones if name.startswith("tzdata/") else app) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if source.suffix == ".py":
                path.write_text(_shortened(source), encoding="utf-8")
            else:
                shutil.copy(source, path)
        first = ROOT / "examples" / next(iter(EXAMPLES.values()))
        subprocess.run(["node", HERE / "compile.mjs", PYODIDE, app, first], check=True)
        for work in (app, zones):
            (target / f"{work.name}.gzip").write_bytes(_archive(work))


def _archive(folder: Path) -> bytes:
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                info = zipfile.ZipInfo(file.relative_to(folder).as_posix(), EPOCH)
                archive.writestr(info, file.read_bytes())
    return gzip.compress(stored.getvalue(), 9, mtime=0)


def _shortened(source: Path) -> str:
    """Return a module without comments and docstrings, which are half of what would be downloaded."""
    module = ast.parse(source.read_text(encoding="utf-8"))
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
    return ast.unparse(module)


def _is_text(statement: ast.stmt) -> bool:
    """Return True for a docstring, also for that of a constant."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _sources() -> Iterator[tuple[str, Path]]:
    package = ROOT / "webhook/jobsworth"
    for path in package.rglob("*"):
        name = path.relative_to(package).as_posix()
        if path.suffix in DATA and name not in NOT_DATA and not name.startswith(NOT_IN_BROWSER):
            yield f"jobsworth/{name}", path
    yield "kube_cel/__init__.py", ROOT / "webhook/kube_cel/__init__.py"
    for path in (ROOT / "webhook/kube_cel/formats").glob("*.py"):
        yield f"kube_cel/formats/{path.name}", path
    for module in LIBRARIES:
        folder = Path(str(find_spec(module).origin)).parent  # type: ignore[union-attr]
        for path in folder.rglob("*"):
            if path.is_file() and (path.suffix == ".py" or "zoneinfo" in path.parts):
                yield f"{module.replace('.', '/')}/{path.relative_to(folder).as_posix()}", path
    yield "playground.py", HERE / "playground.py"


def _bundle(target: Path) -> None:
    texts = {
        name: (ROOT / "examples" / path).read_text(encoding="utf-8")
        for name, path in EXAMPLES.items()
    }
    with tempfile.TemporaryDirectory(dir=HERE) as folder:
        work = Path(folder) / "src"
        shutil.copytree(HERE / "src", work)
        (work / "examples.json").write_text(json.dumps(texts), encoding="utf-8")
        command = [
            ESBUILD, *(work / entry for entry in ENTRIES), "--bundle", "--minify", "--format=esm",
            "--target=es2022", "--external:./pyodide.mjs", f"--outdir={target}", "--log-level=warning",
        ]  # fmt: skip
        subprocess.run(command, check=True, cwd=HERE)


def _write_service_worker(target: Path) -> None:
    """Write the service worker, with the name of the cache: a digest of all files."""
    files = sorted(path.name for path in target.iterdir() if path.name not in ON_DEMAND)
    digest = hashlib.sha256()
    for name in files:
        digest.update((target / name).read_bytes())
    text = (HERE / "src/service_worker.js").read_text(encoding="utf-8")
    text = text.replace("{{cache}}", f"jobsworth-{digest.hexdigest()[:16]}")
    text = text.replace('"{{files}}"', json.dumps(["./", *files]))
    (target / "service_worker.js").write_text(text, encoding="utf-8")


def _licenses() -> str:
    """Return the licenses of what the folder contains."""
    parts = ["jobsworth: Apache-2.0", (ROOT / "LICENSE").read_text(encoding="utf-8")]
    parts += ["Pyodide and CPython: MPL-2.0, PSF-2.0; https://github.com/pyodide/pyodide"]
    for name in LIBRARIES.values():
        found = distribution(name)
        parts.append(f"{name} {found.version}: MIT")
        parts += [
            (Path(found.locate_file(file)).read_text(encoding="utf-8"))
            for file in found.files or ()
            if "LICENSE" in file.name
        ]
    for path in sorted((HERE / "node_modules").glob("*codemirror*/*/LICENSE")):
        parts.append(f"{path.parent.parent.name}/{path.parent.name}: MIT")
    parts.append((HERE / "node_modules/codemirror/LICENSE").read_text(encoding="utf-8"))
    return "\n\n".join(parts) + "\n"


def _sizes(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    return len(data), len(gzip.compress(data, 9))


def main() -> None:
    """Read the command line, build, and print the sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    missing = [name for module, name in LIBRARIES.items() if find_spec(module) is None]
    if missing:
        raise SystemExit(
            f"{', '.join(missing)} is not installed: run .venv/bin/pip install -e '.[dev]' first"
        )
    found = build(parser.parse_args().target.absolute())
    total = tuple(sum(each) for each in zip(*found.values(), strict=True))
    for name, (plain, compressed) in {**found, "all": total}.items():
        print(f"{name:24} {plain:>10,} {compressed:>10,}")


if __name__ == "__main__":
    main()
