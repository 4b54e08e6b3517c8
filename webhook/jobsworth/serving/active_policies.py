"""The state that a server applies: the policies, and the release of its API server, which it asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jobsworth.admission.decision import ApiVerdict, NamespaceLabels, Reviewer
from jobsworth.api.api_server import ApiServer
from jobsworth.policy.effective_policies import EffectivePolicies
from jobsworth.policy.export.native_enforcement import webhook_policies

POLL_SECONDS = 300.0
RETRY_SECONDS = 15.0


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
class StateMaker:
    """Makes the state of policies and of a release.

    Attributes:
        server_of: returns the API server to assume for the release that it reports; empty if unknown.
        namespace_labels: returns the labels of a namespace, in a worker.
        api_verdict: how to handle objects that the API server would reject.
        exports: the hash of each exported policy, by name: the API server enforces these.
    """

    server_of: Callable[[str], ApiServer]
    namespace_labels: NamespaceLabels
    api_verdict: ApiVerdict
    exports: Mapping[str, str] = field(default_factory=dict)

    def state(self, policies: EffectivePolicies, release: str) -> ServedState:
        """Return the state of policies, for the release that the API server reports; empty if unknown."""
        left = webhook_policies(policies, self.exports)
        reviewer = Reviewer(
            self.server_of(release),
            left.policies,
            namespace_labels=self.namespace_labels,
            api_verdict=self.api_verdict,
        )
        return ServedState(policies, release, reviewer, left.stale)


class ReleasePoll:
    """The release of the API server in a file.

    Args:
        ask: returns the release; OSError if the API server does not report it.
        file: the file to write.
        clock: returns the seconds of a monotonic clock.
    """

    def __init__(
        self, ask: Callable[[], str], file: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ask = ask
        self._file = file
        self._clock = clock
        self._due = clock()
        self._logged = False

    def poll(self, log: Callable[[str], object]) -> None:
        """Ask and write the file if it is time; log the first of several failures."""
        if self._clock() < self._due:
            return
        try:
            release = self._ask()
        except OSError as error:
            self._due = self._clock() + RETRY_SECONDS
            if not self._logged:
                log(f"the release of the API server is unknown: {error}")
            self._logged = True
            return
        self._due = self._clock() + POLL_SECONDS
        self._logged = False
        new = self._file.with_name(f"{self._file.name}.new")
        new.write_text(f"{release}\n")
        new.replace(self._file)
