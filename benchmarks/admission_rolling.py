"""Check that no request is lost while the replicas of the webhook are replaced one after another.

    python benchmarks/admission_rolling.py [--restarts 20] [--clients 8]

Two replicas, replaced as a Deployment with maxSurge 1 and maxUnavailable 0 does it: a new one starts and
becomes ready; the old one leaves the Service, which clients learn a second later; after preStop it gets
SIGTERM. Clients keep connections open as an API server does, pause sometimes, and open new connections to
any replica of the Service. None repeats a request. The exit code is 1 if a request failed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests")]

from support.admission.admission_reviews import body_of  # noqa: E402
from support.admission.running_webhook import Client, Serving, serving  # noqa: E402
from support.validation.engine_errors import job_with  # noqa: E402

PROXY_SECONDS = 1.0
"""The time after which clients learn that a replica is no longer in the Service."""
PRE_STOP_SECONDS = 2.0
OPTIONS = ("--log", "denials", "--drain-seconds", "2")


class Service:
    """The replicas that clients connect to, and what became of their requests."""

    def __init__(self) -> None:
        self.replicas: list[Serving] = []
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.statuses: Counter[int] = Counter()
        self.failures: list[str] = []
        self.connections = 0
        self.slowest = 0.0

    def use(self, seed: int) -> None:
        """Send requests until the service stops."""
        chance = random.Random(seed)
        body = body_of(job_with())
        client: Client | None = None
        while not self.stopped.is_set():
            if client is None or not client.connected:
                client = Client(chance.choice(self.replicas))
                with self.lock:
                    self.connections += 1
            began = time.monotonic()
            try:
                status, _ = client.post("validate", body)
                failure = "" if status == 200 else f"status {status}"
            except Exception as error:
                status, failure = 0, f"{type(error).__name__}: {error}"
                client.close()
            with self.lock:
                self.statuses[status] += 1
                self.slowest = max(self.slowest, time.monotonic() - began)
                if failure:
                    self.failures.append(failure)
            if chance.random() < 0.01:
                time.sleep(chance.random())


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--restarts", type=int, default=20)
    arguments.add_argument("--clients", type=int, default=8)
    chosen = arguments.parse_args()
    folder = Path(tempfile.mkdtemp())
    service = Service()
    with ExitStack() as stack:

        def start(number: int) -> Serving:
            place = folder / str(number)
            place.mkdir()
            return stack.enter_context(serving(place, *OPTIONS))

        service.replicas = [start(0), start(1)]
        threads = [
            threading.Thread(target=service.use, args=(number,)) for number in range(chosen.clients)
        ]
        for thread in threads:
            thread.start()
        for number in range(chosen.restarts):
            new, old = start(number + 2), service.replicas[0]
            service.replicas = [*service.replicas, new]
            time.sleep(PROXY_SECONDS)
            service.replicas = service.replicas[1:]
            time.sleep(PRE_STOP_SECONDS - PROXY_SECONDS)
            if (code := old.stop()) != 0:
                service.failures.append(f"exit code {code}")
        service.stopped.set()
        for thread in threads:
            thread.join()
    print(f"{sum(service.statuses.values())} requests over {service.connections} connections")
    print(f"{chosen.restarts} restarts; slowest answer {service.slowest:.2f} s")
    print(f"failed: {len(service.failures)}")
    for failure in service.failures[:10]:
        print(f"  {failure}")
    return 1 if service.failures else 0


if __name__ == "__main__":
    sys.exit(main())
