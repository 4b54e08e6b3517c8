"""The one error family of the client: what a cluster did not do, for programs and for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNREACHABLE = 0  # instead of an HTTP status: no answer came
EXPIRED = 410
LONGEST_TEXT = 500  # of an answer that is no Status


@dataclass(slots=True, eq=False)
class ApiError(Exception):
    """An API server's refusal, or that there was no answer.

    ``str`` gives the explanation for people, which is the message where nothing is to be added.

    Attributes:
        code: the HTTP status; UNREACHABLE without an answer.
        reason: as the server's ``Status`` has it, such as ``NotFound``.
        message: in the server's own words, where it answered.
        retry_after: seconds after which the server wants to be asked again, if it said so.
        causes: the reasons of the causes that the ``Status`` details.
        continue_token: of an expired list the token with which the rest of it can be read.
        explanation: the message with what to do about it.
        timed_out: no answer came within the timeout of the request.
    """

    code: int
    reason: str
    message: str
    retry_after: float | None = None
    causes: tuple[str, ...] = ()
    continue_token: str = ""
    explanation: str = ""
    timed_out: bool = False

    def __str__(self) -> str:
        return self.explanation or self.message

    @property
    def not_found(self) -> bool:
        """The object is not there, or no longer."""
        return self.code == 404

    @property
    def conflict(self) -> bool:
        """The object has changed since it was read, or has another UID."""
        return self.code == 409 and self.reason != "AlreadyExists"

    @property
    def expired(self) -> bool:
        """The resourceVersion of a list or watch is too old."""
        return self.code == EXPIRED

    @property
    def may_have_been_carried_out(self) -> bool:
        """The call may have had its effect all the same: no answer came, or none that says no."""
        return self.code < 300 or self.code >= 500

    @property
    def another_object(self) -> bool:
        """The object of this name is no longer the one that was meant: its UID is another.

        A patch that gives the UID is refused as an attempt to change it. Any other 422 is something
        else, such as a policy that stands in the way.
        """
        if self.code == 422:
            return "metadata.uid" in self.message
        return self.conflict and "precondition" in self.message

    @property
    def namespace_terminating(self) -> bool:
        """Nothing can be created, for the namespace is being deleted."""
        return self.code == 403 and "NamespaceTerminating" in self.causes

    def while_trying_to(self, task: str) -> ApiError:
        """Name in the explanation the task that failed, such as ``read Secret a/b``."""
        self.explanation = f"cannot {task}: {self}"
        return self


class NotConfigured(ApiError):
    """No API server can be called, for the configuration is missing or wrong."""

    def __init__(self, message: str) -> None:
        super().__init__(UNREACHABLE, "NotConfigured", message)

    @property
    def may_have_been_carried_out(self) -> bool:
        """Nothing was sent."""
        return False


def error_of(code: int, answer: Any, retry_after: float | None = None) -> ApiError:
    """Return the error that an answer stands for.

    Args:
        code: the HTTP status.
        answer: a ``Status``; or the text, of an answer that is none.
        retry_after: of the answer's header, in seconds.
    """
    if not isinstance(answer, dict):
        said = printable(str(answer)[:LONGEST_TEXT]) or f"HTTP status {code}"
        return ApiError(code, "", said, retry_after)
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
        retry_after,
        tuple(
            str(cause.get("reason") or "")
            for cause in (causes if isinstance(causes, list) else ())
            if isinstance(cause, dict)
        ),
        str(meta.get("continue") or ""),
    )


def printable(text: str) -> str:
    """Return a text of the server's without control characters: it may be shown on a terminal."""
    if text.isprintable():
        return text
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _object(answer: dict[str, Any], key: str) -> dict[str, Any]:
    found = answer.get(key)
    return found if isinstance(found, dict) else {}
