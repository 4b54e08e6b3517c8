"""Refusals, as a ``Status`` of ``meta/v1`` worded as the API server words its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobsworth.admission.review import AdmissionRequest
from jobsworth.findings.finding import Finding

Status = dict[str, Any]

MOST_CAUSES = 64
"""A refusal names as many causes as anybody reads."""
MOST_LETTERS = 128 * 1024
"""How long the messages of all causes but the first may be together: one may print a list of 3 MB."""


def invalid(request: AdmissionRequest, findings: Sequence[Finding]) -> Status:
    """The object breaks the API's own rules: 422."""
    reasons = [f"{finding.field}: {finding.message}" for finding in _named(findings)]
    listed = reasons[0] if len(reasons) == 1 else f"[{', '.join(reasons)}]"
    group, _, kind = request.kind
    message = f'{kind}.{group} "{request.name}" is invalid: {listed}'
    return _status(request, 422, "Invalid", message, findings)


def undecodable(request: AdmissionRequest, findings: Sequence[Finding]) -> Status:
    """The object is malformed, so that nothing more can be said of it: 400."""
    _, version, kind = request.kind
    reasons = "; ".join(f"{finding.field}: {finding.message}" for finding in _named(findings))
    message = f'{kind} in version "{version}" cannot be handled as a {kind}: {reasons}'
    return _status(request, 400, "BadRequest", message, findings)


def forbidden(request: AdmissionRequest, message: str, findings: Sequence[Finding]) -> Status:
    """Policies do not have it: 403."""
    group, _, resource = request.resource
    text = f'{resource}.{group} "{request.name}" is forbidden: {message}'
    return _status(request, 403, "Forbidden", text, findings)


def failed(request: AdmissionRequest) -> Status:
    """The webhook is at fault, and its policy would rather refuse than let through: 500."""
    message = (
        f"jobsworth failed to judge this request, and the policy's onInternalError is deny; "
        f"its log has the cause under uid {request.uid}"
    )
    return _status(request, 500, "InternalError", message, ())


def _named(findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings that a refusal names: the first, and others as long as there is room for them."""
    letters = 0
    for count, finding in enumerate(findings[:MOST_CAUSES]):
        letters += sum(map(len, finding.parts))
        if count and letters > MOST_LETTERS:
            return findings[:count]
    return findings[:MOST_CAUSES]


def _status(
    request: AdmissionRequest, code: int, reason: str, message: str, findings: Sequence[Finding]
) -> Status:
    group, _, kind = request.kind
    causes = [
        {"reason": finding.reason, "message": finding.message, "field": finding.field}
        for finding in _named(findings)
    ]
    details = {"name": request.name, "group": group, "kind": kind, "causes": causes}
    return {
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "details": details,
        "code": code,
    }
