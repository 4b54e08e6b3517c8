"""Denials as a ``Status`` of ``meta/v1``, in the wording of the API server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobsworth.admission.review import AdmissionRequest
from jobsworth.findings.finding import Finding

Status = dict[str, Any]

MOST_CAUSES = 64
"""The largest number of causes in one denial; a user does not read more."""
MOST_LETTERS = 128 * 1024
"""The largest total length of all causes but the first, in characters: one message can list 3 MB."""


def invalid(request: AdmissionRequest, findings: Sequence[Finding]) -> Status:
    """Return the ``Status`` for an object that violates the validation rules of the API: 422."""
    reasons = [f"{finding.field}: {finding.message}" for finding in _named(findings)]
    listed = reasons[0] if len(reasons) == 1 else f"[{', '.join(reasons)}]"
    group, _, kind = request.kind
    message = f'{kind}.{group} "{request.name}" is invalid: {listed}'
    return _status(request, 422, "Invalid", message, findings)


def undecodable(request: AdmissionRequest, findings: Sequence[Finding]) -> Status:
    """Return the ``Status`` for an object that cannot be decoded, and so not validated: 400."""
    _, version, kind = request.kind
    reasons = "; ".join(f"{finding.field}: {finding.message}" for finding in _named(findings))
    message = f'{kind} in version "{version}" cannot be handled as a {kind}: {reasons}'
    return _status(request, 400, "BadRequest", message, findings)


def forbidden(request: AdmissionRequest, message: str, findings: Sequence[Finding]) -> Status:
    """Return the ``Status`` for an object that a policy denies: 403."""
    group, _, resource = request.resource
    text = f'{resource}.{group} "{request.name}" is forbidden: {message}'
    return _status(request, 403, "Forbidden", text, findings)


def failed(request: AdmissionRequest) -> Status:
    """Return the ``Status`` for an internal error of the webhook when a policy fails closed: 500."""
    message = (
        f"jobsworth failed to review this request, and a policy sets onInternalError: deny. "
        f"Find the cause in the log of jobsworth by uid {request.uid}"
    )
    return _status(request, 500, "InternalError", message, ())


def _named(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings to list in a denial: the first one, then others up to the limits above."""
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
