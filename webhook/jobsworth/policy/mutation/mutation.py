"""What the defaults of policies do to an object, as a mutating webhook would leave it.

Of the documents that speak about a request, in their order of precedence, the first that names a field
decides about it alone. The rules that documents add to failure policies are all added, those of the
first document outermost in front.

What is added leaves the object valid: it is judged as the API server would, and a default that brings an
error is left out, with a warning that says which. What follows from a default is done with it: a failure
policy turns ``podReplacementPolicy`` to ``Failed`` and a limit per index the ``backoffLimit`` to what the
server would have made it, where they have the server's default.

Documents may match labels that others fill in: labels are filled in until no other documents match.
To fill in defaults twice changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jobsworth.policy.mutation.apply_defaults import fill_in, fill_in_metadata
from jobsworth.policy.mutation.working_copy import AppliedDefault, RejectedDefault, WorkingCopy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from jobsworth.api.server import ApiServer
    from jobsworth.policy.documents.job_policy import JobPolicy
    from jobsworth.policy.policy_request import PolicyRequest


@dataclass(frozen=True, slots=True)
class Mutation:
    """What came of the defaults.

    Attributes:
        object: the object with them; the very object of the request where there are none.
        applied: what was filled in, in order.
        rejected: what could not be filled in, and why.
        skipped: of the defaults that were not needed or not meant, the policy, field and reason.
    """

    object: dict[str, Any]
    applied: tuple[AppliedDefault, ...] = ()
    rejected: tuple[RejectedDefault, ...] = ()
    skipped: tuple[tuple[str, str, str], ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be filled in, and why, a sentence each for the user."""
        return tuple(map(str, self.rejected))


def default(policies: Sequence[JobPolicy], request: PolicyRequest, server: ApiServer) -> Mutation:
    """Fill in what the documents say; the request's object stays as it is.

    Nothing is filled into an object that is being deleted, or by an update that leaves the spec alone.

    Args:
        policies: the documents, in the order of precedence.
        request: whose object has the API server's defaults.
        server: the API server that sends it, or will.
    """
    if request.object["metadata"].get("deletionTimestamp") or (
        request.old is not None and request.object["spec"] == request.old["spec"]
    ):
        return Mutation(request.object)
    copy = _filled_in(policies, WorkingCopy(request, server, careful=False))
    if copy.has_new_errors():
        copy = _filled_in(policies, WorkingCopy(request, server, careful=True))
    return Mutation(copy.object, tuple(copy.applied), tuple(copy.rejected), tuple(copy.skipped))


def _filled_in(policies: Sequence[JobPolicy], copy: WorkingCopy) -> WorkingCopy:
    matching = _label(policies, copy)
    if matching is not None:
        fill_in(matching, copy)
    return copy


def _label(policies: Sequence[JobPolicy], copy: WorkingCopy) -> list[JobPolicy] | None:
    """Fill in labels and annotations, and give the documents that speak about the outcome.

    None where there is no outcome, because documents undo each other's labels: then nothing is filled in.
    """
    matching = _matching(policies, copy)
    for _ in range(len(policies) + 1):
        before = copy.object
        fill_in_metadata(matching, copy)
        if copy.object is before:
            return matching
        matching = _matching(policies, copy)
    names = ", ".join(policy.name for policy in matching)
    copy.undo(names, "they undo each other's labels, and so no default was filled in")
    return None


def _matching(policies: Sequence[JobPolicy], copy: WorkingCopy) -> list[JobPolicy]:
    request = replace(copy.request, object=copy.object)
    return [
        policy
        for policy in policies
        if policy.defaults is not None and policy.matching.decide(request).applies
    ]
