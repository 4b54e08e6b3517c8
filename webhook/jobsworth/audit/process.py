"""The process of an audit that runs continuously: policies, health, metrics, endpoints, signals."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prometheus_client import CollectorRegistry
from prometheus_client.registry import Collector

from jobsworth.api.api_server import UnknownGate
from jobsworth.audit.audit_events import AuditEvents
from jobsworth.audit.audit_metrics import AuditMetrics
from jobsworth.audit.audited_objects import AuditScope
from jobsworth.audit.cluster_audit import AuditRules, AuditSettings, ClusterAudit
from jobsworth.audit.continuous_audit import Clocks, ContinuousAudit
from jobsworth.audit.health_metrics import HealthMetrics
from jobsworth.audit.health_objects import list_health_objects
from jobsworth.audit.stored_objects import StoredObjects
from jobsworth.client.api_interface import Api
from jobsworth.policy.policy_set import PolicySet
from jobsworth.runs.health.cluster_health import STUCK_AFTER, cluster_health
from jobsworth.serving.health_endpoints import HealthServer
from jobsworth.serving.policy_files import PolicyFiles
from jobsworth.usage_error import UsageError

FAILED_WITHIN = 7 * 86_400
"""Seconds for which a failed Job without a CronJob counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditProcessOptions:
    """Options of an audit that runs continuously.

    Attributes:
        interval: the time between the starts of two audits, in seconds.
        listen: the host and port of the endpoints; no port for none.
        health: also serve metrics of the health of CronJobs and Jobs.
    """

    interval: float
    listen: tuple[str, int | None]
    health: bool = False


class AuditProcess:
    """Audits a cluster at each interval until SIGTERM or SIGINT.

    Args:
        api: the API server.
        audit: the audit.
        rules_of: returns the rules for a release, None if it is unknown; called once.
        policies: the policies; None for none.
        options: of the process.
        log: logs a line for the operator.
    """

    def __init__(
        self,
        api: Api,
        audit: ClusterAudit,
        rules_of: Callable[[str | None], AuditRules],
        policies: PolicyFiles | None,
        options: AuditProcessOptions,
        *,
        log: Callable[[str], None],
    ) -> None:
        self._audit = audit
        self._rules_of = rules_of
        self._policies = policies
        self._options = options
        self._log = log
        self._rules: AuditRules | None = None
        self._stop = threading.Event()
        self._metrics = AuditMetrics(options.interval, events := AuditEvents(api, time.time))
        self._collectors: list[Collector] = [self._metrics]
        health = None
        if options.health:
            self._collectors.append(metrics := HealthMetrics())
            health = HealthCheck(
                api,
                audit.stored_objects,
                audit.scope,
                metrics,
                failed_within=FAILED_WITHIN,
                stuck_after=STUCK_AFTER,
                now=time.time,
                note=audit.note,
            )
        self._running = ContinuousAudit(
            audit.stored_objects,
            audit.scope,
            self._settings,
            self._load_policies,
            interval=options.interval,
            events=events,
            metrics=self._metrics,
            clocks=Clocks(time.time, time.monotonic),
            stop=self._stop,
            log=log,
            health=health,
        )

    def run(self) -> None:
        """Audit until stopped.

        Raises:
            UsageError: the policies cannot be loaded at the start, the address to listen on is not available,
                or the cluster's release has no such feature gate.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stop.set())
        server = _health_server(self._options.listen, self._collectors, self._running)
        if server is not None:
            server.start()
        try:
            self._running.run()
        finally:
            if server is not None:
                server.stop()

    def _settings(self) -> AuditSettings:
        runs, release = self._audit.releases()
        if self._rules is None:
            self._rules = self._rules_of(release)
        elif release is not None and release != self._rules.server.release:
            try:
                self._rules = self._rules.of_release(release)
            except UnknownGate as error:
                raise UsageError(f"the cluster runs Kubernetes {release} now: {error}") from None
        return self._audit.settings(runs, self._rules, self._active_policies())

    def _active_policies(self) -> PolicySet | None:
        if self._policies is None:
            return None
        self._load_policies()
        assert self._policies.active is not None
        return self._policies.active.policies

    def _load_policies(self) -> bool:
        """Load changed policies, and log it; return True if they are active now."""
        load = None if self._policies is None else self._policies.check()
        if load is None:
            return False
        if load.error is not None and not load.kept:
            raise UsageError(str(load.error))
        for line in load.lines():
            self._log(line)
        self._metrics.policies_active = load.succeeded
        return load.policies is not None


class NotedOnce:
    """Logs each note once, not in each audit.

    Args:
        log: logs a line for the operator.
    """

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log
        self._noted: set[str] = set()

    def __call__(self, text: str) -> None:
        """Log a note, unless it was logged before."""
        if text not in self._noted:
            self._noted.add(text)
            self._log(text)


def _health_server(
    listen: tuple[str, int | None], collectors: Sequence[Collector], running: ContinuousAudit
) -> HealthServer | None:
    host, port = listen
    if port is None:
        return None
    registry = CollectorRegistry()
    for each in collectors:
        registry.register(each)
    try:
        return HealthServer(host, port, registry, healthy=lambda: None, ready=running.unready)
    except OSError as error:
        raise UsageError(f"cannot listen at {host}:{port}: {error}") from None


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
