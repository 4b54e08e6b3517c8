"""Limits of a snapshot: facts that it does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.whatif.replay.replay_wording import since

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.whatif.why.job_snapshot import JobSnapshot

MAX_PODS = 5


def unknowns(snapshot: JobSnapshot) -> Iterator[str]:
    """Yield what is not known of a Job, in sentences."""
    recording = snapshot.recording
    unseen = sorted(recording.unseen, key=lambda each: each.created or 0, reverse=True)
    for pod in unseen[:MAX_PODS]:
        when = "" if pod.created is None else f", created at {since(recording, pod.created)},"
        last = max(pod.events, key=lambda each: each.at or 0, default=None)
        event = "" if last is None else f" Its last Event: {last.reason}: {last.message}"
        yield f"Pod {pod.name}{when} is gone; only Events name it.{event}"
    if len(unseen) > MAX_PODS:
        yield f"{len(unseen) - MAX_PODS} more Pods are gone; only Events name them."
    if "Pods" in snapshot.denied:
        yield "The Pods of the Job cannot be listed: its numbers are those of its status."
    elif snapshot.partial:
        yield (
            f"The Job has more Pods than were read ({len(recording.pods)}): the numbers of its status are "
            "exact, those of Pods are not."
        )
    if "Events" in snapshot.denied:
        yield "The Events of the Job cannot be listed, so Pods that are gone cannot be seen."
    elif not recording.events:
        yield "There are no Events of the Job: the API server keeps them for an hour by default."
