"""What a set of policies says to a request: each breach with what it leads to.

All documents that speak about a request are heard; the strictest decides. On an update nothing is held
against the new object that the stored one already did: a breach that both have, with the same code, field
and message, is not reported again, and where neither the spec nor what a limit names of the metadata has
changed, nothing is judged at all. Immutable fields are compared on every update.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.findings.finding import Finding
from jobsworth.lint.linter import Linter
from jobsworth.lint.selection import Selection
from jobsworth.policy.language import violation_codes
from jobsworth.policy.policy_request import JobView
from jobsworth.policy.violation import EFFECTS, Breach
from jobsworth.provenance.client_object import client_object
from jobsworth.validation.engine import engine_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from jobsworth.api.errors import FieldError
    from jobsworth.api.server import ApiServer
    from jobsworth.findings.finding import Severity
    from jobsworth.policy.documents.job_policy import JobPolicy
    from jobsworth.policy.matching.matching import Decision
    from jobsworth.policy.policy_request import PolicyRequest
    from jobsworth.policy.violation import Effect

AUDIT, WARN, DENY = EFFECTS
_RANKS = {effect: rank for rank, effect in enumerate(EFFECTS)}
SEVERITIES: dict[Effect, Severity] = {DENY: "error", WARN: "warning", AUDIT: "info"}
_FAILURES = (violation_codes.EXPRESSION_FAILED, violation_codes.INTERNAL_ERROR)
"""Violations whose effect ``onInternalError`` decides."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One breach of one policy, and what it leads to.

    Attributes:
        policy: the policy's name.
        breach: what the object does.
        guidance: what the policy's author says to the user, and whom to ask; may be empty.
    """

    policy: str
    effect: Effect
    breach: Breach
    guidance: str

    @property
    def finding(self) -> Finding:
        """The verdict as a finding; the message names the policy."""
        hints = (self.breach.hint, self.guidance)
        return Finding(
            source="policy",
            severity=SEVERITIES[self.effect],
            code=self.breach.code,
            field=self.breach.field,
            reason=self.breach.reason,
            message=self.text if self.breach.explanation else f"{self.text} (policy {self.policy})",
            hint=" ".join(filter(None, hints)),
        )

    @property
    def text(self) -> str:
        """What is wrong, in one or two sentences."""
        return self.breach.explanation.replace("{policy}", f"policy {self.policy}") or (
            self.breach.message
        )

    def __str__(self) -> str:
        place = f"{self.breach.field}: " if self.breach.field else ""
        text = f"{place}{self.text} [{self.breach.code}]"
        return f"{text} {self.breach.hint}" if self.breach.hint else text


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a set of policies says to a request.

    Attributes:
        findings: every breach, in the order of the policies' precedence.
    """

    findings: tuple[Verdict, ...] = ()

    @property
    def denied(self) -> bool:
        """Whether the request is to be refused."""
        return any(verdict.effect == DENY for verdict in self.findings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user is told although the request passes, a sentence each."""
        return tuple(
            " ".join(filter(None, (f"JobPolicy {verdict.policy}: {verdict}", verdict.guidance)))
            for verdict in self.findings
            if verdict.effect == WARN
        )

    @property
    def audit(self) -> dict[str, str]:
        """Audit annotations: of each policy that was broken, its name and what it found."""
        found: dict[str, list[str]] = {}
        for verdict in self.findings:
            found.setdefault(verdict.policy, []).append(f"{verdict.effect}: {verdict}")
        return {policy: "; ".join(texts) for policy, texts in found.items()}

    def message(self) -> str:
        """What the user is told when the request is refused; empty when it is not."""
        by_policy: dict[str, list[Verdict]] = {}
        for verdict in self.findings:
            if verdict.effect == DENY:
                by_policy.setdefault(verdict.policy, []).append(verdict)
        return "\n".join(_paragraph(policy, verdicts) for policy, verdicts in by_policy.items())


def _paragraph(policy: str, verdicts: list[Verdict]) -> str:
    if len(verdicts) == 1:
        lines = [f"JobPolicy {policy}: {verdicts[0]}"]
    else:
        lines = [f"JobPolicy {policy}:", *(f"- {verdict}" for verdict in verdicts)]
    if verdicts[0].guidance:
        lines.append(verdicts[0].guidance)
    return "\n".join(lines)


NOTHING = Judgement()


def judge(
    heard: Iterable[tuple[JobPolicy, Decision]],
    request: PolicyRequest,
    server: ApiServer,
    linter: Linter | None,
) -> Judgement:
    """What policies say to a request.

    Args:
        heard: those that speak about it, in the order of precedence, each with its decision to.
        request: whose object has the API server's defaults.
        server: the API server that sends it, or will.
        linter: asks the lint rules that they ask; None where they ask none.
    """
    case = _Case(request, server, linter)
    verdicts: list[Verdict] = []
    for policy, decision in heard:
        breaches = _breaches_of(policy, case)
        if breaches:
            least = _least_of(policy, request, decision.certain)
            verdicts.extend(_verdict(policy, breach, least) for breach in breaches)
    return Judgement(tuple(verdicts)) if verdicts else NOTHING


def linter_for(policies: Iterable[JobPolicy]) -> Linter | None:
    """Asks the lint rules that some policies ask; None when they ask none."""
    asked = frozenset(code for policy in policies if policy.rules for code in policy.rules.effects)
    return Linter(Selection(select=asked).selects) if asked else None


class _Case:
    """A request, with what several policies look at worked out once."""

    __slots__ = (
        "_linted", "_linter", "_new", "_old", "metadata_changed", "request", "server", "spec_changed",
    )  # fmt: skip

    def __init__(self, request: PolicyRequest, server: ApiServer, linter: Linter | None) -> None:
        self.request = request
        self.server = server
        self._linter = linter
        self._linted: list[Finding] | None = None
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
        """The object."""
        if self._new is None:
            request = self.request
            self._new = JobView(request.kind, request.object, self.server, request.manifest)
        return self._new

    @property
    def old(self) -> JobView:
        """The stored object of an update."""
        if self._old is None:
            assert self.request.old is not None
            self._old = JobView(self.request.kind, self.request.old, self.server)
        return self._old

    def linted(self) -> list[Finding]:
        """What the lint rules say of the object, and did not already say of the stored one."""
        if self._linted is None:
            self._linted = self._lint()
        return self._linted

    def _lint(self) -> list[Finding]:
        if self._linter is None:
            return []
        request, server, engine = self.request, self.server, engine_for(self.server)
        value = client_object(request.object, server, request.manifest)
        found = self._linter.lint(engine.decode_object(value), engine)
        if not found or request.old is None:
            return found
        stored = client_object(request.old, server)
        before = {
            (finding.code, finding.field, finding.message)
            for finding in self._linter.lint(engine.decode_object(stored), engine)
        }
        return [one for one in found if (one.code, one.field, one.message) not in before]


def _breaches_of(policy: JobPolicy, case: _Case) -> list[Breach]:
    try:
        found = list(_breaches(policy, case))
    except Exception as error:
        # One policy that cannot be judged must not keep the others from being heard.
        message = f"cannot be judged: {type(error).__name__}: {error}"
        return [Breach(violation_codes.INTERNAL_ERROR, "", "InternalError", message)]
    unreadable = case.request.unreadable
    if not unreadable:
        return found
    # In the place of a value that cannot be decoded stands the server's default, which nobody judges.
    places = tuple(error.field for error in unreadable)
    judged = [one for one in found if not _is_at_or_below(one.field, places)]
    return (
        [*_unreadable(unreadable), *judged]
        if case.spec_changed or case.metadata_changed
        else judged
    )


def _breaches(policy: JobPolicy, case: _Case) -> Iterator[Breach]:
    changed, is_update = case.spec_changed or case.metadata_changed, case.request.old is not None
    if policy.immutable is not None and is_update and changed:
        yield from policy.immutable.judge(case.new, case.old)
    limits = policy.limits
    if limits is not None and (case.spec_changed or (limits.metadata and case.metadata_changed)):
        found = list(limits.judge(case.new))
        yield from _fresh(found, limits.judge(case.old) if found and is_update else ())
    if policy.rules is not None and case.spec_changed:
        yield from _rule_breaches(policy.rules.effects, case.linted())
    if policy.expressions is not None and changed:
        found = list(policy.expressions.judge(case.request))
        stored = _as_stored(case.request) if found and is_update else None
        yield from _fresh(found, () if stored is None else policy.expressions.judge(stored))


def _unreadable(errors: Iterable[FieldError]) -> Iterator[Breach]:
    for error in errors:
        message = f"the policy cannot be evaluated completely: {error.message}"
        yield Breach(violation_codes.UNREADABLE, error.field, error.reason, message)


def _is_at_or_below(field: str, places: Iterable[str]) -> bool:
    return any(field == place or field.startswith((f"{place}.", f"{place}[")) for place in places)


def _fresh(found: list[Breach], before: Iterable[Breach]) -> Iterable[Breach]:
    """The breaches that were not there before; those before are only looked for where it matters."""
    if not found:
        return found
    known = set(before)
    return [breach for breach in found if breach not in known] if known else found


def _as_stored(request: PolicyRequest) -> PolicyRequest:
    """The update that leaves the stored object as it is."""
    from dataclasses import replace

    assert request.old is not None
    return replace(request, object=request.old)


def _rule_breaches(effects: Mapping[str, Effect], found: Iterable[Finding]) -> Iterator[Breach]:
    for finding in found:
        effect = effects.get(finding.code)
        if effect is not None:
            yield Breach(
                finding.code, finding.field, finding.reason, finding.message, effect, finding.hint
            )


def _least_of(policy: JobPolicy, request: PolicyRequest, certain: bool) -> Effect:
    """The most that a breach leads to, for this policy and request."""
    if policy.cron_job_jobs == AUDIT and request.is_made_by_a_cron_job:
        return AUDIT
    if not certain and policy.enforcement == DENY:
        return WARN
    return policy.enforcement


def _verdict(policy: JobPolicy, breach: Breach, most: Effect) -> Verdict:
    wanted = breach.effect or DENY
    if breach.code in _FAILURES and policy.on_internal_error == "allow":
        wanted = AUDIT
    if breach.code == violation_codes.UNREADABLE and policy.on_unreadable == "allow":
        wanted = AUDIT
    effect = wanted if _RANKS[wanted] <= _RANKS[most] else most
    return Verdict(policy.name, effect, breach, policy.guidance)
