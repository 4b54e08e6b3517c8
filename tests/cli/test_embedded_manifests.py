"""Jobs that are texts in an object of another kind."""

from __future__ import annotations

import pytest

from support.cli.command_runs import Validate

WORKFLOW = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: nightly}
spec:
  templates:
  - name: load
    resource:
      action: create
      manifest: |
        apiVersion: batch/v1
        kind: Job
        metadata: {name: load}
        spec:
          backofLimit: 3
          template:
            spec:
              restartPolicy: Never
              containers: [{name: load, image: "registry.example/load:1"}]
"""


def test_a_job_in_a_workflow_is_judged_at_its_line(validate: Validate) -> None:
    done = validate("a.yaml", files={"a.yaml": WORKFLOW})
    assert done.code == 1
    assert "a.yaml:14:11: error: Workflow nightly" in done.out
    assert '[JW001]\n  unknown field "spec.backofLimit"\n' in done.out


def test_the_other_templates_are_reported_as_not_validated(validate: Validate) -> None:
    text = WORKFLOW.replace("backofLimit", "backoffLimit")
    done = validate("a.yaml", files={"a.yaml": text})
    assert (done.code, "Workflow nightly is not validated" in done.out) == (0, True)


def test_a_manifest_with_placeholders_is_left_out(validate: Validate) -> None:
    text = WORKFLOW.replace("metadata: {name: load}", 'metadata: {name: "{{workflow.name}}"}')
    done = validate("a.yaml", files={"a.yaml": text})
    assert (done.code, "unknown field" in done.out) == (0, False)


def test_an_error_of_the_job_hides_neither_the_note_nor_its_count(validate: Validate) -> None:
    done = validate("a.yaml", files={"a.yaml": WORKFLOW})
    assert "[JW095 unvalidated]" in done.out
    counts = "1 object in 1 file; 0 valid, 1 invalid"
    note = "(with Jobs or Pods that are not validated: 1 Workflow)"
    assert done.err.startswith(f"{counts} {note}; 1 error")


def test_a_job_without_errors_in_a_workflow_is_a_validated_object(validate: Validate) -> None:
    text = WORKFLOW.replace("backofLimit", "backoffLimit")
    done = validate("a.yaml", "--fail-on-empty", files={"a.yaml": text})
    assert (done.code, "[JW095 unvalidated]" in done.out, "JW502" in done.out) == (0, True, False)
    assert done.err.startswith("1 object in 1 file; 1 valid, 0 invalid (with Jobs or Pods")


def test_the_note_on_what_is_not_validated_fails_no_run_for_info_findings(
    validate: Validate,
) -> None:
    ignored = "--ignore=JW2,JW5,JW6"
    text = WORKFLOW.replace("backofLimit", "backoffLimit")
    done = validate("a.yaml", "--fail-on", "info", ignored, files={"a.yaml": text})
    assert (done.code, "[JW095 unvalidated]" in done.out) == (0, True)


@pytest.mark.parametrize("text", ["manifest: [1]", "manifest: 'a: ['", "manifest: ''"])
def test_odd_texts_are_no_internal_errors(validate: Validate, text: str) -> None:
    begin = WORKFLOW[: WORKFLOW.index("manifest:")]
    done = validate("a.yaml", files={"a.yaml": begin + text + "\n"})
    assert done.code in (0, 1)
    assert "internal" not in done.err


@pytest.mark.parametrize(("action", "reported"), [("create", False), ("apply", True)])
def test_defaults_are_written_out_only_for_a_step_that_applies_the_job_set(
    validate: Validate, action: str, reported: bool
) -> None:
    job_set = """\
apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {name: load}
        spec:
          replicatedJobs:
          - name: load
            template:
              spec: {template: {spec: {containers: [{name: load, image: "registry.example/load:1"}]}}}
"""
    begin = WORKFLOW[: WORKFLOW.index("apiVersion: batch/v1")]
    text = (begin + job_set).replace("action: create", f"action: {action}")
    done = validate("--info", "a.yaml", files={"a.yaml": text})
    assert ("JW804" in done.out) == reported
