"""The two questions that an API server asks: what shall be filled in, and may this be stored?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.admission import scope, statuses, warning_texts
from jobsworth.admission.as_written import came_from_a_server, without_generated
from jobsworth.admission.json_patch import patch
from jobsworth.admission.review import AdmissionRequest, AdmissionResponse, BadReview
from jobsworth.api.finding import Finding
from jobsworth.api.server import ApiServer
from jobsworth.policy.job_policy.breach import Breach
from jobsworth.policy.job_policy.policy_set import PolicySet
from jobsworth.policy.job_policy.subject import PolicyRequest
from jobsworth.validation.engine import CannotDecode, UnknownKind, engine_for

NamespaceLabels = Callable[[str], Mapping[str, str] | None]
"""The labels of a namespace by its name; None where they are not known."""

API_VERDICTS = ("deny", "warn", "off")
"""What to make of an object that the API server would refuse."""

MOST_KEY_LETTERS = 63
"""The longest name of an audit annotation; the API server puts the webhook's name before it."""

_UNDECODABLE = frozenset({"UnknownField", "FieldValueTypeInvalid"})
_STORED_UNREADABLE = "StoredObjectUnreadable"


@dataclass(frozen=True, slots=True)
class Answer:
    """A response, and what it rests on.

    Attributes:
        response: for the API server.
        verdict: one of :data:`jobsworth.admission.outcome.VERDICTS`.
        codes: of the findings, each once.
        policies: the names of the policies that denied, or whose defaults were filled in.
    """

    response: AdmissionResponse
    verdict: str
    codes: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()


_UNTOUCHED = Answer(AdmissionResponse(allowed=True), "untouched")
_ALLOWED = Answer(AdmissionResponse(allowed=True), "allowed")


class Judge:
    """Answers requests for one API server and one set of policies; any number of threads may ask.

    Args:
        server: the API server that asks.
        policies: what the organisation demands.
        namespace_labels: asked only where a policy looks at them.
        api_verdict: one of :data:`API_VERDICTS`.
    """

    __slots__ = (
        "_api_verdict",
        "_asks_labels",
        "_engine",
        "_namespace_labels",
        "policies",
        "server",
    )

    def __init__(
        self,
        server: ApiServer,
        policies: PolicySet,
        *,
        namespace_labels: NamespaceLabels = lambda name: None,
        api_verdict: str = "deny",
    ) -> None:
        self.server = server
        self.policies = policies
        self._engine = engine_for(server)
        self._namespace_labels = namespace_labels
        self._asks_labels = policies.asks_namespace_labels
        self._api_verdict = api_verdict

    def mutate(self, request: AdmissionRequest) -> Answer:
        """The patch that fills in what the policies say, for a request to create or update.

        An object that cannot be decoded stays as it is: the API server refuses it itself. So does one
        whose spec is not new: a controller's update must not be made into a change of the spec.

        Raises:
            BadReview: the request has no object.
        """
        if not scope.is_judged(request):
            return _UNTOUCHED
        value = _object_of(request)
        if not self.policies.policies or not scope.spec_changed(request):
            return _ALLOWED
        try:
            filled = self._engine.default(value)
        except (CannotDecode, UnknownKind):
            return _ALLOWED
        mutation = self.policies.default(self._subject(request, filled), self.server)
        warnings = warning_texts.texts(mutation.warnings)
        # A server has filled in its defaults: the patch is what the policies add to them. A manifest
        # gets both, and becomes what `jobsworth default --policy` prints.
        before = filled if came_from_a_server(value) else value
        operations = patch(before, mutation.object) if mutation.applied else []
        response = AdmissionResponse(allowed=True, patch=operations, warnings=warnings)
        names = tuple(dict.fromkeys(applied.policy for applied in mutation.applied))
        return Answer(response, "patched" if operations else "allowed", policies=names)

    def validate(self, request: AdmissionRequest) -> Answer:
        """Whether a request to create or update is allowed, and why not.

        What the API server would refuse is refused in its words and with its status; what only a policy
        refuses is forbidden. An update is judged by what it changes: see :mod:`jobsworth.admission.scope`.

        Raises:
            BadReview: the request has no object.
        """
        if not scope.is_judged(request):
            return _UNTOUCHED
        value = _object_of(request)
        spec_changed, metadata_changed = (
            scope.spec_changed(request),
            scope.metadata_changed(request),
        )
        if not spec_changed and not metadata_changed:
            return _ALLOWED
        try:
            findings = self._api_findings(request, value, spec_changed=spec_changed)
        except UnknownKind:
            return _UNTOUCHED
        errors = [finding for finding in findings if finding.severity == "error"]
        if errors and self._api_verdict == "deny":
            return _refused(request, errors)
        warnings = [_sentence(finding) for finding in findings]
        if not self.policies.policies or not self._is_readable(value, errors):
            return _with(_ALLOWED, warnings, _codes(findings))
        return self._judged(request, value, warnings, findings)

    def _is_readable(self, value: dict[str, Any], errors: Sequence[Finding]) -> bool:
        """Whether an object has the shape that policies rely on."""
        if self._api_verdict == "off":
            return self._decodes(value)
        if any(finding.reason in _UNDECODABLE for finding in errors):
            return False
        # Of a spec that is not new the errors were left out.
        return came_from_a_server(value) or self._decodes(value)

    def _decodes(self, value: dict[str, Any]) -> bool:
        try:
            self._engine.decode(value)
        except (CannotDecode, UnknownKind):
            return False
        return True

    def _api_findings(
        self, request: AdmissionRequest, value: dict[str, Any], *, spec_changed: bool
    ) -> list[Finding]:
        if self._api_verdict == "off":
            return []
        old = request.old_object
        findings = self._engine.validate(without_generated(value) if old is None else value, old)
        if old is None:
            return findings
        # What is stored already is not refused again, nor is what only we cannot read.
        return [
            finding
            for finding in findings
            if finding.reason != _STORED_UNREADABLE
            and (spec_changed or not f"{finding.field}.".startswith("spec."))
        ]

    def _judged(
        self,
        request: AdmissionRequest,
        value: dict[str, Any],
        warnings: list[str],
        findings: list[Finding],
    ) -> Answer:
        subject = self._subject(request, self._with_defaults(value))
        judgement = self.policies.judge(subject, self.server)
        audit = {key[:MOST_KEY_LETTERS]: text for key, text in judgement.audit.items()}
        codes = _codes([*findings, *(verdict.breach for verdict in judgement.findings)])
        warned = warning_texts.texts([*warnings, *judgement.warnings])
        if not judgement.denied:
            response = AdmissionResponse(allowed=True, warnings=warned, audit_annotations=audit)
            return Answer(response, "allowed", codes)
        denying = [verdict for verdict in judgement.findings if verdict.effect == "deny"]
        causes = [verdict.finding for verdict in denying]
        response = AdmissionResponse(
            allowed=False,
            status=statuses.forbidden(request, judgement.message(), causes),
            warnings=warned,
            audit_annotations=audit,
        )
        names = tuple(dict.fromkeys(verdict.policy for verdict in denying))
        return Answer(response, "denied", codes, names)

    def _subject(self, request: AdmissionRequest, value: dict[str, Any]) -> PolicyRequest:
        labels = self._namespace_labels(request.namespace) if self._asks_labels else None
        old = request.old_object
        if old is not None and not self._decodes(old):
            old = None  # stored by a server that knows more than we do: judged as if it were new
        return PolicyRequest(
            operation=request.operation,
            kind=scope.KINDS[request.resource[2]],
            namespace=request.namespace,
            name=request.name,
            object=value,
            old=None if old is None else self._with_defaults(old),
            user=request.username or None,
            groups=request.groups,
            namespace_labels=labels,
            dry_run=request.dry_run,
            options=request.options,
            manifest=request.object,  # as it was sent: with the traces of who wrote what
        )

    def _with_defaults(self, value: dict[str, Any]) -> dict[str, Any]:
        return value if came_from_a_server(value) else self._engine.default(value)


def _object_of(request: AdmissionRequest) -> dict[str, Any]:
    if request.object is None:
        raise BadReview(f"request.object: is missing, though this is an {request.operation}")
    if request.operation == "UPDATE" and request.old_object is None:
        raise BadReview("request.oldObject: is missing, though this is an UPDATE")
    return request.object


def _refused(request: AdmissionRequest, errors: Sequence[Finding]) -> Answer:
    malformed = all(finding.reason in _UNDECODABLE for finding in errors)
    worded = statuses.undecodable if malformed else statuses.invalid
    response = AdmissionResponse(allowed=False, status=worded(request, errors))
    return Answer(response, "invalid", _codes(errors))


def _with(answer: Answer, warnings: Sequence[str], codes: tuple[str, ...]) -> Answer:
    if not warnings:
        return answer
    response = AdmissionResponse(allowed=True, warnings=warning_texts.texts(warnings))
    return Answer(response, answer.verdict, codes)


def _sentence(finding: Finding) -> str:
    return f"{finding.field}: {finding.message}" if finding.field else finding.message


def _codes(findings: Iterable[Finding | Breach]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.code for finding in findings))
