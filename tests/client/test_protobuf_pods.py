"""The watch of Pods in protobuf, against JSON: as recorded from an API server of 1.36.1, and as laws."""

from __future__ import annotations

import base64
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.client import protobuf_pods
from jobsworth.client.api_errors import ApiError
from jobsworth.client.protobuf_pods import PODS, PREFIX, TYPES
from jobsworth.client.watch import watch
from jobsworth.controller.controller_settings import ControllerSettings
from jobsworth.controller.pods import read_pod
from jobsworth.controller.times import read_time, write_time

RECORDED = json.loads((Path(__file__).parent / "recorded_pod_watch.json").read_text("utf-8"))
BODY = b"".join(base64.b64decode(pair["protobuf"]) for pair in RECORDED)
SETTINGS = ControllerSettings()
TIMES = ("creationTimestamp", "deletionTimestamp", "lastTransitionTime", "finishedAt")


def encoded(kind: str, value: Any) -> Any:
    """Return a message from an object in JSON."""
    message = TYPES[kind]()
    for field in message.DESCRIPTOR.fields:
        given_value = value.get(field.name)
        if given_value is None:
            continue
        target = getattr(message, field.name)
        if field.name in TIMES:
            target.SetInParent()
            target.seconds = read_time(given_value)
        elif field.name in ("labels", "annotations"):
            for key, text in given_value.items():
                target.add(key=key, value=text)
        elif field.message_type is None:
            target.extend(given_value) if field.is_repeated else setattr(
                message, field.name, given_value
            )
        elif field.is_repeated:
            target.extend(encoded(field.message_type.name, each) for each in given_value)
        else:
            target.CopyFrom(encoded(field.message_type.name, given_value))
    return message


def sent(event: str, kind: str, value: Any) -> bytes:
    """Return an event as an API server sends it."""
    unknown = TYPES["Unknown"](raw=encoded(kind, value).SerializeToString())
    unknown.typeMeta.kind = kind
    whole = TYPES["WatchEvent"](type=event)
    whole.object.raw = PREFIX + unknown.SerializeToString()
    frame: bytes = whole.SerializeToString()
    return len(frame).to_bytes(4, "big") + frame


TEXTS = st.text(max_size=6)
NAMES = st.sampled_from(["main", "agent", "setup"])
SECONDS = st.integers(0, 2**33).map(write_time)
INT32 = st.integers(-(2**31), 2**31 - 1)


def objects(required: dict[str, Any] | None = None, **fields: Any) -> Any:
    return st.fixed_dictionaries(required or {}, optional=fields)


TERMINATED = objects({"exitCode": INT32}, reason=TEXTS, finishedAt=st.none() | SECONDS)
CONTAINER_STATUSES = st.lists(
    objects(
        {"name": NAMES},
        restartCount=st.integers(0, 2**31 - 1),
        state=objects(terminated=TERMINATED, running=objects()),
    ),
    max_size=3,
)
CONDITIONS = st.lists(
    objects(
        {"type": st.just("Ready") | TEXTS, "status": st.sampled_from(["True", "False"])},
        lastTransitionTime=st.none() | SECONDS,
    ),
    max_size=3,
)
INDEXES = st.sampled_from(["0", "+7", "-1", "x", "", "12345678901234567890"])
OWNERS = objects(
    {"apiVersion": TEXTS, "kind": st.just("Job") | TEXTS, "name": TEXTS, "uid": TEXTS},
    controller=st.booleans(),
)
PODS_IN_JSON = objects(
    {
        "metadata": objects(
            {"name": TEXTS, "uid": TEXTS, "resourceVersion": TEXTS},
            namespace=TEXTS,
            labels=st.dictionaries(TEXTS, TEXTS, max_size=3),
            annotations=st.dictionaries(
                st.just("batch.kubernetes.io/job-completion-index") | TEXTS, INDEXES, max_size=3
            ),
            ownerReferences=st.lists(OWNERS, max_size=2),
            finalizers=st.lists(st.sampled_from([*SETTINGS.finalizers, "z"]), max_size=3),
            creationTimestamp=st.none() | SECONDS,
            deletionTimestamp=SECONDS,
            deletionGracePeriodSeconds=st.integers(0, 2**40),
        )
    },
    spec=objects(
        nodeName=TEXTS,
        initContainers=st.lists(
            objects({"name": NAMES}, restartPolicy=st.sampled_from(["Always", ""])), max_size=2
        ),
    ),
    status=objects(
        phase=st.sampled_from(["Pending", "Succeeded", "Failed", ""]),
        conditions=CONDITIONS,
        containerStatuses=CONTAINER_STATUSES,
        initContainerStatuses=CONTAINER_STATUSES,
    ),
)


def test_recorded_events_show_the_pods_of_their_json() -> None:
    events = list(PODS.events([BODY]))
    assert len(events) == len(RECORDED) > 8
    for event, pair in zip(events, RECORDED, strict=True):
        assert event["type"] == pair["json"]["type"]
        assert read_pod(event["object"], SETTINGS) == read_pod(pair["json"]["object"], SETTINGS)


@given(PODS_IN_JSON)
def test_any_pod_is_read_as_from_its_json(pod: dict[str, Any]) -> None:
    (event,) = PODS.events([sent("MODIFIED", "Pod", pod)])
    assert read_pod(event["object"], SETTINGS) == read_pod(pod, SETTINGS)


@given(st.lists(st.integers(0, len(BODY)), max_size=20))
def test_events_may_come_in_any_pieces(cuts: list[int]) -> None:
    bounds = [0, *sorted(cuts), len(BODY)]
    pieces = [BODY[begin:end] for begin, end in pairwise(bounds)]
    assert list(PODS.events(pieces)) == list(PODS.events([BODY]))


@given(st.data())
def test_a_changed_body_is_read_or_is_a_value_error(data: Any) -> None:
    body = bytearray(BODY)
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    try:
        for event in PODS.events([bytes(body)]):
            if event["object"].get("kind") != "Status":
                read_pod(event["object"], SETTINGS)
    except ValueError:
        pass


def test_text_that_is_not_utf8_is_read_as_the_api_server_writes_it_in_json() -> None:
    pod = {"metadata": {"annotations": {"batch.kubernetes.io/job-completion-index": "ABCDEF"}}}
    body = sent("ADDED", "Pod", pod).replace(b"ABCDEF", b"\xff\xfe\xfd123")
    (event,) = PODS.events([body])
    (value,) = event["object"]["metadata"]["annotations"].values()
    assert value == "\ufffd\ufffd\ufffd123"
    assert read_pod(event["object"], SETTINGS).index == -1


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (2**62, "9999-12-31T23:59:59Z"),
        (-(2**62), "0001-01-01T00:00:00Z"),
    ],
)
def test_times_are_read_in_their_format_in_json(seconds: int, text: str) -> None:
    assert protobuf_pods._written(seconds) == text


def test_an_expired_version_is_the_error_of_the_watch() -> None:
    gone = {"message": "too old", "reason": "Expired", "code": 410}

    class Gone:
        def stream(self, *_: Any) -> Any:
            return PODS.events([sent("ERROR", "Status", gone)])

    with pytest.raises(ApiError, match="too old") as caught:
        list(watch(Gone(), "/pods", "7"))  # type: ignore[arg-type]
    assert caught.value.expired


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"\xff\xff\xff\xff", "an event of 4294967295 bytes"),
        (b"\0\0\0\1\xff", "an event cannot be decoded"),
        (b"\0\0\0\0", "an object without its type"),
        (b'{"type": "ADDED"}', "an event of 2065855609 bytes"),
    ],
)
def test_a_body_of_another_format_says_so(body: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(PODS.events([body]))


def test_an_answer_that_is_no_status_is_text() -> None:
    assert PODS.answer(b"proxy: \xff") == "proxy: \ufffd"
