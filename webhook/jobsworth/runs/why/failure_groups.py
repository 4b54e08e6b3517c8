"""Group the failed Pods of a Job by their cause and by what the Job did with the failure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jobsworth.api.batch.termination_rules import Action
from jobsworth.controller import well_known_names
from jobsworth.controller.failure_policy import FailurePolicyMatcher, Match, ReasonRule
from jobsworth.controller.failure_policy import Rule as FailureRule
from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.jobs import Job
from jobsworth.controller.pods import POD_FAILED, TERMINATING
from jobsworth.runs.recorded.recording import RecordedPod, Recording
from jobsworth.runs.recorded.recording_reader import deletion_time
from jobsworth.runs.rule_wording import rule_name
from jobsworth.runs.why.pod_causes import PodCause, cause_of
from jobsworth.wording import count

MAX_MESSAGES = 2
"""Different messages of the Pods of a group that are shown."""
_DIGITS = re.compile(r"\d+")
SYNC = 10
"""Seconds that a sync of the Job controller may take from the deletion of Pods to the status."""
_MOST_TO_LEAST: tuple[Action, ...] = ("FailJob", "FailIndex", "Count", "Ignore")


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failed Pods with the same cause, of which the Job did the same.

    Attributes:
        effect: what the Job did with the failure: the action of the rule that matched, or ``Count``.
        rule: the name of the rule that matched; empty if none did.
        matched: that which the rule matched, such as ``exit code 42``; empty without a rule.
        pods: in the order of failure; at least one.
        indexes: their completion indexes; empty if the Job is not Indexed.
    """

    cause: PodCause
    effect: Action
    rule: str
    matched: str
    pods: tuple[RecordedPod, ...]
    indexes: IndexSet

    @property
    def counts(self) -> bool:
        """True if these failures count towards the limits."""
        return self.effect != well_known_names.IGNORE


def failure_groups(recording: Recording) -> list[FailureGroup]:
    """Group the failed Pods: those that ended the Job first, ignored ones last."""
    matcher = FailurePolicyMatcher(recording.job.failure_policy)
    found: dict[tuple[PodCause, Action, str, str], list[tuple[RecordedPod, str]]] = {}
    for pod in failed_pods(recording):
        match = matcher.match(pod.view)
        effect = match.action or well_known_names.COUNT
        cause = cause_of(pod, pod.facts, recording.events_of(pod.name))
        key = (cause, effect, _rule(match), _matched(match))
        found.setdefault(key, []).append((pod, cause.message))
    groups = [
        FailureGroup(
            replace(cause, message=_messages(pods)),
            effect,
            rule,
            matched,
            tuple(pod for pod, _ in pods),
            IndexSet.of({pod.index for pod, _ in pods if pod.index is not None}),
        )
        for (cause, effect, rule, matched), pods in found.items()
    ]
    return sorted(groups, key=lambda each: (_MOST_TO_LEAST.index(each.effect), -len(each.pods)))


def _messages(pods: Sequence[tuple[RecordedPod, str]]) -> str:
    """Return the messages of the Pods of a group, the latest first: which Pod's, unless all have the same.

    Messages that differ only in their digits are shown once: they have times, or the index.
    """
    alike: dict[str, list[tuple[RecordedPod, str]]] = {}
    for pod, message in reversed(pods):
        if message:
            alike.setdefault(_DIGITS.sub("0", message), []).append((pod, message))
    if len({message for _, message in pods}) == 1:
        return pods[0][1]
    shown = [_told(same) for same in [*alike.values()][:MAX_MESSAGES]]
    more = len(alike) - len(shown)
    return "; ".join([*shown, *([f"and {count(more, 'other message')}"] if more else [])])


def _told(pods: Sequence[tuple[RecordedPod, str]]) -> str:
    """Return the message of some Pods, which at most differs in its digits, with the latest Pod."""
    pod, message = pods[0]
    name = f"Pod {pod.name}" if pod.index is None else f"index {pod.index}"
    different = len({each for _, each in pods})
    if different == 1 and len(pods) > 1:
        name = f"{len(pods)} Pods"
    return f"{name}: {message.rstrip('. ')}{' (others alike)' if different > 1 else ''}"


def failed_pods(recording: Recording) -> list[RecordedPod]:
    """Return the Pods whose failure the Job had to handle, in the order of failure.

    Without those that the Job controller deleted: because they were surplus, or because the Job ended.
    """
    replaced = (POD_FAILED,) if recording.job.only_replace_failed else (POD_FAILED, TERMINATING)
    found = [
        pod
        for pod in recording.pods
        if pod.view.state in replaced and not pod.scaled_down and not stopped(recording, pod)
    ]
    certain = [pod for pod in found if not _deleted_at_end(recording, pod)]
    return sorted(certain or found, key=lambda pod: (pod.view.finished_at, pod.name))


def stopped(recording: Recording, pod: RecordedPod) -> bool:
    """Return True for a Pod that was deleted because the Job had ended, or no longer wants Pods."""
    end = recording.end
    if pod.deleted is None or pod.disruption:
        return False
    if end is None:
        since = _wants_no_pods_since(recording)
        return since is not None and pod.deleted >= since
    deadline = end.reason == well_known_names.DEADLINE_EXCEEDED[0]
    return pod.deleted > end.decided or (
        pod.deleted == end.decided and (pod.scaled_down or deadline or end.success)
    )


def _wants_no_pods_since(recording: Recording) -> int | None:
    """Return since when the Pods of an unfinished Job are deleted for it; None if it wants Pods.

    A Job that is suspended gets its condition after the deletion of its Pods, in the same sync.
    """
    job = recording.job
    if job.deleting:
        return deletion_time(recording.manifest["metadata"])
    if job.suspended:
        condition = job.status.condition(well_known_names.SUSPENDED)
        changed = None if condition is None else condition.changed
        return recording.created if changed is None else changed - SYNC
    return recording.created if job.parallelism == 0 else None


def _deleted_at_end(recording: Recording, pod: RecordedPod) -> bool:
    """Return True if the deletion may be the cause of the end, or its consequence: times are whole seconds.

    It is the cause only if nothing else is.
    """
    end = recording.end
    return end is not None and pod.deleted == end.decided and not pod.disruption


def matched_rules(
    job: Job, groups: Sequence[FailureGroup]
) -> Iterator[tuple[str, FailureRule, int]]:
    """Yield each rule of the failure policy with its name and the number of failed Pods that it matched."""
    for rule in () if job.failure_policy is None else job.failure_policy.rules:
        name = rule_name(rule.position, by_annotation=isinstance(rule, ReasonRule))
        yield name, rule, sum(len(each.pods) for each in groups if each.rule == name)


def failures_by_index(groups: Sequence[FailureGroup]) -> dict[int, int]:
    """Return the number of failures that count, by completion index."""
    found: dict[int, int] = {}
    for group in groups:
        for pod in group.pods if group.counts else ():
            if pod.index is not None:
                found[pod.index] = found.get(pod.index, 0) + 1
    return found


def _rule(match: Match) -> str:
    if match.action is None:
        return ""
    return rule_name(match.position, by_annotation=match.by_reason)


def _matched(match: Match) -> str:
    if match.action is None:
        return ""
    if match.ended is None:
        return f"its condition {match.condition}"
    if match.by_reason:
        return f"the reason {match.ended.reason}"
    return f"exit code {match.ended.exit_code} of container {match.ended.container}"
