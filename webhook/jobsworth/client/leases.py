"""Leader election with a Lease: only the holder, which renews it in time, is active.

The protocol is that of client-go: a process can take a Lease that its holder has not renewed for its
duration. The local clock measures it, because clocks of two machines may differ. A leader that cannot renew
stops earlier.

The RBAC verbs ``get``, ``patch`` and ``create`` on the named Lease suffice: a missing Lease is created by
server-side apply, which, unlike a POST, RBAC can allow by name.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import APPLY, MERGE, Api
from jobsworth.client.api_resources import COORDINATION, resource_path

LEASE_DURATION, RENEW_DEADLINE, RETRY_PERIOD = 15.0, 10.0, 2.0


@dataclass(frozen=True, slots=True)
class Times:
    """Durations of the leader election, in seconds.

    Attributes:
        lease: the time after which another process can take a Lease that was not renewed.
        deadline: the time after which a leader that cannot renew stops.
        retry: the time between two attempts to take or renew the Lease.
    """

    lease: float = LEASE_DURATION
    deadline: float = RENEW_DEADLINE
    retry: float = RETRY_PERIOD


class LeaderElection:
    """Take and renew a Lease.

    Args:
        namespace: the namespace of the Lease.
        name: the name of the Lease.
        identity: the identity of this process, unique among all candidates.
        now: returns the current time in seconds since the epoch.
        clock: returns monotonic seconds.
        stop: set when the process must end.
        log: receives a message when the leadership changes or a call fails.
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
        self._path = resource_path(COORDINATION, "leases", namespace, name)
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
        """Wait to become leader; return False if `stop` is set before."""
        while not self._stop.is_set():
            if self.attempt():
                self._log(
                    f"leading: {self._identity} holds the Lease {self._namespace}/{self._name}"
                )
                return True
            self._stop.wait(self._times.retry)
        return False

    def hold(self, lost: Callable[[], None]) -> None:
        """Renew the Lease until `stop` is set; call `lost` if it cannot be renewed before the deadline."""
        while not self._stop.wait(self._times.retry):
            if not self.attempt() and not self.leads:
                self._log(f"lost the Lease {self._namespace}/{self._name}")
                lost()
                return

    @property
    def leads(self) -> bool:
        """True while the last renewal is more recent than the deadline."""
        return self._clock() - self._renewed_at < self._times.deadline

    def attempt(self) -> bool:
        """Take or renew the Lease once, and return True if that succeeded; log API errors."""
        begun = self._clock()
        try:
            renewed = self.take()
        except ApiError as error:
            self._log(f"cannot take or renew the Lease {self._namespace}/{self._name}: {error}")
            return False
        if renewed:
            self._renewed_at = begun
        return renewed

    def take(self) -> bool:
        """Take or renew the Lease once; return False if another process holds or has just changed it.

        Raises:
            ApiError: the API server rejected the call or could not be reached.
        """
        lease = self._read()
        spec = lease.get("spec") or {}
        holder = spec.get("holderIdentity") or ""
        seen = (holder, spec.get("renewTime"))
        if seen != self._seen:
            self._seen, self._seen_at = seen, self._clock()
        if holder not in ("", self._identity):
            duration = spec.get("leaseDurationSeconds") or self._times.lease
            if self._clock() - self._seen_at < duration:
                return False
        now = _micro_time(self._now())
        wanted = {
            "holderIdentity": self._identity,
            "renewTime": now,
            "leaseDurationSeconds": int(self._times.lease),
        }
        if holder != self._identity:
            wanted["acquireTime"] = now
            before = spec.get("leaseTransitions")
            wanted["leaseTransitions"] = 0 if before is None else before + 1
        try:
            self._write(lease, wanted)
        except ApiError as error:
            if not error.conflict:
                raise
            return False
        return True

    def release(self) -> None:
        """Release the Lease, so that another process need not wait until it expires."""
        try:
            lease = self._api.get(self._path)
            if (lease.get("spec") or {}).get("holderIdentity") == self._identity:
                self._write(lease, {"holderIdentity": "", "leaseDurationSeconds": 1})
        except ApiError as error:
            self._log(f"cannot release the Lease {self._namespace}/{self._name}: {error}")

    def _read(self) -> dict[str, Any]:
        try:
            return self._api.get(self._path)
        except ApiError as error:
            if not error.not_found:
                raise
        body = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._name, "namespace": self._namespace},
        }
        return self._api.patch(self._path, body, APPLY, field_manager="jobsworth")

    def _write(self, lease: dict[str, Any], spec: dict[str, Any]) -> None:
        version = {"resourceVersion": lease["metadata"]["resourceVersion"]}
        self._api.patch(self._path, {"metadata": version, "spec": spec}, MERGE)


def _micro_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
