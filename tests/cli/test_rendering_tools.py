"""What helm and kubectl themselves read and use, for charts and overlays of a stranger."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cluster import programs as built
from jobsworth.files import programs
from support.cli.command_runs import Validate

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  backoffLimit: VALUE
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: "registry.example/b:1"}]}}
"""
CHART = "apiVersion: v2\nname: c\nversion: 0.1.0\n"


def tool(name: str) -> Path:
    """Return a program of the test bed, or of the PATH."""
    try:
        return built.find(name)
    except built.MissingProgram as missing:
        found = shutil.which(name)
        if found is None:
            pytest.skip(str(missing))
        return Path(found)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a repository, beside a folder with a secret that could be a base or a chart."""
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    write(
        tmp_path / "secret",
        {
            "Chart.yaml": CHART,
            "values.yaml": "retries: TOP-SECRET\n",
            "job.yaml": JOB.replace("VALUE", "TOP-SECRET"),
            "kustomization.yaml": "resources: [job.yaml]\n",
        },
    )
    monkeypatch.chdir(folder)
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    """Put one tool alone before the PATH of the system's commands."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / name).symlink_to(tool(name))
    git = shutil.which("git")
    folders = [str(tmp_path / "bin"), *([os.path.dirname(git)] if git else [])]
    monkeypatch.setenv("PATH", os.pathsep.join(folders))


@pytest.fixture
def helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path(monkeypatch, tmp_path, "helm")


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path(monkeypatch, tmp_path, "kubectl")


@pytest.mark.usefixtures("helm")
def test_helm_renders_a_chart_within_the_limits(validate: Validate, repository: Path) -> None:
    template = JOB.replace("VALUE", "{{ .Values.retries }}")
    write(
        repository,
        {"c/Chart.yaml": CHART, "c/values.yaml": "retries: x\n", "c/templates/job.yaml": template},
    )
    done = validate("-o", "concise", "--render", ".")
    assert "c/templates/job.yaml:5:" in done.out


@pytest.mark.usefixtures("helm")
def test_helm_reads_no_dependency_of_another_folder(validate: Validate, repository: Path) -> None:
    dependency = "dependencies: [{name: c, version: 0.1.0, repository: 'file://../../secret'}]\n"
    template = JOB.replace("VALUE", "{{ .Values.c | toJson | quote }}")
    write(
        repository,
        {
            "c/Chart.yaml": CHART.replace("name: c", "name: d") + dependency,
            "c/templates/job.yaml": template,
        },
    )
    done = validate("--render", ".")
    assert done.code == 2
    assert "its dependency c is out of the repository" in done.out
    assert "TOP-SECRET" not in done.out


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of other processes")
@pytest.mark.usefixtures("helm")
def test_a_template_that_makes_too_much_is_the_error_of_its_chart(
    validate: Validate, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "MAX_MEMORY_BYTES", 400 << 20)
    template = "{{ range until 100000000 }}\na: {{ . }}\n{{ end }}\n"
    write(repository, {"c/Chart.yaml": CHART, "c/templates/x.yaml": template})
    done = validate("--render", ".")
    assert done.code == 2
    assert "helm cannot render it: fatal error: " in done.out
    assert "MiB of memory)" in done.out


FIELDS = {
    "resources": "resources: [../../secret/job.yaml]",
    "a link": "resources: [link/job.yaml]",
    "a generator of the file": "configMapGenerator: [{name: a, files: [../../secret/job.yaml]}]",
    "a generator of the link": "configMapGenerator: [{name: a, files: [link/job.yaml]}]",
    "variables of a generator": "secretGenerator: [{name: a, envs: [../../secret/values.yaml]}]",
    "a patch": "patches: [{path: ../../secret/job.yaml, target: {kind: Job}}]\nresources: [job.yaml]",
    "an old patch": "patchesStrategicMerge: [../../secret/job.yaml]\nresources: [job.yaml]",
    "a replacement": "replacements: [{path: ../../secret/values.yaml}]",
    "openapi": "openapi: {path: ../../secret/values.yaml}",
    "crds": "crds: [../../secret/values.yaml]",
    "configurations": "configurations: [../../secret/values.yaml]",
    "a chart": "helmGlobals: {chartHome: ../..}\nhelmCharts: [{name: secret}]",
    "an address of this machine": 'resources: ["file://SECRET//"]',
}
"""Ways to files elsewhere that kustomize refuses by itself, or with what jobsworth passes to git."""


@pytest.mark.slow
@pytest.mark.usefixtures("kubectl")
@pytest.mark.parametrize("kustomization", FIELDS.values(), ids=FIELDS)
def test_an_overlay_reads_no_file_out_of_the_repository(
    validate: Validate, repository: Path, kustomization: str
) -> None:
    secret = repository.parent / "secret"
    if "file://" in kustomization:
        git = ["git", "-C", str(secret), "-c", "user.name=a", "-c", "user.email=a@example.com"]
        for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
            subprocess.run([*git, *arguments], check=True)
    write(
        repository,
        {
            "overlay/kustomization.yaml": kustomization.replace("SECRET", str(secret)),
            "overlay/job.yaml": JOB.replace("VALUE", "1"),
        },
    )
    (repository / "overlay" / "link").symlink_to(secret)
    done = validate("--kustomize", "overlay")
    assert done.code == 2
    assert "kubectl cannot render it: " in done.out
    assert "TOP-SECRET" not in done.out
