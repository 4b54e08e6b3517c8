"""Expressions judge a CronJob by the Job that it creates, so that a CronJob is not a way around them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.policy.policy_requests import cron_job, job, policies, policy_findings

CONTROLLER = "system:serviceaccount:kube-system:cronjob-controller"
ALLOWED = "object.spec.template.spec.containers.all(c, c.image.startsWith('registry.example.com/'))"


def findings(expression: str, value: Any, old: Any = None, **more: Any) -> list[str]:
    return policy_findings(policies(expressions=[{"expression": expression, **more}]), value, old)


@pytest.mark.parametrize(
    "guard", ["object.kind != 'Job' || ", "!has(object.spec.template) || ", ""]
)
def test_a_condition_on_a_job_holds_for_the_job_of_a_cron_job(guard: str) -> None:
    (of_job,) = findings(f"{guard}{ALLOWED}", job())
    (of_cron_job,) = findings(f"{guard}{ALLOWED}", cron_job())
    assert of_job == of_cron_job
    assert of_job.startswith("deny: failed expression")


@pytest.mark.parametrize(
    "expression",
    [
        "object.kind == 'Job' && object.apiVersion == 'batch/v1'",
        "object.metadata.name == 'train' && object.metadata.namespace == 'default'",
        "object.metadata.labels == {'team': 'a'} && object.metadata.annotations == {'note': 'b'}",
        "object.spec.backoffLimit == 6 && object.spec.completions == 1",  # the server's defaults
        "object.spec.template.spec.restartPolicy == 'Never'",
        "cronJob.kind == 'CronJob' && cronJob.spec.schedule == '0 6 * * *'",
        "cronJob.spec.jobTemplate.spec.template == object.spec.template",
        "oldObject == null && oldCronJob == null",
        "request.kind.kind == 'CronJob'",
    ],
)
def test_the_variables_of_a_cron_job(expression: str) -> None:
    value = cron_job()
    value["metadata"]["labels"] = {"of": "the-cron-job"}
    value["spec"]["jobTemplate"]["metadata"] = {
        "labels": {"team": "a"},
        "annotations": {"note": "b"},
    }
    assert findings(expression, value) == []


def test_a_job_has_no_cron_job() -> None:
    assert findings("cronJob == null && oldCronJob == null", job()) == []


def test_an_update_reads_the_job_of_the_stored_cron_job() -> None:
    rule = "oldObject == null || object.spec.parallelism >= oldObject.spec.parallelism"
    old = cron_job(job(parallelism=3))
    assert findings(rule, cron_job(job(parallelism=4)), old) == []
    assert findings(rule, cron_job(job(parallelism=2)), old) != []
    assert (
        findings(
            "oldCronJob.spec.schedule != cronJob.spec.schedule", cron_job(schedule="1 1 * * *"), old
        )
        == []
    )


def test_an_update_keeps_the_violations_of_the_stored_cron_job() -> None:
    rule = "object.spec.parallelism <= 2"
    old = cron_job(job(parallelism=9))
    assert findings(rule, cron_job(job(parallelism=9), suspend=True), old) == []
    assert (
        findings(
            "!has(cronJob.spec.timeZone)",
            cron_job(timeZone="Etc/UTC", suspend=True),
            cron_job(timeZone="Etc/UTC"),
        )
        == []
    )


@pytest.mark.parametrize(
    ("field", "of_job", "of_cron_job"),
    [
        ("spec.parallelism", "spec.parallelism", "spec.jobTemplate.spec.parallelism"),
        ("metadata.labels[a]", "metadata.labels[a]", "spec.jobTemplate.metadata.labels[a]"),
        ("spec", "spec", "spec.jobTemplate.spec"),
        ("cronJob.spec.schedule", "", "spec.schedule"),
    ],
)
def test_the_field_of_a_violation_is_one_of_the_manifest(
    field: str, of_job: str, of_cron_job: str
) -> None:
    for value, at in ((job(), of_job), (cron_job(), of_cron_job)):
        (found,) = findings("false", value, field=field, message="no")
        expected = f"deny: {at}: no [JP040]" if at else "deny: no [JP040]"
        assert found == expected


@pytest.mark.parametrize(
    ("match", "default"),
    [
        (None, "audit"),
        ([{"kinds": ["Job", "CronJob"]}], "audit"),
        ([{"namespaces": ["a"]}, {"namespaces": ["b"], "users": ["c"]}], "audit"),
        ([{"kinds": ["Job"]}], "enforce"),
        # Some Jobs match whose CronJob does not.
        ([{"kinds": ["Job"], "namespaces": ["a"]}, {"kinds": ["CronJob"]}], "enforce"),
        ([{"operations": ["CREATE"]}], "enforce"),
        ([{"operations": ["UPDATE"]}], "audit"),
    ],
)
def test_jobs_of_cron_jobs_are_denied_if_their_cron_job_may_not_have_been_evaluated(
    match: Any, default: str
) -> None:
    parts = {} if match is None else {"match": match}
    (policy,) = policies(limits={"backoffLimit": {"maximum": 3}}, **parts).policies
    assert policy.cron_job_jobs == default


_ATOMS = st.sampled_from(
    [
        "object.kind == 'Job'", "object.kind == 'CronJob'", "request.operation == 'CREATE'",
        "has(object.spec.template)", "has(object.spec.activeDeadlineSeconds)", "object.spec.parallelism > 1",
        "object.metadata.name == 'train'", "object.metadata.?labels[?'a'].orValue('') == 'b'",
        "object.spec.template.spec.containers.all(c, c.image.startsWith('r/'))", "object.spec.backoffLimit == 6",
        "has(object.spec.jobTemplate)", "object.spec.completions == 1", "oldObject == null", "'a' in object.spec",
    ]
)  # fmt: skip
_CONDITIONS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.builds("!({})".format, inner),
        st.builds("({} || {})".format, inner, inner),
        st.builds("({} && {})".format, inner, inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
    ),
    max_leaves=5,
)
_MATCHERS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "kinds": st.sampled_from([["Job"], ["CronJob"], ["Job", "CronJob"]]),
            "operations": st.sampled_from([["CREATE"], ["UPDATE"], ["CREATE", "UPDATE"]]),
            "namespaces": st.sampled_from([["default"], ["other"]]),
        },
    ).filter(bool),
    min_size=1,
    max_size=2,
)


@given(
    _CONDITIONS,
    st.one_of(st.none(), _MATCHERS),
    st.sampled_from(["deny", "allow"]),
    st.fixed_dictionaries(
        {}, optional={"parallelism": st.just(3), "activeDeadlineSeconds": st.just(9)}
    ),
)
def test_what_is_denied_as_a_job_does_not_run_as_the_job_of_a_cron_job(
    condition: str, match: Any, on_error: str, spec: dict[str, Any]
) -> None:
    parts = {} if match is None else {"match": match}
    held = policies(expressions=[{"expression": condition}], onInternalError=on_error, **parts)

    def denied(value: Any, old: Any = None, **more: Any) -> bool:
        found = policy_findings(held, value, old, **more)
        return any(each.startswith("deny") for each in found)

    value = job(**spec)
    if not denied(value):
        return
    owned = copy.deepcopy(value)
    owned["metadata"]["ownerReferences"] = [
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "name": "train",
            "uid": "1",
            "controller": True,
        }
    ]
    assert denied(cron_job(value)) or denied(owned, user=CONTROLLER)
    # An update that brings the Job into a CronJob that was accepted is not a way around it either.
    harmless = cron_job(job(pod={"containers": [{"name": "a", "image": "r/a:1"}]}, suspend=True))
    if not denied(harmless):
        updated = denied(cron_job(value), harmless)
        assert updated or denied(owned, user=CONTROLLER) or "oldObject" in condition
