"""Rules about the annotation that adds failure-policy rules on the reason for which a container ended."""

from __future__ import annotations

from jobsworth.api.batch.termination_rules import ANNOTATION, PATH, check_termination_rules
from jobsworth.lint.examples import POD
from jobsworth.lint.rule import Complaint, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import Subject

BUILT_IN = "kubernetes.io/job-controller"
KEP = "https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/3329-retriable-and-non-retriable-failures"
MANAGED_BY = "https://kubernetes.io/docs/concepts/workloads/controllers/job/#delegation-of-managing-a-job-object-to-external-controller"

ANNOTATED = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  annotations:
    jobsworth.dev/pod-failure-policy: |
"""
MANAGED = """\
spec:
  managedBy: jobsworth.dev/job-controller
  podReplacementPolicy: Failed
"""


def _job(subject: Subject) -> tuple[str, dict[str, Any]]:
    """Where the Job stands in its object, as the beginning of its field paths, and the Job."""
    if subject.cron is None:
        return "", {"metadata": subject.object["metadata"], "spec": subject.spec}
    template = subject.cron["jobTemplate"]
    return "spec.jobTemplate.", {"metadata": template.get("metadata", {}), "spec": subject.spec}


def _wrong(subject: Subject) -> Iterator[Complaint]:
    beginning, job = _job(subject)
    for error in check_termination_rules(job):
        inside = error.field.removeprefix(PATH)
        if inside == error.field:  # it is about a field of the spec
            yield Complaint(beginning + error.field, error.message)
        else:
            where = f"{inside.lstrip('.')}: " if inside else ""
            yield Complaint(beginning + PATH, f"{where}{error.message}")


def _without_effect(subject: Subject) -> Iterator[Complaint]:
    beginning, job = _job(subject)
    annotated = ANNOTATION in job["metadata"].get("annotations", ())
    if annotated and job["spec"].get("managedBy", BUILT_IN) == BUILT_IN:
        yield Complaint(
            beginning + PATH,
            "has no effect: Kubernetes' own Job controller does not read it; name one that does in"
            " managedBy, such as jobsworth.dev/job-controller",
        )


_POLICY = """\
      {"rules": [{"action": "FailJob",
                  "onTerminationReasons": {"operator": "In", "values": ["OOMKilled"]}}]}
"""

RULES = (
    Rule(
        "JW124",
        "termination-rules-wrong",
        severity="warning",
        summary=f"The annotation {ANNOTATION} cannot be used as it is.",
        why="""The API server does not look into annotations, so it accepts whatever stands there. The Job
controller of jobsworth runs a Job with a wrong annotation without it, and says so in an event: the failure
that the rule was written for is then retried like any other.""",
        sources=(KEP,),
        bad=ANNOTATED + _POLICY.replace("OOMKilled", "OOMKilled\", \"OOMKilled") + MANAGED + POD,
        good=ANNOTATED + _POLICY + MANAGED + POD,
        check=_wrong,
    ),
    Rule(
        "JW125",
        "termination-rules-without-effect",
        severity="warning",
        summary=f"A Job has the annotation {ANNOTATION}, and no controller that reads it.",
        why="""Rules on the reason for which a container ended (`OOMKilled`) are not part of Kubernetes. Only
the controller that `managedBy` names can follow them; the built-in one does not know the annotation.""",
        sources=(MANAGED_BY,),
        bad=ANNOTATED + _POLICY + MANAGED.replace("  managedBy: jobsworth.dev/job-controller\n", "") + POD,
        good=ANNOTATED + _POLICY + MANAGED + POD,
        check=_without_effect,
    ),
)  # fmt: skip
