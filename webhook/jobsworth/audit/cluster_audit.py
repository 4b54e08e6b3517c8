"""What an audit needs to know of its cluster, and the results of its objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer, nearest_release
from jobsworth.audit.audited_objects import AuditProgress, AuditScope, audited_objects
from jobsworth.audit.job_owners import OwnersFindings, owner_of
from jobsworth.audit.stored_objects import StoredObjects
from jobsworth.client.api_errors import ApiError
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.finding import Reported, Threshold
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import VALID, Result
from jobsworth.lint.selection import Selection
from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet
from jobsworth.policy.policy_set import PolicySet

Labels = Mapping[str, Mapping[str, str]]
Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class AuditRules:
    """The rules of an audit.

    Attributes:
        server: the API server whose validation applies.
        selection: the lint rules to report.
        admission_policies: admission policies from files; None for none.
    """

    server: ApiServer
    selection: Selection
    admission_policies: AdmissionPolicySet | None = None

    def of_release(self, release: str) -> AuditRules:
        """Return the rules for another release of the API server.

        Raises:
            UnknownGate: the release has no feature gate of this one.
        """
        gates, privileged = dict(self.server.gates), self.server.allow_privileged
        return replace(self, server=ApiServer(release, gates, allow_privileged=privileged))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAudit:
    """An audit of a cluster.

    Attributes:
        cluster: the name of the cluster, for messages.
        stored_objects: the objects in it.
        scope: the objects to audit.
        release: the release to audit for, such as that of a planned upgrade; None for the cluster's.
        has_own_policies: also evaluate the cluster's own admission policies.
        note: reports what is unknown, or cannot be read.
    """

    cluster: str
    stored_objects: StoredObjects
    scope: AuditScope
    release: str | None
    has_own_policies: bool
    note: Note

    def releases(self) -> tuple[str, str | None]:
        """Return the cluster's release (empty if unknown), and the release to assume (None if unknown).

        Raises:
            ApiError: the cluster cannot be read.
        """
        runs, release = "", self.release
        try:
            runs = self.stored_objects.release()
        except ApiError as error:
            if error.code in (0, 200, 401):
                raise
            if release is None:
                newest = NEWEST_RELEASE
                self.note(
                    f"the cluster does not report its version: audited as Kubernetes {newest}"
                )
        if release is None and runs:
            release = nearest_release(runs)
            if release != runs:
                self.note(
                    f"the cluster runs Kubernetes {runs}, an unknown release: audited as Kubernetes {release}"
                )
        return runs, release

    def settings(self, runs: str, rules: AuditRules, policies: PolicySet | None) -> AuditSettings:
        """Return the settings of one audit, with what it needs of the cluster.

        Args:
            runs: the cluster's release; empty if unknown.
            rules: the rules, for the release to assume.
            policies: the policies; None for none.

        Raises:
            ApiError: the cluster cannot be read, or has no such namespace.
        """
        admission = rules.admission_policies
        if self.has_own_policies:
            admission = self._own_policies(rules.server.release)
        needed = policies is not None and policies.needs_namespace_labels
        labels = self.namespace_labels(wanted=needed or admission is not None)
        evaluator = Evaluator(
            rules.server,
            rules.selection,
            policies,
            stored_by=ApiServer(nearest_release(runs)) if runs else None,
            admission_policies=admission,
        )
        return AuditSettings(evaluator, rules.selection, labels)

    def namespace_labels(self, *, wanted: bool) -> Labels:
        """Read the namespaces' labels if a policy requires them, and check that the namespaces exist.

        Raises:
            ApiError: a named namespace does not exist.
        """
        return namespace_labels(
            self.stored_objects, self.scope, self.cluster, self.note, wanted=wanted
        )

    def _own_policies(self, release: str) -> AdmissionPolicySet:
        try:
            found = self.stored_objects.admission_policies(release, self.note)
        except ApiError as error:
            if error.code == 403:
                error.explanation = (
                    "cannot read the admission policies: grant list on validatingadmissionpolicies and "
                    "validatingadmissionpolicybindings of admissionregistration.k8s.io"
                )
            raise
        for each in found.notes:
            self.note(each)
        return found


class Audited(NamedTuple):
    """What a continuous audit needs of the evaluation of an object.

    Attributes:
        applicable: the names of the policies that apply to the object.
        reported: the findings, without their fixes.
    """

    applicable: tuple[str, ...]
    reported: tuple[Reported, ...]


class AuditSettings(NamedTuple):
    """The settings of one audit.

    Attributes:
        evaluator: evaluates objects with the active policies.
        selection: the lint rules to report.
        namespace_labels: the labels of namespaces, if a policy requires them.
    """

    evaluator: Evaluator
    selection: Selection
    namespace_labels: Labels

    def evaluate(self, stored: dict[str, Any]) -> Evaluation:
        """Evaluate a stored object."""
        labels = self.namespace_labels.get(stored["metadata"]["namespace"])
        return self.evaluator.evaluate(Subject(stored, "stored", namespace_labels=labels))

    def audited(self, stored: dict[str, Any]) -> Audited:
        """Evaluate a stored object, and return what a continuous audit needs."""
        evaluation = self.evaluate(stored)
        decisions = () if evaluation.policy is None else evaluation.policy.decisions
        return Audited(
            tuple(policy.name for policy, decision in decisions if decision.applies),
            tuple(
                (policy, finding if finding.fix is None else finding.changed(fix=None))
                for policy, finding in evaluation.reported(self.selection)
            ),
        )

    def judge_like(self, other: AuditSettings) -> bool:
        """Return True if these settings and others find the same in every object.

        Policies that were loaded again count as others.
        """
        mine, theirs = self.evaluator, other.evaluator
        return (
            mine.policies is theirs.policies
            and mine.admission_policies is theirs.admission_policies
            and (mine.server, mine.stored_by) == (theirs.server, theirs.stored_by)
            and self.selection == other.selection
            and self.namespace_labels == other.namespace_labels
        )


def namespace_labels(
    stored_objects: StoredObjects, scope: AuditScope, cluster: str, note: Note, *, wanted: bool
) -> Labels:
    """Read the namespaces' labels if a policy requires them, and check that the namespaces exist.

    Args:
        stored_objects: the objects stored in the cluster.
        scope: the objects to audit.
        cluster: the name of the cluster.
        note: reports that labels cannot be read.
        wanted: a policy requires them.

    Raises:
        ApiError: a named namespace does not exist.
    """
    labels: dict[str, Mapping[str, str]] = {}
    for namespace in scope.namespaces:
        if namespace is None and not wanted:
            continue
        try:
            labels |= stored_objects.namespace_labels(namespace)
        except ApiError as error:
            if error.not_found:
                error.explanation = f'{cluster} has no namespace "{namespace}"'
            if error.code != 403:
                raise
            if wanted:
                note(
                    "cannot read namespace labels; grant get and list on namespaces. Until then, policies "
                    "that select by them only warn, about every object"
                )
    return labels


class AuditedResults:
    """The results of one audit.

    Args:
        audit: the audit.
        settings: its settings.
        fail_on: the lowest severity whose findings make the run fail.

    Attributes:
        progress: the objects read and skipped so far.
        owners: the Jobs with the same findings as another of their owner.
    """

    def __init__(
        self, audit: ClusterAudit, settings: AuditSettings, fail_on: Threshold = "error"
    ) -> None:
        self._audit = audit
        self._settings = settings
        self._fail_on: Threshold = fail_on
        self.progress = AuditProgress()
        self.owners = OwnersFindings()

    def results(self, read: Callable[[], object]) -> Iterator[Result]:
        """Yield the result of each object that has findings of its own, or none.

        Args:
            read: called after each object.

        Raises:
            ApiError: the cluster cannot be read.
        """
        audit = self._audit
        for stored in audited_objects(audit.stored_objects, audit.scope, self.progress):
            result = self._result(stored)
            read()
            if result is not None:
                yield result

    def _result(self, stored: dict[str, Any]) -> Result | None:
        selection = self._settings.selection
        kind, meta = stored["kind"], stored["metadata"]
        namespace, name = meta["namespace"], meta["name"]
        found = self.owners.of(stored, self._settings.evaluate(stored).reported(selection))
        if found is None:
            return None
        owner = owner_of(stored) if kind == "Job" else None
        result = Result(
            file=f"{namespace}/{kind}/{name}",
            kind=kind,
            namespace=namespace,
            name=name,
            status=VALID,
            fail_on=self._fail_on,
            selected=selection.named,
            in_cluster=True,
            owner="" if owner is None else owner.title,
        )
        return result.with_findings(
            [LocatedFinding(finding, policy=policy) for policy, finding in found]
        )
