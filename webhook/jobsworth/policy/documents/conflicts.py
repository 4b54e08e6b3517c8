"""Conflicts of valid policies, with each other or with themselves: defaults that limits reject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from jobsworth.policy.documents.job_policy import JobPolicy
    from jobsworth.policy.limits.limits import Limit, Limits


class _HundredCompletions:
    """A stand-in for a Job with 100 completions, for which a percentage equals a number of indexes."""

    spec: Mapping[str, Any] = {"completions": 100}


@dataclass(frozen=True, slots=True)
class Conflict:
    """A default that a limit would reject.

    Attributes:
        policy: the name of the policy with the default.
        holder: the name of the policy with the limit.
        field: the field path of the default.
        message: the problem.
        hint: how to fix it.
    """

    policy: str
    holder: str
    field: str
    message: str
    hint: str = "change the default or the limit"


def between(policies: Collection[JobPolicy]) -> Iterator[Conflict]:
    """Yield the defaults that a limit would reject as soon as they are set.

    A policy's defaults are checked against its own limits and against those of every policy that applies to
    all requests and denies.
    """
    everywhere = [
        policy
        for policy in policies
        if policy.matching.is_unconditional and policy.enforcement == "deny"
    ]
    for policy in policies:
        others = [other for other in everywhere if other is not policy]
        for holder in (policy, *others):
            if policy.defaults is not None and holder.limits is not None:
                by = "" if holder is policy else f" of policy {holder.name}"
                for field, message in _rejected(policy, holder.limits):
                    yield Conflict(
                        policy.name,
                        holder.name,
                        f"spec.defaults.{field}",
                        f"the limits{by} reject this default: {message}",
                    )


def _rejected(policy: JobPolicy, limits: Limits) -> Iterator[tuple[str, str]]:
    assert policy.defaults is not None
    for name, default in policy.defaults.fields.items():
        limit = limits.fields.get(name)
        if limit is not None:
            for message in _messages(limit, default.value):
                yield name, message
    for part in ("labels", "annotations"):
        for key, default in getattr(policy.defaults, part).items():
            limit = limits.metadata.get((part, key))
            if limit is not None:
                for message in _messages(limit, default.value):
                    yield f"{part}[{key}]", message
    found = policy.defaults.failure_policy
    limit = limits.fields.get("podFailurePolicy")
    if limit is None or found is None:
        return
    if limit.value.get("forbidden") and found.value is not None:
        yield "podFailurePolicy.value", "Forbidden: may not be set"
    allowed = limit.value.get("allowedActions")
    for path, rules in found.parts():
        for index, rule in enumerate(rules):
            if allowed is not None and rule["action"] not in allowed:
                yield (
                    f"podFailurePolicy.{path}[{index}].action",
                    f'"{rule["action"]}" is not among the allowed actions {", ".join(allowed)}',
                )


def _messages(limit: Limit, value: Any) -> Iterator[str]:
    """Yield the violations of a value. Percentages are comparable with percentages only."""
    is_share = isinstance(value, str) and value.endswith("%")
    bounds = [limit.value.get(name) for name in ("minimum", "maximum")]
    has_shares = any(isinstance(bound, str) for bound in bounds)
    if is_share != has_shares and (is_share or has_shares):
        return
    number = int(value[:-1]) if is_share and has_shares else value
    for violation in limit.violations("", number, _HundredCompletions()):  # type: ignore[arg-type]
        yield violation.message
