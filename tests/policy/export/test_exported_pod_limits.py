"""Limits of parts of the Pod template: the export reports the updates that the policy reports, and no others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jobsworth.policy.admission_policies.policies import Outcome
from jobsworth.policy.admission_policies.policy_set import read as read_objects
from jobsworth.policy.export.admission_policies import documents
from jobsworth.policy.export.exported_policy import ExportedPolicy, exported_policy
from jobsworth.policy.request import PolicyRequest
from support.policy.policy_requests import SERVER, cron_job, document, job, of_manifest, policies

LIMITS = {
    "labels": {"team": {"required": True, "allowed": ["a", "b"]}},
    "tolerations": {"denied": ["gpu"]},
    "securityContext": {
        "runAsUser": {"minimum": 1000},
        "runAsNonRoot": {"required": True},
        "addedCapabilities": {"allowed": ["CHOWN"]},
    },
}
GPU, SPOT = ({"key": key, "operator": "Exists"} for key in ("gpu", "spot"))
ALL = {"operator": "Exists"}


def adding(*names: str, **context: Any) -> dict[str, Any]:
    added = {"capabilities": {"add": list(names)}} if names else {}
    return {"name": "c", "securityContext": {**added, **context}}


def of_pod(**pod: Any) -> dict[str, Any]:
    containers = pod.pop("containers", [adding(runAsNonRoot=True)])
    labels = pod.pop("labels", {"team": "a"})
    value = cron_job(
        job(
            {
                **pod,
                "containers": [
                    {**each, "name": f"c{number}", "image": "busybox:1.36"}
                    for number, each in enumerate(containers)
                ],
            }
        )
    )
    value["spec"]["jobTemplate"]["spec"]["template"]["metadata"] = {"labels": labels}
    return value


def sent(new: dict[str, Any], old: dict[str, Any] | None = None) -> PolicyRequest:
    stored = None if old is None else of_pod(**old)
    return replace(of_manifest(of_pod(**new), SERVER, old=stored), user="alice", manifest=None)


def exported(minor: int = SERVER.minor, **spec: Any) -> ExportedPolicy:
    value = document(limits={"pod": LIMITS}, **spec)
    return exported_policy(value, policies(value).policies[0], minor)


def outcomes(request: PolicyRequest, **spec: Any) -> list[Outcome]:
    found = exported(**spec)
    objects = documents(found.admission_policies, {found.name: found.hash})
    return list(read_objects(objects, SERVER.release).evaluate(request))


ROOT = {"runAsNonRoot": True, "runAsUser": 0}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "is_new"),
    [
        ({}, {"labels": {}}, True),
        ({"labels": {}}, {"tolerations": [SPOT], "labels": {}}, False),
        ({"labels": {"team": "x"}}, {"labels": {"team": "y"}}, True),
        ({"tolerations": [GPU]}, {"tolerations": [GPU, SPOT]}, False),
        ({"tolerations": [GPU]}, {"tolerations": [SPOT, GPU]}, True),
        ({"tolerations": [GPU]}, {"tolerations": [ALL]}, True),
        ({"tolerations": [GPU, SPOT]}, {"tolerations": [GPU]}, False),
        ({}, {"containers": [adding("SYS_ADMIN", runAsNonRoot=True)]}, True),
        (
            {"containers": [adding("SYS_ADMIN", runAsNonRoot=True)]},
            {"containers": [adding("SYS_ADMIN", "CHOWN", runAsNonRoot=True)]},
            False,
        ),
        (
            {"containers": [adding("SYS_ADMIN", runAsNonRoot=True)]},
            {"containers": [adding("SYS_ADMIN", "NET_RAW", runAsNonRoot=True)]},
            True,
        ),
        (
            {"containers": [adding("SYS_ADMIN", "NET_RAW", runAsNonRoot=True)]},
            {"containers": [adding("SYS_ADMIN", runAsNonRoot=True)]},
            False,
        ),
        ({}, {"containers": [adding(**ROOT)]}, True),
        ({"containers": [adding(**ROOT)]}, {"containers": [adding("CHOWN", **ROOT)]}, False),
        ({}, {"securityContext": ROOT}, True),
        ({}, {"securityContext": ROOT, "containers": [adding(runAsUser=1000)]}, False),
        (
            {"securityContext": ROOT, "containers": [adding(runAsUser=1000)]},
            {"securityContext": ROOT, "containers": [adding(runAsUser=1000), adding()]},
            True,
        ),
        ({"securityContext": ROOT}, {"securityContext": ROOT, "containers": [adding()]}, False),
        ({}, {"containers": [adding()]}, True),
        ({"containers": [adding()]}, {"containers": [adding("CHOWN")]}, False),
        ({"containers": [adding()]}, {"containers": [adding(), adding()]}, True),
        ({"containers": [adding()]}, {"containers": [adding(runAsNonRoot=True), adding()]}, True),
    ],
)
@pytest.mark.parametrize("enforcement", ["deny", "warn"])
def test_an_update_is_reported_for_what_it_adds(
    old: dict[str, Any], new: dict[str, Any], is_new: bool, enforcement: str
) -> None:
    held, request = policies(limits={"pod": LIMITS}), sent(new, old)
    assert bool(held.evaluate(request, SERVER).findings) == is_new
    assert bool(outcomes(request, enforcement=enforcement)) == is_new


def test_its_message_names_the_values_and_the_containers() -> None:
    containers = [adding("NET_RAW", "BPF"), adding(**ROOT)]
    (found,) = outcomes(sent({"tolerations": [GPU, ALL], "containers": containers}))
    place = "spec.jobTemplate.spec.template.spec"
    assert found.message.removeprefix("JobPolicy house-rules: ").split("; ") == [
        f'{place}.tolerations[*].key: Invalid value: "gpu", "": may not be any of "gpu", "" [JP003]',
        f"{place}.containers[*].securityContext.runAsUser: Invalid value: c1: 0: "
        "must be greater than or equal to 1000 [JP001]",
        f"{place}.containers[*].securityContext.runAsNonRoot: Required value: must be set: c0 [JP004]",
        f"{place}.containers[*].securityContext.capabilities.add: Unsupported value: "
        'c0: "NET_RAW", "BPF": supported values: "CHOWN" [JP003]',
    ]


@pytest.mark.parametrize(("minor", "left"), [(32, True), (33, False)])
def test_lists_are_compared_with_the_stored_object_from_the_release_with_indexes(
    minor: int, left: bool
) -> None:
    parts = {each.path: (each.is_left, each.is_exported) for each in exported(minor).parts}
    assert parts == {
        "spec.limits.pod.labels[team]": (False, True),
        **{
            f"spec.limits.pod.{name}": (left, True)
            for name in (
                "tolerations",
                "securityContext.runAsUser",
                "securityContext.runAsNonRoot",
                "securityContext.addedCapabilities",
            )
        },
    }
