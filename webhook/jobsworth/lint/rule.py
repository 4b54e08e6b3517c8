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
    """A lint rule.

    Attributes:
        code: stable, such as ``JW101``.
        name: stable, in words joined by hyphens, such as ``rule-shadowed``.
        severity: of its findings.
        summary: one sentence: the condition.
        why: why it hurts: what will happen to whom, as one or two paragraphs.
        sources: where that can be read: KEP and section, documentation page, issue, source file.
        bad: a manifest that the rule reports.
        good: the same, mended.
        fixable: ``safe``, ``unsafe`` or empty: whether its findings come with a fix.
        on: whether the rule speaks unless it is asked to.
    """

    __slots__ = (
        "bad", "check", "code", "fixable", "good", "name", "on", "severity", "sources", "summary", "why",
    )  # fmt: skip

    def __init__(
        self,
        code: str,
        name: str,
        *,
        severity: Severity,
        summary: str,
        why: str,
        sources: tuple[str, ...],
        bad: str,
        good: str,
        check: Check,
        fixable: str = "",
        on: bool = True,
    ) -> None:
        self.code = code
        self.name = name
        self.severity = severity
        self.summary = summary
        self.why = why
        self.sources = sources
        self.bad = bad
        self.good = good
        self.check = check
        self.fixable = fixable
        self.on = on

    def findings(self, subject: Subject) -> list[Finding]:
        """What the rule says about a Job or CronJob."""
        return [
            Finding(
                source="lint",
                severity=self.severity,
                code=self.code,
                field=complaint.field,
                reason=self.name,
                message=complaint.message,
                fix=complaint.fix,
            )
            for complaint in self.check(subject)
        ]
