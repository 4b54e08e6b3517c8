"""Mutation of an object by the defaults of policies, as in the mutating webhook.

Among the policies that match a request, the first in order of precedence that has a default for a field
decides. Rules for failure policies are added from all policies; those of the first policy are the outermost.

Defaults leave the object valid: the object is validated as the API server does, and a default that causes an
error is rejected with a warning. Dependent fields change too, if they have the server's default: a failure
policy sets ``podReplacementPolicy`` to ``Failed``, and ``backoffLimitPerIndex`` sets ``backoffLimit`` as the
server would.

A policy may match labels that another policy sets, so labels are set until no further policy matches.
Applying defaults twice changes nothing. An update of a Job first gets back the immutable fields that defaults
changed at its creation: see :mod:`jobsworth.policy.mutation.immutable_fields`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.policy.defaults import METADATA
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.mutation.apply_defaults import fill_in, fill_in_metadata
from jobsworth.policy.mutation.apply_pod_defaults import fill_in_pod
from jobsworth.policy.mutation.immutable_fields import recorded, restored, with_record
from jobsworth.policy.mutation.working_copy import AppliedDefault, RejectedDefault, WorkingCopy
from jobsworth.policy.places import at
from jobsworth.policy.request import CREATE, PolicyRequest

TEMPLATE = ("spec", "template")


@dataclass(frozen=True, slots=True)
class Mutation:
    """The result of applying defaults.

    Attributes:
        object: the object with defaults; identical to the request's object if none applied.
        applied: the defaults that were set, in order.
        rejected: the defaults that could not be set, with the reason.
        skipped: policy, field and reason of the defaults that were not needed or do not apply.
        kept: the defaults that were not set because it is unknown if a client wrote the field.
        restored: the immutable fields that got their stored value back.
    """

    object: dict[str, Any]
    applied: tuple[AppliedDefault, ...] = ()
    rejected: tuple[RejectedDefault, ...] = ()
    skipped: tuple[tuple[str, str, str], ...] = ()
    kept: tuple[RejectedDefault, ...] = ()
    restored: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings for the user, one sentence for each default that was not set."""
        return tuple(map(str, (*self.rejected, *self.kept)))


def default(policies: Sequence[JobPolicy], request: PolicyRequest, server: ApiServer) -> Mutation:
    """Apply the defaults of policies; the object of the request is not modified.

    An object that is being deleted, and an update that leaves the spec, the labels and the annotations
    unchanged, get no defaults.

    Args:
        policies: the policies, in order of precedence.
        request: the request; its object has the API server's defaults.
        server: the API server that sends the request.
    """
    if request.object["metadata"].get("deletionTimestamp"):
        return Mutation(request.object)
    if request.old is None:
        mutation = _defaulted(policies, request, server)
        return replace(mutation, object=recorded(mutation.object, request))

    def recreated() -> dict[str, Any]:
        created = replace(request, operation=CREATE, old=None)
        return _defaulted(policies, created, server).object

    fields = restored(request, recreated)
    if fields:
        spec = {**request.object["spec"], **fields}
        spec = {name: value for name, value in spec.items() if value is not None}
        request = replace(
            request, object=with_record({**request.object, "spec": spec}, request.old)
        )
    names = tuple(f"spec.{name}" for name in fields)
    if _is_unchanged(request):
        return Mutation(request.object, restored=names)
    mutation = _defaulted(policies, request, server)
    return replace(mutation, restored=(*names, *mutation.restored))


def _is_unchanged(request: PolicyRequest) -> bool:
    new, old = request.object, request.old
    assert old is not None
    return bool(new["spec"] == old["spec"]) and all(
        (new["metadata"].get(part) or {}) == (old["metadata"].get(part) or {}) for part in METADATA
    )


def _defaulted(
    policies: Sequence[JobPolicy], request: PolicyRequest, server: ApiServer
) -> Mutation:
    copy = _filled_in(policies, WorkingCopy(request, server, careful=False))
    if copy.has_new_errors():
        copy = _filled_in(policies, WorkingCopy(request, server, careful=True))
    applied, restored = tuple(copy.applied.values()), tuple[str, ...]()
    if copy.is_job_update:
        # What an update gets of the Pod template is what the stored Job has.
        restored = tuple(one.field for one in applied if one.steps[:2] == TEMPLATE)
        applied = tuple(one for one in applied if one.steps[:2] != TEMPLATE)
        if restored and at(copy.object, TEMPLATE) == at(request.old, TEMPLATE):
            restored = (".".join(TEMPLATE),)
    return Mutation(
        copy.object,
        applied,
        tuple(copy.rejected),
        tuple(copy.skipped),
        tuple(copy.kept),
        restored,
    )


def _filled_in(policies: Sequence[JobPolicy], copy: WorkingCopy) -> WorkingCopy:
    for _ in range(2):
        matching = _label(policies, copy)
        if matching is None:
            break
        fill_in(matching, copy)
        labels = copy.labels
        fill_in_pod(_creating(policies, copy) if copy.is_job_update else matching, copy)
        if copy.labels == labels:
            break
        # The API server gives a Job without labels those of its Pods, which policies may match.
    return copy


def _creating(policies: Sequence[JobPolicy], copy: WorkingCopy) -> list[JobPolicy]:
    """Return the policies that would match the creation of the object."""
    request = replace(copy.request, operation=CREATE, old=None)
    return _matching(policies, copy, request)


def _label(policies: Sequence[JobPolicy], copy: WorkingCopy) -> list[JobPolicy] | None:
    """Set labels and annotations, and return the policies that match the result.

    Return None if the policies overwrite each other's labels without end; then no default is set.
    """
    matching = _matching(policies, copy)
    for _ in range(len(policies) + 1):
        before = copy.object
        fill_in_metadata(matching, copy)
        if copy.object is before:
            return matching
        matching = _matching(policies, copy)
    names = ", ".join(policy.name for policy in matching)
    copy.undo(
        names,
        "these policies overwrite each other's labels, so no default was set; "
        "change their match or their label defaults",
    )
    return None


def _matching(
    policies: Sequence[JobPolicy], copy: WorkingCopy, request: PolicyRequest | None = None
) -> list[JobPolicy]:
    request = replace(request or copy.request, object=copy.object)
    return [
        policy
        for policy in policies
        if policy.defaults is not None and policy.matching.decide(request).applies
    ]
