"""Hints for values that a tool was meant to replace: ``${IMAGE}``, ``$(namespace)``, ``V_NAME``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jobsworth.findings.located_finding import token_width

if TYPE_CHECKING:
    from jobsworth.findings.located_finding import LocatedFinding
    from jobsworth.findings.result import Result

_PLACEHOLDER = re.compile(
    r"""
    \$\{[^}\s]*\}?              # envsubst, sh, Flux: ${NAME}
    | \$\([^)\s]*\)?            # skaffold, make: $(NAME)
    | \(\$\w+\)                 # Chainsaw: ($namespace)
    | (?<![\w$])\$[A-Za-z_]\w*  # $NAME
    | \b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b  # sed: V_NAME, IMAGE_TAG
    | \{\{|\{%|<%               # Helm, Jinja, ERB
    | @\w+@ | %\w+% | __\w+__ | <[a-z][\w-]*>
    """,
    re.VERBOSE,
)


def hint_at_placeholders(result: Result) -> None:
    """Add a hint to the API server's errors about values with a placeholder."""
    result.findings = [_hinted(located) for located in result.findings]


def _hinted(located: LocatedFinding) -> LocatedFinding:
    finding = located.finding
    if finding.severity != "error" or finding.source != "api" or finding.hint or not located.column:
        return located
    start = located.column - 1
    found = _PLACEHOLDER.search(located.excerpt, start)
    if found is None or found.start() >= start + token_width(located.excerpt, start):
        return located
    hint = (
        f"is {found.group()} a placeholder, and this an unrendered template? Render it first "
        "(envsubst, helm template, kubectl kustomize …) and validate the result"
    )
    return located.replace(finding=finding.with_hint(hint).with_fix(None))
