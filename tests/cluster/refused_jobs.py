"""Count the Jobs that an API server rejects while something happens to the webhook."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Self

from cluster.small_jobs import JOBS, job

if TYPE_CHECKING:
    from cluster.bed import TestBed

PAUSE_SECONDS = 0.05


class RefusedJobs:
    """Creates a valid Job over and over, as a dry run, and counts what is rejected.

    Args:
        bed: with a webhook.
        namespace: that the webhook reviews.

    Attributes:
        requests: how many Jobs were sent.
        refused: the times at which one was rejected, in seconds.
        answer: the last rejection.
    """

    def __init__(self, bed: TestBed, namespace: str) -> None:
        self.requests = 0
        self.refused: list[float] = []
        self.answer = ""
        self._bed = bed
        self._path = f"{JOBS.format(namespace)}?dryRun=All"
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._create, daemon=True)

    def __enter__(self) -> Self:
        assert self.is_admitted()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def is_admitted(self) -> bool:
        """Send one more, and return True if it is not rejected."""
        return self._bed.request("POST", self._path, job()).code == 201

    def denies(self, **spec: object) -> bool:
        """Return True if the webhook denies a Job with these fields of its spec."""
        return self._bed.request("POST", self._path, job(**spec)).code == 403

    @property
    def seconds(self) -> float:
        """The time from the first to the last rejection."""
        return self.refused[-1] - self.refused[0] if self.refused else 0.0

    def __str__(self) -> str:
        return (
            f"{len(self.refused)} of {self.requests} refused, within {self.seconds:.1f} s"
            f"{': ' if self.answer else ''}{self.answer}"
        )

    def _create(self) -> None:
        while not self._stop.wait(PAUSE_SECONDS):
            answer = self._bed.request("POST", self._path, job())
            self.requests += 1
            if answer.code != 201:
                self.refused.append(time.monotonic())
                self.answer = str(answer.body.get("message"))
