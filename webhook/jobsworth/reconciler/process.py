"""The reconciler process: threads, leader election, readiness and shutdown."""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import jobs_path, pods_path
from jobsworth.client.leases import LeaderElection
from jobsworth.client.list_watch import ListWatch
from jobsworth.client.namespace_labels import NamespaceLabels, fetch_from
from jobsworth.client.rate_limit import TokenBucket
from jobsworth.client.rest_config import RestConfig
from jobsworth.client.transport import Client
from jobsworth.controller.settings import ControllerSettings
from jobsworth.reconciler.conflict_probe import (
    BuiltInControllerActive,
    names_built_in_controller,
    probe,
    probe_name,
)
from jobsworth.reconciler.events import ApiEventSink, EventRecorder
from jobsworth.reconciler.options import ReconcilerOptions
from jobsworth.reconciler.parallel import Threads
from jobsworth.reconciler.policy_review import ActivePolicies
from jobsworth.reconciler.prometheus_metrics import ReconcilerMetrics
from jobsworth.reconciler.reconciler import Reconciler
from jobsworth.reconciler.stored_defaults import StoredDefaults
from jobsworth.reconciler.sync_outcome import SyncOutcome
from jobsworth.serving.health_endpoints import HealthServer

SECONDS_TO_STOP = 20.0  # less than the default grace period of a Pod, 30 seconds
CONNECTIONS_BESIDES = 8  # watches, events, the Lease
LEASE_QPS = 5.0
POLICY_SECONDS = 1.0  # between two checks of the policies' files
PROBE_PAUSE = 60.0  # seconds between two probes: a client can cause one with each write to a Job


class PolicySource(Protocol):
    """The policies that apply to stored Jobs.

    Attributes:
        active: the active policies; None before the first check.
    """

    active: ActivePolicies | None

    def check(self) -> bool:
        """Load what has changed; return True if other policies are active now."""


class ReconcilerProcess:
    """Runs a reconciler with its threads, metrics and health endpoints.

    Args:
        log: logs a message for the operator.
        synced: called after each sync with its outcome.

    Attributes:
        api: the client of the reconciler.
        policies: the policies that apply to stored Jobs; None for none. Set it before `run`.
    """

    def __init__(
        self,
        config: RestConfig,
        options: ReconcilerOptions,
        log: Callable[[str], None],
        synced: Callable[[SyncOutcome], None] = lambda outcome: None,
    ) -> None:
        self.options = options
        self.metrics = ReconcilerMetrics()
        self.stop = threading.Event()
        self._log = log
        self._synced = synced
        self._failure: str | None = None
        self._standing_by = options.leader_elect
        self._started = time.time()
        self._suspected = ""  # key of a Job that the built-in controller may have written
        self._threads: list[threading.Thread] = []
        self._server: HealthServer | None = None
        self.api = self._api = self._client(config, TokenBucket(options.qps, options.burst))
        self.policies: PolicySource | None = None
        # Lease renewals have their own rate limit, so that they never wait behind 1,000 Pod calls.
        self._lease_api = self._client(config, TokenBucket(LEASE_QPS, 10))
        self._calls = Threads(options.calls_at_once)
        self._recorder = EventRecorder(self._api, time.time, log=log)
        sink = ApiEventSink(self._recorder, self.metrics)
        labels = NamespaceLabels(fetch_from(self._api), failed=self._labels_unknown)
        self.reconciler = Reconciler(
            self._api,
            options.settings,
            clock=time.time,
            monotonic=time.monotonic,
            calls=self._calls,
            event_sink=sink,
            on_raw_job=self._observe,
            namespace_labels=labels,
            log=log,
        )
        self._defaults = StoredDefaults(
            self._api,
            sink,
            TokenBucket(options.defaults_qps, 1),
            namespace=options.namespace,
            dry_run=options.dry_run,
            namespace_labels=labels,
            stopped=self.stop.is_set,
            log=log,
        )
        queues = {"job": self.reconciler.queue, "job_orphan_pod": self.reconciler.orphan_queue}
        self.metrics.show_queues(queues)
        self.metrics.show_kept_pods(self.reconciler.event_handlers.kept_since, time.time)
        self._election = LeaderElection(
            self._lease_api,
            options.lease_namespace,
            options.lease,
            options.identity,
            now=time.time,
            clock=time.monotonic,
            stop=self.stop,
            times=options.times,
            log=log,
        )

    def run(self) -> int:
        """Run until stopped, and return the exit code: 0, or 1 after a failure.

        Raises:
            OSError: the listen address is in use or not available.
        """
        server = self._server = self._health_server()
        if server is not None:
            server.start()
        leading = False
        try:
            leading = self._lead()
            if leading:
                self._work()
        except BuiltInControllerActive as error:
            self._fail(str(error))
        finally:
            self._end(leading)
            if server is not None:
                server.stop()
        return 0 if self._failure is None else 1

    def stop_on_signals(self) -> None:
        """Stop on SIGTERM and SIGINT; call this in the main thread."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stop.set())

    def unhealthy(self) -> str | None:
        """Return the reason why the process must be restarted; None if it is healthy."""
        if self._failure is not None:
            return self._failure
        dead = [thread.name for thread in self._threads if not thread.is_alive()]
        if dead and not self.stop.is_set():
            return f"threads have died: {', '.join(dead)}"
        return None

    def unready(self) -> str | None:
        """Return the reason why the process is not ready; None if it is ready or on standby."""
        if self._standing_by:
            return None
        if not (self.reconciler.jobs.synced.is_set() and self.reconciler.pods.synced.is_set()):
            return "the caches are not synced yet"
        return self.unhealthy()

    # Leader election.

    def _lead(self) -> bool:
        """Acquire the Lease, if leader election is on; return False if stopped before."""
        if not self.options.leader_elect:
            return True
        self._log(f"waiting to acquire Lease {self.options.lease_namespace}/{self.options.lease}")
        if not self._election.acquire():
            return False
        self._standing_by = False
        self.metrics.leading.labels(self.options.lease).set(1)
        self._start("lease", lambda: self._election.hold(self._lost_leadership))
        return True

    def _lost_leadership(self) -> None:
        # Another replica may lead by now: exit at once, and let the kubelet restart this one.
        self.metrics.leading.labels(self.options.lease).set(0)
        self._fail("lost the leader election Lease")

    # Running.

    def _work(self) -> None:
        settings = self.options.settings
        if settings.adopt_unmanaged:
            unsure = self._probe()
            if unsure is not None:
                self._log(
                    f"cannot verify that the built-in Job controller is off: {unsure}. "
                    "Continuing on the assumption that it is"
                )
        self._recorder.start()
        self._watch()
        # Each list begins after the Lease was acquired, so it contains all writes of the previous leader.
        for cache in (self.reconciler.jobs, self.reconciler.pods):
            while not cache.synced.wait(0.1):
                if self.stop.is_set():
                    return
        # The content of the caches is long-lived: exclude it from garbage collection.
        gc.collect()
        gc.freeze()
        self._load_policies()  # before the first Pod
        if self.policies is not None and self.policies.active is None:
            self._fail("the policies cannot be loaded; fix the files of --policy")
            return
        for number in range(self.options.workers):
            self._start(f"job-{number}", self._sync_jobs)
            self._start(f"orphan-{number}", self._untrack_orphan_pods)
        self._log(
            f"caches synced: {len(self.reconciler.jobs)} Jobs, {len(self.reconciler.pods)} Pods; "
            f"started {self.options.workers} workers for {_managed_jobs(settings)}"
        )
        if self.policies is not None:
            self._start("policies", self._guarded(self._follow_policies))
            self._start("defaults", self._guarded(self._apply_defaults))
        if settings.adopt_unmanaged:
            self._start("conflicts", self._guarded(self._check_conflicts))
        while not self.stop.wait(settings.resync):
            self.reconciler.resync()

    def _load_policies(self) -> None:
        if self.policies is None or not self.policies.check():
            return
        active = self.policies.active
        if active is not None:
            self.metrics.policies_active(policy.name for policy in active.policies.policies)
        self.reconciler.activate(active)

    def _follow_policies(self) -> None:
        while not self.stop.wait(POLICY_SECONDS):
            self._load_policies()

    def _apply_defaults(self) -> None:
        """Apply the defaults of policies to stored objects when the policies change, and at each resync."""
        applied, due = None, 0.0
        while not self.stop.wait(POLICY_SECONDS):
            active = self.policies.active if self.policies is not None else None
            if active is not None and (active is not applied or time.monotonic() >= due):
                applied, due = active, time.monotonic() + self.options.settings.resync
                self._defaults.apply(active)

    def _labels_unknown(self, namespace: str, error: Exception) -> None:
        self._log(f"the labels of namespace {namespace} are unknown: {error}")

    def _watch(self) -> None:
        namespace = self.options.namespace
        for path, cache in (
            (jobs_path(namespace), self.reconciler.jobs),
            (pods_path(namespace), self.reconciler.pods),
        ):
            list_watch = ListWatch(
                self._api,
                path,
                apply=cache.apply,
                replace=cache.replace,
                failed=partial(self._watch_failed, path),
                stop=self.stop,
            )
            self._start(f"watch {path}", self._guarded(list_watch.run))

    def _watch_failed(self, path: str, error: ApiError) -> None:
        self._log(f"cannot list or watch {path}, retrying: {error}")

    def _sync_jobs(self) -> None:
        while not self.stop.is_set():
            try:
                outcome = self.reconciler.process_next_job(1.0)
            except Exception as error:  # a bug: retry this Job, go on with the others
                self._log(f"internal error: {_describe_error(error)}")
                continue
            if outcome is not None:
                self.metrics.synced(outcome)
                self._synced(outcome)
                for sync_error in outcome.errors[:3]:
                    key = outcome.job.key if outcome.job else ""
                    self._log(f"sync of {key}: {sync_error}")

    def _untrack_orphan_pods(self) -> None:
        while not self.stop.is_set():
            try:
                self.reconciler.process_next_orphan_pod(1.0)
            except Exception as error:
                self._log(f"internal error: {_describe_error(error)}")

    def _observe(self, job: dict[str, Any]) -> None:
        settings = self.options.settings
        if settings.adopt_unmanaged and names_built_in_controller(job, settings, self._started):
            meta = job["metadata"]
            self._suspected = f"{meta['namespace']}/{meta['name']}"

    def _probe(self) -> str | None:
        namespace, name = self.options.lease_namespace, probe_name()
        with self.reconciler.syncer.ignoring(f"{namespace}/{name}"):
            return probe(self._api, namespace, name, self.stop.wait)

    def _check_conflicts(self) -> None:
        """Probe for the built-in controller whenever the managedFields of a Job name it.

        They alone are not evidence: whoever may create Jobs can write them, and must not stop this process.
        """
        while not self.stop.wait(1.0):
            key, self._suspected = self._suspected, ""
            if not key:
                continue
            try:
                unsure = self._probe()
            except BuiltInControllerActive as error:
                self._fail(str(error))
                return
            if unsure is not None:
                evidence = f"it may have written the status of {key}, and {unsure}"
                self._fail(str(BuiltInControllerActive(evidence)))
                return
            self._log(
                f"the managedFields of {key} name the built-in Job controller, but it did not write the "
                "status of a probe Job: ignored"
            )
            self.stop.wait(PROBE_PAUSE)

    # Threads and shutdown.

    def _start(self, name: str, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _guarded(self, run: Callable[[], None]) -> Callable[[], None]:
        """Wrap a thread without which the process is useless: an error in it stops the process."""

        def guarded() -> None:
            try:
                run()
            except Exception as error:
                self._fail(f"internal error: {_describe_error(error)}")

        return guarded

    def _fail(self, why: str) -> None:
        if self._failure is None:
            self._failure = why
            self._log(f"stopping: {why}")
        self.stop.set()

    def _end(self, led: bool) -> None:
        """Finish the syncs in progress, and only then release the Lease."""
        self.stop.set()
        self.reconciler.queue.close()
        self.reconciler.orphan_queue.close()
        until = time.monotonic() + SECONDS_TO_STOP
        workers = [thread for thread in self._threads if thread.name.startswith(("job", "orphan"))]
        for thread in workers:
            thread.join(max(0.0, until - time.monotonic()))
        finished = not any(thread.is_alive() for thread in workers)
        self._calls.close()
        if led:
            self._recorder.stop(2.0)
            if self.options.leader_elect and finished and self._election.leads:
                self._election.release()

    def _health_server(self) -> HealthServer | None:
        if self.options.port is None:
            return None
        return HealthServer(
            self.options.host,
            self.options.port,
            self.metrics.registry,
            healthy=self.unhealthy,
            ready=self.unready,
        )

    def _client(self, config: RestConfig, limit: TokenBucket) -> Client:
        return Client(
            config,
            user_agent=self.options.user_agent,
            limit=limit,
            connections=self.options.calls_at_once + self.options.workers + CONNECTIONS_BESIDES,
            observe=self.metrics.called,
            stop=self.stop,
        )


def _managed_jobs(settings: ControllerSettings) -> str:
    named = f"Jobs managed by {settings.manager}"
    return f"{named} and Jobs without managedBy" if settings.adopt_unmanaged else named


def _describe_error(error: BaseException) -> str:
    """Describe an unexpected error and its source line on one line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = ""
    if trace is not None:
        code = trace.tb_frame.f_code
        where = f" in {code.co_filename.rpartition('/')[2]}:{trace.tb_lineno} ({code.co_name})"
    return f"{type(error).__name__}: {error}{where}"
