"""`jobsworth validate`, run as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from multiprocessing import get_all_start_methods
from pathlib import Path
from typing import Any

import pytest

from jobsworth.files.validation_run import FILES_FOR_ONE_PROCESS
from support.cli.command_processes import BAD, GOOD, OTHER, ROOT, run


def report(*arguments: str, stdin: str = "") -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(
        run("validate", "-o", "json", *arguments, stdin=stdin).stdout
    )
    return loaded


def test_a_valid_job_exits_with_0() -> None:
    done = run("validate", "-", stdin=GOOD)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "1 object in 1 file; 1 valid, 0 invalid\n"


def test_an_invalid_job_exits_with_1_and_shows_the_line(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(BAD)
    done = run("validate", "job.yaml", folder=tmp_path)
    assert done.returncode == 1
    assert done.stdout == (
        "job.yaml:6:25: error: Job train: spec.backoffLimitPerIndex [JW004]\n"
        "  Invalid value: 1: requires indexed completion mode\n"
        "  6 |   backoffLimitPerIndex: 1\n"
        "    |                         ^\n"
        "  fix: Set completionMode: Indexed (safe)\n"
        "\n"
    )


def test_a_missing_field_points_at_its_parent() -> None:
    stdin = GOOD.replace("      restartPolicy: Never\n", "")
    (result,) = report("-", stdin=stdin)["results"]
    (finding,) = result["findings"]
    assert finding["field"] == "spec.template.spec.restartPolicy"
    assert finding["message"] == 'Required value: valid values: "OnFailure", "Never"'
    assert (finding["line"], finding["column"]) == (7, 5)


def test_concise_output_is_one_line_a_finding() -> None:
    done = run("validate", "--output", "concise", "-", stdin=BAD)
    assert done.stdout == (
        "<stdin>:6:25: error JW004 spec.backoffLimitPerIndex: "
        "Invalid value: 1: requires indexed completion mode\n"
    )


def test_json_output_is_the_contract() -> None:
    good = GOOD.replace("name: train", "name: sound", 1)
    stdin = f"{BAD}---\n{OTHER}---\n{good}---\na: b: c\n"
    loaded = report("-", stdin=stdin)
    assert [
        (result["document"], result["kind"], result["name"], result["status"])
        for result in loaded["results"]
    ] == [
        (0, "Job", "train", "invalid"),
        (1, "ConfigMap", "settings", "skipped"),
        (2, "Job", "sound", "valid"),
        (3, None, None, "error"),
    ]
    (first,) = loaded["results"][0]["findings"]
    assert first.pop("fix")["safe"] is True
    assert [first] == [
        {
            "source": "api",
            "severity": "error",
            "code": "JW004",
            "field": "spec.backoffLimitPerIndex",
            "reason": "FieldValueInvalid",
            "message": "Invalid value: 1: requires indexed completion mode",
            "line": 6,
            "column": 25,
        }
    ]
    assert loaded["results"][3]["findings"][0]["line"] == len(stdin.splitlines())
    assert loaded["summary"] == {
        "files": 1,
        "valid": 1,
        "invalid": 1,
        "skipped": 1,
        "error": 1,
        "findings": {"error": 2, "warning": 0, "info": 0},
        "excluded_files": 0,
        "hidden_folders": 0,
        "exit_code": 2,
    }


def test_items_of_a_list_are_validated_singly() -> None:
    jobs = [json.loads(json.dumps({"apiVersion": "batch/v1", "kind": "Job"}))] * 2
    listed = {"apiVersion": "v1", "kind": "List", "items": [*jobs, {"kind": "Pod"}]}
    results = report("-", stdin=json.dumps(listed))["results"]
    assert [(result["item"], result["status"]) for result in results] == [
        (0, "invalid"),
        (1, "invalid"),
        (2, "skipped"),
    ]


def test_unreadable_input_exits_with_2_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"apiVersion: \xff\n")
    (tmp_path / "b.yaml").write_text("apiVersion:\n\t- b\n")
    (tmp_path / "c.yaml").write_text("{{ if .Values.job }}\nkind: Job\n{{ end }}\n")
    (tmp_path / "d.yaml").write_text(GOOD)
    done = run("validate", "-o", "concise", ".", "missing.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    lines = done.stdout.splitlines()
    assert [Path(line.split(":")[0]).name for line in lines] == [
        "a.yaml",
        "b.yaml",
        "missing.yaml",
        "c.yaml",
    ]
    assert "1 object" in done.stderr
    assert "3 unreadable" in done.stderr


def test_folders_are_searched_for_yaml_and_json(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for name in ("a.yaml", "deep/b.yml", "deep/er/c.json", "deep/notes.txt"):
        (tmp_path / name).write_text(GOOD if not name.endswith("json") else json.dumps({}))
    files = [Path(result["file"]).name for result in report(str(tmp_path))["results"]]
    assert files == ["a.yaml", "b.yml", "c.json"]


def test_quiet_says_only_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    done = run("validate", "--quiet", str(tmp_path))
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_an_old_release_does_not_know_a_new_field() -> None:
    stdin = GOOD.replace("spec:\n", "spec:\n  managedBy: example.com/x\n", 1)
    (result,) = report("--kubernetes-version", "1.29", "-", stdin=stdin)["results"]
    (finding,) = result["findings"]
    assert finding["message"] == 'unknown field "spec.managedBy"'
    assert finding["hint"] == "introduced in Kubernetes 1.30, after 1.29"


def test_a_field_whose_gate_is_off_is_a_warning() -> None:
    stdin = GOOD.replace("spec:\n", "spec:\n  managedBy: not a name\n", 1)
    (result,) = report("--kubernetes-version", "1.31", "-", stdin=stdin)["results"]
    assert result["status"] == "valid"
    (finding,) = result["findings"]
    assert finding["severity"] == "warning"
    assert finding["message"] == (
        "Kubernetes 1.31 ignores managedBy unless the feature gate JobManagedBy is on"
    )
    (result,) = report(
        "--kubernetes-version=1.31", "--feature-gates=JobManagedBy=true", "-", stdin=stdin
    )["results"]
    assert result["status"] == "invalid"


def test_against_validates_an_update(tmp_path: Path) -> None:
    (tmp_path / "deployed.yaml").write_text(GOOD)
    changed = GOOD.replace("busybox:1.36", "busybox:1.37")
    (result,) = report("--against", str(tmp_path), "-", stdin=changed)["results"]
    (finding,) = result["findings"]
    assert finding["field"] == "spec.template"
    assert finding["message"].endswith("field is immutable")
    same = report("--against", str(tmp_path), "-", stdin=GOOD)
    assert same["results"][0]["status"] == "valid"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--kubernetes-version", "1.9", "-"], "use 1.25 to 1.38"),
        (["--feature-gates", "JobManagedby=true", "-"], 'did you mean "JobManagedBy"?'),
        (["--feature-gates", "JobManagedBy", "-"], "Name=true or Name=false"),
        (["--output", "xml", "-"], 'unknown format "xml": use one of text, concise'),
        (["--jobs", "none", "-"], "--jobs"),
        (["--nonsense", "-"], "No such option"),
    ],
)
def test_a_wrong_command_line_exits_with_2_and_says_why(
    arguments: list[str], complaint: str
) -> None:
    done = run("validate", *arguments, stdin=GOOD)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_color_is_for_terminals_only(tmp_path: Path) -> None:
    assert "\x1b[" not in run("validate", "-", stdin=BAD).stdout


def test_many_files_on_many_processes_are_reported_in_order(tmp_path: Path) -> None:
    for number in range(150):
        (tmp_path / f"{number:03}.yaml").write_text(BAD if number % 3 else GOOD)
    loaded = report("--jobs", "2", str(tmp_path))
    assert [Path(result["file"]).stem for result in loaded["results"]] == [
        f"{number:03}" for number in range(150)
    ]
    assert loaded["summary"]["invalid"] == 100


@pytest.mark.parametrize("start_method", ["spawn", "forkserver", "fork"])
def test_its_processes_execute_no_module_of_the_current_folder(
    tmp_path: Path, start_method: str
) -> None:
    """Where the command does not fork, it may start `python -c`, which would import from there first."""
    if start_method not in get_all_start_methods():
        pytest.skip(f"{start_method} does not exist on this platform")
    folder = tmp_path / "checkout"
    folder.mkdir()
    for module in ("multiprocessing", "pickle", "runpy", "socket"):
        (folder / f"{module}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')\n")
    for number in range(FILES_FOR_ONE_PROCESS + 1):
        (folder / f"{number}.yaml").write_text(BAD)
    script = tmp_path / "jobsworth-script.py"
    script.write_text(
        "from jobsworth.cli import main, worker_processes\n"
        "if __name__ == '__main__':\n"
        f"    worker_processes.START_METHOD = {start_method!r}\n"
        "    main()\n"
    )
    done = subprocess.run(
        [sys.executable, str(script), "validate", "--jobs", "2", "."],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "webhook")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert not (tmp_path / "executed").exists()
    assert done.returncode == 1, done.stderr


def test_help_teaches_by_example() -> None:
    assert "helm template . | jobsworth validate -" in run("--help").stdout
    assert "--against deployed/" in run("validate", "--help").stdout


def test_the_version_is_printed() -> None:
    assert run("--version").stdout.startswith("jobsworth, version ")


def test_the_shell_is_taught_to_complete() -> None:
    done = run(_JOBSWORTH_COMPLETE="bash_source")
    assert "_jobsworth_completion" in done.stdout


@pytest.mark.parametrize(
    ("text", "loaded"),
    [(BAD, []), ("{apiVersion: apps/v1, kind: Deployment, spec: {template: {}}}", ["json"])],
    ids=["Job", "Deployment"],
)
def test_a_file_without_findings_of_policies_imports_nothing_heavy(
    text: str, loaded: list[str], tmp_path: Path
) -> None:
    (tmp_path / "job.yaml").write_text(text)
    program = (
        "import sys, jobsworth.cli\n"
        "jobsworth.cli.run(['validate', 'job.yaml'])\n"
        "heavy = {'jobsworth.policy', 'kube_cel.parser', 'cryptography', 'flask', 'jsonschema', 'kubernetes', 'ruamel'}\n"
        "heavy |= {'dataclasses', 'json', 'multiprocessing'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "webhook"), *sys.path[1:]]),
        },
    )
    assert done.stderr.splitlines()[-1] == str(loaded)
