"""Several findings of one mistake: which of them is reported, and which people see.

A warning of the server is left to the lint rule that reports the same: it adds what to do, has a page, and a
code of its own by which it can be ignored. Where no such rule reports the place, because it was deselected or
because only some releases warn, the server's warning is reported. An error of the server is always reported,
and lint rules about its value are not. Where the fix of an error renames a field, no policy reports that the
field is not set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jobsworth.api.batch.job_warnings import NAME_NO_LABEL, TOO_MANY_INDEXES
from jobsworth.api.core.pod_warnings import (
    FRACTIONAL_BYTES,
    HIDDEN_VARIABLE,
    NEGATIVE_GRACE_PERIOD,
)
from jobsworth.findings.edits import at, edited, is_part_of, locate
from jobsworth.findings.finding import Finding, Reported
from jobsworth.findings.fix import Edit

REPORTED_AS = {
    FRACTIONAL_BYTES: "JW504",
    HIDDEN_VARIABLE: "JW505",
    NAME_NO_LABEL: "JW217",
    TOO_MANY_INDEXES: "JW221",
    NEGATIVE_GRACE_PERIOD: "JW024",  # since 1.37 the server rejects the Pods
}
"""The code of the finding that reports the same, by the key of the warning."""

UNKNOWN_FIELD = "UnknownField"
"""The reason of an error about a field that the API server does not know."""


def without_repeated(api: Sequence[Finding], lint: Iterable[Finding]) -> Sequence[Finding]:
    """Return the API server's findings without the warnings that a lint rule repeats.

    Args:
        api: the findings of the API server.
        lint: the findings of lint rules about the same object.
    """
    if not any(finding.rule in REPORTED_AS for finding in api):
        return api
    places = {(finding.code, _place(finding.field)) for finding in lint}
    return [
        finding
        for finding in api
        if (REPORTED_AS.get(finding.rule), _place(finding.field)) not in places
    ]


def without_misplaced(violations: Sequence[Reported], api: Iterable[Finding]) -> Sequence[Reported]:
    """Return the violations of policies without those about a field that stands under another name or place.

    A policy reports that a field is not set, or limits its default; the value that was meant is known only
    once the error about the unknown field is fixed.

    Args:
        violations: the violations of an object.
        api: the findings of the API server about it, with fixes.
    """
    meant = [
        new
        for each in api
        if each.severity == "error" and each.reason == UNKNOWN_FIELD and each.fix is not None
        for new, _ in each.fix.moves
    ]
    if not meant:
        return violations
    return [
        (policy, each)
        for policy, each in violations
        if not any(is_part_of(each.field, path) for path in meant)
    ]


def without_rejected(lint: Iterable[Finding], api: Iterable[Finding]) -> list[Finding]:
    """Return lint findings without those about a value that the API server rejects.

    It is left out, too, if the fix of an API error does what the rule asks for, and if its own safe fix
    deletes a part that has an error: a success policy that requires 4 of 3 indexes has an effect once it is
    right.

    Args:
        lint: the findings of lint rules.
        api: the findings of the API server about the same object, with fixes.
    """
    errors = [each for each in api if each.severity == "error"]
    places = {each.place for each in errors}
    edits = [each.fix.edits for each in errors if each.fix is not None]
    return [
        each
        for each in lint
        if each.place not in places
        and (each.fix is None or each.fix.edits not in edits)
        and not _deletes(each, places)
    ]


def _deletes(finding: Finding, places: Iterable[str]) -> bool:
    """Return True if the safe fix of a finding deletes one of these places."""
    if finding.fix is None or not finding.fix.safe:
        return False
    deleted = [edit.field for edit in finding.fix.edits if edit.action == "delete"]
    return any(is_part_of(place, field) for field in deleted for place in places)


def without_rejected_numbers(
    lint: list[Finding],
    api: Iterable[Finding],
    value: Any,
    lint_of: Callable[[Any], Iterable[Finding]],
) -> list[Finding]:
    """Return lint findings without those that a number that the API server rejects has caused.

    A rule compares numbers of several fields: that there are fewer completions than Pods says nothing if the
    completions are negative. These findings are not found, or are others, in a copy without the numbers.

    Args:
        lint: the findings of lint rules about an object.
        api: the findings of the API server about it.
        value: the object.
        lint_of: returns the findings of lint rules about a copy of the object.
    """
    fields = [each.field for each in api if each.severity == "error"] if lint else []
    numbers = [field for field in dict.fromkeys(fields) if _is_number(value, field)]
    if not numbers:
        return lint
    copy = edited(value, *(Edit("delete", field) for field in numbers))
    also = {(each.code, each.field, each.message) for each in lint_of(copy)}
    return [each for each in lint if (each.code, each.field, each.message) in also]


def _is_number(value: Any, field: str) -> bool:
    """Return True for the path of a number outside of lists: few, and those that rules compare."""
    if not field or "[" in field:
        return False
    place = locate(value, field)
    return not place.missing and type(at(value, place.steps)) in (int, float)


def with_narrowest(api: Sequence[Finding]) -> Sequence[Finding]:
    """Mark the errors about a value of which another error supports fewer values: people see that one.

    The API server reports ``restartPolicy: never`` twice, for the values of Pods and for those of Jobs.
    """
    supported: dict[str, list[frozenset[str]]] = {}
    for each in api:
        if each.supported:
            supported.setdefault(each.place, []).append(frozenset(each.supported))
    if all(len(sets) == 1 for sets in supported.values()):
        return api
    return [
        each.changed(is_wider=True, fix=None, hint="")
        if any(one < frozenset(each.supported) for one in supported.get(each.place, ()))
        else each
        for each in api
    ]


def _place(field: str) -> str:
    """Return the path at which both findings of a pair are equal.

    The server warns of an item of ``env`` at its name until 1.27, and of too many indexes at the whole spec.
    """
    return (
        field.removesuffix(".completions").removesuffix(".name")
        if field != "metadata.name"
        else field
    )
