"""The Job controller that a scenario is about: jobsworth's, or Kubernetes's own, to compare with."""

from __future__ import annotations

import contextlib
import http.client
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.bed import Process, free_ports
from cluster.controller.scraped_metrics import Series, scrape
from jobsworth.controller.well_known_names import OUR_FINALIZER, OUR_MANAGER, RESERVED_FINALIZER

if TYPE_CHECKING:
    from cluster.bed import TestBed
    from jobsworth.controller.settings import ControllerSettings
    from jobsworth.reconciler.process import ReconcilerProcess

ROOT = Path(__file__).parents[3]
READY_WITHIN = 120.0
USUAL = {
    "batch-period": "100ms",
    "pod-failure-backoff": "100ms",
    "kube-api-qps": "200",
    "kube-api-burst": "400",
}
"""Short delays: tests do not need the defaults."""


class Controller(ABC):
    """A Job controller at work on a test bed.

    Attributes:
        name: what it is called where a scenario is left out.
        manager: the ``spec.managedBy`` of its Jobs; None where they have none.
        finalizer: the one it puts on their Pods.
        built_in: whether it is Kubernetes's own.
    """

    name: str
    manager: str | None
    finalizer: str
    built_in = False

    def __init__(self, bed: TestBed) -> None:
        self.bed = bed
        self._before: Counter[Series] = Counter()  # what earlier lives counted

    @abstractmethod
    def start(self, **options: str) -> None:
        """Start it, with these options instead of the usual ones."""

    @abstractmethod
    def kill(self) -> None:
        """End it as a crash would; what it counted is remembered."""

    @abstractmethod
    def as_usual(self) -> None:
        """See that it runs, with the usual options."""

    @abstractmethod
    def log(self) -> str:
        """Return its log."""

    @property
    @abstractmethod
    def _metrics(self) -> str | None:
        """Return the address of its metrics; None while it does not run."""

    def restart(self, **options: str) -> None:
        """Kill it, and start it again."""
        self.kill()
        self.start(**options)

    def counters(self) -> Counter[Series]:
        """Its counters, over all its lives."""
        address = self._metrics
        return self._before + (scrape(address) if address is not None else Counter())

    def _remember(self) -> None:
        try:
            self._before = self.counters()
        except OSError:
            return  # it has died already


class Jobsworth(Controller):
    """``jobsworth reconcile`` as a process of its own.

    Args:
        flags: further arguments, such as ``--adopt-unmanaged``.
    """

    name = "jobsworth"
    manager: str | None = OUR_MANAGER
    finalizer = OUR_FINALIZER

    def __init__(self, bed: TestBed, *flags: str) -> None:
        super().__init__(bed)
        self._flags = flags
        self._port = free_ports(1)[0]
        self._process: Process | None = None
        self._running: Mapping[str, str] = {}
        self._inside: _Inside | None = None
        self._log = bed.folder.log(f"jobsworth-{self._port}")
        if "--adopt-unmanaged" in flags:
            self.name, self.manager, self.finalizer = "adopting", None, RESERVED_FINALIZER

    def start(self, **options: str) -> None:
        """Start it, and wait until its caches are in sync.

        Args:
            options: of the command line, with underscores: ``kube_api_qps="1"``.
        """
        wanted = USUAL | {name.replace("_", "-"): value for name, value in options.items()}
        arguments = [f"--{name}={value}" for name, value in wanted.items()]
        self._process = Process(
            [
                sys.executable,
                *("-m", "jobsworth", "reconcile"),
                f"--kubeconfig={self.bed.kubeconfig}",
                f"--monitor-bind=127.0.0.1:{self._port}",
                *arguments,
                *self._flags,
            ],
            self._log,
            {**os.environ, "PYTHONPATH": str(ROOT / "webhook")},
        )
        self._running = wanted
        self._wait_until_ready()

    def start_inside(self, *, jobs_late: float = 0.0, **settings: Any) -> None:
        """Run it within this process, where settings that have no option can be changed.

        Args:
            jobs_late: by how many seconds it sees each Job late.
            settings: see ``jobsworth.controller.settings.ControllerSettings``.
        """
        from jobsworth.controller.settings import ControllerSettings

        usual = ControllerSettings(batch_delay=0.1, backoff_base=0.1)
        self._inside = _Inside(self.bed, self._port, replace(usual, **settings), jobs_late)
        self._running = {}
        self._wait_until_ready()

    def kill(self) -> None:
        self._remember()
        if self._process is not None:
            self._process.kill()
        if self._inside is not None:
            self._inside.stop()
        self._process = self._inside = None

    def as_usual(self) -> None:
        alive = self._process is not None and self._process.running
        if alive and self._running == USUAL:
            return
        self.kill()
        self.start()

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8") if self._log.exists() else ""

    @property
    def _metrics(self) -> str | None:
        running = self._process is not None or self._inside is not None
        return f"http://127.0.0.1:{self._port}/metrics" if running else None

    def _wait_until_ready(self) -> None:
        until = time.monotonic() + READY_WITHIN
        while not self._ready():
            if self._process is not None:
                self._process.check()
            assert time.monotonic() < until, f"not ready: {self.log()}"
            time.sleep(0.02)

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/readyz", timeout=5):
                return True
        except (urllib.error.URLError, http.client.HTTPException, OSError):
            return False


class _Inside:
    """The reconciler in a thread of this process."""

    def __init__(
        self,
        bed: TestBed,
        port: int,
        settings: ControllerSettings,
        jobs_late: float,
    ) -> None:
        from jobsworth.client.rest_config import Target, rest_config
        from jobsworth.reconciler.options import ReconcilerOptions
        from jobsworth.reconciler.process import ReconcilerProcess

        options = ReconcilerOptions(
            settings=settings, qps=200, burst=400, host="127.0.0.1", port=port
        )
        self._access = contextlib.ExitStack()
        config = self._access.enter_context(rest_config(Target(str(bed.kubeconfig), None)))
        self._application: ReconcilerProcess = ReconcilerProcess(
            config, options, lambda message: None
        )
        if jobs_late:
            jobs = self._application.reconciler.jobs
            read = jobs.read

            def read_late(obj: dict[str, Any]) -> Any:
                time.sleep(jobs_late)
                return read(obj)

            jobs.read = read_late  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._application.run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._application.stop.set()
        self._thread.join(30)
        self._access.close()
        assert not self._thread.is_alive(), "the reconciler does not stop"


class BuiltIn(Controller):
    """Kubernetes's own Job controller, in the bed's kube-controller-manager."""

    name = "built-in"
    manager = None
    finalizer = RESERVED_FINALIZER
    built_in = True

    def start(self, **options: str) -> None:
        """Start it; it has none of these options, and keeps to its own delays."""
        self.bed.start_controller_manager()

    def kill(self) -> None:
        self._remember()
        if self.bed.controller_manager is not None:
            self.bed.controller_manager.kill()

    def as_usual(self) -> None:
        process = self.bed.controller_manager
        if process is None or not process.running:
            self.start()

    def log(self) -> str:
        path = self.bed.folder.log("kube-controller-manager")
        return path.read_text(encoding="utf-8", errors="replace")

    @property
    def _metrics(self) -> str | None:
        process = self.bed.controller_manager
        if process is None or not process.running:
            return None
        return f"{self.bed.controller_manager_url}/metrics"
