"""Compare the responses of an API server with the findings of the engine."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jobsworth.findings.finding import Finding

Causes = set[tuple[str | None, str, str]]
"""Field, reason and message of each."""

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
OBJECT = re.compile(r"^([A-Z][a-z]+(?: [a-z]+)*): \{.*\}: ", re.DOTALL)
NONE = re.compile(r'^([A-Z][a-z]+(?: [a-z]+)*): (?:null|"null"): ')
# Until 1.33 the server prints objects and lists in Go's notation, with addresses.
GO_VALUE = re.compile(
    r"^([A-Z][a-z ]+): (?:[\[\]*]*\w+\.|\[\]\w+(?=[{(])|map\[|\d{4}-\d\d-\d\d ).*(?:\}|\(nil\)| UTC): ",
    re.DOTALL,
)
UNKNOWN = re.compile(r'unknown field "([^"]*)"')
# An empty map of resources counts as none: their template is rejected for other reasons anyway.
NOT_FOLLOWED = re.compile(r".*\.ephemeralContainers\[\d+\]\.resources: Forbidden: cannot be set")
GENERATED_LABELS = {
    "controller-uid",
    "job-name",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
}


def normal(message: str, manifest: dict[str, Any]) -> str:
    """A message without what the server made up, and without the text of whole objects."""
    meta = manifest.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    if not meta.get("name") and meta.get("generateName"):
        prefix = meta["generateName"][:58]
        message = re.sub(re.escape(prefix) + "[a-z0-9]{5}", prefix + "xxxxx", message)
    message = OBJECT.sub(r"\1: {}: ", UID.sub("<uid>", message))
    # An empty map counts as none.
    return NONE.sub(r"\1: {}: ", message)


def without_go_value(message: str) -> str:
    """A message with a short value for one that the server printed in Go's notation, with addresses.

    >>> without_go_value('Invalid value: []string{"a"}: must be short')
    'Invalid value: core.Value{}: must be short'
    """
    go = GO_VALUE.match(message)
    return message if go is None else f"{go[1]}: core.Value{{}}: {message[go.end() :]}"


def causes_of(findings: Iterable[Finding], manifest: dict[str, Any]) -> Causes:
    """The engine's errors, as a set that can be compared."""
    return {
        (finding.field, finding.reason, normal(finding.message, manifest))
        for finding in findings
        if finding.severity == "error"
    }


def unlike(theirs: Causes, ours: Causes) -> tuple[Causes, Causes]:
    """The causes that only the server gives, and those that only the engine gives.

    A cause whose bad value the server printed in Go's notation is the engine's where all else is the same.
    """
    missing, surplus = theirs - ours, ours - theirs
    for cause in sorted(missing, key=str):
        field, reason, message = cause
        go = GO_VALUE.match(message)
        if go is None and not NOT_FOLLOWED.match(f"{field}: {message}"):
            continue
        same = {
            our
            for our in surplus
            if go is not None
            and our[:2] == (field, reason)
            and our[2].startswith(go[1])
            and our[2].endswith(message[go.end() :])
        }
        if same or go is None:
            missing.discard(cause)
            surplus -= same
    return missing, surplus


def without_generated(spec: dict[str, Any] | None) -> dict[str, Any]:
    """A Job's spec without the selector and labels that the server generates."""
    spec = json.loads(json.dumps(spec or {}), object_hook=_without_null_time)
    if not spec.get("manualSelector"):
        spec.pop("selector", None)
        meta = spec.get("template", {}).pop("metadata", None) or {}
        meta.pop("creationTimestamp", None)
        labels = meta.pop("labels", None) or {}
        kept = {key: value for key, value in labels.items() if key not in GENERATED_LABELS}
        if kept:
            meta["labels"] = kept
        if meta:
            spec["template"]["metadata"] = meta
    return spec  # type: ignore[no-any-return]


def _without_null_time(value: dict[str, Any]) -> dict[str, Any]:
    """Until Kubernetes 1.33 metadata within an object was printed with a creationTimestamp of null."""
    if value.get("creationTimestamp", "") is None:
        del value["creationTimestamp"]
    return value


def first_difference(theirs: Any, ours: Any, path: str = "") -> str:
    """Return the first difference of two values, in words; empty where they are equal.

    A null is as good as a missing field: until 1.27 the server printed all fields of a failure policy's rules.
    """
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in sorted(theirs.keys() | ours.keys()):
            if theirs.get(name) is None and ours.get(name) is None:
                continue
            if name not in theirs or name not in ours:
                return f"{path}.{name}: server {theirs.get(name, '-')!r}, engine {ours.get(name, '-')!r}"
            found = first_difference(theirs[name], ours[name], f"{path}.{name}")
            if found:
                return found
        return ""
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        parts = (
            first_difference(their, our, f"{path}[{index}]")
            for index, (their, our) in enumerate(zip(theirs, ours, strict=True))
        )
        return next(filter(None, parts), "")
    # 1 and True are equal for Python, not for JSON.
    same = theirs == ours and isinstance(theirs, bool) == isinstance(ours, bool)
    return "" if same else f"{path}: server {theirs!r}, engine {ours!r}"
