"""Rules about the life of a Job: when it is given up, when it is deleted, and what is left of it then."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import examples
from jobsworth.lint.rule import Complaint, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import Subject

TERMINATION_PAGE = (
    "https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup"
)
TTL_PAGE = "https://kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished/"
BACKOFF_PAGE = (
    "https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy"
)
SYNC = "pkg/controller/job/job_controller.go, Kubernetes 1.36"

DAY, HOUR, MINUTE = 86400, 3600, 60
DELETION_MARKS = ("helm.sh/hook", "argocd.argoproj.io/hook")
"""Annotations of Jobs that a deployment tool deletes when they have finished."""


def _no_deadline(job: Subject) -> Iterator[Complaint]:
    if "activeDeadlineSeconds" in job.spec or "activeDeadlineSeconds" in job.pod:
        return
    if job.cron is not None and job.cron.get("concurrencyPolicy") == "Forbid":
        return  # forbid-without-deadline says it, with what comes of it
    yield Complaint(
        f"{job.path}.activeDeadlineSeconds",
        "without a deadline a Pod that hangs, or that cannot start, keeps the Job running for ever",
    )


def _pod_level_deadline(job: Subject) -> Iterator[Complaint]:
    deadline = job.pod.get("activeDeadlineSeconds")
    if deadline is None or "activeDeadlineSeconds" in job.spec:
        return
    at = f"{job.pod_path}.activeDeadlineSeconds"
    yield Complaint(
        at,
        f"this ends each Pod after {deadline} s, and the Job starts the next one; the deadline of the Job "
        f"is {job.path}.activeDeadlineSeconds",
        Fix(
            "move it to the Job",
            Edit("move", at, f"{job.path}.activeDeadlineSeconds"),
            safe=False,
        ),
    )


def _deadline_zero(job: Subject) -> Iterator[Complaint]:
    if job.spec.get("activeDeadlineSeconds") == 0:
        yield Complaint(
            f"{job.path}.activeDeadlineSeconds",
            "a deadline of 0 seconds is over when the Job starts: it fails at once; leave the field out "
            "for none",
        )


def _no_ttl(job: Subject) -> Iterator[Complaint]:
    if job.cron is not None or "ttlSecondsAfterFinished" in job.spec:
        return
    meta = job.written.get("metadata", {})
    marked = any(key.startswith(DELETION_MARKS) for key in meta.get("annotations", {}))
    if marked or meta.get("ownerReferences"):
        return
    at = f"{job.path}.ttlSecondsAfterFinished"
    yield Complaint(
        at,
        "nothing deletes the Job when it has finished: it stays, with its Pods, until somebody does",
        Fix("delete it after a day", Edit("set", at, DAY), safe=False),
    )


def _ttl_too_short(job: Subject) -> Iterator[Complaint]:
    ttl = job.spec.get("ttlSecondsAfterFinished")
    if ttl is None or ttl >= MINUTE:
        return
    at = f"{job.path}.ttlSecondsAfterFinished"
    when = "at once" if ttl == 0 else f"{ttl} s later"
    yield Complaint(
        at,
        f"the Job is deleted {when} when it has finished, and with it its logs, its exit codes, and the "
        "word whether it succeeded",
        Fix("keep it for an hour", Edit("set", at, HOUR), safe=False),
    )


def _onfailure_logs_lost(job: Subject) -> Iterator[Complaint]:
    limit = job.written_spec.get("backoffLimit")
    if limit is None or job.pod.get("restartPolicy") != "OnFailure":
        return
    # Never fails at limit + 1 failures, OnFailure at as many restarts (pastBackoffLimitOnFailure).
    restarts = max(limit, 1)
    number = "the first restart" if restarts == 1 else f"restart {restarts}"
    yield Complaint(
        f"{job.pod_path}.restartPolicy",
        f"with OnFailure backoffLimit counts restarts of all containers: {number} fails the Job and deletes "
        "the running Pods with their logs; Never keeps failed Pods",
    )


def _grace_exceeds_deadline(job: Subject) -> Iterator[Complaint]:
    deadline = job.spec.get("activeDeadlineSeconds")
    grace = job.written_spec["template"]["spec"].get("terminationGracePeriodSeconds")
    if deadline and grace and grace > deadline:
        yield Complaint(
            f"{job.pod_path}.terminationGracePeriodSeconds",
            f"after the deadline of {deadline} s a Pod may take {grace} s more to stop, and the Job has "
            "not failed before it has",
        )


_DEADLINE = "  activeDeadlineSeconds: 3600\n"
_ON_FAILURE = examples.POD.replace("Never", "OnFailure")

RULES = (
    Rule(
        "JW201",
        "no-deadline",
        severity="info",
        summary="A Job has no activeDeadlineSeconds.",
        why="""\
Limits on retries count Pods that fail. One that hangs does not fail, and one that cannot start, for want of
its image or of a node, stays pending; neither is ever counted. Only a deadline ends such a Job, frees what it
holds, and tells somebody.""",
        sources=(TERMINATION_PAGE, "https://github.com/kubernetes/kubernetes/issues/101584"),
        bad=examples.job(""),
        good=examples.job(_DEADLINE),
        check=_no_deadline,
    ),
    Rule(
        "JW202",
        "pod-level-deadline",
        severity="warning",
        summary="activeDeadlineSeconds is set for the Pod, and not for the Job.",
        why="""\
Both have a field of this name. That of the Pod stops one attempt, which then counts as a failure, and the Job
starts another: with the default limit the work takes up to seven times as long as was meant, and pauses in
between.""",
        sources=(TERMINATION_PAGE, SYNC),
        bad=examples.job(
            "",
            examples.POD.replace("Never\n", "Never\n      activeDeadlineSeconds: 3600\n"),
        ),
        good=examples.job(_DEADLINE),
        check=_pod_level_deadline,
        fixable="unsafe",
    ),
    Rule(
        "JW203",
        "deadline-zero",
        severity="warning",
        summary="activeDeadlineSeconds is 0.",
        why="""\
The API server takes 0, and the Job then fails with DeadlineExceeded before its first Pod has done anything.
No deadline is written by leaving the field out.""",
        sources=(f"{SYNC}: pastActiveDeadline", TERMINATION_PAGE),
        bad=examples.job("  activeDeadlineSeconds: 0\n"),
        good=examples.job(_DEADLINE),
        check=_deadline_zero,
    ),
    Rule(
        "JW204",
        "no-ttl",
        severity="info",
        summary="A Job that no CronJob manages has no ttlSecondsAfterFinished.",
        why="""\
Finished Jobs and their Pods stay until somebody deletes them. They pile up in the namespace, slow down the
API server, and in the end the same name cannot be applied again. CronJobs tidy up after themselves, and so
do the hooks of Helm and Argo CD: nothing is said of those.""",
        sources=(TTL_PAGE, "https://github.com/stackrox/kube-linter/issues/963"),
        bad=examples.job(_DEADLINE),
        good=examples.job(_DEADLINE + "  ttlSecondsAfterFinished: 86400\n"),
        check=_no_ttl,
        fixable="unsafe",
    ),
    Rule(
        "JW205",
        "ttl-too-short",
        severity="warning",
        summary="ttlSecondsAfterFinished is less than a minute.",
        why="""\
The Job and its Pods are gone before anybody can read their logs, and before a tool that waits for the Job has
seen how it ended. Argo CD and Helm then wait for ever, or find it missing and create it anew.""",
        sources=(
            TTL_PAGE,
            "https://github.com/argoproj/argo-cd/issues/21055",
            "https://github.com/argoproj/argo-cd/issues/18884",
            "https://github.com/kubernetes/ingress-nginx/pull/13773",
        ),
        bad=examples.job("  ttlSecondsAfterFinished: 0\n"),
        good=examples.job("  ttlSecondsAfterFinished: 86400\n"),
        check=_ttl_too_short,
        fixable="unsafe",
    ),
    Rule(
        "JW206",
        "onfailure-logs-lost",
        severity="warning",
        summary="backoffLimit is set for containers that are restarted inside their Pod.",
        why="""\
With restartPolicy: OnFailure the limit is held against the restarts of all containers in all running Pods of
the Job. When it is reached the running Pods are deleted: there is no failed Pod to look at, and no log. It is
reached one failure earlier than with Never, and with backoffLimit: 0 the program may still be started twice,
as the kubelet restarts it before the Job can say no.""",
        sources=(
            BACKOFF_PAGE,
            f"{SYNC}: pastBackoffLimitOnFailure",
            "https://github.com/kubernetes/kubernetes/issues/74848",
            "https://github.com/kubernetes/kubernetes/issues/54870",
        ),
        bad=examples.job("  backoffLimit: 3\n", _ON_FAILURE),
        good=examples.job("  backoffLimit: 3\n"),
        check=_onfailure_logs_lost,
    ),
    Rule(
        "JW215",
        "grace-exceeds-deadline",
        severity="warning",
        summary="A Pod may take longer to stop than the Job may run.",
        why="""\
At its deadline a Job tells its Pods to end, and each may use up its grace period. The Job is reported as
failed only after that, so with a long grace period the deadline is not the end that it looks like.""",
        sources=(
            "KEP-3939, Tracking the terminating pods",
            TERMINATION_PAGE,
            "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination",
        ),
        bad=examples.job(
            "  activeDeadlineSeconds: 600\n",
            examples.POD.replace("Never\n", "Never\n      terminationGracePeriodSeconds: 3600\n"),
        ),
        good=examples.job(
            "  activeDeadlineSeconds: 7200\n",
            examples.POD.replace("Never\n", "Never\n      terminationGracePeriodSeconds: 60\n"),
        ),
        check=_grace_exceeds_deadline,
    ),
)
