"""The two questions that an API server asks: what shall be filled in, and may this be stored?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from jobsworth.admission import denial, scope, warning_texts
from jobsworth.admission.json_patch import patch
from jobsworth.admission.outcome import Verdict
from jobsworth.admission.review import AdmissionRequest, AdmissionResponse, BadReview
from jobsworth.api.server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.finding import Finding
from jobsworth.policy.enforcement import NO_VIOLATIONS
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.violation import Violation
from jobsworth.provenance.generated_fields import came_from_a_server

if TYPE_CHECKING:
    from jobsworth.evaluation.evaluation import Unreadable

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
        unreadable: why parts of the object were not evaluated: of
            :data:`jobsworth.evaluation.evaluation.UNREADABLE`.
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
        policies: what the organization requires.
        namespace_labels: asked only where a policy looks at them.
        api_verdict: what to make of an object that the API server would refuse.
    """

    __slots__ = (
        "_api_verdict",
        "_asks_labels",
        "_evaluator",
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
        self._evaluator = Evaluator(server, policies=policies, api=api_verdict != "off", lint=False)
        self._namespace_labels = namespace_labels
        self._asks_labels = policies.needs_namespace_labels
        self._api_verdict = api_verdict

    def mutate(self, request: AdmissionRequest) -> Answer:
        """Return the patch that applies the policies' defaults, for a request to create or update.

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
        evaluation = self._evaluator.mutate(self._subject(request, value))
        result = evaluation.policy
        if result is None or result.mutation is None:
            return replace(_ALLOWED, unreadable=evaluation.unreadable)
        mutation, filled = result.mutation, result.request.object
        # A server has filled in its defaults: the patch is what the policies add to them. A manifest
        # gets both, and becomes what `jobsworth default --policy` prints; where it has unknown fields,
        # only what the policies add, for the patch would remove them.
        from_manifest = not evaluation.unreadable and not came_from_a_server(value)
        before = value if from_manifest else filled
        operations = patch(before, mutation.object) if mutation.applied else []
        warnings = warning_texts.texts(mutation.warnings)
        response = AdmissionResponse(allowed=True, patch=operations, warnings=warnings)
        names = tuple(dict.fromkeys(applied.policy for applied in mutation.applied))
        verdict: Verdict = "patched" if operations else "allowed"
        return Answer(response, verdict, policies=names, unreadable=evaluation.unreadable)

    def validate(self, request: AdmissionRequest) -> Answer:
        """Return whether a request to create or update is allowed, and why not.

        What the API server would reject is denied in its words and with its status; what only a policy
        denies is forbidden. An update is judged by what it changes: see :mod:`jobsworth.admission.scope`.

        Raises:
            BadReview: the request has no object.
        """
        if not scope.is_judged(request):
            return _UNTOUCHED
        value = _object_of(request)
        spec_changed = scope.spec_changed(request)
        if not spec_changed and not scope.metadata_changed(request):
            return _ALLOWED
        evaluation = self._evaluator.evaluate(self._subject(request, value))
        findings = list(evaluation.api)
        if request.old_object is not None:
            # What is stored already is not rejected again, nor is what only we cannot read.
            findings = [
                finding
                for finding in findings
                if finding.reason != _STORED_UNREADABLE
                and (spec_changed or not f"{finding.field}.".startswith("spec."))
            ]
        errors = [finding for finding in findings if finding.severity == "error"]
        if errors and self._api_verdict == "deny":
            return _refused(request, errors)
        warnings = [_sentence(finding) for finding in findings]
        judgement = NO_VIOLATIONS if evaluation.policy is None else evaluation.policy.judgement
        audit = {key[:MOST_KEY_LETTERS]: text for key, text in judgement.audit.items()}
        codes = _codes([*findings, *(verdict.violation for verdict in judgement.findings)])
        warned = warning_texts.texts([*warnings, *judgement.warnings])
        unreadable = () if evaluation.policy is None else evaluation.unreadable
        if not judgement.denied:
            response = AdmissionResponse(allowed=True, warnings=warned, audit_annotations=audit)
            return Answer(response, "allowed", codes, unreadable=unreadable)
        denying = [verdict for verdict in judgement.findings if verdict.effect == "deny"]
        response = AdmissionResponse(
            allowed=False,
            status=denial.forbidden(
                request, judgement.message(), [verdict.finding for verdict in denying]
            ),
            warnings=warned,
            audit_annotations=audit,
        )
        names = tuple(dict.fromkeys(verdict.policy for verdict in denying))
        return Answer(response, "denied", codes, names, unreadable)

    def _subject(self, request: AdmissionRequest, value: dict[str, Any]) -> Subject:
        return Subject(
            value,
            "request",
            old=request.old_object,
            kind=scope.KINDS[request.resource[2]],
            namespace=request.namespace,
            name=request.name,
            user=request.username or None,
            groups=request.groups,
            namespace_labels=(
                self._namespace_labels(request.namespace) if self._asks_labels else None
            ),
            dry_run=request.dry_run,
            options=request.options,
        )


def _object_of(request: AdmissionRequest) -> dict[str, Any]:
    if request.object is None:
        raise BadReview(f"request.object: is missing, though this is an {request.operation}")
    if request.operation == "UPDATE" and request.old_object is None:
        raise BadReview("request.oldObject: is missing, though this is an UPDATE")
    return request.object


def _refused(request: AdmissionRequest, errors: Sequence[Finding]) -> Answer:
    malformed = all(finding.reason in _UNDECODABLE for finding in errors)
    worded = denial.undecodable if malformed else denial.invalid
    response = AdmissionResponse(allowed=False, status=worded(request, errors))
    return Answer(response, "invalid", _codes(errors))


def _sentence(finding: Finding) -> str:
    return f"{finding.field}: {finding.message}" if finding.field else finding.message


def _codes(findings: Iterable[Finding | Violation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.code for finding in findings))
