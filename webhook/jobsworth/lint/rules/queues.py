"""Rules for the marks by which queues and gang schedulers find Jobs: on the right object, and complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.neighbors import POD_GROUP, part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import LintedJob

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
GROUP_ANNOTATIONS = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name")
"""The annotations by which Volcano finds the PodGroup of a Pod."""
DEFAULT_SCHEDULER = "default-scheduler"


def applies(job: LintedJob) -> bool:
    metadata = job.template_metadata
    return (
        "annotations" in metadata
        or "labels" in metadata
        or "labels" in job.written.get("metadata", ())
    )


@lint_rule(
    "JW248",
    "queue-label-misplaced",
    severity="warning",
    summary="The label of a Kueue queue is not on the Job, but on its CronJob or its Pod template.",
    fixable="unsafe",
)
def queue_label_misplaced(job: LintedJob) -> Iterator[Diagnostic]:
    own = job.written.get("metadata", {})
    if job.cron is None:
        right, holder, noun = "metadata", own, "the Job"
    else:
        right = "spec.jobTemplate.metadata"
        holder = job.written["spec"]["jobTemplate"].get("metadata", {})
        noun = "the Job template"
    if QUEUE_LABEL in holder.get("labels", {}) or QUEUE_LABEL in holder.get("annotations", {}):
        return
    wrong = [(f"{job.path}.template.metadata", job.template_metadata)]
    if job.cron is not None:
        wrong.append(("metadata", own))
    for path, metadata in wrong:
        if QUEUE_LABEL not in metadata.get("labels", {}):
            continue
        field = f"{path}.labels[{QUEUE_LABEL}]"
        yield Diagnostic(
            field,
            f"Kueue reads the queue of a Job on {noun}, and not here: the Job starts without the queue, or "
            f"stays suspended where Kueue manages all Jobs. Move the label to {right}.labels.",
            Fix(
                f"Move the label to {noun}",
                Edit("move", field, f"{right}.labels[{QUEUE_LABEL}]"),
                safe=False,
            ),
        )
        return


@lint_rule(
    "JW249",
    "group-without-scheduler",
    severity="warning",
    summary="Pods belong to a group of Volcano, but the default scheduler places them.",
    fixable="unsafe",
)
def group_without_scheduler(job: LintedJob) -> Iterator[Diagnostic]:
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
