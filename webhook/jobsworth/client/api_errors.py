"""The errors of the client: failed calls to an API server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNREACHABLE = 0  # instead of an HTTP status: there was no response
EXPIRED = 410
MAX_TEXT_LENGTH = 500  # characters of a response that is not a Status
MAX_RETRY_AFTER = (
    30.0  # seconds; a proxy that asks for hours must not stop a controller for so long
)


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """A cause in the ``Status`` of a rejected object.

    Attributes:
        reason: such as ``FieldValueInvalid``.
        field: the field path; empty if the cause is not about a field.
        message: the problem.
    """

    reason: str
    field: str = ""
    message: str = ""


@dataclass(slots=True, eq=False)
class ApiError(Exception):
    """A call that the API server rejected, or did not answer.

    ``str`` returns the explanation for users, or the message if there is no explanation.

    Attributes:
        code: the HTTP status; UNREACHABLE without a response.
        reason: the reason of the ``Status``, such as ``NotFound``.
        message: the message of the API server, unchanged, if it responded.
        retry_after: the seconds after which the API server asks to retry; None if it does not.
        details: the causes in the ``Status``.
        continue_token: the token to continue an expired list with.
        explanation: the message together with what to do about it.
        timed_out: there was no response within the timeout of the request.
    """

    code: int
    reason: str
    message: str
    retry_after: float | None = None
    details: tuple[ErrorDetail, ...] = ()
    continue_token: str = ""
    explanation: str = ""
    timed_out: bool = False

    def __str__(self) -> str:
        return self.explanation or self.message

    @property
    def causes(self) -> tuple[str, ...]:
        """The reasons of the causes in the ``Status``."""
        return tuple(detail.reason for detail in self.details)

    @property
    def not_found(self) -> bool:
        """The object does not exist."""
        return self.code == 404

    @property
    def conflict(self) -> bool:
        """The object has changed since it was read, or has a different UID."""
        return self.code == 409 and self.reason != "AlreadyExists"

    @property
    def expired(self) -> bool:
        """The resourceVersion of a list or watch is too old."""
        return self.code == EXPIRED

    @property
    def may_have_been_carried_out(self) -> bool:
        """The call may have taken effect: there was no response, or none that rejects the call."""
        return self.code < 300 or self.code >= 500

    @property
    def another_object(self) -> bool:
        """The object of this name has a different UID: it was deleted and created again.

        The API server rejects a patch with another UID as an attempt to change it. Any other 422 has a
        different cause, such as an admission policy.
        """
        if self.code == 422:
            return "metadata.uid" in self.message
        return self.conflict and "precondition" in self.message

    @property
    def namespace_terminating(self) -> bool:
        """Nothing can be created because the namespace is being deleted."""
        return self.code == 403 and "NamespaceTerminating" in self.causes

    def while_trying_to(self, task: str) -> ApiError:
        """Add the failed task to the explanation, such as ``read Secret a/b``."""
        self.explanation = f"cannot {task}: {self}"
        return self


class NotConfigured(ApiError):
    """No API server can be called because the configuration is missing or invalid."""

    def __init__(self, message: str) -> None:
        super().__init__(UNREACHABLE, "NotConfigured", message)

    @property
    def may_have_been_carried_out(self) -> bool:
        """Return False: nothing was sent."""
        return False


def error_of(code: int, answer: Any, retry_after: float | None = None) -> ApiError:
    """Return the error for a response; its ``retry_after`` is at most MAX_RETRY_AFTER.

    Args:
        code: the HTTP status.
        answer: the ``Status``, or the text of a response without one.
        retry_after: the value of the ``Retry-After`` header, in seconds.
    """
    if not isinstance(answer, dict):
        text = printable(str(answer)[:MAX_TEXT_LENGTH]) or f"HTTP status {code}"
        return ApiError(code, "", text, _bounded(retry_after))
    meta, details = _object(answer, "metadata"), _object(answer, "details")
    causes = details.get("causes")
    wait = details.get("retryAfterSeconds")
    if retry_after is None and isinstance(wait, int | float):
        retry_after = wait or None
    reason = printable(str(answer.get("reason") or ""))
    return ApiError(
        code,
        reason,
        printable(str(answer.get("message") or "")) or reason or f"HTTP status {code}",
        _bounded(retry_after),
        tuple(
            ErrorDetail(
                str(cause.get("reason") or ""),
                printable(str(cause.get("field") or "")),
                printable(str(cause.get("message") or "")),
            )
            for cause in (causes if isinstance(causes, list) else ())
            if isinstance(cause, dict)
        ),
        str(meta.get("continue") or ""),
    )


def printable(text: str) -> str:
    """Return a text from the server without control characters, which a terminal would interpret."""
    if text.isprintable():
        return text
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _object(answer: dict[str, Any], key: str) -> dict[str, Any]:
    found = answer.get(key)
    return found if isinstance(found, dict) else {}


def _bounded(seconds: float | None) -> float | None:
    return min(seconds, MAX_RETRY_AFTER) if seconds is not None and seconds >= 0 else None
