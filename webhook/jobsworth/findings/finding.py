"""The finding: everything that jobsworth says about a manifest."""

from __future__ import annotations

from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from jobsworth.findings.fix import Fix

    Severity = Literal["error", "warning", "info"]
    Source = Literal["api", "policy", "lint"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""From the gravest."""


class Finding(Record, kw_only=True):
    """One thing that jobsworth says about one field of one object.

    Immutable; compares by value.

    Attributes:
        source: ``api`` (the API server would say so), ``policy`` (the organisation's JobPolicy) or
            ``lint`` (a rule of jobsworth).
        severity: ``error``: the object is refused, or is to be; ``warning`` and ``info`` are advice.
        code: stable name of the kind of finding, such as ``JW003``.
        field: the field path as Kubernetes writes it, such as
            ``spec.podFailurePolicy.rules[0].action``; empty for the whole object.
        reason: of an API finding the server's cause, such as ``FieldValueInvalid``.
        message: what is wrong, and what would be right; of an API finding in the server's own words.
        hint: what the server does not say: where a field belongs, which name may have been meant.
        fix: edits that mend it; None when there is no safe or unsafe one.
    """

    source: Source
    severity: Severity
    code: str
    field: str
    reason: str
    message: str
    hint: str = ""
    fix: Fix | None = None

    def as_dict(self) -> dict[str, Any]:
        """The finding's parts by name, as reports write them."""
        parts: dict[str, Any] = {
            name: getattr(self, name) for name in ("source", "severity", "code", "field")
        }
        parts["reason"] = self.reason
        parts["message"] = self.message
        if self.hint:
            parts["hint"] = self.hint
        if self.fix is not None:
            parts["fix"] = self.fix.as_dict()
        return parts

    def with_severity(self, severity: Severity) -> Finding:
        """The same finding with another severity."""
        return self.replace(severity=severity)

    def with_fix(self, fix: Fix | None) -> Finding:
        """The same finding with another fix, or with none."""
        return self.replace(fix=fix)

    def __hash__(self) -> int:
        return hash((self.code, self.field, self.message))

    def __repr__(self) -> str:
        return f"<{self.severity} {self.code} {self.field}: {self.message}>"
