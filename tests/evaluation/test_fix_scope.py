"""The documents that fixes leave alone, and those that they repair."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.evaluation.fixes.fix_scope import in_scope, missing_part
from jobsworth.findings.edits import edited
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.result import Result
from jobsworth.manifests import read_text
from support.lint.applied_fixes import autofixed, cron_job_text, file_evaluator, job_text
from support.random_objects.random_jobs import random_job

STATUS = "status:\n  succeeded: 1\n"
WHOLE = job_text("backoff_limit: 3")
CRON_JOB = cron_job_text('schedule: "@daily"\nconcurrency_policy: Forbid')

KUTTL_ASSERT = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: check-metrics\n" + STATUS

CHAINSAW_ASSERT = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: generate-traces
status:
  active: 1
  (conditions[?type == 'Failed']): []
"""

PATCH_OF_RESOURCES = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  template:
    spec:
      containers:
        - name: main
          resources:
            limits: {nvidia.com/gpu: 8}
"""

PATCH_OF_THE_POD = """\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
  jobTemplate:
    spec:
      template:
        spec:
          nodeSelector: {cloud.google.com/gke-spot: "true"}
"""

PATCH_OF_THE_SCHEDULE = """\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
  schedule: 0 4 * * *
"""

PATCH_OF_AN_IMAGE = """\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
  jobTemplate:
    spec:
      template:
        spec:
          containers:
            - name: main
              image: registry.example.com/report:2.0
"""

EXPORTED_FIXTURE = job_text().replace("  name:", "  uid: 0b3c2f5e\n  name:", 1) + STATUS
"""An object as `kubectl get -o yaml` prints it, which a program's tests read: Argo CD has such ones."""

HELM_VALUES = "kind: CronJob\nschedule: 0 4 * * *\nimage:\n  repository: descheduler\n"


def results(text: str, file: str = "job.yaml") -> list[Result]:
    return file_evaluator(select="JW").text(file, text.encode())


def fixes(text: str, file: str = "job.yaml") -> list[Fix]:
    return [
        located.finding.fix
        for result in results(text, file)
        for located in result.findings
        if located.finding.fix is not None
    ]


def codes(text: str, file: str = "job.yaml") -> set[str]:
    return {located.finding.code for result in results(text, file) for located in result.findings}


NO_MANIFESTS = [
    ("a kuttl assertion", KUTTL_ASSERT, "00-assert.yaml"),
    ("a kuttl assertion under another name", KUTTL_ASSERT, "done.yaml"),
    ("a Chainsaw assertion", CHAINSAW_ASSERT, "chainsaw-assert-traces.yaml"),
    ("a Chainsaw assertion under another name", CHAINSAW_ASSERT, "traces.yaml"),
    ("a patch of a container", PATCH_OF_RESOURCES, "patch-resources.yaml"),
    ("a patch of the Pod", PATCH_OF_THE_POD, "spot.yaml"),
    ("a patch of the schedule", PATCH_OF_THE_SCHEDULE, "schedule.yaml"),
    ("a patch of an image", PATCH_OF_AN_IMAGE, "image.yaml"),
    ("a patch that says so", WHOLE + "      $patch: replace\n", "job.yaml"),
    ("an init container without image", job_text(pod="initContainers: [{name: a}]"), "job.yaml"),
    ("no containers", "apiVersion: batch/v1\nkind: Job\nspec: {template: {spec: {}}}\n", "job.yaml"),
    ("no object below spec", "apiVersion: batch/v1\nkind: Job\nspec: []\n", "job.yaml"),
    ("no kind that there is", "apiVersion: batch/v1\nkind: job\n" + STATUS, "job.yaml"),
    ("Helm values", HELM_VALUES, "chart/values.yaml"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "file"), [case[1:] for case in NO_MANIFESTS], ids=[case[0] for case in NO_MANIFESTS]
)
def test_files_that_are_not_applied_have_no_fix(text: str, file: str) -> None:
    assert fixes(text, file) == []
    assert autofixed(text, unsafe=True, select="JW", file=file).data == text.encode()


def test_the_status_of_what_is_no_manifest_is_not_reported() -> None:
    assert "JW216" not in codes(KUTTL_ASSERT, "done.yaml")
    assert "JW216" not in codes(EXPORTED_FIXTURE, "00-assert.yaml")
    assert "JW216" not in codes(EXPORTED_FIXTURE, "testdata/job.yaml")
    assert "JW216" in codes(EXPORTED_FIXTURE)


@pytest.mark.parametrize(
    "file",
    [
        "00-assert.yaml",
        "assert.yaml",
        "e2e/01-assert.yaml",
        "02b-assert.yaml",
        "01-assert-succeeded.yaml",
        "assert-job-failed.yaml",
        "generate-logs-assert.yaml",
        "chainsaw-assert-job.yaml",
        "job_assert.yml",
        "01-errors.yaml",
        "errors.yaml",
        "chainsaw-step-01-error-1.yaml",
        "values.yaml",
        "values-prod.yaml",
        "controller/testdata/job-failed.yaml",
        "src/test/resources/job.yaml",
        "tests/e2e/00-install.yaml",
        "pkg\\fixtures\\job.yaml",
        "policies/labels/.chainsaw-test/good.yaml",
        "policies/labels/.kyverno-test/resource.yaml",
    ],
)
def test_by_its_path_even_a_whole_manifest_is_left_alone(file: str) -> None:
    for text in (WHOLE, CRON_JOB, EXPORTED_FIXTURE):
        assert fixes(text, file) == []


@pytest.mark.parametrize(
    "file",
    [
        "job.yaml",
        "01-install.yaml",
        "error-reporter.yaml",
        "assertive.yaml",
        "values",
        "overlays/test/job.yaml",
        "latest/job.yaml",
        "load-tests/job.yaml",
        "<stdin>",
    ],
)
def test_any_other_manifest_is_repaired(file: str) -> None:
    for text in (WHOLE, CRON_JOB, EXPORTED_FIXTURE):
        assert fixes(text, file) != []


def test_files_beside_a_chainsaw_test_are_left_alone() -> None:
    value = read_text(WHOLE.encode(), "job.yaml")[0].value
    fix = Fix("rename it", Edit("rename", "spec.backoff_limit", "backoffLimit"), safe=True)
    alone = in_scope([finding(fix)], value, "e2e/job.yaml", ["chainsaw-test.yaml"])
    assert (alone.findings[0].fix, alone.reason) == (
        None,
        "it belongs to the Chainsaw test beside it",
    )
    short = in_scope([finding(fix)], value, "e2e/job.yaml", ["chainsaw-test.yml"])
    assert short.reason == alone.reason
    repaired = in_scope([finding(fix)], value, "e2e/job.yaml", ["README.md"])
    assert (repaired.findings[0].fix, repaired.reason) == (fix, "")


def finding(fix: Fix | None, code: str = "JW001") -> Finding:
    return Finding(
        source="api", severity="error", code=code, field="", reason="", message="", fix=fix
    )


@pytest.mark.parametrize(
    "slip",
    [
        ("image:", "Image:"),
        ("containers:", "Containers:"),
        ("  template:", "  Template:"),
        ("spec:\n  template", "Spec:\n  template"),
        ("    spec:\n      restartPolicy: Never\n      containers", "    containers"),
    ],
)
def test_a_slip_that_makes_a_manifest_a_fragment_is_repaired(slip: tuple[str, str]) -> None:
    text = job_text().replace(*slip, 1)
    assert text != job_text()
    (document,) = read_text(autofixed(text).data, "job.yaml")
    assert missing_part(document.value) == ""


def test_a_slip_of_the_containers_leaves_the_other_slips_their_fixes() -> None:
    """The manifest has all that a Job has, under a wrong name: what else is wrong is not a change of a patch."""
    text = WHOLE.replace("containers:", "container:")
    titles = [fix.title for fix in fixes(text)]
    assert titles[:2] == ["Rename it to backoffLimit", "Rename it to containers"]
    assert autofixed(text).data.decode() == job_text("backoffLimit: 3")


def test_a_status_without_a_uid_was_written_by_hand() -> None:
    by_hand = job_text() + STATUS
    assert b"status" in autofixed(by_hand, select="JW216").data
    assert b"status" not in autofixed(by_hand, select="JW216", unsafe=True).data
    assert b"status" not in autofixed(EXPORTED_FIXTURE, select="JW216").data


def test_of_each_document_and_each_item_it_is_decided_alone() -> None:
    both = f"{WHOLE}---\n{KUTTL_ASSERT}"
    fixed = autofixed(both, select="JW", file="all.yaml").data.decode()
    assert fixed == both.replace("backoff_limit", "backoffLimit")
    items = "".join(f"  - {text}" for text in map(indented, (WHOLE, KUTTL_ASSERT)))
    listed = f"apiVersion: v1\nkind: List\nitems:\n{items}"
    assert autofixed(listed).data.decode() == listed.replace("backoff_limit", "backoffLimit")


def indented(text: str) -> str:
    return "\n    ".join(text.removeprefix("# Trains the model.\n").splitlines()) + "\n"


@given(st.integers(0, 2**32), st.sampled_from(["template", "containers", "image", "schedule"]))
def test_without_a_part_that_every_job_has_no_fix_is_offered(seed: int, part: str) -> None:
    value = {**random_job(seed), "status": {"succeeded": 1}}
    cut = without(value, part)
    if cut == value:
        return  # only a CronJob has a schedule
    findings = all_findings(cut)
    completing = [
        found.fix
        for found in findings
        if found.fix is not None and missing_part(edited(cut, *found.fix.edits)) == ""
    ]
    if not any(fix.safe for fix in completing):
        assert [found.fix for found in findings if found.fix is not None] == completing
        assert "JW216" not in {found.code for found in findings}


@given(st.integers(0, 2**32))
def test_a_whole_object_keeps_its_findings_as_they_are(seed: int) -> None:
    value = random_job(seed)
    fix = Fix("drop it", Edit("delete", "status"), safe=False)
    findings = [finding(fix), finding(None), finding(fix, "JW216")]
    scoped = in_scope(findings, value, "job.yaml")
    if missing_part(value) == "":
        assert (scoped.findings, scoped.reason) == (findings, "")


def all_findings(value: Any) -> list[Finding]:
    return [
        located.finding
        for result in results(json.dumps(value), "job.json")
        for located in result.findings
    ]


def without(value: Any, part: str) -> Any:
    """The value without a field, wherever it stands."""
    if isinstance(value, dict):
        return {key: without(each, part) for key, each in value.items() if key != part}
    return [without(each, part) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "extra",
    [
        "a: {$patch: replace}",
        "a: [1, {b: 1}, {$patch: delete}]",
        "a: {b: 1, c: {d: [{$retainKeys: [a]}]}}",
        "a: {$setElementOrder/containers: [{name: a}], b: {c: 1}}",
    ],
)
def test_a_directive_of_a_patch_is_found_at_any_depth(extra: str) -> None:
    assert fixes(WHOLE, "job.yaml") != []
    assert fixes(WHOLE + f"x: {{{extra}}}\n", "job.yaml") == []


@pytest.mark.parametrize(
    ("value", "missing"),
    [
        ({"kind": "CronJob", "spec": {"suspend": True}}, "spec.schedule"),
        ({"spec": {"jobTemplate": {}}}, "spec.schedule"),
        (
            {"kind": "CronJob", "spec": {"schedule": "@daily"}},
            "spec.jobTemplate.spec.template.spec.containers",
        ),
        ({"kind": "Job"}, "spec.template.spec.containers"),
        ({"kind": "Job", "spec": {"schedule": "@daily"}}, "spec.template.spec.containers"),
    ],
)
def test_the_first_missing_part_is_named(value: object, missing: str) -> None:
    assert missing_part(value) == missing
