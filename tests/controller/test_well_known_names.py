"""The names of the Job contract, as other programs read them; copied from Kubernetes 1.36 a second time."""

from __future__ import annotations

from typing import Any

from jobsworth.controller import well_known_names

NAMES: dict[str, Any] = {
    "RESERVED_MANAGER": "kubernetes.io/job-controller",
    "OUR_MANAGER": "jobsworth.dev/job-controller",
    "RESERVED_FINALIZER": "batch.kubernetes.io/job-tracking",
    "OUR_FINALIZER": "jobsworth.dev/job-tracking",
    "COMPLETION_INDEX": "batch.kubernetes.io/job-completion-index",
    "INDEX_FAILURE_COUNT": "batch.kubernetes.io/job-index-failure-count",
    "INDEX_IGNORED_FAILURE_COUNT": "batch.kubernetes.io/job-index-ignored-failure-count",
    "COMPLETION_INDEX_VARIABLE": "JOB_COMPLETION_INDEX",
    "INDEXED": "Indexed",
    "NON_INDEXED": "NonIndexed",
    "PENDING": "Pending",
    "RUNNING": "Running",
    "UNKNOWN": "Unknown",
    "SUCCEEDED": "Succeeded",
    "FAILED": "Failed",
    "SUCCESS_CRITERIA_MET": "SuccessCriteriaMet",
    "FAILURE_TARGET": "FailureTarget",
    "COMPLETE": "Complete",
    "JOB_FAILED": "Failed",
    "SUSPENDED": "Suspended",
    "POD_FAILURE_POLICY": "PodFailurePolicy",
    "CONTAINER_FAILED": "Container {container} for pod {namespace}/{pod} failed with exit code {code} matching {action} rule at index {rule}",
    "CONDITION_MATCHED": "Pod {namespace}/{pod} has condition {condition} matching {action} rule at index {rule}",
    "CONTAINER_TERMINATED": "Container {container} for pod {namespace}/{pod} terminated with reason {reason} matching {action} termination rule at index {rule}",
    "BACKOFF_LIMIT_EXCEEDED": (
        "BackoffLimitExceeded",
        "Job has reached the specified backoff limit",
    ),
    "DEADLINE_EXCEEDED": ("DeadlineExceeded", "Job was active longer than specified deadline"),
    "MAX_FAILED_INDEXES_EXCEEDED": (
        "MaxFailedIndexesExceeded",
        "Job has exceeded the specified maximal number of failed indexes",
    ),
    "FAILED_INDEXES": ("FailedIndexes", "Job has failed indexes"),
    "COMPLETIONS_REACHED": ("CompletionsReached", "Reached expected number of succeeded pods"),
    "SUCCESS_POLICY": "SuccessPolicy",
    "SUCCESS_RULE_MATCHED": "Matched rules at index {rule}",
    "JOB_SUSPENDED": ("JobSuspended", "Job suspended"),
    "JOB_RESUMED": ("JobResumed", "Job resumed"),
    "IGNORE": "Ignore",
    "COUNT": "Count",
    "FAIL_INDEX": "FailIndex",
    "FAIL_JOB": "FailJob",
    "METRICS_PREFIX": "job_controller_",
    "SYNC_SECONDS": "job_sync_duration_seconds",
    "SYNCS": "job_syncs_total",
    "JOBS_FINISHED": "jobs_finished_total",
    "PODS_FINISHED": "job_pods_finished_total",
    "FINISHED_INDEXES": "job_finished_indexes_total",
    "FAILURES_HANDLED": "pod_failures_handled_by_failure_policy_total",
    "TERMINATED_PODS": "terminated_pods_tracking_finalizer_total",
    "OLDEST_KEPT": "oldest_terminated_pod_tracking_finalizer_seconds",
    "PODS_CREATED": "job_pods_creation_total",
    "STALE_SYNCS": "stale_sync_skips_total",
    "JOBS_OF_OTHERS": "jobs_by_external_controller_total",
    "POLICY_VIOLATIONS": "policy_violations_total",
    "POLICY_HOLDS": "policy_holds_total",
    "POLICY_DEFAULTS": "policy_defaults_total",
    "HOLD_ACTIONS": ("suspended", "resumed"),
    "HOLD_SUSPENDED": "suspended",
    "HOLD_RESUMED": "resumed",
    "DEFAULTS_RESULTS": ("applied", "planned", "conflict", "failed"),
    "DEFAULTS_APPLIED": "applied",
    "DEFAULTS_PLANNED": "planned",
    "DEFAULTS_CONFLICT": "conflict",
    "DEFAULTS_FAILED": "failed",
    "RECONCILING": "reconciling",
    "TRACKING": "tracking",
    "PODS_CREATED_ACTION": "pods_created",
    "PODS_DELETED_ACTION": "pods_deleted",
}


def test_names_are_what_other_programs_know() -> None:
    found = {name: value for name, value in vars(well_known_names).items() if name.isupper()}
    assert found == NAMES
