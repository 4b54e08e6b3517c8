"""Rules about CronJobs: how runs meet each other, which are left out, and what is kept of them."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import examples
from jobsworth.lint.rule import Complaint, Rule
from jobsworth.lint.rules.parallelism import QUEUE_MARKS
from jobsworth.lint.schedule_timing import shortest_gap, spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import Subject

PAGE = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/"
CONTROLLER = "pkg/controller/cronjob/cronjob_controllerv2.go, syncCronJob, Kubernetes 1.36"
_LEAST_STARTING_DEADLINE = 10
_A_MINUTE = 60


def _forbid_without_deadline(job: Subject) -> Iterator[Complaint]:
    if job.cron is None or job.cron.get("concurrencyPolicy") != "Forbid":
        return
    if "activeDeadlineSeconds" in job.spec or "activeDeadlineSeconds" in job.pod:
        return
    yield Complaint(
        "spec.concurrencyPolicy",
        "a run that hangs keeps all later ones from starting: end it with activeDeadlineSeconds in "
        f"{job.path}",
    )


def _overlap(job: Subject) -> Iterator[Complaint]:
    if job.cron is None or job.cron.get("concurrencyPolicy") != "Allow":
        return
    schedule, deadline = job.schedule, job.spec.get("activeDeadlineSeconds")
    if schedule is None or deadline is None:
        return
    gap = shortest_gap(schedule)
    if gap is None or deadline <= gap:
        return
    yield Complaint(
        "spec.concurrencyPolicy" if "concurrencyPolicy" in job.written["spec"] else "spec.schedule",
        f"a run may last {spelled(deadline)}, and the next may start {spelled(gap)} after it: they "
        "run at the same time; concurrencyPolicy: Forbid leaves out the later one",
        Fix("forbid overlap", Edit("set", "spec.concurrencyPolicy", "Forbid"), safe=False),
    )


def _starting_deadline_too_small(job: Subject) -> Iterator[Complaint]:
    deadline = (job.cron or {}).get("startingDeadlineSeconds")
    if deadline is None or deadline >= _LEAST_STARTING_DEADLINE:
        return
    message = (
        f"a run that the controller comes to {deadline} s late is left out: allow 10 s or more"
    )
    if deadline == 0:
        message = "no run can start in time: allow 10 s or more"
    field = "spec.startingDeadlineSeconds"
    yield Complaint(
        field, message, Fix("allow a minute", Edit("set", field, _A_MINUTE), safe=False)
    )


def _missed_runs_start(job: Subject) -> Iterator[Complaint]:
    if job.cron is None or not job.cron.get("suspend"):
        return
    if "startingDeadlineSeconds" not in job.cron:
        yield Complaint(
            "spec.suspend",
            "when this is set to false, the last of the runs that were missed starts at once, at "
            "whatever time of day: startingDeadlineSeconds says until when it may",
        )


def _no_failed_history(job: Subject) -> Iterator[Complaint]:
    if (job.cron or {}).get("failedJobsHistoryLimit") == 0:
        field = "spec.failedJobsHistoryLimit"
        yield Complaint(
            field,
            "a Job that fails is deleted at once with its Pods and their logs: keep one, as by default",
            Fix("keep one failed Job", Edit("delete", field), safe=False),
        )


def _template_suspended(job: Subject) -> Iterator[Complaint]:
    if job.cron is None or not job.spec.get("suspend") or "managedBy" in job.spec:
        return
    metadata = job.object["spec"]["jobTemplate"]["metadata"]
    keys = (*metadata.get("labels", {}), *metadata.get("annotations", {}))
    if any(mark in key for key in keys for mark in QUEUE_MARKS):
        return
    effect = "each Job waits until somebody resumes it"
    if job.cron.get("concurrencyPolicy") == "Forbid":
        effect += ", and none is made while one waits"
    yield Complaint(f"{job.path}.suspend", f"{effect}; spec.suspend stops the CronJob itself")


def _ttl_beside_history(job: Subject) -> Iterator[Complaint]:
    ttl = job.spec.get("ttlSecondsAfterFinished")
    if job.cron is None or ttl is None:
        return
    written = job.written["spec"]
    limits = [
        f"{name}: {written[name]}"
        for name in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit")
        if written.get(name)
    ]
    if limits:
        yield Complaint(
            f"{job.path}.ttlSecondsAfterFinished",
            f"a Job is deleted after {spelled(ttl)}, also one that {' and '.join(limits)} would keep",
            Fix(
                "leave it to the history limits",
                Edit("delete", f"{job.path}.ttlSecondsAfterFinished"),
                safe=False,
            ),
        )


SCHEDULE = '  schedule: "15 * * * *"\n'
DEADLINE = "      activeDeadlineSeconds: 1800\n"

RULES = (
    Rule(
        "JW409",
        "forbid-without-deadline",
        severity="warning",
        summary="A CronJob forbids overlap, and its Jobs have no deadline.",
        why="""\
With concurrencyPolicy: Forbid no Job is made while another runs. One that hangs, on a lock or on
a connection that nobody closes, therefore ends the CronJob in silence: every later run is left
out, with no failure to alert on. A deadline of the Job, or of its Pods, is what ends it.""",
        sources=(
            CONTROLLER,
            "kubernetes/kubernetes#58748, https://github.com/kubernetes/kubernetes/issues/58748",
        ),
        bad=examples.cron_job(SCHEDULE + "  concurrencyPolicy: Forbid\n"),
        good=examples.cron_job(SCHEDULE + "  concurrencyPolicy: Forbid\n", DEADLINE),
        check=_forbid_without_deadline,
    ),
    Rule(
        "JW410",
        "overlap",
        severity="warning",
        summary="A CronJob allows overlap, and its Jobs may last longer than its period.",
        why="""\
concurrencyPolicy is Allow unless something else is written. The deadline of the Job says how long
it may last, and the schedule starts the next one before that: two runs work on the same data, or
wait for each other, each making the other slower, until they pile up. Nothing is said where no
deadline is known.""",
        sources=(f"Kubernetes, CronJob, Concurrency policy, {PAGE}#concurrency-policy",),
        bad=examples.cron_job('  schedule: "*/10 * * * *"\n', DEADLINE),
        good=examples.cron_job(
            '  schedule: "*/10 * * * *"\n  concurrencyPolicy: Forbid\n', DEADLINE
        ),
        check=_overlap,
        fixable="unsafe",
    ),
    Rule(
        "JW411",
        "starting-deadline-too-small",
        severity="warning",
        summary="startingDeadlineSeconds is below 10.",
        why="""\
A run that is later than this is left out, not started late. The controller may come to it some
seconds late whenever it is busy, restarts or hands over to another, and says so only in a
MissSchedule event. Kubernetes warns of values below 10; with 0 no run can be in time at all.""",
        sources=(
            f"Kubernetes, CronJob, Deadline for delayed Job start, {PAGE}#starting-deadline",
            CONTROLLER,
        ),
        bad=examples.cron_job(SCHEDULE + "  startingDeadlineSeconds: 5\n"),
        good=examples.cron_job(SCHEDULE + "  startingDeadlineSeconds: 300\n"),
        check=_starting_deadline_too_small,
        fixable="unsafe",
    ),
    Rule(
        "JW412",
        "missed-runs-start",
        severity="info",
        summary="A suspended CronJob has no startingDeadlineSeconds.",
        why="""\
Runs that fall due while a CronJob is suspended count as missed. When it is resumed, the last of
them starts immediately: the nightly report at noon, the clean-up in the middle of the incident
for which it was suspended. With a starting deadline it starts only within that time.""",
        sources=(f"Kubernetes, CronJob, Schedule suspension, {PAGE}#schedule-suspension",),
        bad=examples.cron_job(SCHEDULE + "  suspend: true\n"),
        good=examples.cron_job(SCHEDULE + "  suspend: true\n  startingDeadlineSeconds: 300\n"),
        check=_missed_runs_start,
    ),
    Rule(
        "JW413",
        "no-failed-history",
        severity="warning",
        summary="failedJobsHistoryLimit is 0.",
        why="""\
The Job that failed is deleted as soon as the controller sees it, and its Pods with it: no log, no
exit code and no event is left to tell why, and a check for failed Jobs finds none.""",
        sources=(f"Kubernetes, CronJob, Jobs history limits, {PAGE}#jobs-history-limits",),
        bad=examples.cron_job(SCHEDULE + "  failedJobsHistoryLimit: 0\n"),
        good=examples.cron_job(SCHEDULE + "  failedJobsHistoryLimit: 1\n"),
        check=_no_failed_history,
        fixable="unsafe",
    ),
    Rule(
        "JW414",
        "template-suspended",
        severity="warning",
        summary="The Jobs of a CronJob are made suspended.",
        why="""\
The CronJob makes its Jobs, and none starts a Pod until somebody resumes it. They add up, or, with
concurrencyPolicy: Forbid, the first blocks all that follow. Meant is mostly the field of the same
name in the CronJob's own spec. Jobs with a queue of Kueue or with another manager are left alone.""",
        sources=(
            "KEP-2232, https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/2232-suspend-jobs",
            f"Kubernetes, CronJob, Schedule suspension, {PAGE}#schedule-suspension",
        ),
        bad=examples.cron_job(SCHEDULE, "      suspend: true\n"),
        good=examples.cron_job(
            SCHEDULE + "  suspend: true\n  startingDeadlineSeconds: 300\n",
        ),
        check=_template_suspended,
    ),
    Rule(
        "JW415",
        "ttl-beside-history",
        severity="info",
        summary="The Jobs of a CronJob have a time to live beside written history limits.",
        why="""\
Two clean up the same Jobs, and the first wins: with a time to live of an hour,
`failedJobsHistoryLimit: 5` keeps nothing of the failure of last night. Of a CronJob the history
limits are enough.""",
        sources=(
            f"Kubernetes, CronJob, Jobs history limits, {PAGE}#jobs-history-limits",
            "stackrox/kube-linter#963, https://github.com/stackrox/kube-linter/issues/963",
        ),
        bad=examples.cron_job(
            SCHEDULE + "  failedJobsHistoryLimit: 5\n", "      ttlSecondsAfterFinished: 3600\n"
        ),
        good=examples.cron_job(SCHEDULE + "  failedJobsHistoryLimit: 5\n"),
        check=_ttl_beside_history,
        fixable="unsafe",
    ),
)
