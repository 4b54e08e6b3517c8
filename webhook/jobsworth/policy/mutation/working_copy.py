"""The object while defaults are filled in: what it becomes, from whom, and what could not be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jobsworth.provenance.field_ownership import field_ownership
from jobsworth.provenance.server_defaults import server_default
from jobsworth.validation.engine import engine_for

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from jobsworth.api.server import ApiServer
    from jobsworth.findings.finding import Finding
    from jobsworth.policy.policy_request import PolicyRequest

    Steps = tuple[str, ...]
    Change = tuple[Steps, Any]
    """The names that lead to a field, and what it becomes."""

_RULES = "podFailurePolicy.rules["


@dataclass(frozen=True, slots=True)
class AppliedDefault:
    """One default that was filled in.

    Attributes:
        policy: the name of the document; of rules from several documents, all names.
        field: the field path.
        before: what stood there; None where nothing did.
        after: what stands there now.
    """

    policy: str
    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class RejectedDefault:
    """One default that could not be filled in.

    Attributes:
        policy: the name of the document.
        field: the field path.
        why: what would be wrong with it.
    """

    policy: str
    field: str
    why: str

    def __str__(self) -> str:
        return f"policy {self.policy}: its default for {self.field} was left out: {self.why}"


class WorkingCopy:
    """An object that defaults are filled into; what they are filled into is a copy.

    Args:
        request: whose object it is.
        server: whose verdict and defaults count.
        careful: judge after every default; otherwise whoever fills in asks :meth:`has_new_errors` in the end.

    Attributes:
        object: the object, as far as it has come.
        applied: what was filled in.
        rejected: what could not be filled in, and why.
        skipped: the policy, field and reason of what was not needed or not meant.
        written: which fields somebody wrote.
        job: the names that lead to the JobSpec.
    """

    __slots__ = (
        "_careful",
        "_engine",
        "_errors",
        "_server",
        "applied",
        "job",
        "object",
        "ownership",
        "rejected",
        "request",
        "skipped",
    )  # fmt: skip

    def __init__(self, request: PolicyRequest, server: ApiServer, *, careful: bool) -> None:
        self.request = request
        self.object = request.object
        self.job: Steps = ("spec",) if request.kind == "Job" else ("spec", "jobTemplate", "spec")
        self.ownership = field_ownership(
            request.object if request.manifest is None else request.manifest
        )
        self.applied: list[AppliedDefault] = []
        self.rejected: list[RejectedDefault] = []
        self.skipped: list[tuple[str, str, str]] = []
        self._server = server
        self._engine = engine_for(server)
        self._careful = careful
        self._errors: set[tuple[str, tuple[str, ...]]] | None = None

    @property
    def spec(self) -> dict[str, Any]:
        """The JobSpec, as far as it has come."""
        spec: dict[str, Any] = at(self.object, self.job)
        return spec

    def path(self, name: str) -> str:
        """The field path of a field of the JobSpec."""
        return ".".join((*self.job, name))

    def has_server_default(self, name: str) -> bool:
        """Whether a field of the JobSpec has what the server fills in, unless somebody wrote just that.

        The server fills in nothing in the Job that stands inside a CronJob.
        """
        if self.request.kind != "Job" or self.ownership.has((*self.job, name)):
            return False
        default = server_default(name, self.spec, self._server)
        return default is not None and bool(default == self.spec.get(name))

    def offer(self, policy: str, changes: Iterable[Change]) -> bool:
        """Make changes, all or none: none where they would bring an error, with a warning that says so."""
        offered = list(changes)
        error = self.error_of(offered)
        if error is not None:
            self.reject_for(policy, offered[0][0], error)
            return False
        for steps, value in offered:
            self._note(AppliedDefault(policy, field_path(steps), at(self.object, steps), value))
        self.object = changed(self.object, offered)
        self._errors = None
        return True

    def _note(self, applied: AppliedDefault) -> None:
        """Note what was filled in; where something was filled in before, as one change."""
        for earlier in self.applied:
            if earlier.field == applied.field:
                self.applied.remove(earlier)
                applied = replace(applied, before=earlier.before)
                break
        self.applied.append(applied)

    def error_of(self, changes: Iterable[Change]) -> Finding | None:
        """What the server would say against changes; None where they bring no error, and if not careful."""
        if not self._careful:
            return None
        if self._errors is None:
            self._errors = set(map(_known_by, self._found(self.object)))
        for finding in self._found(changed(self.object, changes)):
            if _known_by(finding) not in self._errors:
                return finding
        return None

    def has_new_errors(self) -> bool:
        """Whether something is wrong with the object that was not before."""
        if self.object is self.request.object:
            return False
        found = self._found(self.object)
        if not found:
            return False
        before = set(map(_known_by, self._found(self.request.object)))
        return any(_known_by(finding) not in before for finding in found)

    def skip(self, policy: str, field: str, reason: str) -> None:
        """Note that a default is not filled in, and that this is as it should be; once."""
        if (policy, field, reason) not in self.skipped:
            self.skipped.append((policy, field, reason))

    def reject_for(self, policy: str, steps: Steps, error: Finding) -> None:
        """Note that a default was left out, because of what the server would say."""
        self.reject(
            policy,
            steps,
            f"it would make the {self.request.kind} invalid: {error.field}: {error.message}",
        )

    def reject(self, policy: str, steps: Steps, why: str) -> None:
        """Note that a default was left out, for a reason of ours; once."""
        rejected = RejectedDefault(policy, field_path(steps), why)
        if rejected not in self.rejected:
            self.rejected.append(rejected)

    def undo(self, policies: str, why: str) -> None:
        """Take everything back, and warn."""
        self.object = self.request.object
        self.applied, self._errors = [], None
        self.rejected = [RejectedDefault(policies, "metadata.labels", why)]

    def _found(self, value: dict[str, Any]) -> list[Finding]:
        findings = self._engine.validate(value, self.request.old)
        return [finding for finding in findings if finding.severity == "error"]


def at(value: Any, steps: Steps) -> Any:
    """What stands at the end of some names; None where nothing does."""
    for step in steps:
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value


def changed(value: dict[str, Any], changes: Iterable[Change]) -> dict[str, Any]:
    """An object with changes; what they do not touch is shared with it."""
    for steps, after in changes:
        value = _with(value, steps, after)
    return value


def _with(value: Any, steps: Steps, after: Any) -> Any:
    if not steps:
        return after
    copy = dict(value) if isinstance(value, dict) else {}
    copy[steps[0]] = _with(copy.get(steps[0]), steps[1:], after)
    return copy


def field_path(steps: Steps) -> str:
    """Names as a field path; the key of a label or annotation stands in brackets."""
    if steps[0] == "metadata" and len(steps) == 3:
        return f"metadata.{steps[1]}[{steps[2]}]"
    return ".".join(steps)


def _known_by(finding: Finding) -> tuple[str, tuple[str, ...]]:
    """What makes two errors the same: rules of a failure policy move when others come before them."""
    field = finding.field
    before, rules, rest = field.partition(_RULES)
    if rules:
        field = f"{before}{_RULES}{rest.partition(']')[2]}"
    return field, finding.parts
