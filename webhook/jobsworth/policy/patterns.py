"""Name patterns and label selectors of policies, compiled into predicates.

In a name pattern ``*`` matches any characters, ``?`` one character, ``[ab]`` one of a set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import translate
from typing import Any

Labels = Mapping[str, str]


_WILD = frozenset("*?[")


def is_wild(pattern: str) -> bool:
    """Return True if a pattern contains a wildcard."""
    return not _WILD.isdisjoint(pattern)


def compiled_names(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Compile patterns into a predicate that is true for a name that matches one of them.

    >>> matches = compiled_names(["ml-*", "ci"])
    >>> [matches(name) for name in ("ml-vision", "ci", "ci-2")]
    [True, True, False]
    """
    names = frozenset(pattern for pattern in patterns if not is_wild(pattern))
    wild = [pattern for pattern in patterns if is_wild(pattern)]
    if not wild:
        return names.__contains__
    expression = re.compile("|".join(translate(pattern) for pattern in wild))

    def matches(name: str) -> bool:
        return name in names or expression.match(name) is not None

    return matches


def covers(patterns: Sequence[str], others: Sequence[str]) -> bool:
    """Return True if each name that matches one of others surely matches one of some patterns.

    >>> covers(["team-*"], ["team-a", "team-b-*"]), covers(["team-?"], ["team-*"])
    (True, False)
    """
    if "*" in patterns:
        return True
    by_name = compiled_names(patterns)
    # A pattern matches the text of another: only what its * stands for can have wildcards.
    by_star = compiled_names([each for each in patterns if "?" not in each and "[" not in each])
    return all("[" not in each and (by_star if is_wild(each) else by_name)(each) for each in others)


def compiled_selector(selector: Mapping[str, Any]) -> Callable[[Labels], bool]:
    """Compile a LabelSelector into a predicate on labels, with the semantics of Kubernetes.

    >>> not_prod = {"key": "env", "operator": "NotIn", "values": ["prod"]}
    >>> matches = compiled_selector({"matchExpressions": [not_prod]})
    >>> matches({"env": "test"}), matches({}), matches({"env": "prod"})
    (True, True, False)

    Args:
        selector: a valid LabelSelector.
    """
    equal = tuple((selector.get("matchLabels") or {}).items())
    requirements = tuple(
        (requirement["key"], requirement["operator"], frozenset(requirement.get("values") or ()))
        for requirement in selector.get("matchExpressions") or ()
    )

    def matches(labels: Labels) -> bool:
        return all(labels.get(key) == value for key, value in equal) and all(
            _holds(operator, labels.get(key), values) for key, operator, values in requirements
        )

    return matches


def _holds(operator: str, value: str | None, values: frozenset[str]) -> bool:
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if operator == "In":
        return value in values
    return value not in values


def selector_text(selector: Mapping[str, Any]) -> str:
    """Return a selector in the syntax of ``kubectl --selector``.

    >>> selector_text({"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]})
    'a=b,c'
    >>> selector_text({"matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["d", "e"]}]})
    'c notin (d,e)'
    """
    parts = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    for requirement in selector.get("matchExpressions") or ():
        key, values = requirement["key"], ",".join(requirement.get("values") or ())
        parts.append(
            {
                "Exists": key,
                "DoesNotExist": f"!{key}",
                "In": f"{key} in ({values})",
                "NotIn": f"{key} notin ({values})",
            }[requirement["operator"]]
        )
    return ",".join(parts) or "everything"
