"""One of several is at work: whoever holds a Lease and renews it in time.

As client-go's leader election: a Lease that its holder has not renewed for its duration, by our own
clock (clocks of two machines need not agree), can be taken. Who cannot renew stops before that.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from jobsworth.reconciler.api import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.reconciler.api import Api

LEASE_DURATION, RENEW_DEADLINE, RETRY_PERIOD = 15.0, 10.0, 2.0


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds.

    Attributes:
        lease: after which a Lease that was not renewed can be taken.
        deadline: after which a leader that could not renew stops.
        retry: between two tries to take or to renew.
    """

    lease: float = LEASE_DURATION
    deadline: float = RENEW_DEADLINE
    retry: float = RETRY_PERIOD


class LeaderElection:
    """Takes and renews a Lease.

    Args:
        namespace: of the Lease.
        name: of the Lease.
        identity: who we are; no other process has the same.
        now: the time of day, in seconds since 1970.
        clock: seconds that never go back.
        stop: set when the process is to end.
        log: is told who leads.
    """

    def __init__(
        self,
        api: Api,
        namespace: str,
        name: str,
        identity: str,
        *,
        now: Callable[[], float],
        clock: Callable[[], float],
        stop: threading.Event,
        times: Times | None = None,
        log: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._api = api
        self._path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
        self._name = name
        self._namespace = namespace
        self._identity = identity
        self._now = now
        self._clock = clock
        self._stop = stop
        self._times = times or Times()
        self._log = log
        self._seen: tuple[str, Any] = ("", None)  # the holder, and when the Lease was renewed
        self._seen_at = 0.0
        self._renewed_at = 0.0

    def acquire(self) -> bool:
        """Wait until we lead; False if told to stop before."""
        while not self._stop.is_set():
            if self.attempt():
                self._log(
                    f"leading: {self._identity} holds the Lease {self._namespace}/{self._name}"
                )
                return True
            self._stop.wait(self._times.retry)
        return False

    def hold(self, lost: Callable[[], None]) -> None:
        """Renew until told to stop; say so when that was not possible for too long."""
        while not self._stop.wait(self._times.retry):
            if not self.attempt() and not self.leads:
                self._log(f"lost the Lease {self._namespace}/{self._name}")
                lost()
                return

    @property
    def leads(self) -> bool:
        """Whether our last renewal is recent enough to rely on."""
        return self._clock() - self._renewed_at < self._times.deadline

    def attempt(self) -> bool:
        """Take or renew the Lease once, and return whether that succeeded."""
        begun = self._clock()
        try:
            renewed = self._try()
        except ApiError as error:
            self._log(f"cannot take or renew the Lease {self._namespace}/{self._name}: {error}")
            return False
        if renewed:
            self._renewed_at = begun
        return renewed

    def release(self) -> None:
        """Give the Lease back, so that another need not wait until it has run out."""
        try:
            lease = self._api.call("GET", f"{self._path}/{self._name}")
            if lease["spec"].get("holderIdentity") == self._identity:
                lease["spec"] |= {"holderIdentity": "", "leaseDurationSeconds": 1}
                self._api.call("PUT", f"{self._path}/{self._name}", lease)
        except ApiError as error:
            self._log(f"cannot give back the Lease {self._namespace}/{self._name}: {error}")

    def _try(self) -> bool:
        try:
            lease = self._api.call("GET", f"{self._path}/{self._name}")
        except ApiError as error:
            if not error.not_found:
                raise
            self._api.call("POST", self._path, self._fresh())
            return True
        spec = lease.setdefault("spec", {})
        holder = spec.get("holderIdentity") or ""
        seen = (holder, spec.get("renewTime"))
        if seen != self._seen:
            self._seen, self._seen_at = seen, self._clock()
        if holder not in ("", self._identity):
            duration = spec.get("leaseDurationSeconds") or self._times.lease
            if self._clock() - self._seen_at < duration:
                return False
        now = _micro_time(self._now())
        if holder != self._identity:
            spec["acquireTime"] = now
            spec["leaseTransitions"] = (spec.get("leaseTransitions") or 0) + 1
        spec |= {
            "holderIdentity": self._identity,
            "renewTime": now,
            "leaseDurationSeconds": int(self._times.lease),
        }
        try:
            self._api.call("PUT", f"{self._path}/{self._name}", lease)
        except ApiError as error:
            if not error.conflict:
                raise
            return False
        return True

    def _fresh(self) -> dict[str, Any]:
        now = _micro_time(self._now())
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._name, "namespace": self._namespace},
            "spec": {
                "holderIdentity": self._identity,
                "leaseDurationSeconds": int(self._times.lease),
                "acquireTime": now,
                "renewTime": now,
                "leaseTransitions": 0,
            },
        }


def _micro_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
