"""Reader of JobPolicy documents: compile decoded documents into a policy set, or report all problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jobsworth.api.field_errors import quoted
from jobsworth.api.meta.label_selector import check_label_selector
from jobsworth.documents.declared import read_value
from jobsworth.documents.schema_errors import problems as schema_problems
from jobsworth.policy import consistency, defaults, matching
from jobsworth.policy.cel import expressions
from jobsworth.policy.document import (
    API_VERSION,
    KIND,
    PATTERNS,
    Defaults,
    Expression,
    Immutable,
    PolicyDocument,
    Spec,
    schema,
)
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.limits import immutability, limits, lint_rules
from jobsworth.policy.matching import Matching
from jobsworth.policy.patterns import covers
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.problems import BadPolicy, Problem, Problems
from jobsworth.policy.request import KINDS, OPERATIONS, UPDATE

SELECTORS = ("namespaceSelector", "objectSelector")


def read(documents: Sequence[object], shipped: Sequence[object] = ()) -> PolicySet:
    """Compile JobPolicy documents into one policy set.

    Args:
        documents: JobPolicy documents, as decoded from YAML or JSON.
        shipped: further documents, which ship with jobsworth. The tests check them against the schema, so
            that a run with a profile does not import the schema library.

    Raises:
        BadPolicy: a document is invalid; the exception lists the problems of all documents.
    """
    found: list[Problem] = []
    policies: list[JobPolicy] = []
    numbers: dict[str, int] = {}
    for number, document in enumerate((*documents, *shipped)):
        problems = Problems(number)
        policy = read_document(document, problems, check_schema=number < len(documents))
        check_name(document, numbers, problems)
        found.extend(problems.found)
        if policy is not None and not problems.found:
            policies.append(policy)
    found.extend(
        Problem(numbers[each.policy], each.field, each.message, each.hint)
        for each in consistency.conflicts_between(policies)
    )
    if found:
        raise BadPolicy(tuple(sorted(found, key=lambda each: each.document)))
    return PolicySet(tuple(policies))


def check_name(document: object, numbers: dict[str, int], problems: Problems) -> None:
    """Report a name that an earlier document has, and record the number of the first one of each name."""
    metadata = document.get("metadata") if isinstance(document, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str):
        return
    if name in numbers:
        problems.add(
            "metadata.name",
            f'"{name}" is already the name of',
            "give each policy a unique name",
            numbers[name],
        )
    numbers.setdefault(name, problems.document)


def read_document(
    document: object, problems: Problems, *, check_schema: bool = True
) -> JobPolicy | None:
    """Compile one document; return None and add its problems if it is invalid.

    Args:
        document: a JobPolicy document.
        problems: the collector of its problems.
        check_schema: False for a document that ships with jobsworth.
    """
    if not isinstance(document, dict):
        problems.add(
            "", "must be a mapping", f"start with apiVersion: {API_VERSION} and kind: {KIND}"
        )
        return None
    if check_schema:
        for found in schema_problems(document, schema(), PATTERNS):
            problems.add(found.field, found.message, found.hint)
    spec = document.get("spec")
    if not isinstance(spec, dict):
        return None
    parts: dict[str, Any] = {}
    for name, (form, read_part) in _PARTS.items():
        if name not in spec:
            continue
        if not problems.at_or_below(f"spec.{name}"):
            parts[name] = read_part(read_value(form, spec[name]), f"spec.{name}", problems)
        elif name in _PRUNED:
            _add_further(name, spec[name], problems)
    match = _matchers(spec, "match", problems)
    exempt = _matchers(spec, "exempt", problems)
    if problems.found:
        return None
    matched = matching.matching(match, exempt)
    policy = read_value(PolicyDocument, document)
    given = policy.spec
    _check_reach(given, matched, problems)
    return JobPolicy(
        name=policy.metadata.name,
        description=given.description or "",
        message=given.message or "",
        contact=given.contact or "",
        priority=given.priority,
        enforcement=given.enforcement,
        on_internal_error=given.on_internal_error,
        on_unreadable=given.on_unreadable or given.on_internal_error,
        cron_job_jobs=given.cron_job_jobs or ("audit" if matched.includes_cron_jobs else "enforce"),
        matching=matched,
        on_admitted=given.on_admitted,
        reconcile=given.reconcile,
        **parts,
    )


def _check_reach(spec: Spec, matched: Matching, problems: Problems) -> None:
    """Report parts that have no effect because of the requests that the policy matches."""
    if spec.immutable and UPDATE not in matched.operations:
        problems.add(
            "spec.immutable",
            "has no effect: match does not include updates",
            "add UPDATE to match.operations",
        )
    for index, entry in enumerate(spec.immutable or ()):
        name = entry.field
        if name is None:
            continue
        kind = immutability.kind_of(name)
        if kind not in matched.kinds:
            problems.add(
                f"spec.immutable[{index}].field",
                f"has no effect: match does not include {kind}s, and {name} is immutable in {kind}s only",
                f"add {kind} to match.kinds",
            )
    if spec.limits and spec.limits.cron_job and "CronJob" not in matched.kinds:
        problems.add(
            "spec.limits.cronJob",
            "has no effect: match does not include CronJobs",
            "add CronJob to match.kinds",
        )


_PARTS: dict[str, tuple[Any, Callable[[Any, str, Problems], Any]]] = {
    "defaults": (Defaults, defaults.read),
    "limits": (dict[str, Any], limits.read),
    "immutable": (list[Immutable], immutability.read),
    "rules": (dict[str, str], lint_rules.read),
    "expressions": (list[Expression], expressions.read),
}
"""The form in which each part is read, and the function that compiles it."""

_PRUNED = ("limits", "rules", "expressions")
"""The parts that are also read without the fields that violate the schema, to report all problems at once."""
_MAX_FLAWED = 100
"""The maximum number of problems with which they are: each field is compared with each of them."""


def _add_further(name: str, value: Any, problems: Problems) -> None:
    """Report the problems of a part that do not follow from those that are known."""
    path, (form, read_part) = f"spec.{name}", _PARTS[name]
    if len(problems.found) > _MAX_FLAWED or any(each.field == path for each in problems.found):
        return
    if name == "expressions":
        value = [
            {"expression": "true"} | _sound(each, f"{path}[{index}]", problems)
            for index, each in enumerate(value)
        ]
    else:
        value = _sound(value, path, problems)
    found = Problems(problems.document)
    read_part(read_value(form, value), path, found)
    problems.found += [each for each in found.found if not problems.at_or_below(each.field)]


def _sound(value: Any, path: str, problems: Problems) -> dict[str, Any]:
    """Return a mapping without the fields with a problem; a list with one is left out as a whole."""
    kept = {}
    for key, each in value.items() if isinstance(value, dict) else ():
        places = (f"{path}.{key}", f"{path}[{key}]")
        flawed = [at for at in places if problems.at_or_below(at)]
        if not flawed:
            kept[key] = each
        elif isinstance(each, dict) and all(one.field not in places for one in problems.found):
            kept[key] = _sound(each, flawed[0], problems)
    return kept


def _matchers(spec: Mapping[str, Any], name: str, problems: Problems) -> list[dict[str, Any]]:
    if name not in spec or problems.at_or_below(f"spec.{name}"):
        return []
    value: list[dict[str, Any]] = spec[name]
    for index, matcher in enumerate(value):
        _check_selectors(matcher, f"spec.{name}[{index}]", problems)
        for number, pattern in enumerate(matcher.get("namespaces", ())):
            found = _NOT_IN_NAMESPACES.search(_SET.sub("", pattern))
            if found is not None:
                problems.add(
                    f"spec.{name}[{index}].namespaces[{number}]",
                    f"matches no namespace: no name has the character {quoted(found[0])}",
                    "use lower case letters, digits and hyphens, and * for any characters",
                )
    return value


def exempts_all(document: Any) -> bool:
    """Return True if the exemptions of a valid document surely include all that it matches.

    Such a document is valid: an exemption of everything switches a policy off.
    """
    spec = document["spec"]
    match, exempt = spec.get("match") or [{}], spec.get("exempt") or []
    return all(any(_exempts(one, each) for one in exempt) for each in match)


def _exempts(exemption: Mapping[str, Any], matcher: Mapping[str, Any]) -> bool:
    """Return True if an exemption surely includes all that a matcher includes."""
    return all(
        set(matcher.get(name, _ALL[name])) <= set(values)
        if name in _ALL
        else name in _BY_NAME and covers(values, matcher.get(name, ["*"]))
        for name, values in exemption.items()
    )


_ALL = {"kinds": KINDS, "operations": OPERATIONS}
_BY_NAME = ("namespaces", "names", "users", "groups")
"""The criteria with patterns of what every request has."""

_NOT_IN_NAMESPACES, _SET = re.compile(r"[^-a-z0-9*?]"), re.compile(r"\[[^]]*\]")
"""A character that neither a DNS label nor a pattern of one has, and a set of characters."""


def _check_selectors(matcher: Mapping[str, Any], path: str, problems: Problems) -> None:
    for name in SELECTORS:
        if name in matcher:
            for error in check_label_selector(matcher[name], f"{path}.{name}"):
                problems.add(error.field, error.message)
