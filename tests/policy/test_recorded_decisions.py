"""Whether policies apply, what their defaults do, and why, as tables to read.

To renew the tables after an intended change: ``JOBSWORTH_RENEW=1 pytest tests/policy/test_recorded_decisions.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from jobsworth.policy.matching import CRITERIA, matching
from jobsworth.policy.request import PolicyRequest
from jobsworth.policy.violation import CODES, pages_of
from support.policy.policy_requests import (
    SERVER,
    cron_job,
    document,
    job,
    of_manifest,
    policies,
    requested,
)
from support.recorded_text import expect_recorded

RECORDED = Path(__file__).parent / "data"

LABELED = job(metadata={"labels": {"team": "ml"}, "generateName": "train-"})
del LABELED["metadata"]["name"]
OWNED = job(
    metadata={
        "ownerReferences": [
            {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "run", "uid": "1"}
        ]
    }
)
REQUESTS: dict[str, PolicyRequest] = {
    "a manifest": of_manifest(job()),
    "a new Job": requested(LABELED, user="ann", groups=["ops", "ml"], namespace_labels={"a": "b"}),
    "a Job of a JobSet": requested(OWNED, user="system:serviceaccount:jobset:manager"),
    "a CronJob": requested(cron_job(), user="ann", namespace_labels={}),
    "a Job that loses its label": requested(job(), job(metadata={"labels": {"team": "ml"}})),
}
VALUES: dict[str, list[Any]] = {
    "kinds": [["Job"], ["CronJob"]],
    "operations": [["CREATE"], ["UPDATE"]],
    "namespaces": [["default", "ml-*"], ["prod"]],
    "namespaceSelector": [
        {"matchLabels": {"a": "b"}},
        {"matchLabels": {"kubernetes.io/metadata.name": "default"}},
        {"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]},
    ],
    "names": [["train*"], ["other"]],
    "objectSelector": [
        {"matchLabels": {"team": "ml"}},
        {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["ml"]}]},
    ],
    "owners": [["JobSet"], ["Work*"]],
    "users": [["ann"], ["system:*"]],
    "groups": [["ops"], ["dev"]],
}


def decisions(title: str, match: list[Any], exempt: list[Any]) -> Iterator[str]:
    yield title
    compiled = matching(match, exempt)
    for name, request in REQUESTS.items():
        decided = compiled.decide(request)
        outcome = "applies" if decided.applies else "does not apply"
        sure = "" if decided.certain else ", perhaps"
        yield f"    {name}: {outcome}{sure}: {decided.because}"


def test_each_criterion_decides_and_explains_as_recorded() -> None:
    assert VALUES.keys() == CRITERIA.keys()

    def lines() -> Iterator[str]:
        yield from decisions("nothing", [], [])
        for name, values in VALUES.items():
            for value in values:
                yield from decisions(f"match {name}: {value}", [{name: value}], [])
                yield from decisions(f"exempt {name}: {value}", [], [{name: value}])
        several = [{"kinds": ["CronJob"]}, {"namespaces": ["default"], "users": ["ann"]}]
        yield from decisions(f"match {several}", several, [])
        yield from decisions(f"exempt {several}", [], several)

    expect_recorded(RECORDED / "decisions.txt", lines())


IGNORE_DISRUPTIONS = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
WRONG_USAGE = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [2]}}
PRESENT: dict[str, dict[str, Any]] = {
    "a new Job": job(),
    "one with values": job(
        metadata={"labels": {"tier": "mine"}, "annotations": {"contact": "batch"}},
        activeDeadlineSeconds=60,
        suspend=False,
        backoffLimit=6,
    ),
    "an indexed one": job(completionMode="Indexed", completions=3, backoffLimitPerIndex=2),
    "one that is invalid already": job(
        completionMode="Indexed", completions=3, backoffLimitPerIndex=2, backoffLimit=-1
    ),
    "one with a failure policy": job(podFailurePolicy={"rules": [WRONG_USAGE]}),
    "a CronJob": cron_job(job(backoffLimit=0)),
}
WHENS = (None, "ifUnset", "ifServerDefault", "always")
DEFAULTS: dict[str, Any] = {
    "activeDeadlineSeconds": 60,
    "annotations": {"contact": "batch"},
    "backoffLimit": 2,
    "backoffLimitPerIndex": 1,
    "labels": {"tier": "batch"},
    "managedBy": "example.com/queue",
    "maxFailedIndexes": 5,
    "podFailurePolicy": {"value": {"rules": [IGNORE_DISRUPTIONS]}},
    "podReplacementPolicy": "TerminatingOrFailed",
    "suspend": True,
    "ttlSecondsAfterFinished": 60,
}


def with_when(when: str | None, value: Any) -> Any:
    conditions = {} if when is None else {"when": when}
    if isinstance(value, dict) and "value" in value:
        return {**value, **conditions}
    if isinstance(value, dict):
        return {key: {"value": one, **conditions} for key, one in value.items()}
    return {"value": value, **conditions}


def test_each_default_is_set_skipped_or_rejected_as_recorded() -> None:
    def lines() -> Iterator[str]:
        for when, (title, value) in product(WHENS, PRESENT.items()):
            defaults = {name: with_when(when, one) for name, one in DEFAULTS.items()}
            held = policies(
                document("first", defaults=defaults),
                document(
                    "second",
                    defaults={"suspend": {"value": False}, "labels": {"tier": {"value": "other"}}},
                ),
            )
            for old in (
                None,
                {**value, "metadata": {**value["metadata"], "labels": {"tier": "old"}}},
            ):
                request = replace(of_manifest(value, SERVER, old), manifest=None)
                mutation = held.default(request, SERVER)
                yield f"{title}, {'updated' if old else 'created'}, when: {when}"
                yield from (f"    {each}" for each in mutation.applied)
                yield from (f"    rejected: {each}" for each in mutation.rejected)
                yield from (f"    skipped: {': '.join(each)}" for each in mutation.skipped)

    expect_recorded(RECORDED / "defaults_by_when.txt", lines())


def test_codes_have_the_recorded_names() -> None:
    assert pages_of(["JP000"]) is None
    table = pages_of(["JP"])
    pages = pages_of(list(CODES))
    assert table is not None
    assert pages is not None
    expect_recorded(RECORDED / "codes.txt", [*table.splitlines(), *pages.splitlines()])
