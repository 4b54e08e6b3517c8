"""JobSpec: counts, retry limits, deadlines and policies of a Job (``batch/v1``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.pod_template import PodTemplateSpec
from jobsworth.api.declare import (
    Boolean,
    Field,
    Int32,
    Int64,
    Later,
    NonNegative,
    Pointer,
    String,
    Struct,
)
from jobsworth.api.field_errors import (
    BY_CHARACTERS,
    FieldError,
    invalid,
    not_supported,
    required,
    too_long,
)
from jobsworth.api.meta.label_selector import LabelSelector
from jobsworth.api.schema_conditions import SchemaCondition, is_, is_set, when, within
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import DNS_SUBDOMAIN_PATTERN, HTTP_PATH_PATTERN, byte_length

COMPLETION_MODES = ("NonIndexed", "Indexed")
REPLACEMENT_POLICIES = ("Failed", "TerminatingOrFailed")
MAX_INT32 = 2**31 - 1

MAX_PARALLELISM_INDEXED = 10**5
MAX_FAILED_INDEXES = 10**5
# KEP-3850, "The Job object too big": above 10^5 completions the two index lists in the status can
# exceed the etcd object size unless failures and parallelism have tighter bounds.
MANY_COMPLETIONS = 10**5
MAX_PARALLELISM_WITH_MANY = 10**4
MAX_FAILED_INDEXES_WITH_MANY = 10**4
MANAGED_BY_MAX_LENGTH = 63
MANUAL_SELECTOR_DEFAULTED = 29
"""The first minor version that fills in manualSelector (kubernetes/kubernetes#120206)."""

# Details of errors that both a rule and its condition in the JSON Schema have.
_NEEDS_INDEXES = "requires indexed completion mode"
_WITH_INDEXES = "when completion mode is Indexed"
_WITH_MAX_FAILED_INDEXES = "when maxFailedIndexes is specified"
_WITH_MANY = f"must be specified when completions is above {MANY_COMPLETIONS}"
_RESTART_POLICIES = 'valid values: "OnFailure", "Never"'
_ONLY_NEVER = 'only "Never" is supported when podFailurePolicy is specified'

_INDEXED = is_("completionMode", "Indexed")
_FAIL_INDEX = {
    "contains": {
        "type": "object",
        "required": ["action"],
        "properties": {"action": {"const": "FailIndex"}},
    }
}


def _may_have_success_policy(spec: dict[str, Any], request: Request) -> bool:
    return _is_indexed(spec)


def _scheduling_stays(spec: dict[str, Any], request: Request) -> bool:
    """Return False for an update that may not have the scheduling at all, whatever is wrong with it."""
    stored = request.old_job_spec
    return stored is None or ("scheduling" in stored and request.server.enabled("WorkloadWithJob"))


def _is_indexed(spec: dict[str, Any]) -> bool:
    return bool(spec.get("completionMode") == "Indexed")


JobSpec = Struct(
    "JobSpec",
    "The Pods that a Job runs, how many, and how it handles failures.",
    parallelism=Field(Pointer(Int32), bounds=NonNegative, default=1),
    completions=Field(Pointer(Int32), bounds=NonNegative),
    activeDeadlineSeconds=Field(Pointer(Int64), bounds=NonNegative),
    podFailurePolicy=Field(
        Pointer(Later("jobsworth.api.batch.pod_failure_policy", "PodFailurePolicy")),
        gate="JobPodFailurePolicy",
        sibling_default=("podReplacementPolicy", "Failed"),
    ),
    successPolicy=Field(
        Pointer(Later("jobsworth.api.batch.success_policy", "SuccessPolicy")),
        since="1.30",
        gate="JobSuccessPolicy",
        validate_when=_may_have_success_policy,
        else_rejected=True,
    ),
    backoffLimit=Field(Pointer(Int32), bounds=NonNegative),
    backoffLimitPerIndex=Field(
        Pointer(Int32),
        bounds=NonNegative,
        since="1.28",
        gate="JobBackoffLimitPerIndex",
        sibling_default=("backoffLimit", MAX_INT32),
    ),
    maxFailedIndexes=Field(
        Pointer(Int32), bounds=NonNegative, since="1.28", gate="JobBackoffLimitPerIndex"
    ),
    selector=Field(Pointer(LabelSelector)),
    manualSelector=Field(Pointer(Boolean)),
    template=Field(PodTemplateSpec, always=True),
    ttlSecondsAfterFinished=Field(Pointer(Int32), bounds=NonNegative),
    completionMode=Field(Pointer(String), enum=COMPLETION_MODES, default="NonIndexed"),
    suspend=Field(Pointer(Boolean), default=False),
    podReplacementPolicy=Field(
        Pointer(String), values=REPLACEMENT_POLICIES, since="1.28", gate="JobPodReplacementPolicy"
    ),
    managedBy=Field(Pointer(String), since="1.30", gate="JobManagedBy"),
    scheduling=Field(
        Pointer(Later("jobsworth.api.batch.workload_scheduling", "JobSchedulingConfiguration")),
        since="1.37",
        gate="WorkloadWithJob",
        validate_when=_scheduling_stays,
    ),
)


@JobSpec.defaulter
def _counts_limits_and_replacement(spec: dict[str, Any], request: Request) -> None:
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    if "backoffLimit" not in spec:
        spec["backoffLimit"] = MAX_INT32 if "backoffLimitPerIndex" in spec else 6
    if request.server.minor >= MANUAL_SELECTOR_DEFAULTED:
        spec.setdefault("manualSelector", False)
    if "podReplacementPolicy" not in spec and request.enabled("JobPodReplacementPolicy"):
        # KEP-3939: a failure policy can only match Pods that have ended.
        failing = "podFailurePolicy" in spec
        spec["podReplacementPolicy"] = "Failed" if failing else "TerminatingOrFailed"


@JobSpec.in_schema(
    SchemaCondition(
        "managedBy",
        schema={
            "properties": {
                "managedBy": {
                    "pattern": f"^{DNS_SUBDOMAIN_PATTERN}/{HTTP_PATH_PATTERN}$",
                    "maxLength": MANAGED_BY_MAX_LENGTH,
                }
            }
        },
        place=13,
        message='Invalid value: must be a domain-prefixed path (such as "acme.io/foo")',
    )
)
@JobSpec.rule_about("managedBy")
def _managed_by_names_a_controller(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    from jobsworth.api.formats.keys import domain_prefixed_path

    manager = spec["managedBy"]
    if not manager:
        yield required(f"{path}.managedBy")
    for value, detail in domain_prefixed_path(manager):
        yield invalid(f"{path}.managedBy", value, detail)
    if byte_length(manager) > MANAGED_BY_MAX_LENGTH:
        yield too_long(f"{path}.managedBy", MANAGED_BY_MAX_LENGTH, former=BY_CHARACTERS)


@JobSpec.rule_about("scheduling")
def _scheduling(spec: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    from jobsworth.api.batch.workload_scheduling import check_scheduling

    yield from check_scheduling(spec, path, request)


# Limits per index: KEP-3850.


@JobSpec.in_schema(
    SchemaCondition(
        "maxFailedIndexes",
        "backoffLimitPerIndex",
        schema=when(is_set("maxFailedIndexes"), is_set("backoffLimitPerIndex")),
        place=9,
        message=f"Required value: {_WITH_MAX_FAILED_INDEXES}",
    )
)
@JobSpec.rule_about("maxFailedIndexes")
def _max_failed_indexes_need_limit(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if "backoffLimitPerIndex" not in spec:
        declared = request.server.minor >= 38  # by declarative validation
        yield required(
            f"{path}.backoffLimitPerIndex",
            "must be set when maxFailedIndexes is set" if declared else _WITH_MAX_FAILED_INDEXES,
        )


@JobSpec.in_schema(
    SchemaCondition(
        "backoffLimitPerIndex",
        "completionMode",
        schema=when(is_set("backoffLimitPerIndex"), _INDEXED),
        place=7,
        message=f"backoffLimitPerIndex: Invalid value: {_NEEDS_INDEXES}",
    ),
    SchemaCondition(
        "maxFailedIndexes",
        "completionMode",
        schema=when(is_set("maxFailedIndexes"), _INDEXED),
        place=8,
        message=f"maxFailedIndexes: Invalid value: {_NEEDS_INDEXES}",
    ),
)
@JobSpec.rule
def _limits_per_index_need_indexes(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if spec.get("completionMode") in (None, "NonIndexed"):
        for field in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if field in spec:
                yield invalid(f"{path}.{field}", spec[field], _NEEDS_INDEXES)


@JobSpec.in_schema(
    # If parallelism is unset too, the server defaults completions to 1.
    SchemaCondition(
        "completionMode",
        schema=when({"allOf": [_INDEXED, is_set("parallelism")]}, is_set("completions")),
        place=5,
        message=f"completions: Required value: {_WITH_INDEXES}",
    )
)
@JobSpec.rule
def _indexes_need_completions(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if _is_indexed(spec) and "completions" not in spec:
        yield required(f"{path}.completions", _WITH_INDEXES)


@JobSpec.in_schema(
    SchemaCondition(
        "completionMode",
        schema=when(
            _INDEXED, {"properties": {"parallelism": {"maximum": MAX_PARALLELISM_INDEXED}}}
        ),
        place=6,
    )
)
@JobSpec.rule_about("parallelism")
def _parallelism_of_indexes_is_bounded(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    parallelism = spec["parallelism"]
    if _is_indexed(spec) and parallelism > MAX_PARALLELISM_INDEXED:
        yield invalid(
            f"{path}.parallelism",
            parallelism,
            f"must be less than or equal to {MAX_PARALLELISM_INDEXED} {_WITH_INDEXES}",
        )


@JobSpec.in_schema(
    SchemaCondition(
        "maxFailedIndexes",
        schema={"properties": {"maxFailedIndexes": {"maximum": MAX_FAILED_INDEXES}}},
        place=10,
    )
)
@JobSpec.rule_about("maxFailedIndexes")
def _max_failed_indexes_are_bounded(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    failed, completions = spec["maxFailedIndexes"], spec.get("completions")
    if not _is_indexed(spec):
        return
    if completions is not None and failed > completions:
        yield invalid(
            f"{path}.maxFailedIndexes", failed, "must be less than or equal to completions"
        )
    if failed > MAX_FAILED_INDEXES:
        yield invalid(
            f"{path}.maxFailedIndexes",
            failed,
            f"must be less than or equal to {MAX_FAILED_INDEXES}",
        )


@JobSpec.in_schema(
    SchemaCondition(
        "maxFailedIndexes",
        "backoffLimitPerIndex",
        schema=when(
            {
                "required": ["completions", "backoffLimitPerIndex"],
                "properties": {
                    "completions": {"type": "integer", "exclusiveMinimum": MANY_COMPLETIONS},
                    "backoffLimitPerIndex": {"type": "integer"},
                },
            },
            {
                **is_set("maxFailedIndexes"),
                "properties": {
                    "maxFailedIndexes": {
                        "type": "integer",
                        "maximum": MAX_FAILED_INDEXES_WITH_MANY,
                    },
                    "parallelism": {"maximum": MAX_PARALLELISM_WITH_MANY},
                },
            },
        ),
        place=11,
        message=f"maxFailedIndexes: Required value: {_WITH_MANY}",
    )
)
@JobSpec.rule_about("backoffLimitPerIndex")
def _many_completions_have_tighter_bounds(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    failed, parallelism = spec.get("maxFailedIndexes"), spec.get("parallelism")
    if not _is_indexed(spec) or spec.get("completions", 0) <= MANY_COMPLETIONS:
        return
    circumstances = (
        f"when completions are above {MANY_COMPLETIONS} and used with backoff limit per index"
    )
    if failed is None:
        yield required(
            f"{path}.maxFailedIndexes",
            _WITH_MANY,
        )
    elif failed > MAX_FAILED_INDEXES_WITH_MANY:
        yield invalid(
            f"{path}.maxFailedIndexes",
            failed,
            f"must be less than or equal to {MAX_FAILED_INDEXES_WITH_MANY} {circumstances}",
        )
    if parallelism is not None and parallelism > MAX_PARALLELISM_WITH_MANY:
        yield invalid(
            f"{path}.parallelism",
            parallelism,
            f"must be less than or equal to {MAX_PARALLELISM_WITH_MANY} {circumstances}",
        )


@JobSpec.in_schema(
    SchemaCondition(
        "podFailurePolicy",
        "backoffLimitPerIndex",
        schema=when(
            {
                "required": ["podFailurePolicy"],
                "properties": {
                    "podFailurePolicy": {
                        "type": "object",
                        "required": ["rules"],
                        "properties": {"rules": {"type": "array", **_FAIL_INDEX}},
                    }
                },
            },
            is_set("backoffLimitPerIndex"),
        ),
        place=4,
        message="action FailIndex: Invalid value: requires the backoffLimitPerIndex to be set",
    )
)
@JobSpec.rule_about("podFailurePolicy")
def _failure_policy_fits_the_job(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    from jobsworth.api.batch import pod_failure_policy as failure_policies

    yield from failure_policies.check_with_job_spec(spec, path, request.server)


@JobSpec.in_schema(
    SchemaCondition(
        "successPolicy",
        "completionMode",
        schema=when(is_set("successPolicy"), _INDEXED),
        place=12,
        message=f"successPolicy: Invalid value: {_NEEDS_INDEXES}",
    )
)
@JobSpec.rule_about("successPolicy")
def _success_policy_needs_indexes(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if not _is_indexed(spec):
        yield invalid(f"{path}.successPolicy", spec["successPolicy"], _NEEDS_INDEXES)


@JobSpec.rule_about("successPolicy")
def _success_policy_fits_the_completions(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    from jobsworth.api.batch import success_policy as success_policies

    # Without completions kube-apiserver 1.36 panics on a success policy;
    # _indexes_need_completions reports the missing completions.
    if _is_indexed(spec) and "completions" in spec:
        yield from success_policies.check_with_completions(
            spec["successPolicy"], spec["completions"], f"{path}.successPolicy"
        )


@JobSpec.in_schema(
    SchemaCondition(
        "podFailurePolicy",
        "podReplacementPolicy",
        schema=when(
            is_set("podFailurePolicy"),
            {"properties": {"podReplacementPolicy": {"enum": ["Failed", None]}}},
        ),
        place=3,
        message='Unsupported value: supported values: "Failed"',
    )
)
@JobSpec.rule_about("podReplacementPolicy")
def _failed_pods_are_replaced_with_a_failure_policy(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    replacement = spec["podReplacementPolicy"]
    supported = REPLACEMENT_POLICIES[:1] if "podFailurePolicy" in spec else REPLACEMENT_POLICIES
    if replacement not in supported:
        yield not_supported(f"{path}.podReplacementPolicy", replacement, supported)


@JobSpec.in_schema(
    SchemaCondition(
        "template",
        schema=within("template.spec.restartPolicy", {"enum": ["OnFailure", "Never"]}),
        place=1,
        message=f"restartPolicy: Required value: {_RESTART_POLICIES}",
    ),
    SchemaCondition(
        "podFailurePolicy",
        schema=when(
            is_set("podFailurePolicy"), within("template.spec.restartPolicy", {"const": "Never"})
        ),
        place=2,
        message=f"restartPolicy: Invalid value: {_ONLY_NEVER}",
    ),
)
@JobSpec.rule
def _pods_of_a_job_end(spec: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    policy = spec["template"]["spec"].get("restartPolicy", "")
    at = f"{path}.template.spec.restartPolicy"
    if policy in ("", "Always"):
        # The API server defaults restartPolicy to "Always", so "Always" may mean that it is unset.
        yield required(at, _RESTART_POLICIES)
    elif policy not in ("OnFailure", "Never"):
        yield not_supported(at, policy, ("OnFailure", "Never"))
    elif policy != "Never" and "podFailurePolicy" in spec:
        yield invalid(at, policy, _ONLY_NEVER)
