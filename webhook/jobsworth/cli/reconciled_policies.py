"""The policies by which ``jobsworth reconcile`` evaluates stored Jobs, reloaded when their files change."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from jobsworth.api.api_server import ApiServer, nearest_release
from jobsworth.client.server_release import ask_release
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.policy.effective_policies import EffectivePolicies
from jobsworth.reconciler.admitted_jobs import ActivePolicies
from jobsworth.serving.active_policies import broken_notes
from jobsworth.serving.file_reload import Reloading

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.client.api_interface import Api
    from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles

RELEASE_SECONDS = 300.0
"""The time between two questions for the release of the API server."""


class ReconciledPolicies:
    """The policies in some files, for the release of the API server.

    Args:
        files: the files.
        server_of: returns the API server to assume for the release that it reports; empty if unknown.
        api: reports its release.
        log: logs a message for the operator.
        loaded_successfully: called after each load; False if a policy was rejected.

    Attributes:
        active: the active policies; None before the first check.
    """

    def __init__(
        self,
        files: EffectivePolicyFiles,
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
        self._files = Reloading("policy", files.load, files.watched)
        self._release = ""
        self._ask_at = 0.0

    def check(self) -> bool:
        """Load what has changed; return True if other policies, or another release, are active now."""
        changed = self._asks_for_another_release()
        changed = self._files.check(self) or changed
        if not changed or self._files.value is None:
            return False
        server, release = self._server_of(self._release), self._release
        self.active = ActivePolicies(
            Evaluator(
                server,
                policies=self._files.value.policies,
                api=False,
                lint=False,
                stored_by=ApiServer(nearest_release(release)) if release else None,
            )
        )
        return True

    def loaded(self, what: str, seconds: float, value: object) -> None:
        """Log that changed policies are active."""
        assert isinstance(value, EffectivePolicies)
        names = ", ".join(policy.name for policy in value.policies.policies)
        self._log(
            f"loaded {len(value.policies.policies)} policies in {seconds:.2f} s: {names or 'none'}"
        )
        self._loaded_successfully(not value.errors)
        if value.errors:
            notes = "; ".join(
                f"{name}: {note}" for name, note in broken_notes(value.broken).items()
            )
            errors = "\n".join(value.errors)
            self._log(f"rejected policies; fix the files ({notes}):\n{errors}")

    def rejected(self, what: str, seconds: float, error: Exception) -> None:
        """Log that the changed files are invalid."""
        self._loaded_successfully(False)
        self._log(f"rejected the changed {what} files, the previous ones stay active: {error}")

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
