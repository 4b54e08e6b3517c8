"""Rules about what a CronJob's Jobs and their Pods are called."""

from __future__ import annotations

from jobsworth.api.batch.job import GENERATED_LABELS
from jobsworth.lint.rule import Complaint, lint_rule
from jobsworth.validation.engine import engine_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.findings.finding import Finding
    from jobsworth.lint.linted_job import Subject

RUN = "-29000000"
"""What the controller adds to a CronJob's name for a Job: the minutes since 1970, 8 digits until 2160."""
GENERATED_NAME_MAX_LENGTH = 58
"""What is left of the name of a Job's Pod after the server has cut it to add five characters."""


def _name(job: Subject) -> str:
    name: str = job.written["metadata"].get("name", "")
    return name


@lint_rule(
    "JW416",
    "jobs-refused",
    severity="warning",
    summary="The API server accepts a CronJob whose Jobs it will refuse.",
)
def jobs_refused(job: Subject) -> Iterator[Complaint]:
    """Judge the Job that the controller will make; silent where the CronJob itself is refused."""
    if job.cron is None or not _name(job):
        return
    template = job.written["spec"]["jobTemplate"]
    metadata = {
        part: template["metadata"][part]
        for part in ("labels", "annotations")
        if part in template["metadata"]
    }
    pod_labels = job.written_spec["template"]["metadata"].get("labels", {})
    if not (job.indexed or metadata or pod_labels.keys() & GENERATED_LABELS):
        return  # all else has been judged with the CronJob
    made = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {**metadata, "name": _name(job) + RUN},
        "spec": template["spec"],
    }
    engine = engine_for(job.server)
    refusals = _errors(engine.validate(made))
    if not refusals or _errors(engine.validate(job.written)):
        return
    for refusal in refusals:
        yield Complaint(
            _field_of_cron_job(refusal.field),
            f"the API server will refuse each Job: {refusal.message}",
        )


def _errors(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def _field_of_cron_job(field: str) -> str:
    """Where the field of a Job stands in the CronJob that makes it."""
    return field if field == "metadata.name" else f"spec.jobTemplate.{field}"


@lint_rule(
    "JW417",
    "truncated-pod-names",
    severity="info",
    summary="The name of a CronJob is so long that the names of its Pods are cut.",
)
def truncated_pod_names(job: Subject) -> Iterator[Complaint]:
    if job.cron is None or not _name(job):
        return
    suffix = "-"
    if job.indexed and job.spec.get("completions"):
        suffix = f"-{job.spec['completions'] - 1}-"
    surplus = len(_name(job) + RUN + suffix) - GENERATED_NAME_MAX_LENGTH
    # A Pod without index loses the hyphen first, which hurts nobody.
    if surplus > (0 if job.indexed else 1):
        longest = len(_name(job)) - surplus + (0 if job.indexed else 1)
        yield Complaint(
            "metadata.name",
            "the names of Pods are cut, and lose the end of the number that tells one run from the "
            f"next: {longest} characters are the most that leave room for it",
        )


LONG, SHORT = "recompute-recommendations-for-returning-customers-eu", "recompute-recommendations"
