"""The two questions that an API server asks: what shall be filled in, and may this be stored?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from jobsworth.admission import denial, scope, warning_texts
from jobsworth.admission.json_patch import patch
from jobsworth.admission.outcome import UNKNOWN_FIELD, UNKNOWN_KIND, WRONG_TYPE, Unreadable, Verdict
from jobsworth.admission.review import AdmissionRequest, AdmissionResponse, BadReview
from jobsworth.api.errors import invalid
from jobsworth.api.server import ApiServer
from jobsworth.findings.finding import Finding
from jobsworth.policy.policy_request import CREATE, UPDATE, PolicyRequest
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.violation import Breach
from jobsworth.provenance.generated_fields import came_from_a_server, without_generated
from jobsworth.validation.engine import UnknownKind, engine_for

if TYPE_CHECKING:
    from jobsworth.api.errors import FieldError
    from jobsworth.validation.engine import Readable

NamespaceLabels = Callable[[str], Mapping[str, str] | None]
"""The labels of a namespace by its name; None where they are not known."""

ApiVerdict = Literal["deny", "warn", "off"]
API_VERDICTS: tuple[ApiVerdict, ...] = get_args(ApiVerdict)
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
        codes: of the findings, each once.
        policies: the names of the policies that denied, or whose defaults were filled in.
        unreadable: why parts of the object were not evaluated.
    """

    response: AdmissionResponse
    verdict: Verdict
    codes: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


_UNTOUCHED = Answer(AdmissionResponse(allowed=True), "untouched")
_ALLOWED = Answer(AdmissionResponse(allowed=True), "allowed")


class Judge:
    """Answers requests for one API server and one set of policies; any number of threads may ask.

    Args:
        server: the API server that asks.
        policies: what the organisation demands.
        namespace_labels: asked only where a policy looks at them.
        api_verdict: what to make of an object that the API server would refuse.
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
        api_verdict: ApiVerdict = "deny",
    ) -> None:
        self.server = server
        self.policies = policies
        self._engine = engine_for(server)
        self._namespace_labels = namespace_labels
        self._asks_labels = policies.asks_namespace_labels
        self._api_verdict = api_verdict

    def mutate(self, request: AdmissionRequest) -> Answer:
        """The patch that fills in what the policies say, for a request to create or update.

        Unknown fields stay as they are: the server may be of a later release. An object with a value of
        a wrong type stays as it is, and so does one whose spec is not new: a controller's update must not
        be made into a change of the spec.

        Raises:
            BadReview: the request has no object.
        """
        if not scope.is_judged(request):
            return _UNTOUCHED
        value = _object_of(request)
        if not self.policies.policies or not scope.spec_changed(request):
            return _ALLOWED
        try:
            readable = self._engine.default_readable(value)
        except UnknownKind:
            return replace(_ALLOWED, unreadable=(UNKNOWN_KIND,))
        reasons = _reasons(readable)
        if readable.errors:
            return replace(_ALLOWED, unreadable=reasons)
        filled = readable.object
        mutation = self.policies.default(self._subject(request, filled), self.server)
        warnings = warning_texts.texts(mutation.warnings)
        # A server has filled in its defaults: the patch is what the policies add to them. A manifest
        # gets both, and becomes what `jobsworth default --policy` prints; where it has unknown fields,
        # only what the policies add, for the patch would remove them.
        before = value if readable.complete and not came_from_a_server(value) else filled
        operations = patch(before, mutation.object) if mutation.applied else []
        response = AdmissionResponse(allowed=True, patch=operations, warnings=warnings)
        names = tuple(dict.fromkeys(applied.policy for applied in mutation.applied))
        verdict: Verdict = "patched" if operations else "allowed"
        return Answer(response, verdict, policies=names, unreadable=reasons)

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
        findings = self._api_findings(request, value, spec_changed=spec_changed)
        errors = [finding for finding in findings if finding.severity == "error"]
        if errors and self._api_verdict == "deny":
            return _refused(request, errors)
        warnings = [_sentence(finding) for finding in findings]
        if not self.policies.policies:
            return _with(_ALLOWED, warnings, _codes(findings))
        return self._judged(request, value, warnings, findings)

    def _api_findings(
        self, request: AdmissionRequest, value: dict[str, Any], *, spec_changed: bool
    ) -> list[Finding]:
        if self._api_verdict == "off":
            return []
        old = request.old_object
        try:
            findings = self._engine.validate(
                without_generated(value) if old is None else value, old
            )
        except UnknownKind:
            return []  # of a later API: what the policies make of it is theirs to say
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
        subject, unreadable = self._readable_subject(request, value)
        judgement = self.policies.judge(subject, self.server)
        audit = {key[:MOST_KEY_LETTERS]: text for key, text in judgement.audit.items()}
        codes = _codes([*findings, *(verdict.breach for verdict in judgement.findings)])
        warned = warning_texts.texts([*warnings, *judgement.warnings])
        if not judgement.denied:
            response = AdmissionResponse(allowed=True, warnings=warned, audit_annotations=audit)
            return Answer(response, "allowed", codes, unreadable=unreadable)
        denying = [verdict for verdict in judgement.findings if verdict.effect == "deny"]
        causes = [verdict.finding for verdict in denying]
        response = AdmissionResponse(
            allowed=False,
            status=denial.forbidden(request, judgement.message(), causes),
            warnings=warned,
            audit_annotations=audit,
        )
        names = tuple(dict.fromkeys(verdict.policy for verdict in denying))
        return Answer(response, "denied", codes, names, unreadable)

    def _readable_subject(
        self, request: AdmissionRequest, value: dict[str, Any]
    ) -> tuple[PolicyRequest, tuple[Unreadable, ...]]:
        """The request as policies see it, and why parts of its object are not in it."""
        errors: tuple[FieldError, ...] = ()
        try:
            readable = self._engine.default_readable(value)
            reasons = _reasons(readable)
        except UnknownKind:
            known = {"apiVersion": "batch/v1", "kind": scope.KINDS[request.resource[2]]}
            readable = self._engine.default_readable({**value, **known})
            shown = f"{value.get('apiVersion')}, kind {value.get('kind')}"
            errors = (invalid("apiVersion", shown, f"must be batch/v1, kind {known['kind']}"),)
            reasons = (UNKNOWN_KIND, *_reasons(readable))
        # What a server has filled in is left as it is: it may be of a later release than ours.
        whole = readable.complete and came_from_a_server(value)
        subject = self._subject(request, value if whole else readable.object)
        errors = (*errors, *readable.errors)
        return (replace(subject, unreadable=errors) if errors else subject), reasons

    def _subject(self, request: AdmissionRequest, value: dict[str, Any]) -> PolicyRequest:
        labels = self._namespace_labels(request.namespace) if self._asks_labels else None
        return PolicyRequest(
            operation=UPDATE if request.operation == UPDATE else CREATE,
            kind=scope.KINDS[request.resource[2]],
            namespace=request.namespace,
            name=request.name,
            object=value,
            old=self._old(request.old_object),
            user=request.username or None,
            groups=request.groups,
            namespace_labels=labels,
            dry_run=request.dry_run,
            options=request.options,
            manifest=request.object,  # as it was sent: with the traces of who wrote what
        )

    def _old(self, old: dict[str, Any] | None) -> dict[str, Any] | None:
        """The stored object as policies see it; None where it cannot be decoded, as if it were new."""
        if old is None:
            return None
        try:
            readable = self._engine.default_readable(old)
        except UnknownKind:
            return None
        if readable.errors:
            return None
        return old if readable.complete and came_from_a_server(old) else readable.object


def _object_of(request: AdmissionRequest) -> dict[str, Any]:
    if request.object is None:
        raise BadReview(f"request.object: is missing, though this is an {request.operation}")
    if request.operation == "UPDATE" and request.old_object is None:
        raise BadReview("request.oldObject: is missing, though this is an UPDATE")
    return request.object


def _reasons(readable: Readable) -> tuple[Unreadable, ...]:
    found: list[Unreadable] = []
    if readable.unknown:
        found.append(UNKNOWN_FIELD)
    if readable.errors:
        found.append(WRONG_TYPE)
    return tuple(found)


def _refused(request: AdmissionRequest, errors: Sequence[Finding]) -> Answer:
    malformed = all(finding.reason in _UNDECODABLE for finding in errors)
    worded = denial.undecodable if malformed else denial.invalid
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
