"""Near misses: objects that were meant to be a Job or CronJob, and that no API server takes for one.

A file is searched for Jobs by apiVersion and kind, so a slip in one of the two would hide the object from
every other rule. What is certain rests on one fact: the name of a group with custom resources has a dot
(ValidateCustomResourceDefinition, Kubernetes 1.36: "should be a domain with at least one dot"), so of a group
without one, such as ``batch``, ``apps`` or the core, all kinds are known.
"""

from __future__ import annotations

from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.near_names import fold, slips

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jobsworth.findings.finding import Severity

CODE, NAME = "JW320", "near-miss"

GROUP, API_VERSION = "batch", "batch/v1"
KIND_NAMES = {"job": "Job", "cronjob": "CronJob", "scheduledjob": "CronJob"}
"""Our kinds by their names in small letters; ScheduledJob is what CronJob was called until 1.5."""

REMOVED = {"batch/v1beta1": "1.25", "batch/v2alpha1": "1.21"}
"""The release from which an old version of CronJob is no longer served (deprecation guide)."""

RESERVED_GROUPS = ("batch.k8s.io", "batch.kubernetes.io")
"""Groups that sound like Kubernetes' own and have no Job."""

TEMPLATE_MARKS = ("{{", "{%")


def near_miss(value: Any) -> Finding | None:
    """What is to be said of an object that is neither a Job nor a CronJob of ``batch/v1``.

    Returns:
        An error where no API server accepts the object as any kind; a warning where the object could be
        something else; None where it is plainly something else, such as a Job of ``batch.volcano.sh``.

    >>> near_miss({"apiVersion": "batch/v1", "kind": "Jobb"})
    <error JW320 kind: the API server has no Jobb in batch/v1; write kind: Job>
    >>> near_miss({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job"})
    """
    if not isinstance(value, dict):
        return None
    version_key, kind_key = _key(value, "apiVersion"), _key(value, "kind")
    version, kind = value.get(version_key), value.get(kind_key)
    if not isinstance(kind, str):
        kind = ""
    if not isinstance(version, str) or not version:
        return _without_version() if kind in KIND_NAMES.values() else None
    if any(mark in version or mark in kind for mark in TEMPLATE_MARKS):
        return None
    group = version.partition("/")[0] if version.count("/") == 1 else ""
    meant = meant_kind(kind)
    if group == GROUP:
        if not kind:
            return _finding("kind", "there is no kind; write kind: Job or kind: CronJob")
        if meant is None and kind.endswith("List"):
            return None
    elif meant is None or "." in group:
        return _of_reserved_group(version, kind) if group in RESERVED_GROUPS else None
    if (version_key, kind_key) != ("apiVersion", "kind"):
        return _wrong_key(version_key, kind_key)
    return _no_such_kind(version, kind, meant)


def meant_kind(kind: str) -> str | None:
    """Our kind of this name, in any case, with at most one slip; None if it is none of ours.

    >>> meant_kind("cronjob"), meant_kind("Jobb"), meant_kind("Cron-Job"), meant_kind("Pod")
    ('CronJob', 'Job', 'CronJob', None)
    """
    folded = fold(kind)
    if folded in KIND_NAMES:
        return KIND_NAMES[folded]
    return next((KIND_NAMES[name] for name in KIND_NAMES if slips(folded, name, 1) <= 1), None)


def _key(value: dict[str, Any], name: str) -> str:
    """The key under which a field was probably meant: its name, or one that differs in case only."""
    if name in value:
        return name
    for key in value:
        if isinstance(key, str) and fold(key) == name.lower():
            return key
    return name


def _no_such_kind(version: str, kind: str, meant: str | None) -> Finding:
    edits, wanted = [], []
    if version != API_VERSION:
        wanted.append(f"apiVersion: {API_VERSION}")
        edits.append(Edit("set", "apiVersion", API_VERSION))
    if kind != meant:
        wanted.append(f"kind: {meant or 'Job or kind: CronJob'}")
        edits.append(Edit("set", "kind", meant))
    since = REMOVED.get(version, "") if kind == "CronJob" else ""
    message = f"the API server has no {kind} in {version}"
    if since:
        message += f" since Kubernetes {since}"
    return _finding(
        edits[-1].field,
        f"{message}; write {' and '.join(wanted)}",
        fix=Fix("name a kind that there is", *edits, safe=True) if meant else None,
    )


def _wrong_key(version_key: str, kind_key: str) -> Finding:
    wrong, right = (kind_key, "kind") if kind_key != "kind" else (version_key, "apiVersion")
    return _finding(
        wrong,
        f"the field is spelt {right}, not {wrong}: without it this is no object to the API server",
        fix=Fix(f"rename it to {right}", Edit("rename", wrong, right), safe=True),
    )


def _without_version() -> Finding:
    return _finding(
        "apiVersion",
        f"there is no apiVersion; write apiVersion: {API_VERSION} if this is a Job of Kubernetes",
        severity="warning",
        fix=Fix("name the version", Edit("set", "apiVersion", API_VERSION), safe=False),
    )


def _of_reserved_group(version: str, kind: str) -> Finding | None:
    if kind not in KIND_NAMES.values():
        return None
    return _finding(
        "apiVersion",
        f"Kubernetes has no {kind} in {version}; its own is in {API_VERSION}",
        severity="warning",
        fix=Fix("name Kubernetes' own", Edit("set", "apiVersion", API_VERSION), safe=False),
    )


def _finding(
    field: str, message: str, *, severity: Severity = "error", fix: Fix | None = None
) -> Finding:
    return Finding(
        source="lint",
        severity=severity,
        code=CODE,
        field=field,
        reason=NAME,
        message=message,
        fix=fix,
    )
