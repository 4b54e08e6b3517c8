"""Plan the defaults of policies for objects that are older than the policies.

The mutating webhook sets defaults when an object is created. A policy with ``spec.reconcile: apply`` asks
that stored objects get them, too, as far as the API lets them change: all of a CronJob, and of a Job that has
not started the fields in :data:`JOB_FIELDS` and its labels.

The changes are for a server-side apply with a field manager of its own. An object is therefore planned as it
would be without the fields that only this manager owns, and the plan names all that it should own: to apply
it again changes nothing, and a field of another manager is a conflict.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.policy.admitted_jobs import as_released, creator
from jobsworth.policy.document import APPLY
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.mutation.working_copy import AppliedDefault, RejectedDefault
from jobsworth.policy.places import Change, Item, Step, Steps, at, changed
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.request import CREATE, PolicyRequest
from jobsworth.provenance.field_ownership import POLICY_MANAGER
from jobsworth.validation.engine import engine_for
from jobsworth.wording import value_text

ATOMIC = ("nodeSelector", "tolerations")
"""The fields of a Pod with defaults that server-side apply sets as a whole."""

JOB_FIELDS = frozenset(
    (
        "suspend",
        "backoffLimit",
        "maxFailedIndexes",
        "podReplacementPolicy",
        "activeDeadlineSeconds",
        "ttlSecondsAfterFinished",
    )
)
"""The JobSpec fields with defaults that the API lets change in a Job."""


@dataclass(frozen=True, slots=True)
class DefaultsPlan:
    """The defaults that a stored object lacks.

    Attributes:
        changes: the defaults to set in it, in order.
        rejected: the defaults that would make it invalid.
        body: the body of the server-side apply: every field that policies set in it, also earlier.
    """

    changes: tuple[AppliedDefault, ...] = ()
    rejected: tuple[RejectedDefault, ...] = ()
    body: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        """The changes, such as ``spec.ttlSecondsAfterFinished: unset → 3600 (policy cleanup)``."""
        return "; ".join(
            f"{one.field}: {value_text(one.before)} → {value_text(one.after)} (policy {one.policy})"
            for one in self.changes
        )


NOTHING = DefaultsPlan()


def plan_defaults(
    stored: dict[str, Any],
    policies: PolicySet,
    server: ApiServer,
    namespace_labels: Mapping[str, str] | None = None,
) -> DefaultsPlan:
    """Plan the defaults that policies with ``reconcile: apply`` set in a stored object.

    Args:
        stored: a CronJob, or a Job; a Job that has started or is over gets none.
        policies: the active policies; those with ``reconcile: report`` are left out.
        server: the API server that stores the object.
        namespace_labels: the labels of its namespace; None if unknown.
    """
    applied = [policy for policy in policies.policies if policy.reconcile == APPLY]
    kind, metadata = stored["kind"], stored["metadata"]
    if not applied or metadata.get("deletionTimestamp") or (kind == "Job" and has_started(stored)):
        return NOTHING
    if kind == "Job":
        applied = [_for_stored_job(policy) for policy in applied]
    bare = _without_own(as_released(stored))
    engine = engine_for(server)
    decoded = engine.decode_object(bare)
    if decoded.unreadable or decoded.unknown:
        return NOTHING  # of a later release: an apply of a part that is understood could be wrong
    user, groups = creator(bare)
    request = PolicyRequest(
        operation=CREATE,
        kind=kind,
        namespace=metadata.get("namespace", ""),
        name=metadata.get("name", ""),
        object=engine.encoded(decoded),
        user=user,
        groups=groups,
        namespace_labels=namespace_labels,
        manifest=bare,
    )
    mutation = PolicySet(tuple(applied)).default(request, server)
    changes = tuple(
        replace(one, before=at(stored, one.steps))
        for one in mutation.applied
        if at(stored, one.steps) != one.after
    )
    wholes = [_whole(one.steps) for one in mutation.applied]
    values = [(steps, at(mutation.object, steps)) for steps in wholes]
    return DefaultsPlan(changes, mutation.rejected, _body(stored, values))


def _whole(steps: Steps) -> Steps:
    """Return the steps to the smallest part around a place that server-side apply does not merge."""
    ends = [number for number, step in enumerate(steps) if step in ATOMIC]
    return steps[: ends[0] + 1] if ends else steps


def has_started(job: Mapping[str, Any]) -> bool:
    """Return True if the status of a stored Job shows that it has, or has had, a Pod, or is over."""
    status = job.get("status") or {}
    counts = (
        "startTime",
        "active",
        "succeeded",
        "failed",
        "terminating",
        "uncountedTerminatedPods",
    )
    return any(status.get(name) for name in counts) or any(
        each.get("type") in ("Complete", "Failed") and each.get("status") == "True"
        for each in status.get("conditions") or ()
    )


def _for_stored_job(policy: JobPolicy) -> JobPolicy:
    """Return the policy with the defaults that an existing Job can get."""
    defaults = policy.defaults
    if defaults is None:
        return policy
    fields = {name: value for name, value in defaults.fields.items() if name in JOB_FIELDS}
    kept = replace(defaults, fields=fields, annotations={}, failure_policy=None, pod=())
    return replace(policy, defaults=kept)


def _without_own(stored: dict[str, Any]) -> dict[str, Any]:
    """Return an object without the fields that only our field manager owns, and without its entry."""
    entries = stored["metadata"].get("managedFields") or ()
    own = [entry for entry in entries if entry.get("manager") == POLICY_MANAGER]
    if not own:
        return stored
    others = [entry for entry in entries if entry.get("manager") != POLICY_MANAGER]
    value = stored
    for entry in own:
        for path in _leaves(entry.get("fieldsV1") or {}):
            if not any(_owns(other.get("fieldsV1") or {}, path) for other in others):
                value = _removed(value, path)
    return {**value, "metadata": {**value["metadata"], "managedFields": others}}


def _leaves(fields: Mapping[str, Any], before: Steps = ()) -> Iterable[Steps]:
    """Yield the places of the fields in a set in the format ``FieldsV1``, inner ones first."""
    for key, below in fields.items():
        step = _step(key)
        if step is not None:
            path = (*before, step)
            inner = list(_leaves(below, path))
            yield from inner
            if not inner or isinstance(step, Item):
                yield path


def _step(key: str) -> Step | None:
    """Return the step of a key in a set: a field, or the item of a list by its keys."""
    if key.startswith("f:"):
        return key[2:]
    return Item(tuple(json.loads(key[2:]).items())) if key.startswith("k:") else None


def _owns(fields: Mapping[str, Any], path: Steps) -> bool:
    for step in path:
        found = next((below for key, below in fields.items() if _step(key) == step), None)
        if found is None:
            return False
        fields = found
    return True


def _removed(value: Any, path: Steps) -> Any:
    step = path[0]
    if isinstance(step, Item):
        items = value if isinstance(value, list) else []
        rest = [_removed(one, path[1:]) if step.is_at(one) else one for one in items]
        return rest if path[1:] else [one for one in items if not step.is_at(one)]
    if not isinstance(value, dict) or step not in value:
        return value
    kept = {name: each for name, each in value.items() if name != step}
    if len(path) == 1:
        return kept
    return {**kept, step: _removed(value[step], path[1:])}


def _body(stored: Mapping[str, Any], values: Iterable[Change]) -> dict[str, Any]:
    metadata = stored["metadata"]
    body: dict[str, Any] = {
        "apiVersion": "batch/v1",
        "kind": stored["kind"],
        "metadata": {key: metadata[key] for key in ("name", "namespace", "uid")},
    }
    return changed(body, values)
