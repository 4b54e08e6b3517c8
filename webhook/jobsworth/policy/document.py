"""The document JobPolicy, from which JSON Schema, CustomResourceDefinition and reader follow.

Every object is closed, so that a misspelled field is an error. Each place has one type, and there is no
``anyOf``: so one sentence can describe each error, and a CustomResourceDefinition, which
:mod:`jobsworth.policy.custom_resource` makes from the same declaration, can have the schema. Lists, maps and
texts are bounded, because the API server estimates the cost of CEL rules from the bounds.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from jobsworth.api.batch.pod_failure_policy import (
    MAX_CONDITION_PATTERNS,
    MAX_EXIT_CODES,
    MAX_RULES,
)
from jobsworth.api.core.affinity import Affinity
from jobsworth.api.core.environment import EnvVar
from jobsworth.api.core.pod_scheduling import Toleration
from jobsworth.api.core.resources import ResourceRequirements
from jobsworth.api.core.security import PodSecurityContext, SecurityContext
from jobsworth.documents.api_schema import MAX_ENTRIES, MAX_TEXT, api_schema
from jobsworth.documents.declared import (
    Document,
    Meta,
    Schema,
    doc,
    key,
    published_schema,
    schema_of,
)
from jobsworth.policy.policy_fields import FIELDS

API_VERSION, KIND, TEST_KIND = "jobsworth.dev/v1alpha1", "JobPolicy", "JobPolicyTest"

OnFailure = Literal["deny", "allow"]
OnAdmitted = Literal["event", "suspend"]
SUSPEND: OnAdmitted = "suspend"
Reconcile = Literal["report", "apply"]
REPORT: Reconcile = "report"
APPLY: Reconcile = "apply"

IDENTIFIER = "https://jobsworth.dev/schemas/jobpolicy.json"
NAME_PATTERN = "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"
"""A DNS label, so that the policy's name is valid in the key of an audit annotation."""

SHARE_PATTERN = "^(100|[1-9]?[0-9])%$"
PROSE_PATTERN = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$"
PATTERNS = {
    NAME_PATTERN: "lower case letters, digits and hyphens, at most 63, that begin and end with a letter or "
    "digit",
    SHARE_PATTERN: "a whole number, or a percentage from 0% to 100%",
    PROSE_PATTERN: "text without control characters",
}
"""A phrase for each pattern of the schema, which completes "must be …"."""

MAX_INT32, MAX_INT64 = 2**31 - 1, 2**63 - 1
MAX_MATCHERS, MAX_IMMUTABLE, MAX_EXPRESSIONS = 32, 64, 64
RULES = "x-kubernetes-validations"
"""The keyword for CEL rules: a CustomResourceDefinition has them, the JSON Schema does not."""
NOT_EMPTY: Schema = {"minProperties": 1}
ANY = "`*` matches any characters."
UNIQUE = {"uniqueItems": True}

T = TypeVar("T")
Count = Annotated[int, Meta(ge=0, le=MAX_INT64)]
Int32 = Annotated[int, Meta(ge=0, le=MAX_INT32)]
Share = Count | Annotated[str, Meta(pattern=SHARE_PATTERN)]
"""A number, or a percentage of the completions."""
AnyText = Annotated[str, Meta(max_length=MAX_TEXT)]
Text = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
Prose = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT, pattern=PROSE_PATTERN)]
"""A text for people, which messages and exports contain."""
Listed = Annotated[list[T], Meta(min_length=1, max_length=MAX_ENTRIES, more=UNIQUE)]
"""A non-empty list of unique entries."""
FieldName = Annotated[str, Meta(more={"enum": list(FIELDS)})]
ByKey = Annotated[dict[str, T], Meta(min_length=1, max_length=MAX_ENTRIES)]


# match and exempt


class Requirement(Document):
    """A requirement of a label selector."""

    key: Annotated[Text, doc("The label's key.")]
    operator: Annotated[
        Literal["In", "NotIn", "Exists", "DoesNotExist"],
        doc("The relation of the label to the values."),
    ]
    values: Annotated[
        Annotated[list[AnyText], Meta(max_length=MAX_ENTRIES)] | None,
        doc("The values of the label."),
    ] = None


class Selector(Document):
    """A label selector."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    match_labels: Annotated[
        Annotated[dict[str, AnyText], Meta(max_length=MAX_ENTRIES)] | None,
        doc("Labels with the required values."),
    ] = None
    match_expressions: Annotated[
        Annotated[list[Requirement], Meta(max_length=MAX_ENTRIES)] | None,
        doc("Requirements, which must all be met."),
    ] = None


class Matcher(Document):
    """Criteria that must all match."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    kinds: Annotated[Listed[Literal["Job", "CronJob"]] | None, doc("Kinds of object.")] = None
    operations: Annotated[
        Listed[Literal["CREATE", "UPDATE"]] | None, doc("Operations: creating or updating.")
    ] = None
    namespaces: Annotated[Listed[Text] | None, doc(f"Names of namespaces; {ANY}")] = None
    namespace_selector: Annotated[Selector | None, doc("Labels of the namespace.")] = None
    names: Annotated[
        Listed[Text] | None, doc(f"Names of objects, or their generateName; {ANY}")
    ] = None
    object_selector: Annotated[Selector | None, doc("Labels of the object.")] = None
    owners: Annotated[
        Listed[Text] | None,
        doc(f"Kinds of the objects that own the object, such as JobSet; {ANY}"),
    ] = None
    users: Annotated[
        Listed[Text] | None,
        doc(
            f"Names of requesting users; {ANY} A service account is "
            "system:serviceaccount:NAMESPACE:NAME."
        ),
    ] = None
    groups: Annotated[Listed[Text] | None, doc(f"Groups of the requesting user; {ANY}")] = None


Matchers = Annotated[list[Matcher], Meta(min_length=1, max_length=MAX_MATCHERS)]
ONE_MATCHES = (
    "A matcher matches if every criterion matches; a criterion matches if one of its entries does. "
    "One matcher of the list must match."
)


# limits


def ordered(least: str, most: str, *, share: bool = False) -> Schema:
    """Return keywords: not empty, and a minimum is at most its maximum. A percentage has no order."""
    one, other = f"self.{least}", f"self.{most}"
    compared = f"{one} <= {other}"
    if share:
        compared = f"type({one}) != int || type({other}) != int || {compared}"
    condition = f"!has({one}) || !has({other}) || {compared}"
    message = f"{least} must not be greater than {most}"
    return NOT_EMPTY | {RULES: [{"rule": condition, "message": message}]}


class Limit(Document):
    """The limit of a field of any type."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    required: Annotated[bool | None, doc("It must be set.")] = None
    forbidden: Annotated[bool | None, doc("It may not be set.")] = None
    message: Annotated[Prose | None, doc("The message of a violation of this limit.")] = None


class NumberLimit(Limit):
    """The limit of a whole number."""

    keywords: ClassVar[Schema] = ordered("minimum", "maximum")
    minimum: Annotated[Count | None, doc("The minimum.")] = None
    maximum: Annotated[Count | None, doc("The maximum.")] = None
    allowed: Annotated[Listed[Count] | None, doc("The allowed values.")] = None


class ShareLimit(Limit):
    """The limit of a number that may also be a percentage of the completions."""

    keywords: ClassVar[Schema] = ordered("minimum", "maximum", share=True)
    minimum: Annotated[Share | None, doc("The minimum, or a percentage of the completions.")] = None
    maximum: Annotated[Share | None, doc("The maximum, or a percentage of the completions.")] = None
    allowed: Annotated[Listed[Count] | None, doc("The allowed values.")] = None


class SwitchLimit(Limit):
    """The limit of a boolean."""

    allowed: Annotated[Listed[bool] | None, doc("The allowed value.")] = None


class ChoiceLimit(Limit, Generic[T]):
    """The limit of an enumeration."""

    allowed: Annotated[Listed[T] | None, doc("The allowed values.")] = None


class TextLimit(Limit):
    """The limit of a text."""

    allowed: Annotated[Listed[AnyText] | None, doc(f"The allowed values; {ANY}")] = None
    denied: Annotated[Listed[AnyText] | None, doc(f"Values that are denied; {ANY}")] = None


class MetadataLimit(TextLimit):
    """The limit of a label or annotation."""

    keywords: ClassVar[Schema] = {"description": "The limit of one value."}


class FailurePolicyLimit(Limit):
    """The limit of a failure policy."""

    keywords: ClassVar[Schema] = ordered("minimumRules", "maximumRules")
    allowed_actions: Annotated[
        Listed[Literal["Count", "FailIndex", "FailJob", "Ignore"]] | None,
        doc("The allowed actions of its rules."),
    ] = None
    ignore_disruptions_first: Annotated[
        bool | None, doc("Its first rule must ignore the Pod condition DisruptionTarget.")
    ] = None
    fail_job_on_exit_codes: Annotated[
        Listed[Annotated[int, Meta(ge=1, le=MAX_EXIT_CODES)]] | None,
        doc("Exit codes that must fail the Job, in every container."),
    ] = None
    minimum_rules: Annotated[
        Annotated[int, Meta(ge=0, le=MAX_RULES)] | None, doc("The minimum number of rules.")
    ] = None
    maximum_rules: Annotated[
        Annotated[int, Meta(ge=0, le=MAX_RULES)] | None, doc("The maximum number of rules.")
    ] = None


class ResourceLimit(Document):
    """The limit of one resource of a Job."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    maximum: Annotated[
        Annotated[int, Meta(ge=0)] | AnyText | None,
        doc(
            "The maximum sum over all Pods of a Job that run at the same time: a quantity, such as "
            "500m, 64 or 1Gi."
        ),
    ] = None
    required: Annotated[bool | None, doc("Every container must set the resource.")] = None
    message: Annotated[Prose | None, doc("The message of a violation of this limit.")] = None


class ResourceLimits(Document):
    """The limits of the resources of a Job."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    requests: Annotated[
        ByKey[ResourceLimit] | None, doc("By resource, such as cpu, memory or nvidia.com/gpu.")
    ] = None
    limits: Annotated[
        ByKey[ResourceLimit] | None, doc("By resource, such as cpu, memory or nvidia.com/gpu.")
    ] = None


class EntriesLimit(Document):
    """The limit of the entries of a list in the Pod template."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    forbidden: Annotated[bool | None, doc("It may have no entries.")] = None
    allowed: Annotated[Listed[AnyText] | None, doc(f"The allowed entries; {ANY}")] = None
    message: Annotated[Prose | None, doc("The message of a violation of this limit.")] = None


class TolerationsLimit(EntriesLimit):
    """The limit of the taints that Pods tolerate."""

    denied: Annotated[
        Listed[AnyText] | None,
        doc(f"Entries that are denied, and with them the toleration of every taint; {ANY}"),
    ] = None


class SecurityLimits(Document):
    """Limits of the security contexts of the Pod template."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    run_as_non_root: Annotated[SwitchLimit | None, doc("Limits of runAsNonRoot.")] = None
    run_as_user: Annotated[NumberLimit | None, doc("Limits of runAsUser.")] = None
    privileged: Annotated[SwitchLimit | None, doc("Limits of privileged.")] = None
    allow_privilege_escalation: Annotated[
        SwitchLimit | None, doc("Limits of allowPrivilegeEscalation.")
    ] = None
    read_only_root_filesystem: Annotated[
        SwitchLimit | None, doc("Limits of readOnlyRootFilesystem.")
    ] = None
    added_capabilities: Annotated[EntriesLimit | None, doc("Limits of capabilities.add.")] = None


class PodLimits(Document):
    """Limits of fields of the Pod template."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    restart_policy: Annotated[
        ChoiceLimit[Literal["Never", "OnFailure"]] | None, doc("Limits of pod.restartPolicy.")
    ] = None
    active_deadline_seconds: Annotated[
        NumberLimit | None, doc("Limits of pod.activeDeadlineSeconds.")
    ] = None
    termination_grace_period_seconds: Annotated[
        NumberLimit | None, doc("Limits of pod.terminationGracePeriodSeconds.")
    ] = None
    priority_class_name: Annotated[TextLimit | None, doc("Limits of pod.priorityClassName.")] = None
    preemption_policy: Annotated[
        ChoiceLimit[Literal["Never", "PreemptLowerPriority"]] | None,
        doc("Limits of pod.preemptionPolicy."),
    ] = None
    scheduler_name: Annotated[TextLimit | None, doc("Limits of pod.schedulerName.")] = None
    service_account_name: Annotated[TextLimit | None, doc("Limits of pod.serviceAccountName.")] = (
        None
    )
    automount_service_account_token: Annotated[
        SwitchLimit | None, doc("Limits of pod.automountServiceAccountToken.")
    ] = None
    runtime_class_name: Annotated[TextLimit | None, doc("Limits of pod.runtimeClassName.")] = None
    host_network: Annotated[SwitchLimit | None, doc("Limits of pod.hostNetwork.")] = None
    host_pid: Annotated[SwitchLimit | None, doc("Limits of pod.hostPID.")] = key("hostPID", None)
    host_ipc: Annotated[SwitchLimit | None, doc("Limits of pod.hostIPC.")] = key("hostIPC", None)
    labels: Annotated[
        ByKey[MetadataLimit] | None, doc("Limits of the labels of the Pods, by key.")
    ] = None
    annotations: Annotated[
        ByKey[MetadataLimit] | None, doc("Limits of the annotations of the Pods, by key.")
    ] = None
    node_selector: Annotated[
        ByKey[MetadataLimit] | None, doc("Limits of the labels that a node must have, by key.")
    ] = None
    tolerations: Annotated[
        TolerationsLimit | None,
        doc(
            "Limits of the keys of the taints that the Pods tolerate; the key of a toleration of every "
            "taint is empty."
        ),
    ] = None
    security_context: Annotated[
        SecurityLimits | None,
        doc(
            "Limits of the security context of each container, also of init containers. The Pod's value "
            "counts for a container without its own."
        ),
    ] = None


class CronJobLimits(Document):
    """Limits of fields of a CronJob."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    schedule: Annotated[TextLimit | None, doc("Limits of cronJob.schedule.")] = None
    time_zone: Annotated[TextLimit | None, doc("Limits of cronJob.timeZone.")] = None
    starting_deadline_seconds: Annotated[
        NumberLimit | None, doc("Limits of cronJob.startingDeadlineSeconds.")
    ] = None
    concurrency_policy: Annotated[
        ChoiceLimit[Literal["Allow", "Forbid", "Replace"]] | None,
        doc("Limits of cronJob.concurrencyPolicy."),
    ] = None
    suspend: Annotated[SwitchLimit | None, doc("Limits of cronJob.suspend.")] = None
    successful_jobs_history_limit: Annotated[
        NumberLimit | None, doc("Limits of cronJob.successfulJobsHistoryLimit.")
    ] = None
    failed_jobs_history_limit: Annotated[
        NumberLimit | None, doc("Limits of cronJob.failedJobsHistoryLimit.")
    ] = None


class Limits(Document):
    """Limits of fields, labels, annotations and resources."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    parallelism: Annotated[NumberLimit | None, doc("Limits of parallelism.")] = None
    completions: Annotated[NumberLimit | None, doc("Limits of completions.")] = None
    completion_mode: Annotated[
        ChoiceLimit[Literal["NonIndexed", "Indexed"]] | None, doc("Limits of completionMode.")
    ] = None
    active_deadline_seconds: Annotated[
        NumberLimit | None, doc("Limits of activeDeadlineSeconds.")
    ] = None
    backoff_limit: Annotated[NumberLimit | None, doc("Limits of backoffLimit.")] = None
    backoff_limit_per_index: Annotated[
        NumberLimit | None, doc("Limits of backoffLimitPerIndex.")
    ] = None
    max_failed_indexes: Annotated[ShareLimit | None, doc("Limits of maxFailedIndexes.")] = None
    pod_failure_policy: Annotated[FailurePolicyLimit | None, doc("Limits of podFailurePolicy.")] = (
        None
    )
    success_policy: Annotated[Limit | None, doc("Limits of successPolicy.")] = None
    pod_replacement_policy: Annotated[
        ChoiceLimit[Literal["Failed", "TerminatingOrFailed"]] | None,
        doc("Limits of podReplacementPolicy."),
    ] = None
    ttl_seconds_after_finished: Annotated[
        NumberLimit | None, doc("Limits of ttlSecondsAfterFinished.")
    ] = None
    suspend: Annotated[SwitchLimit | None, doc("Limits of suspend.")] = None
    managed_by: Annotated[TextLimit | None, doc("Limits of managedBy.")] = None
    manual_selector: Annotated[SwitchLimit | None, doc("Limits of manualSelector.")] = None
    pod: Annotated[PodLimits | None, doc("Limits of fields of the Pod template.")] = None
    cron_job: Annotated[CronJobLimits | None, doc("Limits of fields of a CronJob.")] = None
    labels: Annotated[
        ByKey[MetadataLimit] | None, doc("Limits of the object's labels, by key.")
    ] = None
    annotations: Annotated[
        ByKey[MetadataLimit] | None, doc("Limits of the object's annotations, by key.")
    ] = None
    resources: Annotated[
        ResourceLimits | None,
        doc(
            "Limits of the resources of one Job: the resources of a Pod times the Pods that run at the "
            "same time."
        ),
    ] = None


# immutable


class Immutable(Document):
    """A field, label or annotation that may not change."""

    keywords: ClassVar[Schema] = {
        RULES: [
            {
                "rule": "has(self.field) ? !has(self.label) && !has(self.annotation) "
                ": has(self.label) != has(self.annotation)",
                "message": "exactly one of field, label and annotation must be set",
            }
        ]
    }
    field: Annotated[FieldName | None, doc("The field's name.")] = None
    label: Annotated[Text | None, doc("The key of a label, instead of a field.")] = None
    annotation: Annotated[Text | None, doc("The key of an annotation, instead of a field.")] = None
    unless_suspended: Annotated[
        bool, doc("Allow changes while the stored object is suspended.")
    ] = False
    message: Annotated[Prose | None, doc("The message if it changes.")] = None


# defaults

When = Annotated[
    Literal["ifUnset", "ifServerDefault", "always"],
    doc(
        "ifUnset: set the field if the client is known to have left it unset. ifServerDefault: also if "
        "it has the server's default and no client is known to have written it. always: always set it."
    ),
]


class Default(Document, Generic[T]):
    """The default of one field."""

    value: Annotated[T, doc("The value to set.")]
    when: When = "ifUnset"


class ShareDefault(Default[Int32 | Annotated[str, Meta(pattern=SHARE_PATTERN)]]):
    """The default of maxFailedIndexes."""

    at_least: Annotated[
        Int32, doc("The minimum that a percentage resolves to, up to the completions.")
    ] = 0


class MetadataDefault(Default[AnyText]):
    """The default of a label or annotation."""

    keywords: ClassVar[Schema] = {"description": "The value, and when to set it."}


class ExitCodes(Document):
    """Exit codes of containers."""

    container_name: Annotated[Text | None, doc("The container; all containers if unset.")] = None
    operator: Annotated[
        Literal["In", "NotIn"], doc("In: the exit code is in the list. NotIn: it is not.")
    ]
    values: Annotated[
        Annotated[list[int], Meta(min_length=1, max_length=MAX_EXIT_CODES, more=UNIQUE)],
        doc("Exit codes in ascending order; In does not allow 0."),
    ]


class PodCondition(Document):
    """A condition of a Pod."""

    keywords: ClassVar[Schema] = {"description": "A condition of the Pod."}
    status: Annotated[Literal["False", "True", "Unknown"], doc("The status of the condition.")] = (
        "True"
    )
    type: Annotated[Text, doc("The condition type, such as DisruptionTarget.")]


class FailureRule(Document):
    """A rule of a failure policy."""

    keywords: ClassVar[Schema] = {"description": "A rule of a failure policy, as in a Job."}
    action: Annotated[
        Literal["Count", "FailIndex", "FailJob", "Ignore"],
        doc("The action for a Pod that matches."),
    ]
    on_exit_codes: Annotated[ExitCodes | None, doc("Exit codes of containers.")] = None
    on_pod_conditions: Annotated[
        Annotated[list[PodCondition], Meta(min_length=1, max_length=MAX_CONDITION_PATTERNS)] | None,
        doc("Conditions of the Pod; one of them must match."),
    ] = None


FailureRules = Annotated[list[FailureRule], Meta(min_length=1, max_length=MAX_RULES)]


class FailurePolicy(Document):
    """A complete failure policy."""

    rules: Annotated[FailureRules, doc("The rules; the first that matches a failed Pod decides.")]


class FailurePolicyDefault(Document):
    """The default of podFailurePolicy."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    value: Annotated[FailurePolicy | None, doc("A complete failure policy.")] = None
    when: When = "ifUnset"
    rules_before: Annotated[
        FailureRules | None,
        doc("Rules to add before the user's rules; a rule that is present is moved to the front."),
    ] = None
    rules_after: Annotated[
        FailureRules | None,
        doc("Rules to add after the user's rules, unless they are present."),
    ] = None


Tolerations = Annotated[
    list[dict[str, Any]],
    Meta(min_length=1, max_length=MAX_ENTRIES, more={"items": api_schema(Toleration)}),
]
AffinityTerms = Annotated[dict[str, Any], Meta(more=NOT_EMPTY | api_schema(Affinity))]
PodSecurity = Annotated[dict[str, Any], Meta(more=NOT_EMPTY | api_schema(PodSecurityContext))]
Security = Annotated[dict[str, Any], Meta(more=NOT_EMPTY | api_schema(SecurityContext))]
Amounts = Annotated[
    dict[str, Any],
    Meta(more=NOT_EMPTY | api_schema(ResourceRequirements, only=("limits", "requests"))),
]
Variables = Annotated[
    list[dict[str, Any]],
    Meta(
        min_length=1,
        max_length=MAX_ENTRIES,
        more={"items": api_schema(EnvVar) | {"required": ["name"]}},
    ),
]


class ContainerDefaults(Document):
    """Values to set in a container."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    resources: Annotated[
        Default[Amounts] | None,
        doc(
            "Requests and limits, as in a container, by resource. A request is not set beside a limit of "
            "the user, which is the request, too."
        ),
    ] = None
    env: Annotated[
        Default[Variables] | None,
        doc(
            "Environment variables, as in a container, by name; new ones follow those of the user."
        ),
    ] = None
    security_context: Annotated[
        Default[Security] | None, doc("A security context, as in a container, by field.")
    ] = None


class PodDefaults(Document):
    """Values to set in the Pod template."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    labels: Annotated[ByKey[MetadataDefault] | None, doc("Labels of the Pods, by key.")] = None
    annotations: Annotated[
        ByKey[MetadataDefault] | None, doc("Annotations of the Pods, by key.")
    ] = None
    node_selector: Annotated[
        ByKey[MetadataDefault] | None, doc("Labels that a node must have, by key.")
    ] = None
    tolerations: Annotated[
        Default[Tolerations] | None,
        doc(
            "Tolerations, as in a Pod: each is added unless there is one with the same key, operator, "
            "value and effect."
        ),
    ] = None
    affinity: Annotated[
        Default[AffinityTerms] | None,
        doc(
            "An affinity, as in a Pod: each of its required and preferred parts is set as a whole."
        ),
    ] = None
    priority_class_name: Annotated[Default[Text] | None, doc("The PriorityClass.")] = None
    service_account_name: Annotated[Default[Text] | None, doc("The ServiceAccount.")] = None
    automount_service_account_token: Annotated[
        Default[bool] | None, doc("True to give the Pods the token of their ServiceAccount.")
    ] = None
    scheduler_name: Annotated[Default[Text] | None, doc("The scheduler.")] = None
    runtime_class_name: Annotated[Default[Text] | None, doc("The RuntimeClass.")] = None
    termination_grace_period_seconds: Annotated[
        Default[Count] | None, doc("The seconds that a Pod has to end after SIGTERM.")
    ] = None
    security_context: Annotated[
        Default[PodSecurity] | None, doc("A security context, as in a Pod, by field.")
    ] = None
    containers: Annotated[
        ByKey[ContainerDefaults] | None,
        doc(f"Values for the containers with a name; {ANY} A name comes before a pattern."),
    ] = None
    init_containers: Annotated[
        ByKey[ContainerDefaults] | None,
        doc(f"Values for the init containers and sidecars with a name; {ANY}"),
    ] = None


class Defaults(Document):
    """Values to set."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    backoff_limit: Annotated[Default[Int32] | None, doc("The number of retries of the Job.")] = None
    backoff_limit_per_index: Annotated[
        Default[Int32] | None, doc("The number of retries of each index; for Indexed Jobs.")
    ] = None
    max_failed_indexes: Annotated[
        ShareDefault | None,
        doc(
            "The failed indexes allowed: a number, or a percentage of the completions, rounded down; "
            "for Jobs with backoffLimitPerIndex."
        ),
    ] = None
    pod_failure_policy: Annotated[
        FailurePolicyDefault | None,
        doc(
            "A complete failure policy, rules to add to every failure policy, or both. Jobs with "
            "restartPolicy OnFailure stay unchanged, with a warning."
        ),
    ] = None
    pod_replacement_policy: Annotated[
        Default[Literal["Failed", "TerminatingOrFailed"]] | None,
        doc("When the controller replaces a Pod."),
    ] = None
    active_deadline_seconds: Annotated[
        Default[Count] | None, doc("The maximum duration of the Job in seconds.")
    ] = None
    ttl_seconds_after_finished: Annotated[
        Default[Int32] | None, doc("The seconds after which a finished Job is deleted.")
    ] = None
    suspend: Annotated[
        Default[bool] | None,
        doc("True to create the Job suspended, for example for a queueing system."),
    ] = None
    managed_by: Annotated[Default[Text] | None, doc("The controller that runs the Job.")] = None
    labels: Annotated[
        ByKey[MetadataDefault] | None,
        doc("Labels of the Job or CronJob itself, by key; only `always` replaces a user's value."),
    ] = None
    annotations: Annotated[
        ByKey[MetadataDefault] | None,
        doc(
            "Annotations of the Job or CronJob itself, by key; only `always` replaces a user's value."
        ),
    ] = None
    pod: Annotated[
        PodDefaults | None,
        doc(
            "Values to set in the Pod template, unless a controller owns the object. A Job gets them when "
            "it is created."
        ),
    ] = None


# the document


class Expression(Document):
    """A CEL expression."""

    expression: Annotated[
        Text,
        doc(
            "A CEL condition that every Job must satisfy, and the Job that a CronJob creates. It can "
            "read object (that Job), oldObject (null on create), cronJob and oldCronJob (null for a Job) "
            "and request."
        ),
    ]
    message: Annotated[Prose | None, doc("The message if the condition is false.")] = None
    message_expression: Annotated[
        Text | None, doc("A CEL expression that returns the message.")
    ] = None
    field: Annotated[
        Text | None,
        doc(
            "The field of the violation in the Job, such as spec.parallelism, or in the CronJob after "
            "cronJob., such as cronJob.spec.schedule."
        ),
    ] = None


class Metadata(Document):
    """The metadata of a policy."""

    name: Annotated[
        Annotated[str, Meta(min_length=1, max_length=63, pattern=NAME_PATTERN)],
        doc("The name, unique among the policies that are loaded together; messages contain it."),
    ]
    labels: Annotated[
        dict[str, str] | None, doc("Metadata of the policy itself, without effect.")
    ] = None
    annotations: Annotated[
        dict[str, str] | None, doc("Metadata of the policy itself, without effect.")
    ] = None


class Spec(Document):
    """The policy."""

    keywords: ClassVar[Schema] = NOT_EMPTY
    description: Annotated[Prose | None, doc("The purpose of the policy, for its readers.")] = None
    message: Annotated[
        Prose | None, doc("Text shown with each violation: the reason, and what to do.")
    ] = None
    contact: Annotated[Prose | None, doc("A contact for users: a channel, an address, a page.")] = (
        None
    )
    priority: Annotated[
        Annotated[int, Meta(ge=-(2**31), le=MAX_INT32)],
        doc(
            "If several policies have a default for the same field, the one with the highest priority "
            "decides; with equal priority, the first by name."
        ),
    ] = 0
    enforcement: Annotated[
        Literal["deny", "warn", "audit"],
        doc(
            "The strongest effect of a violation: deny the request, warn the user, or record it in the "
            "audit log."
        ),
    ] = "deny"
    on_internal_error: Annotated[
        OnFailure,
        doc("The effect if an expression cannot be evaluated or jobsworth itself fails."),
    ] = "deny"
    on_unreadable: Annotated[
        OnFailure | None,
        doc(
            "The effect of a value whose type jobsworth does not know, so that the policy cannot be "
            "evaluated completely. Unknown fields are ignored and the rest is evaluated. The default is "
            "the value of onInternalError."
        ),
    ] = None
    cron_job_jobs: Annotated[
        Literal["audit", "enforce"] | None,
        doc(
            "The effect of a violation in a Job that the CronJob controller creates. The default is "
            "`audit`, because its CronJob was evaluated, or `enforce` if `match` and `exempt` may leave "
            "out that CronJob."
        ),
    ] = None
    on_admitted: Annotated[
        OnAdmitted,
        doc(
            "What `jobsworth reconcile` does with a Job that was admitted although this policy would "
            "deny it: report it in an Event, or also suspend it until it satisfies the policy. A Job "
            "that has started is never suspended."
        ),
    ] = "event"
    reconcile: Annotated[
        Reconcile,
        doc(
            "The use of `defaults` for stored CronJobs, and for Jobs that have not started: only report "
            "violations, or also set the defaults that these objects lack."
        ),
    ] = "report"
    match: Annotated[
        Matchers | None,
        doc(f"The requests that the policy applies to; all requests if unset. {ONE_MATCHES}"),
    ] = None
    exempt: Annotated[
        Matchers | None, doc(f"Requests that are exempt from the policy. {ONE_MATCHES}")
    ] = None
    defaults: Annotated[Defaults | None, doc("Values to set where the user sets none.")] = None
    limits: Annotated[
        Limits | None,
        doc(
            "Limits of fields. A bound applies to a value that is set; `required` makes the value "
            "mandatory. Defaults of the API server count as set."
        ),
    ] = None
    immutable: Annotated[
        Annotated[list[Immutable], Meta(min_length=1, max_length=MAX_IMMUTABLE)] | None,
        doc("Fields that may not change, although Kubernetes allows it."),
    ] = None
    rules: Annotated[
        ByKey[Literal["deny", "warn", "off"]] | None,
        doc(
            "Lint rules to enforce, by code (JW101), name (rule-shadowed), prefix of codes (JW1) or "
            '`default`, with the effect of their findings; write "off" in quotes. If several keys select a '
            "rule, the key that selects the fewest rules decides."
        ),
    ] = None
    expressions: Annotated[
        Annotated[list[Expression], Meta(min_length=1, max_length=MAX_EXPRESSIONS)] | None,
        doc("CEL expressions, as in a ValidatingAdmissionPolicy."),
    ] = None


class PolicyDocument(Document):
    """The requirements of an organization for Jobs and CronJobs, beyond those of the API."""

    keywords: ClassVar[Schema] = {
        "description": "The requirements of an organization for Jobs and CronJobs, beyond those of the API."
    }
    api_version: Annotated[Literal["jobsworth.dev/v1alpha1"], doc("The version of the format.")]
    kind: Annotated[Literal["JobPolicy"], doc("The kind of the document.")]
    metadata: Annotated[Metadata, doc("The metadata of the policy.")]
    spec: Annotated[Spec, doc("The policy.")]


def declaration() -> Schema:
    """Return the schema with the CEL rules, from which the CustomResourceDefinition is made."""
    return schema_of(PolicyDocument)


@cache
def schema() -> Schema:
    """Return the JSON Schema of a JobPolicy."""
    title = f"{KIND} ({API_VERSION})"
    return published_schema(_without_rules(declaration()), IDENTIFIER, title)


def _without_rules(declared: Any) -> Any:
    """Return a schema without the keyword that only a CustomResourceDefinition has."""
    if isinstance(declared, dict):
        kept = {name: part for name, part in declared.items() if name != RULES}
        return dict(zip(kept, map(_without_rules, kept.values()), strict=True))
    if isinstance(declared, list):
        return list(map(_without_rules, declared))
    return declared
