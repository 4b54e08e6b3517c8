"""The defaults that stored objects lack, planned for a server-side apply."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.defaults_plan import DefaultsPlan, plan_defaults
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


POD: dict[str, Any] = {
    "nodeSelector": {"pool": {"value": "batch"}},
    "tolerations": {"value": [{"key": "gpu", "operator": "Exists"}]},
    "containers": {"*": {"env": {"value": [{"name": "TZ", "value": "UTC"}]}}},
}
OWN_POD_FIELDS = {
    "f:nodeSelector": {},
    "f:tolerations": {},
    "f:containers": {
        'k:{"name":"main"}': {
            ".": {},
            "f:name": {},
            "f:env": {'k:{"name":"TZ"}': {".": {}, "f:name": {}, "f:value": {}}},
        }
    },
}


def pod_of(value: Any) -> Any:
    return value["spec"]["jobTemplate"]["spec"]["template"]["spec"]


def test_a_cron_job_gets_those_of_its_pods_with_the_whole_of_what_an_apply_does_not_merge() -> None:
    value = deepcopy(cron_manifest())
    pod_of(value)["nodeSelector"] = {"zone": "a"}
    plan = planned(stored(value), {"pod": POD})
    (container,) = [one["name"] for one in pod_of(value)["containers"]]
    assert plan.body is not None
    assert pod_of(plan.body) == {
        "nodeSelector": {"zone": "a", "pool": "batch"},
        "tolerations": [{"key": "gpu", "operator": "Exists"}],
        "containers": [{"name": container, "env": [{"name": "TZ", "value": "UTC"}]}],
    }
    assert [change.before for change in plan.changes] == [None] * 3
    assert planned(stored(manifest()), {"pod": POD}).changes == ()


def test_those_of_its_pods_stay_applied_and_a_changed_policy_changes_them() -> None:
    value = deepcopy(cron_manifest())
    pod_of(value)["nodeSelector"] = {"pool": "batch"}
    pod_of(value)["tolerations"] = [{"key": "gpu", "operator": "Exists"}]
    (container,) = pod_of(value)["containers"]
    container["env"] = [{"name": "TZ", "value": "UTC"}]
    fields = {"f:spec": {"f:jobTemplate": {"f:spec": {"f:template": {"f:spec": OWN_POD_FIELDS}}}}}
    creator_owns: Any = {"k:" + json.dumps({"name": container["name"]}): {".": {}, "f:name": {}}}
    created: Any = {"f:template": {"f:spec": {"f:containers": creator_owns}}}
    entries = [
        {**OWN, "fieldsV1": fields},
        {**CREATED, "fieldsV1": {"f:spec": {"f:jobTemplate": {"f:spec": created}}}},
    ]
    plan = planned(stored(value, *entries), {"pod": POD})
    assert plan.changes == ()
    assert plan.body is not None
    assert pod_of(plan.body)["containers"] == [{"name": container["name"], "env": container["env"]}]
    other = {**POD, "containers": {"*": {"env": {"value": [{"name": "TZ", "value": "CET"}]}}}}
    (change,) = planned(stored(value, *entries), {"pod": other}).changes
    assert (change.before, change.after) == (
        {"name": "TZ", "value": "UTC"},
        {"name": "TZ", "value": "CET"},
    )
