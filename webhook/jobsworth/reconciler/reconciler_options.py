"""How the reconciler runs, as whoever starts it wants it."""

from __future__ import annotations

from dataclasses import dataclass, field

from jobsworth.client.leases import Times
from jobsworth.controller.controller_settings import ControllerSettings

LEASE = "jobsworth-job-controller"


@dataclass(frozen=True, slots=True)
class ReconcilerOptions:
    """How the process runs.

    Attributes:
        settings: whose Jobs, with which limits and delays.
        namespace: whose Jobs and Pods are watched; of all namespaces if empty.
        workers: how many Jobs are synced at once, and how many Pods of nobody are freed at once.
        qps: calls a second; no limit if 0.
        burst: calls at once after a pause.
        leader_elect: work only while holding a Lease.
        lease_namespace: of the Lease, and of the probe for the built-in controller.
        lease: its name.
        times: of the Lease.
        identity: who we are among those that want the Lease.
        host, port: for ``/healthz``, ``/readyz`` and ``/metrics``; no port, no server.
        user_agent: who we say we are to the API server.
    """

    settings: ControllerSettings = field(default_factory=ControllerSettings)
    namespace: str = ""
    workers: int = 5
    qps: float = 50.0
    burst: int = 100
    leader_elect: bool = False
    lease_namespace: str = "default"
    lease: str = LEASE
    times: Times = field(default_factory=Times)
    identity: str = ""
    host: str = ""
    port: int | None = None
    user_agent: str = "jobsworth-job-controller"

    @property
    def calls_at_once(self) -> int:
        """Enough that the limit is reached where the API server takes a tenth of a second."""
        return int(min(100, max(16, self.qps / 10)))
