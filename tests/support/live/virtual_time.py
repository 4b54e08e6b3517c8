"""Threads that take turns in virtual time: one runs at once, and the clock goes on when all of them wait."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from jobsworth.live.watches import Threads

MOST_TURNS = 50_000
NEVER = float("inf")


@dataclass(eq=False)
class _Turn:
    """A thread that waits, until a time or until `ready` returns True."""

    until: float
    ready: Callable[[], bool]
    go: threading.Event = field(default_factory=threading.Event)


class VirtualTime(Threads):
    """Stands in for the threads, events and queues of a wait. The thread that makes it has the first turn.

    Attributes:
        now: the time, in seconds.
        ended: set by `end`: nothing waits any more.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.ended = False
        self._actions: list[tuple[float, Callable[[], None]]] = []
        self._turns: list[_Turn] = []
        self._others = 0
        self._passed = 0
        self._problem = ""
        self._first = threading.current_thread()

    def clock(self) -> float:
        return self.now

    def at(self, time: float, action: Callable[[], None]) -> None:
        """Let something happen at a time."""
        self._actions.append((time, action))
        self._actions.sort(key=lambda each: each[0])

    def wait(self, until: float, ready: Callable[[], bool]) -> None:
        """Let other threads run, until a time or a condition."""
        turn = _Turn(until, lambda: self.ended or ready())
        self._turns.append(turn)
        self._pass_on()
        turn.go.wait()
        if self._problem and threading.current_thread() is self._first:
            raise AssertionError(self._problem)

    def start(self, work: Callable[[], None], name: str) -> None:
        turn = _Turn(self.now, lambda: True)
        self._turns.append(turn)
        self._others += 1

        def run() -> None:
            turn.go.wait()
            work()
            self._others -= 1
            self._pass_on()

        threading.Thread(target=run, name=name, daemon=True).start()

    def event(self) -> Any:
        return _Event(self)

    def queue(self) -> Any:
        return _Queue(self)

    def end(self) -> None:
        """Let all other threads end."""
        self.ended, self._problem = True, ""
        turn = _Turn(NEVER, lambda: self._others == 0)
        self._turns.append(turn)
        self._pass_on()
        turn.go.wait()

    def _pass_on(self) -> None:
        """Let the next thread run."""
        self._passed += 1
        if self._passed > MOST_TURNS:
            self._give_up(f"the wait goes round without end; the time is {self.now}")
        while True:
            for turn in self._turns:
                if turn.until <= self.now or turn.ready():
                    self._turns.remove(turn)
                    turn.go.set()
                    return
            due = min(turn.until for turn in self._turns)
            if self._actions and self._actions[0][0] <= due:
                time, action = self._actions.pop(0)
                self.now = max(self.now, time)
                action()
            elif due < NEVER:
                self.now = due
            else:
                self._give_up(f"nothing more happens, and the wait goes on at {self.now}")

    def _give_up(self, problem: str) -> None:
        self._problem = problem
        self.ended = True


class _Event:
    """Stands in for threading.Event."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self._set = False

    def is_set(self) -> bool:
        return self._set or self._time.ended

    def set(self) -> None:
        self._set = True

    def wait(self, timeout: float) -> bool:
        self._time.wait(self._time.now + timeout, self.is_set)
        return self.is_set()


class _Queue:
    """Stands in for queue.SimpleQueue."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self._items: deque[Any] = deque()

    def put(self, item: Any) -> None:
        self._items.append(item)

    def get(self, timeout: float | None = None) -> Any:
        until = NEVER if timeout is None else self._time.now + timeout
        self._time.wait(until, lambda: bool(self._items))
        if not self._items:
            raise queue.Empty
        return self._items.popleft()
