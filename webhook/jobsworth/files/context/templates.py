"""Hints for values that a tool was meant to replace: ``${IMAGE}``, ``$(namespace)``, ``V_NAME``."""

from __future__ import annotations

from jobsworth.findings.located_finding import LocatedFinding, token_width
from jobsworth.findings.placeholders import template_placeholder
from jobsworth.findings.result import Result

VERDICTS = ("api", "child")
"""The sources of findings about what an API server rejects: the object, or what is created from it."""


def with_hints_at_placeholders(result: Result) -> Result:
    """Return the result with a hint in the API server's errors about values with a placeholder."""
    return result.replace(findings=[_hinted(located) for located in result.findings])


def _hinted(located: LocatedFinding) -> LocatedFinding:
    finding = located.finding
    if finding.severity != "error" or finding.source not in VERDICTS or finding.hint:
        return located
    if not located.column:
        return located
    start = located.column - 1
    found = template_placeholder(located.excerpt, start)
    if found is None or found.start() >= start + token_width(located.excerpt, start):
        return located
    hint = (
        f"is {found.group()} a placeholder, and this an unrendered template? Render it first "
        "(envsubst, helm template, kubectl kustomize …) and validate the result"
    )
    return located.replace(finding=finding.with_hint(hint).with_fix(None))
