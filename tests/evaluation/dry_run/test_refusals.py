"""Refusals of a cluster become findings at the field that they are about; the cluster tests see real ones."""

from __future__ import annotations

import pytest

from jobsworth.evaluation.dry_run import (
    Refusal,
    StatusCause,
    findings_of_job,
    findings_of_object,
    findings_of_pod,
    template_of,
)
from jobsworth.findings.finding import Finding
from support.lint.linted_jobs import INIT, cron_job, job

JOB = job({"initContainers": [INIT]})
POD = "spec.template.spec"

QUOTA = 'pods "train-abc" is forbidden: exceeded quota: team, requested: requests.cpu=2, used: requests.cpu=0, limited: requests.cpu=1'
POD_MESSAGES = [
    (QUOTA, POD),
    (
        'pods "train-abc" is forbidden: failed quota: team: must specify limits.cpu,limits.memory for: main',
        f"{POD}.containers[0]",
    ),
    (
        'pods "train-abc" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != '
        'false (container "main" must set securityContext.allowPrivilegeEscalation=false)',
        f"{POD}.containers[0]",
    ),
    (
        'pods "train-abc" is forbidden: violates PodSecurity "baseline:latest": privileged (containers '
        '"download", "other" must not set securityContext.privileged=true)',
        f"{POD}.initContainers[0]",
    ),
    (
        'pods "train-abc" is forbidden: error looking up service account ml/trainer: serviceaccount "trainer" '
        "not found",
        f"{POD}.serviceAccountName",
    ),
    ('admission webhook "pods.example.com" denied the request: no', POD),
]


@pytest.mark.parametrize(("message", "field"), POD_MESSAGES)
def test_a_refusal_of_the_pod_is_at_the_container_that_it_names(message: str, field: str) -> None:
    (finding,) = findings_of_pod(Refusal(403, "Forbidden", message), template_of(JOB), "Job")
    assert (finding.source, finding.severity, finding.code) == ("child", "error", "JW027")
    assert finding.field == field
    assert finding.message == f"The cluster accepts the Job but refuses its Pods: {message}"


def test_the_causes_of_an_invalid_pod_are_at_the_fields_of_the_template() -> None:
    causes = (
        StatusCause("FieldValueInvalid", "spec.containers[0].image", "Invalid value"),
        StatusCause("FieldValueInvalid", "metadata.labels", "Invalid value"),
    )
    refusal = Refusal(422, "Invalid", "the Pod is invalid", causes)
    of_cron_job = cron_job(job())
    found = findings_of_pod(refusal, template_of(of_cron_job), "CronJob")
    template = "spec.jobTemplate.spec.template"
    assert [each.field for each in found] == [
        f"{template}.spec.containers[0].image",
        f"{template}.metadata.labels",
    ]
    assert found[0].message == (
        "The cluster accepts the CronJob but refuses the Pods of its Jobs: Invalid value"
    )


def test_a_job_of_a_cron_job_is_refused_at_its_template() -> None:
    (finding,) = findings_of_job(Refusal(403, "Forbidden", "exceeded quota: team"))
    assert (finding.code, finding.field) == ("JW026", "spec.jobTemplate")
    cause = StatusCause("FieldValueInvalid", "spec.backoffLimit", "Invalid value: -1")
    (finding,) = findings_of_job(Refusal(422, "Invalid", "invalid", (cause,)))
    assert (finding.code, finding.field) == ("JW004", "spec.jobTemplate.spec.backoffLimit")


def test_what_the_evaluation_reports_is_not_repeated() -> None:
    message = "Invalid value: -1: must be greater than or equal to 0"
    reported = Finding(
        source="api",
        severity="error",
        code="JW004",
        field="spec.backoffLimit",
        reason="FieldValueInvalid",
        message=message,
    )
    causes = (
        StatusCause("FieldValueInvalid", "spec.backoffLimit", message),
        StatusCause("FieldValueForbidden", "spec.template", "not here"),
    )
    found = findings_of_object(Refusal(422, "Invalid", "invalid", causes), [reported])
    assert [(each.code, each.field) for each in found] == [("JW007", "spec.template")]
    assert findings_of_object(Refusal(400, "BadRequest", "strict decoding error"), [reported]) == []
    (finding,) = findings_of_object(Refusal(400, "BadRequest", "strict decoding error"), [])
    assert (finding.code, finding.field) == ("JW026", "")


def test_a_namespace_that_does_not_exist_is_at_its_field() -> None:
    (finding,) = findings_of_object(Refusal(404, "NotFound", 'namespaces "ml" not found'), [])
    assert finding.field == "metadata.namespace"


def test_a_webhook_without_dry_runs_is_a_warning_at_each_stage() -> None:
    message = 'admission webhook "a.example.com" does not support dry run'
    refusal = Refusal(400, "BadRequest", message)
    for (found,), field in (
        (findings_of_object(refusal, []), ""),
        (findings_of_job(refusal), "spec.jobTemplate"),
        (findings_of_pod(refusal, template_of(JOB), "Job"), "spec.template"),
    ):
        assert (found.code, found.severity, found.field) == ("JW028", "warning", field)
        assert found.message == message
