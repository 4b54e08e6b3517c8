"""Whatever an API server sends, the health of its objects is an answer, or an error with the name of an object."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jobsworth.audit.audited_objects import AuditScope
from jobsworth.audit.health_objects import list_health_objects
from jobsworth.audit.stored_objects import StoredObjects
from jobsworth.client.api_errors import ApiError
from jobsworth.reports import health_report, health_text
from jobsworth.runs.calendar import calendar_of, read_entry
from jobsworth.runs.health.cluster_health import cluster_health
from support.api_server.fake_list_server import FakeListServer
from support.api_server.in_process_lists import InProcessLists
from support.health.health_objects import (
    DAY,
    HOUR,
    NOON,
    a_cron_job,
    a_job,
    a_job_without_cron_job,
    a_pod,
    an_event,
)

JOB = a_job(NOON - 5 * HOUR, "", active=1)
POD = a_pod(
    JOB,
    status={
        "containerStatuses": [{"name": "main", "state": {"waiting": {"reason": "ErrImagePull"}}}],
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}],
    },
)
TEMPLATE = {"spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "1"}}}]}}
OBJECTS: dict[str, Any] = {
    "cron_jobs": [
        a_cron_job(
            last=NOON - 5 * HOUR, written=NOON - DAY, generation=3, successful=NOON - DAY,
            active=(JOB["metadata"]["name"],), concurrencyPolicy="Forbid", timeZone="Europe/Berlin",
            startingDeadlineSeconds=60, job={"parallelism": 2, "template": TEMPLATE},
        )
    ],
    "jobs": [
        JOB, a_job(NOON - 6 * HOUR), a_job(NOON - 7 * HOUR, "Failed"),
        a_job_without_cron_job("train-0", owner="JobSet/train"),
        a_job_without_cron_job("load-a", generate_name="load-"),
        a_job_without_cron_job("load-b", "Complete", created=NOON - HOUR, generate_name="load-"),
    ],
    "pods": [POD],
    "emitted": [
        an_event("FailedCreate", "exceeded quota", NOON - 60, name=JOB["metadata"]["name"], kind="Job"),
        an_event("MissSchedule", "Missed scheduled time to start a job: Wed, 03 Jun 2026", NOON),
    ],
}  # fmt: skip
VALUES = st.sampled_from(
    (None, "", "x", 0, -1, 2**70, True, 1.5, [], ["x"], [None], {}, {"x": 1}, "\x1b[31m", "9999-12-31T00:00:00Z",
     "0001-01-01T00:00:00Z", [{}])
)  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container with each of its keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in list(items):
        yield value, key
        if isinstance(part, dict | list):
            yield from places(part)


@given(data=st.data(), number=st.integers(1, 2))
def test_a_damaged_object_is_an_error_or_has_a_health(data: st.DataObject, number: int) -> None:
    server = FakeListServer()
    damaged = copy.deepcopy(OBJECTS)
    for _ in range(number):
        found = [
            each
            for each in places(damaged)
            if each[0] is not damaged and each[1] not in ("involvedObject", "reason")
        ]
        container, key = data.draw(st.sampled_from(found))
        container[key] = data.draw(VALUES)
    for name, objects in damaged.items():
        setattr(server, name, objects)
    api = InProcessLists(server)
    try:
        listed = list_health_objects(StoredObjects(api), api, AuditScope([None]), lambda _: None)
        found_health = cluster_health(listed, NOON, since=NOON - DAY, failed_since=NOON - DAY)
    except ApiError:
        return
    except (AttributeError, TypeError, KeyError) as error:
        if _is_of_the_fake_server(error):
            return
        raise
    lines = "\n".join(health_text.render(found_health, infos=True, width=None))
    assert "\x1b" not in lines
    assert json.loads(health_report.render(found_health, "test"))["version"] == 1
    entries = [
        read_entry({**each, "kind": "CronJob"}, NOON) for each in listed.cron_jobs if _parses(each)
    ]
    assert calendar_of(entries, NOON, 1, "UTC").total >= 0


def _parses(cron_job: dict[str, Any]) -> bool:
    from jobsworth.api.formats.cron import BadSchedule

    try:
        read_entry(cron_job, NOON)
    except BadSchedule:
        return False
    return True


def _is_of_the_fake_server(error: Exception) -> bool:
    """Return True if the test's server, not the product, stumbled over the damage."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and "fake_list_server" in trace.tb_frame.f_code.co_filename
