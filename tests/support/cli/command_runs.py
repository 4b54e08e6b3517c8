"""`jobsworth validate` in this process: as a user runs it, and fast enough for tables of cases."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CommandResult:
    """The result of a run: its exit code and its output."""

    code: int
    out: str
    err: str

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
