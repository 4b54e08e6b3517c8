"""A module that is imported when a name of it is first used, for code that runs often but not always.

``from … import …`` inside a function takes 1 µs at each call, and there were ten of them for each manifest.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class DeferredModule:
    """Has the names of a module; each is kept here when it is first used.

    Declare the module for type checkers, and this in its place for the interpreter:

        if TYPE_CHECKING:
            from jobsworth.api.formats import quantity
        else:
            quantity = DeferredModule("jobsworth.api.formats.quantity")

    Args:
        name: the full name of the module.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(__import__(self.__name__, fromlist=("",)), name)
        setattr(self, name, value)
        return value
