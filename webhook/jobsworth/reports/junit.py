"""The JUnit XML report for CI systems: each document is a test case.

JUnit XML has no standard. This report uses the subset that Jenkins, GitLab, Azure Pipelines and CircleCI
all read: a test case has at most one of ``failure``, ``error`` and ``skipped``; its text has all findings.
A document fails if it makes the run fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jobsworth.findings.finding_place import place_of
from jobsworth.findings.located_finding import LocatedFinding, Origin
from jobsworth.findings.result import ERROR, SKIPPED, Result
from jobsworth.printable import printable
from jobsworth.reports.concise import render as concise_lines

_NOT_VALIDATED: dict[str | None, str] = {
    kind: f"a patch of a {kind}, or a {kind} that is not of batch/v1" for kind in ("Job", "CronJob")
}
"""Why an object of such a kind is skipped that has no note, such as a patch whose overlay is rendered."""

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;"}


def render(results: Sequence[Result]) -> str:
    """Render one XML document: a test suite per file or namespace, a test case per object."""
    by_file: dict[str, list[Result]] = {}
    for result in results:
        suite = result.namespace or "" if result.in_cluster else _file(result)
        by_file.setdefault(suite, []).append(result)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', _open("testsuites", "jobsworth", results)]
    for file, members in by_file.items():
        lines.append("  " + _open("testsuite", file, members))
        for result in members:
            lines += (f"    {line}" for line in _test_case(result))
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines)


def _open(element: str, name: str, results: Sequence[Result]) -> str:
    outcomes = [_outcome(result) for result in results]
    numbers = {
        "tests": len(outcomes),
        "failures": outcomes.count("failure"),
        "errors": outcomes.count("error"),
        "skipped": outcomes.count("skipped"),
    }
    counts = " ".join(f'{key}="{number}"' for key, number in numbers.items())
    return f'<{element} name="{_escaped(printable(name))}" {counts} time="0">'


def _outcome(result: Result) -> str:
    if result.status == ERROR:
        return "error"
    if result.fails:
        return "failure"
    return "skipped" if result.status == SKIPPED else "passed"


def _test_case(result: Result) -> Iterator[str]:
    name, suite = _escaped(printable(_name(result))), _escaped(printable(_file(result)))
    errors = result.failing
    start = f'<testcase name="{name}" classname="{suite}"{_place(result, errors)} time="0"'
    outcome = _outcome(result)
    text = "\n".join(concise_lines(result))
    if outcome == "skipped":
        message = _escaped(text) or _NOT_VALIDATED.get(result.kind, "not a Job or CronJob")
        yield f'{start}><skipped message="{message}"/></testcase>'
    elif outcome in ("failure", "error"):
        first = errors[0].finding
        field = f"{first.written_field}: " if first.field else ""
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        message = _escaped(printable(f"{field}{first.short_message}{more}"))
        kind = _escaped(printable(f"{first.code} {first.reason}"))
        yield f'{start}><{outcome} message="{message}" type="{kind}">{_escaped(text)}</{outcome}></testcase>'
    elif text:
        yield f"{start}><system-out>{_escaped(text)}</system-out></testcase>"
    else:
        yield f"{start}/>"


def _place(result: Result, errors: Sequence[LocatedFinding]) -> str:
    """Return file and line of the finding that the test case names, or of the first one that has a line."""
    places = [place_of(result, each) for each in errors[:1] or result.findings]
    place = next((each for each in places if errors or each.line is not None), None)
    line = "" if place is None or place.line is None else f' line="{place.line}"'
    if result.in_cluster:
        return line
    file = _file(result) if place is None else place.file
    return f' file="{_escaped(printable(file))}"{line}'


def _file(result: Result) -> str:
    return result.file if result.origin is None else result.origin.file


def _name(result: Result) -> str:
    if result.kind is None:
        return f"document {result.document}"
    name = result.shown_name or f"(unnamed, document {result.document})"
    if result.namespace:
        name = f"{result.namespace}/{name}"
    return f"{result.kind} {name}{_rendered_with(result.origin)}"


def _rendered_with(origin: Origin | None) -> str:
    """Return the values or the overlay that an object was rendered with: one file has many such objects."""
    if origin is None:
        return ""
    parts = [("values", origin.values), ("overlay", origin.overlay)]
    return "".join(f" ({what} {path})" for what, path in parts if path)


def _escaped(text: str) -> str:
    """Escape lines for XML, which has no form at all for most control characters."""
    lines = "\n".join(map(printable, text.split("\n")))
    return "".join(_ESCAPES.get(each, each) for each in lines)
