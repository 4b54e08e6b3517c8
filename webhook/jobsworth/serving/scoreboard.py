"""What the processes of one server tell each other: a page of memory that they share."""

from __future__ import annotations

import mmap

STARTING, SERVING, WISHES_TO_LEAVE, LEAVING = 1, 2, 3, 4
"""The states of a worker; 0 is none."""

_SIZE = 4096
_DRAINING, _STOPPING, _FIRST_WORKER = 0, 1, 16


class Board:
    """Flags of one byte each; a byte is written and read at once, so no lock is needed.

    Made before the processes are forked.
    """

    __slots__ = ("_page",)

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, _SIZE)

    @property
    def draining(self) -> bool:
        """Whether the server is about to stop."""
        return self._page[_DRAINING] != 0

    def drain(self) -> None:
        """Note that the server is about to stop."""
        self._page[_DRAINING] = 1

    @property
    def stopping(self) -> bool:
        """Whether every worker is to end."""
        return self._page[_STOPPING] != 0

    def stop(self) -> None:
        """Note that every worker is to end."""
        self._page[_STOPPING] = 1

    def state(self, age: int) -> int:
        """The state of a worker, by its age (gunicorn's number for it)."""
        return self._page[_place(age)]

    def set_state(self, age: int, state: int) -> None:
        """Note the state of a worker."""
        self._page[_place(age)] = state

    def serving(self) -> int:
        """How many workers answer requests."""
        states = self._page[_FIRST_WORKER:]
        return states.count(SERVING) + states.count(WISHES_TO_LEAVE)


def _place(age: int) -> int:
    return _FIRST_WORKER + age % (_SIZE - _FIRST_WORKER)
