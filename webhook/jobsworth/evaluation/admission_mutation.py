"""The admission policies of a cluster: what they change in an object, and what they find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jobsworth.evaluation.policy_result import PolicyResult
from jobsworth.evaluation.prepared import PreparedObject
from jobsworth.findings.finding import Finding, Reported, Severity
from jobsworth.policy.admission_policies.policies import Effect, Outcome
from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet
from jobsworth.policy.request import PolicyRequest
from jobsworth.policy.violation import ADMISSION_POLICY, ADMISSION_POLICY_UNKNOWN
from jobsworth.provenance.server_defaults import strip_defaults
from jobsworth.validation.engine import Engine

_SEVERITIES: dict[Effect, Severity] = {"deny": "error", "warn": "warning", "audit": "info"}


class AdmissionMutation:
    """The passes of an object through the policies.

    Lint findings about a mutated object are those that it and the manifest both have: a client cannot fix
    what a policy adds, and need not fix what a policy changes.

    Args:
        policies: the admission policies.
        prepared: the object as it arrives.
        engine: the engine of the API server that receives it.

    Attributes:
        prepared: the object after the policies.
    """

    def __init__(
        self, policies: AdmissionPolicySet, prepared: PreparedObject, engine: Engine
    ) -> None:
        assert prepared.policy_request is not None
        self._original = prepared
        self._engine = engine
        self._request = prepared.policy_request()
        self._mutated = policies.mutate(self._request, engine.server)
        self.prepared = self._after()

    def again(self, policy: PolicyResult | None) -> bool:
        """Apply the policies once more, as after a webhook; return True if they change the object.

        Args:
            policy: the result of JobPolicies for the object after the first pass; None without.
        """
        defaulted = self._mutated.object
        if policy is not None and policy.mutation is not None:
            defaulted = policy.mutation.object
        changed = self._mutated.again(defaulted)
        if changed:
            self.prepared = self._after()
        return changed

    @property
    def findings(self) -> list[Reported]:
        """The failures of policies, and those that were not applied, each with the name of its policy."""
        return [(outcome.policy, finding_of(outcome)) for outcome in self._mutated.outcomes]

    def with_hints(self, api: Sequence[Finding]) -> list[Finding]:
        """Return the API server's findings, each about a value that a policy set with a hint."""
        return [finding.with_hint(self._hint(finding.field) or finding.hint) for finding in api]

    def _hint(self, field: str) -> str:
        names = self._mutated.policies_that_changed(field)
        return f"MutatingAdmissionPolicy {' and '.join(names)} changes this field." if names else ""

    def _after(self) -> PreparedObject:
        original, mutated = self._original, self._mutated.object
        if not self._mutated.is_changed:
            return original
        request = replace(self._request, object=mutated)
        decoded = self._engine.decode_object(mutated)
        # The fields that the server drops are no longer there.
        decoded.dropped, decoded.findings = original.decoded.dropped, original.decoded.findings
        linted, bare = original.linted, original.bare
        if linted is not None:
            written = linted
            bare = bare or (lambda: written)
            stripped = strip_defaults(mutated, self._engine.server)
            linted = self._engine.decode_object(stripped)
        return original.replace(
            decoded=decoded, linted=linted, bare=bare, policy_request=lambda: request
        )


def admission_findings(
    policies: AdmissionPolicySet, request: PolicyRequest, result: PolicyResult | None
) -> list[Reported]:
    """Return the findings for a request, each with the name of its policy.

    Args:
        policies: the ValidatingAdmissionPolicies.
        request: the request as it arrives.
        result: that of JobPolicies, whose defaults are set before; None without JobPolicies.
    """
    arriving = request.object
    if result is not None and result.mutation is not None:
        arriving = result.mutation.object
    request = replace(request, object=arriving)
    return [(outcome.policy, finding_of(outcome)) for outcome in policies.evaluate(request)]


def finding_of(outcome: Outcome) -> Finding:
    """Return the finding that an outcome stands for."""
    if outcome.effect is None:
        return Finding(
            source="policy",
            severity="warning",
            code=ADMISSION_POLICY_UNKNOWN,
            field="",
            reason="NotEvaluated",
            message=outcome.text,
        )
    return Finding(
        source="policy",
        severity=_SEVERITIES[outcome.effect],
        code=ADMISSION_POLICY,
        field=outcome.field,
        reason="FieldValueInvalid",
        message=outcome.text,
    )
