"""Rules about the replacement of Pods: whether one may start while its predecessor is ending (KEP-3939)."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import examples
from jobsworth.lint.rule import Complaint, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import Subject

KEP = (
    "https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/"
    "3939-allow-replacement-when-fully-terminated"
)
BLOG = "https://kubernetes.io/blog/2025/09/05/kubernetes-v1-34-pod-replacement-policy-for-jobs-goes-ga/"
REPLACEMENT_PAGE = (
    "https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-replacement-policy"
)


def _implied_replacement(job: Subject) -> Iterator[Complaint]:
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


def _duplicate_index_pods(job: Subject) -> Iterator[Complaint]:
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


_WITH_SUBDOMAIN = """\
  template:
    spec:
      restartPolicy: Never
      subdomain: workers
      containers:
        - name: main
          image: registry.example.com/train:1.4
"""

_IGNORE = """\
    rules:
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: "True"
"""

RULES = (
    Rule(
        "JW123",
        "implied-replacement",
        severity="info",
        summary="A failure policy sets podReplacementPolicy, which is not written.",
        why="""\
Without a failure policy a Job replaces a Pod as soon as it is told to end; with one it waits until the Pod
has ended. On a node that does not answer, or with a long grace period, that can take long. The default
changes in silence, so whoever reads the manifest should be able to see it.""",
        sources=(f"KEP-3939, Defaulting and validation, {KEP}", REPLACEMENT_PAGE),
        bad=examples.job("  podFailurePolicy:\n" + _IGNORE),
        good=examples.job("  podReplacementPolicy: Failed\n  podFailurePolicy:\n" + _IGNORE),
        check=_implied_replacement,
        fixable="safe",
    ),
    Rule(
        "JW210",
        "duplicate-index-pods",
        severity="warning",
        summary="Pods of an Indexed Job that have to be alone with their index can be there twice.",
        why="""\
With podReplacementPolicy: TerminatingOrFailed, the default, a replacement starts when a Pod is told to end,
not when it has. Through its grace period two Pods have the same index: the same hostname, the same part of a
shared volume. Frameworks like TensorFlow and JAX refuse that, and files are written twice. It is reported
where the policy is written, where Pods find each other by hostname (subdomain), and where they write to a
persistent volume claim.""",
        sources=(f"KEP-3939, Motivation, {KEP}", BLOG, REPLACEMENT_PAGE),
        bad=examples.job(examples.INDEXED, _WITH_SUBDOMAIN),
        good=examples.job(examples.INDEXED + "  podReplacementPolicy: Failed\n", _WITH_SUBDOMAIN),
        check=_duplicate_index_pods,
        fixable="unsafe",
    ),
)
