"""Decide what becomes of a Job that is stored although a policy would deny it.

A Job gets past the webhook while that is down (``failurePolicy: Ignore``), or before the policy exists.
Its controller evaluates it again before the first Pod. What a policy would have denied is reported, and with
``spec.onAdmitted: suspend`` the Job is held: suspended until it satisfies the policy or an exemption applies.
A Job that has started is never stopped.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from jobsworth.policy.job_policy import SUSPEND
from jobsworth.policy.request import CRON_JOB_CONTROLLERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jobsworth.policy.enforcement import EnforcedViolation, PolicyVerdict
    from jobsworth.policy.policy_set import PolicySet
    from jobsworth.policy.violation import Effect

HELD_BY = "jobsworth.dev/held-by-policies"
"""The annotation of a held Job: the names of the policies that hold it, separated by commas."""


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
        held_by: the names of the policies that hold it, by its annotation.
    """

    started: bool
    suspended: bool
    held_by: tuple[str, ...] = ()


class Hold(Enum):
    """The action on a stored Job."""

    NONE = "leave it as it is"
    SUSPEND = "suspend it, and record the policies that hold it"
    KEEP = "create no Pod: it is held, also if another client has unset spec.suspend"
    RESUME = "resume it: no policy holds it any more"


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


def held_by(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the policies that hold a Job with this metadata.

    >>> held_by({"annotations": {HELD_BY: "deadlines,images"}})
    ('deadlines', 'images')
    """
    text = (metadata.get("annotations") or {}).get(HELD_BY) or ""
    return tuple(filter(None, text.split(",")))


def as_released(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a held Job as its client wrote it: not suspended, and without our annotation.

    Otherwise a policy about suspended Jobs would report what its own hold has caused.
    """
    metadata = manifest.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("annotations"), dict):
        return manifest
    if HELD_BY not in metadata["annotations"] or not isinstance(manifest.get("spec"), dict):
        return manifest
    annotations = {name: text for name, text in metadata["annotations"].items() if name != HELD_BY}
    bare = {name: value for name, value in metadata.items() if name != "annotations"}
    if annotations:
        bare["annotations"] = annotations
    return {**manifest, "metadata": bare, "spec": {**manifest["spec"], "suspend": False}}


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
        return Hold.RESUME if job.held_by else Hold.NONE
    if job.started:
        return Hold.NONE
    if not job.held_by:
        # A Job that its user or a queueing controller has suspended waits without us.
        return Hold.NONE if job.suspended else Hold.SUSPEND
    if job.suspended and job.held_by != holding:
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
