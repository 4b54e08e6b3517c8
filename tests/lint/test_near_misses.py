"""Near misses: what was meant to be a Job or CronJob, and what only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.lint.misidentified import near_miss


def of(version: Any, kind: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "train"}}


@pytest.mark.parametrize(
    ("value", "field", "message"),
    [
        (
            of("batch/v1beta1", "CronJob"),
            "apiVersion",
            "The API server has no kind CronJob in batch/v1beta1 since Kubernetes 1.25. Set apiVersion: batch/v1",
        ),
        (
            of("batch/v2alpha1", "CronJob"),
            "apiVersion",
            "The API server has no kind CronJob in batch/v2alpha1 since Kubernetes 1.21. Set apiVersion: batch/v1",
        ),
        (of("batch/v1beta1", "Job"), "apiVersion", "no kind Job in batch/v1beta1. Set apiVersion: batch/v1"),
        (of("batch/v2", "Job"), "apiVersion", "no kind Job in batch/v2. Set apiVersion: batch/v1"),
        (of("batch", "Job"), "apiVersion", "no kind Job in batch. Set apiVersion: batch/v1"),
        (of("v1", "Job"), "apiVersion", "no kind Job in v1. Set apiVersion: batch/v1"),
        (of("apps/v1", "CronJob"), "apiVersion", "no kind CronJob in apps/v1. Set apiVersion: batch/v1"),
        (of("bacth/v1", "Job"), "apiVersion", "no kind Job in bacth/v1. Set apiVersion: batch/v1"),
        (of("Batch/v1", "Job"), "apiVersion", "no kind Job in Batch/v1. Set apiVersion: batch/v1"),
        (of("k8s.io/batch/v1", "Job"), "apiVersion", "no kind Job in k8s.io/batch/v1. Set apiVersion"),
        (of("batch/v1", "Jobb"), "kind", "no kind Jobb in batch/v1. Set kind: Job"),
        (of("batch/v1", "job"), "kind", "no kind job in batch/v1. Set kind: Job"),
        (of("batch/v1", "Jobs"), "kind", "no kind Jobs in batch/v1. Set kind: Job"),
        (of("batch/v1", "Jbo"), "kind", "no kind Jbo in batch/v1. Set kind: Job"),
        (of("batch/v1", "Cronjob"), "kind", "no kind Cronjob in batch/v1. Set kind: CronJob"),
        (of("batch/v1", "cron-job"), "kind", "no kind cron-job in batch/v1. Set kind: CronJob"),
        (of("batch/v1", "CornJob"), "kind", "no kind CornJob in batch/v1. Set kind: CronJob"),
        (of("batch/v1", "ScheduledJob"), "kind", "no kind ScheduledJob in batch/v1. Set kind: CronJob"),
        (of("batch/v1", "Deployment"), "kind", "no kind Deployment in batch/v1. Set kind: Job or kind: CronJob"),
        (of("v1", "Jobb"), "kind", "no kind Jobb in v1. Set apiVersion: batch/v1 and kind: Job"),
        (of("batch/v1", None), "kind", "The kind is missing. Set kind: Job or kind: CronJob"),
        ({"apiVersion": "batch/v1"}, "kind", "The kind is missing. Set kind: Job or kind: CronJob"),
        ({"apiVersion": "batch/v1", "Kind": "Job"}, "Kind", "Rename Kind to kind"),
        ({"apiversion": "batch/v1", "kind": "Job"}, "apiversion", "Rename apiversion to apiVersion"),
        ({"api_version": "batch/v1", "kind": "Job"}, "api_version", "Rename api_version to apiVersion"),
        (
            {"ApiVersion": "batch/v1", "Kind": "Job", "Metadata": {}, "Spec": {}},
            "ApiVersion",
            "does not know the fields ApiVersion, Kind, Metadata and Spec, and apiVersion, kind, metadata and "
            "spec are missing. Rename ApiVersion to apiVersion, Kind to kind, Metadata to metadata and Spec to spec",
        ),
        (
            of("batch/v1 ", "Job "),
            "kind",
            'no kind "Job " in "batch/v1 ". Set apiVersion: batch/v1 and kind: Job',
        ),
        (of("batch/v1", "Job\u200b"), "kind", "Set kind: Job, without U+200B (zero width space)"),
    ],
)  # fmt: skip
def test_a_kind_that_no_api_server_has_is_an_error(value: Any, field: str, message: str) -> None:
    finding = near_miss(value)
    assert finding is not None
    assert (finding.code, finding.severity, finding.field) == ("JW320", "error", field)
    assert message in finding.message


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "Job", "metadata": {"name": "train"}},
        of(None, "CronJob"),
        of("", "Job"),
        of("batch.k8s.io/v1", "Job"),
        of("batch.kubernetes.io/v1", "CronJob"),
    ],
)
def test_a_kind_that_could_be_another_api_is_a_warning(value: Any) -> None:
    finding = near_miss(value)
    assert finding is not None
    assert (finding.severity, finding.field) == ("warning", "apiVersion")


@pytest.mark.parametrize(
    "value",
    [
        of("batch.volcano.sh/v1alpha1", "Job"),
        of("batch.example.com/v1", "Jobb"),
        of("batch.k8s.io/v1", "Jobb"),
        of("kueue.x-k8s.io/v1beta1", "Workload"),
        of("v1", "Pod"),
        of("v1", "List"),
        of("apps/v1", "Deployment"),
        of("batch/v1", "JobList"),
        of("{{ .Values.version }}", "Job"),
        of("batch/v1", "{{ .Values.kind }}"),
        {"kind": "job", "steps": []},
        {"kind": "CronJob", "schedule": "*/5 * * * *", "image": {"tag": "1.0"}},
        {"jobs": {"test": {}}},
        {"apiVersion": 1, "kind": 2},
        {},
        [],
        "Job",
        None,
        1,
    ],
)
def test_a_kind_of_another_api_is_left_alone(value: Any) -> None:
    assert near_miss(value) is None


@pytest.mark.parametrize(
    ("value", "fixed"),
    [
        (of("batch/v1beta1", "CronJob"), of("batch/v1", "CronJob")),
        (of("v1", "Jobb"), of("batch/v1", "Job")),
        (of("batch/v1", "cronjob"), of("batch/v1", "CronJob")),
        ({"apiVersion": "batch/v1", "Kind": "Job"}, {"apiVersion": "batch/v1", "kind": "Job"}),
        (
            {"apiVersion": "batch/v1", "KIND": "Job", "MetaData": {"name": "a"}},
            {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}},
        ),
        (
            {"kind": "Job", "spec": {}},
            {"apiVersion": "batch/v1", "kind": "Job", "spec": {}},
        ),
    ],
)
def test_the_fix_makes_a_job_of_it(value: dict[str, Any], fixed: dict[str, Any]) -> None:
    finding = near_miss(value)
    assert finding is not None
    assert finding.fix is not None
    assert finding.fix.safe == (finding.severity == "error")
    for edit in finding.fix.edits:
        if edit.action == "rename":
            value[edit.value] = value.pop(edit.field)
        else:
            value[edit.field] = edit.value
    assert value == fixed


def test_a_name_that_could_be_either_kind_has_no_fix() -> None:
    finding = near_miss(of("batch/v1", "Deployment"))
    assert finding is not None
    assert finding.fix is None


@pytest.mark.parametrize(
    ("version", "kind", "spec", "safe"),
    [
        ("batch/v1beta1", "CronJob", {}, True),
        ("batch/v2alpha1", "CronJob", {}, False),
        ("batch/v2alpha1", "ScheduledJob", {"failedJobsHistoryLimit": 1}, False),
        (
            "batch/v2alpha1",
            "CronJob",
            {"successfulJobsHistoryLimit": 0, "failedJobsHistoryLimit": 1},
            True,
        ),
    ],
)
def test_a_conversion_is_safe_where_the_defaults_are_the_same(
    version: str, kind: str, spec: dict[str, Any], safe: bool
) -> None:
    """batch/v2alpha1 had no default for the history limits: it kept all Jobs, and batch/v1 keeps four."""
    finding = near_miss({**of(version, kind), "spec": spec})
    assert finding is not None
    assert finding.fix is not None
    assert finding.fix.safe is safe
