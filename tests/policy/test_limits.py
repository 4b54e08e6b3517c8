"""Limits of single fields, labels and annotations."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jobsworth
from jobsworth.policy.policy_fields import FIELDS, share_of
from jobsworth.provenance.field_ownership import LAST_APPLIED
from support.policy.policy_requests import (
    SERVER,
    cron_job,
    document,
    job,
    of_manifest,
    policies,
    policy_findings,
    policy_messages,
    problems,
)

INDEXED: dict[str, Any] = {"completionMode": "Indexed", "completions": 50, "parallelism": 5}


@pytest.mark.parametrize(
    ("limits", "spec", "expected"),
    [
        ({"backoffLimit": {"maximum": 5}}, {"backoffLimit": 5}, None),
        (
            {"backoffLimit": {"maximum": 5}},
            {"backoffLimit": 20},
            "spec.backoffLimit: Invalid value: 20: must be less than or equal to 5 [JP002]",
        ),
        (
            {"backoffLimit": {"maximum": 5}},
            {},
            "spec.backoffLimit: Invalid value: 6: must be less than or equal to 5 [JP002]",
        ),
        (
            {"ttlSecondsAfterFinished": {"minimum": 60}},
            {"ttlSecondsAfterFinished": 0},
            "spec.ttlSecondsAfterFinished: Invalid value: 0: must be greater than or equal to 60 [JP001]",
        ),
        ({"ttlSecondsAfterFinished": {"minimum": 60}}, {}, None),
        (
            {"activeDeadlineSeconds": {"required": True, "maximum": 3600}},
            {},
            "spec.activeDeadlineSeconds: Required value: must be set [JP004]",
        ),
        (
            {"activeDeadlineSeconds": {"required": True, "maximum": 3600}},
            {"activeDeadlineSeconds": 3601},
            "spec.activeDeadlineSeconds: Invalid value: 3601: must be less than or equal to 3600 [JP002]",
        ),
        (
            {"managedBy": {"forbidden": True}},
            {"managedBy": "example.com/mine"},
            "spec.managedBy: Forbidden: may not be set [JP005]",
        ),
        ({"managedBy": {"forbidden": True}}, {}, None),
        (
            {"podReplacementPolicy": {"allowed": ["Failed"]}},
            {},
            'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": '
            'supported values: "Failed" [JP003]',
        ),
        ({"podReplacementPolicy": {"allowed": ["Failed"]}}, {"podReplacementPolicy": "Failed"}, None),
        (
            {"backoffLimit": {"allowed": [0, 3]}},
            {"backoffLimit": 1},
            "spec.backoffLimit: Invalid value: 1: must be 0 or 3 [JP003]",
        ),
        ({"backoffLimit": {"allowed": [0, 3]}}, {"backoffLimit": 0}, None),
        (
            {"suspend": {"allowed": [True]}},
            {},
            "spec.suspend: Invalid value: false: must be true [JP003]",
        ),
        (
            {"managedBy": {"allowed": ["kueue.x-k8s.io/*"]}},
            {"managedBy": "example.com/mine"},
            'spec.managedBy: Unsupported value: "example.com/mine": '
            'supported values: "kueue.x-k8s.io/*" [JP003]',
        ),
        (
            {"managedBy": {"allowed": ["kueue.x-k8s.io/*"]}},
            {"managedBy": "kueue.x-k8s.io/multikueue"},
            None,
        ),
        (
            {"managedBy": {"denied": ["example.com/*"]}},
            {"managedBy": "example.com/mine"},
            'spec.managedBy: Invalid value: "example.com/mine": may not be "example.com/*" [JP003]',
        ),
        (
            {"podFailurePolicy": {"required": True}},
            {},
            "spec.podFailurePolicy: Required value: must be set [JP004]",
        ),
        (
            {"backoffLimitPerIndex": {"required": True}},
            INDEXED,
            "spec.backoffLimitPerIndex: Required value: must be set in an Indexed Job [JP004]",
        ),
        ({"backoffLimitPerIndex": {"required": True}}, {}, None),
        ({"maxFailedIndexes": {"required": True}}, INDEXED, None),
        (
            {"maxFailedIndexes": {"required": True}},
            {**INDEXED, "backoffLimitPerIndex": 1},
            "spec.maxFailedIndexes: Required value: must be set beside backoffLimitPerIndex [JP004]",
        ),
        (
            {"maxFailedIndexes": {"maximum": "10%"}},
            {**INDEXED, "backoffLimitPerIndex": 1, "maxFailedIndexes": 6},
            "spec.maxFailedIndexes: Invalid value: 6: "
            "must be less than or equal to 10% of the 50 completions [JP002]",
        ),
        (
            {"maxFailedIndexes": {"maximum": "10%"}},
            {**INDEXED, "backoffLimitPerIndex": 1, "maxFailedIndexes": 5},
            None,
        ),
        (
            {"maxFailedIndexes": {"minimum": "10%"}},
            {**INDEXED, "backoffLimitPerIndex": 1, "maxFailedIndexes": 4},
            "spec.maxFailedIndexes: Invalid value: 4: "
            "must be greater than or equal to 10% of the 50 completions [JP001]",
        ),
    ],
)  # fmt: skip
def test_a_limit_of_a_job(limits: Any, spec: Any, expected: str | None) -> None:
    assert policy_messages(job(**spec), limits=limits) == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("limits", "pod", "expected"),
    [
        (
            {"restartPolicy": {"allowed": ["Never"]}},
            {"restartPolicy": "OnFailure"},
            'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": '
            'supported values: "Never" [JP003]',
        ),
        (
            {"terminationGracePeriodSeconds": {"maximum": 60}},
            {"terminationGracePeriodSeconds": 61},
            "spec.template.spec.terminationGracePeriodSeconds: Invalid value: 61: "
            "must be less than or equal to 60 [JP002]",
        ),
        (
            {"priorityClassName": {"denied": ["system-*", "urgent"]}},
            {"priorityClassName": "system-node-critical"},
            'spec.template.spec.priorityClassName: Invalid value: "system-node-critical": '
            'may not be any of "system-*", "urgent" [JP003]',
        ),
        (
            {"serviceAccountName": {"required": True}},
            {},
            "spec.template.spec.serviceAccountName: Required value: must be set [JP004]",
        ),
        (
            {"hostNetwork": {"allowed": [False]}},
            {"hostNetwork": True},
            "spec.template.spec.hostNetwork: Invalid value: true: must be false [JP003]",
        ),
        ({"hostNetwork": {"allowed": [False]}}, {}, None),
    ],
)  # fmt: skip
def test_a_limit_of_the_pod(limits: Any, pod: Any, expected: str | None) -> None:
    assert policy_messages(job(pod), limits={"pod": limits}) == (
        [] if expected is None else [expected]
    )


CONTAINERS: dict[str, Any] = {
    "securityContext": {"runAsUser": 7},
    "initContainers": [{"name": "init", "image": "busybox:1.36"}],
    "containers": [
        {
            "name": "main",
            "image": "busybox:1.36",
            "securityContext": {"runAsUser": 0, "capabilities": {"add": ["CHOWN", "ALL"]}},
        }
    ],
    "tolerations": [{"key": "spot", "operator": "Exists"}, {"operator": "Exists"}],
}


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (
            {"annotations": {"karpenter.sh/do-not-disrupt": {"required": True}}},
            ["metadata.annotations[karpenter.sh/do-not-disrupt]: Required value: must be set [JP004]"],
        ),
        (
            {"nodeSelector": {"pool": {"required": True}}},
            ["spec.nodeSelector[pool]: Required value: must be set [JP004]"],
        ),
        (
            {"labels": {"app": {"allowed": ["b*"]}}},
            ['metadata.labels[app]: Unsupported value: "etl": supported values: "b*" [JP003]'],
        ),
        (
            {"tolerations": {"allowed": ["spot"]}},
            ['spec.tolerations[1].key: Unsupported value: "": supported values: "spot" [JP003]'],
        ),
        (
            {"tolerations": {"denied": ["gpu"]}},
            ['spec.tolerations[1].key: Invalid value: "": may not be any of "gpu", "" [JP003]'],
        ),
        (
            {"tolerations": {"forbidden": True}},
            [f"spec.tolerations[{index}].key: Forbidden: may not be set [JP005]" for index in (0, 1)],
        ),
        (
            {"securityContext": {"runAsNonRoot": {"required": True}}},
            [
                f"spec.{name}[0].securityContext.runAsNonRoot: Required value: must be set [JP004]"
                for name in ("initContainers", "containers")
            ],
        ),
        (
            {"securityContext": {"runAsUser": {"required": True, "minimum": 1}}},
            [
                "spec.containers[0].securityContext.runAsUser: Invalid value: 0: "
                "must be greater than or equal to 1 [JP001]"
            ],
        ),
        (
            {"securityContext": {"runAsUser": {"minimum": 8}}},
            [
                f"spec.{place}securityContext.runAsUser: Invalid value: {value}: "
                "must be greater than or equal to 8 [JP001]"
                for place, value in (("", 7), ("containers[0].", 0))
            ],
        ),
        (
            {"securityContext": {"addedCapabilities": {"allowed": ["CHOWN"]}}},
            [
                "spec.containers[0].securityContext.capabilities.add[1]: "
                'Unsupported value: "ALL": supported values: "CHOWN" [JP003]'
            ],
        ),
        ({"securityContext": {"privileged": {"allowed": [False]}}}, []),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["Job", "CronJob"])
def test_a_limit_of_parts_of_the_pod(limits: Any, expected: list[str], kind: str) -> None:
    value = job(CONTAINERS)
    value["spec"]["template"]["metadata"] = {"labels": {"app": "etl"}}
    place = "spec.template"
    if kind == "CronJob":
        value, place = cron_job(value), "spec.jobTemplate.spec.template"
    found = policy_messages(value, limits={"pod": limits})
    assert found == [f"{place}.{each}" for each in expected]


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        ({"labels": {"a b": {"required": True}}}, "labels[a b]: no object can have this key"),
        ({"nodeSelector": {"a/b/c": {"required": True}}}, "nodeSelector[a/b/c]: no object can"),
        ({"tolerations": {"required": True}}, "tolerations.required: unknown field"),
        ({"tolerations": {"message": "No."}}, "tolerations: has no effect"),
        (
            {"securityContext": {"privileged": {"forbidden": True, "allowed": [False]}}},
            "securityContext.privileged.allowed: the value of a forbidden field cannot be limited",
        ),
        (
            {"securityContext": {"runAsUser": {"allowed": ["a"]}}},
            "securityContext.runAsUser.allowed",
        ),
    ],
)
def test_problems_of_limits_of_parts_of_the_pod(limits: Any, problem: str) -> None:
    (found,) = problems(limits={"pod": limits})
    assert found.startswith(f"spec.limits.pod.{problem}")


@pytest.mark.parametrize(
    ("limits", "spec", "expected"),
    [
        (
            {"timeZone": {"required": True}},
            {},
            "spec.timeZone: Required value: must be set [JP004]",
        ),
        (
            {"concurrencyPolicy": {"allowed": ["Forbid", "Replace"]}},
            {},
            'spec.concurrencyPolicy: Unsupported value: "Allow": '
            'supported values: "Forbid", "Replace" [JP003]',
        ),
        (
            {"successfulJobsHistoryLimit": {"maximum": 1}},
            {},
            "spec.successfulJobsHistoryLimit: Invalid value: 3: must be less than or equal to 1 [JP002]",
        ),
        (
            {"schedule": {"denied": ["[*] *"]}},
            {"schedule": "* * * * *"},
            'spec.schedule: Invalid value: "* * * * *": may not be "[*] *" [JP003]',
        ),
        ({"timeZone": {"allowed": ["Etc/UTC"]}}, {"timeZone": "Etc/UTC"}, None),
    ],
)  # fmt: skip
def test_a_limit_of_a_cron_job(limits: Any, spec: Any, expected: str | None) -> None:
    expectation = [] if expected is None else [expected]
    assert policy_messages(cron_job(**spec), limits={"cronJob": limits}) == expectation
    assert policy_messages(job(), limits={"cronJob": limits}) == [], "a Job has no such field"


def test_the_job_inside_a_cron_job_is_validated_with_the_defaults_that_it_will_have() -> None:
    limits = {"backoffLimit": {"maximum": 5}, "pod": {"restartPolicy": {"allowed": ["OnFailure"]}}}
    assert policy_messages(cron_job(), limits=limits) == [
        "spec.jobTemplate.spec.backoffLimit: backoffLimit is not set, so the API server sets 6, more than"
        " the 5 that policy house-rules allows. Set backoffLimit: 5. [JP002]",
        'spec.jobTemplate.spec.template.spec.restartPolicy: Unsupported value: "Never": '
        'supported values: "OnFailure" [JP003]',
    ]


def test_a_failure_policy_changes_the_replacement_that_a_cron_job_s_jobs_will_have() -> None:
    limits = {"podReplacementPolicy": {"allowed": ["Failed"]}}
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}
    with_policy = job(podFailurePolicy={"rules": [rule]})
    assert policy_messages(cron_job(with_policy), limits=limits) == []
    assert len(policy_messages(cron_job(), limits=limits)) == 1


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({}, ["metadata.labels[team]: Required value: must be set [JP004]"]),
        ({"labels": {"team": "ml-vision"}}, []),
        (
            {"labels": {"team": "web"}},
            [
                'metadata.labels[team]: Unsupported value: "web": '
                'supported values: "ml-*", "research" [JP003]'
            ],
        ),
        (
            {"labels": {"team": "research"}, "annotations": {"example.com/skip": "true"}},
            ["metadata.annotations[example.com/skip]: Forbidden: may not be set [JP005]"],
        ),
    ],
)
def test_a_limit_of_labels_and_annotations(metadata: Any, expected: list[str]) -> None:
    limits = {
        "labels": {"team": {"required": True, "allowed": ["ml-*", "research"]}},
        "annotations": {"example.com/skip": {"forbidden": True}},
    }
    assert policy_messages(job(metadata=metadata), limits=limits) == expected


def test_the_author_s_message_follows_the_violation() -> None:
    limits = {"backoffLimit": {"maximum": 2, "message": "Retries cost GPU hours."}}
    assert policy_messages(job(), limits=limits) == [
        "spec.backoffLimit: Invalid value: 6: must be less than or equal to 2 [JP002] "
        "Retries cost GPU hours."
    ]


def test_all_documents_apply_and_the_strictest_decides() -> None:
    held = policies(
        document("b", enforcement="warn", limits={"backoffLimit": {"maximum": 3}}),
        document("a", enforcement="deny", limits={"backoffLimit": {"maximum": 5}}),
    )
    assert policy_findings(held, job(backoffLimit=4)) == [
        "warn: spec.backoffLimit: Invalid value: 4: must be less than or equal to 3 [JP002]"
    ]
    assert [text.partition(":")[0] for text in policy_findings(held, job())] == ["deny", "warn"]


@given(value=st.integers(0, 2**31 - 1), least=st.integers(0, 10**6), span=st.integers(0, 10**6))
def test_a_number_is_rejected_exactly_outside_its_bounds(value: int, least: int, span: int) -> None:
    limits = {"ttlSecondsAfterFinished": {"minimum": least, "maximum": least + span}}
    kept = policy_messages(job(ttlSecondsAfterFinished=value), limits=limits) == []
    assert kept == (least <= value <= least + span)


@given(percent=st.integers(0, 100), completions=st.integers(1, 10**5))
def test_a_share_that_is_filled_in_keeps_the_same_share_as_a_limit(
    percent: int, completions: int
) -> None:
    share = f"{percent}%"
    spec = {
        **INDEXED,
        "completions": completions,
        "backoffLimitPerIndex": 1,
        "maxFailedIndexes": share_of(share, completions),
    }
    assert policy_messages(job(**spec), limits={"maxFailedIndexes": {"maximum": share}}) == []


SAMPLES = {
    "integer": {"maximum": 10},
    "boolean": {"allowed": [True, False]},
    "string": {"allowed": ["*"]},
    "object": {"required": True},
}


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_of_the_table_can_be_limited(name: str) -> None:
    field = FIELDS[name]
    limit = {"allowed": list(field.values)} if field.values else SAMPLES[field.kind]
    limits = {field.key: limit} if field.scope == "job" else {field.scope: {field.key: limit}}
    assert problems(limits=limits) == []


NO_LIMIT = 2**31 - 1
BESIDE_PER_INDEX = {**INDEXED, "backoffLimitPerIndex": 1}


@pytest.mark.parametrize("limit", [{"maximum": 3}, {"allowed": [0, 1]}])
@pytest.mark.parametrize("inside", [job, lambda **spec: cron_job(job(**spec))])
def test_a_limit_that_the_per_index_limit_replaces_is_no_violation(inside: Any, limit: Any) -> None:
    value = inside(**BESIDE_PER_INDEX)
    held = policies(limits={"backoffLimit": limit})
    assert held.evaluate(of_manifest(value, SERVER), SERVER).findings == ()
    assert policy_messages(with_traces(value), limits={"backoffLimit": limit}) == []


def test_a_backoff_limit_that_was_written_beside_a_per_index_limit_is_limited() -> None:
    limits = {"backoffLimit": {"maximum": 3}}
    assert policy_messages(job(**BESIDE_PER_INDEX, backoffLimit=9), limits=limits) == [
        "spec.backoffLimit: Invalid value: 9: must be less than or equal to 3 [JP002]"
    ]


def with_traces(value: Any, manifest: Any = None) -> Any:
    """An object as it reaches a webhook: after `kubectl apply` of a manifest, or after a plain create."""
    filled = jobsworth.default(value, kubernetes_version="1.36")
    entry = {"manager": "kubectl", "operation": "Update", "fieldsV1": {}}
    filled["metadata"] |= {"managedFields": [entry]}
    if manifest is not None:
        filled["metadata"]["annotations"] = {LAST_APPLIED: json.dumps(manifest)}
    return filled


def test_no_limit_at_all_is_a_violation_only_where_a_user_is_known_to_have_written_it() -> None:
    limits = {"backoffLimit": {"maximum": 3}}
    bare, written = job(**BESIDE_PER_INDEX), job(**BESIDE_PER_INDEX, backoffLimit=NO_LIMIT)
    assert policy_messages(with_traces(bare), limits=limits) == []
    assert policy_messages(with_traces(bare, bare), limits=limits) == []
    (text,) = policy_messages(with_traces(written, written), limits=limits)
    assert text.startswith(f"spec.backoffLimit: Invalid value: {NO_LIMIT}: ")


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (
            {"backoffLimit": {"maximum": 3}},
            "spec.backoffLimit: backoffLimit is not set, so the API server sets 6, more than the 3 that"
            " policy house-rules allows. Set backoffLimit: 3. [JP002]",
        ),
        (
            {"backoffLimit": {"minimum": 8}},
            "spec.backoffLimit: backoffLimit is not set, so the API server sets 6, less than the 8 that"
            " policy house-rules requires. Set backoffLimit: 8. [JP001]",
        ),
        (
            {"completionMode": {"allowed": ["Indexed"]}},
            "spec.completionMode: completionMode is not set, so the API server sets NonIndexed, which"
            " policy house-rules does not allow. Set completionMode: Indexed. [JP003]",
        ),
        (
            {"backoffLimit": {"allowed": [0, 1]}},
            "spec.backoffLimit: backoffLimit is not set, so the API server sets 6, which policy"
            " house-rules does not allow. Set backoffLimit to 0 or 1. [JP003]",
        ),
        (
            {"pod": {"terminationGracePeriodSeconds": {"minimum": 60}}},
            "spec.template.spec.terminationGracePeriodSeconds: terminationGracePeriodSeconds is not set,"
            " so the API server sets 30, less than the 60 that policy house-rules requires. Set"
            " terminationGracePeriodSeconds: 60. [JP001]",
        ),
        (
            {"suspend": {"allowed": [True]}},
            "spec.suspend: suspend is not set, so the API server sets false, which policy house-rules"
            " does not allow. Set suspend: true. [JP003]",
        ),
    ],
)
def test_a_violation_of_a_default_says_that_the_field_is_not_set(
    limits: dict[str, Any], expected: str
) -> None:
    held = policies(limits=limits)
    request = of_manifest(job(), SERVER)
    (verdict,) = held.evaluate(request, SERVER).findings
    assert str(verdict) == expected
    assert "(policy house-rules)" not in verdict.finding.message
    (applied,) = policy_messages(with_traces(job(), job()), limits=limits)
    assert applied == expected


def test_in_a_cron_job_what_is_absent_was_not_written() -> None:
    (text,) = policy_messages(with_traces(cron_job(job())), limits={"backoffLimit": {"maximum": 3}})
    assert "backoffLimit is not set, so the API server sets 6" in text


def test_where_the_writer_of_a_default_is_unknown_the_hint_says_so() -> None:
    (text,) = policy_messages(with_traces(job()), limits={"backoffLimit": {"maximum": 3}})
    assert text == (
        "spec.backoffLimit: Invalid value: 6: must be less than or equal to 3 [JP002] "
        "If backoffLimit is not set, the API server sets 6. Set backoffLimit: 3."
    )
