"""Rules for parallelism, completions and completion indexes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jobsworth.api.batch.job_spec import MAX_PARALLELISM_INDEXED
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.container_start import INDEX_VARIABLE
from jobsworth.lint.hooks import ARGO_HOOK, HELM_HOOK
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.pod_labels import INDEX_KEY
from kube_cel.formats.names import dns_label

QUEUE_MARKS = ("queue", "kueue", "jobset")
"""Substrings of label and annotation keys that assign a Job to a queue or another controller."""

SCHEDULERS = ("volcano.sh/", "yunikorn.apache.org/")
"""Parts of the keys of schedulers, which place Pods and resume no Job."""


@lint_rule(
    "JW207",
    "parallelism-exceeds-completions",
    severity="warning",
    summary="parallelism is larger than completions.",
    fixable="safe",
    confidence="certain",
)
def parallelism_exceeds_completions(job: LintedJob) -> Iterator[Diagnostic]:
    wanted, completions = job.written_spec.get("parallelism"), job.spec.get("completions")
    if wanted is None or not completions or wanted <= completions:
        return
    at = f"{job.path}.parallelism"
    yield Diagnostic(
        at,
        f"At most {completions} of {wanted} Pods run, because the Job has {completions} completions. Set "
        f"parallelism: {completions}.",
        # Unsafe for an Indexed Job: users may scale completions and parallelism together later.
        Fix(
            f"Set parallelism: {completions}",
            Edit("set", at, completions),
            safe=not job.indexed,
        ),
    )


@lint_rule(
    "JW208",
    "paused",
    severity="warning",
    summary="parallelism is 0.",
    confidence="certain",
)
def paused(job: LintedJob) -> Iterator[Diagnostic]:
    if job.spec.get("parallelism") == 0 and job.spec.get("completions") != 0:
        yield Diagnostic(
            f"{job.path}.parallelism",
            "The Job starts no Pod while parallelism is 0. Set parallelism to 1 or more; to pause a Job, use "
            "suspend.",
        )


@lint_rule(
    "JW219",
    "suspended",
    severity="info",
    summary="A Job is created suspended, and no label or annotation names a queue that starts it.",
)
def suspended(job: LintedJob) -> Iterator[Diagnostic]:
    if job.cron is not None or not job.spec.get("suspend") or "managedBy" in job.spec:
        return
    meta = job.written.get("metadata", {})
    keys = (*meta.get("labels", {}), *meta.get("annotations", {}))
    is_hook = HELM_HOOK in job.annotations or ARGO_HOOK in job.annotations  # see JW267
    if not meta.get("ownerReferences") and not _has_queue(keys) and not is_hook:
        yield Diagnostic(
            f"{job.path}.suspend",
            "The Job is created suspended, and no label names a queue that starts it. Set suspend: false, "
            "or add the label of the queue.",
        )


@lint_rule(
    "JW235",
    "never-resumed",
    severity="warning",
    summary="A Job is created suspended, and its queue belongs to a scheduler, which resumes no Job.",
    fixable="unsafe",
    confidence="certain",
)
def never_resumed(job: LintedJob) -> Iterator[Diagnostic]:
    if job.cron is not None or not job.spec.get("suspend") or "managedBy" in job.spec:
        return
    meta, template = job.written.get("metadata", {}), job.template_metadata
    own = [*meta.get("labels", {}), *meta.get("annotations", {})]
    keys = [*own, *template.get("labels", {}), *template.get("annotations", {})]
    scheduled = [key for key in keys if any(each in key for each in SCHEDULERS)]
    if not scheduled or meta.get("ownerReferences") or _has_queue(own):
        return
    at = f"{job.path}.suspend"
    yield Diagnostic(
        at,
        f"{scheduled[0]} names a queue of a scheduler, which places Pods but resumes no Job: the Job never "
        "starts. Set suspend: false.",
        Fix("Set suspend: false", Edit("set", at, False), safe=False),
    )


def _has_queue(keys: Iterable[str]) -> bool:
    """Return True if a label or annotation of a Job names a queue or controller that resumes it."""
    return any(
        mark in key
        for key in keys
        if not any(each in key for each in SCHEDULERS)
        for mark in QUEUE_MARKS
    )


@lint_rule(
    "JW218",
    "completions-zero",
    severity="warning",
    summary="completions is 0.",
    confidence="certain",
)
def completions_zero(job: LintedJob) -> Iterator[Diagnostic]:
    if job.spec.get("completions") == 0:
        yield Diagnostic(
            f"{job.path}.completions",
            "The Job completes immediately and runs no Pod. Set completions to 1 or more.",
        )


@lint_rule(
    "JW209",
    "index-without-indexed",
    severity="warning",
    summary="A Pod uses its completion index, but the Job is not Indexed.",
    fixable="unsafe",
    confidence="certain",
)
def index_without_indexed(job: LintedJob) -> Iterator[Diagnostic]:
    if job.indexed:
        return
    place = _place_of_index(job)
    if place is None:
        return
    at = f"{job.path}.completionMode"
    fix = None
    if _may_be_indexed(job):
        fix = Fix("Set completionMode: Indexed", Edit("set", at, "Indexed"), safe=False)
    path, what = place
    yield Diagnostic(
        path, f"{what}, which only Pods of an Indexed Job have. Set completionMode: Indexed.", fix
    )


def _may_be_indexed(job: LintedJob) -> bool:
    """Return True if the API server accepts the Job with completionMode: Indexed too."""
    completions = job.spec.get("completions")
    if not completions or job.spec.get("parallelism", 1) > MAX_PARALLELISM_INDEXED:
        return False
    # The Jobs of a CronJob have generated names, which the API server does not know yet.
    return job.kind != "Job" or not job.name or not dns_label(f"{job.name}-{completions - 1}")


def _place_of_index(job: LintedJob) -> tuple[str, str] | None:
    """Return the path of the first use of the completion index, and a description of this use."""
    for path, container in job.containers:
        variables = container.get("env", ())
        for index, variable in enumerate(variables):
            if "valueFrom" in variable and _reads_index(variable["valueFrom"]):
                return (
                    f"{path}.env[{index}]",
                    f"{variable.get('name', '')} reads the completion index",
                )
        if INDEX_VARIABLE not in job.text or any(
            variable.get("name") == INDEX_VARIABLE for variable in variables
        ):
            continue
        for field in ("command", "args"):
            for index, text in enumerate(container.get(field, ())):
                if _uses_variable(text):
                    return f"{path}.{field}[{index}]", f"The command uses {INDEX_VARIABLE}"
        for index, variable in enumerate(variables):
            if f"$({INDEX_VARIABLE})" in variable.get("value", ""):
                return f"{path}.env[{index}].value", f"The value uses {INDEX_VARIABLE}"
    return _volume_with_index(job)


def _uses_variable(text: str) -> bool:
    """Return True if a command line requires the index: it has no default such as ``${VAR:-0}``."""
    _, variable, rest = text.partition(INDEX_VARIABLE)
    return bool(variable) and not rest.startswith((":-", ":=", "-", "="))


def _reads_index(source: dict[str, Any]) -> bool:
    return INDEX_KEY in source.get("fieldRef", {}).get("fieldPath", "")


def _volume_with_index(job: LintedJob) -> tuple[str, str] | None:
    for number, volume in enumerate(job.pod.get("volumes", ())):
        files = volume.get("downwardAPI")
        if files and any(map(_reads_index, files.get("items", ()))):
            return f"{job.pod_path}.volumes[{number}]", "The volume reads the completion index"
    return None
