"""The SARIF 2.1.0 report for code scanning on GitHub, GitLab and Azure DevOps.

Source: "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", OASIS Standard, and GitHub's
page "SARIF support for code scanning".
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import jobsworth
from jobsworth.findings.finding import Finding
from jobsworth.findings.finding_place import FindingPlace, place_of, rendered_note
from jobsworth.findings.located_finding import LocatedFinding, TextChange, token_width
from jobsworth.findings.result import ERROR, Result, exit_code
from jobsworth.lint import manifest_rules, pages
from jobsworth.lint.catalogue import CATALOGUE, page_address
from jobsworth.lint.linter import RULES
from jobsworth.printable import printable_json

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
HOME = "https://github.com/jobsworth/jobsworth"
_RULES = {rule.code: rule for rule in (*RULES, *manifest_rules.MANIFEST_RULES)}
LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def render(results: Sequence[Result]) -> str:
    """Render one SARIF run with the metadata of the rules; it has one result for each mistake."""
    rules: dict[str, dict[str, Any]] = {}
    found = []
    seen: dict[str, int] = {}
    for result in results:
        for located in result.distinct:
            rule = rules.setdefault(located.finding.code, _rule(located.finding))
            described = _result(result, located, list(rules).index(rule["id"]))
            known = _fingerprint(result, located.finding)
            seen[known] = seen.get(known, 0) + 1
            described["partialFingerprints"] = {"field/v1": f"{known}:{seen[known]}"}
            found.append(described)
    driver = {
        "name": "jobsworth",
        "version": jobsworth.__version__,
        "semanticVersion": jobsworth.__version__,
        "informationUri": HOME,
        "shortDescription": {"text": jobsworth.DESCRIPTION},
        "rules": list(rules.values()),
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not any(result.status == ERROR for result in results),
                "exitCode": exit_code(results),
            }
        ],
        "results": found,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return printable_json(json.dumps(log, indent=2, ensure_ascii=False))


_PRECISIONS = {None: "very-high", "certain": "very-high", "likely": "high", "opinion": "medium"}
"""The precision of a rule by its confidence; errors of the API server and violations have none."""


def _rule(finding: Finding) -> dict[str, Any]:
    """Return the metadata of a finding's rule (a ``reportingDescriptor``)."""
    described: dict[str, Any] = {"id": finding.code, "name": finding.reason}
    rule_info = CATALOGUE.get(finding.code)
    severity = finding.severity
    if rule_info is not None:
        described["name"] = rule_info.name
        described["shortDescription"] = {"text": rule_info.summary}
        severity = rule_info.severity
    rule = _RULES.get(finding.code)
    if rule is not None:
        explained = pages.explanation(rule)
        why = " ".join(explained.why.split("\n"))
        text = "\n".join([why, "", "Sources:", *explained.sources])
        described["fullDescription"] = {"text": why}
        described["help"] = {"text": text, "markdown": pages.page(rule)}
    elif rule_info is not None:
        page = pages.short_page(rule_info)
        described["help"] = {"text": rule_info.summary, "markdown": page}
    address = page_address(finding.code)
    if address:
        described["helpUri"] = address
    described["defaultConfiguration"] = {"level": LEVELS[severity]}
    tags = {"api": "kubernetes", "child": "kubernetes", "lint": "maintainability"}
    confidence = None if rule_info is None else rule_info.confidence
    described["properties"] = {
        "tags": [tags.get(finding.source, finding.source)],
        "problem.severity": {"info": "recommendation"}.get(severity, severity),
        "precision": _PRECISIONS[confidence],
    }
    return described


def _result(result: Result, located: LocatedFinding, index: int) -> dict[str, Any]:
    finding = located.finding
    hint = f" ({finding.hint})" if finding.hint else ""
    field = f"{finding.field}: " if finding.field else ""
    place = place_of(result, located)
    described: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": {"text": f"{field}{finding.message}{hint}{rendered_note(result, place)}"},
        "locations": [_location(result, located, place)],
    }
    if located.further:
        described["properties"] = {"further": True}
    if finding.fix is not None and located.changes:
        described["fixes"] = [
            {
                "description": {"text": finding.fix.title},
                "artifactChanges": [
                    {
                        "artifactLocation": _artifact(result.file),
                        "replacements": [_replacement(change) for change in located.changes],
                    }
                ],
            }
        ]
    return described


def _location(result: Result, located: LocatedFinding, place: FindingPlace) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if not result.in_cluster:
        physical: dict[str, Any] = {"artifactLocation": _artifact(place.file)}
        if place.line is not None and place.column is not None:
            physical["region"] = _region(located, place.line, place.column)
        location["physicalLocation"] = physical
    logical = "/".join(filter(None, [result.kind, result.namespace, result.shown_name]))
    if logical:
        name = f"{logical}#{located.finding.field}" if located.finding.field else logical
        location["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "object"}]
    return location


def _region(located: LocatedFinding, line: int, column: int) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": line, "startColumn": column}
    if located.origin is not None:
        return region  # the excerpt has the indentation of the rendered text
    excerpt = located.excerpt.rstrip()
    if column <= len(excerpt):
        region["endLine"] = line
        region["endColumn"] = column + max(1, token_width(excerpt, column - 1))
        region["snippet"] = {"text": excerpt}
    return region


def _artifact(file: str) -> dict[str, Any]:
    """Return a file's URI, relative to the current folder if the file is below it."""
    from urllib.parse import quote

    if file.startswith("<"):  # standard input
        return {"uri": quote(os.fsencode(file.strip("<>")))}
    path = os.path.normpath(file)
    if os.path.isabs(path):
        below = os.path.join(os.getcwd(), "")
        if not path.startswith(below):
            return {
                "uri": "file://" + quote(b"/" + os.fsencode(path.replace(os.sep, "/").lstrip("/")))
            }
        path = path.removeprefix(below)
    return {"uri": quote(os.fsencode(path.replace(os.sep, "/")))}


def _replacement(change: TextChange) -> dict[str, Any]:
    return {
        "deletedRegion": {
            "startLine": change.start,
            "startColumn": 1,
            "endLine": change.end,
            "endColumn": change.end_column,
        },
        "insertedContent": {"text": change.text},
    }


def _fingerprint(result: Result, finding: Finding) -> str:
    """Return a fingerprint that survives edits elsewhere in the file."""
    import hashlib

    name = result.name or result.file
    parts = (finding.code, result.kind, result.namespace, name, finding.field)
    return hashlib.sha256(
        "\0".join(part or "" for part in parts).encode("utf-8", "surrogatepass")
    ).hexdigest()[:32]
