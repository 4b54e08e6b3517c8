"""The JSON report: one object with a stable structure."""

from __future__ import annotations

import json

from jobsworth.printable import printable_json
from jobsworth.reports.result import Result, Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from jobsworth.reports.result import LocatedFinding


def render(results: Sequence[Result], *, statistics: bool = False) -> str:
    """Render all results in input order with a summary, and optionally counts by code.

    Keys of a result: ``file``, ``document``, ``item`` (only within a list), ``kind``,
    ``namespace``, ``name``, ``status``, ``findings``; of a finding: ``source``, ``severity``, ``code``,
    ``field``, ``reason``, ``message``, ``hint`` and ``fix`` (both optional), ``line``, ``column``.
    A finding of a JobPolicy has the policy's name under ``policy``. Objects stored in a cluster have no
    ``file``, ``document``, ``line`` and ``column``.
    With ``--fix``, attempted fixes are listed under ``fixed`` and ``not_fixed``.
    """
    report: dict[str, Any] = {
        "results": [_result(result) for result in results],
        "summary": Summary(results).as_dict(),
    }
    if statistics:
        from jobsworth.reports.statistics import counts

        report["statistics"] = counts(results)
    return printable_json(json.dumps(report, indent=2, ensure_ascii=False))


def _result(result: Result) -> dict[str, Any]:
    described: dict[str, Any] = {}
    if not result.in_cluster:
        described |= {"file": result.file, "document": result.document}
    if result.item is not None:
        described["item"] = result.item
    described |= {
        "kind": result.kind,
        "namespace": result.namespace,
        "name": result.name,
        "status": result.status,
        "findings": [
            _finding(located, in_text=not result.in_cluster) for located in result.findings
        ],
    }
    for key, failed in (("fixed", False), ("not_fixed", True)):
        attempts = [each.as_dict() for each in result.attempts if bool(each.reason) == failed]
        if attempts:
            described[key] = attempts
    return described


def _finding(located: LocatedFinding, *, in_text: bool) -> dict[str, Any]:
    described = located.finding.as_dict()
    if located.policy:
        described["policy"] = located.policy
    if in_text:
        described |= {"line": located.line, "column": located.column}
    return described
