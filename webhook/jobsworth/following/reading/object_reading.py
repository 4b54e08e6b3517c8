"""Read objects and bounded lists, and check their shape before anything depends on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from jobsworth.client.api_errors import ApiError
from jobsworth.client.paging import PAGE_SIZE
from jobsworth.following.requests import EMPTY, Get

if TYPE_CHECKING:
    from jobsworth.following.requests import Reading

    Object = dict[str, Any]
    Problem = Callable[[object], str | None]


class Listed(NamedTuple):
    """The items of a list; `more`: there are further ones, which were not read."""

    items: list[Object]
    more: bool = False


class MalformedObject(Exception):
    """The API server sent something that is no object of the kind that was asked for."""


def read_object(path: str, kind: str, problem: Problem) -> Reading[Object]:
    """Read an object.

    Raises:
        ApiError: the API server rejects the request, or cannot be reached.
        MalformedObject: the object has a field of another type.
    """
    found: Object = yield Get(path)
    return checked({**found, "kind": kind}, problem)


def read_list(
    path: str,
    kind: str,
    problem: Problem,
    selectors: Mapping[str, str] = EMPTY,
    *,
    most: int,
) -> Reading[Listed]:
    """Read at most so many objects of a list, page by page.

    A list that expires while it is read ends there, like one with more objects than that.

    Raises:
        ApiError: the API server rejects the request, or cannot be reached.
        MalformedObject: an object has a field of another type.
    """
    items: list[Object] = []
    token = ""
    while True:
        query = {**selectors, "limit": str(min(PAGE_SIZE, most - len(items)))}
        try:
            page = yield Get(path, {**query, "continue": token} if token else query)
        except ApiError as error:
            if not error.expired or not items:
                raise
            return Listed(items, more=True)
        found = page.get("items")
        if not isinstance(found, list | None):
            raise MalformedObject(f"the list of {path} does not hold API objects")
        items += [
            checked({**each, "kind": kind}, problem) for each in found or () if _is_object(each)
        ]
        meta = page.get("metadata")
        following = str((meta.get("continue") if isinstance(meta, dict) else "") or "")
        if not following or following == token:
            return Listed(items)
        if len(items) >= most or not found:
            return Listed(items, more=True)
        token = following


def checked(value: Object, problem: Problem) -> Object:
    """Return an object whose shape is as expected.

    Raises:
        MalformedObject: it is not.
    """
    meta = value.get("metadata")
    found = problem(value) if isinstance(meta, dict) else "metadata must be an object"
    if found is not None:
        name = meta.get("name") if isinstance(meta, dict) else ""
        raise MalformedObject(f"the API server sent a malformed {value['kind']} {name}: {found}")
    return value


def _is_object(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("metadata"), dict)
