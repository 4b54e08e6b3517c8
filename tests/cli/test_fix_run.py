"""``jobsworth validate --fix`` and ``--diff``, as a user runs them."""

from __future__ import annotations

import io
import os
import stat
import sys
from pathlib import Path

import pytest

from jobsworth.cli.fix_run import diff_lines
from support.cli.command_runs import Validate
from support.lint.applied_fixes import job_text

BEFORE = job_text("backoff_limit: 3  # thrice\nmade_up: 1", pod="restartPolicy: never")
AFTER = BEFORE.replace("backoff_limit", "backoffLimit").replace("never", "Never")
GOOD = job_text("backoffLimit: 3")
ALWAYS = job_text(pod="restartPolicy: Always")

ONLY_API = ("--select", "JW0")


def test_safe_fixes_are_applied_and_the_rest_is_reported(
    validate: Validate, tmp_path: Path
) -> None:
    done = validate("--fix", "-o", "concise", *ONLY_API, "job.yaml", files={"job.yaml": BEFORE})
    assert (tmp_path / "job.yaml").read_text() == AFTER
    assert done.code == 1
    assert done.out.splitlines() == [
        'job.yaml:8:3: error JW001 spec.made_up: unknown field "spec.made_up"'
    ]
    assert done.err == (
        "fixed: job.yaml:7: JW001: Rename it to backoffLimit (spec.backoff_limit)\n"
        "fixed: job.yaml:11: JW005: Set restartPolicy: Never (spec.template.spec.restartPolicy)\n"
        "1 object in 1 file; 0 valid, 1 invalid; 1 error\n"
        "2 fixed\n"
    )


def test_an_error_hidden_behind_another_is_fixed_too(validate: Validate, tmp_path: Path) -> None:
    text = BEFORE.replace("  made_up: 1\n", "")
    done = validate("--fix", *ONLY_API, "job.yaml", files={"job.yaml": text})
    assert (done.code, done.out) == (0, "")
    fixed = AFTER.replace("  made_up: 1\n", "")
    assert (tmp_path / "job.yaml").read_text() == fixed
    assert done.err.splitlines() == [
        "fixed: job.yaml:7: JW001: Rename it to backoffLimit (spec.backoff_limit)",
        "fixed: job.yaml:10: JW005: Set restartPolicy: Never (spec.template.spec.restartPolicy)",
        "1 object in 1 file; 1 valid, 0 invalid",
        "2 fixed",
    ]


RESTARTED = job_text(
    "completionMode: Indexed\ncompletions: 3\nbackoffLimitPerIndex: 1", pod="restartPolicy: Always"
)
"""JW220 is reported only for OnFailure, which the fix of this error sets."""

UNSAFE_FIXES = [
    "JW003: Set restartPolicy: OnFailure (the alternative is Never) (spec.template.spec.restartPolicy)",
    "JW220 index-limit-with-on-failure: Set restartPolicy: Never (spec.template.spec.restartPolicy)",
]


@pytest.mark.parametrize(
    ("options", "fixes", "policy"),
    [
        ([], UNSAFE_FIXES, "Never"),
        (["--ignore", "JW220"], UNSAFE_FIXES[:1], "OnFailure"),
        (["--select", "JW0"], UNSAFE_FIXES[:1], "OnFailure"),
    ],
)
def test_a_finding_that_a_fix_reveals_is_fixed_under_the_same_conditions_and_named(
    validate: Validate, tmp_path: Path, options: list[str], fixes: list[str], policy: str
) -> None:
    files = {"job.yaml": RESTARTED}
    shown = validate("-o", "concise", *options, "job.yaml", files=files)
    assert "JW220" not in shown.out
    diff = validate("--diff", "--unsafe", *options, "job.yaml")
    assert f"+      restartPolicy: {policy}\n" in diff.out
    assert [line for line in diff.err.splitlines() if "JW" in line] == [
        f"would be fixed: job.yaml:12: {fix}" for fix in fixes
    ]
    done = validate("--fix", "--unsafe", *options, "job.yaml")
    assert (tmp_path / "job.yaml").read_text() == RESTARTED.replace("Always", policy)
    assert [line for line in done.err.splitlines() if "JW" in line] == [
        f"fixed: job.yaml:12: {fix}" for fix in fixes
    ]


def test_a_second_run_finds_nothing_to_fix(validate: Validate, tmp_path: Path) -> None:
    validate("--fix", "--unsafe", "job.yaml", files={"job.yaml": BEFORE})
    first = (tmp_path / "job.yaml").read_text()
    done = validate("--fix", "--unsafe", "job.yaml")
    assert (tmp_path / "job.yaml").read_text() == first
    assert "\nfixed: " not in f"\n{done.err}"


def test_a_fix_that_changes_behavior_needs_unsafe_fixes(validate: Validate, tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    assert validate("--fix", *ONLY_API, "job.yaml", files={"job.yaml": ALWAYS}).code == 1
    assert path.read_text() == ALWAYS
    assert validate("--fix", "--unsafe", *ONLY_API, "job.yaml").code == 0
    assert path.read_text() == ALWAYS.replace("Always", "OnFailure")


def test_a_file_that_needs_no_change_is_not_written(validate: Validate, tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(GOOD)
    os.utime(tmp_path / "job.yaml", (1, 1))
    os.chmod(tmp_path / "job.yaml", 0o444)
    validate("--fix", ".")
    assert (tmp_path / "job.yaml").stat().st_mtime == 1


def test_a_file_keeps_its_mode_and_a_link_stays_one(validate: Validate, tmp_path: Path) -> None:
    (tmp_path / "real.yml").write_text(BEFORE)
    os.chmod(tmp_path / "real.yml", 0o640)
    (tmp_path / "link.yaml").symlink_to("real.yml")
    validate("--fix", "link.yaml")
    assert (tmp_path / "link.yaml").is_symlink()
    assert (tmp_path / "real.yml").read_text() == AFTER
    assert stat.S_IMODE((tmp_path / "real.yml").stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.yaml", "real.yml"]


def test_a_read_only_file_is_reported(
    validate: Validate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # an administrator may write everything
    done = validate("--fix", "-o", "concise", *ONLY_API, "job.yaml", files={"job.yaml": BEFORE})
    assert done.code == 2
    assert "cannot write the fixes: the file is read-only" in done.out
    assert "unknown field" in done.out
    assert "fixed:" not in done.err
    assert (tmp_path / "job.yaml").read_text() == BEFORE


def test_a_write_that_fails_leaves_the_file_and_nothing_beside_it(
    validate: Validate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    done = validate("--fix", *ONLY_API, "job.yaml", files={"job.yaml": BEFORE})
    assert done.code == 2
    assert "No space left on device" in done.out
    assert (tmp_path / "job.yaml").read_text() == BEFORE
    assert os.listdir(tmp_path) == ["job.yaml"]


def give(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_standard_input_goes_fixed_to_standard_output(
    validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, BEFORE)
    done = validate("--fix", "-o", "concise", *ONLY_API, "-")
    assert done.out == AFTER
    assert done.code == 1
    assert done.err.splitlines() == [
        '<stdin>:8:3: error JW001 spec.made_up: unknown field "spec.made_up"',
        "fixed: <stdin>:7: JW001: Rename it to backoffLimit (spec.backoff_limit)",
        "fixed: <stdin>:11: JW005: Set restartPolicy: Never (spec.template.spec.restartPolicy)",
        "1 object in 1 file; 0 valid, 1 invalid; 1 error",
        "2 fixed",
    ]


@pytest.mark.parametrize("text", [GOOD, "kind: Other\n", "a: [\n", ""])
def test_standard_input_that_needs_no_change_goes_to_standard_output_as_it_is(
    validate: Validate, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    give(monkeypatch, text)
    assert validate("--fix", *ONLY_API, "-").out == text


DIFF = """\
--- job.yaml
+++ job.yaml
@@ -4,11 +4,11 @@
 metadata:
   name: train  # at night
 spec:
-  backoff_limit: 3  # thrice
+  backoffLimit: 3  # thrice
   made_up: 1
   template:
     spec:
-      restartPolicy: never
+      restartPolicy: Never
       containers:
         - name: main
           image: "busybox:1.36"
"""


@pytest.mark.parametrize("options", [["--diff"], ["--fix", "--diff"]])
def test_a_diff_changes_nothing(validate: Validate, tmp_path: Path, options: list[str]) -> None:
    done = validate(*options, *ONLY_API, "job.yaml", files={"job.yaml": BEFORE})
    assert done.out == DIFF
    assert done.code == 1
    assert done.err.startswith(
        "would be fixed: job.yaml:7: JW001: Rename it to backoffLimit (spec.backoff_limit)\n"
    )
    assert (tmp_path / "job.yaml").read_text() == BEFORE


def test_a_diff_of_standard_input(validate: Validate, monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, BEFORE)
    assert validate("--diff", *ONLY_API, "-").out == DIFF.replace("job.yaml", "<stdin>")


def test_the_exit_code_of_a_diff_shows_whether_there_is_one(validate: Validate) -> None:
    mendable = BEFORE.replace("  made_up: 1\n", "")
    assert validate("--diff", *ONLY_API, "good.yaml", files={"good.yaml": GOOD}).code == 0
    assert validate("--diff", *ONLY_API, "bad.yaml", files={"bad.yaml": mendable}).code == 1
    assert validate("--diff", *ONLY_API, "missing.yaml").code == 2


def test_a_diff_is_in_color_on_a_terminal() -> None:
    lines = b"".join(diff_lines("a", b"a: 1\nb: 2\n", b"a: 1\nb: 3\n", color=True))
    assert lines == (
        b"\x1b[1m--- a\x1b[0m\n\x1b[1m+++ a\x1b[0m\n\x1b[36m@@ -1,2 +1,2 @@\x1b[0m\n a: 1\n"
        b"\x1b[31m-b: 2\x1b[0m\n\x1b[32m+b: 3\x1b[0m\n"
    )


def test_a_diff_keeps_line_ends_and_bytes_that_are_no_text() -> None:
    lines = list(diff_lines("a", b"a: \xff\r\nb: \x0c2", b"a: \xff\r\nb: 3", color=False))
    assert lines[3:] == [
        b" a: \xff\r\n",
        b"-b: \x0c2\n\\ No newline at end of file\n",
        b"+b: 3\n\\ No newline at end of file\n",
    ]


def test_the_json_report_lists_fixed_and_remaining_findings(validate: Validate) -> None:
    brings = job_text("completions: 3\nbackoffLimitPerIndex: 1").replace("train ", "train.1 ")
    done = validate(
        "--fix",
        "-o",
        "json",
        *ONLY_API,
        "a.yaml",
        "b.yaml",
        files={"a.yaml": BEFORE, "b.yaml": brings},
    )
    one, other = done.loaded["results"]
    assert one["fixed"] == [
        {
            "code": "JW001",
            "field": "spec.backoff_limit",
            "title": "Rename it to backoffLimit",
            "line": 7,
        },
        {
            "code": "JW005",
            "field": "spec.template.spec.restartPolicy",
            "title": "Set restartPolicy: Never",
            "line": 11,
        },
    ]
    assert "not_fixed" not in one
    assert "fixed" not in other
    (rejected,) = other["not_fixed"]
    assert rejected["refused"].startswith("it would cause JW004 metadata.name: ")


def test_quiet_says_nothing_of_what_was_fixed(validate: Validate) -> None:
    done = validate("--fix", "-q", *ONLY_API, "job.yaml", files={"job.yaml": BEFORE})
    assert done.err == ""


def test_unsafe_alone_is_a_mistake(validate: Validate) -> None:
    done = validate("--unsafe", "job.yaml", files={"job.yaml": GOOD})
    assert done.code == 2
    assert "--unsafe requires --fix or --diff" in done.err


def test_an_ignored_finding_is_not_fixed(validate: Validate, tmp_path: Path) -> None:
    text = job_text(
        "podFailurePolicy:\n  rules:\n    - action: Ignore\n      onPodConditions: [{type: DisruptionTarget}]"
    )
    ignored = text.replace("spec:", "spec: # jobsworth: ignore[JW123] the default will do", 1)
    validate("--fix", "--info", "a.yaml", "b.yaml", files={"a.yaml": text, "b.yaml": ignored})
    assert "podReplacementPolicy: Failed" in (tmp_path / "a.yaml").read_text()
    assert (tmp_path / "b.yaml").read_text() == ignored


def test_templates_and_other_files_are_left_alone(validate: Validate, tmp_path: Path) -> None:
    files = {
        "chart.yaml": "{{- if .x }}\nkind: Job\nspec:\n  backoff_limit: 3\n{{- end }}\n",
        "other.yaml": "a:   1\n",
    }
    validate("--mixed", "--fix", "--unsafe", ".", files=files)
    assert {name: (tmp_path / name).read_text() for name in files} == files


@pytest.mark.slow
def test_many_files_are_fixed_by_several_processes(validate: Validate, tmp_path: Path) -> None:
    files = {f"{number:03}.yaml": BEFORE for number in range(80)}
    done = validate("--fix", "-j", "2", *ONLY_API, ".", files=files)
    assert done.err.count("\nfixed: ") == 2 * 80 - 1
    assert {(tmp_path / name).read_text() for name in files} == {AFTER}


ASSERTION = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: check-metrics
status:
  succeeded: 1
"""
EXPORTED = GOOD.replace("  name:", "  uid: 0b3c2f5e\n  name:", 1) + "status:\n  succeeded: 1\n"
LEFT_ALONE = {
    "e2e/00-install.yaml": BEFORE,
    "e2e/chainsaw-test.yaml": "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\n",
    "kuttl/00-assert.yaml": f"{ASSERTION}---\n{ASSERTION}",
    "kuttl/01-errors.yaml": BEFORE,
    "patch.yaml": ASSERTION.replace("status:\n  succeeded: 1", "spec:\n  back_off_limit: 1"),
    "testdata/job.yaml": EXPORTED,
}


def test_files_that_are_not_applied_are_left_alone(validate: Validate, tmp_path: Path) -> None:
    files = {**LEFT_ALONE, "export.yaml": EXPORTED}
    done = validate("--fix", "--unsafe", "-o", "concise", "--select", "JW0,JW216", ".", files=files)
    assert {name: (tmp_path / name).read_text() for name in LEFT_ALONE} == LEFT_ALONE
    assert (tmp_path / "export.yaml").read_text() == GOOD
    assert done.err.splitlines()[:-2] == [
        "not fixed: e2e/00-install.yaml: it belongs to the Chainsaw test beside it",
        "fixed: export.yaml:5: JW216 exported-manifest: Remove the fields that the API server sets (metadata.uid)",
        "not fixed: kuttl/00-assert.yaml: its name marks it as an assertion of kuttl or Chainsaw",
        "not fixed: kuttl/01-errors.yaml: its name marks it as an assertion of kuttl or Chainsaw",
        "not fixed: patch.yaml: it is an incomplete manifest, without spec.template.spec.containers",
    ]


@pytest.mark.parametrize(
    ("output", "mark"), [("text", "fix: "), ("json", '"fix": '), ("sarif", '"fixes": ')]
)
def test_no_report_offers_a_fix_of_what_is_left_alone(
    validate: Validate, output: str, mark: str
) -> None:
    assert mark in validate("-o", output, "job.yaml", files={"job.yaml": BEFORE}).out
    done = validate("-o", output, *LEFT_ALONE, files=LEFT_ALONE)
    assert "JW001" in done.out
    assert mark not in done.out


def test_of_what_is_left_alone_there_is_no_difference(validate: Validate) -> None:
    done = validate("--diff", "--unsafe", ".", files=LEFT_ALONE)
    assert done.out == ""


def test_a_file_left_alone_is_reported_only_with_fix(
    validate: Validate,
) -> None:
    unsafe_only = {"patch.yaml": ASSERTION.replace("status:\n  succeeded: 1", "spec: {}")}
    assert "not fixed" not in validate("--fix", "patch.yaml", files=unsafe_only).err
    assert "not fixed" in validate("--fix", "--unsafe", "patch.yaml").err


@pytest.mark.slow
def test_without_a_fix_nothing_of_it_is_imported(validate: Validate) -> None:
    import subprocess

    code = (
        "import sys; from jobsworth.cli import run; run(['validate', '-q', sys.argv[1]]); "
        "print(*sorted(name for name in sys.modules if name.startswith(('ruamel', 'jobsworth.manifests.editing', "
        "'jobsworth.files.fixing', 'jobsworth.cli.fix_run'))))"
    )
    validate("good.yaml", files={"good.yaml": GOOD})
    done = subprocess.run(
        [sys.executable, "-c", code, "good.yaml"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "webhook")},
    )
    assert done.stdout.split() == []
