"""The result of one audit: the number of objects by policy, namespace and finding, and the violations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from jobsworth.findings.finding import Reported
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.violation import Effect

MAX_NAMESPACES = 100
"""The largest number of namespaces that metrics show by name: a cluster may have thousands."""
OTHER = "other"


class FindingKind(NamedTuple):
    """The properties by which findings are counted."""

    source: str
    severity: str
    code: str


class ViolatedPolicy(NamedTuple):
    """A policy and the UID of an object that violates it."""

    policy: str
    uid: str


class AuditResult:
    """The result of one audit; each object counts once for a policy, and once for a kind of finding.

    Attributes:
        enforcement: the enforcement of each active policy, by the policy's name.
        objects: the number of evaluated objects by kind.
        unevaluated: the number of objects that were not evaluated because of an internal error.
        applicable: the number of objects that a policy applies to, by the policy's name.
        violations: the number of objects that violate a policy, by the policy's name and the namespace.
        violating: the policies and objects behind these numbers.
        findings: the number of objects by kind of finding, for findings that are not violations.
    """

    def __init__(self, policies: PolicySet | None = None) -> None:
        active = () if policies is None else policies.policies
        self.enforcement: dict[str, Effect] = {each.name: each.enforcement for each in active}
        self.objects: Counter[str] = Counter()
        self.unevaluated = 0
        self.applicable: Counter[str] = Counter()
        self.violations: Counter[tuple[str, str]] = Counter()
        self.violating: set[ViolatedPolicy] = set()
        self.findings: Counter[FindingKind] = Counter()

    def add(
        self, stored: dict[str, Any], applicable: Iterable[str], reported: Sequence[Reported]
    ) -> None:
        """Count an object with the policies that apply to it, and the findings that are reported about it."""
        meta = stored["metadata"]
        self.objects[stored["kind"]] += 1
        self.applicable.update(applicable)
        self.findings.update(
            {
                FindingKind(finding.source, finding.severity, finding.code)
                for policy, finding in reported
                if not policy
            }
        )
        for policy in {policy for policy, _ in reported if policy}:
            self.violations[policy, meta["namespace"]] += 1
            self.violating.add(ViolatedPolicy(policy, meta["uid"]))

    def violating_objects(self, policy: str) -> int:
        """Return the number of objects that violate a policy."""
        return sum(count for (name, _), count in self.violations.items() if name == policy)

    def new_violations(self, before: AuditResult) -> Counter[str]:
        """Return the number of objects by policy that did not violate it in the audit before.

        The first audit of a policy is its baseline: none of its violations is new.
        """
        return Counter(
            policy
            for policy, _ in self.violating - before.violating
            if policy in before.enforcement
        )

    def namespaces_shown(self, before: Collection[str]) -> frozenset[str]:
        """Return the namespaces that metrics show by name; all others are counted together.

        A namespace that was shown before stays as long as it has violations, so that its series do not come
        and go; the places left are for the namespaces with the most violations.
        """
        totals: Counter[str] = Counter()
        for (_, namespace), count in self.violations.items():
            totals[namespace] += count
        ranked = sorted(totals, key=lambda name: (name not in before, -totals[name], name))
        return frozenset(ranked[:MAX_NAMESPACES])

    def bounded_violations(self, shown: Collection[str]) -> Mapping[tuple[str, str], int]:
        """Return the violations by policy and namespace, with :data:`OTHER` for namespaces not shown."""
        bounded: Counter[tuple[str, str]] = Counter()
        for (policy, namespace), count in self.violations.items():
            bounded[policy, namespace if namespace in shown else OTHER] += count
        return bounded
