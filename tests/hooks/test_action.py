"""The GitHub Action: what its steps run, run here as a runner would."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jobsworth.files.validation_run import FILES_FOR_ONE_PROCESS
from support.artifacts.action_steps import (
    ACTION,
    COMMENT,
    EXPLAIN,
    GOOD,
    INSTALL,
    ROOT,
    STEPS,
    VALIDATE,
    explained,
    run,
)

BAD = GOOD.replace("spec:\n", "spec:\n  backoffLimitPerIndex: 1\n", 1)
NEW = GOOD.replace("spec:\n", "spec:\n  managedBy: example.com/x\n", 1)

if shutil.which("bash") is None:
    pytest.skip("there is no bash here, in which the action's steps run", allow_module_level=True)


POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata:
  name: {name}
spec:
  {demand}
"""
NAMES = POLICY.format(
    name="names",
    demand="expressions: [{expression: \"object.metadata.name.startsWith('ours-')\", message: no prefix}]",
)
LIMITS = POLICY.format(name="limits", demand="limits: {backoffLimit: {maximum: 3}}")

MODULES = (
    # of jobsworth and what it imports, of the installation, of Python's start and of its processes
    "jobsworth/__init__.py", "jobsworth/__main__.py", "yaml.py", "click.py", "ruamel/__init__.py",
    "pip.py", "venv.py", "ensurepip.py", "hatchling.py", "packaging.py", "backend.py",
    "sitecustomize.py", "usercustomize.py", "runpy.py", "json.py",
    "multiprocessing.py", "pickle.py", "socket.py", "selectors.py",
)  # fmt: skip


@pytest.fixture
def executed(tmp_path: Path, folder: Path) -> Path:
    """The file in which the Python modules of a hostile checkout note that they were executed."""
    executed = tmp_path / "executed"
    for module in MODULES:
        path = folder / module
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f"open({str(executed)!r}, 'a').write({module!r} + '\\n')\nraise SystemExit(0)\n"
        )
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    (folder / "setup.cfg").write_text("[install]\nprefix = here\n")
    (folder / "constraints.txt").write_text("click<8.2\n")
    return executed


def test_it_is_a_composite_action_without_required_inputs() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert set(ACTION["inputs"]) == {
        "paths", "kubernetes-version", "policy", "fail-on", "args", "explain-changes-since",
        "comment-token",
    }  # fmt: skip
    assert all(not facts.get("required") for facts in ACTION["inputs"].values())
    assert {"name", "description", "branding"} <= ACTION.keys()


def test_no_input_is_pasted_into_a_script() -> None:
    for step in (INSTALL, VALIDATE, EXPLAIN, COMMENT):
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
    passed = {value for step in (VALIDATE, EXPLAIN, COMMENT) for value in step["env"].values()}
    assert passed >= {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}


def test_a_bad_job_fails_the_step_and_is_annotated(folder: Path, temp: Path) -> None:
    (folder / "job.yaml").write_text(BAD)
    done = run(VALIDATE, folder, temp)
    assert done.returncode == 1, done.stderr
    assert "::error file=job.yaml,line=6" in done.stdout.replace("./", "")


def test_by_default_the_whole_checkout_is_validated_and_templates_are_no_failure(
    folder: Path, temp: Path
) -> None:
    (folder / "some jobs/job.yaml").write_text(GOOD)
    (folder / "template.yaml").write_text("{{ if .Values.job }}\n" + BAD + "{{ end }}\n")
    done = run(VALIDATE, folder, temp)
    assert done.returncode == 0, done.stdout + done.stderr


def test_paths_are_lines_and_may_have_spaces(folder: Path, temp: Path) -> None:
    (folder / "some jobs/job.yaml").write_text(BAD)
    (folder / "other.yaml").write_text(BAD)
    (folder / "third.yaml").write_text(BAD)
    done = run(VALIDATE, folder, temp, paths="some jobs\nother.yaml\n")
    assert done.returncode == 1
    assert "some jobs/job.yaml" in done.stdout
    assert "other.yaml" in done.stdout
    assert "third.yaml" not in done.stdout


@pytest.mark.slow
def test_a_path_is_never_an_option(folder: Path, temp: Path) -> None:
    (folder / "job.yaml").write_text(BAD)
    for path in ("--exclude=*.yaml", "--output-file=report.yaml"):
        (folder / path).write_text(GOOD)
        for paths in (f"job.yaml\n{path}", f"{path}\njob.yaml"):
            done = run(VALIDATE, folder, temp, paths=paths, args="--fail-on error")
            assert done.returncode == 1, done.stdout + done.stderr
            assert "::error file=job.yaml,line=6" in done.stdout
    assert not (folder / "report.yaml").exists()


def test_a_path_that_no_longer_exists_is_no_option_either(folder: Path, temp: Path) -> None:
    (folder / "job.yaml").write_text(BAD)
    done = run(VALIDATE, folder, temp, paths="job.yaml\n--exclude=*.yaml")
    assert done.returncode == 2
    assert "::error file=--exclude=*.yaml" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git command here")
def test_changed_behavior_is_added_to_the_summary(committed: Path, temp: Path) -> None:
    limited = GOOD.replace("spec:\n", "spec:\n  backoffLimit: 0\n", 1)
    (committed / "job.yaml").write_text(limited)
    (committed / "bad.yaml").write_text(BAD)
    done, summary = explained(committed, temp, "HEAD")
    assert done.returncode == 0, done.stderr
    assert summary.startswith("### Job train (job.yaml:1)")
    assert "the Job fails (BackoffLimitExceeded)" in summary


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git command here")
def test_a_path_is_no_option_of_the_explanation(committed: Path, temp: Path) -> None:
    limited = GOOD.replace("spec:\n", "spec:\n  backoffLimit: 0\n", 1)
    (committed / "job.yaml").write_text(limited)
    (committed / "--output=json").write_text("x: 1\n")
    done, summary = explained(committed, temp, "HEAD", paths="job.yaml\n--output=json")
    assert done.returncode == 0, done.stderr
    assert summary.startswith("### Job train (job.yaml:1)")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git command here")
def test_a_ref_that_was_not_fetched_fails_the_step(committed: Path, temp: Path) -> None:
    done, summary = explained(committed, temp, "origin/main")
    assert (done.returncode, summary) == (2, "")
    assert 'no commit "origin/main"; fetch it first' in done.stderr


@pytest.mark.slow
def test_the_release_and_more_arguments_are_handed_on(folder: Path, temp: Path) -> None:
    (folder / "job.yaml").write_text(NEW)
    assert run(VALIDATE, folder, temp, kubernetes_version="1.36").returncode == 0
    assert run(VALIDATE, folder, temp, kubernetes_version="1.29").returncode == 1
    done = run(
        VALIDATE,
        folder,
        temp,
        kubernetes_version="1.31",
        args="--feature-gates\n  JobManagedBy=true -o json=report.json",
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "report.json").read_text().startswith("{")


def test_input_values_are_never_executed(folder: Path, temp: Path) -> None:
    done = run(
        VALIDATE, folder, temp, paths="$(touch here)", args="`touch there` ; touch everywhere"
    )
    assert done.returncode == 2
    assert list(folder.iterdir()) == [folder / "some jobs"]


@pytest.mark.slow
def test_policies_are_lines_and_may_have_spaces(folder: Path, temp: Path) -> None:
    (folder / "job.yaml").write_text(GOOD.replace("spec:\n", "spec:\n  backoffLimit: 9\n", 1))
    (folder / "our policies").mkdir()
    (folder / "our policies/limits.yaml").write_text(LIMITS)
    (folder / "names.yaml").write_text(NAMES)
    assert run(VALIDATE, folder, temp, paths="job.yaml").returncode == 0
    done = run(VALIDATE, folder, temp, paths="job.yaml", policy="our policies\nnames.yaml\n")
    assert done.returncode == 1, done.stderr
    assert "(policy limits)" in done.stdout
    assert "(policy names)" in done.stdout


@pytest.mark.slow
def test_warnings_fail_the_step_on_request(folder: Path, temp: Path) -> None:
    (folder / "job.yaml").write_text(f"{GOOD}  parallelism: 0\n")
    assert run(VALIDATE, folder, temp, paths="job.yaml").returncode == 0
    assert run(VALIDATE, folder, temp, paths="job.yaml", fail_on="warning").returncode == 1


def test_the_modules_of_the_hostile_checkout_would_be_executed(
    folder: Path, executed: Path
) -> None:
    """Without isolation they are: so that what follows proves something."""
    subprocess.run([sys.executable, "-m", "jobsworth"], cwd=folder, check=False)
    assert "jobsworth/__init__.py" in executed.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("workflow", [{}, {"PYTHONPATH": "."}], ids=["plain", "with-a-path"])
def test_validation_executes_nothing_of_the_checkout(
    folder: Path, temp: Path, executed: Path, workflow: dict[str, str]
) -> None:
    (folder / "job.yaml").write_text(BAD)
    done = run(VALIDATE, folder, temp, environment=workflow)
    assert not executed.exists(), executed.read_text()
    assert done.returncode == 1, done.stderr
    assert "::error" in done.stdout


@pytest.mark.slow
def test_nor_do_the_processes_of_which_it_takes_several(
    folder: Path, temp: Path, executed: Path
) -> None:
    for number in range(FILES_FOR_ONE_PROCESS + 1):
        (folder / f"{number}.yaml").write_text(BAD)
    done = run(VALIDATE, folder, temp, args="--jobs 2")
    assert not executed.exists(), executed.read_text()
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("backoffLimitPerIndex") > FILES_FOR_ONE_PROCESS


def test_it_installs_for_the_python_that_the_pins_were_made_with() -> None:
    (setup,) = (step for step in STEPS if step.get("uses", "").startswith("actions/setup-python@"))
    base = re.search(r"^FROM \S+/python:(3\.\d+)\.", (ROOT / "Containerfile").read_text(), re.M)
    assert base is not None
    assert setup["with"]["python-version"] == base[1]


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.usefixtures("package_index")
def test_installing_executes_nothing_of_the_checkout_and_the_installed_command_validates(
    folder: Path, tmp_path: Path, project: Path, executed: Path
) -> None:
    """In a job whose environment variables point Python and pip to the checkout."""
    temp = tmp_path / "temp"
    temp.mkdir()
    workflow = {
        "PYTHONPATH": f"{folder}",
        "PYTHONSTARTUP": f"{folder}/runpy.py",
        "PIP_CONSTRAINT": f"{folder}/constraints.txt",
        "PIP_REQUIREMENT": "constraints.txt",
    }
    installed = run(INSTALL, folder, temp, action=project, environment=workflow)
    assert not executed.exists(), executed.read_text()
    assert installed.returncode == 0, installed.stderr

    (folder / "job.yaml").write_text(BAD)
    done = run(VALIDATE, folder, temp, environment=workflow)
    assert not executed.exists(), executed.read_text()
    assert done.returncode == 1, done.stderr
    assert "::error" in done.stdout

    (folder / "job.yaml").write_text(GOOD)
    (folder / "names.yaml").write_text(NAMES)
    done = run(VALIDATE, folder, temp, environment=workflow, policy="names.yaml", paths="job.yaml")
    assert not executed.exists(), executed.read_text()
    assert done.returncode == 1, done.stderr
    assert "(policy names)" in done.stdout

    text = (ROOT / "action-requirements.txt").read_text()
    pins = re.findall(r"^[\w.-]+==\S+", text, re.MULTILINE)
    frozen = subprocess.run(
        [temp / "jobsworth/bin/python", "-I", "-m", "pip", "freeze", "--all", "--exclude", "jobsworth"],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    kept = [line for line in frozen if not line.startswith(("pip==", "setuptools=="))]
    assert set(map(normalized, kept)) <= set(map(normalized, pins))


def normalized(pin: str) -> str:
    name, _, version = pin.lower().partition("==")
    return f"{re.sub('[-_.]+', '-', name)}=={version}"
