"""PodFailurePolicy: handles failed Pods by exit code or condition (KEP-3329)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declare import Field, Int32, ListOf, Pointer, String, Struct
from jobsworth.api.field_errors import (
    OMIT,
    FieldError,
    duplicate,
    invalid,
    not_supported,
    required,
    too_many,
)
from jobsworth.api.schema_conditions import SchemaCondition, is_, is_set, when
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import label_key

ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
FAIL_INDEX_SINCE = "1.28"
OPERATORS = ("In", "NotIn")
STATUSES = ("False", "True", "Unknown")
FAIL_INDEX_NEEDS_LIMIT = "fail_index_needs_limit"
"""The rule of the error for the action FailIndex in a Job without backoffLimitPerIndex."""
CONTAINER_EXISTS = "container_exists"
"""The rule of the error for exit codes of a container that the Pod does not have."""
MAX_RULES = 20
MAX_EXIT_CODES = 255
MAX_CONDITION_PATTERNS = 20

_NOT_ZERO = "must not be 0 for the In operator"
_BOTH = "specifying both OnExitCodes and OnPodConditions is not supported"
_ONE_REQUIRED = "specifying one of OnExitCodes and OnPodConditions is required"
_REQUIREMENTS = [
    is_set("onExitCodes"),
    {
        "required": ["onPodConditions"],
        "properties": {"onPodConditions": {"type": "array", "minItems": 1}},
    },
]

PodFailurePolicyOnExitCodesRequirement = Struct(
    "PodFailurePolicyOnExitCodesRequirement",
    "Exit codes of containers; one match is enough.",
    containerName=Field(Pointer(String)),
    operator=Field(String, always=True, values=OPERATORS),
    values=Field(ListOf(Int32), always=True),
)

PodFailurePolicyOnPodConditionsPattern = Struct(
    "PodFailurePolicyOnPodConditionsPattern",
    "A condition of the Pod, by type and status.",
    type=Field(String, always=True, format=label_key, validate_empty=True),
    status=Field(String, always=True, values=STATUSES),
)

PodFailurePolicyRule = Struct(
    "PodFailurePolicyRule",
    "One rule: the action for matching failed Pods.",
    action=Field(String, always=True, values=ACTIONS, values_since={"FailIndex": FAIL_INDEX_SINCE}),
    onExitCodes=Field(Pointer(PodFailurePolicyOnExitCodesRequirement)),
    onPodConditions=Field(
        ListOf(PodFailurePolicyOnPodConditionsPattern), max_items=MAX_CONDITION_PATTERNS
    ),
)

PodFailurePolicy = Struct(
    "PodFailurePolicy",
    "Rules for failed Pods; the first one that matches applies.",
    rules=Field(ListOf(PodFailurePolicyRule), always=True, max_items=MAX_RULES),
)


@PodFailurePolicyOnPodConditionsPattern.defaulter
def _status(pattern: dict[str, Any], request: Request) -> None:
    # Up to 1.33 the server does not default the Job of a CronJob (kubernetes/kubernetes#131512).
    if request.kind == "Job" or request.server.minor >= 34:
        pattern.setdefault("status", "True")


@PodFailurePolicyOnPodConditionsPattern.rule
def _status_is_known(pattern: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    status = pattern.get("status", "")
    if not status:
        yield _required(f"{path}.status", STATUSES)
    elif status not in STATUSES:
        yield not_supported(f"{path}.status", status, STATUSES)


@PodFailurePolicyOnExitCodesRequirement.in_schema(
    SchemaCondition("operator", schema={"required": ["operator", "values"]}),
    SchemaCondition("operator", schema={"properties": {"operator": {"enum": list(OPERATORS)}}}),
)
@PodFailurePolicyOnExitCodesRequirement.rule
def _operator_is_known(
    requirement: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    operator = requirement.get("operator", "")
    if not operator:
        yield _required(f"{path}.operator", OPERATORS)
    elif operator not in OPERATORS:
        yield not_supported(f"{path}.operator", operator, OPERATORS)


@PodFailurePolicyOnExitCodesRequirement.in_schema(
    SchemaCondition(
        "values",
        schema={
            "properties": {
                "values": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": MAX_EXIT_CODES,
                    "uniqueItems": True,
                }
            }
        },
    )
)
@PodFailurePolicyOnExitCodesRequirement.rule
def _exit_codes_are_few(
    requirement: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    codes = requirement.get("values", [])
    if not codes:
        yield invalid(f"{path}.values", requirement.get("values"), "at least one value is required")
    elif len(codes) > MAX_EXIT_CODES:
        yield too_many(f"{path}.values", len(codes), MAX_EXIT_CODES)


@PodFailurePolicyOnExitCodesRequirement.in_schema(
    SchemaCondition(
        "operator",
        "values",
        schema=when(
            is_("operator", "In"),
            {"properties": {"values": {"items": {"type": "integer", "not": {"const": 0}}}}},
        ),
        message=f"Invalid value: 0: {_NOT_ZERO}",
    )
)
@PodFailurePolicyOnExitCodesRequirement.rule
def _exit_codes_are_a_sorted_set(
    requirement: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    operator, codes = requirement.get("operator", ""), requirement.get("values", [])
    seen = set()
    for index, code in enumerate(codes):
        if code == 0 and operator == "In":
            yield invalid(f"{path}.values[{index}]", code, _NOT_ZERO)
        if code in seen:
            yield duplicate(f"{path}.values[{index}]", code)
        seen.add(code)
    if codes != sorted(codes):
        yield invalid(f"{path}.values", codes, "must be ordered")


@PodFailurePolicyRule.in_schema(
    SchemaCondition("action", schema={"required": ["action"]}),
    SchemaCondition(
        "action", schema={"properties": {"action": {"type": "string", "minLength": 1}}}
    ),
)
def check_with_job_spec(spec: dict[str, Any], path: str, server: ApiServer) -> Iterator[FieldError]:
    """Validate a failure policy against the rest of its Job.

    Args:
        spec: a decoded JobSpec that has a podFailurePolicy.
        path: the field path of the JobSpec.
        server: the API server, which knows some of the actions.
    """
    has_fail_index = server.knows(FAIL_INDEX_SINCE, "")
    actions = ACTIONS if has_fail_index else tuple(a for a in ACTIONS if a != "FailIndex")
    pod = spec["template"]["spec"]
    containers = {
        container.get("name", "")
        for field in ("containers", "initContainers")
        for container in pod.get(field, ())
    }
    for index, rule in enumerate(spec["podFailurePolicy"].get("rules", ())):
        at = f"{path}.podFailurePolicy.rules[{index}]"
        action = rule.get("action", "")
        if not action:
            yield _required(f"{at}.action", actions)
        elif action not in actions:
            yield not_supported(f"{at}.action", action, actions)
        elif action == "FailIndex" and "backoffLimitPerIndex" not in spec:
            yield invalid(
                f"{at}.action",
                action,
                "requires the backoffLimitPerIndex to be set",
                FAIL_INDEX_NEEDS_LIMIT,
            )
        name = rule.get("onExitCodes", {}).get("containerName")
        if name is not None and name not in containers:
            yield invalid(
                f"{at}.onExitCodes.containerName",
                name,
                "must be one of the container or initContainer names in the pod template",
                CONTAINER_EXISTS,
            )


@PodFailurePolicyRule.in_schema(
    SchemaCondition(
        "onExitCodes",
        "onPodConditions",
        schema={"anyOf": _REQUIREMENTS},
        message=f"Invalid value: {_ONE_REQUIRED}",
    ),
    SchemaCondition(
        "onExitCodes",
        "onPodConditions",
        schema={"not": {"allOf": _REQUIREMENTS}},
        message=f"Invalid value: {_BOTH}",
    ),
)
@PodFailurePolicyRule.rule
def _exactly_one_requirement(
    rule: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    on_exit_codes, on_conditions = "onExitCodes" in rule, "onPodConditions" in rule
    if on_exit_codes and on_conditions:
        yield invalid(path, OMIT, _BOTH)
    elif not on_exit_codes and not on_conditions:
        yield invalid(path, OMIT, _ONE_REQUIRED)


def _required(path: str, values: tuple[str, ...]) -> FieldError:
    names = " ".join(f'"{value}"' for value in values)
    return required(path, f"valid values: [{names}]")
