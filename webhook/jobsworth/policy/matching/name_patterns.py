"""Name patterns: ``*`` matches any characters, ``?`` one character, ``[ab]`` one of a set."""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WILD = frozenset("*?[")


def is_wild(pattern: str) -> bool:
    """Return True if a pattern contains a wildcard."""
    return not _WILD.isdisjoint(pattern)


def compiled(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Compile patterns into a predicate that is true for a name that matches one of them.

    >>> matches = compiled(["ml-*", "ci"])
    >>> [matches(name) for name in ("ml-vision", "ci", "ci-2")]
    [True, True, False]
    """
    names = frozenset(pattern for pattern in patterns if not is_wild(pattern))
    wild = [pattern for pattern in patterns if is_wild(pattern)]
    if not wild:
        return names.__contains__
    expression = re.compile("|".join(translate(pattern) for pattern in wild))

    def matches(name: str) -> bool:
        return name in names or expression.match(name) is not None

    return matches
