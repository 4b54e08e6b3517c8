"""The evaluator: the pipeline that the CLI, the library, the webhook and the audit share.

A subject is prepared for its source, by :mod:`jobsworth.evaluation.prepared`, ``request`` or ``stored``; then
all take the same steps. An object is decoded once, for lint rules, policies and the verdict, none of which
changes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.budget import MANIFEST, Budget, size
from jobsworth.evaluation.child_findings import (
    child_findings,
    errors_of_pods,
    without_rules_of_others,
)
from jobsworth.evaluation.evaluation import TOO_LARGE, Evaluation
from jobsworth.evaluation.prepared import PreparedObject, prepare_manifest, request_of_manifest
from jobsworth.evaluation.repeated_findings import (
    with_narrowest,
    without_rejected,
    without_rejected_numbers,
    without_repeated,
)
from jobsworth.evaluation.subject import Subject, WrittenScalar
from jobsworth.findings.finding import Finding, Reported
from jobsworth.lint.edit import Edit, edit_of
from jobsworth.lint.selection import Selection, linter_of
from jobsworth.validation.decoded_object import DecodedObject
from jobsworth.validation.engine import UnknownKind, engine_for

if TYPE_CHECKING:
    from jobsworth.evaluation.admission_mutation import AdmissionMutation
    from jobsworth.evaluation.findings_after_repair import RepairedObject
    from jobsworth.evaluation.policy_result import PolicyResult
    from jobsworth.kinds.child import PodOwner
    from jobsworth.kinds.kind_table import KindTable
    from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet
    from jobsworth.policy.policy_set import PolicySet
    from jobsworth.policy.request import PolicyRequest


class Evaluator:
    """Evaluates objects for one API server, one selection of lint rules and one set of policies.

    Safe to share between threads.

    Args:
        server: the API server whose verdict is evaluated: the cluster's, or that of a planned upgrade.
        selection: the lint rules to run; None for those that are on by default.
        policies: the organization's policies; None for none.
        api: evaluate the API server's verdict.
        lint: run lint rules.
        lint_accepted: also run them on an object that the API server accepts. Without policies no other is
            rejected, and the rules that are on by default report no errors.
        stored_by: the server that set the defaults of stored objects, if it is not `server`.
        budget: the work that one object may cause; a larger object is not evaluated.
        kinds: the kinds that contain Jobs or Pod templates; None for the shipped ones.
        admission_policies: the cluster's admission policies; None for none.
    """

    __slots__ = (
        "_api", "_budget", "_engine", "_lint_accepted", "_linter", "_lints",
        "_own_kinds", "_storing", "admission_policies", "policies", "server", "stored_by",
    )  # fmt: skip

    def __init__(
        self,
        server: ApiServer,
        selection: Selection | None = None,
        policies: PolicySet | None = None,
        *,
        api: bool = True,
        lint: bool = True,
        lint_accepted: bool = True,
        stored_by: ApiServer | None = None,
        budget: Budget = MANIFEST,
        kinds: KindTable | None = None,
        admission_policies: AdmissionPolicySet | None = None,
    ) -> None:
        self.server = server
        self.admission_policies = admission_policies
        self._own_kinds = kinds
        self._budget = budget
        self.policies = policies
        self._engine = engine_for(server)
        self.stored_by = stored_by
        self._storing = None if stored_by in (None, server) else engine_for(stored_by)
        self._api = api
        self._lints = lint
        self._lint_accepted = lint_accepted
        self._linter = linter_of(selection or Selection())

    def evaluate(self, subject: Subject) -> Evaluation:
        """Evaluate an object.

        Args:
            subject: the object and its request, as far as that is known.
        """
        evaluation = self._evaluation(subject)
        is_update = subject.source == "manifest" and subject.old is not None
        if is_update and (evaluation.has_fixes or _rejected(evaluation.api)):
            from jobsworth.evaluation.recreated import unless_recreated, without_rejected_fixes

            if _rejected(evaluation.api):
                evaluation = unless_recreated(evaluation, subject, self._evaluation)
            return without_rejected_fixes(evaluation, subject, self._engine)
        return evaluation

    def _evaluation(self, subject: Subject) -> Evaluation:
        if self._is_too_large(subject):
            found = [_too_large(self._budget)]
            return Evaluation(subject.value, lint=found, unreadable=(TOO_LARGE,))
        try:
            prepared = self._prepared(subject)
        except UnknownKind:
            evaluation = self._of_other_kind(subject)
            if evaluation.known:
                return evaluation
        else:
            evaluation = self._evaluated(prepared, subject)
        if subject.source == "manifest" and evaluation.has_fixes:
            return _without_fixes_out_of_scope(evaluation, subject)
        return evaluation

    def _evaluated(self, prepared: PreparedObject, subject: Subject) -> Evaluation:
        mutation = self._mutation(prepared)
        if mutation is not None:
            prepared = mutation.prepared
        policy = self._policy_result(prepared)
        if mutation is not None and mutation.again(policy):
            prepared = mutation.prepared
            policy = self._policy_result(prepared)
        api = self._verdict(prepared, policy, subject.owner)
        lint: list[Finding] = []
        if _rejected(api):
            lint = self._lint_findings(prepared, subject)
        elif self._lint_accepted:
            lint = self._lint_findings(prepared, subject)
            lint += self._child_findings(prepared, subject.owner)
        if api and lint:
            api = without_repeated(api, lint)
        further: Sequence[Finding] = ()
        repaired: RepairedObject | None = None
        if mutation is not None and api:
            api = mutation.with_hints(api)
        if subject.written is not None and _rejected(api):
            api = with_narrowest(self._with_fixes(api, prepared, subject.written))
            lint = self._without_rejected(lint, api, prepared, subject)
            further, repaired = self._further(api, prepared, subject, subject.written)
        return Evaluation(
            prepared.value,
            api,
            lint,
            policy,
            prepared.unreadable,
            further=further,
            repaired=repaired,
            admission=self._admission_findings(prepared, policy, mutation),
        )

    def _of_other_kind(self, subject: Subject) -> Evaluation:
        """Evaluate an object that is neither a Job nor a CronJob, and report one that overwrites another."""
        children = self._children(subject)
        evaluation = self._unvalidated(subject) if children is None else children
        neighbors = subject.neighbors
        if subject.source != "manifest" or neighbors is None or len(neighbors.values) < 2:
            return evaluation
        from jobsworth.evaluation.fixes.fix_scope import not_applied
        from jobsworth.lint.rules.job_names import name_twice_in_file, other_name_twice_in_file

        if not self._lints or not self._linter.selects(name_twice_in_file):
            return evaluation
        found = other_name_twice_in_file(subject.value, neighbors)
        if found is None or not_applied(subject.value, subject.file):
            return evaluation
        return evaluation.replace(lint=(*evaluation.lint, found))

    def _children(self, subject: Subject) -> Evaluation | None:
        """Evaluate what operators create from an object of another kind; None if that is nothing."""
        value = subject.value
        if subject.source != "manifest" or not isinstance(value, dict):
            return None
        if not self._kinds.templates_of(value.get("apiVersion"), value.get("kind")):
            return None  # most objects of other kinds have no templates
        from jobsworth.api.jobset.versions import is_job_set

        if is_job_set(value):
            from jobsworth.evaluation.job_sets import evaluate_job_set

            return evaluate_job_set(
                subject, self._kinds, self.server, self.evaluate, self._linter.selects
            )
        from jobsworth.evaluation.children import evaluate_children

        most = self._budget.findings
        return evaluate_children(subject, self._kinds, self.server, self.evaluate, most)

    def _unvalidated(self, subject: Subject) -> Evaluation:
        """Report a likely typo in the kind of an object, or what of it is not validated."""
        from jobsworth.evaluation.children import findings_on_unvalidated
        from jobsworth.evaluation.fixes.fix_scope import are_helm_values
        from jobsworth.lint.misidentified import near_miss

        found = near_miss(subject.value)
        if found is not None and found.severity == "warning" and are_helm_values(subject.file):
            found = None
        findings = (
            findings_on_unvalidated(subject.value, self._kinds, self.server)
            if found is None
            else [found]
        )
        return Evaluation(subject.value, lint=tuple(findings), known=False)

    @property
    def _kinds(self) -> KindTable:
        if self._own_kinds is not None:
            return self._own_kinds
        from jobsworth.kinds.kind_table import SHIPPED  # most runs meet Jobs only

        return SHIPPED

    def _is_too_large(self, subject: Subject) -> bool:
        most, bound = self._budget.values, subject.most_values
        if bound is not None and bound <= most:
            return False
        return any(size(value, most) > most for value in (subject.value, subject.old))

    def _prepared(self, subject: Subject) -> PreparedObject:
        if subject.source == "manifest":
            return prepare_manifest(subject, self._engine, self._budget.findings)
        if subject.source == "request":
            from jobsworth.evaluation.request import prepare_request

            return prepare_request(subject, self._engine, self._budget.findings)
        from jobsworth.evaluation.stored import prepare_stored

        return prepare_stored(subject, self._engine, self._storing)

    def _lint_findings(self, prepared: PreparedObject, subject: Subject) -> list[Finding]:
        if prepared.linted is None:
            return []
        edit = None if prepared.old is None else edit_of(prepared.old, subject.now)
        found = self._lint(prepared.linted, subject, edit)
        if found and prepared.bare is not None:
            codes = frozenset(finding.code for finding in found)
            linter = linter_of(Selection(select=codes))
            bare = linter.lint(prepared.bare(), self._engine)
            also = {(each.code, each.field) for each in bare}
            found = [finding for finding in found if (finding.code, finding.field) in also]
        return found

    def _without_rejected(
        self,
        lint: list[Finding],
        api: Sequence[Finding],
        prepared: PreparedObject,
        subject: Subject,
    ) -> list[Finding]:
        """Return lint findings without those about a value that the API server rejects."""
        edit = None if prepared.old is None else edit_of(prepared.old, subject.now)

        def lint_of(value: Any) -> list[Finding]:
            return self._lint(self._engine.decode_object(value), subject, edit)

        return without_rejected_numbers(without_rejected(lint, api), api, prepared.value, lint_of)

    def _child_findings(self, prepared: PreparedObject, owner: PodOwner) -> list[Finding]:
        """Return the findings about the Pods that an accepted object would create."""
        if prepared.linted is None or not self._lints:
            return []
        return child_findings(self._engine, prepared.linted, owner)

    def _lint(
        self,
        decoded: DecodedObject,
        subject: Subject,
        edit: Edit | None = None,
    ) -> list[Finding]:
        if not self._lints:
            return []
        most = self._budget.findings
        found = self._linter.lint(
            decoded, self._engine, most, subject.neighbors, edit, variables=subject.variables
        )
        if len(found) > most:
            from jobsworth.validation.verdict_findings import stopped

            return [*found[:most], stopped(most)]
        return found

    def _policy_result(self, prepared: PreparedObject) -> PolicyResult | None:
        """Return what the policies say; None without policies."""
        policies, policy_request = self.policies, prepared.policy_request
        if policies is None or not policies.policies or policy_request is None:
            return None
        from jobsworth.evaluation.policy_result import PolicyResult, result_for_manifest

        request = policy_request()
        if prepared.is_sent:
            return result_for_manifest(policies, request, self.server)
        verdict = policies.evaluate(request, self.server, prepared.linted or prepared.decoded)
        return PolicyResult(policies, request, verdict, None)

    def _mutation(self, prepared: PreparedObject) -> AdmissionMutation | None:
        """Apply the MutatingAdmissionPolicies to an object whose values can be read; None without any."""
        policies = self.admission_policies
        if policies is None or not policies.mutating or prepared.unreadable:
            return None
        if prepared.policy_request is None:
            return None
        from jobsworth.evaluation.admission_mutation import AdmissionMutation

        return AdmissionMutation(policies, prepared, self._engine)

    def _admission_findings(
        self,
        prepared: PreparedObject,
        policy: PolicyResult | None,
        mutation: AdmissionMutation | None,
    ) -> Sequence[Reported]:
        """Return what admission policies say about an object whose values can be read."""
        policies, policy_request = self.admission_policies, prepared.policy_request
        if policies is None or policy_request is None or prepared.unreadable:
            return ()
        from jobsworth.evaluation.admission_mutation import admission_findings

        found = admission_findings(policies, policy_request(), policy)
        return found if mutation is None else [*mutation.findings, *found]

    def _verdict(
        self, prepared: PreparedObject, policy: PolicyResult | None, owner: PodOwner
    ) -> Sequence[Finding]:
        """Return what the API server reports, after the defaults of the policies."""
        if not self._api:
            return ()
        found: Sequence[Finding] = ()
        if prepared.has_verdict:
            found = self._engine.verdict(prepared.decoded, prepared.old, self._budget.findings)
        if policy is not None and policy.mutation is not None and policy.mutation.restored:
            from jobsworth.api.field_errors import IMMUTABLE

            kept = policy.mutation.restored  # the webhook keeps these fields as they are stored
            found = [one for one in found if one.field not in kept or one.rule != IMMUTABLE]
        if owner != "Job":
            found = without_rules_of_others(found, owner)
        if owner == "Pod" and prepared.linted is not None:
            found = [*found, *errors_of_pods(self._engine, prepared.linted)]
        return found

    def _with_fixes(
        self, api: Sequence[Finding], prepared: PreparedObject, written: WrittenScalar
    ) -> list[Finding]:
        """Return the API server's findings with fixes and hints."""
        from jobsworth.evaluation.fixes.api_fixes import with_fixes
        from jobsworth.evaluation.fixes.api_hints import with_changes

        found = with_fixes(api, prepared.value, self.server, written)
        return with_changes(found, prepared.value, prepared.old, self._engine)

    def _further(
        self,
        api: Sequence[Finding],
        prepared: PreparedObject,
        subject: Subject,
        written: WrittenScalar,
    ) -> tuple[Sequence[Finding], RepairedObject | None]:
        """Return what the API server would report without decoding errors, and for which copy."""
        from jobsworth.evaluation.findings_after_repair import findings_after_repair

        return findings_after_repair(
            prepared.value,
            api,
            self._engine,
            old=prepared.old,
            written=written,
            lint=lambda decoded: self._lint(decoded, subject),
            max_findings=self._budget.findings,
        )

    def mutate(self, subject: Subject) -> Evaluation:
        """Apply the defaults of the policies to the object of a request, without checking their limits.

        If the object has a value of the wrong type, no default is set and there is no policy result.
        """
        assert self.policies is not None
        if self._is_too_large(subject):
            return Evaluation(subject.value, unreadable=(TOO_LARGE,))
        from jobsworth.evaluation.policy_result import PolicyResult
        from jobsworth.evaluation.request import request_to_default
        from jobsworth.policy.enforcement import NO_VIOLATIONS

        request, unreadable = request_to_default(subject, self._engine, self._budget.findings)
        if request is None:
            return Evaluation(subject.value, unreadable=unreadable)
        mutation = self.policies.default(request, self.server)
        policy = PolicyResult(self.policies, request, NO_VIOLATIONS, mutation)
        return Evaluation(subject.value, policy=policy, unreadable=unreadable)

    def policy_request(self, subject: Subject) -> PolicyRequest:
        """Return the request that a manifest becomes when a client sends it.

        Raises:
            UnknownKind: the manifest is neither a Job nor a CronJob of ``batch/v1``.
            CannotDecode: the API server could not decode it, or the object that it replaces.
        """
        return request_of_manifest(subject, self._engine)

    def apply(self, request: PolicyRequest) -> PolicyResult:
        """Apply the policies to the request of a manifest as a cluster does: defaults, then limits."""
        from jobsworth.evaluation.policy_result import apply_policies

        assert self.policies is not None
        return apply_policies(self.policies, request, self.server)


def _too_large(budget: Budget) -> Finding:
    from jobsworth.lint.manifest_rules import TOO_LARGE as TOO_LARGE_RULE

    return TOO_LARGE_RULE.finding(
        "",
        f"the object has more than {budget.values:,} values and was not evaluated; "
        "move bulk data into a ConfigMap or an image",
    )


def _rejected(api: Iterable[Finding]) -> bool:
    return any(finding.severity == "error" for finding in api)


def _without_fixes_out_of_scope(evaluation: Evaluation, subject: Subject) -> Evaluation:
    """Return the evaluation of a document without the fixes that no client would apply."""
    from jobsworth.evaluation.fixes.fix_scope import in_scope

    value, file, beside = subject.value, subject.file, subject.beside
    now = [*evaluation.api, *evaluation.lint]
    scoped = in_scope(now, value, file, beside)
    further = in_scope(evaluation.further, value, file, beside, others=now)
    return evaluation.replace(
        api=[finding for finding in scoped.findings if finding.source == "api"],
        lint=[finding for finding in scoped.findings if finding.source != "api"],
        further=further.findings,
        withheld=[*scoped.withheld, *further.withheld],
        withheld_reason=scoped.reason or further.reason,
    )
