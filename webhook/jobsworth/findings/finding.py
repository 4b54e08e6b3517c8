"""The finding: one result that jobsworth reports about a manifest."""

from __future__ import annotations

from typing import Any, Final, Literal

from jobsworth.findings.fix import Fix
from jobsworth.record import Record

Severity = Literal["error", "warning", "info"]
Threshold = Literal["error", "warning", "info", "never", "verdict"]
Source = Literal["api", "child", "policy", "lint"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The severities, from the highest to the lowest."""

NEVER: Final = "never"
THRESHOLDS: tuple[Threshold, ...] = ("error", "warning", "info", NEVER)
"""The lowest severity whose findings make a run fail."""

VERDICT: Final = "verdict"
"""The threshold of which only errors of the API server make a run fail."""

AT_LEAST: dict[Threshold, tuple[Severity, ...]] = {
    "error": SEVERITIES[:1],
    "warning": SEVERITIES[:2],
    "info": SEVERITIES,
    NEVER: (),
    VERDICT: (),
}
"""The severities that are as high as each threshold."""


_INVALID, _IMMUTABLE = "Invalid value: ", ": field is immutable"
_MAX_IMMUTABLE_LENGTH = 200


class Finding(Record, kw_only=True):
    """A result about one field of one object.

    Immutable; compares by value.

    Attributes:
        source: ``api`` (the validation of the API server), ``child`` (the Pods that the Job would create
            are rejected, or never start), ``policy`` (a JobPolicy of the organization) or ``lint`` (a lint
            rule of jobsworth).
        severity: ``error``: the object is rejected or denied; ``warning`` and ``info`` are advice.
        code: stable name of the kind of finding, such as ``JW003``.
        field: the field path as Kubernetes writes it, such as
            ``spec.podFailurePolicy.rules[0].action``; empty for the whole object.
        reason: for an API finding the server's cause, such as ``FieldValueInvalid``.
        message: the problem, and its solution; for an API finding, the words of the server. It is joined
            when it is read: see `parts` of
            :class:`~jobsworth.api.field_errors.FieldError`.
        hint: advice that the server does not give: the right place of a field, or a likely name.
        fix: edits that fix it; None if no fix is known.
        rule: for an API finding the key of the rule that reports it; see `rule` of
            :class:`~jobsworth.api.field_errors.FieldError`. Like `supported`, it is for fixes and hints: it
            is neither reported nor compared.
        supported: for an API finding, the values that an enumeration has instead.
        entry: for an API finding, the path below `field` of what it is about; see `entry` of
            :class:`~jobsworth.api.field_errors.FieldError`. It is for positions, fixes and hints.
        line: the line of the field's text that it is about, from 0; for positions only.
        is_wider: another error about the same value supports fewer values; people see only that one.
    """

    source: Source
    severity: Severity
    code: str
    field: str
    reason: str
    parts: tuple[str, ...]
    hint: str
    fix: Fix | None
    rule: str
    supported: tuple[str, ...]
    entry: str
    line: int
    is_wider: bool

    def __init__(
        self,
        *,
        source: Source,
        severity: Severity,
        code: str,
        field: str,
        reason: str,
        message: str | tuple[str, ...],
        hint: str = "",
        fix: Fix | None = None,
        rule: str = "",
        supported: tuple[str, ...] = (),
        entry: str = "",
        line: int = 0,
        is_wider: bool = False,
    ) -> None:
        fields: Any = self  # which is frozen for type checkers
        fields.source = source
        fields.severity = severity
        fields.code = code
        fields.field = field
        fields.reason = reason
        fields.parts = (message,) if isinstance(message, str) else message
        fields.hint = hint
        fields.fix = fix
        fields.rule = rule
        fields.supported = supported
        fields.entry = entry
        fields.line = line
        fields.is_wider = is_wider

    def fails(self, threshold: Threshold) -> bool:
        """Return True for a finding that makes a run fail."""
        if threshold == VERDICT:
            return self.severity == "error" and self.code.startswith("JW0")
        return self.severity in AT_LEAST[threshold]

    @property
    def written_field(self) -> str:
        """The field path as a manifest has it: the API server calls the labels of a Pod template
        ``spec.template.labels``.
        """
        holder, _, name = self.field.rpartition(".")
        is_written_so = self.reason == "UnknownField"
        if name in ("labels", "annotations") and holder.endswith("template") and not is_written_so:
            return f"{holder}.metadata.{name}"
        return self.field

    @property
    def place(self) -> str:
        """The path of what the finding is about: of an entry where the server names only its map."""
        return self.written_field + self.entry

    @property
    def message(self) -> str:
        """The problem, and its solution."""
        return "".join(self.parts)

    @property
    def short_message(self) -> str:
        """The message for people, without the value of an immutable field: the hint names its change."""
        message = self.message
        if (
            len(message) > _MAX_IMMUTABLE_LENGTH
            and message.startswith(_INVALID + "{")
            and message.endswith(_IMMUTABLE)
        ):
            return f"{_INVALID}{{…}}{_IMMUTABLE}"
        return message

    def with_severity(self, severity: Severity) -> Finding:
        """Return the finding with another severity."""
        return self.changed(severity=severity)

    def with_message(self, message: str) -> Finding:
        """Return the finding with another message."""
        return self.changed(message=message)

    def with_hint(self, hint: str) -> Finding:
        """Return the finding with another hint."""
        return self.changed(hint=hint)

    def with_fix(self, fix: Fix | None) -> Finding:
        """Return the finding with another fix, or with none."""
        return self.changed(fix=fix)

    def changed(self, **changes: Any) -> Finding:
        """Return the finding with other values of some fields."""
        values = {name: getattr(self, name) for name in self._fields}
        message = values.pop("parts")
        return Finding(**{"message": message, **values, **changes})

    def __eq__(self, other: object) -> bool:
        # Equal messages may be split into different parts.
        return isinstance(other, Finding) and self._compared == other._compared

    @property
    def _compared(self) -> tuple[object, ...]:
        identity = (self.source, self.severity, self.code, self.field, self.reason)
        return (*identity, self.message, self.hint, self.fix)

    def __hash__(self) -> int:
        return hash((self.code, self.field, self.message))

    def __repr__(self) -> str:
        return f"<{self.severity} {self.code} {self.field}: {self.message}>"


Reported = tuple[str, Finding]
"""The name of the policy that reports a finding (empty for other sources), and the finding."""
