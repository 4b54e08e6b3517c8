"""`jobsworth validate --mixed`: files of all sorts, of which some hold Jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.cli.command_processes import BAD, GOOD, OTHER, run
from support.cli.command_runs import Validate

TEMPLATE, NO_MANIFEST, UNREADABLE, NEAR_MISS = "JW091", "JW092", "JW090", "JW320"


def validated(
    validate: Validate, text: str | bytes, name: str = "it.yaml"
) -> tuple[int, list[tuple[str, list[str]]]]:
    """The exit code, and of each result its status and the codes found."""
    data = text if isinstance(text, bytes) else text.encode()
    Path(name).write_bytes(data)
    done = validate("--mixed", "-o", "json", name)
    report: dict[str, Any] = done.loaded
    found = [
        (
            result["status"],
            [
                finding["code"]
                for finding in result["findings"]
                if finding["code"] < "JW1" or finding["code"] == NEAR_MISS
            ],
        )
        for result in report["results"]
    ]
    return done.code, found


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "{{- if .Values.enabled }}\n" + GOOD + "{{- end }}\n",
        GOOD.replace("train", "{{ .Release.Name }}", 1),
        GOOD.replace("main\n", "main\n          {{- with .Values.resources }}\n          resources: {}\n          {{- end }}\n"),
        GOOD.replace("  template:", '  {{ include "deadline" . }}\n  template:'),
        GOOD.replace("busybox:1.36", "[{{ .Values.image }}]"),
        "{% for name in names %}\n" + GOOD + "{% endfor %}\n",
        GOOD.replace("  template:", "  {% if deadline %}\n  activeDeadlineSeconds: 5\n  {% endif %}\n  template:"),
        "<% if job %>\n" + GOOD + "<% end %>\n",
    ],
)  # fmt: skip
def test_a_template_is_skipped_with_a_note(validate: Validate, text: str) -> None:
    assert validated(validate, text) == (0, [("skipped", [TEMPLATE])])
    assert run("validate", "-", stdin=text).returncode == 2


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("name: train", 'name: "{{ .Release.Name }}-train"'),
        GOOD.replace("  template:", '  completions: "{{ .Values.completions }}"\n  template:'),
    ],
)
def test_errors_about_what_a_template_will_write_are_no_errors(
    validate: Validate, text: str
) -> None:
    assert validated(validate, text) == (0, [("skipped", [TEMPLATE])])
    assert run("validate", "-", stdin=text).returncode == 1


def test_other_errors_in_such_a_document_are_reported(validate: Validate) -> None:
    text = BAD.replace("name: train", 'name: "{{ .Release.Name }}"')
    assert validated(validate, text) == (1, [("invalid", ["JW004"])])


def test_template_marks_in_an_argument_are_text(validate: Validate) -> None:
    argument = '          args: [get, pods, "--output=go-template={{range .items}}{{end}}"]\n'
    good, bad = (
        text.replace("          image", f"{argument}          image") for text in (GOOD, BAD)
    )
    assert validated(validate, good) == (0, [("valid", [])])
    assert validated(validate, bad) == (1, [("invalid", ["JW004"])])
    broken = good.replace("spec:\n", "spec:\n\tcompletions: 3\n", 1)
    assert validated(validate, broken) == (2, [("error", [UNREADABLE])])
    broken = good.replace(argument, f" {argument}")
    assert validated(validate, broken) == (2, [("error", [UNREADABLE])])


@pytest.mark.parametrize(
    "text",
    [
        "jobs: [\nkind: of thing\n",
        b"kind: batch \xff\n",
        "a:\n\t- kind: Deployment # for batch work\n",
        '{"kind": "Config", "job": ]',
        "kind: batch of things".encode("utf-16"),
    ],
)
def test_an_unreadable_file_that_names_no_job_is_skipped_with_a_note(
    validate: Validate, text: str | bytes
) -> None:
    assert validated(validate, text) == (0, [("skipped", [NO_MANIFEST])])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("it.yaml", GOOD.replace("spec:\n", "spec:\n\tcompletions: 3\n", 1)),
        ("it.yaml", "apiVersion: batch/v1\nkind: 'CronJob'\nmetadata: [\n"),
        ("it.yaml", "kind: jobb\nmetadata: [\n"),
        ("it.yaml", "apiVersion: v1\nkind: List\nitems: [batch\n"),
        ("it.json", '{"apiVersion": "batch/v1", "kind": "Job",}'),
        ("it.yaml", GOOD.encode("utf-16")),
    ],
)
def test_an_unreadable_file_that_names_a_job_is_an_error(
    validate: Validate, name: str, text: str | bytes
) -> None:
    assert validated(validate, text, name) == (2, [("error", [UNREADABLE])])


def test_each_document_is_validated_by_itself(validate: Validate) -> None:
    template = "{{ if x }}\nkind: Job\n{{ end }}\n"
    text = f"{GOOD}---\n{template}---\n{BAD}---\n{OTHER}"
    assert validated(validate, text) == (
        1,
        [("valid", []), ("skipped", [TEMPLATE]), ("invalid", ["JW004"]), ("skipped", [])],
    )


def test_a_file_without_a_job_is_one_skipped_result_and_is_not_parsed(validate: Validate) -> None:
    assert validated(validate, f"{OTHER}---\n{OTHER}") == (0, [("skipped", [])])
    assert validated(validate, "a: [\n\tb") == (0, [("skipped", [])])
    assert validated(validate, b"\xff\xfe\xfd") == (0, [("skipped", [])])


def test_a_missing_file_is_an_error_all_the_same(validate: Validate) -> None:
    done = validate("--mixed", "missing.yaml")
    assert done.code == 2


def test_without_it_documents_are_counted_one_by_one(tmp_path: Path, validate: Validate) -> None:
    (tmp_path / "it.yaml").write_text(f"{OTHER}---\n{OTHER}")
    (tmp_path / "broken.yaml").write_text("apiVersion: [\n\tb")
    done = validate("-o", "json", ".")
    assert [result["status"] for result in done.loaded["results"]] == [
        "error",
        "skipped",
        "skipped",
    ]
    assert done.code == 2


@pytest.mark.parametrize("mixed", [[], ["--mixed"]])
def test_a_near_miss_is_an_invalid_object(
    tmp_path: Path, validate: Validate, mixed: list[str]
) -> None:
    (tmp_path / "job.yaml").write_text(GOOD.replace("kind: Job", "kind: Jobb"))
    done = validate(*mixed, "-o", "json", "job.yaml")
    (result,) = done.loaded["results"]
    (finding,) = result["findings"]
    assert done.code == 1
    assert result["status"] == "invalid"
    assert (finding["code"], finding["source"], finding["severity"]) == (NEAR_MISS, "lint", "error")
    assert (finding["line"], finding["column"]) == (2, 7)
    notes = validate("--quiet", *mixed, "job.yaml").out
    assert "The API server has no kind Jobb in batch/v1. Set kind: Job." in notes


def test_a_near_miss_that_could_be_something_else_is_a_warning(
    tmp_path: Path, validate: Validate
) -> None:
    (tmp_path / "job.yaml").write_text("kind: Job\nmetadata: {name: nightly}\n")
    done = validate("-o", "concise", ".")
    assert done.code == 0
    assert "warning JW320" in done.out
    named = validate("-o", "concise", "job.yaml")
    assert named.code == 1
    assert "error JW320" in named.out


def test_jobs_of_other_groups_are_no_near_misses(validate: Validate) -> None:
    text = GOOD.replace("batch/v1", "batch.volcano.sh/v1alpha1")
    assert validated(validate, text) == (1, [("invalid", ["JW003"])])


def test_a_key_of_another_case_is_reported_where_it_stands_and_renamed(
    tmp_path: Path, validate: Validate
) -> None:
    (tmp_path / "job.yaml").write_text(
        'apiVersion: batch/v1\nKIND: CronJob\nSpec: {schedule: "0 3 * * *"}\n'
    )
    done = validate("--output", "concise", "job.yaml")
    assert done.out.startswith("job.yaml:2:1: error JW320 KIND: ")
    validate("--fix", "job.yaml")
    assert (
        (tmp_path / "job.yaml")
        .read_text()
        .startswith("apiVersion: batch/v1\nkind: CronJob\nspec: {")
    )
