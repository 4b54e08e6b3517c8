"""The wheel and the sdist: complete, without strays, and the same bytes wherever and whenever they are built."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import jobsworth
from support.artifacts import distributions

ROOT = Path(__file__).parents[2]
NAME = f"jobsworth-{jobsworth.__version__}"
GENERATED = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", "*.egg-info", ".*_cache", ".hypothesis", "build", "dist"
)

pytest.importorskip("hatchling")
pytestmark = pytest.mark.slow


def build(source: Path, target: Path) -> tuple[Path, Path]:
    """Build both, and return the paths of wheel and sdist."""
    distributions.build(source, target)
    return target / f"{NAME}-py3-none-any.whl", target / f"{NAME}.tar.gz"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project."""
    folder = tmp_path_factory.mktemp("source") / "project"
    shutil.copytree(ROOT, folder, ignore=GENERATED, symlinks=True)
    return folder


@pytest.fixture(scope="module")
def built(source: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return build(source, tmp_path_factory.mktemp("built"))


def in_sdist(sdist: Path) -> set[str]:
    with tarfile.open(sdist) as archive:
        return {member.name.removeprefix(f"{NAME}/") for member in archive.getmembers()}


def digests(paths: tuple[Path, Path]) -> list[str]:
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]


@pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(), reason="this is not a clone"
)
def test_the_sdist_has_what_git_tracks_and_nothing_else(built: tuple[Path, Path]) -> None:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tracked = {path for path in listed.split("\0") if path and (ROOT / path).exists()}
    assert in_sdist(built[1]) - {"PKG-INFO"} == tracked


def test_an_unpacked_sdist_builds_the_same_wheel_and_sdist(
    built: tuple[Path, Path], tmp_path: Path
) -> None:
    with tarfile.open(built[1]) as archive:
        archive.extractall(tmp_path, filter="data")
    assert digests(build(tmp_path / NAME, tmp_path / "again")) == digests(built)


def test_times_and_modes_of_files_do_not_change_the_bytes(
    source: Path, built: tuple[Path, Path], tmp_path: Path
) -> None:
    copy = tmp_path / "another name"
    shutil.copytree(source, copy)
    for path in copy.rglob("*"):
        if path.is_file():
            path.chmod(0o600 | (path.stat().st_mode & 0o100))
            os.utime(path, (1_000_000_000, 1_000_000_000))
    assert digests(build(copy, tmp_path / "made")) == digests(built)


def test_the_wheel_has_the_package_the_schemas_and_the_license(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[0]) as wheel:
        names = set(wheel.namelist())
    package = {
        path.relative_to(ROOT / "webhook").as_posix()
        for folder in ("webhook/jobsworth", "webhook/kube_cel")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    schemas = {
        f"jobsworth/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "schemas").rglob("*")
        if path.is_file()
    }
    parts = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    assert names == package | schemas | {f"{NAME}.dist-info/{part}" for part in parts}


def test_the_metadata_name_the_version_and_the_releases_of_python(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[0]) as wheel:
        metadata = message_from_bytes(wheel.read(f"{NAME}.dist-info/METADATA"))
    declared = [
        each.rpartition(" ")[2]
        for each in metadata.get_all("Classifier", [])
        if each.startswith("Programming Language :: Python :: 3.")
    ]
    assert metadata["Version"] == jobsworth.__version__
    assert metadata["Requires-Python"] == f">={declared[0]}"
    assert declared == ["3.11", "3.12", "3.13", "3.14"]
