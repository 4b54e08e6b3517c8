"""The findings of admission policies about an object."""

from __future__ import annotations

from dataclasses import replace

from jobsworth.evaluation.policy_result import PolicyResult
from jobsworth.findings.finding import Finding, Reported, Severity
from jobsworth.policy.admission_policies.outcomes import Effect, Outcome
from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet
from jobsworth.policy.request import PolicyRequest
from jobsworth.policy.violation import ADMISSION_POLICY, ADMISSION_POLICY_UNKNOWN

_SEVERITIES: dict[Effect, Severity] = {"deny": "error", "warn": "warning", "audit": "info"}


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
