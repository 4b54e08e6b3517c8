"""The worker scoreboard in shared memory."""

from __future__ import annotations

import mmap

STARTING, SERVING, LEAVE_REQUESTED, LEAVING = 1, 2, 3, 4
"""The states of a worker; 0 means that there is no such worker."""

_SIZE = 4096
_DRAINING, _STOPPING, _FIRST_WORKER = 0, 1, 16


class Scoreboard:
    """The state of the server and of each worker, one byte each.

    Reads and writes of one byte are atomic, so no lock is needed. Create it before the processes fork.
    """

    __slots__ = ("_page",)

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, _SIZE)

    @property
    def draining(self) -> bool:
        """True while the server drains before it stops."""
        return self._page[_DRAINING] != 0

    def drain(self) -> None:
        """Mark the server as draining."""
        self._page[_DRAINING] = 1

    @property
    def stopping(self) -> bool:
        """True when every worker must end."""
        return self._page[_STOPPING] != 0

    def stop(self) -> None:
        """Mark the server as stopping, which ends every worker."""
        self._page[_STOPPING] = 1

    def state(self, age: int) -> int:
        """Return the state of a worker by its age, the number that gunicorn gives it."""
        return self._page[_offset(age)]

    def set_state(self, age: int, state: int) -> None:
        """Set the state of a worker."""
        self._page[_offset(age)] = state

    def serving(self) -> int:
        """Return the number of workers that answer requests."""
        states = self._page[_FIRST_WORKER:]
        return states.count(SERVING) + states.count(LEAVE_REQUESTED)


def _offset(age: int) -> int:
    return _FIRST_WORKER + age % (_SIZE - _FIRST_WORKER)
