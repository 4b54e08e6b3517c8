"""Backoff before a failed Pod is replaced.

Without backoffLimitPerIndex the whole Job backs off: 10 seconds after the first consecutive failure,
doubled after each further one, at most 10 minutes; a success resets the delay. With
backoffLimitPerIndex (KEP-3850) each index backs off on its own, by the failure counts in the
annotations of its last Pod.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jobsworth.controller.pods import Pod
from jobsworth.controller.settings import ControllerSettings

_ENOUGH_DOUBLINGS = 62  # every sensible cap is reached long before; avoids a float overflow


@dataclass(frozen=True, slots=True)
class BackoffRecord:
    """The failures of a Job since its last success.

    Attributes:
        failures: number of failures.
        last: finish time of the last failure, in seconds since 1970; None without one.
        success: finish time of the last success taken into account; None without one.
    """

    failures: int = 0
    last: int | None = None
    success: int | None = None

    def after(self, succeeded: Sequence[Pod], failed: Sequence[Pod]) -> BackoffRecord:
        """Return the record after more Pods have terminated, ignored failures included.

        A failure in the same second as the last success counts as earlier than it. A success that is
        passed again (its finalizer could not be removed, or uncountedTerminatedPods was full) does
        not reset the failures after it.
        """
        success = max((pod.finished_at for pod in succeeded), default=None)
        if success is None or (self.success is not None and success <= self.success):
            if not failed:
                return self
            last = max(self.last or 0, *(pod.finished_at for pod in failed))
            return replace(self, failures=self.failures + len(failed), last=last)
        later = [pod.finished_at for pod in failed if pod.finished_at > success]
        return BackoffRecord(len(later), max(later, default=None), success)

    def remaining(self, now: float, settings: ControllerSettings) -> float:
        """Return the seconds until the Job may create Pods again; 0 if it may now."""
        return remaining(self.failures, self.last or 0, now, settings)


def remaining(failures: int, last: int, now: float, settings: ControllerSettings) -> float:
    """Return the seconds to wait after `failures` consecutive failures, the last of them at `last`."""
    failures -= settings.first_is_replaced_at_once
    if failures <= 0:
        return 0.0
    doublings = min(failures - 1, _ENOUGH_DOUBLINGS)
    delay = min(settings.backoff_base * float(1 << doublings), settings.backoff_cap)
    return max(0.0, delay - (now - last))


def index_remaining(last_failed: Pod | None, now: float, settings: ControllerSettings) -> float:
    """Return the seconds until an index may get a Pod again, by its last failed Pod, if any."""
    if last_failed is None:
        return 0.0
    failures = last_failed.failure_count + last_failed.ignored_count + 1
    return remaining(failures, last_failed.finished_at, now, settings)
