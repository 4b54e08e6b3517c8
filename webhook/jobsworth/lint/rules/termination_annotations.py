"""Rules about the annotation that adds failure-policy rules on the reason for which a container ended."""

from __future__ import annotations

from jobsworth.api.batch.termination_rules import ANNOTATION, PATH, check_termination_rules
from jobsworth.lint.rule import Complaint, lint_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import Subject

BUILT_IN = "kubernetes.io/job-controller"


def _job(subject: Subject) -> tuple[str, dict[str, Any]]:
    """Where the Job stands in its object, as the beginning of its field paths, and the Job."""
    if subject.cron is None:
        return "", {"metadata": subject.object["metadata"], "spec": subject.spec}
    template = subject.cron["jobTemplate"]
    return "spec.jobTemplate.", {"metadata": template.get("metadata", {}), "spec": subject.spec}


@lint_rule(
    "JW124",
    "termination-rules-wrong",
    severity="warning",
    summary="The annotation jobsworth.dev/pod-failure-policy cannot be used as it is.",
)
def termination_rules_wrong(subject: Subject) -> Iterator[Complaint]:
    beginning, job = _job(subject)
    for error in check_termination_rules(job):
        inside = error.field.removeprefix(PATH)
        if inside == error.field:  # it is about a field of the spec
            yield Complaint(beginning + error.field, error.message)
        else:
            where = f"{inside.lstrip('.')}: " if inside else ""
            yield Complaint(beginning + PATH, f"{where}{error.message}")


@lint_rule(
    "JW125",
    "termination-rules-without-effect",
    severity="warning",
    summary="A Job has the annotation jobsworth.dev/pod-failure-policy, and no controller that reads it.",
)
def termination_rules_without_effect(subject: Subject) -> Iterator[Complaint]:
    beginning, job = _job(subject)
    annotated = ANNOTATION in job["metadata"].get("annotations", ())
    if annotated and job["spec"].get("managedBy", BUILT_IN) == BUILT_IN:
        yield Complaint(
            beginning + PATH,
            "has no effect: Kubernetes' own Job controller does not read it; name one that does in"
            " managedBy, such as jobsworth.dev/job-controller",
        )
