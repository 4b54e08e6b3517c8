"""Charts and overlays, rendered by tools that stand in for helm and kustomize."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from support.cli.command_runs import Validate

CHART = "apiVersion: v2\nname: etl\nversion: 0.1.0\n"
TEMPLATE = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}
spec:
  backofLimit: {{ .Values.retries }}
  template:
    spec:
      restartPolicy: Alway
      containers:
      - name: etl
        image: registry.example/etl:1
"""
RENDERED = "---\n# Source: etl/templates/job.yaml\n" + TEMPLATE.replace(
    "{{ .Release.Name }}", "x"
).replace("{{ .Values.retries }}", "3")
BASE = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: load
spec:
  template:
    spec:
      restartPolicy: Always
      containers:
      - name: etl
        image: registry.example/etl:1
"""
BUILT = BASE.replace(
    "  name: load",
    "  annotations:\n    config.kubernetes.io/origin: |\n      path: ORIGIN\n  name: prod-load",
)
REPOSITORY = {
    "charts/etl/Chart.yaml": CHART,
    "charts/etl/templates/job.yaml": TEMPLATE,
    "base/kustomization.yaml": "resources: [job.yaml]\n",
    "base/job.yaml": BASE,
    "overlays/prod/kustomization.yaml": "resources: [../../base]\nnamePrefix: prod-\n",
}


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a folder for tools at the begin of the PATH, without others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def install(folder: Path, name: str, script: str) -> None:
    tool = folder / name
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)


def prints(folder: Path, name: str, text: str) -> None:
    output = folder / f"{name}.out"
    output.write_text(text)
    install(folder, name, f'echo "$@" > {folder}/{name}.args\ncat {output}')


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def test_a_finding_of_a_chart_leads_to_the_line_of_its_template(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    prints(tools, "helm", RENDERED)
    done = validate("-o", "concise", "--helm", "charts/etl", "--set", "a=b", "--values", "v.yaml")
    assert done.code == 1
    assert "charts/etl/templates/job.yaml:6:3: error JW001 spec.backofLimit" in done.out
    assert "charts/etl/templates/job.yaml:9:" in done.out
    given = (tools / "helm.args").read_text().strip()
    assert given == "template release-name charts/etl --values v.yaml --set a=b"


def test_a_finding_of_an_overlay_leads_to_the_file_of_its_resource(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    origin = os.path.join(os.path.realpath(tmp_path), "base/job.yaml")
    prints(tools, "kustomize", BUILT.replace("ORIGIN", origin))
    done = validate("-o", "concise", "--kustomize", "overlays/prod")
    assert done.code == 1
    assert "base/job.yaml:8:22: error JW003 spec.template.spec.restartPolicy" in done.out


def test_a_folder_is_rendered_with_all_its_charts_and_overlays(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    prints(tools, "helm", RENDERED)
    origin = os.path.join(os.path.realpath(tmp_path), "base/job.yaml")
    prints(tools, "kustomize", BUILT.replace("ORIGIN", origin))
    done = validate("-o", "concise", "--render", "charts", "base", "overlays")
    lines = done.out.splitlines()
    assert len([line for line in lines if line.startswith("base/job.yaml:8:")]) == 1
    assert any(line.startswith("charts/etl/templates/job.yaml:6:") for line in lines)
    assert "JW090" not in done.out


def test_fixes_of_what_is_rendered_are_withheld(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    prints(tools, "helm", RENDERED)
    done = validate("--helm", "charts/etl", "--fix")
    assert done.code == 1
    assert "not fixed:" in done.err or "fixed:" not in done.err
    assert Path("charts/etl/templates/job.yaml").read_text() == TEMPLATE


def test_a_tool_that_fails_is_the_error_of_its_chart(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    install(tools, "helm", "echo 'Error: missing dependency' >&2\nexit 1")
    done = validate("--helm", "charts/etl")
    assert done.code == 2
    assert "helm cannot render it: Error: missing dependency" in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--helm", "."), "helm is not installed, or not in the PATH"),
        (("--kustomize", "."), "neither kustomize nor kubectl is installed"),
        (("--set", "a=b", "."), "--values and --set require --helm CHART or --render"),
    ],
)
def test_a_missing_tool_is_a_sentence(
    validate: Validate,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = validate(*arguments)
    assert (done.code, words in done.err) == (2, True)


def test_a_missing_chart_is_a_wrong_path(validate: Validate) -> None:
    done = validate("--helm", "no-chart")
    assert (done.code, "no such file or folder; check the path" in done.out) == (2, True)
