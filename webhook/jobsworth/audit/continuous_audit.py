"""The audit that runs continuously: every object again at each interval, and at once when a policy changes.

It lists the objects in pages instead of watching them. So it holds one page of objects at a time, its calls
do not depend on how often Jobs change their status, and it reports the same objects as an audit that runs
once. It evaluates those that have changed since the audit before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from jobsworth.audit.audit_events import AuditEvents
from jobsworth.audit.audit_metrics import AuditMetrics
from jobsworth.audit.audit_result import AuditResult
from jobsworth.audit.audited_objects import AuditProgress, AuditScope, audited_objects
from jobsworth.audit.cluster_audit import AuditSettings
from jobsworth.audit.job_owners import OwnersFindings
from jobsworth.audit.stored_objects import StoredObjects
from jobsworth.audit.unchanged_objects import UnchangedObjects
from jobsworth.client.api_errors import ApiError

POLL_SECONDS = 1.0  # between two checks of the policies' files
RETRY_SECONDS = 30.0  # after an audit that failed, if the interval is longer


class Clocks(NamedTuple):
    """The clocks of the audit.

    Attributes:
        now: returns seconds since 1970.
        monotonic: returns monotonic seconds.
    """

    now: Callable[[], float]
    monotonic: Callable[[], float]


class ContinuousAudit:
    """Audits a cluster again and again, until stopped.

    Args:
        stored_objects: the objects in the cluster.
        scope: the objects to audit.
        settings: returns the settings of the next audit; may raise ApiError.
        changed: checks the files of the policies, and returns True if changed policies are active.
        interval: the time between the starts of two audits, in seconds.
        stop: set to stop.
        log: logs a line for the operator.
        health: shows the health of CronJobs and Jobs after each audit; None to leave it out.
    """

    def __init__(
        self,
        stored_objects: StoredObjects,
        scope: AuditScope,
        settings: Callable[[], AuditSettings],
        changed: Callable[[], bool],
        *,
        interval: float,
        events: AuditEvents,
        metrics: AuditMetrics,
        clocks: Clocks,
        stop: threading.Event,
        log: Callable[[str], None],
        health: Callable[[], None] | None = None,
    ) -> None:
        self._stored_objects = stored_objects
        self._scope = scope
        self._settings = settings
        self._changed = changed
        self._interval = interval
        self._events = events
        self._metrics = metrics
        self._clocks = clocks
        self._stop = stop
        self._log = log
        self._health = health
        self._unchanged = UnchangedObjects()
        self._complete = False

    def run(self) -> None:
        """Audit until stopped."""
        while not self._stop.is_set():
            begun = self._clocks.monotonic()
            succeeded = self.audit()
            pause = self._interval if succeeded else min(self._interval, RETRY_SECONDS)
            self._wait_until(begun + pause)

    def unready(self) -> str | None:
        """Return the reason why there are no results yet; None if there are."""
        return None if self._complete else "the first audit is not complete"

    def audit(self) -> bool:
        """Audit all objects once; return False if the audit did not complete."""
        begun = self._clocks.monotonic()
        self._events.begin()
        complete = False
        try:
            result = self._evaluated()
            complete = result is not None and self._healthy()
        except ApiError as error:
            self._log(f"the audit failed and is retried: {error}")
        finally:
            self._events.end(complete=complete)
            self._unchanged.end(complete=complete)
        if self._events.error:
            self._log(f"cannot write some events; the last error is of {self._events.error}")
        if not complete:
            self._metrics.failed()
            return False
        assert result is not None
        self._report(result, self._clocks.monotonic() - begun)
        return True

    def _healthy(self) -> bool:
        """Show the health of CronJobs and Jobs; return False if an internal error prevents it."""
        if self._health is None:
            return True
        try:
            self._health()
        except ApiError:
            raise
        except (
            Exception
        ) as error:  # a bug: the findings of the next audit must not miss because of it
            kind = type(error).__name__
            self._log(f"internal error in the health of CronJobs and Jobs: {kind}: {error}")
            return False
        return True

    def _evaluated(self) -> AuditResult | None:
        """Evaluate all objects; return None if stopped before the end."""
        settings = self._settings()
        result, owners = AuditResult(settings.evaluator.policies), OwnersFindings()
        self._unchanged.begin(settings)
        for stored in audited_objects(self._stored_objects, self._scope, AuditProgress()):
            if self._stop.is_set():
                return None
            found = self._unchanged.of(stored)
            if found is None:
                try:
                    found = settings.audited(stored)
                except Exception as error:  # a bug: it must not end the audit of all other objects
                    result.unevaluated += 1
                    self._log(_internal_error(stored, error))
                    continue
                self._unchanged.keep(stored, found)
            result.add(stored, found.applicable, found.reported)
            new = owners.of(stored, found.reported)
            if new is not None:
                self._events.report(stored, new)
        return result

    def _report(self, result: AuditResult, seconds: float) -> None:
        new = result.new_violations(self._metrics.result)
        self._metrics.completed(result, new, seconds, self._clocks.now())
        self._complete = True
        violating = len({uid for _, uid in result.violating})
        self._log(
            f"audited {result.objects['Job']} Jobs and {result.objects['CronJob']} CronJobs by "
            f"{len(result.enforcement)} policies in {seconds:.1f} s: {violating} objects with violations, "
            f"{new.total()} new violations"
        )

    def _wait_until(self, until: float) -> None:
        """Wait for the next audit, until changed policies are active, or until stopped."""
        while (left := until - self._clocks.monotonic()) > 0:
            if self._stop.wait(min(left, POLL_SECONDS)) or self._changed():
                return


def _internal_error(stored: dict[str, Any], error: Exception) -> str:
    meta = stored["metadata"]
    place = f"{meta['namespace']}/{stored['kind']}/{meta['name']}"
    return f"internal error in the evaluation of {place}: {type(error).__name__}: {error}"
