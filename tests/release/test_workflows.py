"""The workflows of GitHub: what no linter knows, because it is about this project."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.artifacts.built_image import TIMESTAMP
from support.artifacts.release_script import release

ROOT = Path(__file__).parents[2]
PATHS = sorted((ROOT / ".github/workflows").glob("*.yml"))
WORKFLOWS: dict[str, dict[Any, Any]] = {
    path.name: yaml.safe_load(path.read_text()) for path in PATHS
}
USES = re.compile(r"uses: (\S+)(.*)$", re.MULTILINE)
PINNED = re.compile(r"[\w/.-]+@[0-9a-f]{40}")

each_workflow = pytest.mark.parametrize("name", WORKFLOWS)


@pytest.mark.parametrize("path", [*PATHS, ROOT / "action.yml"], ids=lambda path: path.name)
def test_an_action_is_pinned_by_hash_and_its_release_stands_beside_it(path: Path) -> None:
    for action, comment in USES.findall(path.read_text()):
        assert PINNED.fullmatch(action)
        assert re.fullmatch(r"  # v\d+\.\d+\.\d+", comment), action


def test_one_action_has_one_hash_everywhere() -> None:
    texts = [path.read_text() for path in (*PATHS, ROOT / "action.yml", ROOT / "docs/ci.md")]
    pinned = {
        tuple(action.split("@"))
        for text in texts
        for action, _ in USES.findall(text)
        if "@" in action
    }
    assert len(pinned) == len({name for name, _ in pinned})


@each_workflow
def test_a_job_has_only_the_permissions_that_it_names(name: str) -> None:
    assert WORKFLOWS[name]["permissions"] == {}
    for job in WORKFLOWS[name]["jobs"].values():
        assert "permissions" in job
        assert job["timeout-minutes"] <= 360


def test_only_a_release_the_documentation_and_the_news_of_a_release_may_write() -> None:
    writing = {
        name
        for name, workflow in WORKFLOWS.items()
        for job in workflow["jobs"].values()
        if "write" in job["permissions"].values()
    }
    assert writing == {"docs.yml", "kubernetes.yml", "release.yml"}


def test_no_job_that_may_write_runs_code_of_dependencies() -> None:
    """The tests and the build run with `contents: read` only, and hand on files."""
    jobs = [job for workflow in WORKFLOWS.values() for job in workflow["jobs"].values()]
    for job in jobs:
        if "write" in job["permissions"].values():
            commands = "\n".join(step.get("run", "") for step in job["steps"])
            assert not re.search(r"\b(pip install|pytest|python -m|npm|go run)\b", commands)


def test_the_tests_run_on_every_release_of_python_that_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [
        each.rpartition(" ")[2] for each in project["classifiers"] if re.search(r":: 3\.\d+$", each)
    ]
    matrix = WORKFLOWS["ci.yml"]["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == declared
    assert {each["system"].partition("-")[0] for each in matrix["include"]} == {"macos", "windows"}


def test_linux_runs_the_script_that_developers_run() -> None:
    steps = WORKFLOWS["ci.yml"]["jobs"]["checks"]["steps"]
    assert steps[-1] == {"run": ".ci/run"}
    assert WORKFLOWS["long.yml"]["jobs"]["long"]["steps"][-1] == {"run": ".ci/long"}


def test_every_script_that_a_workflow_runs_is_there_and_executable() -> None:
    named = {found for path in PATHS for found in re.findall(r"\.ci/[\w.-]+", path.read_text())}
    for script in named | {".ci/workflows", ".ci/packages", ".ci/artifacts"}:
        assert (ROOT / script).stat().st_mode & 0o100, script


def test_a_release_publishes_to_the_places_that_its_documentation_names() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text()
    assert f"tags: {release.IMAGE}:" in text
    assert f"oci://{release.CHART_IMAGE.rpartition('/')[0]} " in text
    assert release.WORKFLOW.endswith(r"/\.github/workflows/release\.yml@refs/tags/v")


def test_a_release_has_the_times_of_the_image_that_the_tests_compare() -> None:
    assert WORKFLOWS["release.yml"]["env"]["SOURCE_DATE_EPOCH"] == TIMESTAMP


def test_nothing_is_published_before_the_tests_of_the_sdist_passed() -> None:
    jobs = WORKFLOWS["release.yml"]["jobs"]

    def before(name: str) -> set[str]:
        needs = jobs[name].get("needs", [])
        direct = {needs} if isinstance(needs, str) else set(needs)
        return direct.union(*map(before, direct))

    for name in ("attest", "pypi", "image", "chart", "github"):
        assert {"build", "test"} <= before(name)
