"""Translate the criteria of a policy's matcher into CEL, for the matchConditions of webhooks and policies.

A condition is a CEL expression, or True or False if it is known without the request. The API server compiles
the regular expressions with RE2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import translate
from typing import Any

from jobsworth.policy.export.cel_text import Condition, all_of, any_of, literal
from jobsworth.policy.matching import Criterion
from jobsworth.policy.patterns import compiled_names, is_wild
from jobsworth.policy.request import CREATE, CRON_JOB_CONTROLLERS, KINDS, OPERATIONS, UPDATE

USER = "request.userInfo.username"
_RESOURCES = {kind: f"{kind.lower()}s" for kind in KINDS}
_NAME = (
    '(has(request.name) && request.name != "" ? request.name : '
    '(has(object.metadata.generateName) ? object.metadata.generateName : ""))'
)
_NO_CHARACTER = r"[^\x{0}-\x{10FFFF}]"


def of_criterion(criterion: Criterion, *, exempting: bool) -> Condition:
    """Return the condition of a criterion other than ``namespaceSelector``.

    Args:
        criterion: the criterion.
        exempting: True for a criterion of ``exempt``: see :func:`jobsworth.policy.matching.matcher`.
    """
    return _CRITERIA[criterion.name](criterion.value, exempting)


def is_among(subject: str, patterns: Sequence[str]) -> Condition:
    """Return the condition that a text matches one of some name patterns.

    >>> is_among("request.namespace", ["ci", "ml-*"])
    '(request.namespace in ["ci"] || request.namespace.matches("(?s)^(?:ml\\\\\\\\-.*)$"))'
    """
    names = [pattern for pattern in patterns if not is_wild(pattern)]
    wild = [regular_expression(pattern) for pattern in patterns if is_wild(pattern)]
    expression = literal(f"(?s)^(?:{'|'.join(wild)})$")
    return any_of(
        [
            f"{subject} in {literal(names)}" if names else False,
            f"{subject}.matches({expression})" if wild else False,
        ]
    )


def regular_expression(pattern: str) -> str:
    """Return a name pattern in the syntax of RE2, with the meaning that :mod:`fnmatch` gives it."""
    parts, index = [], 0
    while index < len(pattern):
        character = pattern[index]
        end = _end_of_set(pattern, index) if character == "[" else -1
        if character == "*":
            parts.append(".*")
        elif character == "?":
            parts.append(".")
        elif end > 0:
            parts.append(_set(pattern[index : end + 1]))
            index = end
        else:
            parts.append(re.escape(character))
        index += 1
    return "".join(parts)


def _end_of_set(pattern: str, start: int) -> int:
    """Return the index of the bracket that ends a set; -1 if there is none."""
    first = start + 1
    if pattern[first : first + 1] == "!":
        first += 1
    return pattern.find("]", first + 1)


def _set(pattern: str) -> str:
    translated = translate(pattern)
    inner = translated[translated.index(":") + 1 : translated.rindex(")")]
    if inner == "(?!)":  # an empty range
        return _NO_CHARACTER
    # Python and RE2 differ in an unescaped "[" inside a set: RE2 reads "[:" as a class.
    return inner[0] + re.sub(r"(?<!\\)\[", r"\\[", inner[1:]) if inner != "." else inner


def of_labels(labels: str, selector: Mapping[str, Any]) -> Condition:
    """Return the condition that the labels of an object match a LabelSelector.

    Args:
        labels: the expression of the labels, which may be absent.
        selector: a valid LabelSelector.
    """
    equal = [(key, "In", [value]) for key, value in (selector.get("matchLabels") or {}).items()]
    requirements = [
        (each["key"], each["operator"], each.get("values") or [])
        for each in selector.get("matchExpressions") or ()
    ]
    return all_of(_of_requirement(labels, *each) for each in (*equal, *requirements))


def _of_requirement(labels: str, key: str, operator: str, values: Sequence[str]) -> Condition:
    present = f"has({labels}) && {literal(key)} in {labels}"
    if operator in ("In", "NotIn"):
        present = f"{present} && {labels}[{literal(key)}] in {literal(list(values))}"
    return f"({present})" if operator in ("In", "Exists") else f"!({present})"


def made_by_a_cron_job() -> Condition:
    """Return the condition that the CronJob controller creates a Job."""
    return all_of(
        [
            f"request.operation == {literal(CREATE)}",
            f"{USER} in {literal(list(CRON_JOB_CONTROLLERS))}",
            _owned("object", ["CronJob"]),
        ]
    )


def _owned(root: str, values: Sequence[str]) -> Condition:
    owners = f"{root}.metadata.ownerReferences"
    return f"(has({owners}) && {owners}.exists(owner, {is_among('owner.kind', values)}))"


def _groups(values: Sequence[str], exempting: bool) -> Condition:
    groups = "request.userInfo.groups"
    return f"(has({groups}) && {groups}.exists(group, {is_among('group', values)}))"


def _owners(values: Sequence[str], exempting: bool) -> Condition:
    return _of_both(_owned("object", values), _owned("oldObject", values), exempting)


def _object_selector(value: Mapping[str, Any], exempting: bool) -> Condition:
    new, old = (of_labels(f"{each}.metadata.labels", value) for each in ("object", "oldObject"))
    return old if isinstance(old, bool) else _of_both(new, old, exempting)


def _of_both(new: Condition, old: Condition, exempting: bool) -> Condition:
    """Return the condition on an object and, in an update, the stored one: on both to exempt, else on one."""
    if exempting:
        return all_of([new, any_of([f"request.operation != {literal(UPDATE)}", old])])
    return any_of([new, all_of([f"request.operation == {literal(UPDATE)}", old])])


def _one_of(subject: str, values: Sequence[str], names: Mapping[str, str]) -> Condition:
    """Return a condition on a subject with few possible values."""
    matches = compiled_names(values)
    found = [name for value, name in names.items() if matches(value)]
    if len(found) == len(names):
        return True
    return f"{subject} in {literal(found)}" if found else False


_CRITERIA: dict[str, Callable[[Any, bool], Condition]] = {
    "kinds": lambda values, _: _one_of("request.resource.resource", values, _RESOURCES),
    "operations": lambda values, _: _one_of(
        "request.operation", values, {each: each for each in OPERATIONS}
    ),
    "namespaces": lambda values, _: is_among("request.namespace", values),
    "names": lambda values, _: is_among(_NAME, values),
    "objectSelector": _object_selector,
    "owners": _owners,
    "users": lambda values, _: is_among(USER, values),
    "groups": _groups,
}
