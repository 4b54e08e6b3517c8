"""Options of the reconciler process."""

from __future__ import annotations

from dataclasses import dataclass, field

from jobsworth.client.leases import Times
from jobsworth.controller.settings import ControllerSettings

LEASE = "jobsworth-job-controller"


@dataclass(frozen=True, slots=True)
class ReconcilerOptions:
    """Options of the reconciler process.

    Attributes:
        settings: the Jobs to manage, limits and delays.
        namespace: namespace to watch; empty for all namespaces.
        workers: number of parallel Job syncs, and of parallel releases of orphan Pods.
        qps: API calls per second; 0 for no limit.
        burst: API calls allowed at once after a pause.
        leader_elect: run only while holding a Lease.
        lease_namespace: namespace of the Lease and of the probe for the built-in controller.
        lease: name of the Lease.
        times: durations of the Lease.
        identity: holder identity of this process in the Lease.
        host, port: listen address of ``/healthz``, ``/readyz`` and ``/metrics``; port None disables
            the endpoints.
        defaults_qps: stored objects that get defaults of policies per second; 0 for no limit.
        dry_run: report the defaults of policies for stored objects, and do not apply them.
        user_agent: User-Agent header for the API server.
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
    defaults_qps: float = 10.0
    dry_run: bool = False
    user_agent: str = "jobsworth-job-controller"

    @property
    def calls_at_once(self) -> int:
        """Parallel calls: enough to reach qps with an API latency of 16 ms; up to 640, with 25 ms.

        More do not make a busy API server faster; they make all its clients wait: kubelets, and small Jobs,
        whose first Pod took 0.20 s instead of 0.15 with 25 calls (1,000 QPS on two cores).
        """
        return int(min(100, max(16, self.qps * 0.016)))
