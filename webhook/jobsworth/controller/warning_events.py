"""What people should know of a Job that goes on without them, or does not go on; upstream is silent here.

Source of the need: kubernetes/kubernetes issues 74848 (Pods with ``OnFailure`` go with their logs), 115688 (a
failure that no rule can match), 134038 (a terminating Pod that never goes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.controller import signals, well_known_names
from jobsworth.controller.pods import ENDED_BADLY
from jobsworth.controller.times import write_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jobsworth.controller.finished_condition import Verdict
    from jobsworth.controller.pods import Pod
    from jobsworth.controller.signals import Event
    from jobsworth.controller.sync_context import Basis


def unmatched(basis: Basis, failed: Iterable[Pod]) -> Iterator[Event]:
    """Failures that count although a failure policy was to say what becomes of them."""
    if basis.job.failure_policy is None:
        return
    for pod in failed:
        none_failed = pod.state == ENDED_BADLY and not pod.terminations
        if none_failed and basis.census.matcher.match(pod).action is None:
            yield signals.no_rule_can_match(pod.name)


def restarted(basis: Basis, verdict: Verdict) -> Iterator[Event]:
    """The Pods whose restarts in place have used up the backoff limit, before they are deleted."""
    if verdict.stored or verdict.reason != well_known_names.BACKOFF_LIMIT_EXCEEDED[0]:
        return
    if basis.job.restarts_on_failure:
        for pod in sorted(basis.census.active, key=lambda pod: (-pod.restarts, pod.name)):
            if pod.restarts:
                yield signals.restarted_too_often(pod.name, pod.restarts)


def overdue(basis: Basis) -> Iterator[Event]:
    """The Pods that should be gone for long."""
    limit = basis.now - basis.settings.overdue_after
    for pod in basis.census.terminating:
        if pod.gone_by <= limit:
            yield signals.termination_overdue(pod.name, pod.node, write_time(pod.gone_by))


def seconds_to_overdue(basis: Basis) -> float | None:
    """Until when the next Pod will be overdue; None if none will be."""
    left = (
        pod.gone_by + basis.settings.overdue_after - basis.now for pod in basis.census.terminating
    )
    return min((seconds for seconds in left if seconds > 0), default=None)
