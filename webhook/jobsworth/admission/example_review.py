"""A Job to try the webhook with: one that the loaded policies decide about, if there are any."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from jobsworth.admission.manifest_review import ReviewInput, admission_review
from jobsworth.api.api_server import ApiServer
from jobsworth.policy.matching import Matcher
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.request import KINDS, PolicyRequest

MAX_TRIED = 200
"""The maximum number of samples that are evaluated."""

_IMAGE = "registry.example.com/example:latest"
_PODS = {"restartPolicy": "Never", "containers": [{"name": "main", "image": _IMAGE}]}
_SPECS: tuple[dict[str, Any], ...] = (
    {
        "backoffLimit": 1000,
        "parallelism": 1000,
        "completions": 1000,
        "activeDeadlineSeconds": 31_536_000,
        "template": {"spec": _PODS},
    },
    {"template": {"spec": _PODS}},
)
"""Valid Jobs: one that exceeds most limits, one that sets nothing."""

_STRENGTH = {"deny": 2, "warn": 1, "audit": 1}


@dataclass(slots=True)
class _Sample:
    """A request that a matcher matches, in parts."""

    kind: str = "Job"
    namespace: str = "default"
    name: str = "example"
    user: str | None = None
    groups: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


def example_review(policies: PolicySet, server: ApiServer) -> dict[str, Any]:
    """Return the AdmissionReview of a valid Job or CronJob, to be edited.

    It is the first sample that the policies deny, else one that they warn about or record, else one to which
    they apply. The samples follow the matchers of the policies.
    """
    best: tuple[int, ReviewInput] | None = None
    for count, (sample, sent) in enumerate(_samples(policies)):
        if count == MAX_TRIED:
            break
        strength = _strength(policies, server, sample, sent)
        if best is None or strength > best[0]:
            best = strength, sent
        if strength > 2:
            break
    assert best is not None
    return admission_review(best[1], server)


def _samples(policies: PolicySet) -> Iterator[tuple[_Sample, ReviewInput]]:
    samples = [_sample_of(m) for policy in policies.policies for m in policy.matching.match]
    for sample in (*samples, _Sample()):
        for spec in _SPECS:
            metadata = {"name": sample.name, "namespace": sample.namespace, **sample.metadata}
            value: dict[str, Any] = {
                "apiVersion": "batch/v1",
                "kind": sample.kind,
                "metadata": metadata,
                "spec": spec,
            }
            if sample.kind == "CronJob":
                value["spec"] = {"schedule": "0 6 * * *", "jobTemplate": {"spec": spec}}
            yield sample, ReviewInput(value=value, user=sample.user, groups=sample.groups)


def _sample_of(matcher: Matcher) -> _Sample:
    """Return a sample that a matcher matches, as far as its criteria can be followed."""
    found = _Sample()
    for criterion in matcher.criteria:
        value: Any = criterion.value
        if criterion.name == "kinds":
            found.kind = next((kind for kind in KINDS if kind in value), found.kind)
        elif criterion.name == "namespaces":
            found.namespace = _example_of(value[0])
        elif criterion.name == "names":
            found.name = _example_of(value[0])
        elif criterion.name == "users":
            found.user = _example_of(value[0])
        elif criterion.name == "groups":
            found.groups = (_example_of(value[0]),)
        elif criterion.name == "objectSelector":
            found.metadata["labels"] = _labels_for(value)
        elif criterion.name == "owners":
            owner = {"apiVersion": "example.com/v1", "kind": _example_of(value[0])}
            found.metadata["ownerReferences"] = [{**owner, "name": "example", "uid": "example"}]
    return found


def _example_of(pattern: str) -> str:
    """Return a name that a pattern matches.

    >>> _example_of("ml-*"), _example_of("team-[ab]?"), _example_of("*")
    ('ml-example', 'team-ax', 'example')
    """
    pattern = re.sub(r"\[!?(.)[^\]]*\]", r"\1", pattern)
    return pattern.replace("*", "example").replace("?", "x")


def _labels_for(selector: dict[str, Any]) -> dict[str, str]:
    labels = dict(selector.get("matchLabels") or {})
    for requirement in selector.get("matchExpressions") or ():
        if requirement["operator"] == "In":
            labels[requirement["key"]] = requirement["values"][0]
        elif requirement["operator"] == "Exists":
            labels.setdefault(requirement["key"], "example")
    return labels


def _strength(policies: PolicySet, server: ApiServer, sample: _Sample, sent: ReviewInput) -> int:
    """Return 3 if the policies deny a sample, 2 if they report it, 1 if one applies, else 0."""
    review = admission_review(sent, server)["request"]
    request = PolicyRequest(
        operation="CREATE",
        kind=sample.kind,
        namespace=sample.namespace,
        name=sample.name,
        object=review["object"],
        user=review["userInfo"]["username"],
        groups=tuple(review["userInfo"]["groups"]),
    )
    effects = [one.effect for one in policies.evaluate(request, server).findings]
    if effects:
        return 1 + max(map(_STRENGTH.__getitem__, effects))
    return int(any(decision.applies for _, decision in policies.decisions(request)))
