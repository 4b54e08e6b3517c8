"""The effect of each policy on a manifest, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.formats.names import readable_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.api.api_server import ApiServer
    from jobsworth.evaluation.policy_result import PolicyResult


def explanation_text(result: PolicyResult, server: ApiServer) -> Iterator[str]:
    """Yield the lines of an explanation."""
    request = result.request
    user = f" by {request.user}" if request.user else ""
    yield (
        f"{request.kind} {_name(result)} in namespace {request.namespace}: {request.operation}{user}, "
        f"Kubernetes {server.release}"
    )
    for policy, decision in result.decisions:
        matches = "matches" if decision.applies else "does not match"
        yield ""
        yield f"{policy.name} (priority {policy.priority}, {policy.enforcement}) {matches}"
        yield f"  because     {decision.because}"
        yield from _effects_of(policy.name, result)
    assert result.mutation is not None
    for field in result.mutation.restored:
        yield f"\nkeeps {field} as stored: the client writes the same as at creation"
    findings = result.verdict.findings
    counts = dict.fromkeys(("deny", "warn", "audit"), 0)
    for enforced in findings:
        counts[enforced.effect] += 1
    counted = ", ".join(f"{count} {effect}" for effect, count in counts.items() if count)
    yield from ("", f"{_outcome(result)}{f': {counted}' if counted else ''}", "")


def explanation_json(result: PolicyResult, server: ApiServer) -> dict[str, Any]:
    """Return an explanation as JSON values."""
    request, mutation = result.request, result.mutation
    assert mutation is not None
    return {
        "kind": request.kind,
        "name": _name(result),
        "namespace": request.namespace,
        "operation": request.operation,
        "user": request.user,
        "kubernetesVersion": server.release,
        "outcome": _outcome(result),
        "restored": list(mutation.restored),
        "policies": [
            {
                "name": policy.name,
                "priority": policy.priority,
                "enforcement": policy.enforcement,
                "matches": decision.applies,
                "certain": decision.certain,
                "because": decision.because,
                "sets": [
                    {"field": each.field, "before": each.before, "after": each.after}
                    for each in mutation.applied
                    if _is_of(policy.name, each.policy)
                ],
                "skips": [
                    {"field": field, "reason": reason}
                    for of, field, reason in mutation.skipped
                    if of == policy.name
                ],
                "cannotSet": [
                    {"field": each.field, "reason": each.reason}
                    for each in mutation.rejected
                    if _is_of(policy.name, each.policy)
                ],
                "violations": [
                    {
                        "effect": each.effect,
                        "code": each.violation.code,
                        "field": each.violation.field,
                        "reason": each.violation.reason,
                        "message": each.violation.message,
                        "hint": each.finding.hint,
                    }
                    for each in result.verdict.findings
                    if each.policy == policy.name
                ],
            }
            for policy, decision in result.decisions
        ],
    }


def _name(result: PolicyResult) -> str:
    request = result.request
    return request.name or readable_name(request.object.get("metadata")) or "(unnamed)"


def _outcome(result: PolicyResult) -> str:
    return "denied" if result.verdict.denied else "allowed"


def _is_of(name: str, policies: str) -> bool:
    return name in policies.split(", ")


def _effects_of(name: str, result: PolicyResult) -> Iterator[str]:
    mutation = result.mutation
    assert mutation is not None
    for applied in mutation.applied:
        if _is_of(name, applied.policy):
            before, after = _shown(applied.before), _shown(applied.after)
            yield f"  sets        {applied.field}: {before} becomes {after}"
    for policy, field, reason in mutation.skipped:
        if policy == name:
            yield f"  skips       {field}: {reason}"
    for rejected in mutation.rejected:
        if _is_of(name, rejected.policy):
            yield f"  cannot set  {rejected.field}: {rejected.reason}"
    found = [enforced for enforced in result.verdict.findings if enforced.policy == name]
    for enforced in found:
        yield f"  {enforced.effect:<11} {enforced}"
    if found and found[0].guidance:
        yield f"  message     {found[0].guidance}"


def _shown(value: Any) -> str:
    import json

    return "unset" if value is None else json.dumps(value, ensure_ascii=False)
