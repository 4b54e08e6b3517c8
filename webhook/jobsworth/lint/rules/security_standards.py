"""Rules for the Pod Security Standards, off by default: the namespace has the level, not the manifest."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob


@lint_rule(
    "JW601",
    "security-baseline",
    severity="warning",
    summary="The Pod Security Standard baseline forbids a field of the Pod.",
    on=False,
    confidence="certain",
    pods=True,
)
def security_baseline(job: LintedJob) -> Iterator[Diagnostic]:
    from jobsworth.lint.security_checks import baseline  # imported only if the rule is selected

    yield from (Diagnostic(*violation) for violation in baseline(job))


@lint_rule(
    "JW602",
    "security-restricted",
    severity="warning",
    summary="The Pod Security Standard restricted forbids or requires a field of the Pod.",
    on=False,
    confidence="certain",
    pods=True,
)
def security_restricted(job: LintedJob) -> Iterator[Diagnostic]:
    from jobsworth.lint.security_checks import restricted

    yield from (Diagnostic(*violation) for violation in restricted(job))
