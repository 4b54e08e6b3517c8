"""Fields that a policy keeps from changing."""

from __future__ import annotations

from typing import Any

import pytest

from support.policy.policy_requests import cron_job, job, policies, policy_findings, policy_messages

FAILED = {"podReplacementPolicy": "Failed"}


@pytest.mark.parametrize(
    ("immutable", "before", "after", "expected"),
    [
        ([{"field": "podReplacementPolicy"}], FAILED, FAILED, None),
        (
            [{"field": "podReplacementPolicy"}],
            FAILED,
            {"podReplacementPolicy": "TerminatingOrFailed"},
            'spec.podReplacementPolicy: Invalid value: "TerminatingOrFailed": may not be changed: '
            'it was "Failed" [JP030]',
        ),
        (
            [{"field": "backoffLimit"}],
            {},
            {"backoffLimit": 6},
            None,
        ),
        (
            [{"field": "activeDeadlineSeconds"}],
            {"activeDeadlineSeconds": 60},
            {},
            "spec.activeDeadlineSeconds: Invalid value: null: may not be changed: it was 60 [JP030]",
        ),
        (
            [{"field": "ttlSecondsAfterFinished"}],
            {},
            {"ttlSecondsAfterFinished": 60},
            "spec.ttlSecondsAfterFinished: Invalid value: 60: may not be changed: it was unset [JP030]",
        ),
        ([{"field": "parallelism", "unlessSuspended": True}], {"suspend": True}, {"parallelism": 4}, None),
        (
            [{"field": "parallelism", "unlessSuspended": True}],
            {},
            {"parallelism": 4, "suspend": True},
            "spec.parallelism: Invalid value: 4: may not be changed, unless it is suspended: "
            "it was 1 [JP030]",
        ),
        (
            [{"field": "maxFailedIndexes", "message": "Start another Job."}],
            {"maxFailedIndexes": 1},
            {"maxFailedIndexes": 2},
            "spec.maxFailedIndexes: Invalid value: 2: may not be changed: it was 1 [JP030] "
            "Start another Job.",
        ),
    ],
)  # fmt: skip
def test_a_field_of_a_job(immutable: Any, before: Any, after: Any, expected: str | None) -> None:
    found = policy_messages(job(**after), job(**before), immutable=immutable)
    assert found == ([] if expected is None else [expected])


def test_a_label_or_annotation() -> None:
    immutable = [{"label": "example.com/team"}, {"annotation": "cost-centre"}]
    before = job(metadata={"labels": {"example.com/team": "a"}})
    after = job(metadata={"labels": {"example.com/team": "b"}, "annotations": {"cost-centre": "7"}})
    assert policy_messages(after, before, immutable=immutable) == [
        'metadata.labels[example.com/team]: Invalid value: "b": may not be changed: it was "a" [JP030]',
        'metadata.annotations[cost-centre]: Invalid value: "7": may not be changed: it was unset [JP030]',
    ]


def test_a_cron_job_is_compared_in_its_own_fields_only() -> None:
    immutable = [{"field": "backoffLimit"}, {"field": "cronJob.timeZone"}]
    before = cron_job(job(), timeZone="Etc/UTC")
    after = cron_job(job(backoffLimit=1), timeZone="Europe/Berlin")
    assert policy_messages(after, before, immutable=immutable) == [
        'spec.timeZone: Invalid value: "Europe/Berlin": may not be changed: it was "Etc/UTC" [JP030]'
    ]


def test_creating_changes_nothing() -> None:
    assert policy_messages(job(backoffLimit=1), immutable=[{"field": "backoffLimit"}]) == []


def test_a_policy_that_only_warns_lets_the_change_pass() -> None:
    held = policies(enforcement="warn", immutable=[{"field": "backoffLimit"}])
    (text,) = policy_findings(held, job(backoffLimit=1), job(backoffLimit=2))
    assert text.startswith("warn: spec.backoffLimit")


def test_a_list_or_mapping_is_not_repeated_in_the_message() -> None:
    rule = {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [1]}}
    before, after = job(podFailurePolicy={"rules": [rule]}), job()
    (text,) = policy_messages(after, before, immutable=[{"field": "podFailurePolicy"}])
    assert text.endswith("may not be changed: it was another value [JP030]")
