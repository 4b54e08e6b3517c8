"""A Pod as the controller reads it: finish time, failure count, completion index."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller import well_known_names
from jobsworth.controller.pods import ACTIVE, UNKNOWN_INDEX, Owner, Pod, read_pod
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.times import write_time
from support.controller.job_syncs import NOW, SETTINGS, a_pod


def ended(at: int | None, name: str = "main") -> dict[str, Any]:
    finished = {} if at is None else {"finishedAt": write_time(at)}
    return {"name": name, "state": {"terminated": {"exitCode": 1, **finished}}}


RUNS = {"name": "other", "state": {"running": {}}}
SIDECAR = {"name": "proxy", "restartPolicy": "Always"}
CREATED = NOW - 900


def a_status(
    *app: dict[str, Any],
    init: Any = (),
    init_specs: Any = (),
    unready: int | None = None,
    deleted: int | None = None,
    grace: int | None = None,
) -> dict[str, Any]:
    conditions = []
    if unready is not None:
        conditions = [
            {"type": "Ready", "status": "False", "lastTransitionTime": write_time(unready)}
        ]
    metadata: dict[str, Any] = {"name": "p", "uid": "u", "creationTimestamp": write_time(CREATED)}
    if deleted is not None:
        metadata["deletionTimestamp"] = write_time(deleted)
    if grace is not None:
        metadata["deletionGracePeriodSeconds"] = grace
    return {
        "metadata": metadata,
        "spec": {"initContainers": list(init_specs)},
        "status": {
            "phase": "Failed",
            "conditions": conditions,
            "containerStatuses": list(app),
            "initContainerStatuses": list(init),
        },
    }


@pytest.mark.parametrize(
    ("pod", "finished"),
    [
        (a_status(ended(NOW - 9), ended(NOW - 5), ended(NOW - 7)), NOW - 5),
        (a_status(ended(NOW - 9), RUNS, unready=NOW - 4), NOW - 4),
        (a_status(ended(None), unready=NOW - 4), NOW - 4),
        (a_status(ended(None), deleted=NOW + 20, grace=30), NOW - 10),
        (a_status(ended(None), deleted=NOW - 20), NOW - 20),
        (a_status(ended(None)), CREATED),
        (a_status(), CREATED),
        (a_status(ended(NOW - 9), init=[ended(NOW - 3, "setup")]), NOW - 9),
        (
            a_status(ended(NOW - 9), init=[ended(NOW - 3, "proxy")], init_specs=[SIDECAR]),
            NOW - 3,
        ),
        (
            a_status(ended(NOW - 9), init=[{**RUNS, "name": "proxy"}], init_specs=[SIDECAR]),
            CREATED,
        ),
    ],
)
def test_u99_when_a_pod_finished(pod: dict[str, Any], finished: int) -> None:
    assert read_pod(pod, SETTINGS).finished_at == finished


@pytest.mark.parametrize(
    ("annotation", "count"),
    [
        (None, 0),
        ("3", 3),
        ("+3", 3),
        (str(2**31 - 1), 2**31 - 1),
        (str(2**31), 0),
        ("-1", 0),
        ("many", 0),
        ("", 0),
        ("9" * 5000, 0),
        ("٣", 0),
    ],
)
def test_u109_failure_counts_that_cannot_be_are_none(annotation: str | None, count: int) -> None:
    pod = a_pod(failures=annotation)
    assert read_pod(pod, SETTINGS).failure_count == count


@pytest.mark.parametrize(
    ("annotation", "index"),
    [(None, -1), ("7", 7), ("-1", -1), ("seven", -1), ("1.5", -1), ("", -1)],
)
def test_the_completion_index_is_that_of_the_annotation(annotation: str | None, index: int) -> None:
    pod = a_pod(index=annotation)
    pod["metadata"]["labels"][well_known_names.COMPLETION_INDEX] = "3"
    assert read_pod(pod, SETTINGS).index == index
    assert UNKNOWN_INDEX == -1


def test_a_pod_in_full() -> None:
    pod = a_pod("Running", 3, name="p", ready=True, restarts=2)
    pod["status"]["initContainerStatuses"] = [{"name": "proxy", "restartCount": 5}]
    pod["spec"]["initContainers"] = [SIDECAR]
    read = read_pod(pod, SETTINGS)
    assert read.controller == Owner("batch/v1", "Job", "job", "job-uid")
    assert read.tracking == (well_known_names.OUR_FINALIZER,)
    assert (read.node, read.ready, read.index) == ("node-1", True, 3)
    assert (read.restarts, read.container_restarts, read.sidecar_restarts) == (7, 2, 5)
    assert read.labels == ("batch.kubernetes.io/controller-uid=job-uid",)


def test_an_empty_pod_can_be_read() -> None:
    pod = read_pod({"metadata": {}}, SETTINGS)
    assert (pod.phase, pod.controller, pod.tracking, pod.finished_at) == ("Pending", None, (), 0)


@pytest.mark.parametrize(
    ("settings", "tracking"),
    [
        (ControllerSettings(), (well_known_names.OUR_FINALIZER,)),
        (
            ControllerSettings(adopt_unmanaged=True),
            (well_known_names.OUR_FINALIZER, well_known_names.RESERVED_FINALIZER),
        ),
        (ControllerSettings(finalizer="example.com/track"), ()),
    ],
)
def test_only_the_job_tracking_finalizers_track(
    settings: ControllerSettings, tracking: Any
) -> None:
    pod = a_pod()
    pod["metadata"]["finalizers"] = [
        "example.com/x",
        well_known_names.RESERVED_FINALIZER,
        well_known_names.OUR_FINALIZER,
    ]
    assert read_pod(pod, settings).tracking == tracking


def test_equal_parts_of_pods_are_shared_in_memory() -> None:
    one, other = (read_pod(a_pod("Failed", exit_code=3), SETTINGS) for _ in range(2))
    assert one.terminations is other.terminations
    assert one.controller is other.controller
    assert one.tracking is other.tracking


def test_a_pod_without_fields_has_the_values_of_none() -> None:
    assert read_pod({"metadata": {}}, SETTINGS) == Pod("", "", "")
    empty = Pod("", "", "")
    assert (empty.resource_version, empty.node, empty.labels, empty.tracking) == ("", "", (), ())
    assert (empty.phase, empty.state, empty.index) == ("Pending", ACTIVE, UNKNOWN_INDEX)
    assert (empty.gone_by, empty.created, empty.finished_at, empty.ready_since) == (0, 0, 0, 0)
    assert (empty.failure_count, empty.ignored_count, empty.restarts) == (0, 0, 0)
    assert (empty.container_restarts, empty.sidecar_restarts) == (0, 0)
    assert (empty.controller, empty.ready) == (None, False)
    assert (empty.terminations, empty.conditions) == ((), ())
