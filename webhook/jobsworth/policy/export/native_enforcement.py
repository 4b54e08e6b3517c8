"""The policies that a webhook enforces beside an API server that enforces what was exported.

An export counts only if its hash is that of the policy which is loaded now. Otherwise the policy, or the way
in which it is exported, has changed since: then the webhook enforces all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer
from jobsworth.policy.effective_policies import EffectivePolicies
from jobsworth.policy.export.exported_policy import OLDEST, exported_policy, without_parts
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.problems import Problems
from jobsworth.policy.reader import read_document

_MINORS = range(ApiServer(NEWEST_RELEASE).minor, OLDEST - 1, -1)
"""The minor versions of the releases for which a policy may have been exported."""


@dataclass(frozen=True, slots=True)
class WebhookPolicies:
    """The policies that the webhook enforces.

    Attributes:
        policies: what is left of them.
        stale: the names of the exports that belong to no loaded policy, or to another version of it.
    """

    policies: PolicySet
    stale: tuple[str, ...] = ()


def webhook_policies(effective: EffectivePolicies, exports: Mapping[str, str]) -> WebhookPolicies:
    """Return the policies without the parts that the API server enforces.

    Args:
        effective: the active policies.
        exports: the hash of the export of each exported policy, by its name.
    """
    if not exports:
        return WebhookPolicies(effective.policies)
    documents = {each["metadata"]["name"]: each for each in effective.shipped}
    documents |= {name: version.document for name, version in effective.versions.items()}
    kept: list[JobPolicy] = []
    current = set()
    for policy in effective.policies.policies:
        document, digest = documents[policy.name], exports.get(policy.name)
        if digest is None:
            kept.append(policy)
            continue
        found, left = _left(document, policy, digest)
        if found:
            current.add(policy.name)
        if left is not None:
            kept.append(left)
    stale = tuple(sorted(set(exports) - current))
    return WebhookPolicies(PolicySet(tuple(kept)), stale)


def _left(
    document: Mapping[str, Any], policy: JobPolicy, digest: str
) -> tuple[bool, JobPolicy | None]:
    """Return True if the export is that of this policy, and what the webhook still enforces of it."""
    for minor in _MINORS:
        exported = exported_policy(document, policy, minor)
        if exported.hash == digest:
            left = without_parts(document, (part for part in exported.parts if not part.is_left))
            if left is None:
                return True, None
            return True, read_document(left, Problems(0), check_schema=False)
    return False, policy
