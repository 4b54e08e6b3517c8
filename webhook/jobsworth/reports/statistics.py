"""Counts of findings by code."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from jobsworth.reports.result import Result


def counts(results: Iterable[Result]) -> list[dict[str, Any]]:
    """Return ``count``, ``severity``, ``code``, ``name`` and ``fixable`` of each code found.

    The most frequent comes first; ``fixable`` is the number of findings that have a fix.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for result in results:
        for located in result.findings:
            finding = located.finding
            entry = found.setdefault(
                (finding.code, finding.severity),
                {
                    "count": 0,
                    "severity": finding.severity,
                    "code": finding.code,
                    "name": finding.reason,
                    "fixable": 0,
                },
            )
            entry["count"] += 1
            entry["fixable"] += finding.fix is not None
    return sorted(found.values(), key=lambda entry: (-entry["count"], entry["code"]))


def table(results: Iterable[Result]) -> Iterator[str]:
    """Return the counts as lines: count, severity, code, name, and the number with a fix."""
    found = counts(results)
    width = max((len(str(entry["count"])) for entry in found), default=0)
    for entry in found:
        fixable = f" ({entry['fixable']} with a fix)" if entry["fixable"] else ""
        yield (
            f"{entry['count']:>{width}}  {entry['severity']:<7}  {entry['code']}  "
            f"{entry['name']}{fixable}"
        )
