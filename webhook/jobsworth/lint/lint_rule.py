"""The lint rule: a check for a likely mistake in a valid Job or CronJob."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from jobsworth.findings.finding import Finding, Severity
from jobsworth.findings.fix import Fix
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.needs import Need, anything

Check = Callable[[LintedJob], Iterable["Diagnostic"]]
Confidence = Literal["certain", "likely", "opinion"]

CONFIDENCES: tuple[Confidence, ...] = ("certain", "likely", "opinion")
"""The certainty of a rule's findings, the surest first: it follows from the behavior of Kubernetes that the
manifest does not do what it says; it is so in at least 19 of 20 real manifests; reviewers disagree."""

DEFAULT_CONFIDENCE: Confidence = "likely"
"""The least confidence of the rules that are on by default."""


class Diagnostic:
    """A result of a rule's check, before it becomes a finding.

    Attributes:
        field: the field path.
        message: the problem in this manifest, and its solution.
        fix: edits that resolve it; None if there are none.
        line: the line of a script that it is about, from 0.
    """

    __slots__ = ("field", "fix", "line", "message")

    def __init__(self, field: str, message: str, fix: Fix | None = None, *, line: int = 0) -> None:
        self.field = field
        self.message = message
        self.fix = fix
        self.line = line


class Rule:
    """A lint rule. Its page, with the reasons and examples, is a file: see :mod:`jobsworth.lint.pages`.

    Attributes:
        code: stable, such as ``JW101``.
        name: stable, in words joined by hyphens, such as ``rule-shadowed``.
        severity: the severity of its findings.
        summary: one sentence: the condition.
        fixable: ``safe`` or ``unsafe``: the kind of fix of its findings; empty for none.
        confidence: how sure its findings are: see :data:`CONFIDENCES`.
        on: False if the rule runs only where a user selects it, whatever its confidence.
        needs: returns False for an object about which the rule is not asked: see :mod:`jobsworth.lint.needs`.
        pods: True if the rule holds for any Pod, also for one that no Job creates.
        check: yields the diagnostics about a Job or CronJob; None for a rule on the text of manifests.
    """

    __slots__ = (
        "check", "code", "confidence", "fixable", "name", "needs", "on", "pods", "severity", "summary",
    )  # fmt: skip

    def __init__(
        self,
        code: str,
        name: str,
        *,
        severity: Severity,
        summary: str,
        fixable: str = "",
        confidence: Confidence = "likely",
        on: bool = True,
        needs: Need = anything,
        pods: bool = False,
        check: Check | None = None,
    ) -> None:
        self.code = code
        self.name = name
        self.severity = severity
        self.summary = summary
        self.fixable = fixable
        self.confidence: Confidence = confidence
        self.on = on
        self.needs = needs
        self.pods = pods
        self.check = check

    def is_reported_at(self, confidence: Confidence) -> bool:
        """Return True if the rule runs without being selected, for the least confidence that a user wants."""
        return self.on and CONFIDENCES.index(self.confidence) <= CONFIDENCES.index(confidence)

    def finding(
        self,
        field: str,
        message: str,
        fix: Fix | None = None,
        *,
        severity: Severity | None = None,
        line: int = 0,
    ) -> Finding:
        """Make a finding of this rule.

        Args:
            field: the field path.
            message: the problem, and its solution.
            fix: edits that resolve it; None if there are none.
            severity: overrides the severity of the rule.
            line: the line of the field's text that it is about, from 0.
        """
        return Finding(
            source="lint",
            severity=severity or self.severity,
            code=self.code,
            field=field,
            reason=self.name,
            message=message,
            fix=fix,
            line=line,
        )


DECLARED: list[Rule] = []
"""The rules that :func:`lint_rule` has declared, in the order of the imports of their modules."""


def lint_rule(
    code: str,
    name: str,
    *,
    severity: Severity,
    summary: str,
    fixable: str = "",
    confidence: Confidence = "likely",
    on: bool = True,
    needs: Need = anything,
    pods: bool = False,
) -> Callable[[Check], Rule]:
    """Declare a rule by its check, and register it: the decorated function becomes the :class:`Rule`."""

    def declare(check: Check) -> Rule:
        rule = Rule(
            code,
            name,
            severity=severity,
            summary=summary,
            fixable=fixable,
            confidence=confidence,
            on=on,
            needs=needs,
            pods=pods,
            check=check,
        )
        DECLARED.append(rule)
        return rule

    return declare
