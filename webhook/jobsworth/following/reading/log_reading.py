"""Read the ends of the logs that show why a Job fails: of few containers, few lines, few bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import pods_path
from jobsworth.following.requests import GetText
from jobsworth.whatif.why.job_snapshot import LogTail
from jobsworth.whatif.why.pods.pending_pods import CRASH_LOOP

if TYPE_CHECKING:
    from jobsworth.following.requests import Reading
    from jobsworth.whatif.why.diagnosis import Diagnosis

MAX_LOGS = 2
"""Containers whose log is read: one for each of the most frequent causes."""
MAX_BYTES = 64 * 1024
MAX_LINE = 500
"""Characters of a line."""


class _LoggedContainer(NamedTuple):
    pod: str
    container: str
    previous: bool


def read_logs(diagnosis: Diagnosis, lines: int) -> Reading[tuple[LogTail, ...]]:
    """Read the last lines of the logs of failed containers; a log that cannot be read has a problem instead.

    Args:
        lines: of each log.
    """
    tails = []
    namespace = diagnosis.snapshot.recording.job.namespace
    for chosen in _chosen(diagnosis):
        query = {
            "container": chosen.container,
            "tailLines": str(lines),
            "limitBytes": str(MAX_BYTES),
            **({"previous": "true"} if chosen.previous else {}),
        }
        path = f"{pods_path(namespace, chosen.pod)}/log"
        try:
            text = yield GetText(path, query)
        except ApiError as error:
            tails.append(LogTail(chosen.pod, chosen.container, problem=_problem(error)))
        else:
            tails.append(LogTail(chosen.pod, chosen.container, _last_lines(text, lines)))
    return tuple(tails)


def _problem(error: ApiError) -> str:
    if error.not_found:
        return "the Pod or its log is gone"
    return f"it cannot be read: {error}"


def _last_lines(text: str, number: int) -> tuple[str, ...]:
    lines = text[:MAX_BYTES].splitlines()[-number:]
    return tuple(line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…" for line in lines)


def _chosen(diagnosis: Diagnosis) -> list[_LoggedContainer]:
    return list(_with_log(diagnosis))[:MAX_LOGS]


def _with_log(diagnosis: Diagnosis) -> Iterator[_LoggedContainer]:
    """Yield the containers that failed, one for each cause that counts, then those that fail in place."""
    snapshot = diagnosis.snapshot
    for group in diagnosis.groups:
        failed = [
            _LoggedContainer(pod.name, container.name, previous=False)
            for pod in reversed(group.pods)
            for container in pod.containers
            if container.exit_code
        ]
        if group.counts and failed:
            yield failed[0]
    for pod in snapshot.recording.pods:
        for waiting in snapshot.facts_of(pod).waiting:
            if waiting.reason == CRASH_LOOP:
                yield _LoggedContainer(pod.name, waiting.name, previous=True)
