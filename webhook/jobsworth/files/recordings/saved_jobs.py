"""Diagnoses of Jobs, CronJobs and JobSets whose objects are in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from jobsworth.api.api_server import ApiServer
from jobsworth.controller.jobs import KIND
from jobsworth.files.manifest_reading import read_stored
from jobsworth.findings.finding import Finding
from jobsworth.manifests import Document
from jobsworth.runs.recorded.recording_reader import BadRecording
from jobsworth.runs.why.explained import Explained
from jobsworth.runs.why.saved_objects import EXPLAINED, VERSIONS, SavedObjects
from jobsworth.usage_error import InputError

Object = dict[str, Any]

RULES = "spec.podFailurePolicy.rules"


def diagnoses_in(
    paths: Sequence[str],
    server: ApiServer,
    findings: Callable[[Object, frozenset[str]], Sequence[Finding]],
    only: tuple[str, str] | None = None,
) -> Iterator[Explained]:
    """Yield the diagnosis of each Job, CronJob and JobSet in some files that no other of them owns.

    Args:
        findings: returns the findings of some lint rules, by their codes, about a Job.
        only: the kind and name of the one to explain; None for all.

    Raises:
        InputError: a file cannot be read, an object is malformed, or there is nothing to explain.
    """
    saved = SavedObjects()
    documents = {id(value): document for document, value in read_stored(paths, saved.add)}
    chosen = list(saved.explained(only))
    if not chosen:
        raise InputError(_nothing(saved, only))
    for value in chosen:
        document = documents[id(value)]
        try:
            diagnosis = saved.diagnosis(
                value, server, findings, file=document.file, line=document.position("").line
            )
        except BadRecording as problem:
            raise InputError(f"{document.file}: {problem}") from None
        yield Explained(diagnosis, rule_places(document))


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


def _nothing(saved: SavedObjects, only: tuple[str, str] | None) -> str:
    names = [
        f"{kind} {each['metadata'].get('name')}"
        for kind in EXPLAINED
        for each in saved.by_kind.get(kind, ())
    ]
    if only is not None and names:
        return f'no {only[0]} "{only[1]}" in these files; they have {", ".join(names[:10])}'
    for kind, version in saved.other_versions.items():
        given = f'apiVersion "{version}"' if version else "no apiVersion"
        return f"the {kind} in these files has {given}: only {VERSIONS[kind]} is read"
    return (
        "no Job, CronJob or JobSet in these files: save them with kubectl get job,pods,events -o yaml, or "
        "name one of a cluster, such as job/train"
    )
