"""Likely typos of kind or apiVersion in objects that were meant to be a Job or CronJob.

jobsworth finds Jobs in a file by apiVersion and kind, so a typo in one of them would hide the object from
every other rule. The finding is an error only in a group whose kinds are all known. The name of a group of
custom resources contains a dot (ValidateCustomResourceDefinition, Kubernetes 1.36: "should be a domain with
at least one dot"), so these are the groups without a dot, such as ``batch``, ``apps`` or the core group.
"""

from __future__ import annotations

from typing import Any

from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.near_names import fold, slips
from jobsworth.findings.odd_characters import named
from jobsworth.lint.lint_rule import Rule

NEAR_MISS = Rule(
    "JW320",
    "near-miss",
    severity="error",
    summary="A likely typo in kind or apiVersion of a Job or CronJob: the API server has no such kind.",
    fixable="safe",
)

GROUP, API_VERSION = "batch", "batch/v1"
KIND_NAMES = {"job": "Job", "cronjob": "CronJob", "scheduledjob": "CronJob"}
"""Supported kinds by their lowercase names; ScheduledJob is the name of CronJob until Kubernetes 1.5."""

REMOVED = {"batch/v1beta1": "1.25", "batch/v2alpha1": "1.21"}
"""The release that stopped serving a version of CronJob (deprecated API migration guide)."""

RESERVED_GROUPS = ("batch.k8s.io", "batch.kubernetes.io")
"""Reserved groups of Kubernetes without a Job."""

WITHOUT_HISTORY_DEFAULTS = "batch/v2alpha1"
"""The version that had no default for the history limits (pkg/apis/batch/v2alpha1/defaults.go); later ones
keep 3 successful and 1 failed Job."""
HISTORY_LIMITS = ("successfulJobsHistoryLimit", "failedJobsHistoryLimit")
FEWER_KEPT = "(it keeps 3 successful and 1 failed Job, unless the history limits say otherwise)"

TEMPLATE_MARKS = ("{{", "{%")

TOP_FIELDS = ("apiVersion", "kind", "metadata", "spec")
"""The fields at the top of a manifest of a Job or CronJob."""


def is_object(value: object) -> bool:
    """Return True for a document that is an object of Kubernetes, of any kind."""
    return isinstance(value, dict) and "apiVersion" in value and "kind" in value


def near_miss(value: Any) -> Finding | None:
    """Return the finding for an object that is neither a Job nor a CronJob of ``batch/v1``.

    Returns:
        An error if no API server has such a kind; a warning if the object could be of another kind; None
        if it clearly is of another kind, such as a Job of ``batch.volcano.sh``.

    >>> near_miss({"apiVersion": "batch/v1", "kind": "Jobb"})
    <error JW320 kind: The API server has no kind Jobb in batch/v1. Set kind: Job.>
    >>> near_miss({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job"})
    """
    if not isinstance(value, dict):
        return None
    version_key, kind_key = _key(value, "apiVersion"), _key(value, "kind")
    version, kind = value.get(version_key), value.get(kind_key)
    if not isinstance(kind, str):
        kind = ""
    if not isinstance(version, str) or not version:
        # Other files have a key `kind`, too, such as the values of a Helm chart.
        is_object = kind in KIND_NAMES.values() and not value.keys().isdisjoint(
            ("metadata", "spec")
        )
        return _without_version() if is_object else None
    if any(mark in version or mark in kind for mark in TEMPLATE_MARKS):
        return None
    group = version.partition("/")[0] if version.count("/") == 1 else ""
    meant = meant_kind(kind)
    if group == GROUP:
        if not kind:
            return NEAR_MISS.finding("kind", "The kind is missing. Set kind: Job or kind: CronJob.")
        if meant is None and kind.endswith("List"):
            return None
    elif meant is None or "." in group:
        return _of_reserved_group(version, kind) if group in RESERVED_GROUPS else None
    if (version_key, kind_key) != ("apiVersion", "kind"):
        return _wrong_keys(value)
    return _no_such_kind(version, kind, meant, safe=_keeps_defaults(version, value.get("spec")))


def _keeps_defaults(version: str, spec: Any) -> bool:
    """Return True if batch/v1 has the defaults of a version, or the object sets those that differ."""
    if version != WITHOUT_HISTORY_DEFAULTS:
        return True
    return isinstance(spec, dict) and all(spec.get(name) is not None for name in HISTORY_LIMITS)


def meant_kind(kind: str) -> str | None:
    """Return Job or CronJob for a name with other case or at most one typo; None for other names.

    >>> meant_kind("cronjob"), meant_kind("Jobb"), meant_kind("Cron-Job"), meant_kind("Pod")
    ('CronJob', 'Job', 'CronJob', None)
    """
    folded = fold(kind)
    if folded in KIND_NAMES:
        return KIND_NAMES[folded]
    return next((KIND_NAMES[name] for name in KIND_NAMES if slips(folded, name, 1) <= 1), None)


def _key(value: dict[str, Any], name: str) -> str:
    """Return the key that was probably meant as a field: its name, or a key that differs in case only."""
    if name in value:
        return name
    for key in value:
        if isinstance(key, str) and fold(key) == name.lower():
            return key
    return name


def _visible(name: str) -> str:
    """Return a name, in quotes if there are spaces around it, which nobody would see."""
    return name if name == name.strip() else f'"{name}"'


def _no_such_kind(version: str, kind: str, meant: str | None, *, safe: bool) -> Finding:
    edits, wanted = [], []
    if version != API_VERSION:
        wanted.append(f"apiVersion: {API_VERSION}")
        edits.append(Edit("set", "apiVersion", API_VERSION))
    if kind != meant:
        wanted.append(f"kind: {meant or 'Job or kind: CronJob'}")
        edits.append(Edit("set", "kind", meant))
    since = REMOVED.get(version, "") if kind == "CronJob" else ""
    message = f"The API server has no kind {_visible(kind)} in {_visible(version)}"
    if since:
        message += f" since Kubernetes {since}"
    odd = named(kind + version)
    title = f"Set {' and '.join(wanted)}"
    return NEAR_MISS.finding(
        edits[-1].field,
        f"{message}. {title}{f', without {odd}' if odd else ''}.",
        fix=Fix(title if safe else f"{title} {FEWER_KEPT}", *edits, safe=safe) if meant else None,
    )


def _wrong_keys(value: dict[str, Any]) -> Finding:
    """Return the finding for keys that differ from the fields at the top by case or separators only."""
    from jobsworth.wording import listing

    meant = {key: name for name in TOP_FIELDS if (key := _key(value, name)) != name}
    wrong = [key for key in value if key in meant]
    right = [meant[key] for key in wrong]
    fields, are = ("field", "is") if len(wrong) == 1 else ("fields", "are")
    title = f"Rename {listing([f'{key} to {meant[key]}' for key in wrong])}"
    return NEAR_MISS.finding(
        wrong[0],
        f"The API server does not know the {fields} {listing(wrong)}, and {listing(right)} {are} missing. "
        f"{title}.",
        fix=Fix(title, *(Edit("rename", key, meant[key]) for key in wrong), safe=True),
    )


def _without_version() -> Finding:
    return NEAR_MISS.finding(
        "apiVersion",
        f"The apiVersion is missing. Set apiVersion: {API_VERSION} if this is a Kubernetes Job or CronJob.",
        severity="warning",
        fix=Fix(
            f"Set apiVersion: {API_VERSION}", Edit("set", "apiVersion", API_VERSION), safe=False
        ),
    )


def _of_reserved_group(version: str, kind: str) -> Finding | None:
    if kind not in KIND_NAMES.values():
        return None
    return NEAR_MISS.finding(
        "apiVersion",
        f"Kubernetes has no kind {kind} in {version}. Set apiVersion: {API_VERSION} if you mean the built-in "
        f"{kind}.",
        severity="warning",
        fix=Fix(
            f"Set apiVersion: {API_VERSION}", Edit("set", "apiVersion", API_VERSION), safe=False
        ),
    )
