"""`jobsworth validate` in this process: as a user runs it, and fast enough for tables of cases."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


class CommandResult:
    """The result of a run: its exit code and its output."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def loaded(self) -> Any:
        """A report for programs, as it was meant."""
        return json.loads(self.out)

    @property
    def found(self) -> list[tuple[int, str]]:
        """The lines and codes of a concise report, in their order."""
        places = (line.partition(": ") for line in self.out.splitlines())
        return [(int(place.split(":")[1]), rest.split()[1]) for place, _, rest in places]


Validate = Command = Callable[..., CommandResult]
