"""The finding: everything that jobsworth says about a manifest."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jobsworth.findings.fix import Fix


class Finding:
    """One thing that jobsworth says about one field of one object.

    Immutable; compares by value.

    Attributes:
        source: ``api`` (the API server would say so), ``policy`` (the organisation's JobPolicy) or
            ``lint`` (a rule of jobsworth).
        severity: ``error``, ``warning`` or ``info``.
        code: stable name of the kind of finding, such as ``JW003``.
        field: the field path as Kubernetes writes it, such as
            ``spec.podFailurePolicy.rules[0].action``; empty for the whole object.
        reason: of an API finding the server's cause, such as ``FieldValueInvalid``.
        message: what is wrong, and what would be right; of an API finding in the server's own words.
            It is put together when it is read: see `parts` of
            :class:`~jobsworth.api.errors.FieldError`.
        hint: what the server does not say: where a field belongs, which name may have been meant.
        fix: edits that mend it; None when there is no safe or unsafe one.
    """

    __slots__ = ("code", "field", "fix", "hint", "parts", "reason", "severity", "source")

    source: str
    severity: str
    code: str
    field: str
    reason: str
    parts: tuple[str, ...]
    hint: str
    fix: Fix | None

    def __init__(
        self,
        *,
        source: str,
        severity: str,
        code: str,
        field: str,
        reason: str,
        message: str | tuple[str, ...],
        hint: str = "",
        fix: Fix | None = None,
    ) -> None:
        write = object.__setattr__
        write(self, "source", source)
        write(self, "severity", severity)
        write(self, "code", code)
        write(self, "field", field)
        write(self, "reason", reason)
        write(self, "parts", (message,) if isinstance(message, str) else message)
        write(self, "hint", hint)
        write(self, "fix", fix)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("findings are immutable")

    @property
    def message(self) -> str:
        """What is wrong, and what would be right."""
        return "".join(self.parts)

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

    def with_severity(self, severity: str) -> Finding:
        """The same finding with another severity."""
        return _rebuilt(self._values(severity=severity))

    def with_fix(self, fix: Fix | None) -> Finding:
        """The same finding with another fix, or with none."""
        return _rebuilt(self._values(fix=fix))

    def _values(self, **changed: Any) -> dict[str, Any]:
        return {name: getattr(self, name) for name in Finding.__slots__} | changed

    def __reduce__(self) -> tuple[Any, ...]:
        # Between processes: what cannot be changed cannot be filled in afterwards either.
        return _rebuilt, (self._values(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash((self.code, self.field, self.message))

    def __repr__(self) -> str:
        return f"<{self.severity} {self.code} {self.field}: {self.message}>"


def _rebuilt(values: dict[str, Any]) -> Finding:
    message = values.pop("parts")
    return Finding(**values, message=message)
