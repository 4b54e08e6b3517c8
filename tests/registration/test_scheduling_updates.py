"""Updates by queueing controllers: a field passes if KEP-2926 lets them change it, and no other declared field does."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from jobsworth.api.batch.job_spec import JobSpec
from jobsworth.api.core.affinity import Affinity
from jobsworth.api.core.pod_template import PodSpec, PodTemplateSpec
from jobsworth.api.declare import Struct
from jobsworth.api.meta.object_meta import ObjectMeta
from jobsworth.registration import (
    EVERYTHING,
    desired_webhooks,
    other_than_scheduling,
)
from support.cel.evaluated import evaluated

KUEUE = "system:serviceaccount:kueue-system:kueue-controller-manager"
CONDITION = other_than_scheduling([KUEUE])
JOB: dict[str, Any] = {
    "metadata": {"name": "train", "labels": {"a": "b"}},
    "spec": {
        "suspend": True,
        "parallelism": 1,
        "template": {"metadata": {}, "spec": {"containers": [{"name": "main", "image": "x"}]}},
    },
}
STRUCTS: dict[str, Struct] = {
    "spec": JobSpec,
    "spec.template": PodTemplateSpec,
    "spec.template.metadata": ObjectMeta,
    "spec.template.spec": PodSpec,
    "spec.template.spec.affinity": Affinity,
}
FIELDS = [
    f"{path}.{name}"
    for path, struct in STRUCTS.items()
    for name in struct.fields
    if f"{path}.{name}" not in STRUCTS
]
PASSING = {
    "spec.suspend",
    "spec.template.metadata.labels",
    "spec.template.metadata.annotations",
    "spec.template.spec.nodeSelector",
    "spec.template.spec.tolerations",
    "spec.template.spec.schedulingGates",
    "spec.template.spec.affinity.nodeAffinity",
}


def with_value(path: str, value: Any) -> dict[str, Any]:
    """The Job with a value in a field; the structs above it are created."""
    job = copy.deepcopy(JOB)
    *above, last = path.split(".")
    holder = job
    for name in above:
        holder = holder.setdefault(name, {})
    holder[last] = value
    return job


def waits(new: dict[str, Any], old: dict[str, Any], **request: Any) -> bool:
    """Return True if the webhook receives an update."""
    asked = {
        "operation": "UPDATE",
        "resource": {"resource": "jobs"},
        "userInfo": {"username": KUEUE},
        **request,
    }
    return bool(evaluated(CONDITION, {"request": asked, "object": new, "oldObject": old}))


@pytest.mark.slow
@pytest.mark.parametrize("field", [*FIELDS, "spec.template.spec.aFieldOfALaterRelease"])
def test_a_field_passes_only_if_it_is_for_scheduling(field: str) -> None:
    passes = field in PASSING
    one, other = with_value(field, {"is": 1}), with_value(field, {"is": 2})
    assert waits(one, other) is not passes
    assert waits(one, JOB) is not passes  # added
    assert waits(JOB, one) is not passes  # removed
    assert not waits(one, one)


def test_the_fields_that_pass_are_declared() -> None:
    assert set(FIELDS) >= PASSING


@pytest.mark.parametrize("field", ["metadata.labels", "metadata.annotations"])
def test_labels_and_annotations_of_the_job_do_not_pass(field: str) -> None:
    assert waits(with_value(field, {"queue": "x"}), JOB)


RESUMED = with_value("spec.suspend", False)


def test_others_wait_and_so_do_other_requests() -> None:
    assert not waits(RESUMED, JOB)
    assert waits(RESUMED, JOB, userInfo={"username": "jane"})
    assert waits(RESUMED, JOB, operation="CREATE")
    assert waits(RESUMED, JOB, resource={"resource": "cronjobs"})


def test_every_webhook_has_the_condition() -> None:
    template = {"name": "validate.jobsworth.dev", "failurePolicy": "Fail"}
    (webhook,) = desired_webhooks(template, EVERYTHING, may_fail=True, queueing_controllers=[KUEUE])
    assert [each["expression"] for each in webhook["matchConditions"]] == [CONDITION]
