"""The baseline: known findings are not reported, new ones are, and resolved ones are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import INVALID, SHADOWED, SOUND

BASELINE = ["--baseline", "known.json"]
WRITE = [*BASELINE, "--write-baseline"]
FILES = {"jobs/a.yaml": SHADOWED, "jobs/b.yaml": INVALID, "jobs/c.yaml": SOUND}


def test_a_repository_is_adopted_step_by_step(validate: Validate) -> None:
    written = validate(*WRITE, "jobs", files=FILES)
    assert (written.code, written.out) == (0, "")
    assert written.err.splitlines()[-1] == (
        "known.json: 2 findings (2 added, 0 removed); 1 of them is an error of the API server"
    )

    quiet = validate(*BASELINE, "jobs")
    assert (quiet.code, quiet.out) == (0, "")
    assert quiet.err.splitlines() == [
        "3 objects in 3 files; 2 valid, 0 invalid, 1 with errors of the baseline only",
        "no new findings; 2 known findings in known.json not reported; 1 of them is an error of the API "
        "server",
    ]

    new = {"jobs/c.yaml": SHADOWED.replace("name: shadowed", "name: other")}
    found = validate(*BASELINE, "-o", "concise", "--info", "jobs", files=new)
    assert found.out.startswith("jobs/c.yaml:15:9: warning JW101 ")
    assert len(found.out.splitlines()) == 1


def test_the_file_is_readable_for_users_too(validate: Validate, tmp_path: Path) -> None:
    validate(*WRITE, "jobs", files=FILES)
    assert json.loads((tmp_path / "known.json").read_text()) == {
        "version": 1,
        "findings": [
            {
                "file": "jobs/a.yaml",
                "code": "JW101",
                "kind": "Job",
                "namespace": "",
                "name": "shadowed",
                "field": "spec.podFailurePolicy.rules[2]",
            },
            {
                "file": "jobs/b.yaml",
                "code": "JW004",
                "kind": "Job",
                "namespace": "",
                "name": "invalid",
                "field": "spec.backoffLimitPerIndex",
                "message": "Invalid value: 1: requires indexed completion mode",
            },
        ],
    }


@pytest.mark.parametrize(
    "change",
    [
        {"jobs/a.yaml": f"# more lines\n\n{SHADOWED}"},
        {"jobs/a.yaml": SOUND.replace("name: sound", "name: x") + "---\n" + SHADOWED},
        {"jobs/moved/elsewhere.yaml": SHADOWED, "jobs/a.yaml": SOUND},
    ],
)
def test_an_entry_holds_when_the_object_moves(change: dict[str, str], validate: Validate) -> None:
    validate(*WRITE, "jobs", files=FILES)
    assert validate(*BASELINE, "-o", "concise", "--info", "jobs", files=change).out == ""


def test_another_field_code_or_object_is_new(validate: Validate) -> None:
    validate(*WRITE, "jobs", files=FILES)
    shadowed_again = SHADOWED.replace("  template:", "      - action: FailJob\n"
        "        onExitCodes: {operator: In, values: [41]}\n  template:")  # fmt: skip
    done = validate(
        *BASELINE, "-o", "concise", "--info", "jobs", files={"jobs/a.yaml": shadowed_again}
    )
    assert "rules[3]" in done.out
    assert "rules[2]: this rule never decides" not in done.out
    in_a_namespace = SHADOWED.replace("name: shadowed", "name: shadowed\n  namespace: other")
    done = validate(
        *BASELINE, "-o", "concise", "--info", "jobs", files={"jobs/a.yaml": in_a_namespace}
    )
    assert "JW101" in done.out


def test_another_value_is_another_error_of_the_api_server(validate: Validate) -> None:
    negative = SOUND.replace("spec:\n", "spec:\n  parallelism: -1\n", 1)
    validate(*WRITE, "a.yaml", files={"a.yaml": negative})
    assert validate(*BASELINE, "a.yaml").code == 0
    worse = {"a.yaml": negative.replace("-1", "-3")}
    done = validate(*BASELINE, "-o", "concise", "a.yaml", files=worse)
    assert (done.code, done.found) == (1, [(6, "JW004")])


def test_the_summary_names_objects_with_jobs_that_are_not_validated_also_if_that_is_known(
    validate: Validate,
) -> None:
    text = "".join(f"    {line}\n" for line in SOUND.splitlines())
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  job.yaml: |\n{text}"
    validate(*WRITE, ".", files={"a.yaml": text, "b.yaml": SOUND})
    assert validate(*BASELINE, ".").err.splitlines()[0] == (
        "1 object in 2 files; 1 valid, 0 invalid; 1 other object skipped (with Jobs or Pods that are not "
        "validated: 1 ConfigMap)"
    )


def test_the_baseline_itself_is_not_an_object_that_is_skipped(validate: Validate) -> None:
    validate(*WRITE, ".", files=FILES)
    assert "skipped" not in validate(*BASELINE, ".").err
    assert "skipped" not in validate(*WRITE, ".").err


def test_the_report_names_known_errors(validate: Validate) -> None:
    validate(*WRITE, "jobs", files=FILES)
    report = validate(*BASELINE, "-o", "json", "jobs").loaded
    assert [each.get("known_errors") for each in report["results"]] == [None, 1, None]
    assert report["summary"]["known_invalid"] == 1


def test_a_known_error_that_hides_others_has_no_note_of_its_own(validate: Validate) -> None:
    files = {"a.yaml": SOUND.replace("spec:\n", "spec:\n  suspend: maybe\n", 1)}
    note = "errors that depend on spec.suspend"
    assert note in validate("a.yaml", files=files).out
    assert validate(*WRITE, "a.yaml").out == ""
    assert validate(*BASELINE, "a.yaml").out == ""


def test_findings_are_counted_as_entries_of_the_file(validate: Validate) -> None:
    files = {"a.yaml": SHADOWED, "b.yaml": SHADOWED}
    assert "known.json: 1 finding (1 added, 0 removed)" in validate(*WRITE, ".", files=files).err
    assert "1 known finding in known.json not reported" in validate(*BASELINE, ".").err


def test_two_errors_about_one_value_are_counted_as_one_finding(validate: Validate) -> None:
    files = {"a.yaml": SOUND.replace("restartPolicy: Never", "restartPolicy: never")}
    assert "1 error" in validate("a.yaml", files=files).err
    one = "1 of them is an error of the API server"
    assert f"1 finding (1 added, 0 removed); {one}" in validate(*WRITE, "a.yaml").err
    assert f"1 known finding in known.json not reported; {one}" in validate(*BASELINE, ".").err


def test_entries_that_are_gone_are_named_and_removed(validate: Validate, tmp_path: Path) -> None:
    validate(*WRITE, "jobs", files=FILES)
    fixed = {"jobs/a.yaml": SOUND.replace("name: sound", "name: shadowed")}
    reported = validate(*BASELINE, "jobs", files=fixed)
    assert reported.code == 0
    assert reported.err.splitlines()[-2:] == [
        "known.json: entries no longer found (remove them with --write-baseline):",
        "  JW101 Job shadowed spec.podFailurePolicy.rules[2] in jobs/a.yaml",
    ]
    (tmp_path / "jobs/b.yaml").unlink()
    assert "JW004 Job invalid" in validate(*BASELINE, "jobs").err
    assert "0 findings (0 added, 2 removed)" in validate(*WRITE, "jobs").err


def test_findings_in_files_that_were_not_validated_are_kept(validate: Validate) -> None:
    validate(*WRITE, "jobs", files=FILES)
    assert "no longer found" not in validate(*BASELINE, "jobs/c.yaml").err
    assert "2 findings (0 added, 0 removed)" in validate(*WRITE, "jobs/c.yaml").err


def test_findings_are_kept_if_another_file_with_the_object_was_validated(
    validate: Validate,
) -> None:
    validate(*WRITE, "jobs", files=FILES)
    patch = SOUND.replace("name: sound", "name: shadowed")
    assert "no longer found" not in validate(*BASELINE, "p.yaml", files={"p.yaml": patch}).err
    assert "2 findings (0 added, 0 removed)" in validate(*WRITE, "p.yaml").err


def test_findings_are_kept_while_their_file_cannot_be_read(validate: Validate) -> None:
    validate(*WRITE, "jobs", files=FILES)
    done = validate(*WRITE, "jobs", files={"jobs/a.yaml": SHADOWED + "status: {"})
    assert "2 findings (0 added, 0 removed)" in done.err


def test_objects_without_a_name_are_known_by_their_file(validate: Validate) -> None:
    unnamed = SHADOWED.replace("name: shadowed", "generateName: shadowed-")
    validate(*WRITE, "jobs", files={"jobs/a.yaml": unnamed})
    done = validate(*BASELINE, "-o", "concise", "--info", "jobs", files={"jobs/b.yaml": unnamed})
    assert [line.split(":")[0] for line in done.out.splitlines()] == ["jobs/b.yaml"]


def test_files_are_named_from_the_baselines_folder(validate: Validate) -> None:
    validate("--baseline", "jobs/known.json", "--write-baseline", "jobs", files=FILES)
    done = validate("--baseline", "jobs/known.json", "jobs")
    assert (done.code, done.out) == (0, "")


def test_unreadable_files_are_never_in_the_baseline(validate: Validate, tmp_path: Path) -> None:
    done = validate(*WRITE, "jobs", files={"jobs/a.yaml": "apiVersion: batch/v1\na: b: c\n"})
    assert done.code == 2
    assert "JW090" in done.out
    assert json.loads((tmp_path / "known.json").read_text())["findings"] == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "file known.json does not exist; create it with --write-baseline"),
        ("{", "known.json is not JSON: "),
        ("[]", "known.json is not a baseline; create one with --write-baseline"),
        ('{"version": 1, "findings": [{"code": 1}]}', "known.json is not a baseline"),
        ('{"version": 2, "findings": []}', "known.json has version 2; supported is 1"),
    ],
)
def test_a_bad_baseline_is_an_error(text: str | None, complaint: str, validate: Validate) -> None:
    files = {**FILES, **({} if text is None else {"known.json": text})}
    done = validate(*BASELINE, "jobs", files=files)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: --baseline: ")
    assert complaint in done.err


def test_writing_needs_a_file(validate: Validate) -> None:
    done = validate("--write-baseline", "jobs", files=FILES)
    assert done.code == 2
    assert "--write-baseline requires --baseline FILE" in done.err


def test_a_baseline_that_cannot_be_written_is_an_error(validate: Validate) -> None:
    done = validate("--baseline", "no/folder.json", "--write-baseline", "jobs", files=FILES)
    assert done.code == 2
    assert "--baseline: cannot write no/folder.json: " in done.err
