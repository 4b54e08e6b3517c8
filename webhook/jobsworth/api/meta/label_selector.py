"""LabelSelector: selects objects by their labels (``meta/v1``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jobsworth.api.declare import Field, ListOf, MapOf, String, Struct
from jobsworth.api.field_errors import FieldError, forbidden, invalid, named_string, required
from jobsworth.api.meta.object_meta import check_labels
from jobsworth.api.schema_conditions import SchemaCondition
from kube_cel.formats.names import label_key, label_value

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer

VALUES_CHECKED_SINCE = 26
"""The first minor version that validates the values of requirements."""

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")

LabelSelectorRequirement = Struct(
    "LabelSelectorRequirement",
    "One requirement on the value of a label.",
    key=Field(String, always=True),
    operator=Field(String, always=True, values=OPERATORS),
    values=Field(ListOf(String)),
)

LabelSelector = Struct(
    "LabelSelector",
    "Requirements on labels; all must be met. An empty selector matches everything.",
    matchLabels=Field(MapOf(String)),
    matchExpressions=Field(ListOf(LabelSelectorRequirement)),
)


def check_label_selector(
    selector: dict[str, Any],
    path: str,
    server: ApiServer | None = None,
    *,
    invalid_values_allowed: bool = False,
) -> Iterator[FieldError]:
    """Validate a selector's keys, operators and values.

    Args:
        selector: a decoded LabelSelector.
        path: its field path.
        server: the API server that validates it; without one, as the newest releases do.
        invalid_values_allowed: accept malformed values, since the stored object already has some.
    """
    if server is not None and server.minor < VALUES_CHECKED_SINCE:
        invalid_values_allowed = True
    yield from check_labels(selector.get("matchLabels"), f"{path}.matchLabels")
    for index, requirement in enumerate(selector.get("matchExpressions", ())):
        yield from _check_requirement(
            requirement, f"{path}.matchExpressions[{index}]", invalid_values_allowed
        )


@LabelSelectorRequirement.in_schema(
    SchemaCondition("operator", schema={"required": ["key", "operator"]})
)
def _check_requirement(
    requirement: dict[str, Any], path: str, invalid_values_allowed: bool
) -> Iterator[FieldError]:
    operator, key = requirement.get("operator", ""), requirement.get("key", "")
    values = requirement.get("values", ())
    if operator not in OPERATORS:
        yield invalid(f"{path}.operator", named_string(operator), "not a valid selector operator")
    elif operator in ("In", "NotIn"):
        if not values:
            yield required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif values:
        yield forbidden(
            f"{path}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        )
    for detail in label_key(key):
        yield invalid(f"{path}.key", key, detail)
    if not invalid_values_allowed:
        for index, value in enumerate(values):
            for detail in label_value(value):
                yield invalid(f"{path}.values[{index}]", value, detail)


def has_invalid_values(selector: dict[str, Any] | None) -> bool:
    """Return True if a requirement of the selector has a value that is not a valid label value."""
    return any(
        label_value(value)
        for requirement in (selector or {}).get("matchExpressions", ())
        for value in requirement.get("values", ())
    )


def matches(selector: dict[str, Any] | None, labels: dict[str, str]) -> bool | None:
    """Return True if labels match a selector, or None if the selector is malformed.

    A missing selector matches nothing; an empty one matches everything.
    """
    if selector is None:
        return False
    if next(check_label_selector(selector, ""), None) is not None:
        return None
    return all(
        labels.get(key) == value for key, value in selector.get("matchLabels", {}).items()
    ) and all(_meets(requirement, labels) for requirement in selector.get("matchExpressions", ()))


def _meets(requirement: dict[str, Any], labels: dict[str, str]) -> bool:
    key, operator = requirement["key"], requirement["operator"]
    if operator in ("In", "Exists"):
        return key in labels and (operator == "Exists" or labels[key] in requirement["values"])
    return key not in labels or (operator == "NotIn" and labels[key] not in requirement["values"])
