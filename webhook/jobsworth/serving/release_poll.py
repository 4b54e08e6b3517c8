"""Ask the API server for its release now and then, and write it to a file, where no other process does."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

POLL_SECONDS = 300.0
RETRY_SECONDS = 15.0


class ReleasePoll:
    """The release of the API server in a file.

    Args:
        ask: returns the release; OSError if the API server does not report it.
        file: the file to write.
        clock: returns the seconds of a monotonic clock.
    """

    def __init__(
        self, ask: Callable[[], str], file: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ask = ask
        self._file = file
        self._clock = clock
        self._due = clock()
        self._logged = False

    def poll(self, log: Callable[[str], object]) -> None:
        """Ask and write the file if it is time; log the first of several failures."""
        if self._clock() < self._due:
            return
        try:
            release = self._ask()
        except OSError as error:
            self._due = self._clock() + RETRY_SECONDS
            if not self._logged:
                log(f"the release of the API server is unknown: {error}")
            self._logged = True
            return
        self._due = self._clock() + POLL_SECONDS
        self._logged = False
        new = self._file.with_name(f"{self._file.name}.new")
        new.write_text(f"{release}\n")
        new.replace(self._file)
