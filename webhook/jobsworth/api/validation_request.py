"""The context of a rule: the API server, and the stored object of an update."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from jobsworth.api.field_errors import FieldError

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer

MAX_ERRORS = 10_000
"""The default limit of errors in one object."""


class TooManyErrors(Exception):
    """The validation stopped, because the object has more errors than the request admits."""


class Request:
    """A create request, or an update request if there is an old object.

    Attributes:
        server: the API server, whose release and gates decide.
        kind: the kind of the whole object: ``Job`` or ``CronJob``.
        old: the stored object, decoded and defaulted; None on create.
        in_use: the gates that are off but that the stored object uses, so that an update keeps their fields.
        errors: the errors so far. The fields of an object are validated before its rules run, so a rule
            can see which fields are valid.
        most_errors: the number of errors after which the validation of a list stops.
    """

    __slots__ = ("_answers", "errors", "in_use", "kind", "most_errors", "old", "server")

    def __init__(
        self,
        server: ApiServer,
        kind: str,
        old: dict[str, Any] | None = None,
        *,
        most_errors: int = MAX_ERRORS,
    ) -> None:
        self.server = server
        self.kind = kind
        self.old = old
        self.in_use: frozenset[str] = frozenset()
        self.errors: list[FieldError] = []
        self.most_errors = most_errors
        self._answers: dict[Hashable, bool] = {}

    def enabled(self, gate: str) -> bool:
        """Return True if a feature gate of the server is on, or if the stored object uses it."""
        return self.server.enabled(gate) or gate in self.in_use

    def once(self, question: Callable[..., bool], *about: Hashable) -> bool:
        """Evaluate a predicate on the stored object once, and cache the result.

        A rule that searched the stored object for every item of the new one would take time in
        proportion to the product of both sizes.

        Args:
            question: a function of the request and of `about`.
            about: further arguments of the function.
        """
        key = question, *about
        if key not in self._answers:
            self._answers[key] = question(self, *about)
        return self._answers[key]

    @property
    def old_job_spec(self) -> dict[str, Any] | None:
        """The JobSpec of the stored Job or CronJob; None on create."""
        return None if self.old is None else job_spec_of(self.old)

    @property
    def old_template(self) -> dict[str, Any] | None:
        """The stored object's Pod template; None on create.

        A rule that became stricter still accepts values that the stored object already has.
        """
        spec = self.old_job_spec
        return None if spec is None else spec["template"]

    @property
    def old_pod(self) -> dict[str, Any] | None:
        """The PodSpec of the stored object's template; None on create."""
        template = self.old_template
        return None if template is None else template["spec"]


def job_spec_of(value: dict[str, Any]) -> dict[str, Any]:
    """Return the JobSpec of a decoded Job or CronJob."""
    spec: dict[str, Any] = value["spec"]
    return spec["jobTemplate"]["spec"] if "jobTemplate" in spec else spec
