"""The names of the Job contract: labels, annotations, conditions, reasons, messages, metrics.

Other programs read every string here (the API server, kubectl, other controllers, dashboards), so each
is copied literally from Kubernetes 1.36, except the jobsworth.dev names and the one marked as ours.
"""

from __future__ import annotations

from typing import Final, Literal

RESERVED_MANAGER = "kubernetes.io/job-controller"  # KEP-4368: the built-in controller
OUR_MANAGER = "jobsworth.dev/job-controller"

# The finalizers that track a Pod until it is counted (KEP-2307). The first is reserved for the
# built-in controller; external controllers must use a name of their own (KEP-4368).
RESERVED_FINALIZER = "batch.kubernetes.io/job-tracking"
OUR_FINALIZER = "jobsworth.dev/job-tracking"

COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"  # annotation and label
INDEX_FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count"
INDEX_IGNORED_FAILURE_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count"
COMPLETION_INDEX_VARIABLE = "JOB_COMPLETION_INDEX"

INDEXED, NON_INDEXED = "Indexed", "NonIndexed"

# Pod phases.
PENDING, RUNNING, UNKNOWN = "Pending", "Running", "Unknown"
SUCCEEDED, FAILED = "Succeeded", "Failed"

# Conditions of a Job. The first two are interim, the next two terminal (KEP-3998, KEP-4368).
SUCCESS_CRITERIA_MET, FAILURE_TARGET = "SuccessCriteriaMet", "FailureTarget"
COMPLETE, JOB_FAILED = "Complete", "Failed"
SUSPENDED = "Suspended"

# Reasons of conditions, each with its message or message template.
POD_FAILURE_POLICY = "PodFailurePolicy"
CONTAINER_FAILED = (
    "Container {container} for pod {namespace}/{pod} failed with exit code {code} "
    "matching {action} rule at index {rule}"
)
CONDITION_MATCHED = (
    "Pod {namespace}/{pod} has condition {condition} matching {action} rule at index {rule}"
)
# Ours: the extension for termination reasons, worded like the upstream messages.
CONTAINER_TERMINATED = (
    "Container {container} for pod {namespace}/{pod} terminated with reason {reason} "
    "matching {action} termination rule at index {rule}"
)
BACKOFF_LIMIT_EXCEEDED = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
DEADLINE_EXCEEDED = ("DeadlineExceeded", "Job was active longer than specified deadline")
MAX_FAILED_INDEXES_EXCEEDED = (
    "MaxFailedIndexesExceeded",
    "Job has exceeded the specified maximal number of failed indexes",
)
FAILED_INDEXES = ("FailedIndexes", "Job has failed indexes")
COMPLETIONS_REACHED = ("CompletionsReached", "Reached expected number of succeeded pods")
SUCCESS_POLICY = "SuccessPolicy"
SUCCESS_RULE_MATCHED = "Matched rules at index {rule}"
JOB_SUSPENDED = ("JobSuspended", "Job suspended")
JOB_RESUMED = ("JobResumed", "Job resumed")

# Actions of failure-policy rules (KEP-3329, KEP-3850).
IGNORE: Final = "Ignore"
COUNT: Final = "Count"
FAIL_INDEX: Final = "FailIndex"
FAIL_JOB: Final = "FailJob"

# Metrics, without the prefix that all share.
METRICS_PREFIX = "job_controller_"
SYNC_SECONDS = "job_sync_duration_seconds"
SYNCS = "job_syncs_total"
JOBS_FINISHED = "jobs_finished_total"
PODS_FINISHED = "job_pods_finished_total"
FINISHED_INDEXES = "job_finished_indexes_total"
FAILURES_HANDLED = "pod_failures_handled_by_failure_policy_total"
TERMINATED_PODS = "terminated_pods_tracking_finalizer_total"
OLDEST_KEPT = "oldest_terminated_pod_tracking_finalizer_seconds"
PODS_CREATED = "job_pods_creation_total"
STALE_SYNCS = "stale_sync_skips_total"
JOBS_OF_OTHERS = "jobs_by_external_controller_total"
# Ours: Jobs that were admitted although policies deny them.
POLICY_VIOLATIONS = "policy_violations_total"
POLICY_HOLDS = "policy_holds_total"
POLICY_DEFAULTS = "policy_defaults_total"
HOLD_ACTIONS = HOLD_SUSPENDED, HOLD_RESUMED = ("suspended", "resumed")
DEFAULTS_RESULTS = DEFAULTS_APPLIED, DEFAULTS_PLANNED, DEFAULTS_CONFLICT, DEFAULTS_FAILED = (
    "applied",
    "planned",
    "conflict",
    "failed",
)

# Values of the ``action`` label of the sync metrics.
SyncAction = Literal["reconciling", "tracking", "pods_created", "pods_deleted"]
RECONCILING: Final = "reconciling"
TRACKING: Final = "tracking"
PODS_CREATED_ACTION: Final = "pods_created"
PODS_DELETED_ACTION: Final = "pods_deleted"


def known_reason(reason: str) -> str:
    """Return the reason of a condition without the name of the rule that KEP-4443 appends.

    >>> known_reason("PodFailurePolicy_oom"), known_reason("DeadlineExceeded")
    ('PodFailurePolicy', 'DeadlineExceeded')
    """
    named = reason.startswith(f"{POD_FAILURE_POLICY}_")
    return POD_FAILURE_POLICY if named else reason
