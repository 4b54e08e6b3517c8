"""The state that a server applies: the policies, and the release of its API server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jobsworth.admission.decision import Reviewer
from jobsworth.api.api_server import is_release
from jobsworth.policy.export.native_enforcement import webhook_policies

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from jobsworth.admission.decision import ApiVerdict, NamespaceLabels
    from jobsworth.api.api_server import ApiServer
    from jobsworth.policy.effective_policies import EffectivePolicies


@dataclass(frozen=True, slots=True)
class ServedState:
    """The policies that a server applies, for the release of its API server.

    Attributes:
        policies: the active policies.
        release: the release that the API server reports, such as ``1.36``; empty if it is unknown.
        reviewer: reviews requests by both, without what the API server enforces.
        stale_exports: the exports that belong to no loaded version of a policy; the webhook enforces it all.
    """

    policies: EffectivePolicies
    release: str
    reviewer: Reviewer
    stale_exports: tuple[str, ...] = ()

    @property
    def is_skewed(self) -> bool:
        """True if the API server runs another release than the one whose rules apply."""
        return self.release not in ("", self.reviewer.server.release)


@dataclass(frozen=True, slots=True)
class StateLoader:
    """Loads the state.

    Attributes:
        load_policies: reads the policies; any exception rejects the changed files.
        server_of: returns the API server to assume for the release that it reports; empty if unknown.
        release_file: a file with that release, which another process writes; None for none.
        namespace_labels: returns the labels of a namespace, in a worker.
        api_verdict: how to handle objects that the API server would reject.
        exports: the hash of each exported policy, by name: the API server enforces these.
    """

    load_policies: Callable[[], EffectivePolicies]
    server_of: Callable[[str], ApiServer]
    release_file: Path | None
    namespace_labels: NamespaceLabels
    api_verdict: ApiVerdict
    exports: Mapping[str, str] = field(default_factory=dict)

    def load(self) -> ServedState:
        """Read the files."""
        policies, release = self.load_policies(), self._release()
        left = webhook_policies(policies, self.exports)
        reviewer = Reviewer(
            self.server_of(release),
            left.policies,
            namespace_labels=self.namespace_labels,
            api_verdict=self.api_verdict,
        )
        return ServedState(policies, release, reviewer, left.stale)

    def _release(self) -> str:
        if self.release_file is None:
            return ""
        try:
            release = self.release_file.read_text().strip()
        except (OSError, ValueError):
            return ""  # not written yet
        return release if is_release(release) else ""


def broken_notes(broken: Mapping[str, bool]) -> dict[str, str]:
    """Return what applies instead of each broken policy, by its name."""
    return {
        name: "its last valid version is active" if kept else "it enforces nothing"
        for name, kept in broken.items()
    }
