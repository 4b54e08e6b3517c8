"""Kubernetes events: few, even where much happens."""

from __future__ import annotations

import time

import pytest

from jobsworth.controller.signals import Event, pod_created
from jobsworth.reconciler.events import EventCorrelator, EventRecorder, Occurrence
from support.api_server.fake_job_api import FakeJobApi
from support.fake_clock import FakeClock

JOB = {"name": "train", "namespace": "ns", "uid": "u1", "resourceVersion": "7"}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def api(clock: FakeClock) -> FakeJobApi:
    return FakeJobApi(clock)


@pytest.fixture
def recorder(api: FakeJobApi, clock: FakeClock) -> EventRecorder:
    return EventRecorder(api, clock)


def test_an_event_is_about_the_job_and_from_the_job_controller(
    api: FakeJobApi, recorder: EventRecorder
) -> None:
    recorder.write(JOB, pod_created("train-x"))
    (event,) = api.all("events")
    assert event["involvedObject"] == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "namespace": "ns",
        "name": "train",
        "uid": "u1",
        "resourceVersion": "7",
    }
    assert event["source"] == {"component": "job-controller"}
    assert (event["type"], event["reason"], event["message"], event["count"]) == (
        "Normal",
        "SuccessfulCreate",
        "Created pod: train-x",
        1,
    )


def test_a_repeated_event_counts_up(
    api: FakeJobApi, recorder: EventRecorder, clock: FakeClock
) -> None:
    for _ in range(3):
        recorder.write(JOB, Event("Warning", "FailedCreate", "Error creating: quota"))
        clock.now += 10
    (event,) = api.all("events")
    assert event["count"] == 3
    assert event["firstTimestamp"] < event["lastTimestamp"]


def test_an_event_that_has_expired_is_written_anew(
    api: FakeJobApi, recorder: EventRecorder
) -> None:
    event = Event("Warning", "FailedCreate", "Error creating: quota")
    recorder.write(JOB, event)
    (first,) = api.all("events")
    api.request("DELETE", f"/api/v1/namespaces/ns/events/{first['metadata']['name']}")
    recorder.write(JOB, event)
    (second,) = api.all("events")
    assert second["count"] == 2


def test_the_tenth_similar_event_and_those_after_it_are_combined(
    api: FakeJobApi, recorder: EventRecorder
) -> None:
    for number in range(20):
        recorder.write(JOB, pod_created(f"train-{number}"))
    events = api.all("events")
    assert len(events) == 10
    assert events[-1]["message"] == "(combined from similar events): Created pod: train-19"
    assert events[-1]["count"] == 11


def test_an_object_gets_25_at_once_and_then_one_every_five_minutes(
    api: FakeJobApi, recorder: EventRecorder, clock: FakeClock
) -> None:
    for number in range(600):
        recorder.write(JOB, pod_created(f"train-{number}"))
    assert len(api.calls) == 25
    clock.now += 301
    recorder.write(JOB, pod_created("train-601"))
    recorder.write(JOB, pod_created("train-602"))
    assert len(api.calls) == 26


def test_other_jobs_are_not_held_up(clock: FakeClock) -> None:
    correlator = EventCorrelator(clock)
    for number in range(50):
        correlator.take(Occurrence("u1", "Normal", "SuccessfulCreate", str(number)))
    assert correlator.take(Occurrence("u2", "Normal", "SuccessfulCreate", "1")) is not None


def test_waiting_events_are_written_before_the_end(
    api: FakeJobApi, recorder: EventRecorder
) -> None:
    recorder.start()
    recorder.record(JOB, pod_created("a"))
    recorder.record(JOB, pod_created("b"))
    recorder.stop(2)
    assert len(api.all("events")) == 2


def test_a_server_that_rejects_events_delays_no_sync(api: FakeJobApi) -> None:
    from support.api_server.fake_job_api import lost

    log: list[str] = []
    api.before = lost
    recorder = EventRecorder(api, time.time, log=log.append)
    recorder.start()
    recorder.record(JOB, pod_created("a"))
    recorder.stop(2)
    assert "cannot write event" in log[0]
