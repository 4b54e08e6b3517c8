"""Read the watch of Pods in protobuf: the fields that the Job controller reads, as in the JSON of a Pod.

The API server encodes protobuf at half of the cost of JSON, and only once for all clients that watch Pods in
it, such as the scheduler and kube-controller-manager (decision record 18). The field numbers are those of
Kubernetes 1.36 (``generated.proto`` of core/v1, meta/v1 and runtime); a number never changes its meaning.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError

from jobsworth.client.api_interface import WatchFormat
from jobsworth.client.protobuf_types import message_types, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PROTOBUF = "application/vnd.kubernetes.protobuf"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_SECOND, LAST_SECOND = -62_135_596_800, 253_402_300_799  # of the years 1 and 9999
PREFIX = b"k8s\0"
LENGTH_BYTES = 4
LONGEST_EVENT = 1 << 26  # bytes; etcd limits an object to 1.5 MiB by default

TYPES = message_types(
    "jobsworth",
    {
        "WatchEvent": {"type": (1, "string"), "object": (2, "RawExtension")},
        "RawExtension": {"raw": (1, "bytes")},
        "Unknown": {"typeMeta": (1, "TypeMeta"), "raw": (2, "bytes")},
        "TypeMeta": {"apiVersion": (1, "string"), "kind": (2, "string")},
        "Status": {
            "message": (3, "string"),
            "reason": (4, "string"),
            "details": (5, "StatusDetails"),
            "code": (6, "int32"),
        },
        "StatusDetails": {"retryAfterSeconds": (5, "int32")},
        "Pod": {"metadata": (1, "ObjectMeta"), "spec": (2, "PodSpec"), "status": (3, "PodStatus")},
        "ObjectMeta": {
            "name": (1, "string"),
            "namespace": (3, "string"),
            "uid": (5, "string"),
            "resourceVersion": (6, "string"),
            "creationTimestamp": (8, "Time"),
            "deletionTimestamp": (9, "Time"),
            "deletionGracePeriodSeconds": (10, "int64"),
            "labels": (11, "repeated Entry"),
            "annotations": (12, "repeated Entry"),
            "ownerReferences": (13, "repeated OwnerReference"),
            "finalizers": (14, "repeated string"),
        },
        "Time": {"seconds": (1, "int64")},
        "Entry": {"key": (1, "string"), "value": (2, "string")},
        "OwnerReference": {
            "kind": (1, "string"),
            "name": (3, "string"),
            "uid": (4, "string"),
            "apiVersion": (5, "string"),
            "controller": (6, "bool"),
        },
        "PodSpec": {"nodeName": (10, "string"), "initContainers": (20, "repeated Container")},
        "Container": {"name": (1, "string"), "restartPolicy": (24, "string")},
        "PodStatus": {
            "phase": (1, "string"),
            "conditions": (2, "repeated PodCondition"),
            "containerStatuses": (8, "repeated ContainerStatus"),
            "initContainerStatuses": (10, "repeated ContainerStatus"),
        },
        "PodCondition": {
            "type": (1, "string"),
            "status": (2, "string"),
            "lastTransitionTime": (4, "Time"),
        },
        "ContainerStatus": {
            "name": (1, "string"),
            "state": (2, "ContainerState"),
            "restartCount": (5, "int32"),
        },
        "ContainerState": {"terminated": (3, "ContainerStateTerminated")},
        "ContainerStateTerminated": {
            "exitCode": (1, "int32"),
            "reason": (3, "string"),
            "finishedAt": (6, "Time"),
        },
    },
)
WATCH_EVENT, UNKNOWN, STATUS, POD = (
    TYPES[name] for name in ("WatchEvent", "Unknown", "Status", "Pod")
)


class ProtobufPods(WatchFormat):
    """The watch of Pods in protobuf."""

    media_type = PROTOBUF

    def events(self, chunks: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        """Yield the events of a response body.

        Raises:
            ValueError: the body is not a sequence of events.
        """
        try:
            for frame in _frames(chunks):
                event = WATCH_EVENT.FromString(frame)
                yield {"type": event.type, "object": _read_object(event.object.raw)}
        except DecodeError as error:
            raise ValueError(f"an event cannot be decoded: {error}") from error

    def answer(self, data: bytes) -> Any:
        """Return the ``Status`` of a rejected call; the text of any other response."""
        try:
            return _read_object(data)
        except (DecodeError, ValueError):
            return data.decode("utf-8", "replace")


PODS = ProtobufPods()


def _frames(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Split a body into its events: each begins with its length, a big-endian number of four bytes."""
    rest = b""
    for chunk in chunks:
        rest = rest + chunk if rest else chunk
        begin = 0
        while len(rest) >= begin + LENGTH_BYTES:
            content = begin + LENGTH_BYTES
            length = int.from_bytes(rest[begin:content], "big")
            if length > LONGEST_EVENT:
                raise ValueError(f"an event of {length} bytes")
            if len(rest) < content + length:
                break
            begin = content + length
            yield rest[content:begin]
        rest = rest[begin:]


def _read_object(data: bytes) -> dict[str, Any]:
    """Read a Pod, or a ``Status``, from its encoding with its type."""
    if not data.startswith(PREFIX):
        raise ValueError("an object without its type")
    encoded = UNKNOWN.FromString(data[len(PREFIX) :])
    if encoded.typeMeta.kind == "Status":
        return _status(STATUS.FromString(encoded.raw))
    return _pod(POD.FromString(encoded.raw))


def _status(status: Any) -> dict[str, Any]:
    return {
        "kind": "Status",
        "message": text(status.message),
        "reason": text(status.reason),
        "code": status.code,
        "details": {"retryAfterSeconds": status.details.retryAfterSeconds},
    }


def _pod(pod: Any) -> dict[str, Any]:
    spec, status = pod.spec, pod.status
    return {
        "metadata": _metadata(pod.metadata),
        "spec": {
            "nodeName": text(spec.nodeName),
            "initContainers": [
                {"name": text(each.name), "restartPolicy": text(each.restartPolicy)}
                for each in spec.initContainers
            ],
        },
        "status": {
            "phase": text(status.phase),
            "conditions": [
                {
                    "type": text(each.type),
                    "status": text(each.status),
                    "lastTransitionTime": _time(each.lastTransitionTime),
                }
                for each in status.conditions
            ],
            "containerStatuses": [_container_status(each) for each in status.containerStatuses],
            "initContainerStatuses": [
                _container_status(each) for each in status.initContainerStatuses
            ],
        },
    }


def _metadata(meta: Any) -> dict[str, Any]:
    read: dict[str, Any] = {
        "name": text(meta.name),
        "namespace": text(meta.namespace),
        "uid": text(meta.uid),
        "resourceVersion": text(meta.resourceVersion),
        "creationTimestamp": _time(meta.creationTimestamp),
        "labels": {text(each.key): text(each.value) for each in meta.labels},
        "annotations": {text(each.key): text(each.value) for each in meta.annotations},
        "ownerReferences": [
            {
                "apiVersion": text(each.apiVersion),
                "kind": text(each.kind),
                "name": text(each.name),
                "uid": text(each.uid),
                "controller": each.controller,
            }
            for each in meta.ownerReferences
        ],
        "finalizers": [text(each) for each in meta.finalizers],
    }
    if meta.HasField("deletionTimestamp"):
        read["deletionTimestamp"] = _time(meta.deletionTimestamp)
        read["deletionGracePeriodSeconds"] = meta.deletionGracePeriodSeconds
    return read


def _container_status(status: Any) -> dict[str, Any]:
    read = {"name": text(status.name), "restartCount": status.restartCount}
    if status.state.HasField("terminated"):
        terminated = status.state.terminated
        read["state"] = {
            "terminated": {
                "exitCode": terminated.exitCode,
                "reason": text(terminated.reason),
                "finishedAt": _time(terminated.finishedAt),
            }
        }
    return read


def _time(time: Any) -> str | None:
    """Return a time in the format of JSON; None for one that is not set, which has no fields."""
    return _written(time.seconds) if time.HasField("seconds") else None


@lru_cache(maxsize=4096)
def _written(seconds: int) -> str:
    moment = EPOCH + timedelta(seconds=min(max(seconds, FIRST_SECOND), LAST_SECOND))
    return f"{moment.isoformat()[:19]}Z"
