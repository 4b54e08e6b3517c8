"""What a rule may know beside the object that it judges: the server, and what stood there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Any

    from jobsworth.api.errors import FieldError
    from jobsworth.api.server import ApiServer


class Request:
    """A create, or an update where there is an old object.

    Attributes:
        server: whose release and gates decide.
        kind: of the whole object: ``Job`` or ``CronJob``.
        old: the stored object, decoded and defaulted; None on create.
        errors: what has been found so far; the parts of an object are judged before its rules are
            asked, so that a rule can tell which of the parts are sound.
    """

    __slots__ = ("_answers", "errors", "kind", "old", "server")

    def __init__(self, server: ApiServer, kind: str, old: dict[str, Any] | None = None) -> None:
        self.server = server
        self.kind = kind
        self.old = old
        self.errors: list[FieldError] = []
        self._answers: dict[Hashable, bool] = {}

    def enabled(self, gate: str) -> bool:
        """Whether a feature gate of the server is on."""
        return self.server.enabled(gate)

    def once(self, question: Callable[..., bool], *about: Hashable) -> bool:
        """Answer a question about the stored object, and keep the answer.

        A rule that looks through the stored object for each item of the new one would take a time
        that grows with the product of the two.

        Args:
            question: a function of the request and of `about`.
            about: further arguments of the question.
        """
        key = question, *about
        if key not in self._answers:
            self._answers[key] = question(self, *about)
        return self._answers[key]

    @property
    def old_template(self) -> dict[str, Any] | None:
        """The stored object's Pod template; None on create.

        A rule that has become stricter spares what an old object already has.
        """
        if self.old is None:
            return None
        spec: dict[str, Any] = self.old["spec"]
        spec = spec["jobTemplate"]["spec"] if "jobTemplate" in spec else spec
        template: dict[str, Any] = spec["template"]
        return template

    @property
    def old_pod(self) -> dict[str, Any] | None:
        """The PodSpec of the stored object's template; None on create."""
        template = self.old_template
        return None if template is None else template["spec"]
