"""Read objects and bounded lists, and check their shape before anything depends on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from jobsworth.api.stored import stored_problem
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.paging import PAGE_SIZE, pages

Object = dict[str, Any]


class BoundedList(NamedTuple):
    """The items of a list; `more`: there are further ones, which were not read."""

    items: list[Object]
    more: bool = False


class MalformedObject(Exception):
    """The API server sent something that is not an object of the kind that was asked for."""


def read_object(api: Api, path: str, kind: str) -> Object:
    """Read an object.

    Raises:
        ApiError: the API server rejects the request, or cannot be reached.
        MalformedObject: the object has a field of another type.
    """
    return checked({**api.get(path), "kind": kind})


def read_list(
    api: Api,
    path: str,
    kind: str,
    selectors: Mapping[str, str] | None = None,
    *,
    most: int,
) -> BoundedList:
    """Read at most so many objects of a list, page by page.

    A list that expires while it is read ends there, like one with more objects than that.

    Raises:
        ApiError: the API server rejects the request, or cannot be reached.
        MalformedObject: an object has a field of another type.
    """
    items: list[Object] = []
    try:
        for page in pages(api, path, min(PAGE_SIZE, most), selectors=selectors):
            items += [checked({**each, "kind": kind}) for each in page.items]
            if page.token and len(items) >= most:
                return BoundedList(items, more=True)
    except ApiError as error:
        if not error.expired or not items:
            raise
        return BoundedList(items, more=True)
    return BoundedList(items)


def checked(value: Object) -> Object:
    """Return an object that can be read.

    Raises:
        MalformedObject: it is not.
    """
    found = stored_problem(value["kind"], value)
    if found is not None:
        meta = value.get("metadata")
        name = meta.get("name") if isinstance(meta, dict) else ""
        raise MalformedObject(f"the API server sent a malformed {value['kind']} {name}: {found}")
    return value
