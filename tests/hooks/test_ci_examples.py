"""The files for CI in docs/examples/ci run as they are, and find the mistakes of a repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from cluster import programs

ROOT = Path(__file__).parents[2]
CI = ROOT / "docs/examples/ci"
SCRIPT = CI / "validate.sh"
PAGE = (ROOT / "docs/ci.md").read_text("utf-8")
REPOSITORY = ROOT / "tests/repositories/training"

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


@pytest.fixture
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH on which ``jobsworth`` is the code under test."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "jobsworth"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m jobsworth "$@"\n')
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def bash(
    line: str, folder: Path, path: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A repository without charts and overlays, with one wrong manifest."""
    for name in ("jobsets", "pytorch", "ray", "workflows"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    return tmp_path


def cases(report: Path) -> list[str]:
    return [case.get("file", "") for case in ElementTree.parse(report).iter("testcase")]


@pytest.mark.slow
def test_the_script_finds_the_mistakes_of_a_repository_and_writes_a_report(
    plain: Path, path: str
) -> None:
    done = bash(f"{SCRIPT} . --kubernetes-version 1.36", plain, path, REPORT="report.xml")
    assert done.returncode == 1, done.stderr
    assert "jobsets/pretrain.yaml" in done.stdout
    assert "jobsets/pretrain.yaml" in cases(plain / "report.xml")


@pytest.mark.slow
def test_the_script_renders_charts_and_overlays(tmp_path: Path, path: str) -> None:
    try:
        folders = [str(programs.find(name).parent) for name in ("helm", "kubectl")]
    except programs.MissingProgram as missing:
        pytest.skip(str(missing))
    shutil.copytree(REPOSITORY, tmp_path / "repository")
    tools = os.pathsep.join([path, *folders])
    done = bash(f"{SCRIPT} repository", tmp_path, tools)
    assert done.returncode == 1, done.stderr
    assert "repository/chart/templates/job.yaml" in done.stdout
    assert "Job evaluate" in done.stdout


def test_the_script_succeeds_where_all_jobs_are_valid(tmp_path: Path, path: str) -> None:
    shutil.copytree(ROOT / "examples/valid", tmp_path / "jobs")
    assert bash(f"{SCRIPT} jobs", tmp_path, path).returncode == 0
    assert bash(str(SCRIPT), tmp_path, path).returncode == 0


@pytest.mark.slow
def test_the_script_validates_changes_as_updates(tmp_path: Path, path: str) -> None:
    job = tmp_path / "job.yaml"
    job.write_text((ROOT / "examples/valid/ml-training.yaml").read_text("utf-8"))
    commit = "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm first"
    assert bash(commit, tmp_path, path).returncode == 0
    job.write_text(re.sub(r"image: (\S+)", r"image: \1-next", job.read_text("utf-8")))
    assert bash(str(SCRIPT), tmp_path, path).returncode == 0
    done = bash(str(SCRIPT), tmp_path, path, BASE_REF="HEAD")
    assert done.returncode == 1
    assert "field is immutable" in done.stdout


def test_the_script_says_what_is_missing(tmp_path: Path) -> None:
    bash_folder = Path(shutil.which("bash") or "").parent
    done = bash(str(SCRIPT), tmp_path, str(bash_folder))
    if shutil.which("jobsworth", path=str(bash_folder)):
        pytest.skip("jobsworth is installed beside bash")
    assert done.returncode == 2
    assert "pip install" in done.stderr


def component() -> tuple[dict[str, Any], str]:
    """Return the inputs of the component, and the text of its job."""
    header, _, job = (CI / "gitlab-component.yml").read_text("utf-8").partition("\n---\n")
    inputs: dict[str, Any] = yaml.safe_load(header)["spec"]["inputs"]
    return inputs, job


def test_the_component_uses_each_of_its_inputs() -> None:
    inputs, job = component()
    assert set(re.findall(r"\$\[\[ inputs\.(\w+) \]\]", job)) == set(inputs)
    assert all(f"`{name}`" in PAGE for name in inputs)


@pytest.mark.slow
def test_the_component_finds_the_mistakes_of_a_repository(plain: Path, path: str) -> None:
    inputs, text = component()
    for name, declared in inputs.items():
        text = text.replace(f"$[[ inputs.{name} ]]", declared["default"])
    job = yaml.safe_load(text)["jobsworth"]
    install, validate = job["script"]
    assert install.startswith("pip install --quiet 'jobsworth[policy] @ ")
    done = bash(validate, plain, path)
    assert done.returncode == 1, done.stderr
    assert "jobsets/pretrain.yaml" in cases(plain / job["artifacts"]["reports"]["junit"])


@pytest.mark.slow
def test_azure_publishes_the_report_that_the_command_writes(plain: Path, path: str) -> None:
    pipeline = yaml.safe_load((CI / "azure-pipelines.yml").read_text("utf-8"))
    (line,) = [step["script"] for step in pipeline["steps"] if "validate" in step.get("script", "")]
    (publish,) = [step for step in pipeline["steps"] if step.get("task") == "PublishTestResults@2"]
    assert bash(line, plain, path).returncode == 1
    assert publish["inputs"]["testResultsFormat"] == "JUnit"
    assert cases(plain / publish["inputs"]["testResultsFiles"])


@pytest.mark.slow
def test_jenkins_publishes_the_report_that_the_command_writes(plain: Path, path: str) -> None:
    text = (CI / "Jenkinsfile").read_text("utf-8")
    line = re.search(r"sh '(.*jobsworth validate.*)'", text)
    report = re.search(r"testResults: '(.*?)'", text)
    assert line is not None
    assert report is not None
    done = bash(line[1].replace('PATH="$HOME/.local/bin:$PATH" ', ""), plain, path)
    assert done.returncode == 1
    assert cases(plain / report[1])


@pytest.mark.slow
def test_other_systems_accept_the_form_of_their_files() -> None:
    pytest.importorskip("check_jsonschema")
    _, job = component()
    for schema, text in (
        ("vendor.gitlab-ci", job),
        ("vendor.azure-pipelines", (CI / "azure-pipelines.yml").read_text("utf-8")),
    ):
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "check_jsonschema",
                "--default-filetype=yaml",
                "--regex-variant=python",
                "--builtin-schema",
                schema,
                "-",
            ],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


SHELLCHECK = shutil.which(
    "shellcheck", path=f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}"
)


@pytest.mark.skipif(SHELLCHECK is None, reason="shellcheck is not installed")
def test_the_script_has_no_finding_of_shellcheck() -> None:
    done = subprocess.run(
        [str(SHELLCHECK), str(SCRIPT)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_every_file_is_on_the_page() -> None:
    for path in CI.iterdir():
        assert f"](examples/ci/{path.name})" in PAGE
