"""Diagnoses of Jobs that were saved, as functions of the library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer
from jobsworth.evaluation.stored_findings import job_findings
from jobsworth.library.arguments import check_type, documents
from jobsworth.library.manifests import Manifest, manifest_of
from jobsworth.live.job_reference import read_reference
from jobsworth.runs.recorded.recording_reader import BadRecording
from jobsworth.runs.why.saved_objects import AnyDiagnosis, SavedObjects


def why_recorded(objects: Iterable[Manifest], reference: str | None = None) -> AnyDiagnosis:
    """Return the same as :func:`jobsworth.why`, from objects that were saved.

    Args:
        objects: a Job with its Pods and Events, as ``kubectl get job,pods,events -o json`` lists them: each a
            mapping with its kind, or a model of the kubernetes package.
        reference: which of several to explain, such as ``job/train``; None if there is one.

    Raises:
        TypeError: an object is neither a mapping nor a model, or has a value without a form in JSON.
        ValueError: an object is malformed, or there is not exactly one to explain.
    """
    if reference is not None:
        check_type("reference", reference, str, "a str such as job/train")
    saved = SavedObjects()
    for number, each in enumerate(documents("objects", objects, "mappings and models")):
        value = manifest_of(each, f"objects[{number}]")
        if not value.get("kind"):
            raise ValueError(
                f"{_name(value)} has no kind: the items of a list do not state theirs, so add it"
            )
        problem = saved.add(value)
        if problem is not None:
            raise ValueError(f"{value['kind']} {_name(value)}: {problem}")
    only = None if reference is None else read_reference(reference, "")
    chosen = list(saved.to_diagnose(None if only is None else (only.kind, only.name)))
    if len(chosen) != 1:
        names = ", ".join(f"{each['kind']} {_name(each)}" for each in chosen[:5]) or "none"
        raise ValueError(f"there must be one object to explain; there are {len(chosen)}: {names}")
    server = ApiServer(NEWEST_RELEASE)
    try:
        return saved.diagnosis(chosen[0], server, job_findings(server))
    except BadRecording as error:
        raise ValueError(str(error)) from None


def _name(value: dict[str, Any]) -> str:
    meta = value.get("metadata")
    name = meta.get("name") if isinstance(meta, dict) else None
    return str(name or "an object")
