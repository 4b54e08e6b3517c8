"""Defaults as MutatingAdmissionPolicies on a real API server set what the webhook and ``jobsworth default`` set.

``JOBSWORTH_EXPORTED_DEFAULTS`` is the number of creations and of updates for each policy, and
``JOBSWORTH_EXPORTED_RELEASE`` the release of the API server, if not the newest that CI builds.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings

from cluster.available_beds import bed_or_skip
from cluster.test_exported_policies import POLICIES
from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.policy.export.mutating_policies import mutating_policies
from jobsworth.policy.mutation.immutable_fields import ANNOTATION
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.reader import read
from jobsworth.validation.engine import engine_for
from support.policy.pod_policies import POD_OBJECTS
from support.policy.pod_policy_documents import POD_POLICIES
from support.policy.policy_requests import cron_job

if TYPE_CHECKING:
    from cluster.bed import TestBed

COUNT = int(os.environ.get("JOBSWORTH_EXPORTED_DEFAULTS", "20"))
RELEASE = os.environ.get("JOBSWORTH_EXPORTED_RELEASE")
REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
PLURALS = {
    "Job": "jobs",
    "CronJob": "cronjobs",
    "MutatingAdmissionPolicy": "mutatingadmissionpolicies",
    "MutatingAdmissionPolicyBinding": "mutatingadmissionpolicybindings",
}
ACTIVE_WITHIN = 120.0
GENERATED = ("controller-uid", "job-name")
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def running() -> Iterator[TestBed]:
    with bed_or_skip(RELEASE, audit=False, allow_privileged=True) as bed:
        if bed.request("GET", f"{REGISTRATION}/mutatingadmissionpolicies").code != 200:
            pytest.skip("the API server has no MutatingAdmissionPolicy of v1")
        yield bed


class Mapped:
    """The exported defaults of policies in one namespace of an API server; another has none.

    Attributes:
        held: the policies, with the parts that are exported.
    """

    def __init__(self, bed: TestBed, documents: Sequence[dict[str, Any]]) -> None:
        self.bed = bed
        self.server = ApiServer(bed.release, allow_privileged=True)
        self.mapped, self.plain = bed.namespace("mapped"), bed.namespace("plain")
        here = [{"namespaces": [self.mapped]}]
        number = next(_NUMBERS)
        everywhere = [
            {
                **each,
                "metadata": {"name": f"p{number}-{index}"},
                "spec": {**each["spec"], "match": here, "exempt": []},
            }
            for index, each in enumerate(documents)
        ]
        for each in everywhere:
            del each["spec"]["exempt"]
        self.held = only_exported(read(everywhere))
        self.objects, left = mutating_policies(self.held.policies)
        assert left == []
        for each in self.objects:  # so that those of the next test are others
            name = f"{self.mapped}.{each['metadata']['name']}"
            each["metadata"]["name"] = name
            if "policyName" in each["spec"]:
                each["spec"]["policyName"] = name

    def __enter__(self) -> Mapped:
        for each in self.objects:
            self.bed.create(deepcopy(each))
        for kind in ("Job", "CronJob") if self.objects else ():
            probe = {**(PROBE if kind == "Job" else cron_job(PROBE)), "metadata": {"name": "probe"}}
            expected = comparable(self.held.default(self.as_request(probe), self.server).object)
            until = time.monotonic() + ACTIVE_WITHIN
            while comparable(self.create(probe, self.mapped).body) != expected:
                assert time.monotonic() < until, kind
                time.sleep(0.2)
        return self

    def __exit__(self, *_: object) -> None:
        for each in reversed(self.objects):
            name = each["metadata"]["name"]
            self.bed.request("DELETE", f"{REGISTRATION}/{PLURALS[each['kind']]}/{name}")

    def create(self, value: dict[str, Any], namespace: str, *, store: bool = False) -> Any:
        sent = {**value, "metadata": {**value["metadata"], "namespace": namespace}}
        path = f"/apis/batch/v1/namespaces/{namespace}/{PLURALS[value['kind']]}"
        return self.bed.request("POST", path if store else f"{path}?dryRun=All", sent)

    def update(self, value: dict[str, Any]) -> Any:
        path = f"/apis/batch/v1/namespaces/{self.mapped}/{PLURALS[value['kind']]}/{value['metadata']['name']}"
        return self.bed.request("PUT", f"{path}?dryRun=All", value)

    def as_request(self, value: dict[str, Any], old: Any = None) -> Any:
        metadata = {**value["metadata"], "namespace": self.mapped}
        subject = Subject({**value, "metadata": metadata}, old=old)
        return Evaluator(self.server).policy_request(subject)


PROBE = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "spec": {
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "busybox:1.36"}],
            }
        }
    },
}


def only_exported(held: PolicySet) -> PolicySet:
    """The policies with those of their defaults that are exported."""
    _, left = mutating_policies(held.policies)
    without = {(one.policy, one.field.removeprefix("spec.defaults.")) for one in left}
    kept = []
    for policy in held.policies:
        if policy.defaults is None:
            continue
        gone = {field for name, field in without if name == policy.name}
        defaults = replace(
            policy.defaults,
            fields={n: one for n, one in policy.defaults.fields.items() if n not in gone},
            failure_policy=None,
            pod=tuple(one for one in policy.defaults.pod if one.path not in gone),
        )
        kept.append(replace(policy, defaults=defaults))
    return PolicySet(tuple(kept))


def comparable(value: dict[str, Any]) -> Any:
    """What defaults and the user decide: without what the API server generates for each object."""
    value = deepcopy(value)
    if value.get("kind") not in ("Job", "CronJob"):
        return value.get("code"), value.get("message")
    spec = value["spec"]
    if value["kind"] == "Job":
        spec.pop("selector", None)
        metadatas = [value["metadata"], spec["template"].get("metadata") or {}]
    else:
        metadatas = [value["metadata"]]
    for metadata in metadatas:
        labels = metadata.get("labels") or {}
        own = {k: v for k, v in labels.items() if k.rpartition("/")[2] not in GENERATED}
        metadata["labels"] = own
    kept = {name: dict(value["metadata"].get(name) or {}) for name in ("labels", "annotations")}
    kept["annotations"].pop(ANNOTATION, None)  # the webhook's record for updates
    return without_empty({"metadata": kept, "spec": spec})


def as_sent(value: dict[str, Any]) -> dict[str, Any]:
    """A new object as admission sees it: the API server generates selector and labels of a Job later."""
    value = deepcopy(value)
    if value["kind"] == "Job":
        value["spec"].pop("selector", None)
        for holder in (value, value["spec"]["template"]):
            metadata = holder.get("metadata") or {}
            labels = metadata.pop("labels", None) or {}
            own = {k: v for k, v in labels.items() if k.rpartition("/")[2] not in GENERATED}
            holder["metadata"] = {**metadata, **({"labels": own} if own else {})}
    return value


def without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        parts = {name: without_empty(part) for name, part in value.items()}
        return {n: part for n, part in parts.items() if part not in ({}, [], None)}
    return [without_empty(one) for one in value] if isinstance(value, list) else value


CASES = [
    *(
        pytest.param([one], id=one["metadata"]["name"])
        for one in POLICIES
        if "defaults" in one["spec"]
    ),
    *(pytest.param(some, id=f"pods {number}") for number, some in enumerate(POD_POLICIES)),
]


@pytest.mark.parametrize("documents", CASES)
def test_a_creation_and_an_update_have_the_same_result_by_each(
    running: TestBed, documents: list[dict[str, Any]]
) -> None:
    counts = {"creations": 0, "updates": 0, "changed": 0}
    with Mapped(running, documents) as mapped:

        @settings(
            max_examples=COUNT,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(POD_OBJECTS)
        def compare(value: dict[str, Any]) -> None:
            value = deepcopy(value)
            value["metadata"] = {"name": f"n{next(_NUMBERS)}"}
            plain = mapped.create(value, mapped.plain)
            found = mapped.create(value, mapped.mapped)
            assert (plain.code == 201) == (found.code == 201), (value, plain, found)
            assume(plain.code == 201)
            counts["creations"] += 1
            sent = as_sent(plain.body)
            sent["metadata"]["namespace"] = mapped.mapped
            request = replace(
                mapped.as_request(value), object=engine_for(mapped.server).default(sent)
            )
            by_webhook = mapped.held.default(replace(request, manifest=None), mapped.server)
            offline = mapped.held.default(mapped.as_request(value), mapped.server)
            assert comparable(found.body) == comparable(by_webhook.object), value
            assert comparable(found.body) == comparable(offline.object), value
            counts["changed"] += bool(by_webhook.applied)
            # Where both run, the webhook finds nothing left to set.
            both = replace(
                request, object=engine_for(mapped.server).default(found.body), manifest=None
            )
            again = mapped.held.default(both, mapped.server)
            assert [one for one in again.applied if one.policy] == [], value
            stored = mapped.create(value, mapped.mapped, store=True).body
            applied = applied_again(value, stored, sent)
            answer = mapped.update(applied)
            update = replace(
                mapped.as_request(stored, stored),
                operation="UPDATE",
                object=engine_for(mapped.server).default(applied),
                old=engine_for(mapped.server).default(stored),
                manifest=None,
            )
            expected = mapped.held.default(update, mapped.server)
            assert answer.code == 200, (value, answer)
            assert comparable(answer.body) == comparable(expected.object), value
            if stored["kind"] == "Job":
                assert answer.body["spec"]["template"] == stored["spec"]["template"]
            counts["updates"] += 1

        compare()
    print(f"\n{documents[0]['metadata']['name']}: {counts}")
    assert counts["changed"] or not mapped.objects


def applied_again(value: dict[str, Any], stored: dict[str, Any], sent: dict[str, Any]) -> Any:
    """The stored object with the template, labels and annotations that its author wrote, and a change elsewhere."""
    again = deepcopy(stored)
    for name in ("labels", "annotations"):
        again["metadata"].pop(name, None)
        if name in sent["metadata"]:
            again["metadata"][name] = sent["metadata"][name]
    if stored["kind"] == "Job":
        again["spec"]["template"] = deepcopy(sent["spec"]["template"])
        labels = {
            key: text
            for key, text in stored["spec"]["template"]["metadata"]["labels"].items()
            if key.rpartition("/")[2] in GENERATED
        }
        metadata = again["spec"]["template"].setdefault("metadata", {})
        own = {
            k: v
            for k, v in (metadata.get("labels") or {}).items()
            if k.rpartition("/")[2] not in GENERATED
        }
        metadata["labels"] = {**own, **labels}
        again["spec"]["parallelism"] = 2
    else:
        again["spec"]["jobTemplate"]["spec"]["template"] = deepcopy(
            sent["spec"]["jobTemplate"]["spec"]["template"]
        )
        again["spec"]["schedule"] = "0 7 * * *"
    return again
