"""The explanation of a Job's failure handling: its facts, its rules and its decision table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jobsworth.controller.failure_policy import ReasonRule
from jobsworth.runs.explanation.cron_job_facts import cron_job_facts
from jobsworth.runs.explanation.decision_rows import DecisionTable, RuleUse
from jobsworth.runs.explanation.decision_table import decision_table, rule_uses
from jobsworth.runs.explanation.explained_job import ExplainedJob
from jobsworth.runs.explanation.outcome_wording import job_facts
from jobsworth.runs.explanation.rule_trace import RuleTrace
from jobsworth.runs.rule_wording import requirement, rule_name
from jobsworth.wording import count

LinesOf = Callable[[int], "SourceLines | None"]
"""Returns the lines of a rule of spec.podFailurePolicy in its file."""


@dataclass(frozen=True, slots=True)
class SourceLines:
    """Lines of a manifest.

    Attributes:
        first: the number of the first line, from 1.
        last: the number of the last line.
        text: the lines, at least the first; fewer than from `first` to `last` if there are many.
    """

    first: int
    last: int
    text: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplainedRule:
    """A rule of a Job.

    Attributes:
        name: ``rules[0]``, or ``annotation rules[0]``.
        requirement: what it requires of a Pod, as a clause.
        lines: its lines in the manifest; None for a rule of the annotation.
        use: None for a rule of the annotation.
    """

    name: str
    action: str
    requirement: str
    lines: SourceLines | None
    use: RuleUse | None


@dataclass(frozen=True, slots=True)
class ExplainedObject:
    """The object that is explained, and its place.

    Attributes:
        name: empty if the API server generates it.
        shown_name: the name for people, such as ``etl-*`` for a generated one; empty if there is none.
        file: the name of its file.
        line: the line at which it begins.
        release: the Kubernetes release of the API server.
        part: what of the object is explained, such as a ReplicatedJob; empty for all of it.
    """

    kind: str
    namespace: str
    name: str
    shown_name: str
    file: str
    line: int
    release: str
    part: str = ""

    @property
    def title(self) -> str:
        """The kind, namespace and name, and the part."""
        name = (self.shown_name or "(unnamed)") + (f", {self.part}" if self.part else "")
        return f"{self.kind} {self.namespace}/{name}" if self.namespace else f"{self.kind} {name}"


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The explanation of a Job, or of the difference to an earlier version of it.

    Attributes:
        facts: what the Job does about failures apart from its rules: names and values.
        rules: in the order of evaluation.
        table: the decisions; of both versions if there is an earlier one.
        before: the facts of the earlier version; None without one.
        updates: the runs that the update of a CronJob starts although their time has passed, or leaves out:
            sentences.
    """

    object: ExplainedObject
    job: ExplainedJob
    facts: tuple[tuple[str, str], ...]
    rules: tuple[ExplainedRule, ...]
    table: DecisionTable
    before: tuple[tuple[str, str], ...] | None = None
    updates: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return one line for a console."""
        rules = count(len(self.rules), "rule")
        return f"<explanation of {self.object.kind} {self.object.shown_name}: {rules}>"

    @property
    def changed(self) -> bool:
        """True if the behavior differs from that of the earlier version."""
        return self.table.changed or self.before not in (None, self.facts) or bool(self.updates)

    @property
    def changed_facts(self) -> list[tuple[str, str | None, str | None]]:
        """The facts that differ: name, value before and after, None where there is none."""
        before, after = dict(self.before or ()), dict(self.facts)
        return [
            (name, before.get(name), after.get(name))
            for name in dict.fromkeys((*before, *after))
            if before.get(name) != after.get(name)
        ]


@dataclass(frozen=True, slots=True)
class FailureExplanation:
    """The explanation of single failures of a Job.

    Attributes:
        rules: as in Explanation; the steps of each trace are about these, in this order.
    """

    object: ExplainedObject
    rules: tuple[ExplainedRule, ...]
    traces: tuple[RuleTrace, ...]


def explain(
    about: ExplainedObject,
    job: ExplainedJob,
    lines: LinesOf,
    now: int,
    before: ExplainedJob | None = None,
    *,
    updates: tuple[str, ...] = (),
) -> Explanation:
    """Explain a Job.

    Args:
        lines: finds the lines of its rules.
        now: seconds since 1970: the runs of a CronJob are those after it.
        before: an earlier version of it, to compare with.
        updates: the runs that the update of the earlier version starts or leaves out.
    """
    table = decision_table([job] if before is None else [before, job])
    return Explanation(
        about,
        job,
        _facts(job, now),
        explained_rules(job, lines, rule_uses(job, table)),
        table,
        None if before is None else _facts(before, now),
        updates,
    )


def _facts(job: ExplainedJob, now: int) -> tuple[tuple[str, str], ...]:
    if job.cron_job is None:
        return tuple(job_facts(job))
    return (*cron_job_facts(job.cron_job, job.spec, now), *job_facts(job))


def explained_rules(
    job: ExplainedJob, lines: LinesOf, uses: list[RuleUse] | None = None
) -> tuple[ExplainedRule, ...]:
    """Return the rules of a Job in the order of evaluation."""
    policy = job.job.failure_policy
    return tuple(
        ExplainedRule(
            rule_name(rule.position, by_annotation=isinstance(rule, ReasonRule)),
            rule.action,
            requirement(rule),
            None if isinstance(rule, ReasonRule) else lines(rule.position),
            None if uses is None or isinstance(rule, ReasonRule) else uses[rule.position],
        )
        for rule in (() if policy is None else policy.rules)
    )
