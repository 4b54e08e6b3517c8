"""CronJob: creates Jobs on a schedule (``batch/v1``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.job_spec import JobSpec
from jobsworth.api.batch.job_warnings import job_name_warnings, job_spec_warnings, owner_warnings
from jobsworth.api.core.gated_pod_fields import drop_gated
from jobsworth.api.core.references import ObjectReference
from jobsworth.api.declare import (
    Boolean,
    Field,
    Int32,
    Int64,
    ListOf,
    NonNegative,
    Pointer,
    ServerWarning,
    String,
    Struct,
    Time,
)
from jobsworth.api.field_errors import FieldError, invalid, not_supported
from jobsworth.api.formats import cron, time_zones
from jobsworth.api.meta.object_meta import (
    METADATA_CONDITIONS,
    ObjectMeta,
    check_lists_and_maps,
    check_object_meta,
)
from jobsworth.api.schema_conditions import NULL, SchemaCondition, where_present
from jobsworth.api.validation_request import Request, job_spec_of
from kube_cel.formats.names import byte_length

ZONES_REJECTED_SINCE = 29
"""The first minor version that rejects a new time zone in the schedule."""
_NO_ZONES = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
CONCURRENCY_POLICIES = ("Allow", "Forbid", "Replace")
NAME_MAX_LENGTH = 52
"""63 characters of a DNS label, minus the 11 that the controller appends for the scheduled time."""
_GENERATED_SELECTOR = "`selector` will be auto-generated"

JobTemplateSpec = Struct(
    "JobTemplateSpec",
    "The template of the Jobs that a CronJob creates.",
    metadata=Field(ObjectMeta),
    # The server fills in the defaults of a JobSpec when the controller creates the Job.
    spec=Field(JobSpec, template_for_later_object=True),
)

CronJobSpec = Struct(
    "CronJobSpec",
    "The schedule, the template of the Jobs, and the history limits.",
    schedule=Field(String, always=True, required=True),
    timeZone=Field(Pointer(String), gate="CronJobTimeZone"),
    startingDeadlineSeconds=Field(Pointer(Int64), bounds=NonNegative),
    concurrencyPolicy=Field(String, default="Allow", enum=CONCURRENCY_POLICIES),
    suspend=Field(Pointer(Boolean), default=False),
    jobTemplate=Field(JobTemplateSpec, always=True),
    successfulJobsHistoryLimit=Field(Pointer(Int32), bounds=NonNegative, default=3),
    failedJobsHistoryLimit=Field(Pointer(Int32), bounds=NonNegative, default=1),
)

CronJobStatus = Struct(
    "CronJobStatus",
    "The active Jobs, and the last schedule and success times.",
    active=Field(ListOf(ObjectReference)),
    lastScheduleTime=Field(Pointer(Time)),
    lastSuccessfulTime=Field(Pointer(Time)),
)

CronJob = Struct(
    "CronJob",
    "Creates Jobs on a schedule.",
    apiVersion=Field(String),
    kind=Field(String),
    metadata=Field(ObjectMeta),
    spec=Field(CronJobSpec),
    status=Field(CronJobStatus),
)


@CronJob.dropper
def _fields_of_the_pod(
    cron_job: dict[str, Any], old: dict[str, Any] | None, server: ApiServer
) -> Iterator[tuple[str, str]]:
    pod, stored = _pod(cron_job), None if old is None else _pod(old)
    return drop_gated(pod, "spec.jobTemplate.spec.template.spec", stored, server)


@CronJob.dropper
def _scheduling(
    cron_job: dict[str, Any], old: dict[str, Any] | None, server: ApiServer
) -> Iterator[tuple[str, str]]:
    """Drop the scheduling of its Jobs: the one field of a JobSpec that is dropped before a Job is created."""
    gate, job = "WorkloadWithJob", job_spec_of(cron_job)
    in_use = old is not None and "scheduling" in job_spec_of(old)
    if "scheduling" in job and not in_use and not server.enabled(gate):
        del job["scheduling"]
        yield "spec.jobTemplate.spec.scheduling", gate


def _pod(cron_job: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = job_spec_of(cron_job)["template"]["spec"]
    return pod


CronJob.request_warner(owner_warnings)
CronJob.request_warner(job_name_warnings)


@CronJob.warner
def _warnings(cron_job: dict[str, Any], request: Request) -> Iterator[ServerWarning]:
    yield from job_spec_warnings(job_spec_of(cron_job), "spec.jobTemplate.spec", request)


@CronJob.request_warner
def _zone_in_schedule(cron_job: dict[str, Any], request: Request) -> Iterator[ServerWarning]:
    """Warn of a time zone in the schedule, which is rejected since 1.29, unless it is stored already."""
    if "TZ" not in cron_job["spec"].get("schedule", ""):
        return
    page = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/"
    text = "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead"
    if request.server.minor < ZONES_REJECTED_SINCE:
        text = "CRON_TZ or TZ used in spec.spec.schedule is not officially supported"
    text += f", see {page} for more details"
    yield ServerWarning("spec.schedule", text, names_field=False)


@CronJob.preparer
def _keep_status(cron_job: dict[str, Any], request: Request) -> None:
    cron_job["status"] = {} if request.old is None else request.old.get("status", {})


@CronJob.in_schema(
    *METADATA_CONDITIONS,
    SchemaCondition(
        "metadata",
        schema=where_present("metadata.name", {"maxLength": NAME_MAX_LENGTH}),
    ),
)
@CronJob.rule
def _metadata(cron_job: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if request.old is not None:
        # An update does not validate the name: longer names from before the limit keep working.
        return
    yield from check_object_meta(cron_job["metadata"], "metadata", request.server)
    name = cron_job["metadata"].get("name", "")
    if byte_length(name) > NAME_MAX_LENGTH:
        yield invalid("metadata.name", name, f"must be no more than {NAME_MAX_LENGTH} characters")


@CronJob.update_rule
def _update(new: dict[str, Any], old: dict[str, Any], request: Request) -> Iterator[FieldError]:
    from jobsworth.api.batch.workload_scheduling import check_scheduling_update
    from jobsworth.api.meta.object_meta import check_object_meta_update

    yield from check_object_meta_update(
        new["metadata"], old["metadata"], "metadata", request.server
    )
    yield from check_lists_and_maps(new["metadata"], "metadata", request.server)
    new_job, stored = job_spec_of(new), job_spec_of(old)
    yield from check_scheduling_update(new_job, stored, "spec.jobTemplate.spec", request.server)


@CronJobSpec.in_schema(
    *(
        SchemaCondition(
            "schedule",
            schema={"properties": {"schedule": schema}},
            message=f"Invalid value: {detail}",
        )
        for schema, detail in cron.SCHEMA_CONDITIONS
    ),
    SchemaCondition(
        "schedule",
        schema={"properties": {"schedule": {"pattern": cron.PATTERN_WITHOUT_ZONE}}},
        message=f"Invalid value: {_NO_ZONES}",
        since=f"1.{ZONES_REJECTED_SINCE}",
    ),
)
@CronJobSpec.rule
def _schedule(spec: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    schedule = spec.get("schedule", "")
    if not schedule:
        return
    try:
        cron.parse(schedule)
    except cron.BadSchedule as error:
        yield invalid(f"{path}.schedule", schedule, str(error))
    if "TZ" not in schedule:
        return
    # Until 1.28 the server accepts a time zone in the schedule, and later one that is stored.
    stored = (request.old or {}).get("spec", {}).get("schedule", "")
    if request.server.minor >= ZONES_REJECTED_SINCE and "TZ" not in stored:
        yield invalid(
            f"{path}.schedule",
            schedule,
            _NO_ZONES,
        )
    elif "timeZone" in spec:
        yield invalid(
            f"{path}.schedule",
            schedule,
            "cannot use both timeZone field and TZ or CRON_TZ in schedule",
        )


@CronJobSpec.in_schema(
    SchemaCondition(
        "timeZone",
        schema={
            "properties": {
                "timeZone": {"minLength": 1, "not": {"pattern": "^[Ll][Oo][Cc][Aa][Ll]$"}}
            }
        },
        message="Invalid value: timeZone must be an explicit time zone as defined in "
        "https://www.iana.org/time-zones",
    )
)
@CronJobSpec.rule_about("timeZone")
def _time_zone(spec: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    zone = spec["timeZone"]
    if request.old is not None and request.old["spec"].get("timeZone") == zone:
        return
    for detail in time_zones.validate(zone):
        yield invalid(f"{path}.timeZone", zone, detail)


@JobTemplateSpec.in_schema(
    SchemaCondition(
        "spec",
        schema=where_present(
            "spec",
            {"properties": {"selector": NULL, "manualSelector": {"not": {"const": True}}}},
        ),
        message=f"Invalid value: {_GENERATED_SELECTOR}",
    )
)
@JobTemplateSpec.rule
def _no_selector(template: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    spec = template["spec"]
    if "selector" in spec:
        yield invalid(f"{path}.spec.selector", spec["selector"], _GENERATED_SELECTOR)
    if spec.get("manualSelector"):
        yield not_supported(f"{path}.spec.manualSelector", True, ("nil", "false"))


@JobTemplateSpec.rule
def _delegation(template: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if request.server.minor >= 38 and "annotations" in template["metadata"]:
        from jobsworth.api.batch.workload_scheduling import check_delegation

        stored = None if request.old is None else request.old["spec"]["jobTemplate"]
        yield from check_delegation(template, stored, f"{path}.")
