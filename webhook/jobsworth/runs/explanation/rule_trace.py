"""The explanation of one failure: each rule in turn, why it matches or not, and the consequences.

The rules themselves say if they match (:mod:`jobsworth.controller.failure_policy`); this module only finds
the words for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from jobsworth.controller import well_known_names
from jobsworth.controller.failure_policy import ConditionRule, ReasonRule, Rule
from jobsworth.controller.pods import ACTIVE, Pod, Termination
from jobsworth.runs.explanation.decision_rows import NamedRow
from jobsworth.runs.explanation.decision_table import decision_table
from jobsworth.runs.explanation.explained_job import ExplainedJob
from jobsworth.runs.explanation.failure_outcome import (
    NOW,
    Outcome,
    Outcomes,
    failed_index_limits,
    job_failure_message,
)
from jobsworth.runs.explanation.outcome_wording import seconds
from jobsworth.runs.failure_causes import DISRUPTED
from jobsworth.runs.rule_wording import listed_codes, rule_name


@dataclass(frozen=True, slots=True)
class RuleStep:
    """One rule in the evaluation of a failure.

    Attributes:
        position: its index in its list.
        by_annotation: it is a rule of the annotation that extends the API.
        matches: None if the rule is not evaluated, because an earlier one matches.
        because: the reason, as a clause; empty if not evaluated.
    """

    position: int
    by_annotation: bool
    action: str
    matches: bool | None
    because: str

    @property
    def name(self) -> str:
        """The name of the rule: ``rules[0]``."""
        return rule_name(self.position, by_annotation=self.by_annotation)


@dataclass(frozen=True, slots=True)
class RuleTrace:
    """The explanation of one failure.

    Attributes:
        failure: the failure in words: "container main exits with 42".
        steps: each rule in the order of evaluation; empty if the Pod has not failed.
        outcome: the consequences.
        consequences: the same as sentences.
        causes: of an exit code, what it may be, and what follows then.
    """

    failure: str
    steps: tuple[RuleStep, ...]
    outcome: Outcome
    consequences: tuple[str, ...]
    causes: tuple[NamedRow, ...] = ()


def causes_of(job: ExplainedJob, code: int) -> tuple[NamedRow, ...]:
    """Return what an exit code may be, as the decision table has it: an agreed meaning, and causes."""
    return tuple(row for row in decision_table([job]).named if code in row.codes)


def trace_restart(job: ExplainedJob, container: str, code: int) -> RuleTrace:
    """Explain a container that the kubelet restarts in place, so that no rule applies."""
    outcome = Outcomes(job.job, job.settings).restarted()
    failure = outcome.job_failure
    sentences = [
        "The Pod does not fail, so no rule applies: the kubelet restarts the container in the same Pod, "
        "after 10 s, 20 s, 40 s and so on, up to 5 min."
    ]
    if failure is not None:
        sentences.append(
            f"Restart {failure.after} of the Pods' containers fails the Job: reason {failure.reason}, "
            f"message: {failure.message}."
        )
    else:
        sentences.append("Such restarts count towards no limit of the Job.")
    return RuleTrace(f"container {container} exits with {code}", (), outcome, tuple(sentences))


def trace_pod(job: ExplainedJob, pod: Pod, failure: str = "") -> RuleTrace:
    """Explain the failure of a Pod.

    Args:
        pod: a failed Pod, or a Pod of a cluster in any state; its index and counts are respected.
        failure: the failure in words; by default from the Pod.
    """
    # The planner is asked about a Job with this Pod alone. The Pod keeps the failure counts of its index.
    first = replace(
        pod,
        namespace=job.job.namespace,
        uid="pod",
        tracking=(job.job.finalizer,),
        finished_at=NOW,
        index=0 if job.job.indexed else -1,
    )
    outcome = Outcomes(job.job, job.settings).of(first)
    steps = tuple(_steps(job, first)) if outcome.kind == "failed" else ()
    return RuleTrace(
        failure or _failure(job, pod),
        steps,
        outcome,
        tuple(_consequences(job, pod, first, outcome)),
    )


def _steps(job: ExplainedJob, pod: Pod) -> Iterator[RuleStep]:
    policy = job.job.failure_policy
    matched = False
    for rule in () if policy is None else policy.rules:
        by_annotation = isinstance(rule, ReasonRule)
        if matched:
            yield RuleStep(rule.position, by_annotation, rule.action, None, "")
            continue
        match = rule.match(pod)
        matched = match is not None
        if match is None:
            because = _why_not(job, rule, pod)
        elif match.ended is not None:
            ended = match.ended
            because = (
                f"container {ended.container} terminated with reason {ended.reason}"
                if match.by_reason
                else f"container {ended.container} exited with {ended.exit_code}"
            )
        else:
            because = f"the Pod has the condition {match.condition}"
        yield RuleStep(rule.position, by_annotation, rule.action, matched, because)


def _why_not(job: ExplainedJob, rule: Rule, pod: Pod) -> str:
    if isinstance(rule, ConditionRule):
        wanted = sorted(rule.patterns)
        types = {pattern.partition("=")[0] for pattern in wanted}
        near = [each for each in pod.conditions if each.partition("=")[0] in types]
        has = f"; it has {', '.join(near)}" if near else ""
        return f"the Pod does not have {' or '.join(wanted)}{has}"
    if not pod.terminations:
        return "no container ended with an exit code other than 0"
    ended = [each for each in pod.terminations if rule.container in (None, each.container)]
    if not ended:
        others = ", ".join(dict.fromkeys(each.container for each in pod.terminations))
        return f"it is about container {rule.container}, and {others} failed"
    return "; ".join(_unlisted(rule, each) for each in ended)


def _unlisted(rule: Rule, ended: Termination) -> str:
    if isinstance(rule, ReasonRule):
        verb = "is not among" if rule.operator == "In" else "is excluded by"
        return f"reason {ended.reason or 'unknown'} {verb} {', '.join(sorted(rule.reasons))}"
    if isinstance(rule, ConditionRule):
        return ""
    verb = "is not in" if rule.operator == "In" else "is excluded by"
    return f"exit code {ended.exit_code} {verb} {listed_codes(rule.codes)}"


def _failure(job: ExplainedJob, pod: Pod) -> str:
    """Return the state of a Pod of a cluster in words."""
    ended = ", ".join(
        f"container {each.container} exited with {each.exit_code}"
        + (f" ({each.reason})" if each.reason else "")
        for each in pod.terminations
    )
    disrupted = [each for each in pod.conditions if each.startswith("DisruptionTarget=")]
    parts = [f"phase {pod.phase}", *(["being deleted"] if pod.deleting else []), ended, *disrupted]
    return f"Pod {pod.name or '(unnamed)'}: {', '.join(filter(None, parts))}"


def _consequences(job: ExplainedJob, pod: Pod, first: Pod, outcome: Outcome) -> Iterator[str]:
    if outcome.kind == "succeeded":
        yield "The Pod has succeeded: no rule applies."
        return
    if first.state == ACTIVE and first.phase != well_known_names.PENDING:
        yield "The Pod has not failed: rules apply once it has terminated."
        return
    if outcome.kind == "pending":
        yield "The Pod is Pending, which is not a failure: no rule applies, and it is not replaced."
        yield from _deadline(job)
        return
    if outcome.kind == "terminating":
        yield (
            "The Pod is being deleted and has not terminated: it is neither counted nor replaced until it "
            "has (podReplacementPolicy: Failed, or a failure policy)."
        )
        return
    yield from _failed(job, pod, first, outcome)


def _failed(job: ExplainedJob, pod: Pod, first: Pod, outcome: Outcome) -> Iterator[str]:
    failure = outcome.job_failure
    if failure is not None and failure.after == 1:
        yield f"The Job fails at once: condition Failed, reason {failure.reason}."
        yield f"Message: {failure.message or job_failure_message(job.job, first)}."
        if job.job.parallelism > 1:
            yield "Its other Pods are deleted."
        yield from _job_set(job, failure.reason)
        return
    if outcome.fails_index:
        yield "The index fails at once and is not retried; the other indexes go on."
    elif not outcome.counted:
        yield "The failure is ignored: it counts towards no limit, so such retries have no limit."
    else:
        yield "The failure counts."
    if outcome.counted and failure is not None:
        yield f"Failure {failure.after} fails the Job: reason {failure.reason}, message: {failure.message}."
        yield from _job_set(job, failure.reason)
    exhausted = False
    if outcome.index_failure is not None and not outcome.fails_index:
        yield f"Failure {outcome.index_failure} of an index fails that index."
        number = pod.failure_count + 1
        exhausted = number >= outcome.index_failure
        if pod.failure_count:
            end = ": the index fails now and is not retried" if exhausted else ""
            yield f"The Pod says that this is failure {number} of index {pod.index}{end}."
    if outcome.index_failure is not None:
        yield from _failed_indexes(job)
    if outcome.delay is not None:
        whose = "the index" if job.job.per_index else "the Job"
        after = f"{seconds(outcome.delay)} after its end" if outcome.delay else "at once"
        yield (
            f"A new Pod replaces it {after}; the delay doubles with each consecutive failure of {whose}, "
            f"ignored ones included, up to {seconds(job.settings.backoff_cap)}."
        )
        if not job.job.only_replace_failed and DISRUPTED in pod.conditions:
            yield (
                "The Job controller does not wait for its end: a Pod that is being deleted counts as failed, "
                "and its replacement may run beside it (podReplacementPolicy: TerminatingOrFailed)."
            )
    elif not (outcome.fails_index or exhausted):
        yield "No Pod replaces it."
    yield from _deadline(job)


def _job_set(job: ExplainedJob, reason: str) -> Iterator[str]:
    """Yield what the JobSet does with the failed Job; nothing for a Job of its own."""
    if job.job_set is not None:
        yield f"Then {job.job_set.consequence(reason)}."


def _failed_indexes(job: ExplainedJob) -> Iterator[str]:
    """Yield a sentence for each number of failed indexes that fails the Job."""
    for limit in failed_index_limits(job.job):
        if not limit.at_once:
            unless = ", unless its success policy is met before" if job.job.success_rules else ""
            yield (
                "With any failed index the Job fails once no index is left to run: reason "
                f"{limit.reason}{unless}."
            )
        elif limit.count == 1:
            yield f"The first failed index fails the Job at once: reason {limit.reason}."
        else:
            yield (
                f"The Job fails at once when {limit.count} indexes have failed: reason {limit.reason}."
            )


def _deadline(job: ExplainedJob) -> Iterator[str]:
    if job.job.active_deadline is not None:
        yield (
            f"activeDeadlineSeconds fails the Job after {seconds(job.job.active_deadline)}, whatever the "
            f"rules say: reason {well_known_names.DEADLINE_EXCEEDED[0]}."
        )
