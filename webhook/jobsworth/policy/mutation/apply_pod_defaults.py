"""Apply the defaults of policies to the Pod template.

A template that a controller owns is the controller's: the CronJob of a Job, its JobSet or another owner has
the defaults, or its manifest sets them. The template of an existing Job does not change: a default is set in
an update only where the stored Job has its value, which a client does not send that applies its own manifest
again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jobsworth.policy.defaults import ALWAYS, IF_UNSET
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.mutation.apply_defaults import UNKNOWN_WRITER, with_defaults
from jobsworth.policy.mutation.working_copy import WorkingCopy
from jobsworth.policy.places import Change, Steps, at, field_path
from jobsworth.policy.pod_defaults import SERVER_DEFAULTS, PodDefault
from jobsworth.policy.request import UPDATE

OWNED = "a controller owns the object, and with it the Pod template"


def fill_in_pod(policies: Sequence[JobPolicy], copy: WorkingCopy) -> None:
    """Set the defaults of the Pod template."""
    if not any(defaults.pod for _, defaults in with_defaults(policies)):
        return
    template = (*copy.job, "template")
    owner = next(_controllers(copy), None)
    if owner is not None:
        for policy, defaults in with_defaults(policies):
            if defaults.pod:
                copy.skip(policy, field_path(template), f"{OWNED}: {owner}")
        return
    if copy.request.operation == UPDATE and copy.request.kind == "CronJob":
        job = copy.job[:-1]
        if at(copy.object, job) == at(copy.request.old, job):
            return
    decided: dict[Steps, str] = {}
    restored: list[tuple[str, Change]] = []
    before = copy.object
    for policy, defaults in with_defaults(policies):
        offers = list(_offers(policy, defaults.pod, decided, template, copy))
        if copy.is_job_update:
            restored += offers
        else:
            copy.offer_parts(offers)
    if restored and copy.error_of(change for _, change in restored) is not None:
        for policy, (steps, _) in restored:
            _skip(policy, steps, "the update changes the Pod template, which is immutable", copy)
    elif restored:
        copy.offer_parts(restored)
    if copy.object is not before:
        copy.settle()


def _offers(
    policy: str,
    defaults: Sequence[PodDefault],
    decided: dict[Steps, str],
    template: Steps,
    copy: WorkingCopy,
) -> Iterator[tuple[str, Change]]:
    """Yield the changes of a policy, and record the places that it decides about."""
    for default in defaults:
        for inner in default.places(at(copy.object, template)):
            steps = (*template, *inner)
            if steps in decided:
                if decided[steps] != policy:
                    place = field_path(steps, copy.object)
                    copy.skip(policy, place, f"policy {decided[steps]} sets it")
                continue
            decided[steps] = policy
            reason = _reason_to_keep(default, steps, copy)
            if not reason:
                yield policy, (steps, default.value)
                continue
            _skip(policy, steps, reason, copy)
            if reason is UNKNOWN_WRITER:
                copy.keep(policy, steps)


def _controllers(copy: WorkingCopy) -> Iterator[str]:
    for owner in copy.object["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            yield f"{owner.get('kind')} {owner.get('name')}"


def _skip(policy: str, steps: Steps, reason: str, copy: WorkingCopy) -> None:
    field = field_path(steps, copy.object)
    if field not in copy.applied:
        copy.skip(policy, field, reason)


def _reason_to_keep(default: PodDefault, steps: Steps, copy: WorkingCopy) -> str:
    """Return the reason to keep the value at a place; empty if the default applies."""
    present = at(copy.object, steps)
    if present == default.value:
        return "the field already has this value"
    if copy.is_job_update and at(copy.request.old, steps) != default.value:
        return "the default applies on create only"
    if default.when == ALWAYS:
        return ""
    if present is None:
        return _reason_not_to_add(steps, copy)
    if present != SERVER_DEFAULTS.get(default.field):
        return "the field has a value of its own"
    if copy.ownership.has(tuple(map(str, steps))):
        return "a client set the field"
    if default.when == IF_UNSET and not copy.ownership.known:
        return UNKNOWN_WRITER
    return ""


def _reason_not_to_add(steps: Steps, copy: WorkingCopy) -> str:
    side = steps[-2]
    if side == "requests" and at(copy.object, (*steps[:-2], "limits", steps[-1])) is not None:
        return "the container has a limit, which is its request, too"
    return ""
