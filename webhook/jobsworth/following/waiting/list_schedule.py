"""The schedule by which lists are read again, and the silence of an API server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.client.api_errors import UNREACHABLE, ApiError, NotConfigured
from jobsworth.client.retry import BUSY
from jobsworth.following.errors import ClusterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.following.waiting.wait_options import WaitOptions

FIRST_PAUSE, LAST_PAUSE = 0.25, 5.0
"""Seconds until a list is read again after a failure: the pause doubles up to the last."""
STEADY = 10.0
"""Seconds for which a watch must have lasted so that the next failure begins with the first pause."""
FIRST_CONTACT = 10.0
"""Seconds for the first answer: without it, the address or the network is probably wrong."""
TRANSIENT = (UNREACHABLE, 410, *BUSY)
"""HTTP statuses after which a list is read again."""


class ListSchedule:
    """Plans the readings of lists, by their keys. Times are those of the clock of the options."""

    def __init__(self, options: WaitOptions) -> None:
        self._options = options
        self._due: dict[str, float] = {}
        self._pauses: dict[str, float] = {}
        self._watched: dict[str, float] = {}
        self._answered = False
        self._silent_since: float | None = (
            None  # the first call without an answer since the last one
        )

    def plan(self, key: str) -> None:
        """Read a list as soon as possible."""
        self._due[key] = self._options.clock()

    def cancel(self, key: str) -> None:
        """Do not read a list."""
        self._due.pop(key, None)

    def planned(self, key: str) -> bool:
        """Return True if a list is still to be read."""
        return key in self._due

    def next_due(self) -> float | None:
        """Return when the next list is to be read; None if none is."""
        return min(self._due.values(), default=None)

    def take_due(self) -> Iterator[str]:
        """Yield the lists to read now, and take them off the plan."""
        now = self._options.clock()
        for key in [key for key, at in self._due.items() if at <= now]:
            del self._due[key]
            yield key

    def note_watch(self, key: str) -> None:
        """Note that a list was read, and that its watch begins."""
        self.note_answer()
        self._watched[key] = self._options.clock()

    def note_answer(self) -> None:
        """Note that the API server has answered."""
        self._answered, self._silent_since = True, None

    def end_watch(self, key: str, error: ApiError | None) -> bool:
        """Plan to read a list again whose watch has ended.

        Args:
            error: None if the API server ended the watch.

        Returns:
            False if the API server rejects it for good.

        Raises:
            ClusterError: there has been no answer for too long.
        """
        now = self._options.clock()
        if now - self._watched.get(key, now) >= STEADY:
            self._pauses.pop(key, None)
        if (error is None or error.expired) and key not in self._pauses:
            self._pauses[key] = FIRST_PAUSE
            self._due[key] = now
            return True
        return self.retry(key, error or ApiError(410, "Expired", "the watch ended at once"))

    def retry(self, key: str, error: ApiError) -> bool:
        """Plan to read a list again that could not be read.

        Returns:
            False if the API server rejects it for good.

        Raises:
            ClusterError: there has been no answer for too long.
        """
        now = self._options.clock()
        if isinstance(error, NotConfigured) or error.code not in TRANSIENT:
            return False
        if error.code != UNREACHABLE:
            self.note_answer()
        elif self._silent_since is None:
            self._silent_since = now
        elif now - self._silent_since > self._longest_silence:
            raise ClusterError(str(error)) from None
        pause = self._pauses.get(key, FIRST_PAUSE)
        self._pauses[key] = min(2 * pause, LAST_PAUSE)
        self._due[key] = now + pause
        return True

    @property
    def _longest_silence(self) -> float:
        limit = self._options.unreachable_after
        return limit if self._answered else min(limit, FIRST_CONTACT)
