"""Rules for the marks by which queues and gang schedulers find Jobs: on the right object, and complete."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.controller.well_known_names import OUR_MANAGER
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import POD_GROUP, part
from jobsworth.lint.rules.pod_annotations import moved_mark

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
KUEUE_LABELS = (QUEUE_LABEL, "kueue.x-k8s.io/priority-class")
"""The labels that Kueue reads on Jobs."""

SCHEDULER_MARKS = {
    "scheduling.volcano.sh/queue-name": ("Volcano", ("annotations",)),
    "yunikorn.apache.org/queue": ("YuniKorn", ("labels", "annotations")),
    "yunikorn.apache.org/app-id": ("YuniKorn", ("labels", "annotations")),
}
"""The marks of queues that schedulers read on Pods: the scheduler, and where it reads each.

Sources: buildPodGroupFromPod in pkg/controllers/podgroup of Volcano, which inherits from the owner of a Pod
only keys that begin with volcano.sh/, and GetQueueNameFromPod in pkg/common/utils of YuniKorn's shim.
"""

GROUP_ANNOTATIONS = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name")
"""The annotations by which Volcano finds the PodGroup of a Pod."""
DEFAULT_SCHEDULER = "default-scheduler"
MIN_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism"
EQUAL_COMPLETIONS = "kueue.x-k8s.io/job-completions-equal-parallelism"
"""The annotations of Jobs that Kueue's webhook validates."""
TRUE = ("1", "t", "T", "TRUE", "true", "True")
"""What ``strconv.ParseBool`` reads as true."""


@lint_rule(
    "JW248",
    "queue-label-misplaced",
    severity="warning",
    summary="The name of a queue is where its controller or scheduler does not read it.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.a_mark(*KUEUE_LABELS, *SCHEDULER_MARKS),
)
def queue_label_misplaced(job: LintedJob) -> Iterator[Diagnostic]:
    yield from _label_of_kueue_misplaced(job)
    yield from _mark_of_scheduler_misplaced(job)


def _label_of_kueue_misplaced(job: LintedJob) -> Iterator[Diagnostic]:
    own = job.written.get("metadata", {})
    if job.cron is None:
        right, holder, noun = "metadata", own, "the Job"
    else:
        right = "spec.jobTemplate.metadata"
        holder = job.written["spec"]["jobTemplate"].get("metadata", {})
        noun = "the Job template"
    wrong = [(f"{job.path}.template.metadata", job.template_metadata)]
    if job.cron is not None:
        wrong.append(("metadata", own))
    for label in KUEUE_LABELS:
        if label in holder.get("labels", {}) or label in holder.get("annotations", {}):
            continue
        for path, metadata in wrong:
            if label not in metadata.get("labels", {}):
                continue
            field = f"{path}.labels[{label}]"
            what = "queue" if label == QUEUE_LABEL else "priority"
            yield Diagnostic(
                field,
                f"Kueue reads the {what} of a Job on {noun}, and not here: the Job starts without it, or "
                f"stays suspended where Kueue manages all Jobs. Move the label to {right}.labels.",
                Fix(
                    f"Move the label to {noun}",
                    *moved_mark(metadata, "labels", field, f"{right}.labels[{label}]"),
                    safe=False,
                ),
            )
            break


def _mark_of_scheduler_misplaced(job: LintedJob) -> Iterator[Diagnostic]:
    template = f"{job.path}.template.metadata"
    holders = [("metadata", job.written.get("metadata", {})), (template, job.template_metadata)]
    if job.cron is not None:
        inner = job.written["spec"]["jobTemplate"].get("metadata", {})
        holders.insert(1, ("spec.jobTemplate.metadata", inner))
    for key, (scheduler, read) in SCHEDULER_MARKS.items():
        if any(key in job.template_metadata.get(kind, {}) for kind in read):
            continue
        written = [
            (path, kind, metadata)
            for path, metadata in holders
            for kind in ("labels", "annotations")
            if key in metadata.get(kind, {})
        ]
        if not written:
            continue
        path, kind, metadata = written[0]
        right = kind if kind in read else read[0]
        field, to = f"{path}.{kind}[{key}]", f"{template}.{right}[{key}]"
        yield Diagnostic(
            field,
            f"{scheduler} reads this in the {' and '.join(read)} of Pods, and not here: the Pods run in its "
            f"default queue, or wait. Move it to {template}.{right}.",
            Fix("Move it to the Pod template", *moved_mark(metadata, kind, field, to), safe=False),
        )


@lint_rule(
    "JW234",
    "two-queues",
    severity="warning",
    summary="A Job waits in a queue of Kueue, and its Pods in a queue of Volcano or YuniKorn.",
    needs=needs.a_mark(QUEUE_LABEL),
)
def two_queues(job: LintedJob) -> Iterator[Diagnostic]:
    holder = job.written.get("metadata", {})
    if job.cron is not None:
        holder = job.written["spec"]["jobTemplate"].get("metadata", {})
    if QUEUE_LABEL not in holder.get("labels", {}):
        return
    for key, (scheduler, read) in SCHEDULER_MARKS.items():
        for kind in read:
            if key in job.template_metadata.get(kind, {}):
                yield Diagnostic(
                    f"{job.path}.template.metadata.{kind}[{key}]",
                    f"Kueue counts the Job in its quota from its start on, and {scheduler} may let the Pods "
                    "wait in a queue of its own meanwhile: the quota is used by a Job that does not run. "
                    "Queue the Job in one of them.",
                )
                return


@lint_rule(
    "JW249",
    "group-without-scheduler",
    severity="warning",
    summary="Pods belong to a group, but are scheduled one by one.",
    fixable="unsafe",
    needs=needs.a_mark_or_scheduling(*GROUP_ANNOTATIONS),
)
def group_without_scheduler(job: LintedJob) -> Iterator[Diagnostic]:
    if "scheduling" in job.spec and job.spec.get("managedBy") == OUR_MANAGER:
        yield Diagnostic(
            f"{job.path}.scheduling",
            f"{OUR_MANAGER} creates no Workload and no PodGroup, so that each Pod is placed alone. Remove "
            "managedBy to leave the Job to the built-in controller, or remove scheduling.",
        )
    annotations = job.template_metadata.get("annotations", {})
    if job.pod.get("schedulerName", DEFAULT_SCHEDULER) != DEFAULT_SCHEDULER:
        return
    for key in GROUP_ANNOTATIONS:
        if key in annotations:
            at = f"{job.pod_path}.schedulerName"
            yield Diagnostic(
                f"{job.path}.template.metadata.annotations[{key}]",
                "The default scheduler ignores the group and places each Pod alone, so that a part of the "
                "group may hold its devices and wait for the rest. Set schedulerName: volcano.",
                Fix("Set schedulerName: volcano", Edit("set", at, "volcano"), safe=False),
            )
            return


@lint_rule(
    "JW710",
    "group-larger-than-job",
    severity="warning",
    summary="The PodGroup of a Job waits for more Pods than the Job starts at a time.",
    needs=needs.a_mark(*GROUP_ANNOTATIONS),
)
def group_larger_than_job(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None:
        return
    annotations = job.template_metadata.get("annotations", {})
    pods = job.spec.get("parallelism")
    completions = job.spec.get("completions")
    if pods is None:
        return
    if completions is not None:
        pods = min(pods, completions)
    for key in GROUP_ANNOTATIONS:
        for group in job.neighbors.reachable(POD_GROUP, annotations.get(key, ""), job.namespace):
            least = part(group.value, "spec", "minMember")
            if isinstance(least, int) and least > pods > 0:
                yield Diagnostic(
                    f"{job.path}.template.metadata.annotations[{key}]",
                    f"The PodGroup {group.name}{group.place} starts no Pod before {least} exist (minMember), "
                    f"and the Job creates {pods} at a time: they wait forever, unless other Pods belong to "
                    "the group. Set minMember and parallelism to the same number.",
                )
                return


@lint_rule(
    "JW268",
    "kueue-annotation",
    severity="warning",
    summary="Kueue's webhook rejects a Job for an annotation that its parallelism or mode contradicts.",
    confidence="certain",
    needs=needs.a_mark(MIN_PARALLELISM, EQUAL_COMPLETIONS),
)
def kueue_annotation(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: validateCreate in pkg/controller/jobs/job/job_webhook.go, Kueue 0.19."""
    path, holder = "metadata", job.written.get("metadata", {})
    if job.cron is not None:
        path = "spec.jobTemplate.metadata"
        holder = job.written["spec"]["jobTemplate"].get("metadata", {})
    annotations = holder.get("annotations", {})
    parallelism, completions = job.spec.get("parallelism", 1), job.spec.get("completions")
    least = annotations.get(MIN_PARALLELISM)
    if least is not None:
        pods = parallelism if completions is None else min(parallelism, completions)
        is_number = least.isascii() and least.isdecimal()
        if not is_number or not 0 < int(least[:10]) < pods:
            yield Diagnostic(
                f"{path}.annotations[{MIN_PARALLELISM}]",
                f"Kueue rejects the Job: the least parallelism must be a number from 1 to {pods - 1}, less "
                f"than its {pods} Pods. Lower it, or remove the annotation.",
            )
    if annotations.get(EQUAL_COMPLETIONS) in TRUE:
        field = f"{path}.annotations[{EQUAL_COMPLETIONS}]"
        if job.spec.get("completionMode", "NonIndexed") == "NonIndexed":
            yield Diagnostic(
                field,
                "Kueue rejects the Job: completions can follow parallelism in an Indexed Job only. Set "
                "completionMode: Indexed, or remove the annotation.",
            )
        elif parallelism != (1 if completions is None else completions):
            yield Diagnostic(
                field,
                "Kueue rejects the Job: with this annotation completions must equal parallelism. Set both to "
                "the same number.",
            )
