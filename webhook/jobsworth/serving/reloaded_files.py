"""The policies and the certificate that a process serves."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jobsworth.admission.decision import Reviewer
from jobsworth.admission.request_log import Log
from jobsworth.admission.review_metrics import WebhookMetrics
from jobsworth.api.api_server import written_release
from jobsworth.serving.active_policies import ReleasePoll, ServedState, StateMaker
from jobsworth.serving.file_reload import Reloading
from jobsworth.serving.monitor import Check
from jobsworth.serving.policy_files import UNNAMED_NOTE, PolicyFiles, PolicyLoad, broken_notes
from jobsworth.serving.settings import Files
from jobsworth.serving.tls_context import ServingCertificate, load_certificate

POLICY, CERTIFICATE = "policy", "certificate"
_EFFECTS = {
    POLICY: "no policy is active",
    CERTIFICATE: "without a certificate, no client can connect",
}
"""The effect of rejected files when none were loaded before."""
MAX_NOTES = 20
"""The largest number of broken policies that a text names."""


class ServedFiles:
    """The policies and the certificate that a process serves, reloaded when their files change.

    The arbiter loads them once, before it starts workers. Each worker begins with what the arbiter has
    loaded, and then loads what changes by itself.

    Args:
        files: the files to read and reload.
        policies: the policies.
        states: makes the state of policies and of a release.
        log, metrics: record the loads.
        releases: asks the API server for its release; None if another process does.
    """

    def __init__(
        self,
        files: Files,
        policies: PolicyFiles,
        states: StateMaker,
        *,
        log: Log,
        metrics: WebhookMetrics,
        releases: ReleasePoll | None = None,
    ) -> None:
        self._log = log
        self._metrics = metrics
        self._releases = releases
        self._states = states
        self._policies = policies
        self._release = Reloading(
            lambda: _release_in(files.release), () if files.release is None else (files.release,)
        )
        self._certificate = Reloading(
            lambda: load_certificate(files.certificate, files.key, files.client_ca),
            files.of_certificate,
        )
        self._state: ServedState | None = None

    @property
    def state(self) -> ServedState | None:
        """The active state; None before it is loaded."""
        return self._state

    @property
    def certificate(self) -> ServingCertificate | None:
        """The serving certificate for new connections; None if none is loaded."""
        return self._certificate.value

    def reviewer(self) -> Reviewer:
        """Return the reviewer of the active state, without which the server does not start."""
        assert self._state is not None
        return self._state.reviewer

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
        release, load = self._release.check(), self._policies.check()
        if release is not None and release.error is not None:
            text = f"the release of the API server is unknown: {release.error}"
            self._log.event("error", text)
        if load is not None and load.error is not None:
            self._rejected(POLICY, load.seconds, load.error)
        elif load is not None or (release is not None and self._policies.active is not None):
            self._activate(load)
        certificate = self._certificate.check()
        if certificate is not None and certificate.error is not None:
            self._rejected(CERTIFICATE, certificate.seconds, certificate.error)
        elif certificate is not None and certificate.value is not None:
            self._report_certificate(certificate.value, certificate.seconds)

    def _activate(self, load: PolicyLoad | None) -> None:
        """Apply the active policies by the rules of the active release."""
        assert self._policies.active is not None
        began, seconds = time.perf_counter(), 0.0 if load is None else load.seconds
        try:
            self._state = self._states.state(self._policies.active, self._release.value or "")
        except Exception as error:
            self._rejected(POLICY, seconds + time.perf_counter() - began, error)
            return
        state, seconds = self._state, seconds + time.perf_counter() - began
        active = state.policies.policies.policies
        self._metrics.loaded(POLICY, seconds, success=not state.policies.errors)
        self._metrics.activated(policies=len(active))
        self._metrics.expect_violations((one.name, one.enforcement) for one in active)
        if load is not None and load.removed:
            self._report_removed(load.removed)
        self._log_state(
            state,
            {
                "milliseconds": round(seconds * 1000, 3),
                "policies": [policy.name for policy in active],
                "hash": state.policies.digest,
                "kubernetesVersion": state.reviewer.server.release,
            },
        )

    def _report_certificate(self, certificate: ServingCertificate, seconds: float) -> None:
        self._metrics.loaded(CERTIFICATE, seconds, success=True)
        self._metrics.activated(expiry=certificate.expires)
        self._log.event(
            "info",
            f"{CERTIFICATE} loaded",
            milliseconds=round(seconds * 1000, 3),
            expires=f"{datetime.fromtimestamp(certificate.expires, UTC):%Y-%m-%dT%H:%M:%SZ}",
        )

    def _rejected(self, what: str, seconds: float, error: Exception) -> None:
        """Log and count that changed files are invalid."""
        self._metrics.loaded(what, seconds, success=False)
        active = {POLICY: self.state, CERTIFICATE: self.certificate}[what] is not None
        effect = "the previous one stays active" if active else _EFFECTS[what]
        self._log.event("error", f"{what} rejected: {effect}; fix the files", error=str(error))

    def _report_removed(self, removed: tuple[str, ...]) -> None:
        """Log and count policies that are not active any more: nothing else says that less is enforced."""
        self._metrics.removed(len(removed))
        self._log.event(
            "warning",
            "policies were removed: their documents are not in the files any more",
            policies=list(removed),
        )

    def _log_state(self, state: ServedState, facts: dict[str, Any]) -> None:
        policies = state.policies
        if policies.errors:
            self._log.event(
                "error",
                f"policy rejected: {_broken_note(state) or UNNAMED_NOTE}; fix the files",
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


def _release_in(file: Path | None) -> str:
    """Return the release of the API server in a file; empty if it is unknown."""
    if file is None:
        return ""
    try:
        release = file.read_text().strip()
    except (OSError, ValueError):
        return ""  # not written yet
    return written_release(release)
