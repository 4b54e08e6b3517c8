"""Rules about the replacement of Pods: whether one may start while its predecessor is ending (KEP-3939)."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.rule import Complaint, lint_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import Subject


@lint_rule(
    "JW123",
    "implied-replacement",
    severity="info",
    summary="A failure policy sets podReplacementPolicy, which is not written.",
    fixable="safe",
)
def implied_replacement(job: Subject) -> Iterator[Complaint]:
    at = f"{job.path}.podReplacementPolicy"
    if (
        "podFailurePolicy" in job.spec
        and job.rules
        and "podReplacementPolicy" in job.spec
        and "podReplacementPolicy" not in job.written_spec
    ):
        yield Complaint(
            at,
            "the failure policy sets this to Failed in silence: a Pod is replaced only when it has ended, "
            "not as soon as it is terminating",
            Fix("say so", Edit("set", at, "Failed"), safe=True),
        )


@lint_rule(
    "JW210",
    "duplicate-index-pods",
    severity="warning",
    summary="Pods of an Indexed Job that have to be alone with their index can be there twice.",
    fixable="unsafe",
)
def duplicate_index_pods(job: Subject) -> Iterator[Complaint]:
    if not job.indexed or job.spec.get("podReplacementPolicy") != "TerminatingOrFailed":
        return
    why = _identity(job)
    if why or "podReplacementPolicy" in job.written_spec:
        at = f"{job.path}.podReplacementPolicy"
        yield Complaint(
            at,
            f"a replacement starts while the Pod before it still ends, so that an index has two Pods{why}",
            Fix("wait for the end", Edit("set", at, "Failed"), safe=False),
        )


def _identity(job: Subject) -> str:
    """Why a Pod of this Job has to be alone with its index; empty where nothing shows that it has."""
    pod = job.pod
    if pod.get("subdomain"):
        return f", both with its hostname in {pod['subdomain']}"
    claims = {
        volume.get("name")
        for volume in pod.get("volumes", ())
        if "persistentVolumeClaim" in volume and not volume["persistentVolumeClaim"].get("readOnly")
    }
    if claims:
        for _, container in job.containers():
            for mount in container.get("volumeMounts", ()):
                if mount.get("name") in claims and not mount.get("readOnly"):
                    return f", which both write to the volume {mount['name']}"
    return ""
