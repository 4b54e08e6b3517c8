"""The reconciler as a process: its threads, who leads, when it is at work, and how it ends."""

from __future__ import annotations

import gc
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from jobsworth.client.leases import LeaderElection
from jobsworth.client.rate_limit import TokenBucket
from jobsworth.client.resources import jobs_path, pods_path
from jobsworth.client.transport import Client
from jobsworth.controller.controller_settings import ControllerSettings
from jobsworth.reconciler.conflict_probe import BuiltInControllerActive, has_written_status, probe
from jobsworth.reconciler.event_sink import ApiEventSink
from jobsworth.reconciler.events import EventRecorder
from jobsworth.reconciler.health_endpoints import HealthServer
from jobsworth.reconciler.parallel import Threads
from jobsworth.reconciler.prometheus_metrics import Metrics
from jobsworth.reconciler.reconciler import Reconciler
from jobsworth.reconciler.reflector import Reflector

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.client.api import Api
    from jobsworth.client.configuration import RestConfig
    from jobsworth.reconciler.job_observer import JobObserver
    from jobsworth.reconciler.reconciler_options import ReconcilerOptions

SECONDS_TO_STOP = 20.0  # of the 30 that a Pod has by default
CONNECTIONS_BESIDES = 8  # watches, events, the Lease
LEASE_QPS = 5.0


class ReconcilerProcess:
    """See above.

    Args:
        log: is told what people who run it should know, a line at a time.
        observed_by: makes what sees each Job, given the API server that it may write to.
    """

    def __init__(
        self,
        config: RestConfig,
        options: ReconcilerOptions,
        log: Callable[[str], None],
        observed_by: Callable[[Api], JobObserver] | None = None,
    ) -> None:
        self.options = options
        self.metrics = Metrics()
        self.stop = threading.Event()
        self._log = log
        self._failure: str | None = None
        self._standing_by = options.leader_elect
        self._started = time.time()
        self._threads: list[threading.Thread] = []
        self._server: HealthServer | None = None
        self._api = self._client(config, TokenBucket(options.qps, options.burst))
        # Renewing the Lease must not wait in line behind a thousand Pods.
        self._lease_api = self._client(config, TokenBucket(LEASE_QPS, 10))
        self._calls = Threads(options.calls_at_once)
        self._recorder = EventRecorder(self._api, time.time, log=log)
        self.reconciler = Reconciler(
            self._api,
            options.settings,
            clock=time.time,
            monotonic=time.monotonic,
            calls=self._calls,
            event_sink=ApiEventSink(self._recorder, self.metrics),
            look=self._look_at,
        )
        queues = {"job": self.reconciler.queue, "job_orphan_pod": self.reconciler.orphan_queue}
        self.metrics.show_queues(queues)
        self._observer = None if observed_by is None else observed_by(self._api)
        if self._observer is not None:
            self.metrics.registry.register(self._observer.collector())
            self.reconciler.jobs.gone = self._observer.forget
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
        """Run until told to stop, and return the exit code: 0, or 1 if something made us stop.

        Raises:
            OSError: the address to listen at cannot be had.
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
        """End on SIGTERM and SIGINT; to be called in the main thread."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stop.set())

    def unhealthy(self) -> str | None:
        """What is so wrong that the process should be started anew; None if nothing is."""
        if self._failure is not None:
            return self._failure
        dead = [thread.name for thread in self._threads if not thread.is_alive()]
        if dead and not self.stop.is_set():
            return f"dead: {', '.join(dead)}"
        return None

    def unready(self) -> str | None:
        """What is not ready yet; None if nothing is. Who stands by to lead is ready."""
        if self._standing_by:
            return None
        if not (self.reconciler.jobs.synced.is_set() and self.reconciler.pods.synced.is_set()):
            return "the caches are not in sync yet"
        return self.unhealthy()

    # Leading.

    def _lead(self) -> bool:
        """Wait until we lead, if several want to; False if told to stop before."""
        if not self.options.leader_elect:
            return True
        self._log(f"waiting for the Lease {self.options.lease_namespace}/{self.options.lease}")
        if not self._election.acquire():
            return False
        self._standing_by = False
        self.metrics.leading.labels(self.options.lease).set(1)
        self._start("lease", lambda: self._election.hold(self._lost_leadership))
        return True

    def _lost_leadership(self) -> None:
        # Another may be at work by now: end at once, and let whoever started us start us again.
        self.metrics.leading.labels(self.options.lease).set(0)
        self._fail("lost the lead")

    # At work.

    def _work(self) -> None:
        settings = self.options.settings
        if settings.adopt_unmanaged:
            unsure = probe(self._api, self.options.lease_namespace, self.stop.wait)
            if unsure is not None:
                self._log(f"assuming that the built-in Job controller is off: {unsure}")
        self._recorder.start()
        if self._observer is not None:
            self._start("observer", self._guarded(self._observer.run))
        self._watch()
        # Each list is begun after the Lease was taken: it contains all that a leader before us wrote.
        for cache in (self.reconciler.jobs, self.reconciler.pods):
            while not cache.synced.wait(0.1):
                if self.stop.is_set():
                    return
        # What the caches hold stays: the garbage collector need not go over it again and again.
        gc.collect()
        gc.freeze()
        for number in range(self.options.workers):
            self._start(f"job-{number}", self._sync_jobs)
            self._start(f"orphan-{number}", self._release_orphan_pods)
        self._log(
            f"caches in sync, at work: {len(self.reconciler.jobs)} Jobs, "
            f"{len(self.reconciler.pods)} Pods; {_managed_jobs(settings)}, {self.options.workers} workers"
        )
        while not self.stop.wait(settings.resync):
            self.reconciler.resync()

    def _watch(self) -> None:
        namespace = self.options.namespace
        for path, cache in (
            (jobs_path(namespace), self.reconciler.jobs),
            (pods_path(namespace), self.reconciler.pods),
        ):
            reflector = Reflector(self._api, path, cache, stop=self.stop, log=self._log)
            self._start(f"watch {path}", self._guarded(reflector.run))

    def _sync_jobs(self) -> None:
        while not self.stop.is_set():
            begun = time.monotonic()
            try:
                outcome = self.reconciler.process_next_job(1.0)
            except Exception as error:  # a bug: the Job is tried again, the others go on
                self._log(f"internal error: {_describe_error(error)}")
                continue
            if outcome is not None:
                self.metrics.synced(outcome, time.monotonic() - begun)
                for sync_error in outcome.errors[:3]:
                    key = outcome.job.key if outcome.job else ""
                    self._log(f"sync of {key}: {sync_error}")

    def _release_orphan_pods(self) -> None:
        while not self.stop.is_set():
            try:
                self.reconciler.process_next_orphan_pod(1.0)
            except Exception as error:
                self._log(f"internal error: {_describe_error(error)}")

    def _look_at(self, job: dict[str, Any]) -> None:
        settings = self.options.settings
        if settings.adopt_unmanaged and has_written_status(job, settings, self._started):
            meta = job["metadata"]
            how = f"it wrote the status of {meta['namespace']}/{meta['name']}"
            self._fail(str(BuiltInControllerActive(how)))
        if self._observer is not None:
            self._observer.look(job)

    # Threads and the end.

    def _start(self, name: str, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _guarded(self, run: Callable[[], None]) -> Callable[[], None]:
        """Without its watch the process is of no use: end it, to be started anew."""

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
        """Finish what has begun, and only then let another lead."""
        self.stop.set()
        self.reconciler.queue.close()
        self.reconciler.orphan_queue.close()
        until = time.monotonic() + SECONDS_TO_STOP
        if self._observer is not None:
            self._observer.close()
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
    return f"{named} or by nobody" if settings.adopt_unmanaged else named


def _describe_error(error: BaseException) -> str:
    """An unforeseen error and where it came from, on one line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = ""
    if trace is not None:
        code = trace.tb_frame.f_code
        where = f" in {code.co_filename.rpartition('/')[2]}:{trace.tb_lineno} ({code.co_name})"
    return f"{type(error).__name__}: {error}{where}"
