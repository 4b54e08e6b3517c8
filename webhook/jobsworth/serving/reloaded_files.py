"""The policies and the certificate that a process serves."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from jobsworth.serving.active_policies import ServedState, broken_notes
from jobsworth.serving.file_reload import Reloading
from jobsworth.serving.monitor import Check
from jobsworth.serving.tls_context import ServingCertificate, load_certificate

if TYPE_CHECKING:
    from jobsworth.admission.decision import Reviewer
    from jobsworth.admission.request_log import Log
    from jobsworth.admission.review_metrics import WebhookMetrics
    from jobsworth.serving.active_policies import StateLoader
    from jobsworth.serving.release_poll import ReleasePoll
    from jobsworth.serving.settings import Files

POLICY, CERTIFICATE = "policy", "certificate"
_EFFECTS = {
    POLICY: "no policy is active",
    CERTIFICATE: "without a certificate, no client can connect",
}
"""The effect of rejected files when none were loaded before."""
MAX_NOTES = 20
"""The largest number of broken policies that the readiness text names."""


class ServedFiles:
    """The policies and the certificate that a process serves, reloaded when their files change.

    The arbiter loads them once, before it starts workers. Each worker begins with what the arbiter has
    loaded, and then loads what changes by itself.

    Args:
        files: the files to read and reload.
        states: loads the policies.
        log, metrics: record the loads.
        releases: asks the API server for its release; None if another process does.
    """

    def __init__(
        self,
        files: Files,
        states: StateLoader,
        *,
        log: Log,
        metrics: WebhookMetrics,
        releases: ReleasePoll | None = None,
    ) -> None:
        self._log = log
        self._metrics = metrics
        self._releases = releases
        self._state = Reloading(POLICY, states.load, files.of_state)
        self._certificate = Reloading(
            CERTIFICATE,
            lambda: load_certificate(files.certificate, files.key, files.client_ca),
            files.of_certificate,
        )

    @property
    def state(self) -> ServedState | None:
        """The active state; None before it is loaded."""
        return self._state.value

    @property
    def certificate(self) -> ServingCertificate | None:
        """The serving certificate for new connections; None if none is loaded."""
        return self._certificate.value

    def reviewer(self) -> Reviewer:
        """Return the reviewer of the active state, without which the server does not start."""
        assert self._state.value is not None
        return self._state.value.reviewer

    def checks(self) -> dict[str, Check]:
        """Return the readiness checks of the policies and of the certificate."""
        state = self.state
        return {
            POLICY: Check("not compiled") if state is None else Check(note=_broken_note(state)),
            CERTIFICATE: Check("not loaded" if self.certificate is None else ""),
        }

    def load(self) -> None:
        """Load all that has changed."""
        if self._releases is not None:
            self._releases.poll(lambda text: self._log.event("error", text))
        self._state.check(self)
        self._certificate.check(self)

    def loaded(self, what: str, seconds: float, value: object) -> None:
        """Log and count that changed files are active."""
        errors = value.policies.errors if isinstance(value, ServedState) else ()
        self._metrics.loaded(what, seconds, success=not errors)
        facts: dict[str, Any] = {"milliseconds": round(seconds * 1000, 3)}
        if isinstance(value, ServedState):
            active = value.policies.policies.policies
            facts["policies"] = [policy.name for policy in active]
            facts["hash"] = value.policies.digest
            facts["kubernetesVersion"] = value.reviewer.server.release
            self._metrics.activated(policies=len(active))
            self._metrics.expect_violations((one.name, one.enforcement) for one in active)
        elif isinstance(value, ServingCertificate):
            facts["expires"] = f"{datetime.fromtimestamp(value.expires, UTC):%Y-%m-%dT%H:%M:%SZ}"
            self._metrics.activated(expiry=value.expires)
        if isinstance(value, ServedState):
            self._log_state(value, facts)
        else:
            self._log.event("info", f"{what} loaded", **facts)

    def rejected(self, what: str, seconds: float, error: Exception) -> None:
        """Log and count that changed files are invalid."""
        self._metrics.loaded(what, seconds, success=False)
        active = {POLICY: self.state, CERTIFICATE: self.certificate}[what] is not None
        effect = "the previous one stays active" if active else _EFFECTS[what]
        self._log.event("error", f"{what} rejected: {effect}; fix the files", error=str(error))

    def _log_state(self, state: ServedState, facts: dict[str, Any]) -> None:
        policies = state.policies
        if policies.errors:
            self._log.event(
                "error",
                "policy rejected: the last valid version of each broken policy is active; fix the files",
                **facts,
                broken=broken_notes(policies.broken),
                error="\n".join(policies.errors),
            )
        else:
            self._log.event("info", "policy loaded", **facts)
        if state.stale_exports:
            self._log.event(
                "warning",
                "the export of a policy is stale, so the webhook enforces all of the policy: export it again",
                policies=list(state.stale_exports),
            )
        if state.is_skewed:
            self._log.event(
                "warning",
                "the API server runs another Kubernetes release than the one whose rules apply",
                server=state.release,
                kubernetesVersion=state.reviewer.server.release,
            )


def _broken_note(state: ServedState) -> str:
    notes = broken_notes(state.policies.broken)
    shown = [f"{name} is invalid, {note}" for name, note in sorted(notes.items())[:MAX_NOTES]]
    more = len(notes) - len(shown)
    return "; ".join([*shown, f"and {more} more"] if more else shown)
