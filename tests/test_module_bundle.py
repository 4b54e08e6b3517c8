"""The bundle of modules: imports get what the source files say, from the bundle where it can be trusted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import jobsworth
from support.lint.manifests_with_findings import SOUND

PACKAGE = Path(jobsworth.__file__).parent

IMPORTED = """
import os, sys
from jobsworth import cli
ended = os._exit
def shown(code):
    loaders = [type(getattr(module.__spec__, "loader", None)) for module in sys.modules.values()]
    print(sum(loader.__name__ == "_Loader" for loader in loaders), file=sys.stderr)
    {also}
    sys.stdout.flush()
    ended(code)
os._exit = shown
cli.main()
"""
"""A run that prints how many modules came from the bundle."""


class Installation:
    """A copy of the package, with a folder of its own for compiled modules."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "lib/jobsworth"
        shutil.copytree(PACKAGE, self.source, ignore=shutil.ignore_patterns("__pycache__"))
        self.compiled = folder / "compiled"
        self.manifest = folder / "job.yaml"
        self.manifest.write_text(SOUND)

    @property
    def bundles(self) -> list[Path]:
        return sorted(self.compiled.rglob("*.bundle*"))

    def run(self, *options: str, also: str = "pass", **environment: str) -> tuple[int, str]:
        """Validate the manifest; return the number of modules from the bundle, and what the run printed."""
        inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        inherited |= {
            "PYTHONPATH": str(self.source.parent), "PYTHONPYCACHEPREFIX": str(self.compiled)
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", IMPORTED.format(also=also), "validate", *options, self.manifest],
            env=inherited | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr
        assert "1 object in 1 file" in done.stderr
        return int(done.stderr.splitlines()[-1]), done.stdout


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An installation whose bundle is written; do not change it."""
    installation = Installation(tmp_path_factory.mktemp("bundle"))
    assert installation.run()[0] == 0
    return installation


@pytest.fixture
def installation(compiled: Installation, tmp_path: Path) -> Installation:
    """An installation whose bundle is written."""
    written = Installation(tmp_path)
    written.run()
    return written


def test_a_second_run_imports_all_modules_from_the_bundle(compiled: Installation) -> None:
    (bundle,) = compiled.bundles
    written = bundle.stat().st_mtime_ns

    imported, _ = compiled.run(also="print([*sys.modules])")
    assert imported > 80
    assert bundle.stat().st_mtime_ns == written


def test_modules_of_the_bundle_are_as_others(compiled: Installation) -> None:
    imported, shown = compiled.run(
        also="import inspect; from jobsworth.lint import linter; import jobsworth.api.core as package;"
        "print(inspect.getsource(linter.Linter)[:13], linter.__file__, package.__path__, linter.__cached__,"
        " linter.Linter.lint.__code__.co_filename)"
    )
    assert imported > 80
    assert shown.split()[:2] == ["class", "Linter:"]
    for name in ("lint/linter.py", "api/core", "linter.cpython"):
        assert name in shown


def test_a_changed_source_file_is_imported_instead(installation: Installation) -> None:
    before, _ = installation.run()
    text = installation.source / "reports/text.py"
    text.write_text(text.read_text() + "\nprint('changed')\n")

    after, shown = installation.run()
    assert "changed" in shown
    assert before - 3 < after < before


def test_a_new_version_replaces_the_bundle(installation: Installation) -> None:
    for file in installation.source.rglob("*.py"):
        os.utime(file, ns=(1, 1))
    assert installation.run()[0] == 0
    assert installation.run()[0] > 80


@pytest.mark.parametrize("damage", ["empty", "short", "other", "folder"])
def test_a_damaged_bundle_is_ignored_and_written_again(
    installation: Installation, damage: str
) -> None:
    (bundle,) = installation.bundles
    data = bundle.read_bytes()
    bundle.unlink()
    if damage == "folder":
        bundle.mkdir()
    else:
        bundle.write_bytes({"empty": b"", "short": data[: len(data) // 2], "other": b"N"}[damage])
    assert installation.run()[0] < (80 if damage == "short" else 1)  # with what was read before
    assert (installation.run()[0] > 80) == (damage != "folder")
    assert len(installation.bundles) == 1


def test_a_bundle_is_whole_again_after_a_part_of_the_package_has_changed(
    installation: Installation,
) -> None:
    whole, _ = installation.run()
    for folder in ("api", "validation"):
        for file in (installation.source / folder).rglob("*.py"):
            os.utime(file, ns=(1, 1))
    assert installation.run()[0] < whole - 30
    assert installation.run()[0] == whole


def test_a_bundle_of_another_place_is_ignored(compiled: Installation, tmp_path: Path) -> None:
    moved = Installation(tmp_path)
    for file in PACKAGE.rglob("*.py"):  # times as after the move of a virtual environment
        status = (compiled.source / file.relative_to(PACKAGE)).stat()
        times = (status.st_atime_ns, status.st_mtime_ns)
        os.utime(moved.source / file.relative_to(PACKAGE), ns=times)
    moved.run()
    (bundle,) = moved.bundles
    shutil.copy(compiled.bundles[0], bundle)

    assert moved.run()[0] == 0


def test_a_bundle_depends_on_the_interpreter_and_its_options(compiled: Installation) -> None:
    assert compiled.run(PYTHONOPTIMIZE="2")[0] == 0
    assert len(compiled.bundles) == 2
    assert compiled.run(PYTHONOPTIMIZE="2")[0] > 80
    assert compiled.run()[0] > 80


def test_a_bundle_has_the_mode_of_compiled_modules(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    before = os.umask(0)
    try:
        installation.run()
    finally:
        os.umask(before)
    (bundle,) = installation.bundles
    (compiled,) = bundle.parent.glob("module_bundle.*.pyc")
    assert bundle.stat().st_mode == compiled.stat().st_mode


@pytest.mark.parametrize("reason", ["no bytecode", "invalid"])
def test_only_valid_runs_write_and_only_where_python_writes(tmp_path: Path, reason: str) -> None:
    installation = Installation(tmp_path)
    if reason == "invalid":
        installation.manifest.write_text(SOUND.replace("restartPolicy: Never", ""))
        installation.run()
    else:
        installation.run(PYTHONDONTWRITEBYTECODE="1")
    assert installation.bundles == []


def test_a_program_can_put_its_own_finder_first(compiled: Installation) -> None:
    code = (
        "import sys\nfrom jobsworth.cli import main\n"
        "class First:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'jobsworth.lint.linter': print('asked')\n"
        "sys.meta_path.insert(0, First())\nmain()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "validate", compiled.manifest],
        env={
            **os.environ,
            "PYTHONPATH": str(compiled.source.parent),
            "PYTHONPYCACHEPREFIX": str(compiled.compiled),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "asked\n"
