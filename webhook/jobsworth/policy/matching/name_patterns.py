"""Name patterns of a policy: ``*`` stands for any characters, ``?`` for one, ``[ab]`` for one of some."""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WILD = frozenset("*?[")


def is_wild(pattern: str) -> bool:
    """Whether a pattern means more than one name."""
    return not _WILD.isdisjoint(pattern)


def compiled(patterns: Sequence[str]) -> Callable[[str], bool]:
    """A test whether a name matches one of some patterns.

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
