"""The evaluator: the pipeline that the CLI, the webhook and the audit share.

An object is decoded once, for lint rules and policies. The API server's verdict comes last, because it
changes the decoded object as the server does. :func:`jobsworth.evaluation.evaluation.merged` decides which
findings are reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.evaluation.budget import MANIFEST, size
from jobsworth.evaluation.evaluation import (
    TOO_LARGE,
    UNKNOWN_FIELD,
    UNKNOWN_KIND,
    WRONG_TYPE,
    Evaluation,
    PolicyResult,
)
from jobsworth.lint.linter import Linter
from jobsworth.lint.selection import Selection
from jobsworth.validation.engine import (
    CannotDecode,
    UnknownKind,
    engine_for,
    is_known,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from jobsworth.api.api_server import ApiServer
    from jobsworth.api.field_errors import FieldError
    from jobsworth.evaluation.budget import Budget
    from jobsworth.evaluation.evaluation import Unreadable
    from jobsworth.evaluation.findings_after_repair import RepairedObject
    from jobsworth.evaluation.subject import Subject, WrittenScalar
    from jobsworth.findings.finding import Finding
    from jobsworth.policy.enforcement import EnforcedViolation
    from jobsworth.policy.policy_set import PolicySet
    from jobsworth.policy.request import PolicyRequest
    from jobsworth.validation.decoded_object import DecodedObject


class Evaluator:
    """Evaluates objects for one API server, one selection of lint rules and one set of policies.

    Safe to share between threads.

    Args:
        server: the API server whose verdict is evaluated: the cluster's, or that of a planned upgrade.
        selection: the lint rules to run; None for those that are on by default.
        policies: the organization's policies; None for none.
        api: evaluate the API server's verdict.
        lint: run lint rules.
        stored_by: the server that set the defaults of stored objects, if it is not `server`.
        budget: the work that one object may cause; a larger object is not evaluated.
    """

    __slots__ = (
        "_api", "_budget", "_engine", "_lint", "_linter", "_narrow", "_storing", "policies", "server",
    )  # fmt: skip

    def __init__(
        self,
        server: ApiServer,
        selection: Selection | None = None,
        policies: PolicySet | None = None,
        *,
        api: bool = True,
        lint: bool = True,
        stored_by: ApiServer | None = None,
        budget: Budget = MANIFEST,
    ) -> None:
        self.server = server
        self._budget = budget
        self.policies = policies
        self._engine = engine_for(server)
        self._storing = stored_by if stored_by is not None and stored_by != server else None
        self._api = api
        self._lint = lint
        self._linter = Linter((selection or Selection()).selects)
        self._narrow: dict[frozenset[str], Linter] = {}

    def evaluate(self, subject: Subject) -> Evaluation:
        """Evaluate an object.

        Args:
            subject: the object and its request, as far as that is known.
        """
        if self._is_too_large(subject):
            found = [_too_large(self._budget)]
            return Evaluation(subject.value, lint=found, unreadable=(TOO_LARGE,))
        if subject.source == "manifest":
            return self._manifest(subject)
        return self._request(subject) if subject.source == "request" else self._stored(subject)

    def _is_too_large(self, subject: Subject) -> bool:
        most, bound = self._budget.values, subject.most_values
        if bound is not None and bound <= most:
            return False
        return any(size(value, most) > most for value in (subject.value, subject.old))

    def _manifest(self, subject: Subject) -> Evaluation:
        value, written, most = subject.value, subject.written, self._budget.findings
        try:
            decoded = self._engine.decode_object(value, most)
        except UnknownKind:
            return self._misidentified(subject)
        # An update cannot be compared with an object of another version, such as batch/v1beta1.
        old = subject.old if is_known(subject.old) else None
        lint = self._linted(decoded, subject)
        policy = self._manifest_policy(subject, decoded, old)
        # The verdict comes last, because it changes the decoded object.
        api = self._verdict(decoded, old, policy)
        if written is not None and any(finding.severity == "error" for finding in api):
            from jobsworth.evaluation.fixes.api_fixes import with_fixes

            api = with_fixes(api, value, self.server, written)
            if old is not None:
                api = self._with_changes(api, value, old)
        evaluation = Evaluation(value, api, lint, policy, _reasons(decoded))
        if written is not None and decoded.findings and api:
            evaluation.further, evaluation.repaired = self._further(subject, api, old, written)
        return _in_scope(evaluation, subject)

    def _linted(self, decoded: DecodedObject, subject: Subject) -> list[Finding]:
        if not self._lint:
            return []
        most = self._budget.findings
        found = self._linter.lint(decoded, self._engine, most, subject.neighbors)
        if len(found) > most:
            from jobsworth.validation.verdict_findings import stopped

            return [*found[:most], stopped(most)]
        return found

    def _manifest_policy(
        self, subject: Subject, decoded: DecodedObject, old: Any
    ) -> PolicyResult | None:
        """Return what the policies say about a manifest; None without policies."""
        if self.policies is None:
            return None
        stored = None if old is None else self._engine.decode_object(old)
        policy = self.apply(self._manifest_request(subject, decoded, stored))
        if stored is None and self.policies.depends_on_ownership and not policy.verdict.denied:
            policy.denied_after_create = self._denied_after_create(policy.request)
        return policy

    def _verdict(
        self, decoded: DecodedObject, old: Any, policy: PolicyResult | None
    ) -> list[Finding]:
        """Return what the API server reports about a manifest after the defaults of the policies."""
        if not self._api:
            return []
        found = self._engine.verdict(decoded, old, self._budget.findings)
        if policy is not None and policy.mutation is not None and policy.mutation.restored:
            from jobsworth.api.field_errors import IMMUTABLE

            kept = policy.mutation.restored  # the webhook keeps these fields as they are stored
            return [one for one in found if one.field not in kept or one.rule != IMMUTABLE]
        return found

    def _further(
        self, subject: Subject, api: Sequence[Finding], old: Any, written: WrittenScalar
    ) -> tuple[list[Finding], RepairedObject | None]:
        """Return what the API server would report once the decoding errors are fixed, and for which copy."""
        from jobsworth.evaluation.findings_after_repair import (
            MAX_REPAIRS,
            is_decoding_error,
            repaired,
        )
        from jobsworth.evaluation.fixes.api_fixes import with_fixes

        if not any(map(is_decoding_error, api)):
            return [], None
        copy = repaired(subject.value, api)
        if copy is None:
            return [], None
        most = self._budget.findings
        further: list[Finding] = []
        decoded = self._engine.decode_object(copy.value, most)
        while not decoded.is_valid and len(further) < MAX_REPAIRS:
            # The repair of a misspelled field shows the errors inside of it.
            nested = with_fixes(decoded.findings, copy.value, self.server, written)
            repaired_again = repaired(copy.value, nested, copy)
            if repaired_again is None:
                break
            further += [copy.with_applicable_fix(each, subject.value) for each in nested]
            copy = repaired_again
            decoded = self._engine.decode_object(copy.value, most)
        if not decoded.is_valid:
            return further, copy
        # The absence of a deleted field must not look like an omission.
        lint = (
            self._linter.lint(decoded, self._engine, most, subject.neighbors)
            if self._lint and copy.is_complete
            else []
        )
        found = self._engine.verdict(decoded, old, most)
        known = set(api)
        found = [finding for finding in found if finding not in known and copy.keeps(finding)]
        found = with_fixes(found, copy.value, self.server, written)
        found += filter(copy.keeps, lint)
        further += [copy.with_applicable_fix(each, subject.value) for each in found]
        return further, copy

    def _with_changes(
        self, api: Sequence[Finding], value: dict[str, Any], old: dict[str, Any]
    ) -> list[Finding]:
        """Return the findings with hints on what differs in an immutable field."""
        from jobsworth.api.field_errors import IMMUTABLE
        from jobsworth.evaluation.fixes.api_hints import immutable_hint

        if not any(finding.rule == IMMUTABLE for finding in api):
            return list(api)
        new, stored = self._engine.default(value), self._engine.default(old)
        return [immutable_hint(finding, new, stored) for finding in api]

    def _misidentified(self, subject: Subject) -> Evaluation:
        from jobsworth.lint.misidentified import near_miss

        miss = near_miss(subject.value)
        found = () if miss is None else (miss,)
        return _in_scope(Evaluation(subject.value, lint=found, known=False), subject)

    def _request(self, subject: Subject) -> Evaluation:
        from jobsworth.provenance import generated_fields

        value = subject.value
        decoded, errors, reasons = self._decoded_request(
            subject, generated_fields.strip_admitted(value) if subject.old is None else value
        )
        policy = None
        if self.policies is not None and self.policies.policies:
            request = self._admission_request(subject, decoded, errors)
            verdict = self.policies.evaluate(request, self.server, decoded)
            policy = PolicyResult(self.policies, request, verdict, None)
        api: list[Finding] = []
        comparable = subject.old is None or is_known(subject.old)
        if self._api and comparable and UNKNOWN_KIND not in reasons:
            api = self._engine.verdict(decoded, subject.old, self._budget.findings)
        return Evaluation(value, api, (), policy, reasons)

    def mutate(self, subject: Subject) -> Evaluation:
        """Apply the defaults of the policies to the object of a request, without checking their limits.

        If the object has a value of the wrong type, no default is set and there is no policy result.
        """
        assert self.policies is not None
        if self._is_too_large(subject):
            return Evaluation(subject.value, unreadable=(TOO_LARGE,))
        decoded, errors, reasons = self._decoded_request(subject, subject.value)
        if errors:
            return Evaluation(subject.value, unreadable=reasons)
        from dataclasses import replace

        from jobsworth.policy.enforcement import NO_VIOLATIONS

        request = self._admission_request(subject, decoded, errors)
        # Both in the same form, so that a difference between them is a change by the client.
        old = request.old and self._engine.encoded(self._engine.decode_object(request.old))
        request = replace(request, object=self._engine.encoded(decoded), old=old)
        mutation = self.policies.default(request, self.server)
        policy = PolicyResult(self.policies, request, NO_VIOLATIONS, mutation)
        return Evaluation(subject.value, policy=policy, unreadable=reasons)

    def _stored(self, subject: Subject) -> Evaluation:
        """Evaluate a stored object as if a client created it today from its original manifest."""
        from jobsworth.policy.request import CREATE, PolicyRequest
        from jobsworth.provenance.generated_fields import strip_generated
        from jobsworth.provenance.server_defaults import strip_defaults

        manifest = strip_generated(subject.value)
        storing = self._storing
        if storing is not None and engine_for(storing).decode_object(manifest).is_valid:
            manifest = strip_defaults(manifest, storing)
        decoded = stored = self._engine.decode_object(manifest)
        if storing is not None and decoded.is_valid:
            # Lint the object with the defaults of this server, as it would store it.
            manifest = self._engine.encoded(decoded)
            stored = self._engine.decode_object(manifest)
        lint, policy = self._lint_either_way(stored, manifest), None
        if self.policies is not None and decoded.is_valid:
            meta = manifest["metadata"]
            request = PolicyRequest(
                operation=CREATE,
                kind=manifest["kind"],
                namespace=meta.get("namespace", ""),
                name=meta.get("name", ""),
                object=manifest,
                namespace_labels=subject.namespace_labels,
            )
            verdict = self.policies.evaluate(request, self.server, stored)
            policy = PolicyResult(self.policies, request, verdict, None)
        api = self._engine.verdict(decoded, None, self._budget.findings) if self._api else []
        return Evaluation(manifest, api, lint, policy, _reasons(decoded))

    def _lint_either_way(self, decoded: DecodedObject, manifest: dict[str, Any]) -> list[Finding]:
        """Return the lint findings that are independent of who wrote the stored defaults.

        Some rules check what a client wrote, which is unknown for a stored object.
        """
        found = self._linter.lint(decoded, self._engine) if self._lint else []
        if not found:
            return found
        from jobsworth.provenance.server_defaults import strip_defaults

        codes = frozenset(finding.code for finding in found)
        narrow = self._narrow.get(codes)
        if narrow is None:
            narrow = self._narrow[codes] = Linter(Selection(select=codes).selects)
        bare = self._engine.decode_object(strip_defaults(manifest, self.server))
        also = {(each.code, each.field) for each in narrow.lint(bare, self._engine)}
        return [finding for finding in found if (finding.code, finding.field) in also]

    def apply(self, request: PolicyRequest) -> PolicyResult:
        """Apply policies to the request of a manifest as a cluster does: defaults, then limits."""
        assert self.policies is not None
        from dataclasses import replace

        mutation = self.policies.default(request, self.server)
        defaulted = replace(request, object=mutation.object)
        verdict = self.policies.evaluate(defaulted, self.server)
        return PolicyResult(self.policies, request, verdict, mutation)

    def _denied_after_create(self, request: PolicyRequest) -> list[EnforcedViolation]:
        """Return the violations for which a plain create of a manifest is denied."""
        from dataclasses import replace

        from jobsworth.provenance.apply_methods import PLAIN_CREATE, as_written

        assert request.manifest is not None
        created = replace(request, manifest=as_written(request.manifest, PLAIN_CREATE))
        verdict = self.apply(created).verdict
        return [enforced for enforced in verdict.findings if enforced.effect == "deny"]

    def policy_request(self, subject: Subject) -> PolicyRequest:
        """Return the request that a manifest becomes when a client sends it.

        Raises:
            UnknownKind: the manifest is neither a Job nor a CronJob of ``batch/v1``.
            CannotDecode: the API server could not decode it, or the object that it replaces.
        """
        decoded = self._engine.decode_object(subject.value)
        old = None if subject.old is None else self._engine.decode_object(subject.old)
        for each in (decoded, old):
            if each is not None and not each.is_valid:
                raise CannotDecode(each.findings)
        return self._manifest_request(subject, decoded, old)

    def _manifest_request(
        self, subject: Subject, decoded: DecodedObject, old: DecodedObject | None
    ) -> PolicyRequest:
        from jobsworth.policy import request

        filled = self._engine.encoded(decoded)
        metadata = filled["metadata"]
        return request.PolicyRequest(
            operation=request.CREATE if old is None else request.UPDATE,
            kind=filled["kind"],
            namespace=metadata.get("namespace") or subject.namespace or "default",
            name=metadata.get("name") or "",
            object=filled,
            old=None if old is None else self._engine.encoded(old),
            user=subject.user,
            groups=subject.groups,
            namespace_labels=subject.namespace_labels,
            unreadable=decoded.unreadable,
            manifest=subject.value,
        )

    def _decoded_request(
        self, subject: Subject, value: dict[str, Any]
    ) -> tuple[DecodedObject, tuple[FieldError, ...], tuple[Unreadable, ...]]:
        """Decode the object of a request, which must be of the kind of the request's resource."""
        most = self._budget.findings
        if is_known(value) and value["kind"] == subject.kind:
            decoded = self._engine.decode_object(value, most)
            return decoded, decoded.unreadable, _reasons(decoded)
        from jobsworth.api.field_errors import invalid

        known = {"apiVersion": "batch/v1", "kind": subject.kind}
        decoded = self._engine.decode_object({**value, **known}, most)
        shown = f"{value.get('apiVersion')}, kind {value.get('kind')}"
        error = invalid("apiVersion", shown, f"must be batch/v1, kind {subject.kind}")
        return decoded, (error, *decoded.unreadable), (UNKNOWN_KIND, *_reasons(decoded))

    def _admission_request(
        self, subject: Subject, decoded: DecodedObject, errors: tuple[FieldError, ...]
    ) -> PolicyRequest:
        from jobsworth.policy import request

        return request.PolicyRequest(
            operation=request.CREATE if subject.old is None else request.UPDATE,
            kind=subject.kind,
            namespace=subject.namespace,
            name=subject.name,
            object=self._as_policies_see_it(subject.value, decoded, whole=not errors),
            old=self._old(subject.old),
            user=subject.user,
            groups=subject.groups,
            namespace_labels=subject.namespace_labels,
            dry_run=subject.dry_run,
            options=subject.options,
            unreadable=errors,
            manifest=subject.value,  # as sent, with its records of field ownership
        )

    def _as_policies_see_it(
        self, value: dict[str, Any], decoded: DecodedObject, *, whole: bool
    ) -> dict[str, Any]:
        # Keep the defaults that a server has set: its release may be newer than any that we know.
        from jobsworth.provenance import generated_fields

        if whole and decoded.is_valid and generated_fields.came_from_a_server(value):
            return value
        return self._engine.encoded(decoded)

    def _old(self, old: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return the stored object as policies see it; None, as for a create, if it cannot be decoded."""
        if old is None:
            return None
        try:
            decoded = self._engine.decode_object(old)
        except UnknownKind:
            return None
        if decoded.unreadable:
            return None
        return self._as_policies_see_it(old, decoded, whole=True)


def _too_large(budget: Budget) -> Finding:
    from jobsworth.lint.skipped_document_rules import TOO_LARGE as TOO_LARGE_RULE

    return TOO_LARGE_RULE.finding(
        "",
        f"the object has more than {budget.values:,} values and was not evaluated; "
        "move bulk data into a ConfigMap or an image",
    )


def _reasons(decoded: DecodedObject) -> tuple[Unreadable, ...]:
    unknown: tuple[Unreadable, ...] = (UNKNOWN_FIELD,) if decoded.unknown else ()
    return (*unknown, WRONG_TYPE) if decoded.unreadable else unknown


def _in_scope(evaluation: Evaluation, subject: Subject) -> Evaluation:
    """Withhold the fixes of a document that no client applies."""
    found = [*evaluation.api, *evaluation.lint, *evaluation.further]
    if all(finding.fix is None for finding in found):
        return evaluation
    from jobsworth.evaluation.fixes.fix_scope import in_scope

    now = [*evaluation.api, *evaluation.lint]
    scoped = in_scope(now, subject.value, subject.file, subject.beside)
    evaluation.api = [finding for finding in scoped.findings if finding.source == "api"]
    evaluation.lint = [finding for finding in scoped.findings if finding.source != "api"]
    evaluation.withheld, evaluation.withheld_reason = scoped.withheld, scoped.reason
    if evaluation.further:
        further = in_scope(
            evaluation.further, subject.value, subject.file, subject.beside, others=now
        )
        evaluation.further = further.findings
        evaluation.withheld = [*scoped.withheld, *further.withheld]
        evaluation.withheld_reason = scoped.reason or further.reason
    return evaluation
