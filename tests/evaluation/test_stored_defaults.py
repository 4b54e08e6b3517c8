"""The defaults that stored objects lack, planned for a server-side apply."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.stored_defaults import DefaultsPlan, plan_defaults
from jobsworth.policy.reader import read
from jobsworth.provenance.field_ownership import field_ownership
from jobsworth.validation.engine import engine_for
from support.api_server.stored_objects import cron_manifest, manifest

SERVER = ApiServer("1.36")
TTL = {"ttlSecondsAfterFinished": {"value": 3600, "when": "ifUnset"}}
CREATED = {
    "manager": "kubectl-create",
    "operation": "Update",
    "fieldsV1": {"f:spec": {"f:suspend": {}}},
}
OWN = {
    "manager": "jobsworth-policy",
    "operation": "Apply",
    "fieldsV1": {"f:spec": {"f:ttlSecondsAfterFinished": {}}},
}


def stored(value: dict[str, Any], *entries: dict[str, Any], **status: Any) -> dict[str, Any]:
    found: dict[str, Any] = engine_for(SERVER).default(value)
    by_server = {"namespace": "batch", "uid": "1", "creationTimestamp": "2026-01-15T08:00:00Z"}
    found["metadata"] |= {**by_server, "managedFields": [CREATED, *entries]}
    return {**found, "status": status}


def unset(value: dict[str, Any]) -> dict[str, Any]:
    """The manifest without ttlSecondsAfterFinished."""
    value = deepcopy(value)  # manifests share their parts
    job = value["spec"] if value["kind"] == "Job" else value["spec"]["jobTemplate"]["spec"]
    del job["ttlSecondsAfterFinished"]
    return value


def planned(obj: dict[str, Any], defaults: Any = TTL, **spec: Any) -> DefaultsPlan:
    document = {
        "apiVersion": "jobsworth.dev/v1alpha1",
        "kind": "JobPolicy",
        "metadata": {"name": "cleanup"},
        "spec": {"reconcile": "apply", "defaults": defaults, **spec},
    }
    return plan_defaults(obj, read([document]), SERVER)


def test_a_job_that_has_not_started_gets_the_defaults_that_it_lacks() -> None:
    plan = planned(stored(unset(manifest())))
    assert plan.text == "spec.ttlSecondsAfterFinished: unset → 3600 (policy cleanup)"
    assert plan.body is not None
    assert plan.body["spec"] == {"ttlSecondsAfterFinished": 3600}
    assert plan.body["metadata"] == {"name": "train", "namespace": "batch", "uid": "1"}


def test_a_cron_job_gets_them_in_its_template() -> None:
    plan = planned(stored(unset(cron_manifest())))
    assert plan.text.startswith("spec.jobTemplate.spec.ttlSecondsAfterFinished: unset → 3600")


def test_a_policy_that_only_reports_changes_nothing() -> None:
    assert planned(stored(manifest()), reconcile="report") == DefaultsPlan()


@pytest.mark.parametrize("status", [{"startTime": "2026-01-15T08:00:00Z"}, {"active": 1}])
def test_a_job_that_has_started_keeps_what_it_has(status: dict[str, Any]) -> None:
    assert planned(stored(manifest(), **status)) == DefaultsPlan()


def test_what_a_client_wrote_stays() -> None:
    assert planned(stored(manifest(ttlSecondsAfterFinished=60))).changes == ()


def test_what_was_applied_before_is_kept_and_is_no_change() -> None:
    plan = planned(stored(manifest(ttlSecondsAfterFinished=3600), OWN))
    assert plan.changes == ()
    assert plan.body is not None
    assert plan.body["spec"] == {"ttlSecondsAfterFinished": 3600}


def test_a_changed_policy_changes_what_it_applied_before() -> None:
    plan = planned(stored(manifest(ttlSecondsAfterFinished=60), OWN))
    assert plan.text == "spec.ttlSecondsAfterFinished: 60 → 3600 (policy cleanup)"


def test_a_field_that_another_manager_owns_too_is_not_replaced() -> None:
    other = {**OWN, "manager": "argocd"}
    plan = planned(stored(manifest(ttlSecondsAfterFinished=60), OWN, other))
    assert plan.changes == ()


def test_a_stored_job_gets_no_default_for_an_immutable_field() -> None:
    immutable = {
        "backoffLimitPerIndex": {"value": 1, "when": "ifUnset"},
        "podFailurePolicy": {
            "rulesBefore": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
        },
    }
    indexed = manifest(completionMode="Indexed", completions=3)
    assert planned(stored(indexed), immutable).changes == ()


def test_labels_are_applied_and_shown() -> None:
    plan = planned(
        stored(manifest()), {"labels": {"team.example/name": {"value": "a", "when": "ifUnset"}}}
    )
    assert plan.text == "metadata.labels[team.example/name]: unset → a (policy cleanup)"
    assert plan.body is not None
    assert plan.body["metadata"]["labels"] == {"team.example/name": "a"}


def test_what_a_policy_applied_is_not_what_a_client_wrote() -> None:
    found = field_ownership(stored(manifest(), OWN))
    assert not found.known
    assert not found.has(("spec", "ttlSecondsAfterFinished"))
