"""File patterns of a configuration: ``*`` within a folder's name, ``**`` over any number of folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase


def matches(pattern: str, path: str) -> bool:
    """Return True if a pattern matches a file.

    A pattern without a slash matches files and folders by name; one with a slash is a path from the
    configuration's folder. A pattern that matches a folder matches all files in it.

    >>> matches("*.tpl.yaml", "a/b.tpl.yaml"), matches("vendor", "a/vendor/b.yaml")
    (True, True)
    >>> matches("a/**/c.yaml", "a/b/b/c.yaml"), matches("a/*.yaml", "a/b/c.yaml")
    (True, False)

    Args:
        pattern: as above.
        path: of the file, from the configuration's folder, with slashes.
    """
    parts = path.split("/")
    steps = pattern.removeprefix("./").rstrip("/").split("/")
    if len(steps) == 1:
        return any(fnmatchcase(part, steps[0]) for part in parts)
    return _leads(steps[1:] if not steps[0] else steps, parts)


def matches_below(folder: str, pattern: str, path: str) -> bool:
    """Return True if a pattern matches a file, given by its absolute path, as seen from a folder."""
    try:
        relative = os.path.relpath(path, folder)
    except ValueError:  # another drive
        relative = path
    return matches(pattern, relative.replace(os.sep, "/"))


def _leads(steps: list[str], parts: Sequence[str]) -> bool:
    """Return True if the pattern's steps match the path's parts, or a parent folder.

    It keeps the set of steps that may match next, so that no pattern takes more than (number of parts)²
    comparisons; trying each way in turn takes exponential time for `**/**/**/x`.
    """
    steps = [
        step
        for index, step in enumerate(steps)
        if step != "**" or steps[index - 1 : index] != ["**"]
    ]
    at = _with_next({0}, steps)
    for part in parts:
        after = set()
        for index in at:
            if steps[index] == "**":
                after.add(index)
            elif fnmatchcase(part, steps[index]):
                after.add(index + 1)
            else:
                continue
            if index == len(steps) - 1:
                return True
        at = _with_next(after, steps)
    return False


def _with_next(indexes: set[int], steps: Sequence[str]) -> set[int]:
    """Add the steps that follow a `**`, which also matches no folder."""
    last = len(steps) - 1
    return indexes | {index + 1 for index in indexes if steps[index] == "**" and index < last}
