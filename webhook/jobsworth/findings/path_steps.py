"""Split a Kubernetes field path at the keys of a map.

A key may contain dots and brackets itself, so only the map shows where the key in a path ends.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def leading_key(keys: Mapping[str, object], path: str) -> tuple[str, str] | None:
    """Return the key with which a path begins, and the rest of the path; None if no key fits.

    A key with dots may be plain or in brackets; if a path begins with two keys, the longer one wins.

    >>> leading_key({"a": 1, "a.b": 2}, "a.b.c"), leading_key({"a.b/c": 1}, '["a.b/c"][0]')
    (('a.b', '.c'), ('a.b/c', '[0]'))
    """
    bracketed = path.startswith("[")
    plain = path if bracketed else path.removeprefix(".")
    # Each of thousands of findings may be in the same large map, and a key may have a million dots.
    ends = plain.count("]") if bracketed else plain.count(".") + plain.count("[")
    possible: Iterable[str] = keys if len(keys) <= ends else _prefixes(plain, bracketed=bracketed)
    found: tuple[str, str] | None = None
    for key in possible:
        if found is not None and len(key) <= len(found[0]):
            continue
        rest = _behind(key, plain, bracketed=bracketed) if key in keys else None
        if rest is not None:
            found = key, rest
    return found


def _prefixes(path: str, *, bracketed: bool) -> Iterator[str]:
    """Yield the parts of a path that can be its first key."""
    for end, mark in enumerate(path):
        if bracketed and mark == "]":
            yield path[1:end]
            yield path[2 : end - 1]
        elif not bracketed and mark in ".[":
            yield path[:end]
    if not bracketed:
        yield path


def _behind(key: str, path: str, *, bracketed: bool) -> str | None:
    """Return the rest of a path after a key; None if the path does not begin with the key."""
    if bracketed:
        for written in (f"[{key}]", f'["{key}"]'):
            if path.startswith(written):
                return path[len(written) :]
        return None
    if path.startswith(key) and (len(path) == len(key) or path[len(key)] in ".["):
        return path[len(key) :]
    return None
