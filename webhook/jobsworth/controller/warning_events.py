"""Events that upstream does not emit: Jobs that lose logs or make no progress, matches of a failure policy.

Requested in kubernetes/kubernetes issues 74848 (Pods with ``OnFailure`` are deleted with their logs),
115688 (a failure that no rule can match), 134038 (a Pod that never terminates).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jobsworth.controller import signals, well_known_names
from jobsworth.controller.failure_policy import Match
from jobsworth.controller.finished_condition import FinishedCondition
from jobsworth.controller.pods import POD_FAILED, Pod
from jobsworth.controller.signals import Event
from jobsworth.controller.sync_context import SyncContext
from jobsworth.controller.times import write_time

_ERROR = "error "  # distinguishes errors from rules among what is reported
_EFFECTS: dict[str | None, str] = {
    well_known_names.IGNORE: "The failure does not count towards the backoff limits",
    well_known_names.COUNT: "The failure counts towards the backoff limits",
    well_known_names.FAIL_INDEX: "Index {index} fails without further retries",
}


def unmatched(context: SyncContext, failed: Iterable[Pod]) -> Iterator[Event]:
    """Yield an event for each counted failure that no rule of the failure policy can match."""
    if context.job.failure_policy is None:
        return
    for pod in failed:
        none_failed = pod.state == POD_FAILED and not pod.terminations
        if none_failed and context.classified.matcher.match(pod).action is None:
            yield signals.no_rule_can_match(pod.name)


def matched_rules(
    context: SyncContext, matched: Iterable[tuple[Pod, Match]]
) -> Iterator[tuple[str, Event]]:
    """Yield each rule that has matched a failure for the first time, and its event.

    The condition of a failed Job names the rule of a FailJob action. After a restart of the controller,
    counted Pods show which rules have matched before.
    """
    news = [(pod, match) for pod, match in matched if match.action in _EFFECTS]
    if not news:
        return
    classified = context.classified
    known = set(context.reported)
    known.update(
        classified.matcher.match(pod).rule
        for pod in classified.pods.others
        if pod.state == POD_FAILED and not classified.tracks(pod)
    )
    for pod, match in news:
        if match.rule not in known:
            known.add(match.rule)
            effect = _EFFECTS[match.action].format(index=pod.index)
            yield match.rule, signals.rule_matched(match.message(pod), effect)


def invalid_annotations(context: SyncContext) -> Iterator[tuple[str, Event]]:
    """Yield each error in the annotations that this controller has not reported yet, and its event."""
    for error in context.job.extension_errors:
        if _error_key(error) not in context.reported:
            yield _error_key(error), signals.extension_ignored(error)


def still_reported(context: SyncContext) -> frozenset[str]:
    """Return what stays reported; forget fixed errors, so that they are reported if they return."""
    errors = frozenset(map(_error_key, context.job.extension_errors))
    return frozenset(key for key in context.reported if key in errors or not key.startswith(_ERROR))


def _error_key(error: str) -> str:
    return _ERROR + error


def restarted(context: SyncContext, finished_condition: FinishedCondition) -> Iterator[Event]:
    """Yield an event for each Pod about to be deleted because of too many in-place restarts."""
    if (
        finished_condition.stored
        or finished_condition.reason != well_known_names.BACKOFF_LIMIT_EXCEEDED[0]
    ):
        return
    if context.job.restarts_on_failure:
        for pod in sorted(context.classified.active, key=lambda pod: (-pod.restarts, pod.name)):
            if pod.restarts:
                yield signals.restarted_too_often(pod.name, pod.restarts)


def overdue(context: SyncContext) -> Iterator[Event]:
    """Yield an event for each Pod that is terminating for too long."""
    limit = context.now - context.settings.overdue_after
    for pod in context.classified.terminating:
        if pod.gone_by <= limit:
            yield signals.termination_overdue(pod.name, pod.node, write_time(pod.gone_by))


def seconds_to_overdue(context: SyncContext) -> float | None:
    """Return the seconds until the next terminating Pod is overdue; None if none will be."""
    left = (
        pod.gone_by + context.settings.overdue_after - context.now
        for pod in context.classified.terminating
    )
    return min((seconds for seconds in left if seconds > 0), default=None)
