"""Fields that a document keeps from changing, which Kubernetes would let change.

A field of the JobSpec or of its Pod is kept in a Job: what a CronJob has of them is for Jobs to come.
A field of the CronJobSpec is kept in a CronJob.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jobsworth.api.equality import equal
from jobsworth.api.errors import invalid, quoted
from jobsworth.policy.language import violation_codes
from jobsworth.policy.language.policy_fields import FIELDS
from jobsworth.policy.violation import Breach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jobsworth.policy.language.problems import Problems
    from jobsworth.policy.policy_request import JobView

METADATA = {"label": "labels", "annotation": "annotations"}


@dataclass(frozen=True, slots=True)
class _Kept:
    """One field that is kept."""

    path: Callable[[JobView], str]
    value: Callable[[JobView], Any]
    concerns: Callable[[JobView], bool]
    unless_suspended: bool
    hint: str


@dataclass(frozen=True, slots=True)
class Immutable:
    """The fields that a document keeps."""

    _kept: tuple[_Kept, ...]

    def judge(self, new: JobView, old: JobView) -> Iterator[Breach]:
        """What an update changes that it may not."""
        for kept in self._kept:
            if not kept.concerns(new) or (kept.unless_suspended and _is_suspended(old)):
                continue
            before, after = kept.value(old), kept.value(new)
            if not equal(before, after):
                yield _changed(kept, new, before, after)


def _is_suspended(view: JobView) -> bool:
    return bool((view.cron or view.spec).get("suspend"))


def _changed(kept: _Kept, new: JobView, before: Any, after: Any) -> Breach:
    circumstances = ", unless it is suspended" if kept.unless_suspended else ""
    was = "unset" if before is None else quoted(before) if _is_short(before) else "otherwise"
    error = invalid("", after, f"may not be changed{circumstances}: it was {was}")
    return Breach(
        violation_codes.IMMUTABLE, kept.path(new), error.reason, error.message, hint=kept.hint
    )


def _is_short(value: Any) -> bool:
    return not isinstance(value, dict | list)


def read(value: Sequence[Any], path: str, problems: Problems) -> Immutable:
    """The fields that a document keeps.

    Args:
        value: well-formed by the schema: names of fields, or mappings.
        path: of the list in the document.
        problems: takes what the schema cannot say.
    """
    entries = [{"field": entry} if isinstance(entry, str) else entry for entry in value]
    seen: list[tuple[str, str]] = []
    for index, entry in enumerate(entries):
        names = [(key, entry[key]) for key in ("field", *METADATA) if key in entry]
        if len(names) != 1:
            problems.add(
                f"{path}[{index}]",
                "must name one field, label or annotation" if not names else "names several things",
                "give each an entry of its own" if names else "",
            )
        elif names[0] in seen:
            problems.add(
                f"{path}[{index}]", f'"{names[0][1]}" stands there already', "remove one of the two"
            )
        seen.extend(names)
    if problems.at_or_below(path):
        return Immutable(())
    return Immutable(tuple(map(_read_entry, entries)))


def _read_entry(entry: dict[str, Any]) -> _Kept:
    unless, hint = bool(entry.get("unlessSuspended")), entry.get("message", "")
    for key, holder in METADATA.items():
        if key in entry:
            return _metadata(holder, entry[key], unless, hint)
    field = FIELDS[entry["field"]]
    kind = "CronJob" if field.scope == "cronJob" else "Job"
    return _Kept(field.path, field.value, lambda view: view.kind == kind, unless, hint)


def _metadata(holder: str, key: str, unless: bool, hint: str) -> _Kept:
    return _Kept(
        lambda view: f"metadata.{holder}[{key}]",
        lambda view: (view.metadata.get(holder) or {}).get(key),
        lambda view: True,
        unless,
        hint,
    )
