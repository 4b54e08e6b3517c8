"""Label selectors of policies, compiled into predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Labels = Mapping[str, str]


def compiled(selector: Mapping[str, Any]) -> Callable[[Labels], bool]:
    """Compile a LabelSelector into a predicate on labels, with the semantics of Kubernetes.

    >>> matches = compiled({"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["prod"]}]})
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


def text(selector: Mapping[str, Any]) -> str:
    """Return a selector in the syntax of ``kubectl --selector``.

    >>> text({"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]})
    'a=b,c'
    >>> text({"matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["d", "e"]}]})
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
