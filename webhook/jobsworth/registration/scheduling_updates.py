"""Recognize the updates by which a queueing controller resumes, suspends and places a Job.

Kueue, JobSet and Volcano change ``spec.suspend`` and the scheduling directives of KEP-2926. Every other field
must be unchanged: the condition compares all fields that an object has, so a field that a later release adds
is compared, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.batch.job_update import SCHEDULING_DIRECTIVES
from jobsworth.policy.request import UPDATE
from jobsworth.registration.match_conditions import USER, literal

if TYPE_CHECKING:
    from collections.abc import Sequence

_TEMPLATE = "spec.template"
_CHANGING: dict[str, tuple[str, ...]] = {
    "spec": ("suspend", "template"),
    _TEMPLATE: ("metadata", "spec"),
    f"{_TEMPLATE}.metadata": SCHEDULING_DIRECTIVES["metadata"],
    f"{_TEMPLATE}.spec": ("affinity", *SCHEDULING_DIRECTIVES["spec"]),
    f"{_TEMPLATE}.spec.affinity": SCHEDULING_DIRECTIVES["spec.affinity"],
}
"""By the path of a struct in the Job, the fields that may change, or that have an entry of their own."""


def other_than_scheduling(users: Sequence[str]) -> str:
    """Return the CEL condition that a request is not a mere scheduling update by one of some users.

    Args:
        users: the names of the queueing controllers' users.
    """
    metadata = (_same(f"metadata.{name}", ()) for name in ("labels", "annotations"))
    same = " && ".join([*metadata, *(_same(*each) for each in _CHANGING.items())])
    return (
        f"!(request.operation == {literal(UPDATE)} && request.resource.resource == "
        f"{literal('jobs')} && {USER} in {literal(list(users))} && {same})"
    )


def _same(path: str, but: Sequence[str]) -> str:
    """Return the condition that a struct or map is unchanged, but for some of its fields."""
    new, old = (_or_empty(f"{each}.{path}") for each in ("object", "oldObject"))
    if not but:
        return f"{new} == {old}"
    changing = f"field in {literal(list(but))}"
    return (
        f"{new}.all(field, {changing} || (field in {old} && {new}[field] == {old}[field]))"
        f" && {old}.all(field, {changing} || field in {new})"
    )


def _or_empty(path: str) -> str:
    return f"(has({path}) ? {path} : {{}})"
