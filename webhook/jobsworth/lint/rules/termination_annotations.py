"""Rules for the annotation that adds failure policy rules on container termination reasons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.batch.termination_rules import ANNOTATION, PATH, check_termination_rules
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob

BUILT_IN = "kubernetes.io/job-controller"


def _job(subject: LintedJob) -> tuple[str, dict[str, Any]]:
    """Return the prefix of the Job's field paths in its object, and the Job."""
    if subject.cron is None:
        return "", {"metadata": subject.object["metadata"], "spec": subject.spec}
    template = subject.cron["jobTemplate"]
    return "spec.jobTemplate.", {"metadata": template.get("metadata", {}), "spec": subject.spec}


@lint_rule(
    "JW124",
    "termination-rules-wrong",
    severity="warning",
    summary="The annotation jobsworth.dev/pod-failure-policy is invalid.",
    confidence="certain",
    needs=needs.annotations_of_the_job,
)
def termination_rules_wrong(subject: LintedJob) -> Iterator[Diagnostic]:
    beginning, job = _job(subject)
    for error in check_termination_rules(job):
        inside = error.field.removeprefix(PATH)
        if inside == error.field:  # the error is about a field of the spec
            yield Diagnostic(beginning + error.field, error.message)
        else:
            where = f"{inside.lstrip('.')}: " if inside else ""
            yield Diagnostic(beginning + PATH, f"{where}{error.message}")


@lint_rule(
    "JW125",
    "termination-rules-without-effect",
    severity="warning",
    summary="A Job has the annotation jobsworth.dev/pod-failure-policy, but its controller does not read it.",
    confidence="certain",
    needs=needs.annotations_of_the_job,
)
def termination_rules_without_effect(subject: LintedJob) -> Iterator[Diagnostic]:
    beginning, job = _job(subject)
    annotated = ANNOTATION in job["metadata"].get("annotations", ())
    if annotated and job["spec"].get("managedBy", BUILT_IN) == BUILT_IN:
        yield Diagnostic(
            beginning + PATH,
            "The annotation has no effect: the built-in Job controller does not read it. Set managedBy to a "
            "controller that reads it, such as jobsworth.dev/job-controller.",
        )
