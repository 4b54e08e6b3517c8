"""``policy check`` finds the expressions that a CronJob is a way around."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.consistency import pairs
from jobsworth.policy.failing_expressions import failing_expressions
from jobsworth.policy.ways_around import ways_around
from support.policy.policy_requests import SERVER, policies

IMAGES = "object.spec.template.spec.containers.all(c, c.image.startsWith('r/'))"
SAMPLES = pairs(SERVER)


def found(expression: str, **spec: Any) -> list[str]:
    (policy,) = policies(expressions=[{"expression": expression}], **spec).policies
    return [f"{each.field}: {each}" for each in ways_around(policy, SAMPLES, SERVER)]


@pytest.mark.parametrize(
    "expression",
    [
        f"request.kind.kind != 'Job' || {IMAGES}",
        f"request.resource.resource != 'jobs' || {IMAGES}",
        f"cronJob != null || {IMAGES}",
        f"cronJob == null ? {IMAGES} : true",
        "request.kind.kind == 'CronJob' || has(object.spec.activeDeadlineSeconds)",
        "cronJob != null",
    ],
)
def test_an_expression_that_admits_in_a_cron_job_what_it_denies_in_a_job(expression: str) -> None:
    (problem,) = found(expression)
    assert problem.startswith("spec.expressions[0].expression: a CronJob is a way around")


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        (
            f"object.kind == 'CronJob' || {IMAGES}",
            "object.kind is always Job: test cronJob != null",
        ),
        ("'CronJob' != oldObject.kind", "oldObject.kind is always Job: test oldCronJob != null"),
        ("has(object.spec.jobTemplate)", "object is a Job, also for a CronJob: write object.spec"),
        ("object.spec.jobTemplate.spec.suspend", "object is a Job, also for a CronJob"),
    ],
)
def test_an_expression_that_takes_the_object_for_a_cron_job(expression: str, problem: str) -> None:
    (reported,) = found(expression)
    assert problem in reported


@pytest.mark.parametrize(
    "expression",
    [
        IMAGES,
        f"object.kind != 'Job' || {IMAGES}",
        "cronJob == null || cronJob.spec.concurrencyPolicy == 'Forbid'",
        "request.operation != 'UPDATE' || object.spec.suspend",
        "cronJob == null || has(cronJob.spec.jobTemplate.metadata)",
        "object.spec.nothing == 1",
    ],
)
def test_an_expression_that_judges_both_alike(expression: str) -> None:
    assert found(expression) == []


@pytest.mark.parametrize(
    "expression",
    [
        "cronJob.spec.concurrencyPolicy == 'Forbid'",
        "object.spec.activeDeadlineSeconds > 1 || cronJob.spec.schedule != ''",
    ],
)
def test_an_expression_that_reads_the_null_cron_job_of_a_job_does_not_test_the_kind(
    expression: str,
) -> None:
    loaded = policies(expressions=[{"expression": expression}])
    (policy,) = loaded.policies
    assert found(expression) == []
    assert len([*failing_expressions(policy, loaded, SERVER)]) == 1


def test_jobs_of_cron_jobs_that_are_audited_without_their_cron_job() -> None:
    (problem,) = found("true", match=[{"kinds": ["Job"]}], cronJobJobs="audit")
    assert problem.startswith("spec.cronJobJobs: a CronJob is a way around this policy")


def test_a_policy_of_one_kind_is_not_compared() -> None:
    assert found("cronJob != null", match=[{"kinds": ["CronJob"]}]) == []


def around(**limits: Any) -> list[str]:
    (policy,) = policies(limits=limits).policies
    return [str(each) for each in ways_around(policy, SAMPLES, SERVER)]


def test_a_limit_of_retries_that_does_not_limit_those_of_an_index() -> None:
    retries = {"backoffLimit": {"maximum": 5}}
    (problem,) = around(**retries)
    assert problem.startswith("Indexed Jobs with backoffLimitPerIndex have no backoffLimit")
    assert around(**retries, backoffLimitPerIndex={"maximum": 5}) == []
    assert around(**retries, backoffLimitPerIndex={"forbidden": True}) == []
    assert around(**retries, completionMode={"allowed": ["NonIndexed"]}) == []
    assert around(backoffLimit={"minimum": 1}) == []


def test_a_limit_of_devices_that_does_not_count_claims() -> None:
    limits = {"resources": {"limits": {"nvidia.com/gpu": {"maximum": 8}}}}
    (problem,) = around(**limits)
    assert problem.startswith("devices that a Pod claims by resourceClaims are not counted")
    assert found("!has(object.spec.template.spec.resourceClaims)", limits=limits) == []
    assert around(resources={"limits": {"memory": {"maximum": "8Gi"}}}) == []


def test_a_limit_of_the_node_selector_that_an_affinity_avoids() -> None:
    (problem,) = around(pod={"nodeSelector": {"pool": {"allowed": ["batch"]}}})
    assert problem.startswith("a Pod can choose its node by affinity instead")
    assert around(pod={"nodeSelector": {"pool": {"allowed": ["batch"], "required": True}}}) == []
