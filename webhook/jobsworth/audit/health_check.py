"""The health of CronJobs and Jobs in an audit that runs continuously."""

from __future__ import annotations

from collections.abc import Callable

from jobsworth.audit.audited_objects import AuditScope
from jobsworth.audit.health_metrics import HealthMetrics
from jobsworth.audit.health_objects import list_health_objects
from jobsworth.audit.stored_objects import StoredObjects
from jobsworth.client.api_interface import Api
from jobsworth.runs.health.cluster_health import cluster_health


class HealthCheck:
    """Shows the health of a cluster as metrics, each time that it is called.

    Args:
        failed_within: seconds for which a failed Job without a CronJob is shown.
        stuck_after: seconds after which a Job that waits for its Pods is stuck.
        now: returns the time in seconds since 1970.
        note: reports what cannot be listed.
    """

    def __init__(
        self,
        api: Api,
        stored_objects: StoredObjects,
        scope: AuditScope,
        metrics: HealthMetrics,
        *,
        failed_within: int,
        stuck_after: float,
        now: Callable[[], float],
        note: Callable[[str], None],
    ) -> None:
        self._api = api
        self._stored_objects = stored_objects
        self._scope = scope
        self._metrics = metrics
        self._failed_within = failed_within
        self._stuck_after = stuck_after
        self._now = now
        self._note = note

    def __call__(self) -> None:
        """Read the objects, and show their health.

        Raises:
            ApiError: the cluster cannot be read; the metrics stay as they are.
        """
        listed = list_health_objects(self._stored_objects, self._api, self._scope, self._note)
        now = int(self._now())
        health = cluster_health(
            listed, now, failed_since=now - self._failed_within, stuck_after=self._stuck_after
        )
        self._metrics.completed(health)
