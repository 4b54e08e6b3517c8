"""File patterns of a configuration: ``*`` within a folder's name, ``**`` over any number of folders."""

from __future__ import annotations

from fnmatch import fnmatchcase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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


def _leads(steps: Sequence[str], parts: Sequence[str]) -> bool:
    """Return True if the pattern's steps match the path's parts, or a parent folder."""
    if not steps:
        return True
    if steps[0] == "**":
        if len(steps) == 1:
            return bool(parts)
        return any(_leads(steps[1:], parts[start:]) for start in range(len(parts)))
    return bool(parts) and fnmatchcase(parts[0], steps[0]) and _leads(steps[1:], parts[1:])
