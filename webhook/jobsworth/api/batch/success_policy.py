"""SuccessPolicy: completes an Indexed Job before every index has succeeded (KEP-3998)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.declare import Field, Int32, ListOf, NonNegative, Pointer, String, Struct
from jobsworth.api.field_errors import FieldError, invalid, required, too_long
from jobsworth.api.formats.indexes import BadIndexes, count
from jobsworth.api.schema_conditions import SchemaCondition, is_set
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import byte_length

MAX_RULES = 20
SUCCEEDED_INDEXES_MAX_LENGTH = 64 * 1024

SuccessPolicyRule = Struct(
    "SuccessPolicyRule",
    "The indexes, or their number, that must succeed for the Job to succeed.",
    succeededIndexes=Field(Pointer(String), since="1.30"),
    succeededCount=Field(Pointer(Int32), since="1.30", bounds=NonNegative),
)

SuccessPolicy = Struct(
    "SuccessPolicy",
    "Rules for success; the Job succeeds when one of them is met.",
    rules=Field(
        ListOf(SuccessPolicyRule),
        always=True,
        since="1.30",
        required="at least one rules must be specified when the successPolicy is specified",
        max_items=MAX_RULES,
    ),
)


@SuccessPolicyRule.in_schema(
    SchemaCondition(
        "succeededCount",
        "succeededIndexes",
        schema={"anyOf": [is_set("succeededCount"), is_set("succeededIndexes")]},
    )
)
@SuccessPolicyRule.rule
def _indexes_or_count(rule: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if "succeededCount" not in rule and "succeededIndexes" not in rule:
        yield required(path, "at least one of succeededCount or succeededIndexes must be specified")
    if byte_length(rule.get("succeededIndexes", "")) > SUCCEEDED_INDEXES_MAX_LENGTH:
        yield too_long(f"{path}.succeededIndexes", SUCCEEDED_INDEXES_MAX_LENGTH)


@SuccessPolicyRule.in_schema(
    SchemaCondition(
        "succeededIndexes",
        schema={
            "properties": {
                "succeededIndexes": {
                    "pattern": r"^(\+?[0-9]+(-\+?[0-9]+)?(,\+?[0-9]+(-\+?[0-9]+)?)*)?$"
                }
            }
        },
    )
)
def check_with_completions(
    policy: dict[str, Any], completions: int, path: str
) -> Iterator[FieldError]:
    """Validate indexes and counts against the completions of the Job.

    Args:
        policy: a decoded SuccessPolicy.
        completions: the Job's completions.
        path: the policy's field path.
    """
    for position, rule in enumerate(policy.get("rules", ())):
        at = f"{path}.rules[{position}]"
        indexes, wanted = rule.get("succeededIndexes"), rule.get("succeededCount")
        listed = 0
        if indexes is not None:
            try:
                listed = count(indexes, completions)
            except BadIndexes as error:
                detail = f"error parsing succeededIndexes: {error}"
                yield invalid(f"{at}.succeededIndexes", indexes, detail)
        if wanted is None:
            continue
        if wanted > completions:
            yield invalid(
                f"{at}.succeededCount",
                wanted,
                f"must be less than or equal to {completions} "
                "(the number of specified completions)",
            )
        if indexes is not None and wanted > listed:
            yield invalid(
                f"{at}.succeededCount",
                wanted,
                f"must be less than or equal to {listed} "
                "(the number of indexes in the specified succeededIndexes field)",
            )
