"""Denials as a ``Status`` of ``meta/v1``, in the wording of the API server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobsworth.admission.answer_limits import (
    MAX_BYTES,
    MAX_MESSAGE_BYTES,
    MAX_NAME_BYTES,
    cut,
    listed,
    most_size,
    size,
)
from jobsworth.admission.review import AdmissionRequest
from jobsworth.findings.finding import Finding
from jobsworth.validation.verdict_findings import STOPPED

Status = dict[str, Any]


def invalid(request: AdmissionRequest, findings: Sequence[Finding]) -> Status:
    """Return the ``Status`` for an object that violates the validation rules of the API: 422."""
    reasons = _reasons(findings)
    shown = reasons[0] if len(reasons) == 1 else f"[{', '.join(reasons)}]"
    group, _, kind = request.kind
    message = f'{kind}.{group} "{_name(request)}" is invalid: {shown}'
    return _status(request, 422, "Invalid", message, findings)


def undecodable(request: AdmissionRequest, findings: Sequence[Finding]) -> Status:
    """Return the ``Status`` for an object that cannot be decoded, and so not validated: 400."""
    _, version, kind = request.kind
    reasons = "; ".join(_reasons(findings))
    message = f'{kind} in version "{version}" cannot be handled as a {kind}: {reasons}'
    return _status(request, 400, "BadRequest", message, findings)


def forbidden(request: AdmissionRequest, message: str, findings: Sequence[Finding]) -> Status:
    """Return the ``Status`` for an object that a policy denies: 403."""
    group, _, resource = request.resource
    text = f'{resource}.{group} "{_name(request)}" is forbidden: {cut(message)}'
    return _status(request, 403, "Forbidden", text, findings)


def failed(request: AdmissionRequest) -> Status:
    """Return the ``Status`` for an internal error of the webhook when a policy fails closed: 500."""
    message = (
        f"jobsworth failed to review this request, and a policy sets onInternalError: deny. "
        f"Find the cause in the log of jobsworth by uid {request.uid}"
    )
    return _status(request, 500, "InternalError", message, ())


def too_large(request: AdmissionRequest, message: str) -> Status:
    """Return the ``Status`` for an object that is not evaluated because of its size: 413."""
    group, _, resource = request.resource
    text = f'{resource}.{group} "{_name(request)}" was not evaluated: {message}'
    return _status(request, 413, "RequestEntityTooLarge", text, ())


def _name(request: AdmissionRequest) -> str:
    return cut(request.name, MAX_NAME_BYTES)


def _reasons(findings: Sequence[Finding]) -> list[str]:
    """Return what a message lists of some findings: the first of them, and how many there are besides."""
    shown, omitted = listed(findings, _length)
    texts = [
        cut(
            f"{finding.field}: {finding.message}" if finding.field else finding.message,
            MAX_MESSAGE_BYTES,
        )
        for finding in shown
    ]
    if omitted:
        least = "at least " if findings[-1].reason == STOPPED else ""
        texts.append(f"and {least}{omitted:,} more")
    return texts


def _length(finding: Finding) -> int:
    """Return how much a message or cause shows of a finding, without joining the parts of its message."""
    return min(len(finding.field) + sum(map(len, finding.parts)), MAX_MESSAGE_BYTES)


def _status(
    request: AdmissionRequest, code: int, reason: str, message: str, findings: Sequence[Finding]
) -> Status:
    group, _, kind = request.kind
    shown, _ = listed(findings, _length)
    causes = [
        {
            "reason": finding.reason,
            "message": cut(finding.message, MAX_MESSAGE_BYTES),
            "field": cut(finding.field, MAX_NAME_BYTES),
        }
        for finding in shown
    ]
    # Nearly always, a bound of the sizes shows that all causes fit.
    if sum(most_size(text) for cause in causes for text in cause.values()) > MAX_BYTES:
        causes = [*listed(causes, lambda cause: sum(map(size, cause.values())))[0]]
    details = {"name": _name(request), "group": group, "kind": kind, "causes": causes}
    return {
        "metadata": {},
        "status": "Failure",
        "message": cut(message, 2 * MAX_BYTES),
        "reason": reason,
        "details": details,
        "code": code,
    }
