"""How long to wait before a failed Pod is replaced.

A Job without a limit per index waits as a whole: ten seconds after the first failure in a row, twice
as long after each further one, at most ten minutes; a success ends the row. With a limit per index
(KEP-3850) each index waits for itself, by the counts that its last Pod carries.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.controller.controller_settings import ControllerSettings
    from jobsworth.controller.pods import Pod


_ENOUGH_DOUBLINGS = 62  # any cap has been reached long before


@dataclass(frozen=True, slots=True)
class BackoffRecord:
    """The failures of a Job since its last success.

    Attributes:
        failures: how many.
        last: when the last of them finished, in seconds since 1970; None without one.
        success: when the last success finished that has been reckoned with, None without one.
    """

    failures: int = 0
    last: int | None = None
    success: int | None = None

    def after(self, succeeded: Sequence[Pod], failed: Sequence[Pod]) -> BackoffRecord:
        """The record once Pods have newly ended, ignored failures included.

        A failure at the second of the last success counts as before it. A success that comes again
        (its Pod could not be let go, or there was no room to write it down) ends no other row.
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
        """Seconds until Pods may be created again; 0 if they may."""
        return remaining(self.failures, self.last or 0, now, settings)


def remaining(failures: int, last: int, now: float, settings: ControllerSettings) -> float:
    """Seconds to wait after so many failures in a row, of which the last was at `last`."""
    if failures <= 0:
        return 0.0
    doublings = min(failures - 1, _ENOUGH_DOUBLINGS)
    delay = min(settings.backoff_base * float(1 << doublings), settings.backoff_cap)
    return max(0.0, delay - (now - last))


def index_remaining(last_failed: Pod | None, now: float, settings: ControllerSettings) -> float:
    """Seconds until an index may get a Pod again, by the last failed Pod of it, if there is one."""
    if last_failed is None:
        return 0.0
    failures = last_failed.failure_count + last_failed.ignored_count + 1
    return remaining(failures, last_failed.finished_at, now, settings)
