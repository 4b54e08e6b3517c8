"""The report for programs: one JSON object, whose form is a contract."""

from __future__ import annotations

import json

from jobsworth.reports.result import Result, Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def render(results: Sequence[Result]) -> str:
    """All results, in the order of input, and the summary.

    The keys of a result: ``file``, ``document``, ``item`` (only within a list), ``kind``,
    ``namespace``, ``name``, ``status``, ``findings``; of a finding: ``source``, ``severity``, ``code``,
    ``field``, ``reason``, ``message``, ``hint`` (only where there is one), ``line``, ``column``.
    """
    report = {
        "results": [_result(result) for result in results],
        "summary": Summary(results).as_dict(),
    }
    return json.dumps(report, indent=2, ensure_ascii=False)


def _result(result: Result) -> dict[str, Any]:
    described: dict[str, Any] = {"file": result.file, "document": result.document}
    if result.item is not None:
        described["item"] = result.item
    described |= {
        "kind": result.kind,
        "namespace": result.namespace,
        "name": result.name,
        "status": result.status,
        "findings": [
            {**located.finding.as_dict(), "line": located.line, "column": located.column}
            for located in result.findings
        ],
    }
    return described
