"""The findings of ValidatingAdmissionPolicies about an object."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jobsworth.findings.finding import Finding
from jobsworth.policy.violation import ADMISSION_POLICY, ADMISSION_POLICY_UNKNOWN

if TYPE_CHECKING:
    from typing import Any

    from jobsworth.evaluation.policy_result import PolicyResult, Reported
    from jobsworth.findings.finding import Severity
    from jobsworth.policy.admission_policies.outcomes import Effect, Outcome
    from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet
    from jobsworth.policy.request import PolicyRequest

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
    request = replace(
        request,
        object=_in_namespace(arriving, request.namespace),
        old=None if request.old is None else _in_namespace(request.old, request.namespace),
    )
    return [(outcome.policy, _finding(outcome)) for outcome in policies.evaluate(request)]


def _in_namespace(value: dict[str, Any], namespace: str) -> dict[str, Any]:
    """Return an object as admission sees it: with the namespace of the request."""
    return {**value, "metadata": {**value["metadata"], "namespace": namespace}}


def _finding(outcome: Outcome) -> Finding:
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
