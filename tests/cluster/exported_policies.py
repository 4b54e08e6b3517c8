"""Requests under an exported policy, answered by jobsworth and by the API server's admission plugin."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cluster.native_policies import Request, reviews
from jobsworth.api.api_server import ApiServer
from jobsworth.policy.export.admission_policies import documents
from jobsworth.policy.export.exported_policy import (
    ExportedPolicy,
    exported_policy,
    without_parts,
)
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.reader import read
from jobsworth.policy.request import PolicyRequest

Codes = frozenset[tuple[str, str]]
"""Effects and codes of violations."""

_CODE = re.compile(r"\[(JP\d+)\]")
_ERROR = "resulted in error"
_FAILED = "JP041"


@dataclass(frozen=True)
class Comparison:
    """An exported policy beside the policy.

    Attributes:
        exported: the export.
        objects: its documents.
        exact: the policy with the parts that the API server enforces completely; None without any.
        any: the policy with the parts that it enforces at least in part.
    """

    exported: ExportedPolicy
    objects: Sequence[Mapping[str, Any]]
    exact: PolicySet | None
    any: PolicySet | None
    server: ApiServer

    def bounds(self, request: PolicyRequest) -> tuple[Codes, Codes]:
        """The violations that the API server must find, and those that it may find: what the webhook finds."""
        return self._found(self.exact, request), self._found(self.any, request)

    def violates(self, request: PolicyRequest) -> bool:
        """Return True if the webhook finds a violation."""
        return bool(self._found(self.any, request))

    def answers(self, requests: Sequence[PolicyRequest]) -> list[Codes]:
        """The violations that the API server's admission plugin finds."""
        found: list[Codes] = [frozenset() for _ in requests]
        answers = reviews(self.objects, [as_request(one) for one in requests])
        for name, of_policy in answers.items():
            for index, answer in enumerate(of_policy):
                for failure in answer.get("failures") or ():
                    found[index] |= codes_of(effect_of(name), failure["message"])
        return found

    def _found(self, policies: PolicySet | None, request: PolicyRequest) -> Codes:
        if policies is None:
            return frozenset()
        findings = policies.evaluate(request, self.server).findings
        return frozenset((each.effect, each.violation.code) for each in findings)


def comparison(document: Mapping[str, Any], release: str) -> Comparison:
    """Export a policy for a release."""
    (policy,) = read([document]).policies
    server = ApiServer(release)
    exported = exported_policy(document, policy, server.minor)

    def only(kept: bool, in_part: bool) -> PolicySet | None:
        others = [
            part
            for part in exported.parts
            if not (part.is_exported and in_part) and (part.is_left or not kept)
        ]
        rest = without_parts(document, others)
        return None if rest is None else read([rest])

    return Comparison(
        exported,
        documents(exported.admission_policies, {exported.name: exported.hash}),
        only(True, False),
        only(True, True),
        server,
    )


def effect_of(name: str) -> str:
    """The effect of an exported policy, which its name contains."""
    return next(one for one in ("deny", "warn", "audit") if f".{one}." in name)


def codes_of(effect: str, message: str) -> Codes:
    """The codes that a message contains; an expression without a value is JP041."""
    codes = [_FAILED] if _ERROR in message else _CODE.findall(message)
    return frozenset((effect, code) for code in codes or [f"no code: {message}"])


def as_request(request: PolicyRequest) -> Request:
    """The request as the admission plugin takes it."""
    made: Request = {
        "operation": request.operation,
        "object": request.object,
        "namespace": request.namespace,
        "name": request.name,
        "userInfo": {"username": request.user or "", "groups": list(request.groups)},
        "namespaceObject": {"metadata": {"labels": dict(request.namespace_labels or {})}},
        "options": {},
    }
    if request.old is not None:
        made["oldObject"] = request.old
    return made
