"""The plugin of pytest: a failed comparison of findings prints them as the command line does.

pytest loads it by its entry point. It imports nothing of jobsworth before a comparison of findings fails.
"""

from __future__ import annotations

import sys
from typing import Any

FINDINGS = ("jobsworth.findings.finding", "jobsworth.findings.located_finding")
"""The modules of findings: a test without them has none."""


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Return the lines that explain why ``assert jobsworth.validate(job) == []`` fails.

    None for other comparisons, which pytest explains itself.
    """
    if op != "==" or any(name not in sys.modules for name in FINDINGS):
        return None
    left_found, right_found = _findings(left), _findings(right)
    if left_found is None or right_found is None or not (left_found or right_found):
        return None
    lines = [f"{len(left_found)} findings == {len(right_found)} findings"]
    for title, only in (
        ("only in the left list:", [each for each in left_found if each not in right_found]),
        ("only in the right list:", [each for each in right_found if each not in left_found]),
    ):
        if only:
            lines += [title, *(f"  {line}" for each in only for line in _lines(each))]
    return lines


def _findings(value: object) -> list[Any] | None:
    """Return a list of findings, which may be empty; None for any other value."""
    from jobsworth.findings.finding import Finding
    from jobsworth.findings.located_finding import LocatedFinding

    if isinstance(value, list) and all(
        isinstance(each, Finding | LocatedFinding) for each in value
    ):
        return value
    return None


def _lines(item: Any) -> list[str]:
    """Return the lines of a finding."""
    from jobsworth.findings.located_finding import LocatedFinding
    from jobsworth.printable import printable

    place = f"{item.line}:{item.column}: " if isinstance(item, LocatedFinding) else ""
    finding = item.finding if isinstance(item, LocatedFinding) else item
    lines = [
        f"{place}{finding.severity}: {finding.field or 'manifest'} [{finding.code}]",
        f"  {finding.message}",
    ]
    if finding.hint:
        lines.append(f"  hint: {finding.hint}")
    if finding.fix is not None:
        lines.append(f"  fix: {finding.fix.title} ({'safe' if finding.fix.safe else 'unsafe'})")
    return [printable(line) for line in lines]
