"""Words for rules, failures and outcomes, the same in every report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jobsworth.controller import well_known_names
from jobsworth.controller.jobs import Job
from jobsworth.controller.settings import deviations
from jobsworth.lint.matched_failures import ANY_OTHER_CODE
from jobsworth.runs.explanation.explained_job import SIDECAR, ExplainedJob
from jobsworth.runs.explanation.failure_outcome import (
    Outcome,
    Outcomes,
    backoff_delays,
    failed_index_limits,
    failed_pod,
)
from jobsworth.runs.rule_wording import code_range, rule_name

OTHERWISE = "no rule"
UNMATCHED = "unmatched failure"
"""The fact about a failure that no rule matches."""
POD_FAILURE_POLICY = "PodFailurePolicy"
"""The reason of a Job that a rule has failed."""
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def code_ranges(ranges: Iterable[tuple[int, int]]) -> str:
    """Return ranges of exit codes as text.

    >>> code_ranges([(1, 41), (43, 255)])
    '1-41, 43-255'
    """
    return ", ".join(
        "any other" if first == ANY_OTHER_CODE else code_range(first, last)
        for first, last in ranges
    )


def seconds(number: float) -> str:
    """Return a number of seconds as text, in the largest unit that divides it.

    >>> [seconds(each) for each in (10, 90.0, 600, 86400)]
    ['10 s', '90 s', '10 min', '1 d']
    """
    whole = int(number)
    for size, unit in _UNITS:
        if whole >= size and whole % size == 0:
            return f"{whole // size} {unit}"
    return f"{whole} s"


def deciding_rule(outcome: Outcome) -> str:
    """Return the name of the rule that decides; "-" where rules do not apply."""
    if outcome.kind != "failed":
        return "-"
    if outcome.rule is None:
        return OTHERWISE
    return rule_name(outcome.rule, by_annotation=outcome.by_annotation)


def effect(outcome: Outcome) -> str:
    """Return an outcome in a few words, for a cell of a table."""
    if outcome.kind == "pending":
        return "not a failure: the Pod stays Pending, nothing is counted or replaced"
    if outcome.kind == "terminating":
        return "not replaced and not counted until the Pod has terminated"
    if outcome.kind == "succeeded":
        return "the Pod has succeeded"
    failure = outcome.job_failure
    if outcome.kind == "restarted":
        text = "restarted in the same Pod"
        if failure is None:
            return f"{text}, without limit"
        return f"{text}; restart {failure.after} fails the Job ({failure.reason})"
    if failure is not None and failure.after == 1:
        return f"the Job fails ({failure.reason})"
    index, ends = outcome.index_failure, _ends_with_index(outcome)
    if outcome.fails_index:
        text = f"the index fails{ends}"
    elif index is not None:
        text = f"counted, failure {index} of an index fails the index{ends}"
    else:
        text = "counted" if outcome.counted else "ignored"
    if failure is not None:
        text += f"{', ' if index is None else '; '}failure {failure.after} fails the Job"
    if outcome.fails_index:
        return text
    if outcome.delay is None:
        return f"{text}; not replaced"
    new = f"after {seconds(outcome.delay)}" if outcome.delay else "at once"
    return f"{text}; new Pod {new}"


def _ends_with_index(outcome: Outcome) -> str:
    """Return when the first failed index fails the Job, as the end of a clause."""
    limit = outcome.failed_index
    if limit is None:
        return ""
    return " and the Job" if limit.at_once else ", and the Job once no index is left"


def failed_indexes(job: Job) -> str:
    """Return how many failed indexes fail the Job, and when; empty without a limit per index."""
    parts: list[str] = []
    for limit in failed_index_limits(job):
        if not limit.at_once:
            unless = ", unless the success policy is met before" if job.success_rules else ""
            parts.append(f"any fails the Job once no index is left to run ({limit.reason}){unless}")
        elif limit.count == 1:
            parts.append(f"the first fails the Job at once ({limit.reason})")
        else:
            parts.append(f"{limit.count} fail it at once ({limit.reason})")
    return "; ".join(parts)


def _failure_reasons(job: ExplainedJob) -> list[str]:
    """Return the reasons for which a Job may fail."""
    unmatched = Outcomes(job.job, job.settings).of(failed_pod(job.job)).job_failure
    policy = job.job.failure_policy
    fails = policy is not None and any(
        rule.action == well_known_names.FAIL_JOB for rule in policy.rules
    )
    reasons = [
        *([] if unmatched is None else [unmatched.reason]),
        *([POD_FAILURE_POLICY] if fails else []),
        *(limit.reason for limit in failed_index_limits(job.job)),
        *([well_known_names.DEADLINE_EXCEEDED[0]] if job.job.active_deadline is not None else []),
    ]
    return list(dict.fromkeys(reasons))


def disruption_conditions(job: ExplainedJob) -> str:
    """Name the disruptions for which a release does not set the condition DisruptionTarget."""
    if job.server.enabled("PodDisruptionConditions"):
        return f"not set by the kubelet of Kubernetes {job.server.release}: it does so from 1.26 on"
    gate = "the feature gate PodDisruptionConditions is off"
    return f"never set in Kubernetes {job.server.release}: {gate}"


def job_facts(job: ExplainedJob) -> Iterator[tuple[str, str]]:
    """Yield the name and value of what a Job does about failures apart from its rules."""
    outcomes, spec = Outcomes(job.job, job.settings), job.spec
    yield UNMATCHED, effect(outcomes.of(failed_pod(job.job)))
    limits = failed_indexes(job.job)
    if limits:
        yield "failed indexes", limits
    delays = ", ".join(seconds(each) for each in backoff_delays(job.settings))
    whose = "each index" if job.job.per_index else "the whole Job"
    yield "backoff", f"{delays}; of {whose}, by consecutive failures, ignored ones included"
    if job.job.only_replace_failed:
        yield "replacement", "when the Pod has terminated (podReplacementPolicy: Failed)"
    else:
        yield (
            "replacement",
            "as soon as the Pod is deleted or failed (podReplacementPolicy: TerminatingOrFailed)",
        )
    sidecars = [each.name for each in job.containers if each.role == SIDECAR]
    if sidecars:
        yield (
            "sidecars",
            f"{', '.join(sidecars)}: the exit code matters only if the Pod fails anyway",
        )
    if job.job.active_deadline is not None:
        reason = well_known_names.DEADLINE_EXCEEDED[0]
        yield (
            "deadline",
            f"after {seconds(job.job.active_deadline)} the Job fails, whatever the rules say ({reason})",
        )
    if job.job.parallelism == 0:
        yield "parallelism", "0: no Pod is created or replaced until it is raised"
    if spec.get("suspend"):
        yield (
            "suspended",
            "no Pod runs until the Job is resumed; the table is about the time after that",
        )
    if job.unmarked:
        yield "DisruptionTarget", disruption_conditions(job)
    if deviations(job.server):
        yield "release", f"{job.server.release}: {'; '.join(deviations(job.server))}"
    if job.ignored_extension:
        yield (
            "annotation",
            "its rules are ignored: only the Job controller of jobsworth applies them "
            f"(spec.managedBy: {well_known_names.OUR_MANAGER})",
        )
    if job.job_set is not None:
        for reason in _failure_reasons(job):
            yield f"after {reason}", job.job_set.consequence(reason)
