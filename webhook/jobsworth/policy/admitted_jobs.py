"""Decide what becomes of a Job that is stored although a policy would deny it.

A Job gets past the webhook while that is down (``failurePolicy: Ignore``), or before the policy exists.
Its controller evaluates it again before the first Pod. What a policy would have denied is reported, and with
``spec.onAdmitted: suspend`` the Job is held: suspended until it satisfies the policy or an exemption applies.
A Job that has started is never stopped.

A hold is recorded in the status, because a client that may create or update Jobs cannot write that. Without
this record, a client could let the controller resume a Job that another one has suspended. A hold takes
two writes, and so does its end; a process can die between them:

1. the condition HELD_BY_POLICIES, in one write with the removal of an annotation that a client put there;
2. ``spec.suspend: true`` with the annotation HELD_BY. Beside the condition it shows that this write, and no
   other client, has suspended the Job.

At the end of a hold the second is taken back before the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from jobsworth.controller.status import Condition
from jobsworth.policy.document import SUSPEND
from jobsworth.policy.enforcement import EnforcedViolation, PolicyVerdict
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.request import CRON_JOB_CONTROLLERS
from jobsworth.policy.violation import Effect

HELD_BY_POLICIES = "jobsworth.dev/HeldByPolicies"
"""The type of the condition of a held Job; its message is the names of the policies, separated by commas."""

HELD_BY = "jobsworth.dev/held-by-policies"
"""The annotation of a Job that its hold has suspended: the same names."""

VIOLATION, SATISFIED = "PolicyViolation", "PolicySatisfied"
"""Reasons of the condition, and of Events."""

_SERVICE_ACCOUNT_GROUPS = (
    "system:serviceaccounts",
    "system:serviceaccounts:kube-system",
    "system:authenticated",
)


@dataclass(frozen=True, slots=True)
class AdmittedJob:
    """The state of a stored Job.

    Attributes:
        started: it has, or has had, a Pod.
        suspended: ``spec.suspend``.
        held_by: the names of the policies that hold it, by its status.
        annotated: it has the annotation HELD_BY.
    """

    started: bool
    suspended: bool
    held_by: tuple[str, ...] = ()
    annotated: bool = False


class Hold(Enum):
    """The action on a stored Job."""

    NONE = "leave it as it is"
    SUSPEND = "record the policies that hold it, and suspend it"
    KEEP = "create no Pod: it is held, also if another client has unset spec.suspend"
    RESUME = "resume it: no policy holds it any more"
    FORGET = "forget the policies that held it: spec.suspend is another client's"


@dataclass(frozen=True, slots=True)
class Report:
    """The violations of one policy with one effect, to report in one Event.

    Attributes:
        policy: the policy's name.
        effect: the effect that the violations would have had on the request.
        text: the violations, each with its field and code, and the guidance of the policy.
    """

    policy: str
    effect: Effect
    text: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on a stored Job.

    Attributes:
        hold: the action.
        policies: the names of the policies that hold it.
        reports: its violations, by policy and effect.
    """

    hold: Hold = Hold.NONE
    policies: tuple[str, ...] = ()
    reports: tuple[Report, ...] = ()


def held_by(job: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the policies that hold a Job, given as its API server returns it.

    >>> held_by({"status": {"conditions": [{"type": HELD_BY_POLICIES, "status": "True", "message": "a,b"}]}})
    ('a', 'b')
    """
    status = job.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and condition.get("type") == HELD_BY_POLICIES:
            names = condition.get("message") if condition.get("status") == "True" else None
            return tuple(filter(None, str(names or "").split(",")))
    return ()


def hold_condition(policies: Iterable[str], now: int) -> Condition:
    """Return the condition of a Job that these policies hold; for none, of a Job that is no longer held."""
    names = ",".join(policies)
    reason = VIOLATION if names else SATISFIED
    return Condition(HELD_BY_POLICIES, str(bool(names)), reason, names, now, now)


def is_annotated(job: Mapping[str, Any]) -> bool:
    """Return True if a Job has the annotation HELD_BY."""
    metadata = job.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return isinstance(annotations, dict) and HELD_BY in annotations


def as_released(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a Job that its hold has suspended as its client wrote it: not suspended, and not annotated.

    Otherwise a policy about suspended Jobs would report what its own hold has caused.

    Args:
        manifest: the object as its API server returns it, with its status.
    """
    spec = manifest.get("spec")
    if not (held_by(manifest) and is_annotated(manifest) and isinstance(spec, dict)):
        return manifest
    metadata = manifest["metadata"]
    annotations = {name: text for name, text in metadata["annotations"].items() if name != HELD_BY}
    bare = {name: value for name, value in metadata.items() if name != "annotations"}
    if annotations:
        bare["annotations"] = annotations
    return {**manifest, "metadata": bare, "spec": {**spec, "suspend": False}}


def creator(manifest: Mapping[str, Any]) -> tuple[str | None, tuple[str, ...]]:
    """Return the user who created a stored object, and the user's groups; None and no groups if unknown.

    Only the CronJob controller creates Jobs whose controlling owner is a CronJob: those of ``kubectl create
    job --from`` have an owner that does not control them.
    """
    for owner in (manifest.get("metadata") or {}).get("ownerReferences") or ():
        if isinstance(owner, dict) and owner.get("controller") and owner.get("kind") == "CronJob":
            return CRON_JOB_CONTROLLERS[0], _SERVICE_ACCOUNT_GROUPS
    return None, ()


def decide(job: AdmittedJob, policies: PolicySet, verdict: PolicyVerdict) -> Decision:
    """Decide what becomes of a stored Job.

    Args:
        job: its state.
        policies: the active policies.
        verdict: their verdict on the Job as its client wrote it.
    """
    suspending = {policy.name for policy in policies.policies if policy.on_admitted == SUSPEND}
    denying = {one.policy for one in verdict.findings if one.effect == "deny"}
    holding = tuple(sorted(suspending & denying))
    return Decision(_hold(job, holding), holding, reports(verdict.findings))


def _hold(job: AdmittedJob, holding: tuple[str, ...]) -> Hold:
    if not holding:
        if not job.held_by:
            return Hold.NONE
        return Hold.RESUME if job.annotated else Hold.FORGET
    if job.started:
        return Hold.NONE
    if not job.held_by:
        # A Job that its user or a queueing controller has suspended waits without us.
        return Hold.NONE if job.suspended else Hold.SUSPEND
    if not job.suspended and not job.annotated:
        return Hold.SUSPEND  # only its condition was written
    if job.suspended and job.annotated and job.held_by != holding:
        return Hold.SUSPEND  # record the policies that hold it now
    # Do not write spec.suspend again, or two controllers would change it in turn without end.
    return Hold.KEEP


def reports(violations: Iterable[EnforcedViolation]) -> tuple[Report, ...]:
    """Return the violations by policy and effect, in the order of the policies' precedence."""
    found: dict[tuple[str, Effect], list[EnforcedViolation]] = {}
    for violation in violations:
        found.setdefault((violation.policy, violation.effect), []).append(violation)
    return tuple(
        Report(
            policy, effect, " ".join(filter(None, ("; ".join(map(str, some)), some[0].guidance)))
        )
        for (policy, effect), some in found.items()
    )
