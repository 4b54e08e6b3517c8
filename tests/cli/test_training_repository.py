"""A repository whose Jobs stand in a chart, an overlay and objects of other kinds: one command finds each error at its line.

The errors of ``tests/repositories/training`` are marked with ``# wrong: CODE`` on the line where they are reported,
what is not judged with ``# named: CODE``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from cluster import programs
from support.cli.command_runs import Command

REPOSITORY = Path(__file__).parents[1] / "repositories" / "training"
MARK = re.compile(r"# (?:wrong|named): (JW\d+)$")
RENDERED = ("chart", "overlays")
"""The folders whose manifests have to be rendered."""
NAMED = {
    "chart/Chart.yaml": "JW099",
    "overlays/night/parallel.yaml": "JW094",
}
"""The files that are named as not validated if they are not rendered, with the code."""

Place = tuple[str, int, str]
"""File, line and code."""


def marked(*, rendered: bool) -> set[Place]:
    return {
        (str(file.relative_to(REPOSITORY)), line, mark[1])
        for file in REPOSITORY.rglob("*.yaml")
        if (file.relative_to(REPOSITORY).parts[0] in RENDERED) is rendered
        for line, text in enumerate(file.read_text().splitlines(), 1)
        if (mark := MARK.search(text))
    }


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return the folder of the command, with a copy of the repository."""
    return Path(shutil.copytree(REPOSITORY, tmp_path, dirs_exist_ok=True))


def reported(command: Command, *options: str) -> set[Place]:
    """Return the errors of an alert each, and the files that were named as not validated."""
    done = command("validate", ".", *options, "-o", "sarif")
    assert done.code == 1
    found = set()
    for result in json.loads(done.out)["runs"][0]["results"]:
        (location,) = result["locations"]
        place = location["physicalLocation"]
        file = place["artifactLocation"]["uri"]
        line = place.get("region", {}).get("startLine", 0)
        assert Path(file).is_file()
        if result["level"] == "error" or result["ruleId"] in ("JW094", "JW095", "JW099"):
            found.add((file, line, result["ruleId"]))
    return found


def test_each_error_in_a_manifest_is_found_at_its_line_or_its_object_is_named(
    command: Command, repository: Path
) -> None:
    found = reported(command)
    assert {each for each in found if each[0] not in NAMED} == marked(rendered=False)
    assert {file: code for file, _, code in found if file in NAMED} == NAMED


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the helm and kubectl of the test bed at the start of the PATH."""
    try:
        folders = [str(programs.find(name).parent) for name in ("helm", "kubectl")]
    except programs.MissingProgram as missing:
        pytest.skip(str(missing))
    monkeypatch.setenv("PATH", os.pathsep.join([*folders, os.environ["PATH"]]))


@pytest.mark.slow
@pytest.mark.usefixtures("tools")
def test_one_command_also_finds_the_errors_in_charts_and_overlays(
    command: Command, repository: Path
) -> None:
    found = reported(command, "--render")
    of_rendered = {each for each in found if each[0].startswith(("chart", "overlays"))}
    assert of_rendered == marked(rendered=True)
    rest = found - of_rendered
    assert {each for each in rest if each[2] != "JW094"} == marked(rendered=False)


def test_the_repository_has_errors_of_each_place() -> None:
    assert len(marked(rendered=False)) == 10
    assert {file.split("/")[0] for file, _, _ in marked(rendered=True)} == {
        file.split("/")[0] for file in NAMED
    }
