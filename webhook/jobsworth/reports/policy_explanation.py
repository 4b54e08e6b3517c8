"""The effect of each policy on a manifest, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from jobsworth.api.api_server import ApiServer, title
from jobsworth.documents.declared import Report, doc
from jobsworth.evaluation.policy_result import PolicyResult
from jobsworth.policy.enforcement import EnforcedViolation
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.matching import MatchDecision
from jobsworth.wording import in_json
from kube_cel.formats.names import readable_name


class SetField(Report):
    """A field that a policy sets."""

    field: str
    before: Any
    after: Any


class LeftField(Report):
    """A field that a policy does not set."""

    field: str
    reason: str


class PolicyViolation(Report):
    """A violation of a policy."""

    effect: Annotated[str, doc("deny, warn or audit.")]
    code: str
    field: str
    reason: str
    message: str
    hint: str


class PolicyEffect(Report):
    """The effect of a policy."""

    name: str
    priority: int
    enforcement: Annotated[str, doc("The strongest effect: deny, warn or audit.")]
    matches: Annotated[bool, doc("The policy applies to the request.")]
    certain: Annotated[bool, doc("False if more about the request has to be known.")]
    because: str
    sets: list[SetField]
    skips: list[LeftField]
    cannot_set: list[LeftField]
    not_set_by_create: Annotated[
        list[LeftField], doc("Fields of sets that kubectl create does not get.")
    ]
    violations: list[PolicyViolation]
    denied_by_create: Annotated[
        list[PolicyViolation],
        doc("For which kubectl create is denied, although the manifest passes."),
    ]


class PolicyExplanation(Report):
    """The effect of each policy on a manifest."""

    kind: str
    name: str
    namespace: str
    operation: Annotated[str, doc("CREATE or UPDATE.")]
    user: Annotated[str | None, doc("Null if it is not known.")]
    kubernetes_version: str
    outcome: Literal["Denied", "Allowed"]
    restored: Annotated[list[str], doc("Fields that stay as stored.")]
    policies: Annotated[list[PolicyEffect], doc("In order of precedence.")]


def explanation_text(result: PolicyResult, server: ApiServer) -> Iterator[str]:
    """Yield the lines of an explanation."""
    request = result.request
    user = f" by {request.user}" if request.user else ""
    yield (
        f"{request.kind} {_name(result)} in namespace {request.namespace}: {request.operation}{user}, "
        f"{title(server.release)}"
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
    created = "; with kubectl create, denied" if result.denied_after_create else ""
    yield from ("", f"{_outcome(result)}{f': {counted}' if counted else ''}{created}", "")


def explanation_report(result: PolicyResult, server: ApiServer) -> PolicyExplanation:
    """Return the report of an explanation."""
    request, mutation = result.request, result.mutation
    assert mutation is not None
    return PolicyExplanation(
        kind=request.kind,
        name=_name(result),
        namespace=request.namespace,
        operation=request.operation,
        user=request.user,
        kubernetes_version=server.release,
        outcome="Denied" if result.verdict.denied else "Allowed",
        restored=list(mutation.restored),
        policies=[_effect(policy, decision, result) for policy, decision in result.decisions],
    )


def _effect(policy: JobPolicy, decision: MatchDecision, result: PolicyResult) -> PolicyEffect:
    mutation = result.mutation
    assert mutation is not None
    return PolicyEffect(
        name=policy.name,
        priority=policy.priority,
        enforcement=policy.enforcement,
        matches=decision.applies,
        certain=decision.certain,
        because=decision.because,
        sets=[
            SetField(field=each.field, before=each.before, after=each.after)
            for each in mutation.applied
            if _is_of(policy.name, each.policy)
        ],
        skips=[
            LeftField(field=field, reason=reason)
            for of, field, reason in mutation.skipped
            if of == policy.name
        ],
        cannot_set=[
            LeftField(field=each.field, reason=each.reason)
            for each in mutation.rejected
            if _is_of(policy.name, each.policy)
        ],
        not_set_by_create=[
            LeftField(field=each.field, reason=each.reason)
            for each in result.kept_after_create
            if _is_of(policy.name, each.policy)
        ],
        violations=_violations(policy.name, result.verdict.findings),
        denied_by_create=_violations(policy.name, result.denied_after_create),
    )


def _violations(name: str, found: Sequence[EnforcedViolation]) -> list[PolicyViolation]:
    return [
        PolicyViolation(
            effect=each.effect,
            code=each.violation.code,
            field=each.violation.field,
            reason=each.violation.reason,
            message=each.violation.message,
            hint=each.finding.hint,
        )
        for each in found
        if each.policy == name
    ]


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
            before, after = in_json(applied.before), in_json(applied.after)
            yield f"  sets        {applied.field}: {before} becomes {after}"
    for policy, field, reason in mutation.skipped:
        if policy == name:
            yield f"  skips       {field}: {reason}"
    for rejected in mutation.rejected:
        if _is_of(name, rejected.policy):
            yield f"  cannot set  {rejected.field}: {rejected.reason}"
    for kept in result.kept_after_create:
        if _is_of(name, kept.policy):
            yield f"  not set     {kept.field}: with kubectl create, {kept.reason}"
    found = [enforced for enforced in result.verdict.findings if enforced.policy == name]
    for enforced in found:
        yield f"  {enforced.effect:<11} {enforced}"
    for enforced in result.denied_after_create:
        if enforced.policy == name:
            yield f"  {enforced.effect:<11} with kubectl create: {enforced}"
    if found and found[0].guidance:
        yield f"  message     {found[0].guidance}"
