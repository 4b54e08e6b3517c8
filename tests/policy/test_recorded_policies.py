"""A policy with everything: its problems after small mistakes, and its effect on changed Jobs, as tables to read.

To renew the tables after an intended change: ``JOBSWORTH_RENEW=1 pytest tests/policy/test_recorded_policies.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from jobsworth.policy.consistency import inconsistencies
from jobsworth.policy.policy_fields import FIELDS
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.violation import CODES
from support.evaluation.mistakes import CRON_JOB, JOB, mistakes_in
from support.lint.changed_examples import changes_of
from support.policy.policy_requests import (
    SERVER,
    document,
    of_manifest,
    policies,
    policy_findings,
    problems,
    requested,
)
from support.policy.policy_with_everything import (
    DEFAULTING,
    DEFAULTS,
    DISRUPTIONS,
    LIMITING,
    LIMITS,
)
from support.recorded_text import expect_recorded

RECORDED = Path(__file__).parent / "data"


@pytest.mark.slow
@pytest.mark.parametrize("policy", [LIMITING, DEFAULTING], ids=["limits", "defaults"])
def test_mistakes_in_a_policy_have_the_recorded_problems(policy: dict[str, Any]) -> None:
    assert problems(policy) == []
    lines = (
        line
        for mistake, changed in islice(mistakes_in(policy), 0, None, 5)
        if (found := problems(changed))
        for line in (mistake, *(f"    {each}" for each in found))
    )
    expect_recorded(RECORDED / f"mistakes_in_{policy['metadata']['name']}.txt", lines)


def in_default(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "metadata": {**value.get("metadata", {}), "namespace": "default"}}


def effects(held: PolicySet, value: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    for finding in policy_findings(held, in_default(value), old):
        yield f"    {finding}"


def defaults_in(
    held: PolicySet, value: dict[str, Any], old: dict[str, Any] | None
) -> Iterator[str]:
    mutation = held.default(of_manifest(in_default(value), SERVER, old), SERVER)
    yield from (f"    {each}" for each in mutation.applied)
    yield from (f"    rejected: {each}" for each in mutation.rejected)
    yield from (f"    skipped: {' '.join(each)}" for each in mutation.skipped)
    yield from (f"    restored: {each}" for each in mutation.restored)
    if mutation.applied:
        spec = mutation.object["spec"]
        yield f"    {json.dumps({name: spec[name] for name in spec if 'emplate' not in name})}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "update"),
    [(JOB, False), (JOB, True), (CRON_JOB, False)],
    ids=["a new Job", "an updated Job", "a new CronJob"],
)
@pytest.mark.parametrize("policy", [LIMITING, DEFAULTING], ids=["limits", "defaults"])
def test_changed_jobs_get_the_recorded_violations_and_defaults(
    policy: dict[str, Any], value: dict[str, Any], update: bool
) -> None:
    held = policies(policy)
    old = in_default(value) if update else None
    result = effects if policy is LIMITING else defaults_in
    unchanged = tuple(result(held, value, old))

    def lines() -> Iterator[str]:
        yield "unchanged"
        yield from unchanged
        others: dict[tuple[str, ...], list[str]] = {}
        for change, changed in changes_of(value):
            found = tuple(result(held, changed, old))
            if found != unchanged:
                others.setdefault(found, []).append(change)
        for found, leading in others.items():
            yield from leading
            yield from (line for line in found if line not in unchanged)
            yield from (f"    no longer: {line.strip()}" for line in unchanged if line not in found)

    title = f"{policy['metadata']['name']}_of_{'updated' if update else 'new'}_{value['kind']}"
    expect_recorded(RECORDED / "effects" / f"{title}.txt", lines())


@pytest.mark.slow
def test_violations_have_the_recorded_reasons_and_hints() -> None:
    held = policies(LIMITING)
    changed = (each for value in (JOB, CRON_JOB) for _, each in changes_of(value))
    found = {
        (finding.code, finding.severity, finding.source, finding.reason, finding.hint)
        for value in changed
        for finding in (
            each.finding for each in held.evaluate(requested(in_default(value)), SERVER).findings
        )
    }
    expect_recorded(RECORDED / "reasons.txt", (": ".join(each) for each in sorted(found)))


KEYS: dict[str, Any] = {
    "minimum": 1,
    "maximum": 3,
    "allowed": ["Other"],
    "denied": ["a*"],
    "required": True,
    "forbidden": True,
}


def limits_of_every_field(key: str, value: Any) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    for name in FIELDS:
        scope, dot, field = name.rpartition(".")
        holder = limits.setdefault(scope, {}) if dot else limits
        holder[field] = {key: value}
    return limits


def test_each_limit_of_each_field_has_the_recorded_problems() -> None:
    lines = (
        line
        for key, value in KEYS.items()
        for line in (
            f"{key}: {value}",
            *(f"    {each}" for each in problems(limits=limits_of_every_field(key, value))),
        )
    )
    expect_recorded(RECORDED / "limits_of_every_field.txt", lines)


def test_every_field_can_be_immutable() -> None:
    expect_recorded(
        RECORDED / "immutable_fields.txt",
        [*FIELDS, *problems(immutable=[{"field": name} for name in FIELDS])],
    )


def test_defaults_that_limits_reject_are_the_recorded_ones() -> None:
    strict = document("strict", limits={**LIMITS, "labels": {"team": {"required": True}}})
    own = {"suspend": {"allowed": [False]}, "ttlSecondsAfterFinished": {"minimum": 100_000}}
    found = problems(strict, document("defaults", defaults=DEFAULTS, limits=own))
    expect_recorded(RECORDED / "rejected_defaults.txt", found)


def test_defaults_that_break_limits_in_some_jobs_are_the_recorded_ones() -> None:
    shared = {"podFailurePolicy": {"maximumRules": 1}, "backoffLimit": {"maximum": 3}}
    own = {
        "maxFailedIndexes": {"minimum": 1, "maximum": 5},
        "podReplacementPolicy": {"allowed": ["Failed"]},
    }
    defaults = {
        "backoffLimit": {"value": 2},
        "podReplacementPolicy": {"value": "Failed"},
        "backoffLimitPerIndex": {"value": 1},
        "maxFailedIndexes": {"value": "10%"},
        "podFailurePolicy": {"rulesBefore": [DISRUPTIONS]},
    }
    held = policies(
        document("shared", limits=shared, rules={"JW201": "deny", "JW204": "warn"}),
        document("own", limits=own, defaults=defaults),
        document("jobs", match=[{"kinds": ["Job"]}], limits=own, defaults=defaults),
        document("cron-jobs", match=[{"kinds": ["CronJob"]}], limits=own, defaults=defaults),
    )
    expect_recorded(RECORDED / "inconsistencies.txt", map(str, inconsistencies(held, SERVER)))


def test_the_page_has_every_code_and_no_other() -> None:
    page = (Path(__file__).parents[2] / "docs/policy.md").read_text("utf-8")
    rows = [line.split("|")[1:3] for line in page.splitlines() if line.startswith("| `JP")]
    assert {code.strip(" `"): meaning.strip() for code, meaning in rows} == CODES
