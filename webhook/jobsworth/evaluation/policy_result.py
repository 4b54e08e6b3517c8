"""The result of policies for a request, and how a cluster applies them to a manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.finding import Finding, Reported
from jobsworth.policy.enforcement import EnforcedViolation, PolicyVerdict
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.matching import MatchDecision
from jobsworth.policy.mutation.mutation import Mutation
from jobsworth.policy.mutation.working_copy import RejectedDefault
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.request import PolicyRequest
from jobsworth.policy.violation import DEFAULT_NOT_APPLIED, DENIED_AFTER_CREATE
from jobsworth.provenance.field_ownership import PLAIN_CREATE, as_written


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """The result of a set of policies for a request.

    Attributes:
        request: the request as it arrives; its object has the API server's defaults.
        policies: the set of policies.
        verdict: their violations, after their defaults were applied where the source is a manifest.
        mutation: the changes by their defaults; None if the defaults were not applied.
        denied_after_create: the violations for which a plain create of the manifest is denied, although the
            manifest itself passes.
        kept_after_create: the defaults that a plain create of the manifest does not get, although an
            apply gets them.
    """

    policies: PolicySet
    request: PolicyRequest
    verdict: PolicyVerdict
    mutation: Mutation | None
    denied_after_create: Sequence[EnforcedViolation] = ()
    kept_after_create: Sequence[RejectedDefault] = ()

    @property
    def decisions(self) -> list[tuple[JobPolicy, MatchDecision]]:
        """Each policy with its match decision and the reason, in order of precedence."""
        return self.policies.decisions(self.request)

    @property
    def findings(self) -> list[Reported]:
        """The rejected defaults and the violations, each with the name of its policy."""
        rejected = () if self.mutation is None else self.mutation.rejected
        return [
            *(
                (
                    one.policy,
                    Finding(
                        source="policy",
                        severity="warning",
                        code=DEFAULT_NOT_APPLIED,
                        field=one.field,
                        reason="DefaultNotApplied",
                        message=f"cannot set the default: {one.reason} (policy {one.policy})",
                    ),
                )
                for one in rejected
            ),
            *((enforced.policy, enforced.finding) for enforced in self.verdict.findings),
            *(
                (
                    one.policy,
                    Finding(
                        source="policy",
                        severity="warning",
                        code=DENIED_AFTER_CREATE,
                        field=one.violation.field,
                        reason="DeniedAfterCreate",
                        message="passes if it is applied, but kubectl create is denied, because the cluster "
                        f"cannot tell which fields you wrote: {one.text} (policy {one.policy})",
                        hint="Write the field, or use kubectl apply. "
                        "jobsworth policy check names the default to change.",
                    ),
                )
                for one in self.denied_after_create
            ),
        ]


def apply_policies(policies: PolicySet, request: PolicyRequest, server: ApiServer) -> PolicyResult:
    """Apply policies to the request of a manifest as a cluster does: defaults, then limits."""
    mutation = policies.default(request, server)
    verdict = policies.evaluate(replace(request, object=mutation.object), server)
    return PolicyResult(policies, request, verdict, mutation)


def result_for_manifest(
    policies: PolicySet, request: PolicyRequest, server: ApiServer
) -> PolicyResult:
    """Apply policies to the request of a manifest, which may also be sent by a plain create."""
    result = apply_policies(policies, request, server)
    if request.old is None and policies.depends_on_ownership:
        assert request.manifest is not None
        manifest = as_written(request.manifest, PLAIN_CREATE)
        created = apply_policies(policies, replace(request, manifest=manifest), server)
        assert created.mutation is not None
        denied = [each for each in created.verdict.findings if each.effect == "deny"]
        return replace(
            result,
            denied_after_create=[] if result.verdict.denied else denied,
            kept_after_create=created.mutation.kept,
        )
    return result
