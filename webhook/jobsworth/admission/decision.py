"""Decide admission requests: the patch of ``/mutate`` and the verdict of ``/validate``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from jobsworth.admission import denial, review
from jobsworth.admission.answer_limits import MAX_BYTES, cut, warning_texts
from jobsworth.admission.json_patch import patch
from jobsworth.admission.outcome import Answer, Verdict
from jobsworth.admission.review import AdmissionRequest, AdmissionResponse, BadReview
from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.budget import REQUEST, most_values
from jobsworth.evaluation.evaluation import TOO_LARGE
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.finding import Finding
from jobsworth.policy.enforcement import NO_VIOLATIONS
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.violation import Violation
from jobsworth.provenance.generated_fields import came_from_a_server

NamespaceLabels = Callable[[str], Mapping[str, str] | None]
"""Returns the labels of a namespace by its name; None if they are unknown."""

ApiVerdict = Literal["deny", "warn", "off"]
"""Ways to handle an object that the API server would reject."""

MAX_KEY_LETTERS = 63
"""The longest key of an audit annotation; the API server prefixes it with the name of the webhook."""

_UNDECODABLE = frozenset({"UnknownField", "FieldValueTypeInvalid"})
_STORED_UNREADABLE = "StoredObjectUnreadable"
_SERVER_WARNING = "ServerWarning"


_TOO_MANY_VALUES = f"it has more than {REQUEST.values:,} values"

_UNTOUCHED = Answer(AdmissionResponse(allowed=True), "untouched")
_ALLOWED = Answer(AdmissionResponse(allowed=True), "allowed")


class Reviewer:
    """Review requests for one API server and one set of policies. Safe to share between threads.

    Args:
        server: the API server that sends the requests.
        policies: the policies to apply.
        namespace_labels: called only if a policy has a namespaceSelector.
        api_verdict: how to handle an object that the API server would reject.
        now: returns the time, in seconds since 1970.
    """

    __slots__ = (
        "_api_verdict",
        "_asks_labels",
        "_evaluator",
        "_namespace_labels",
        "_now",
        "policies",
        "server",
    )

    def __init__(
        self,
        server: ApiServer,
        policies: PolicySet,
        *,
        namespace_labels: NamespaceLabels = lambda name: None,
        api_verdict: ApiVerdict = "deny",
        now: Callable[[], float] = time.time,
    ) -> None:
        self.server = server
        self.policies = policies
        self._evaluator = Evaluator(
            server, policies=policies, api=api_verdict != "off", lint=False, budget=REQUEST
        )
        self._namespace_labels = namespace_labels
        self._asks_labels = policies.needs_namespace_labels
        self._api_verdict = api_verdict
        self._now = now

    def mutate(self, request: AdmissionRequest) -> Answer:
        """Return the patch that applies the defaults of the policies to a CREATE or UPDATE request.

        The patch keeps unknown fields, because the API server may run a later release. An object with a
        value of a wrong type gets no patch. Neither does an update that leaves the spec and the metadata of
        users unchanged: an update by a controller must not become a change of the spec. An update of a Job
        gets back the immutable fields that defaults changed at its creation, even without policies.

        Raises:
            BadReview: the request has no object.
        """
        if not review.is_in_scope(request):
            return _UNTOUCHED
        value = _object_of(request)
        spec_changed = review.spec_changed(request)
        if not spec_changed and not review.metadata_changed(request):
            return _ALLOWED
        if not self.policies.policies and not (request.old_object and spec_changed):
            return _ALLOWED
        evaluation = self._evaluator.mutate(self._subject(request, value))
        if TOO_LARGE in evaluation.unreadable:
            return self.too_large(request, _TOO_MANY_VALUES)
        result = evaluation.policy
        if result is None or result.mutation is None:
            return replace(_ALLOWED, unreadable=evaluation.unreadable)
        mutation, filled = result.mutation, result.request.object
        # An object that an API server stored has the API's defaults, so the patch adds only those of
        # the policies. A manifest gets both, and becomes what `jobsworth default --policy` prints.
        # A manifest with unknown fields gets those of the policies only: a full patch would remove
        # the unknown fields.
        from_manifest = not evaluation.unreadable and not came_from_a_server(value)
        before = value if from_manifest else filled
        is_changed = mutation.applied or mutation.restored
        operations = patch(before, mutation.object) if is_changed else []
        warnings = warning_texts(mutation.warnings)
        response = AdmissionResponse(allowed=True, patch=operations, warnings=warnings)
        names = tuple(dict.fromkeys(applied.policy for applied in mutation.applied))
        verdict: Verdict = "patched" if operations else "allowed"
        return Answer(response, verdict, policies=names, unreadable=evaluation.unreadable)

    def validate(self, request: AdmissionRequest) -> Answer:
        """Allow or deny a CREATE or UPDATE request, with the reasons.

        An object that the API server would reject is denied with the same message and status code; an
        object that only a policy denies is Forbidden. Only the parts that an update changes are
        reviewed: see :mod:`jobsworth.admission.review`.

        Raises:
            BadReview: the request has no object.
        """
        if not review.is_in_scope(request):
            return _UNTOUCHED
        value = _object_of(request)
        spec_changed = review.spec_changed(request)
        if not spec_changed and not review.metadata_changed(request):
            return _ALLOWED
        evaluation = self._evaluator.evaluate(self._subject(request, value))
        if TOO_LARGE in evaluation.unreadable:
            return self.too_large(request, _TOO_MANY_VALUES)
        findings = list(evaluation.api)
        if request.old_object is not None:
            # Do not deny an update for an error in the stored object, or for a stored object that only
            # jobsworth cannot read.
            findings = [
                finding
                for finding in findings
                if finding.reason != _STORED_UNREADABLE
                and (spec_changed or not f"{finding.field}.".startswith("spec."))
            ]
        errors = [finding for finding in findings if finding.severity == "error"]
        if errors and self._api_verdict == "deny":
            return _invalid(request, errors)
        # The API server adds its own warnings to the response.
        warnings = [_sentence(finding) for finding in findings if finding.reason != _SERVER_WARNING]
        policy_verdict = NO_VIOLATIONS if evaluation.policy is None else evaluation.policy.verdict
        audit = _bounded(
            {key[:MAX_KEY_LETTERS]: text for key, text in policy_verdict.audit.items()}
        )
        codes = _codes([*findings, *(verdict.violation for verdict in policy_verdict.findings)])
        warned = warning_texts([*warnings, *policy_verdict.warnings])
        violations = tuple(
            dict.fromkeys((verdict.policy, verdict.effect) for verdict in policy_verdict.findings)
        )
        unreadable = () if evaluation.policy is None else evaluation.unreadable
        if not policy_verdict.denied:
            response = AdmissionResponse(allowed=True, warnings=warned, audit_annotations=audit)
            return Answer(response, "allowed", codes, unreadable=unreadable, violations=violations)
        denying = [verdict for verdict in policy_verdict.findings if verdict.effect == "deny"]
        response = AdmissionResponse(
            allowed=False,
            status=denial.forbidden(
                request, policy_verdict.message(), [verdict.finding for verdict in denying]
            ),
            warnings=warned,
            audit_annotations=audit,
        )
        names = tuple(dict.fromkeys(verdict.policy for verdict in denying))
        return Answer(response, "denied", codes, names, unreadable, violations)

    def too_large(self, request: AdmissionRequest, why: str) -> Answer:
        """Answer without an evaluation: deny if ``onInternalError`` of any policy is ``deny``.

        Args:
            request: the request.
            why: what is too large, as a clause.
        """
        message = f"{why}: move bulk data into a ConfigMap or an image"
        if self.policies.fails_closed:
            status = denial.too_large(request, f"{message}. A policy sets onInternalError: deny")
            response = AdmissionResponse(allowed=False, status=status)
        else:
            warning = f"jobsworth did not evaluate the object: {message}"
            response = AdmissionResponse(allowed=True, warnings=warning_texts([warning]))
        return Answer(response, "too_large", unreadable=(TOO_LARGE,))

    def _subject(self, request: AdmissionRequest, value: dict[str, Any]) -> Subject:
        return Subject(
            value,
            "request",
            old=request.old_object,
            kind=review.KINDS[request.resource[2]],
            namespace=request.namespace,
            name=request.name,
            user=request.username,
            groups=request.groups,
            namespace_labels=(
                self._namespace_labels(request.namespace) if self._asks_labels else None
            ),
            dry_run=request.dry_run,
            options=request.options,
            now=self._now(),
            most_values=most_values(request.size),
        )


def _object_of(request: AdmissionRequest) -> dict[str, Any]:
    if request.object is None:
        raise BadReview(f"request.object: is missing, though this is an {request.operation}")
    if request.operation == "UPDATE" and request.old_object is None:
        raise BadReview("request.oldObject: is missing, though this is an UPDATE")
    return request.object


def _invalid(request: AdmissionRequest, errors: Sequence[Finding]) -> Answer:
    malformed = all(finding.reason in _UNDECODABLE for finding in errors)
    worded = denial.undecodable if malformed else denial.invalid
    response = AdmissionResponse(allowed=False, status=worded(request, errors))
    return Answer(response, "invalid", _codes(errors))


def _bounded(annotations: dict[str, str]) -> dict[str, str]:
    """Return audit annotations that have at most :data:`MAX_BYTES` bytes together."""
    if sum(map(len, annotations.values())) * 6 <= MAX_BYTES:
        return annotations
    return {key: cut(text, MAX_BYTES // len(annotations)) for key, text in annotations.items()}


def _sentence(finding: Finding) -> str:
    return f"{finding.field}: {finding.message}" if finding.field else finding.message


def _codes(findings: Iterable[Finding | Violation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.code for finding in findings))
