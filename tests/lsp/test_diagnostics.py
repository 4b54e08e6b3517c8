"""Diagnostics are the findings of ``jobsworth validate --mixed``, each with the range of its key or value."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lsprotocol import types

from jobsworth.files.steps import result_of_steps
from jobsworth.lsp.diagnostics import diagnostics
from jobsworth.lsp.open_text import evaluated
from support.cli.command_runs import Validate
from support.editors.open_texts import open_text, workspace

ROOT = Path(__file__).parents[2]
FILES = [
    *sorted((ROOT / "examples").rglob("*.yaml")),
    *sorted((ROOT / "tests/repositories").rglob("*.yaml")),
]
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: a
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: a:1
"""


def found(text: str, path: str = "/repository/job.yaml", *folders: Path) -> list[types.Diagnostic]:
    return diagnostics(result_of_steps(evaluated(open_text(text, path), workspace(*folders))))


def marked(text: str, diagnostic: types.Diagnostic) -> str:
    """Return what an editor underlines."""
    positions = open_text(text).positions
    start, end = diagnostic.range.start, diagnostic.range.end
    return text[positions.offset_at(start) : positions.offset_at(end)]


def coded(text: str, code: str) -> types.Diagnostic:
    (diagnostic,) = [each for each in found(text) if each.code == code]
    return diagnostic


@pytest.mark.parametrize("folder", ["examples/invalid", "examples/valid", "examples/tutorial"])
def test_a_folder_has_the_same_findings_as_on_the_command_line(
    folder: str, validate: Validate
) -> None:
    report = validate("--mixed", "--info", "--output", "json", str(ROOT / folder)).loaded
    printed = sorted(
        (result["file"], each["line"], each["column"], each["code"], each["field"])
        for result in report["results"]
        for each in result["findings"]
    )
    shown = []
    evaluator = workspace(ROOT / folder)
    for path in sorted((ROOT / folder).iterdir()):
        text = open_text(path.read_text("utf-8"), str(path))
        for each in result_of_steps(evaluated(text, evaluator)).findings:
            located = each.located
            finding = located.finding
            shown.append((str(path), located.line, located.column, finding.code, finding.field))
            assert text.positions.range_of(located).start == each.range.start
    assert sorted(shown) == printed
    assert shown or "invalid" not in folder


def test_a_wrong_value_is_marked() -> None:
    text = JOB.replace("Never", "Sometimes  # always?")
    marks = {marked(text, each) for each in found(text) if each.code == "JW005"}
    assert marks == {"Sometimes"}


def test_an_unknown_field_is_marked_at_its_key() -> None:
    text = JOB + "        commands: [a, b]\n"
    assert marked(text, coded(text, "JW001")) == "commands"


def test_columns_are_counted_in_the_units_of_the_editor() -> None:
    text = JOB.replace("name: a\n", 'annotations: {"😀😀": x, a b: y}\n  name: a\n', 1)
    (diagnostic, *_) = [each for each in found(text) if "annotations" in each.message]
    line = text.splitlines()[diagnostic.range.start.line]
    units = line.encode("utf-16-le")[: 2 * diagnostic.range.start.character]
    assert len(units.decode("utf-16-le")) == diagnostic.range.start.character - 2


def test_a_missing_field_is_marked_at_the_nearest_key() -> None:
    text = JOB.replace("      restartPolicy: Never\n", "")
    assert marked(text, coded(text, "JW003")) == "spec"


@pytest.mark.parametrize(
    "broken", ["", "  backofLimit: 1\n"], ids=["reported", "hidden by another"]
)
def test_a_finding_in_a_script_marks_its_line_of_the_block(broken: str) -> None:
    script = "        command: [sh, -c]\n        args:\n        - |\n          load --all\n          echo done\n"
    text = JOB + script.replace("load", "echo started\n\n          load") + broken
    assert marked(text, coded(text, "JW222")) == "load --all"


def test_a_document_that_cannot_be_read_does_not_hide_the_next() -> None:
    text = "kind: Job\na: [\n---\n" + JOB.replace("Never", "Always")
    assert {each.code for each in found(text)} >= {"JW090", "JW003"}


def test_a_diagnostic_leads_to_the_page_of_its_code() -> None:
    diagnostic = coded(JOB.replace("Never", "Always"), "JW003")
    assert diagnostic.code_description is not None
    assert diagnostic.code_description.href.endswith("docs/rules/JW003-FieldValueRequired.md")
    assert diagnostic.source == "jobsworth"
    assert diagnostic.severity == types.DiagnosticSeverity.Error


def test_a_file_without_a_job_has_none() -> None:
    assert found("services:\n  web: {image: a}\n") == []
    assert found("{{- if .Values.a }}\na: {{ .b }}\n{{- end }}\n") == []


def test_an_ignore_comment_applies() -> None:
    assert "JW204" in {each.code for each in found(JOB)}
    assert "JW204" not in {each.code for each in found(f"# jobsworth: ignore[JW204]\n{JOB}")}


def test_the_configuration_and_the_policies_above_a_file_apply(tmp_path: Path) -> None:
    (tmp_path / ".jobsworth.yaml").write_text(
        "ignore: [JW204]\npolicy: [policy.yaml]\nexclude: [old]\n"
    )
    policy = {
        "apiVersion": "jobsworth.dev/v1alpha1",
        "kind": "JobPolicy",
        "metadata": {"name": "owners"},
        "spec": {"limits": {"labels": {"team": {"required": True}}}},
    }
    (tmp_path / "policy.yaml").write_text(json.dumps(policy))
    path = str(tmp_path / "jobs/job.yaml")
    codes = {each.code for each in found(JOB, path, tmp_path)}
    assert "JW204" not in codes
    assert any(str(code).startswith("JP") for code in codes)
    assert found(JOB, str(tmp_path / "old/job.yaml"), tmp_path) == []


def test_a_wrong_configuration_is_reported_in_the_text(tmp_path: Path) -> None:
    (tmp_path / ".jobsworth.yaml").write_text("ignor: [JW204]\n")
    (diagnostic,) = found(JOB, str(tmp_path / "job.yaml"), tmp_path)
    assert ".jobsworth.yaml" in diagnostic.message
    assert "ignor" in diagnostic.message


def test_a_job_set_is_evaluated() -> None:
    job_set = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: workers
    template:
      spec:
        template:
          spec:
            restartPolicy: Always
            containers: [{name: main, image: "a:1"}]
"""
    codes = [each for each in found(job_set) if "restartPolicy" in each.message]
    assert codes


def test_a_text_is_evaluated_in_steps_of_one_document() -> None:
    text = open_text("---\n".join([JOB] * 5), "jobs.yaml")
    assert len(list(evaluated(text, workspace()))) == 5
