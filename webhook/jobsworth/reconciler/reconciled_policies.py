"""The policies by which ``jobsworth reconcile`` evaluates stored Jobs, reloaded when their files change."""

from __future__ import annotations

import time
from collections.abc import Callable

from jobsworth.api.api_server import ApiServer, nearest_release
from jobsworth.client.api_interface import Api
from jobsworth.client.server_release import ask_release
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.reconciler.policy_review import ActivePolicies
from jobsworth.serving.policy_files import PolicyFiles

RELEASE_SECONDS = 300.0
"""The time between two questions for the release of the API server."""


class ReconciledPolicies:
    """The policies in some files, for the release of the API server.

    Args:
        files: the policies in the files.
        server_of: returns the API server to assume for the release that it reports; empty if unknown.
        api: reports its release.
        log: logs a message for the operator.
        loaded_successfully: called after each load; False if a policy was rejected.

    Attributes:
        active: the active policies; None before the first check.
    """

    def __init__(
        self,
        files: PolicyFiles,
        server_of: Callable[[str], ApiServer],
        *,
        api: Api,
        log: Callable[[str], None],
        loaded_successfully: Callable[[bool], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.active: ActivePolicies | None = None
        self._server_of = server_of
        self._api = api
        self._log = log
        self._loaded_successfully = loaded_successfully
        self._clock = clock
        self._files = files
        self._release = ""
        self._ask_at = 0.0

    def check(self) -> bool:
        """Load what has changed; return True if other policies, or another release, are active now."""
        other_release, load = self._asks_for_another_release(), self._files.check()
        if load is not None:
            for line in load.lines():
                self._log(line)
            self._loaded_successfully(load.succeeded)
        loaded = load is not None and load.policies is not None
        if self._files.active is None or not (loaded or other_release):
            return False
        server, release = self._server_of(self._release), self._release
        self.active = ActivePolicies(
            Evaluator(
                server,
                policies=self._files.active.policies,
                api=False,
                lint=False,
                stored_by=ApiServer(nearest_release(release)) if release else None,
            )
        )
        return True

    def _asks_for_another_release(self) -> bool:
        if self._clock() < self._ask_at:
            return False
        self._ask_at = self._clock() + RELEASE_SECONDS
        try:
            release = ask_release(self._api)
        except OSError as error:
            self._log(f"the release of the API server is unknown: {error}")
            return False
        changed, self._release = release != self._release, release
        return changed
