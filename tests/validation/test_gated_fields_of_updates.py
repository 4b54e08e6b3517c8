"""While a gate is off, an update keeps the fields of it that the stored object has (recorded: tests/recorded)."""

from __future__ import annotations

from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.validation.engine import engine_for
from support.api_server.stored_objects import manifest, stored
from support.validation.engine_errors import errors_of, server

PER_INDEX = {
    "completionMode": "Indexed",
    "completions": 3,
    "parallelism": 1,
    "backoffLimitPerIndex": 1,
    "maxFailedIndexes": 1,
}
RULE = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}
PER_INDEX_OFF = server("1.30", {"JobBackoffLimitPerIndex": False})
IMMUTABLE = "field is immutable"


def stored_job(release: str = "1.30", **spec: Any) -> dict[str, Any]:
    """A Job as a server of the release stores it while every gate of its fields is on."""
    return stored(manifest(**spec), release=release)


def changed(job: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """The Job with other fields of its spec; without those that are None."""
    merged = {**job["spec"], **spec}
    return {**job, "spec": {name: part for name, part in merged.items() if part is not None}}


def dropped(job: dict[str, Any], old: dict[str, Any] | None, at: ApiServer) -> list[str]:
    """Return the fields of which a warning says that they are dropped."""
    findings = engine_for(at).validate(job, old)
    return [finding.field or "" for finding in findings if finding.reason == "FieldDropped"]


def test_a_stored_limit_per_index_stays_and_cannot_change() -> None:
    old = stored_job(**PER_INDEX)
    assert errors_of(old, old, at=PER_INDEX_OFF) == set()
    assert dropped(old, old, PER_INDEX_OFF) == []
    for other in (2, None):
        fields = {
            field
            for field, message in errors_of(
                changed(old, backoffLimitPerIndex=other, maxFailedIndexes=None),
                old,
                at=PER_INDEX_OFF,
            )
            if message.endswith(IMMUTABLE)
        }
        assert fields == {"spec.backoffLimitPerIndex"}


def test_a_stored_maximum_of_failed_indexes_can_change() -> None:
    old = stored_job(**PER_INDEX)
    for other in (2, None):
        assert errors_of(changed(old, maxFailedIndexes=other), old, at=PER_INDEX_OFF) == set()


def test_limits_that_are_not_stored_are_dropped_one_by_one() -> None:
    old = stored_job(**{**PER_INDEX, "maxFailedIndexes": None})
    new = changed(old, maxFailedIndexes=2)
    assert errors_of(new, old, at=PER_INDEX_OFF) == set()
    assert dropped(new, old, PER_INDEX_OFF) == ["spec.maxFailedIndexes"]
    bare = stored_job()
    new = changed(bare, backoffLimitPerIndex=1)
    assert errors_of(new, bare, at=PER_INDEX_OFF) == set()
    assert dropped(new, bare, PER_INDEX_OFF) == ["spec.backoffLimitPerIndex"]


def test_a_stored_failure_policy_stays_and_cannot_change() -> None:
    at = server("1.30", {"JobPodFailurePolicy": False})
    old = stored_job(podFailurePolicy={"rules": [RULE]})
    assert errors_of(old, old, at=at) == set()
    other = {"rules": [{**RULE, "action": "Count"}]}
    for policy in (other, None):
        new = changed(old, podFailurePolicy=policy)
        assert {field for field, _ in errors_of(new, old, at=at)} == {"spec.podFailurePolicy"}


def test_a_stored_replacement_policy_can_change() -> None:
    at = server("1.30", {"JobPodReplacementPolicy": False})
    old = stored_job(podReplacementPolicy="Failed")
    assert errors_of(changed(old, podReplacementPolicy="TerminatingOrFailed"), old, at=at) == set()
    assert errors_of(changed(old, podReplacementPolicy=None), old, at=at) == set()
    wrong = errors_of(changed(old, podReplacementPolicy="Sometimes"), old, at=at)
    assert {field for field, _ in wrong} == {"spec.podReplacementPolicy"}


def test_an_update_does_not_drop_who_manages_a_job() -> None:
    at = server("1.32", {"JobManagedBy": False})
    old = stored_job("1.32")
    assert errors_of(changed(old, managedBy="acme.io/jobs"), old, at=at) == {
        ("spec.managedBy", f'Invalid value: "acme.io/jobs": {IMMUTABLE}')
    }


def test_a_field_of_the_pod_stays_while_any_container_has_one_of_the_gate() -> None:
    at = server("1.36", {"HostnameOverride": False})
    template = manifest()["spec"]["template"]
    pod = {**template["spec"], "hostnameOverride": "sample"}
    old = stored_job("1.36", template={**template, "spec": pod})
    assert errors_of(old, old, at=at) == set()
    without = {
        key: part
        for key, part in old["spec"]["template"]["spec"].items()
        if key != "hostnameOverride"
    }
    new = changed(old, template={**old["spec"]["template"], "spec": without})
    assert {field for field, _ in errors_of(new, old, at=at)} == {"spec.template"}


def test_rules_that_fail_an_index_are_dropped_from_a_new_job_with_a_warning() -> None:
    at = server("1.28")
    fail_index = {**RULE, "action": "FailIndex"}
    new = manifest(podFailurePolicy={"rules": [RULE, fail_index]})
    assert errors_of(new, at=at) == set()
    assert dropped(new, None, at) == ["spec.podFailurePolicy.rules[1]"]
    assert engine_for(at).default(new)["spec"]["podFailurePolicy"]["rules"] == [RULE]
