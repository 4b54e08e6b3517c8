"""The JSON report: one object with a stable structure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from jobsworth.findings.result import Result, exit_code
from jobsworth.findings.summary import Summary
from jobsworth.lint.catalogue import CATALOGUE
from jobsworth.printable import printable_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from jobsworth.findings.located_finding import LocatedFinding
    from jobsworth.findings.summary import Omissions


VERSION = 1
"""The version of the report's structure, whose schema is ``schemas/report.json``; a new key keeps it."""


def render(
    results: Sequence[Result], *, statistics: bool = False, omissions: Omissions | None = None
) -> str:
    """Render all results in input order with a summary, and optionally counts by code.

    :mod:`jobsworth.reports.report_schema` describes the keys.
    """
    report: dict[str, Any] = {
        "version": VERSION,
        "results": [_result(result) for result in results],
        "summary": {
            **Summary(results, omissions).as_dict(),
            "exit_code": exit_code(results),
        },
    }
    if statistics:
        from jobsworth.reports.statistics import counts

        report["statistics"] = counts(results)
    return printable_json(json.dumps(report, indent=2, ensure_ascii=False))


def _result(result: Result) -> dict[str, Any]:
    described: dict[str, Any] = {}
    if not result.in_cluster:
        described |= {"file": result.file, "document": result.document}
    if result.origin is not None:
        described["origin"] = {"file": result.origin.file}
    if result.item is not None:
        described["item"] = result.item
    described |= {
        "kind": result.kind,
        "namespace": result.namespace,
        "name": result.name,
        "status": result.status,
        "fails": result.fails,
        "findings": [
            _finding(located, in_text=not result.in_cluster) for located in result.findings
        ],
    }
    if result.hidden_by:
        described["hidden_by"] = list(result.hidden_by)
    for key, failed in (("fixed", False), ("not_fixed", True)):
        attempts = [each.as_dict() for each in result.attempts if bool(each.reason) == failed]
        if attempts:
            described[key] = attempts
    return described


def _finding(located: LocatedFinding, *, in_text: bool) -> dict[str, Any]:
    described = located.finding.as_dict()
    entry = CATALOGUE.get(located.finding.code)
    if entry is not None and entry.confidence is not None:
        described["confidence"] = entry.confidence
    if located.further:
        described["further"] = True
    if located.policy:
        described["policy"] = located.policy
    if in_text:
        described |= {"line": located.line, "column": located.column}
    if located.origin is not None:
        origin = located.origin
        described["origin"] = {"file": origin.file, "line": origin.line, "column": origin.column}
    return described
