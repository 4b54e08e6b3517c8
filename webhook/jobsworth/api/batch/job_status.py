"""JobStatus: the progress that the Job controller records (``batch/v1``)."""

from __future__ import annotations

from jobsworth.api.declare import Field, Int32, ListOf, Pointer, String, Struct, Time

JobCondition = Struct(
    "JobCondition",
    "A condition of a Job: suspended, complete, failed, or about to be.",
    type=Field(String, always=True),
    status=Field(String, always=True),
    lastProbeTime=Field(Time),
    lastTransitionTime=Field(Time),
    reason=Field(String),
    message=Field(String),
)

UncountedTerminatedPods = Struct(
    "UncountedTerminatedPods",
    "Pods that have ended and are not yet in the counters (KEP-2307).",
    succeeded=Field(ListOf(String)),
    failed=Field(ListOf(String)),
)

JobStatus = Struct(
    "JobStatus",
    "The progress of a Job.",
    conditions=Field(ListOf(JobCondition)),
    startTime=Field(Pointer(Time)),
    completionTime=Field(Pointer(Time)),
    active=Field(Int32),
    succeeded=Field(Int32),
    failed=Field(Int32),
    terminating=Field(Pointer(Int32), since="1.28"),
    completedIndexes=Field(String),
    failedIndexes=Field(Pointer(String), since="1.28"),
    uncountedTerminatedPods=Field(Pointer(UncountedTerminatedPods)),
    ready=Field(Pointer(Int32)),
)
