"""The working copy of an object while defaults are applied, with the record of the changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as data_field
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.finding import Finding
from jobsworth.policy.places import Change, Steps, at, changed, field_path
from jobsworth.policy.request import UPDATE, PolicyRequest
from jobsworth.provenance.field_ownership import field_ownership, is_set_by_manifest
from jobsworth.provenance.server_defaults import server_default
from jobsworth.validation.engine import engine_for

_RULES = "podFailurePolicy.rules["


@dataclass(frozen=True, slots=True)
class AppliedDefault:
    """A default that was set.

    Attributes:
        policy: the name of the policy; several names if rules come from several policies.
        field: the field path.
        before: the previous value; None if it was unset.
        after: the new value.
        steps: the steps that lead to the field.
    """

    policy: str
    field: str
    before: Any
    after: Any
    steps: Steps = data_field(repr=False)


@dataclass(frozen=True, slots=True)
class RejectedDefault:
    """A default that could not be set.

    Attributes:
        policy: the name of the policy.
        field: the field path.
        reason: the cause, worded as the end of a sentence.
    """

    policy: str
    field: str
    reason: str

    def __str__(self) -> str:
        return f"policy {self.policy}: default for {self.field} not set: {self.reason}"


class WorkingCopy:
    """A copy of an object to which defaults are applied.

    Args:
        request: the request with the original object.
        server: the API server whose validation and defaults apply.
        careful: validate before every change; otherwise the caller checks :meth:`has_new_errors` at the end.

    Attributes:
        object: the object in its current state.
        applied: the defaults that were set, in order, by field path.
        rejected: the defaults that could not be set, with the reason, as an ordered set.
        kept: the defaults that apply to a field that is unset, where it is unknown if it was: after a plain
            create, of an object that no other object owns.
        skipped: policy, field and reason of the defaults that were not needed or do not apply, as an
            ordered set.
        ownership: the fields that a client wrote.
        job: the field names that lead to the JobSpec.
    """

    __slots__ = (
        "_careful",
        "_engine",
        "_errors",
        "_sent",
        "_server",
        "applied",
        "job",
        "kept",
        "object",
        "ownership",
        "rejected",
        "request",
        "skipped",
    )  # fmt: skip

    def __init__(self, request: PolicyRequest, server: ApiServer, *, careful: bool) -> None:
        self.request = request
        self.object = request.object
        self.job: tuple[str, ...] = (
            ("spec",) if request.kind == "Job" else ("spec", "jobTemplate", "spec")
        )
        self._sent = request.object if request.manifest is None else request.manifest
        self.ownership = field_ownership(self._sent)
        self.applied: dict[str, AppliedDefault] = {}
        self.rejected: dict[RejectedDefault, None] = {}
        self.kept: dict[RejectedDefault, None] = {}
        self.skipped: dict[tuple[str, str, str], None] = {}
        self._server = server
        self._engine = engine_for(server)
        self._careful = careful
        self._errors: set[tuple[str, tuple[str, ...]]] | None = None

    @property
    def spec(self) -> dict[str, Any]:
        """The JobSpec in its current state."""
        spec: dict[str, Any] = at(self.object, self.job)
        return spec

    @property
    def labels(self) -> dict[str, str]:
        """The labels of the object in its current state."""
        return self.object["metadata"].get("labels") or {}

    @property
    def is_job_update(self) -> bool:
        """True for the update of a Job, most of which is immutable."""
        return self.request.operation == UPDATE and self.request.kind == "Job"

    def path(self, name: str) -> str:
        """Return the field path of a field of the JobSpec."""
        return ".".join((*self.job, name))

    def has_server_default(self, name: str) -> bool:
        """Return True if a JobSpec field has the server's default and no client is known to have written it.

        The server sets no defaults in the JobSpec of a CronJob.
        """
        if self.request.kind != "Job" or self.ownership.has((*self.job, name)):
            return False
        default = server_default(name, self.spec, self._server)
        return default is not None and bool(default == self.spec.get(name))

    def is_set_by_manifest(self, name: str) -> bool:
        """Return True if the client that last changed a JobSpec field applies the Job's whole manifest."""
        return is_set_by_manifest(self._sent, (*self.job, name))

    def keep(self, policy: str, steps: Steps) -> None:
        """Note a default that is not set because it is unknown if a client wrote the field."""
        if not self.object["metadata"].get("ownerReferences"):  # whose creator reads no warnings
            reason = (
                f"the API server's {at(self.object, steps)} stays, because after a plain create it "
                "is unknown if a client wrote it (write the field, use kubectl apply, or set when: "
                "ifServerDefault)"
            )
            self.kept[RejectedDefault(policy, field_path(steps), reason)] = None

    def offer(self, policy: str, changes: Iterable[Change]) -> bool:
        """Apply all changes, or none and add a warning if they would make the object invalid."""
        offered = list(changes)
        error = self.error_of(offered)
        if error is not None:
            self.reject_for(policy, offered[0][0], error)
            return False
        self._apply((policy, change) for change in offered)
        return True

    def offer_parts(self, offers: Sequence[tuple[str, Change]]) -> None:
        """Apply changes, in order, without those that would make the object invalid.

        All are validated at once, and halves of them only if that fails.

        Args:
            offers: the changes, each with the name of its policy.
        """
        if not offers:
            return
        error = self.error_of(change for _, change in offers)
        if error is None:
            self._apply(offers)
        elif len(offers) == 1:
            ((policy, (steps, _)),) = offers
            self.reject_for(policy, steps, error)
        else:
            middle = len(offers) // 2
            self.offer_parts(offers[:middle])
            self.offer_parts(offers[middle:])

    def _apply(self, offers: Iterable[tuple[str, Change]]) -> None:
        for policy, (steps, value) in offers:
            self._note(policy, steps, at(self.object, steps), value)
            self.object = changed(self.object, [(steps, value)])
        self._errors = None

    def settle(self) -> None:
        """Set the defaults that the API server sets for what was added."""
        self.object = self._engine.default(self.object)

    def offer_each(self, policy: str, part: str, values: Mapping[str, str]) -> Finding | None:
        """Set labels or annotations, in order, until one would make the object invalid.

        Each is valid by itself, see :mod:`jobsworth.policy.defaults`: only their total size is not.
        That one and those after it are rejected, with a warning for each. There may be thousands, so all
        are validated at once, and halves of them only if that fails.

        Args:
            policy: the name of the policy.
            part: ``labels`` or ``annotations``.
            values: the values by key.

        Returns:
            The error for which a value was rejected; None if all were set.
        """
        if not values:
            return None
        present = at(self.object, ("metadata", part)) or {}
        change: Change = (("metadata", part), {**present, **values})
        error = self.error_of([change])
        if error is None:
            for key, value in values.items():
                self._note(policy, ("metadata", part, key), present.get(key), value)
            self.object = changed(self.object, [change])
            self._errors = None
        elif len(values) == 1:
            (key,) = values
            self.reject_for(policy, ("metadata", part, key), error)
        else:
            items = list(values.items())
            first, second = dict(items[: len(items) // 2]), dict(items[len(items) // 2 :])
            error = self.offer_each(policy, part, first)
            if error is None:
                return self.offer_each(policy, part, second)
            for key in second:
                self.reject_for(policy, ("metadata", part, key), error)
        return error

    def _note(self, policy: str, steps: Steps, before: Any, after: Any) -> None:
        """Record a default; merge it with an earlier change of the same field."""
        field = field_path(steps, self.object)
        earlier = self.applied.pop(field, None)
        if earlier is not None:
            before = earlier.before
        self.applied[field] = AppliedDefault(policy, field, before, after, steps)

    def error_of(self, changes: Iterable[Change]) -> Finding | None:
        """Return the first new error that changes would cause; None if there is none, or if not `careful`."""
        if not self._careful:
            return None
        if self._errors is None:
            self._errors = set(map(_known_by, self._found(self.object)))
        for finding in self._found(changed(self.object, changes)):
            if _known_by(finding) not in self._errors:
                return finding
        return None

    def has_new_errors(self) -> bool:
        """Return True if the object has an error that the original does not have."""
        if self.object is self.request.object:
            return False
        found = self._found(self.object)
        if not found:
            return False
        before = set(map(_known_by, self._found(self.request.object)))
        return any(_known_by(finding) not in before for finding in found)

    def skip(self, policy: str, field: str, reason: str) -> None:
        """Record, once, that a default is not needed or does not apply."""
        self.skipped[policy, field, reason] = None

    def reject_for(self, policy: str, steps: Steps, error: Finding) -> None:
        """Record that a default would cause a validation error."""
        self.reject(
            policy,
            steps,
            f"it would make the {self.request.kind} invalid: {error.field}: {error.message}",
        )

    def reject(self, policy: str, steps: Steps, reason: str) -> None:
        """Record, once, that a default cannot be set."""
        self.rejected[RejectedDefault(policy, field_path(steps, self.object), reason)] = None

    def undo(self, policies: str, reason: str) -> None:
        """Undo all changes, and add a warning."""
        self.object = self.request.object
        self.applied, self._errors = {}, None
        self.rejected = {RejectedDefault(policies, "metadata.labels", reason): None}

    def _found(self, value: dict[str, Any]) -> list[Finding]:
        findings = self._engine.validate(value, self.request.old)
        return [finding for finding in findings if finding.severity == "error"]


def _known_by(finding: Finding) -> tuple[str, tuple[str, ...]]:
    """Return the identity of an error, independent of the position of failure policy rules."""
    field = finding.field
    before, rules, rest = field.partition(_RULES)
    if rules:
        field = f"{before}{_RULES}{rest.partition(']')[2]}"
    return field, finding.parts
