"""``jobsworth audit --interval``: the process of the audit that runs continuously."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry

from jobsworth.api.api_server import ApiServer, UnknownGate, nearest_release
from jobsworth.audit.audit_events import AuditEvents
from jobsworth.audit.audit_metrics import AuditMetrics
from jobsworth.audit.continuous_audit import AuditSettings, Clocks, ContinuousAudit
from jobsworth.audit.health_check import HealthCheck
from jobsworth.audit.health_metrics import HealthMetrics
from jobsworth.audit.stored_objects import StoredObjects
from jobsworth.cli.audit_input import (
    audit_admission_policies,
    audit_namespace_labels,
    audit_scope,
    audit_settings,
    cluster_and_audited_release,
    needs_namespace_labels,
)
from jobsworth.cli.cluster_options import reading_client
from jobsworth.cli.process_options import log_line
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.files.configuration.resolved_settings import ResolvedSettings, resolved
from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles
from jobsworth.files.policies.profiles import profile_of
from jobsworth.reconciler.health_endpoints import HealthServer
from jobsworth.serving.file_reload import Reloading
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prometheus_client.registry import Collector

    from jobsworth.cli.audit_health import HealthSettings
    from jobsworth.cli.audit_input import AuditInput
    from jobsworth.client.rest_config import RestConfig
    from jobsworth.files.configuration.settings import Settings
    from jobsworth.policy.policy_set import PolicySet


def repeat_audit(
    config: RestConfig,
    audit: AuditInput,
    interval: float,
    listen: tuple[str, int | None],
    *,
    health_settings: HealthSettings | None = None,
) -> int:
    """Audit at each interval until SIGTERM or SIGINT, and return the exit code.

    Args:
        health_settings: also show the health of CronJobs and Jobs; None for findings only.

    Raises:
        UsageError: the address to listen on is not available.
    """
    stored_objects = StoredObjects(api := reading_client(config, timeout=audit.timeout))
    scope = audit_scope(audit.scope, config.namespace)
    events = AuditEvents(api, time.time)
    metrics = AuditMetrics(interval, events)
    reloaded = ReloadedSettings(audit, metrics)
    note = _NotedOnce()
    asked = audit.server.kubernetes_version
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())

    def settings() -> AuditSettings:
        runs, release = cluster_and_audited_release(stored_objects, asked, note)
        current = reloaded.of(release)
        stored_by = ApiServer(nearest_release(runs)) if runs else None
        admission = audit_admission_policies(stored_objects, audit.scope, current, note)
        evaluator = Evaluator(
            current.server,
            current.selection,
            current.policies,
            stored_by=stored_by,
            admission_policies=admission,
        )
        wanted = needs_namespace_labels(current.policies, admission)
        labels = audit_namespace_labels(stored_objects, scope, config, note, wanted=wanted)
        return AuditSettings(evaluator, current.selection, labels)

    collectors: list[Collector] = [metrics]
    health = None
    if health_settings is not None:
        collectors.append(health_metrics := HealthMetrics())
        health = HealthCheck(
            api,
            stored_objects,
            scope,
            health_metrics,
            failed_within=health_settings.since,
            stuck_after=health_settings.stuck_after,
            now=time.time,
            note=note,
        )
    running = ContinuousAudit(
        stored_objects,
        scope,
        settings,
        reloaded.check,
        interval=interval,
        events=events,
        metrics=metrics,
        clocks=Clocks(time.time, time.monotonic),
        stop=stop,
        log=log_line,
        health=health,
    )
    server = _health_server(listen, collectors, running)
    if server is not None:
        server.start()
    try:
        running.run()
    finally:
        if server is not None:
            server.stop()
    return 0


class ReloadedSettings:
    """The settings of the audit; reloaded when the files of the policies change.

    Of an invalid policy, the last valid version stays active.
    """

    def __init__(self, audit: AuditInput, metrics: AuditMetrics) -> None:
        self._audit = audit
        self._metrics = metrics
        self._release = audit.server.kubernetes_version
        self._value: ResolvedSettings | None = None
        self._policies: EffectivePolicyFiles | None = None
        self._errors: tuple[str, ...] = ()
        self._files: Reloading[ResolvedSettings] | None = None

    def check(self) -> bool:
        """Reload the policies if their files have changed; return True if changed policies are active."""
        if self._files is None or not self._files.check(self):
            return False
        self._value = self._files.value
        return True

    def of(self, release: str | None) -> ResolvedSettings:
        """Return the settings for an audit as this release.

        Raises:
            UsageError: a configuration is invalid at the start; the release has no such feature gate.
        """
        self.check()
        if self._value is None:
            self._release = release
            self._value = self._load()
            self._report_errors()
            watched = () if self._policies is None else self._policies.watched
            self._files = Reloading("policy", self._load, watched)
            self._files.adopt(self._value)
        elif release is not None and release != self._release:
            self._release = release
            # Do not load the files again: they may be invalid now, and policies do not depend on it.
            server = self._value.server
            try:
                server = ApiServer(
                    release, dict(server.gates), allow_privileged=server.allow_privileged
                )
            except UnknownGate as error:
                raise UsageError(f"the cluster runs Kubernetes {release} now: {error}") from None
            self._value = ResolvedSettings(
                server,
                self._value.selection,
                self._value.policies,
                admission_policies=self._value.admission_policies,
            )
        return self._value

    def loaded(self, what: str, seconds: float, value: object) -> None:
        """Log that changed policies are active."""
        self._report_errors()
        log_line(f"loaded the {what} files in {seconds:.2f} s")

    def rejected(self, what: str, seconds: float, error: Exception) -> None:
        """Log that the changed policies are invalid."""
        self._metrics.policies_active = False
        log_line(f"rejected the changed {what} files, the previous ones stay active: {error}")

    def _report_errors(self) -> None:
        self._metrics.policies_active = not self._errors
        if self._errors:
            errors = "\n".join(self._errors)
            log_line(f"rejected policies, the last valid version of each stays active:\n{errors}")

    def _load(self) -> ResolvedSettings:
        settings = audit_settings(self._audit, self._release)
        return resolved(settings, self._load_policies(settings))

    def _load_policies(self, settings: Settings) -> PolicySet | None:
        profile = profile_of(settings.profile, settings.profile_enforcement)
        if not settings.policy and profile is None:
            return None
        if self._policies is None:
            stored = None if self._audit.last_good is None else Path(self._audit.last_good)
            paths = [Path(path) for path in settings.policy or ()]
            self._policies = EffectivePolicyFiles(paths, profile, stored)
            self._policies.require_paths()
        loaded = self._policies.load()
        self._errors = loaded.errors
        return loaded.policies


class _NotedOnce:
    """Logs each note once, not in each audit."""

    def __init__(self) -> None:
        self._noted: set[str] = set()

    def __call__(self, text: str) -> None:
        if text not in self._noted:
            self._noted.add(text)
            log_line(text)


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
