"""Words for rules, failures and outcomes, the same in every report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.controller import well_known_names
from jobsworth.controller.failure_policy import ConditionRule, ReasonRule
from jobsworth.explanation.explained_job import SIDECAR
from jobsworth.explanation.failure_outcome import (
    Outcomes,
    backoff_delays,
    failed_index_limit,
    failed_pod,
)
from jobsworth.lint.matched_failures import ANY_OTHER_CODE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jobsworth.controller.failure_policy import Rule
    from jobsworth.explanation.explained_job import ExplainedJob
    from jobsworth.explanation.failure_outcome import Outcome

OTHERWISE = "no rule"
_SHOWN_CODES = 12
"""At most so many exit codes of a rule are listed."""

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def code_ranges(ranges: Iterable[tuple[int, int]]) -> str:
    """Return ranges of exit codes as text.

    >>> code_ranges([(1, 41), (43, 255)])
    '1-41, 43-255'
    """
    return ", ".join(
        "any other"
        if first == ANY_OTHER_CODE
        else str(first)
        if first == last
        else f"{first}, {last}"
        if last == first + 1
        else f"{first}-{last}"
        for first, last in ranges
    )


def listed_codes(codes: Iterable[int]) -> str:
    """Return exit codes as text, runs as ranges; the rest of a long list is omitted.

    >>> listed_codes([1, 2, 3, 42])
    '1-3, 42'
    """
    ranges: list[tuple[int, int]] = []
    for code in sorted(codes):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    text = code_ranges(ranges[:_SHOWN_CODES])
    return text if len(ranges) <= _SHOWN_CODES else f"{text}, … ({len(ranges)} ranges)"


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


def rule_name(position: int, *, by_annotation: bool = False) -> str:
    """Return the name of a rule: ``rules[0]``, or that of a rule of the annotation."""
    return f"annotation rules[{position}]" if by_annotation else f"rules[{position}]"


def requirement(rule: Rule) -> str:
    """Return the requirement of a rule as a clause: "container main exits with 1"."""
    if isinstance(rule, ConditionRule):
        return f"the Pod has {' or '.join(sorted(rule.patterns))}"
    container = "any container" if rule.container is None else f"container {rule.container}"
    if isinstance(rule, ReasonRule):
        reasons = ", ".join(sorted(rule.reasons))
        verb = (
            "terminates with reason" if rule.operator == "In" else "fails with a reason other than"
        )
        return f"{container} {verb} {reasons}"
    codes = listed_codes(rule.codes)
    if rule.operator == "In":
        return f"{container} exits with {codes}"
    others = sorted({0, *rule.codes})
    return f"{container} exits with a code other than {listed_codes(others)}"


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
    parts = ["counted" if outcome.counted else "ignored"]
    if outcome.fails_index:
        parts = ["the index fails"]
    elif outcome.index_failure is not None:
        parts.append(f"failure {outcome.index_failure} of an index fails the index")
    if failure is not None:
        parts.append(f"failure {failure.after} fails the Job")
    text = ", ".join(parts)
    if outcome.fails_index:
        return text
    if outcome.delay is None:
        return f"{text}; not replaced"
    return f"{text}; new Pod after {seconds(outcome.delay)}"


def job_facts(job: ExplainedJob) -> Iterator[tuple[str, str]]:
    """Yield the name and value of what a Job does about failures apart from its rules."""
    outcomes, spec = Outcomes(job.job), job.spec
    yield "unmatched failure", effect(outcomes.of(failed_pod(job.job)))
    limit = failed_index_limit(job.job)
    if limit is not None:
        count, reason = limit
        yield (
            "failed indexes",
            f"{count} fail the Job ({reason})"
            if reason == well_known_names.MAX_FAILED_INDEXES_EXCEEDED[0]
            else f"any fails the Job ({reason}) once no index is left to run",
        )
    delays = ", ".join(seconds(each) for each in backoff_delays(job.job))
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
    if job.ignored_extension:
        yield (
            "annotation",
            "its rules are ignored: only the Job controller of jobsworth applies them "
            f"(spec.managedBy: {well_known_names.OUR_MANAGER})",
        )
