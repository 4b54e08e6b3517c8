"""A bounded memory of the results of a function of one text, for texts that manifests repeat.

It stands in for ``functools.lru_cache`` on the path of ``jobsworth validate``, where the import of
``functools`` takes longer than a validation.

>>> squares = Remembered(lambda text: int(text) ** 2)
>>> squares["12"], len(squares)
(144, 1)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Value = TypeVar("Value")

MOST = 1024
LONGEST = 256


class Remembered(dict[str, "Value"]):
    """The results of a pure function by its argument, of texts up to 256 characters.

    What the function raises is not remembered. Safe to share between threads.

    Args:
        function: the function.
        most: the number of results to keep.
    """

    __slots__ = ("_function", "_most")

    def __init__(self, function: Callable[[str], Value], most: int = MOST) -> None:
        self._function = function
        self._most = most

    def __missing__(self, text: str) -> Value:
        value = self._function(text)
        if len(text) <= LONGEST:
            if len(self) >= self._most:
                self.clear()
            self[text] = value
        return value
