"""Read lists page by page, and terminate even if the server misbehaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import resource_version

PAGE_SIZE = 500
MAX_PAGES = 20_000
"""The largest number of pages: ten million objects, more than etcd holds."""
MAX_EMPTY_PAGES = 20
"""The largest number of consecutive empty pages that have a continue token."""
RESTARTS = 5
"""The largest number of restarts of an expired list."""
RESUMPTIONS = 100
"""The largest number of resumptions of an expired list; each is minutes after the one before."""


class Page(NamedTuple):
    """A page of a list.

    Attributes:
        items: the objects as the server sends them, without ``apiVersion`` and ``kind``.
        version: the resourceVersion of the list.
        remaining: the number of objects after this page, as estimated by the server.
        token: the continue token of the next page; empty on the last one.
    """

    items: list[dict[str, Any]]
    version: int
    remaining: int
    token: str


def pages(
    api: Api,
    path: str,
    limit: int = PAGE_SIZE,
    token: str = "",
    selectors: Mapping[str, str] | None = None,
) -> Iterator[Page]:
    """Yield the pages of a list, all of one resourceVersion.

    Args:
        limit: the largest number of objects in a page; 0 for the whole list at once.
        selectors: ``labelSelector`` and ``fieldSelector``; None for all objects.
        token: the continue token to start from; empty to start at the beginning.

    Raises:
        ApiError: like any call; ``expired`` if the list became too old while it was read. Also if the list
            does not end: the server repeats a continue token, or sends too many pages.
    """
    query = {**(selectors or {}), **({"limit": str(limit)} if limit else {})}
    followed: set[str] = set()
    empty = 0
    while True:
        answer = api.get(path, {**query, "continue": token} if token else query)
        page = _page(path, answer)
        token = page.token
        empty = 0 if page.items else empty + 1
        yield page
        if not token:
            return
        if token in followed or len(followed) >= MAX_PAGES or empty >= MAX_EMPTY_PAGES:
            raise _malformed(
                f"the list of {path} does not end: the server keeps sending continue tokens"
            )
        followed.add(token)


def resumed_pages(
    api: Api, path: str, limit: int = PAGE_SIZE, selectors: Mapping[str, str] | None = None
) -> Iterator[Page]:
    """Yield the pages of a list, even if it expires while it is read.

    After an expiry, continue at the same key with a newer resourceVersion if the server offers that;
    otherwise restart from the beginning and skip the objects already yielded. No object is yielded twice, and
    no object that existed all the time is missed.

    Raises:
        ApiError: like any call; also if the list expires too often.
    """
    given: set[str] = set()
    token, restarts, resumptions = "", 0, 0
    while True:
        try:
            for page in pages(api, path, limit, token, selectors):
                items = [each for each in page.items if each["metadata"].get("uid") not in given]
                given.update(uid for each in items if (uid := each["metadata"].get("uid")))
                yield page._replace(items=items)
            return
        except ApiError as error:
            if not error.expired:
                raise
            token = error.continue_token
            restarts += not token
            resumptions += bool(token)
            if restarts > RESTARTS or resumptions > RESUMPTIONS:
                often = RESUMPTIONS if token else RESTARTS
                message = f"the list of {path} expired {often} times before it was read completely"
                raise ApiError(error.code, error.reason, message) from None


def _page(path: str, answer: dict[str, Any]) -> Page:
    meta, items = answer.get("metadata") or {}, answer.get("items") or []
    sound = isinstance(meta, dict) and isinstance(items, list) and all(map(_is_object, items))
    if not sound:
        raise _malformed(f"the list of {path} does not hold API objects")
    remaining = meta.get("remainingItemCount")
    return Page(
        items,
        resource_version(answer),
        remaining if isinstance(remaining, int) else 0,
        str(meta.get("continue") or ""),
    )


def _is_object(item: Any) -> bool:
    meta = item.get("metadata") if isinstance(item, dict) else None
    return isinstance(meta, dict) and isinstance(meta.get("uid", ""), str)


def _malformed(message: str) -> ApiError:
    return ApiError(200, "", f"{message}; check that this is a Kubernetes API server")
