"""Counts of findings by code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.printable import printable


def counts(findings: Iterable[LocatedFinding]) -> list[dict[str, Any]]:
    """Return ``count``, ``severity``, ``code``, ``name`` and ``fixable`` of each code found.

    The most frequent comes first; ``fixable`` is the number of findings that have a fix.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for located in findings:
        finding = located.finding
        row = found.setdefault(
            (finding.code, finding.severity),
            {
                "count": 0,
                "severity": finding.severity,
                "code": finding.code,
                "name": finding.reason,
                "fixable": 0,
            },
        )
        row["count"] += 1
        row["fixable"] += finding.fix is not None
    return sorted(found.values(), key=lambda row: (-row["count"], row["code"]))


def table(results: Iterable[Result]) -> Iterator[str]:
    """Return the counts as lines: count, severity, code, name, and the number with a fix."""
    found = counts(located for result in results for located in result.distinct)
    width = max((len(str(row["count"])) for row in found), default=0)
    for row in found:
        fixable = f" ({row['fixable']} with a fix)" if row["fixable"] else ""
        yield printable(
            f"{row['count']:>{width}}  {row['severity']:<7}  {row['code']}  {row['name']}{fixable}"
        )
