"""The lint rule: a condition on a Job that is valid and may still lose a night's work."""

from __future__ import annotations

from jobsworth.findings.finding import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobsworth.findings.finding import Severity
    from jobsworth.findings.fix import Fix
    from jobsworth.lint.linted_job import Subject

    Check = Callable[[Subject], Iterator["Complaint"]]


class Complaint:
    """What a rule has to say about one place of a manifest.

    Attributes:
        field: the field path that it is about.
        message: what is wrong, and what would be right, for this very manifest.
        fix: an edit that mends it, when there is one.
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
        severity: of its findings.
        summary: one sentence: the condition.
        fixable: ``safe``, ``unsafe`` or empty: whether its findings come with a fix.
        on: whether the rule is reported unless it is selected.
        check: yields the rule's complaints about a Job or CronJob; None of a rule whose findings are
            made before there is a Job.
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
            field: the field path that it is about.
            message: what is wrong, and what would be right.
            fix: an edit that fixes it, when there is one.
            severity: instead of the rule's own.
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

    def findings(self, subject: Subject) -> list[Finding]:
        """Check a Job or CronJob."""
        if self.check is None:
            return []
        return [
            self.finding(complaint.field, complaint.message, complaint.fix)
            for complaint in self.check(subject)
        ]


def lint_rule(
    code: str, name: str, *, severity: Severity, summary: str, fixable: str = "", on: bool = True
) -> Callable[[Check], Rule]:
    """Declare a rule by its check: the decorated function becomes the :class:`Rule`."""

    def declare(check: Check) -> Rule:
        return Rule(
            code, name, severity=severity, summary=summary, fixable=fixable, on=on, check=check
        )

    return declare
