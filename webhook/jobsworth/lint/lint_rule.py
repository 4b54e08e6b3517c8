"""The lint rule: a check for a likely mistake in a valid Job or CronJob."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jobsworth.findings.finding import Severity
    from jobsworth.findings.fix import Fix
    from jobsworth.lint.linted_job import LintedJob

    Check = Callable[[LintedJob], Iterable["Diagnostic"]]


class Diagnostic:
    """A result of a rule's check, before it becomes a finding.

    Attributes:
        field: the field path.
        message: the problem in this manifest, and its solution.
        fix: edits that resolve it; None if there are none.
    """

    __slots__ = ("field", "fix", "message")

    def __init__(self, field: str, message: str, fix: Fix | None = None) -> None:
        self.field = field
        self.message = message
        self.fix = fix


class Rule:
    """A lint rule. Its page, with the reasons and examples, is a file: see :mod:`jobsworth.lint.pages`.

    Attributes:
        code: stable, such as ``JW101``.
        name: stable, in words joined by hyphens, such as ``rule-shadowed``.
        severity: the severity of its findings.
        summary: one sentence: the condition.
        fixable: ``safe`` or ``unsafe``: the kind of fix of its findings; empty for none.
        on: True if the rule is reported by default.
        check: yields the diagnostics about a Job or CronJob; None for a rule on the text of manifests.
    """

    __slots__ = ("check", "code", "fixable", "name", "on", "severity", "summary")

    def __init__(
        self,
        code: str,
        name: str,
        *,
        severity: Severity,
        summary: str,
        fixable: str = "",
        on: bool = True,
        check: Check | None = None,
    ) -> None:
        self.code = code
        self.name = name
        self.severity = severity
        self.summary = summary
        self.fixable = fixable
        self.on = on
        self.check = check

    def finding(
        self, field: str, message: str, fix: Fix | None = None, *, severity: Severity | None = None
    ) -> Finding:
        """Make a finding of this rule.

        Args:
            field: the field path.
            message: the problem, and its solution.
            fix: edits that resolve it; None if there are none.
            severity: overrides the severity of the rule.
        """
        return Finding(
            source="lint",
            severity=severity or self.severity,
            code=self.code,
            field=field,
            reason=self.name,
            message=message,
            fix=fix,
        )


def lint_rule(
    code: str, name: str, *, severity: Severity, summary: str, fixable: str = "", on: bool = True
) -> Callable[[Check], Rule]:
    """Declare a rule by its check: the decorated function becomes the :class:`Rule`."""

    def declare(check: Check) -> Rule:
        return Rule(
            code, name, severity=severity, summary=summary, fixable=fixable, on=on, check=check
        )

    return declare
