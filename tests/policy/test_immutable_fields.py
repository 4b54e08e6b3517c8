"""Immutable fields that a policy changed at creation, when a manifest is applied again."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

from jobsworth.policy.mutation.immutable_fields import ANNOTATION
from jobsworth.policy.mutation.mutation import Mutation
from jobsworth.policy.request import UPDATE
from support.policy.kubectl_requests import WAYS, kubectl_request
from support.policy.policy_requests import SERVER, cron_job, job, policies

IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
COUNT = {"action": "Count", "onExitCodes": {"operator": "In", "values": [1]}}
FAIL = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
FIRST = {"podFailurePolicy": {"rulesBefore": [IGNORE]}}
LATER = {"podFailurePolicy": {"rulesAfter": [FAIL]}}
SENT = job(podFailurePolicy={"rules": [COUNT]})


def created(manifest: dict[str, Any], way: str, defaults: dict[str, Any]) -> dict[str, Any]:
    """The object that a policy's defaults make of a new manifest."""
    held = policies(defaults=defaults)
    return copy.deepcopy(held.default(kubectl_request(manifest, way), SERVER).object)


def applied_again(
    stored: dict[str, Any], manifest: dict[str, Any], way: str, defaults: dict[str, Any]
) -> Mutation:
    """What becomes of a manifest's fields that a client sends for a stored object."""
    request = kubectl_request(manifest, way)
    sent = {name: request.object["spec"][name] for name in manifest["spec"]}
    update = {**stored, "spec": {**stored["spec"], **sent}}
    held = policies(defaults=defaults)
    return held.default(replace(request, operation=UPDATE, object=update, old=stored), SERVER)


@pytest.mark.parametrize("way", WAYS[1:])
@pytest.mark.parametrize("defaults", [FIRST, LATER, {"ttlSecondsAfterFinished": {"value": 60}}])
def test_they_keep_their_stored_values(way: str, defaults: dict[str, Any]) -> None:
    stored = created(SENT, way, FIRST)
    mutation = applied_again(stored, SENT, way, defaults)
    assert mutation.object == stored
    assert mutation.restored == ("spec.podFailurePolicy",)


@pytest.mark.parametrize("way", WAYS[1:])
def test_what_a_client_changes_stays_changed_and_the_api_server_rejects_it(way: str) -> None:
    stored = created(job(podFailurePolicy={"rules": [COUNT, FAIL]}), way, FIRST)
    mutation = applied_again(stored, SENT, way, FIRST)
    assert mutation.object["spec"]["podFailurePolicy"] == {"rules": [COUNT]}
    assert not mutation.restored


def test_without_records_the_current_policies_decide() -> None:
    stored = created(SENT, "create", FIRST)
    del stored["metadata"]["annotations"][ANNOTATION]
    assert applied_again(stored, SENT, "create", FIRST).object == stored
    assert not applied_again(stored, SENT, "create", LATER).restored


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "null", "[" * 9999),
        *('{"podFailurePolicy": 1}', '{"spec": []}', '{"spec": {"podFailurePolicy": 1}}'),
        '{"spec": {"podFailurePolicy": {"rules": 1}}}',
        '{"spec": {"podFailurePolicy": {"rules": [1]}}}',
    ],
)
@pytest.mark.parametrize("key", [ANNOTATION, "kubectl.kubernetes.io/last-applied-configuration"])
def test_a_record_that_cannot_be_read_counts_as_none(key: str, text: str) -> None:
    stored = created(SENT, "server-side apply", FIRST)
    stored["metadata"]["annotations"] = {key: text}
    assert applied_again(stored, SENT, "server-side apply", FIRST).object == stored
    assert not applied_again(stored, SENT, "server-side apply", LATER).restored


class TestRecords:
    """The annotation with the digests of what a client wrote."""

    def test_name_the_fields_in_which_a_default_replaced_what_the_client_wrote(self) -> None:
        defaults = {**FIRST, "managedBy": {"value": "example.com/ours", "when": "always"}}
        stored = created(
            job(podFailurePolicy={"rules": [COUNT]}, managedBy="example.com/theirs"),
            "create",
            defaults,
        )
        found = json.loads(stored["metadata"]["annotations"][ANNOTATION])
        assert list(found) == ["podFailurePolicy", "managedBy"]

    @pytest.mark.parametrize(
        "manifest", [job(), job(podFailurePolicy={"rules": [IGNORE]}), cron_job(SENT)]
    )
    def test_are_missing_where_no_default_replaced_anything(self, manifest: Any) -> None:
        stored = created(manifest, "create", FIRST)
        assert ANNOTATION not in (stored["metadata"].get("annotations") or {})

    def test_are_missing_in_a_manifest_on_the_command_line(self) -> None:
        assert "annotations" not in created(SENT, "file", FIRST)["metadata"]


PINNED = {
    "pod": {
        "nodeSelector": {"pool": {"value": "batch"}},
        "tolerations": {"value": [{"key": "spot"}]},
    }
}


def sent_again(pod: dict[str, Any], first: dict[str, Any], **later: Any) -> dict[str, Any]:
    """The PodSpec that a Job with a policy's defaults has after an update without policies."""
    stored = created(job({**pod, **first}), "create", PINNED)
    update = kubectl_request(job({**pod, **first, **later}), "create")
    request = replace(update, operation=UPDATE, old=stored)
    spec: dict[str, Any] = policies().default(request, SERVER).object["spec"]["template"]["spec"]
    return spec


def test_parts_of_the_pod_keep_their_stored_values_without_the_policy() -> None:
    spec = sent_again({"nodeSelector": {"disk": "ssd"}}, {})
    assert spec["nodeSelector"] == {"disk": "ssd", "pool": "batch"}
    assert [each["key"] for each in spec["tolerations"]] == ["spot"]


def test_parts_of_the_pod_that_a_client_changes_stay_changed() -> None:
    own = {"nodeSelector": {"pool": "mine"}, "tolerations": [{"key": "gpu"}]}
    spec = sent_again({}, {}, **own)
    assert spec["nodeSelector"] == {"pool": "mine"}
    assert [each["key"] for each in spec["tolerations"]] == ["gpu"]


@pytest.mark.slow
def test_a_pod_with_too_many_parts_has_no_record_of_them() -> None:
    containers = [{"name": f"c{number}", "image": "busybox:1.36"} for number in range(1_000)]
    defaults = {"pod": {"containers": {"*": {"env": {"value": [{"name": "A", "value": "b"}]}}}}}
    manifest = job({"containers": containers})
    assert ANNOTATION not in created(manifest, "create", defaults)["metadata"].get(
        "annotations", {}
    )
    manifest["spec"]["template"]["spec"]["containers"] = containers[:10]
    assert ANNOTATION in created(manifest, "create", defaults)["metadata"]["annotations"]


def test_a_stored_object_without_a_template_restores_nothing() -> None:
    """A review may hold any JSON as the old object."""
    held = policies(defaults=FIRST)
    request = kubectl_request(SENT, WAYS[1])
    for spec in ({}, {"template": None}):
        old = {**request.object, "spec": spec}
        old["metadata"] = {
            **old["metadata"],
            "annotations": {ANNOTATION: '{"template": {"a": {}}}'},
        }
        update = replace(request, operation=UPDATE, old=old)
        assert (
            held.default(update, SERVER).object["spec"]["template"]
            == request.object["spec"]["template"]
        )
