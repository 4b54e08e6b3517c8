"""The fields of a Job that an update may change (``ValidateJobUpdate``, Kubernetes 1.36)."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import server
from support.validation.validated_jobs import PER_INDEX, job, job_errors

IMMUTABLE = "field is immutable"
TIME = "2026-01-01T00:00:00Z"

MUTABLE: dict[str, dict[str, Any]] = {
    "parallelism": {"parallelism": 5},
    "suspend": {"suspend": True},
    "activeDeadlineSeconds": {"activeDeadlineSeconds": 60},
    "backoffLimit": {"backoffLimit": 1},
    "maxFailedIndexes": {"maxFailedIndexes": 1},
    "ttlSecondsAfterFinished": {"ttlSecondsAfterFinished": 60},
    "podReplacementPolicy": {"podReplacementPolicy": "Failed"},
    "completions with parallelism": {"completions": 4, "parallelism": 4},
}

RULE = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}
FIXED: dict[str, tuple[dict[str, Any], str]] = {
    "completionMode": (
        {"completionMode": "NonIndexed", "backoffLimitPerIndex": None},
        "completionMode",
    ),
    "backoffLimitPerIndex": ({"backoffLimitPerIndex": 2}, "backoffLimitPerIndex"),
    "podFailurePolicy": ({"podFailurePolicy": {"rules": [RULE]}}, "podFailurePolicy"),
    "successPolicy": ({"successPolicy": {"rules": [{"succeededCount": 1}]}}, "successPolicy"),
    "managedBy": ({"managedBy": "acme.io/jobs"}, "managedBy"),
}


@pytest.mark.parametrize("change", MUTABLE.values(), ids=MUTABLE.keys())
def test_an_update_may_change(change: dict[str, Any]) -> None:
    assert job_errors(job(**{**PER_INDEX, **change}), job(**PER_INDEX)) == {}


@pytest.mark.parametrize(("change", "field"), FIXED.values(), ids=FIXED.keys())
def test_an_update_may_not_change(change: dict[str, Any], field: str) -> None:
    found = job_errors(job(**{**PER_INDEX, **change}), job(**PER_INDEX))
    assert found[field].endswith(IMMUTABLE)


@pytest.mark.parametrize(
    ("release", "printed"), [("1.33", '"a<b"'), ("1.34", r'"a\u003cb"'), ("1.38", r'"a\u003cb"')]
)
def test_a_manager_is_printed_as_a_pointer_to_a_string(release: str, printed: str) -> None:
    found = job_errors(job(managedBy="a<b"), job(managedBy="a.io/b"), at=server(release))
    assert f"Invalid value: {printed}: {IMMUTABLE}" in found["managedBy"].split("; ")


@pytest.mark.parametrize("mode", ["NonIndexed", "Indexed"])
def test_completions_change_only_in_an_indexed_job_and_with_parallelism(mode: str) -> None:
    """Source: KEP-3715, elastic Indexed Jobs."""
    old = job(completionMode=mode, completions=3, parallelism=3)
    together = job(completionMode=mode, completions=4, parallelism=4)
    alone = job(completionMode=mode, completions=4, parallelism=3)
    message = {
        "NonIndexed": f"Invalid value: 4: {IMMUTABLE}",
        "Indexed": "Invalid value: 4: can only be modified in tandem with spec.parallelism",
    }[mode]
    assert job_errors(alone, old) == {"completions": message}
    assert job_errors(together, old) == ({} if mode == "Indexed" else {"completions": message})


AFFINITY = {
    "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "Exists"}]}]
    }
}
DIRECTIVES: dict[str, dict[str, Any]] = {
    "nodeSelector": {"nodeSelector": {"disk": "fast"}},
    "tolerations": {"tolerations": [{"operator": "Exists"}]},
    "schedulingGates": {"schedulingGates": [{"name": "acme.io/quota"}]},
    "nodeAffinity": {"affinity": {"nodeAffinity": AFFINITY}},
}
RESOURCES = {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}
WITH_RESOURCES = {"containers": [{"name": "main", "image": "busybox:1.36", "resources": RESOURCES}]}
IMAGE = {"containers": [{"name": "main", "image": "busybox:1.37"}]}
STATUSES: dict[str, tuple[dict[str, Any], bool]] = {
    "never started": ({}, True),
    "suspended again": (
        {"startTime": TIME, "conditions": [{"type": "Suspended", "status": "True"}]},
        True,
    ),
    "not yet suspended by its controller": ({"startTime": TIME}, False),
    "with Pods that still run": (
        {"active": 1, "conditions": [{"type": "Suspended", "status": "True"}]},
        False,
    ),
}


def template_may_become(
    pod: dict[str, Any], *, suspend: bool = True, status: dict[str, Any] | None = None, **at: Any
) -> bool:
    """Return True if the Pod template may change to this Pod, and nothing else is reported."""
    old = {**job(suspend=suspend), "status": status or {}}
    found = job_errors(job(pod, suspend=suspend), old, **at)
    assert found.keys() <= {"template", "template.spec"}
    assert all(message.endswith(IMMUTABLE) for message in found.values())
    return not found


@pytest.mark.parametrize("directive", DIRECTIVES.values(), ids=DIRECTIVES.keys())
def test_scheduling_directives_change_while_the_job_is_suspended(directive: dict[str, Any]) -> None:
    """Source: KEP-2926, mutable scheduling directives of suspended Jobs."""
    assert template_may_become(directive)
    assert not template_may_become(directive, suspend=False)
    assert job_errors(job(suspend=True), job(directive, suspend=True)) == {}
    assert job_errors(job(suspend=False), job(directive, suspend=False)) != {}


@pytest.mark.parametrize(("status", "mutable"), STATUSES.values(), ids=STATUSES.keys())
@pytest.mark.parametrize(
    "pod", [DIRECTIVES["nodeSelector"], WITH_RESOURCES], ids=["scheduling", "resources"]
)
def test_a_suspended_job_has_no_pods_when_its_template_changes(
    pod: dict[str, Any], status: dict[str, Any], mutable: bool
) -> None:
    assert template_may_become(pod, status=status) == mutable


def test_resources_change_while_the_job_is_suspended_since_their_gate_is_on() -> None:
    """Source: KEP-5440, mutable resources of suspended Jobs: on by default since Kubernetes 1.36."""
    assert template_may_become(WITH_RESOURCES)
    assert not template_may_become(WITH_RESOURCES, suspend=False)
    assert not template_may_become(WITH_RESOURCES, at=server("1.35"))
    gate = {"MutablePodResourcesForSuspendedJobs": True}
    assert template_may_become(WITH_RESOURCES, at=server("1.35", gate))


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(IMAGE, id="the image"),
        pytest.param({"priorityClassName": "high"}, id="the priority class"),
        pytest.param({"affinity": {"podAffinity": {}}}, id="the affinity to Pods"),
    ],
)
def test_nothing_else_of_the_pod_changes(pod: dict[str, Any]) -> None:
    assert not template_may_become(pod)


def test_one_update_may_set_the_node_selector_and_resume() -> None:
    new = job(DIRECTIVES["nodeSelector"], suspend=False)
    assert job_errors(new, job(suspend=True)) == {}


def test_a_job_keeps_its_name() -> None:
    found = job_errors(job(name="other"), job())
    assert found["metadata.name"] == f'Invalid value: "other": {IMMUTABLE}'
