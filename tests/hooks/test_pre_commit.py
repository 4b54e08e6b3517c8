"""The pre-commit hooks, run by pre-commit itself on a repository with all sorts of files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytest.importorskip("pre_commit")

ROOT = Path(__file__).parent.parent.parent

GOOD = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  activeDeadlineSeconds: 3600
  ttlSecondsAfterFinished: 86400
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/train:1.4
          resources:
            requests: {cpu: "1", memory: 1Gi}
"""
BAD = GOOD.replace("spec:\n", "spec:\n  backoffLimitPerIndex: 1\n", 1)
MENDABLE = GOOD.replace(
    "spec:\n",
    """\
spec:
  podReplacementPolicy: Failed
  podFailurePolicy:
    rules:
      - action: FailJob
        onExitCodes:
          operator: In
          values: [42, 7]  # a bug of ours
""",
    1,
)
SOUND = {
    "good.yaml": GOOD,
    "chart/templates/job.yaml": "{{- if .Values.enabled }}\n" + BAD + "{{- end }}\n",
    "roles/job.yml": "{% if enabled %}\n" + BAD + "{% endif %}\n",
    "deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n",
    "volcano.yaml": "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata:\n  name: train\n",
    ".github/workflows/ci.yaml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n",
    "broken.yaml": "jobs: [\nkind: of thing\n",
    "settings.json": '{"kind": "settings", "job": 1}\n',
}
OLD = """\
apiVersion: batch/v1beta1
kind: CronJob
metadata:
  name: train
spec:
  schedule: "@daily"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: main
              image: registry.example.com/train:1.4
"""
UNSOUND = {
    "bad.yaml": BAD,
    "near.yaml": GOOD.replace("kind: Job", "kind: Jobb"),
    "old.yaml": OLD,
    "unreadable.yaml": GOOD.replace("spec:\n", "spec:\n\tcompletions: 3\n", 1),
}


def pre_commit(folder: Path, environment: dict[str, str], *arguments: str) -> tuple[int, str]:
    """Run pre-commit in a folder, and return its exit code and output."""
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments, "--color", "never", "--verbose"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="session")
def configuration(
    project: Path, git_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A configuration with both hooks. pre-commit installs the project once for all tests that use it."""
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"],
        cwd=project, env=git_environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    hooks = [{"id": "jobsworth-validate"}, {"id": "jobsworth-fix"}]
    used = {"repo": str(project), "rev": head.stdout.strip(), "hooks": hooks}
    file = tmp_path_factory.mktemp("configuration") / "pre-commit.yaml"
    file.write_text(yaml.safe_dump({"repos": [used]}))
    return file


@pytest.fixture
def repository(tmp_path: Path, git_environment: dict[str, str]) -> Path:
    for name, text in {**SOUND, **UNSOUND, "mendable.yaml": MENDABLE}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for arguments in (
        ["init", "--quiet"],
        ["add", "--all"],
        ["commit", "--quiet", "-m", "All sorts"],
    ):
        subprocess.run(["git", *arguments], cwd=tmp_path, env=git_environment, check=True)
    return tmp_path


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.usefixtures("package_index")
def test_the_hooks_pass_a_good_manifest(
    configuration: Path, repository: Path, git_environment: dict[str, str]
) -> None:
    run = ("run", "--config", str(configuration))
    code, output = pre_commit(repository, git_environment, *run, "--files", *SOUND)
    assert code == 0, output
    assert (
        "jobsworth validate.......................................................Passed" in output
    )
    assert (
        "jobsworth fix............................................................Passed" in output
    )
    assert "chart/templates/job.yaml:1:1: info: manifest [JW091" in output
    assert "roles/job.yml:1:1: info: manifest [JW091" in output
    assert "broken.yaml:2:" in output
    assert "this document is unreadable and names no Job" in output
    for name, text in SOUND.items():
        assert (repository / name).read_text() == text


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.usefixtures("package_index")
def test_the_hook_reports_a_bad_manifest(
    configuration: Path, repository: Path, git_environment: dict[str, str]
) -> None:
    run = ("run", "--config", str(configuration), "jobsworth-validate")
    code, output = pre_commit(repository, git_environment, *run, "--all-files")
    assert code == 1, output
    for line in (
        "jobsworth validate.......................................................Failed",
        "bad.yaml:6:25: error: Job train: spec.backoffLimitPerIndex [JW004",
        "mendable.yaml:12:11: error: Job train: spec.podFailurePolicy.rules[0].onExitCodes.values [JW004",
        "near.yaml:2:7: error: Jobb train: kind [JW320",
        "old.yaml:1:13: error: CronJob train: apiVersion [JW320",
        "unreadable.yaml:6:1: error: manifest [JW090",
    ):
        assert line in output


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.usefixtures("package_index")
@pytest.mark.parametrize(
    "names",
    [["--exclude=*.yaml"], ["--baseline=b.json", "b.json"], ["--output-file=../report.yaml"]],
)
@pytest.mark.parametrize("hook", ["jobsworth-validate", "jobsworth-fix"])
def test_a_file_name_is_never_an_option_of_a_hook(
    hook: str,
    names: list[str],
    configuration: Path,
    tmp_path: Path,
    git_environment: dict[str, str],
) -> None:
    baseline = '{"version": 1, "findings": []}\n'
    for name, text in {"job.yaml": BAD, **dict.fromkeys(names, baseline)}.items():
        file = tmp_path / "repository" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    repository = tmp_path / "repository"
    for arguments in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *arguments], cwd=repository, env=git_environment, check=True)
    run = ("run", "--config", str(configuration), hook)
    code, output = pre_commit(repository, git_environment, *run, "--all-files")
    assert code == 1, output
    assert f"the argument {names[0]} is both an option and the name of an existing file" in output
    assert not (tmp_path / "report.yaml").exists()


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.usefixtures("package_index")
def test_the_other_hook_applies_fixes(
    configuration: Path, repository: Path, git_environment: dict[str, str]
) -> None:
    run = ("run", "--config", str(configuration), "jobsworth-fix")
    code, output = pre_commit(repository, git_environment, *run, "--all-files")
    assert code == 1, output
    assert "- files were modified by this hook" in output
    assert "values: [7, 42]  # a bug of ours\n" in (repository / "mendable.yaml").read_text()
    assert "kind: Job\n" in (repository / "near.yaml").read_text()
    assert "apiVersion: batch/v1\n" in (repository / "old.yaml").read_text()
    unchanged = {**SOUND, "unreadable.yaml": UNSOUND["unreadable.yaml"]}
    for name, text in unchanged.items():
        assert (repository / name).read_text() == text


def test_the_hooks_say_what_pre_commit_needs() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["jobsworth-validate", "jobsworth-fix"]
    for hook in hooks:
        assert hook["language"] == "python"
        assert hook["types_or"] == ["yaml", "json"]
        assert hook["require_serial"] is True
        assert hook["entry"].startswith("jobsworth validate --mixed")
        assert "additional_dependencies" not in hook
