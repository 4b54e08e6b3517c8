"""Evaluate the Jobs of a reconciler by the policies of the webhook, and report what they deny.

:mod:`jobsworth.policy.admitted_jobs` decides; this module calls the evaluator, once for each version of a Job
and of the policies, and writes Events and counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from jobsworth.controller import signals, well_known_names
from jobsworth.controller.signals import Count, Event
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.policy.admitted_jobs import (
    SATISFIED,
    VIOLATION,
    AdmittedJob,
    Decision,
    Hold,
    Report,
    decide,
    held_by,
    is_annotated,
)
from jobsworth.policy.enforcement import NO_VIOLATIONS, PolicyVerdict
from jobsworth.policy.policy_set import PolicySet
from jobsworth.reconciler.events import EventSink
from jobsworth.reconciler.informers import CachedJob

Labels = Mapping[str, str]

NO_POLICIES = PolicySet(())


@dataclass(frozen=True, slots=True, eq=False)
class ActivePolicies:
    """The policies that apply to stored Jobs; each new version is another object.

    Attributes:
        evaluator: evaluates a stored object by them.
    """

    evaluator: Evaluator

    @property
    def policies(self) -> PolicySet:
        """The set of policies."""
        return self.evaluator.policies or NO_POLICIES


class _Evaluated(NamedTuple):
    """A verdict with the version of its inputs."""

    uid: str
    inputs: tuple[Any, ...]
    verdict: PolicyVerdict


class PolicyReview:
    """Evaluates stored Jobs. Thread-safe for different Jobs.

    Args:
        sink: receives Events and counts.
        namespace_labels: returns the labels of a namespace; called only if a policy needs them.
        log: logs a message for the operator.
    """

    def __init__(
        self,
        sink: EventSink,
        namespace_labels: Callable[[str], Labels | None] = lambda namespace: None,
        log: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._sink = sink
        self._namespace_labels = namespace_labels
        self._log = log
        self._active: ActivePolicies | None = None
        self._evaluated: dict[str, _Evaluated] = {}
        self._written: dict[str, frozenset[tuple[str, str]]] = {}

    def activate(self, active: ActivePolicies | None) -> None:
        """Evaluate by these policies from now on; None for no policies."""
        self._active = active

    def review(self, cached: CachedJob, *, started: bool) -> Decision:
        """Decide what becomes of an unfinished Job, and report its violations before that is done.

        Args:
            cached: the Job.
            started: it has, or has had, a Pod.
        """
        active, job = self._active, cached.job
        policies = NO_POLICIES if active is None else active.policies
        verdict = NO_VIOLATIONS
        if active is not None and policies.policies:
            verdict = self._verdict(cached, active)
        stored = cached.object
        state = AdmittedJob(started, job.suspended, held_by(stored), is_annotated(stored))
        decision = decide(state, policies, verdict)
        if decision.reports or job.key in self._written:
            self._report(cached, decision, started=started)
        return decision

    def acted(self, cached: CachedJob, decision: Decision) -> None:
        """Report that a Job has been suspended or resumed as decided."""
        suspended = decision.hold == Hold.SUSPEND
        action = well_known_names.HOLD_SUSPENDED if suspended else well_known_names.HOLD_RESUMED
        names = decision.policies or held_by(cached.object)
        for policy in names:
            labels = (("policy", policy), ("action", action))
            self._sink.count(Count(well_known_names.POLICY_HOLDS, labels))
        if decision.hold == Hold.RESUME:
            message = (
                f"Resumed: no violation of JobPolicy {', '.join(names)} holds the Job any more"
            )
            self._sink.write(cached.metadata, Event(signals.NORMAL, SATISFIED, message))

    def forget(self, key: str) -> None:
        """Forget a Job that no longer exists or is finished."""
        self._evaluated.pop(key, None)
        self._written.pop(key, None)

    def _verdict(self, cached: CachedJob, active: ActivePolicies) -> PolicyVerdict:
        key, metadata = cached.job.key, cached.metadata
        labels = None
        if active.policies.needs_namespace_labels:
            labels = self._namespace_labels(cached.job.namespace)
        # A change of the status changes no verdict, and the generation counts the changes of the spec.
        inputs = (
            active,
            cached.job.generation,
            metadata.get("labels"),
            metadata.get("annotations"),
            metadata.get("ownerReferences"),
            labels,
        )
        known = self._evaluated.get(key)
        if known is not None and (known.uid, known.inputs) == (cached.uid, inputs):
            return known.verdict
        verdict = self._evaluate(cached, active, labels)
        self._evaluated[key] = _Evaluated(cached.uid, inputs, verdict)
        if known is None or known.uid != cached.uid:
            self._written.pop(key, None)
        return verdict

    def _evaluate(
        self, cached: CachedJob, active: ActivePolicies, labels: Labels | None
    ) -> PolicyVerdict:
        subject = Subject(cached.object, "stored", namespace_labels=labels)
        try:
            result = active.evaluator.evaluate(subject).policy
        except Exception as error:  # a bug: it must not keep the Job from running
            self._log(
                f"internal error in the evaluation of {cached.job.key}: {type(error).__name__}: {error}"
            )
            return NO_VIOLATIONS
        return NO_VIOLATIONS if result is None else result.verdict

    def _report(self, cached: CachedJob, decision: Decision, *, started: bool) -> None:
        """Report each violation once for this process; an Event also once across restarts."""
        before = self._written.get(cached.job.key, frozenset())
        now = set()
        for report in decision.reports:
            event = _event(report, decision, started=started)
            what = (report.policy, event.message)
            if what not in before:
                if report.effect != "audit" and not self._sink.write(cached.metadata, event):
                    continue  # the next sync tries again
                labels = (("policy", report.policy), ("effect", report.effect))
                self._sink.count(Count(well_known_names.POLICY_VIOLATIONS, labels))
            now.add(what)
        if now:
            self._written[cached.job.key] = frozenset(now)
        else:
            self._written.pop(cached.job.key, None)


def _event(report: Report, decision: Decision, *, started: bool) -> Event:
    """Return the Event of a report: written before the Job is suspended, so it does not say that it is."""
    if report.effect != "deny":
        text = f"Violates JobPolicy {report.policy}"
    elif report.policy not in decision.policies:
        text = f"Admitted, although JobPolicy {report.policy} denies it"
    elif started:
        text = f"Not stopped because it has started, although JobPolicy {report.policy} denies it"
    else:
        text = f"Held until it satisfies JobPolicy {report.policy} or is exempt from it"
    return Event(signals.WARNING, VIOLATION, f"{text}: {report.text}")
