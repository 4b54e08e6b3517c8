"""The objects in files instead of a cluster: Jobs to diagnose, their health, entries of a calendar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from jobsworth.api.api_server import ApiServer
from jobsworth.api.stored import stored_problem
from jobsworth.controller.jobs import KIND
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.explained_files import documents_in
from jobsworth.files.manifest_reading import read_stored
from jobsworth.findings.finding import Finding
from jobsworth.manifests import Document
from jobsworth.runs.calendar import CalendarEntry, read_entry
from jobsworth.runs.health.cluster_health import ListedObjects
from jobsworth.runs.recorded.queue_facts import of_kueue
from jobsworth.runs.recorded.recording_reader import BadRecording
from jobsworth.runs.why.answer import Answer
from jobsworth.runs.why.saved_objects import DIAGNOSED_KINDS, VERSIONS, SavedObjects
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import engine_for, kind_of

Object = dict[str, Any]

RULES = "spec.podFailurePolicy.rules"

_WORKLOAD = "Workload"
KINDS = ("CronJob", "Job", "Pod", "Event", _WORKLOAD)


def diagnoses_in(
    paths: Sequence[str],
    server: ApiServer,
    findings: Callable[[Object, frozenset[str]], Sequence[Finding]],
    *,
    only: tuple[str, str] | None = None,
    at: int | None = None,
    namespace: str | None = None,
) -> Iterator[Answer]:
    """Yield the diagnosis of each Job, CronJob and JobSet in some files that no other of them owns.

    Args:
        findings: returns the findings of some lint rules, by their codes, about a Job.
        only: the kind and name of the one to explain; None for all.
        at: the time at which they were saved; None for the last time that they name.
        namespace: that of the objects to explain; None for all.

    Raises:
        InputError: a file cannot be read, an object is malformed, or there is nothing to explain.
    """
    saved = SavedObjects(at)
    documents = {id(value): document for document, value in read_stored(paths, saved.add)}
    chosen = list(saved.to_diagnose(only, namespace))
    if not chosen:
        raise InputError(_nothing(saved, only, namespace))
    for value in chosen:
        document = documents[id(value)]
        try:
            diagnosis = saved.diagnosis(
                value, server, findings, file=document.file, line=document.position("").line
            )
        except BadRecording as problem:
            raise InputError(f"{document.file}: {problem}") from None
        yield Answer(diagnosis, rule_places(document))


def rule_places(document: Document) -> dict[str, str]:
    """Return the file and line of each rule of the failure policy of a Job, by the name of the rule."""
    value = cast("Object", document.value)
    if value.get("kind") != KIND:
        return {}
    policy = (value.get("spec") or {}).get("podFailurePolicy") or {}
    return {
        f"rules[{number}]": f"{document.file}:{document.position(f'{RULES}[{number}]').line}"
        for number in range(len(policy.get("rules") or ()))
    }


def _nothing(saved: SavedObjects, only: tuple[str, str] | None, namespace: str | None) -> str:
    within = "" if namespace is None else f" in namespace {namespace}"
    found = [
        (kind, each["metadata"].get("namespace") or "default", each["metadata"].get("name"))
        for kind in DIAGNOSED_KINDS
        for each in saved.by_kind.get(kind, ())
    ]
    several = within or len({each[1] for each in found}) > 1
    names = [
        f"{kind} {space}/{name}" if several else f"{kind} {name}" for kind, space, name in found
    ]
    if (only is not None or within) and names:
        wanted = "object" if only is None else f'{only[0]} "{only[1]}"'
        return f"no {wanted}{within} in these files; they have {', '.join(names[:10])}"
    for kind, version in saved.other_versions.items():
        given = f'apiVersion "{version}"' if version else "no apiVersion"
        return f"the {kind} in these files has {given}: only {VERSIONS[kind]} is read"
    return (
        "no Job, CronJob or JobSet in these files: save them with kubectl get job,pods,events -o yaml, or "
        "name one of a cluster, such as job/train"
    )


def listed_in(paths: Sequence[str]) -> ListedObjects:
    """Return the CronJobs, Jobs, Pods and Events in some files.

    Pods and Events count as not listed if the files have none of them.

    Raises:
        InputError: a file cannot be read, an object is malformed, or there is neither a CronJob nor a Job.
    """
    found: dict[str, list[Object]] = {}
    for _, value in read_stored(paths, _problem_of_listed):
        if _is_listed(value):
            found.setdefault(value["kind"], []).append(value)
    if not found.keys() & {"CronJob", "Job"}:
        raise InputError(
            "no CronJob or Job in these files: save them with "
            "kubectl get cronjobs,jobs,pods,events -A -o yaml --show-managed-fields"
        )
    return ListedObjects(
        cron_jobs=found.get("CronJob", ()),
        jobs=found.get("Job", ()),
        pods=found.get("Pod"),
        events=found.get("Event"),
        workloads=found.get(_WORKLOAD, ()),
    )


def _problem_of_listed(value: Object) -> str | None:
    return stored_problem(value["kind"], value) if _is_listed(value) else None


def _is_listed(value: Object) -> bool:
    kind = value.get("kind")
    return kind in KINDS and (kind != _WORKLOAD or of_kueue(value))


def entries_in(
    configurations: Configurations,
    paths: Sequence[str],
    start: int,
    leave_out: Callable[[str], None],
) -> Iterator[CalendarEntry]:
    """Yield the valid CronJobs under some paths.

    Args:
        start: the start of the calendar, in seconds since 1970.
        leave_out: reports a file that is unreadable, or a CronJob that the API server rejects.

    Raises:
        UsageError: a configuration is wrong.
    """
    for read in documents_in(configurations, paths):
        if read.job is None:
            if read.result is None:
                leave_out(str(read.error))
            elif read.result.kind == "CronJob":
                errors = [each for each in read.result.findings if each.finding.severity == "error"]
                line = errors[0].line if errors else 1
                words = (
                    f": {errors[0].finding.field}: {errors[0].finding.message}" if errors else ""
                )
                leave_out(f"{read.result.file}:{line}: the API server rejects this CronJob{words}")
            continue
        document = read.job.document
        if kind_of(document.value).name == "CronJob":
            defaulted = engine_for(read.job.server).default(document.value)
            place = f"{document.file}:{document.position('').line}"
            yield read_entry(defaulted, start, place=place)
