"""Pods that a Job claims, and finalizers that no Job needs any more."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller import well_known_names
from jobsworth.controller.jobs import read_job, read_selector
from jobsworth.controller.ownership import (
    adoption_patch,
    claim,
    controlling_job,
    finalizer_patch,
    orphan_finalizers_of,
    release_patch,
)
from jobsworth.controller.pods import read_pod
from support.controller.job_syncs import SETTINGS, a_job, a_pod, with_condition

DELETED = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def owned_by(name: str = "job", uid: str = "job-uid", **more: Any) -> dict[str, Any]:
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": True}
    return {**owner, **more}


def pod(name: str, *owners: dict[str, Any], phase: str = "Running", **metadata: Any) -> Any:
    made = a_pod(phase, name=name)
    made["metadata"] |= {"ownerReferences": list(owners), **metadata}
    return read_pod(made, SETTINGS)


def claimed(job: dict[str, Any], *pods: Any) -> tuple[list[str], list[str], list[str]]:
    claims = claim(read_job(job, SETTINGS), pods)
    owned, adopt, release = (
        [pod.name for pod in part] for part in (claims.owned, claims.adopt, claims.release)
    )
    return owned, adopt, release


@pytest.mark.parametrize(
    ("job", "given", "claims"),
    [
        (a_job(), pod("a", owned_by()), (["a"], [], [])),
        (a_job(), pod("a", owned_by(uid="other")), ([], [], [])),
        (a_job(), pod("a", owned_by("other")), ([], [], [])),
        (a_job(), pod("a", owned_by(kind="ReplicaSet")), ([], [], [])),
        (a_job(), pod("a"), ([], ["a"], [])),
        (a_job(), pod("a", owned_by(controller=False)), ([], ["a"], [])),
        (a_job(), pod("a", labels={}), ([], [], [])),
        (a_job(), pod("a", **DELETED), ([], [], [])),
        (a_job(metadata=DELETED), pod("a"), ([], [], [])),
        (a_job(metadata=DELETED), pod("a", owned_by()), (["a"], [], [])),
        (a_job(), pod("a", owned_by(), labels={}), ([], [], ["a"])),
        (a_job(metadata=DELETED), pod("a", owned_by(), labels={}), ([], [], [])),
    ],
)
def test_u110_claims(job: dict[str, Any], given: Any, claims: Any) -> None:
    assert claimed(job, given) == claims


def test_u110_an_adopted_pod_is_tracked_from_the_start() -> None:
    job = read_job(a_job(), SETTINGS)
    orphan = pod("a", finalizers=[])
    patch = adoption_patch(job, orphan)["metadata"]
    assert patch["uid"] == "uid-a"
    assert patch["ownerReferences"][0]["uid"] == "job-uid"
    assert patch["finalizers"] == [well_known_names.OUR_FINALIZER]
    adopted = orphan.adopted(job.owner, job.finalizer)
    assert adopted.tracking == (well_known_names.OUR_FINALIZER,)
    assert claim(job, [adopted]).owned == [adopted]
    assert adopted.adopted(job.owner, job.finalizer) == adopted


def test_u110_a_pod_that_is_released_loses_owner_and_finalizer() -> None:
    patch = release_patch(read_job(a_job(), SETTINGS), pod("a"))["metadata"]
    assert patch == {
        "uid": "uid-a",
        "ownerReferences": [{"$patch": "delete", "uid": "job-uid"}],
        "$deleteFromPrimitiveList/finalizers": [well_known_names.OUR_FINALIZER],
    }


def test_a_finalizer_is_removed_without_touching_anything_else() -> None:
    assert finalizer_patch("x/y") == {
        "metadata": {"$deleteFromPrimitiveList/finalizers": ["x/y"]},
    }


FINISHED = a_job(status={"conditions": [with_condition("Complete")]})


@pytest.mark.parametrize(
    ("given", "owner", "stray"),
    [
        (pod("a", owned_by()), a_job(), False),
        (pod("a", owned_by()), FINISHED, True),
        (pod("a", owned_by()), None, True),
        (pod("a", owned_by(uid="old")), a_job(), True),
        (pod("a"), None, True),
        (pod("a", owned_by(controller=False)), a_job(), True),
        (pod("a", owned_by(kind="CronJob")), None, False),
        (pod("a", owned_by(apiVersion="example.com/v1")), None, False),
        (
            pod("a", owned_by()),
            {**FINISHED, "spec": {**FINISHED["spec"], "managedBy": "x/y"}},
            False,
        ),
        (pod("a", finalizers=["example.com/other"]), None, False),
        # A Pod that its Job no longer selects is released by it; not while the Job is being deleted.
        (pod("a", owned_by(), labels={}), a_job(), False),
        (pod("a", owned_by(), labels={}), a_job(metadata=DELETED), True),
        (pod("a", owned_by()), a_job(metadata=DELETED), False),
    ],
)
def test_u111_orphan_finalizers(given: Any, owner: Any, stray: bool) -> None:
    job = None if owner is None else read_job(owner, SETTINGS)
    assert orphan_finalizers_of(given, job, SETTINGS) == (
        (well_known_names.OUR_FINALIZER,) if stray else ()
    )


def test_the_job_that_controls_a_pod() -> None:
    assert controlling_job(pod("a", owned_by())) == "job"
    assert controlling_job(pod("a")) is None
    assert controlling_job(pod("a", owned_by(kind="CronJob"))) is None


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        (None, False),
        ({}, True),
        ({"matchLabels": {"a": "1"}}, True),
        ({"matchLabels": {"a": "1", "b": "x"}}, False),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["1", "3"]}]}, True),
        ({"matchExpressions": [{"key": "c", "operator": "In", "values": ["1"]}]}, False),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}, False),
        ({"matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["1"]}]}, True),
        ({"matchExpressions": [{"key": "b", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "c", "operator": "Exists"}]}, False),
        ({"matchExpressions": [{"key": "c", "operator": "DoesNotExist"}]}, True),
        ({"matchExpressions": [{"key": "b", "operator": "DoesNotExist"}]}, False),
        ({"matchExpressions": [{"key": "b", "operator": "Gt", "values": ["1"]}]}, False),
    ],
)
def test_selectors(selector: Any, matches: bool) -> None:
    assert read_selector(selector).matches(pod("a", labels={"a": "1", "b": "2"})) is matches
