"""What documents that are each sound do to one another, or to themselves: defaults that limits refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.policy.language.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jobsworth.policy.documents.job_policy import JobPolicy
    from jobsworth.policy.limits.limits import Limit, Limits


class _OfHundred:
    """Stands for a Job with a hundred completions, of which a percentage is as many indexes."""

    spec: Mapping[str, Any] = {"completions": 100}


def between(policies: Mapping[int, JobPolicy]) -> Iterator[Problem]:
    """The defaults that would be refused as soon as they are filled in.

    A document's own limits are held against its defaults, and those of every document that speaks about
    all requests, whose effect is to deny.

    Args:
        policies: by the number of the document.
    """
    everywhere = [
        policy
        for policy in policies.values()
        if policy.matching.is_unconditional and policy.enforcement == "deny"
    ]
    for number, policy in policies.items():
        others = [other for other in everywhere if other is not policy]
        for judge in (policy, *others):
            if policy.defaults is not None and judge.limits is not None:
                by = "" if judge is policy else f" of the policy {judge.name}"
                for field, message in _refused(policy, judge.limits):
                    yield Problem(
                        number,
                        f"spec.defaults.{field}",
                        f"the limits{by} refuse this default: {message}",
                        "change the default or the limit",
                    )


def _refused(policy: JobPolicy, limits: Limits) -> Iterator[tuple[str, str]]:
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
    """What a limit says to a value. A percentage can be held against percentages only, and so can they."""
    is_share = isinstance(value, str) and value.endswith("%")
    bounds = [limit.value.get(name) for name in ("minimum", "maximum")]
    has_shares = any(isinstance(bound, str) for bound in bounds)
    if is_share != has_shares and (is_share or has_shares):
        return
    number = int(value[:-1]) if is_share and has_shares else value
    for breach in limit.breaches("", number, _OfHundred()):  # type: ignore[arg-type]
        yield breach.message
