"""Policy enforcement: evaluate a request against policies and decide the effect of each violation.

Every policy that matches a request is evaluated, and the strictest effect decides. On an update, only new
violations count: a violation that the stored object already has, with the same code, field and message, is
not reported again. If neither the spec nor any metadata that a limit names has changed, only immutable
fields are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from jobsworth.api.api_server import ApiServer
from jobsworth.api.field_errors import FieldError
from jobsworth.findings.finding import Finding, Severity
from jobsworth.lint.edit import edit_of
from jobsworth.lint.linter import Linter
from jobsworth.lint.selection import Selection, linter_of
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.matching import MatchDecision
from jobsworth.policy.request import JobView, PolicyRequest
from jobsworth.policy.violation import (
    EFFECTS,
    EXPRESSION_FAILED,
    EXPRESSION_UNKNOWN,
    INTERNAL_ERROR,
    UNREADABLE,
    Effect,
    Violation,
)
from jobsworth.validation.authored import client_part
from jobsworth.validation.decoded_object import DecodedObject
from jobsworth.validation.engine import engine_for
from jobsworth.wording import one_line
from kube_cel.budget import MAX_STEPS, Steps

AUDIT, WARN, DENY = EFFECTS
_RANKS = {effect: rank for rank, effect in enumerate(EFFECTS)}
SEVERITIES: dict[Effect, Severity] = {DENY: "error", WARN: "warning", AUDIT: "info"}
MAX_LISTED = 100
"""The largest number of violations of one policy that a message or an audit annotation lists."""
MAX_VIOLATIONS = 1_000
"""The largest number of violations of one policy and effect that a verdict lists."""
REQUEST_STEPS = 3 * MAX_STEPS
"""The steps of all expressions for an object: an API server waits ten seconds for a review."""
_FAILURES = (EXPRESSION_FAILED, INTERNAL_ERROR)
"""Codes of violations whose effect ``onInternalError`` decides."""


@dataclass(frozen=True, slots=True)
class EnforcedViolation:
    """A violation of one policy with the effect that the policy gives it.

    Attributes:
        policy: the policy's name.
        effect: the effect on the request: ``audit``, ``warn`` or ``deny``.
        violation: the code, field and message.
        guidance: the policy's ``message`` and ``contact``; may be empty.
    """

    policy: str
    effect: Effect
    violation: Violation
    guidance: str

    @property
    def finding(self) -> Finding:
        """The violation as a finding; the message names the policy."""
        hints = (self.violation.hint, self.guidance)
        return Finding(
            source="policy",
            severity=SEVERITIES[self.effect],
            code=self.violation.code,
            field=self.violation.field,
            reason=self.violation.reason,
            message=self.text
            if self.violation.explanation
            else f"{self.text} (policy {self.policy})",
            hint=" ".join(filter(None, hints)),
        )

    @property
    def text(self) -> str:
        """The problem, in one or two sentences."""
        explanation, cause = self.violation.explanation, self.violation.cause
        if not explanation:
            return f"{self.violation.message}: {cause}" if cause else self.violation.message
        return explanation.replace("{policy}", f"policy {self.policy}")

    def __str__(self) -> str:
        place = f"{self.violation.field}: " if self.violation.field else ""
        text = f"{place}{self.text} [{self.violation.code}]"
        return f"{text} {self.violation.hint}" if self.violation.hint else text


@dataclass(frozen=True, slots=True)
class PolicyVerdict:
    """The violations of all matching policies, and the decision that follows from them.

    Attributes:
        findings: the violations, in the order of the policies' precedence; of each policy and effect the
            first :data:`MAX_VIOLATIONS`.
        omitted: the number of further violations.
    """

    findings: tuple[EnforcedViolation, ...] = ()
    omitted: int = 0

    @property
    def denied(self) -> bool:
        """Return True if a violation denies the request."""
        return any(enforced.effect == DENY for enforced in self.findings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The admission warnings, one sentence for each violation with the effect ``warn``."""
        return tuple(
            " ".join(filter(None, (f"JobPolicy {enforced.policy}: {enforced}", enforced.guidance)))
            for enforced in self.findings
            if enforced.effect == WARN
        )

    @property
    def audit(self) -> dict[str, str]:
        """The audit annotations: the violations of each policy, by the policy's name."""
        found: dict[str, list[EnforcedViolation]] = {}
        for enforced in self.findings:
            found.setdefault(enforced.policy, []).append(enforced)
        return {
            policy: "; ".join(
                [
                    *(f"{one.effect}: {one}" for one in violations[:MAX_LISTED]),
                    *_and_more(violations),
                ]
            )
            for policy, violations in found.items()
        }

    def message(self) -> str:
        """Return the message of a denial; empty if the request is allowed."""
        by_policy: dict[str, list[EnforcedViolation]] = {}
        for enforced in self.findings:
            if enforced.effect == DENY:
                by_policy.setdefault(enforced.policy, []).append(enforced)
        return "\n".join(_paragraph(policy, violations) for policy, violations in by_policy.items())


def _paragraph(policy: str, violations: list[EnforcedViolation]) -> str:
    if len(violations) == 1:
        lines = [f"JobPolicy {policy}: {violations[0]}"]
    else:
        listed = [*map(str, violations[:MAX_LISTED]), *_and_more(violations)]
        lines = [f"JobPolicy {policy}:", *(f"- {text}" for text in listed)]
    if violations[0].guidance:
        lines.append(violations[0].guidance)
    return "\n".join(lines)


def _and_more(violations: list[EnforcedViolation]) -> list[str]:
    omitted = len(violations) - MAX_LISTED
    return [f"and {omitted:,} more"] if omitted > 0 else []


NO_VIOLATIONS = PolicyVerdict()


def evaluate(
    matching: Iterable[tuple[JobPolicy, MatchDecision]],
    request: PolicyRequest,
    server: ApiServer,
    linter: Linter | None,
    decoded: DecodedObject | None = None,
) -> PolicyVerdict:
    """Evaluate a request against the policies that apply to it.

    Args:
        matching: the policies that apply to the request, in order of precedence, each with its decision.
        request: the request; its object has the API server's defaults.
        server: the API server that sends the request.
        linter: runs the lint rules that the policies enforce; None if they enforce none.
        decoded: the object as the API server decodes it; None to decode it for lint rules.
    """
    context = _RequestContext(request, server, linter, decoded)
    enforced: list[EnforcedViolation] = []
    omitted = 0
    for policy, decision in matching:
        violations = _violations_of(policy, context)
        if violations:
            maximum = _maximum_effect(policy, request)
            kept, more = _enforced(policy, violations, maximum, decision)
            enforced += kept
            omitted += more
    return PolicyVerdict(tuple(enforced), omitted) if enforced else NO_VIOLATIONS


def linter_for(policies: Iterable[JobPolicy]) -> Linter | None:
    """Return a linter that runs the lint rules of some policies; None if they enforce no rule."""
    codes = frozenset(code for policy in policies if policy.rules for code in policy.rules.effects)
    return linter_of(Selection(select=codes)) if codes else None


class _RequestContext:
    """A request with values that several policies need, each computed once."""

    __slots__ = (
        "_decoded", "_linted", "_linter", "_new", "_old", "metadata_changed", "request", "server",
        "spec_changed", "steps", "steps_of_stored",
    )  # fmt: skip

    def __init__(
        self,
        request: PolicyRequest,
        server: ApiServer,
        linter: Linter | None,
        decoded: DecodedObject | None,
    ) -> None:
        self.request = request
        self.server = server
        self._decoded = decoded
        self._linter = linter
        self._linted: list[Finding] | None = None
        # An expensive object must not make its violations those of the stored one, too.
        self.steps, self.steps_of_stored = Steps(REQUEST_STEPS), Steps(REQUEST_STEPS)
        self._new: JobView | None = None
        self._old: JobView | None = None
        self.spec_changed = self.metadata_changed = True
        old = request.old
        if old is not None:
            self.spec_changed = request.object["spec"] != old["spec"]
            self.metadata_changed = any(
                (request.object["metadata"].get(part) or {}) != (old["metadata"].get(part) or {})
                for part in ("labels", "annotations")
            )

    @property
    def new(self) -> JobView:
        """A view of the object."""
        if self._new is None:
            request = self.request
            self._new = JobView(request.kind, request.object, self.server, request.manifest)
        return self._new

    @property
    def old(self) -> JobView:
        """A view of the stored object of an update."""
        if self._old is None:
            assert self.request.old is not None
            self._old = JobView(self.request.kind, self.request.old, self.server)
        return self._old

    def linted(self) -> list[Finding]:
        """Return the lint findings of the object, without those of the stored object."""
        if self._linted is None:
            self._linted = self._lint()
        return self._linted

    def _lint(self) -> list[Finding]:
        if self._linter is None:
            return []
        request, server, engine = self.request, self.server, engine_for(self.server)
        decoded = self._decoded or engine.decode_object(request.object)
        manifest = request.object if request.manifest is None else request.manifest
        edit = edit_of(request.old, request.now)
        found = self._linter.lint(client_part(decoded, server, manifest), engine, edit=edit)
        if not found or request.old is None:
            return found
        old = engine.decode_object(request.old)
        stored = client_part(old, server, request.old)
        before = {
            (finding.code, finding.field, finding.message)
            for finding in self._linter.lint(stored, engine)
        }
        return [one for one in found if (one.code, one.field, one.message) not in before]


def _violations_of(policy: JobPolicy, context: _RequestContext) -> list[Violation]:
    try:
        found = list(_violations(policy, context))
    except Exception as error:
        # A policy that fails must not keep the other policies from being evaluated.
        message = f"cannot be evaluated: {type(error).__name__}: {error}"
        return [Violation(INTERNAL_ERROR, "", "InternalError", message)]
    unreadable = context.request.unreadable
    if not unreadable:
        return found
    # The server's default replaces a value that cannot be decoded; do not report violations of that default.
    places = {error.field for error in unreadable}
    decodable = [one for one in found if not _is_at_or_below(one.field, places)]
    return (
        [*_unreadable(unreadable[:MAX_VIOLATIONS]), *decodable]
        if context.spec_changed or context.metadata_changed
        else decodable
    )


def _violations(policy: JobPolicy, context: _RequestContext) -> Iterator[Violation]:
    changed, is_update = (
        context.spec_changed or context.metadata_changed,
        context.request.old is not None,
    )
    if policy.immutable is not None and is_update and changed:
        yield from policy.immutable.violations(context.new, context.old)
    limits = policy.limits
    if limits is not None and (
        context.spec_changed or (limits.metadata and context.metadata_changed)
    ):
        yield from _new_violations(
            limits.violations(context.new),
            lambda: limits.violations(context.old) if is_update else (),
        )
    if policy.rules is not None and context.spec_changed:
        yield from _rule_violations(policy.rules.effects, context.linted())
    if policy.expressions is not None and changed:
        expressions = policy.expressions
        request, old = context.request, context.old if is_update else None
        yield from _new_violations(
            expressions.violations(request, context.new, old, context.steps),
            # The update that leaves the stored object unchanged.
            lambda: (
                ()
                if old is None
                else expressions.violations(request, old, old, context.steps_of_stored)
            ),
        )


def _unreadable(errors: Iterable[FieldError]) -> Iterator[Violation]:
    for error in errors:
        message = f"the policy cannot be evaluated completely: {error.message}"
        yield Violation(UNREADABLE, error.field, error.reason, message)


def _is_at_or_below(field: str, places: Set[str]) -> bool:
    return field in places or any(
        field[:end] in places for end, letter in enumerate(field) if letter in ".["
    )


def _new_violations(
    found: Iterator[Violation], before: Callable[[], Iterable[Violation]]
) -> Iterator[Violation]:
    """Yield the violations that the stored object does not have; `before` is called only if there are any.

    What is not known may differ between the two.
    """
    known: set[Violation] | None = None
    for violation in found:
        if known is None:
            known = set(before())
        if violation not in known or violation.code == EXPRESSION_UNKNOWN:
            yield violation


def _rule_violations(
    effects: Mapping[str, Effect], found: Iterable[Finding]
) -> Iterator[Violation]:
    for finding in found:
        effect = effects.get(finding.code)
        if effect is not None:
            yield Violation(
                finding.code, finding.field, finding.reason, finding.message, effect, finding.hint
            )


def _maximum_effect(policy: JobPolicy, request: PolicyRequest) -> Effect:
    """Return the strongest effect that a violation can have for this policy and request."""
    if policy.cron_job_jobs == AUDIT and request.is_made_by_a_cron_job:
        return AUDIT
    return policy.enforcement


def _enforced(
    policy: JobPolicy, violations: Iterable[Violation], maximum: Effect, decision: MatchDecision
) -> tuple[list[EnforcedViolation], int]:
    """Return the violations with their effects, and how many of them were left out.

    A policy of which it is not certain that it applies warns instead of denying.

    The limit is one of each effect, so that many warnings cannot crowd out a denial.
    """
    kept: list[EnforcedViolation] = []
    omitted, counts, guidance = 0, dict.fromkeys(EFFECTS, 0), policy.guidance
    for found in violations:
        violation, effect = found, _effect(policy, found, maximum)
        if effect == DENY and not decision.certain:
            effect, condition = WARN, f"It is denied {decision.condition}."
            violation = replace(found, hint=" ".join(filter(None, (found.hint, condition))))
        counts[effect] += 1
        if counts[effect] > MAX_VIOLATIONS:
            omitted += 1
        else:
            shown = replace(violation, hint=one_line(violation.hint))
            kept.append(EnforcedViolation(policy.name, effect, shown, guidance))
    return kept, omitted


def _effect(policy: JobPolicy, violation: Violation, maximum: Effect) -> Effect:
    effect = violation.effect or DENY
    if violation.code in _FAILURES and policy.on_internal_error == "allow":
        effect = AUDIT
    if violation.code == UNREADABLE and policy.on_unreadable == "allow":
        effect = AUDIT
    return effect if _RANKS[effect] <= _RANKS[maximum] else maximum
