"""What policies say about manifests, as a cluster with the webhook would: defaults, then verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace

from jobsworth.cli.inputs.policy_files import load_policies
from jobsworth.findings.finding import Finding
from jobsworth.policy.language.violation_codes import DEFAULT_NOT_APPLIED, UNREADABLE
from jobsworth.policy.policy_request import of_manifest
from jobsworth.policy.policy_set import PolicySet
from jobsworth.reports.result import INVALID, VALID, Located
from jobsworth.validation.engine import UnknownKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from jobsworth.api.server import ApiServer
    from jobsworth.manifests import Document
    from jobsworth.policy.enforcement import Judgement
    from jobsworth.policy.mutation.mutation import Mutation
    from jobsworth.policy.policy_request import PolicyRequest
    from jobsworth.reports.result import Result

    Old = Callable[[Document], Any]


@dataclass(frozen=True, slots=True)
class Admission:
    """What becomes of a request.

    Attributes:
        request: as it arrives; its object has the API server's defaults.
        mutation: what the policies' defaults do.
        judgement: what the policies say of the outcome.
    """

    request: PolicyRequest
    mutation: Mutation
    judgement: Judgement

    @property
    def findings(self) -> list[tuple[str, Finding]]:
        """The defaults that could not be filled in and the verdicts, each with the policy's name."""
        left_out = [
            (
                one.policy,
                Finding(
                    source="policy",
                    severity="warning",
                    code=DEFAULT_NOT_APPLIED,
                    field=one.field,
                    reason="DefaultNotApplied",
                    message=f"the default was left out: {one.why} (policy {one.policy})",
                ),
            )
            for one in self.mutation.left_out
        ]
        verdicts = ((verdict.policy, verdict.finding) for verdict in self.judgement.findings)
        return [*left_out, *verdicts]


def admit(policies: PolicySet, request: PolicyRequest, server: ApiServer) -> Admission:
    """What becomes of a request: the defaults are filled in, and the outcome is judged."""
    mutation = policies.default(request, server)
    judged = replace(request, object=mutation.object)
    return Admission(request, mutation, policies.judge(judged, server))


class Policies:
    """The policies under which manifests are judged, read when this is made.

    Args:
        paths: of files and folders.

    Raises:
        UsageError: they cannot be used.
    """

    __slots__ = ("_paths", "policies")

    def __init__(self, paths: tuple[str, ...]) -> None:
        self._paths = paths
        self.policies = load_policies(paths)

    def __reduce__(self) -> tuple[Any, ...]:
        # To another process by their paths: they are compiled into functions.
        return Policies, (self._paths,)

    def add_findings(
        self,
        documents: Iterable[Document],
        results: Sequence[Result],
        server: ApiServer,
        old: Old,
    ) -> None:
        """Add what the policies say to the results of a file.

        Args:
            documents: those of the file.
            results: what was found in them, in the same order; changed in place.
            server: the API server that they are for.
            old: gives the object that a document is an update of, or None.
        """
        for document, result in zip(documents, results, strict=True):
            if result.status in (VALID, INVALID):
                self._add(document, result, server, old(document))

    def _add(self, document: Document, result: Result, server: ApiServer, old: Any) -> None:
        try:
            # What cannot be decoded is an API error already; the policies evaluate the rest.
            request = of_manifest(document.value, server, old=old, readable=True)
        except UnknownKind:
            return
        admission = admit(self.policies, request, server)
        found = [one for one in admission.findings if one[1].code != UNREADABLE]
        if not found:
            return
        said = {(finding.code, finding.field) for _, finding in found}
        kept = [
            located
            for located in result.findings
            if located.finding.source != "lint"
            or (located.finding.code, located.finding.field) not in said
        ]
        result.replace_findings([*kept, *(_located(document, *one) for one in found)])


def _located(document: Document, policy: str, finding: Finding) -> Located:
    place = document.position(finding.field)
    excerpt = document.source_line(place.line)
    return Located(finding, place.line, place.column, excerpt, policy=policy)
