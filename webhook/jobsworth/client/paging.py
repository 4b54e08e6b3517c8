"""Read lists a page at a time, and to an end whatever the server answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from jobsworth.client.errors import ApiError
from jobsworth.client.resources import resource_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.client.api import Api

PAGE_SIZE = 500
MOST_PAGES = 20_000
"""Ten million objects: more than an etcd holds."""
MOST_EMPTY_PAGES = 20
"""In a row, each with the promise of more."""
RESTARTS = 5
"""How often a list is begun anew before it is given up."""
RESUMPTIONS = 100
"""How often an expired list is gone on with: each is minutes after the one before."""


class Page(NamedTuple):
    """Some objects of a list.

    Attributes:
        items: as the server sends them, which is without ``apiVersion`` and ``kind``.
        version: the resourceVersion of the list.
        remaining: how many come after them, as the server estimates.
    """

    items: list[dict[str, Any]]
    version: int
    remaining: int


def pages(api: Api, path: str, limit: int = PAGE_SIZE, token: str = "") -> Iterator[Page]:
    """Yield the pages of a list, all of one resourceVersion.

    Args:
        limit: of the objects of a page; 0 for the whole list at once.
        token: to go on from; none for the beginning.

    Raises:
        ApiError: as any call; ``expired`` when the list grew too old while it was read. Or the server's
            ``continue`` leads nowhere: a token comes again, or pages never end.
    """
    query = {"limit": str(limit)} if limit else {}
    followed: set[str] = set()
    empty = 0
    while True:
        answer = api.get(path, {**query, "continue": token} if token else query)
        page, token = _page(path, answer)
        empty = 0 if page.items else empty + 1
        yield page
        if not token:
            return
        if token in followed or len(followed) >= MOST_PAGES or empty >= MOST_EMPTY_PAGES:
            raise _malformed(f"the list of {path} does not end: its continue token leads nowhere")
        followed.add(token)


def resumed_pages(api: Api, path: str, limit: int = PAGE_SIZE) -> Iterator[Page]:
    """Yield the pages of a list, also of one that expires while it is read.

    It goes on from the same place in what is stored by then, if the server offers that; otherwise from
    the beginning, leaving out what has been given. So no object is given twice, and none is left out
    that was there all the time.

    Raises:
        ApiError: as any call; or the list expires again and again.
    """
    given: set[str] = set()
    token, restarts, resumptions = "", 0, 0
    while True:
        try:
            for page in pages(api, path, limit, token):
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
                message = f"the list of {path} expires faster than it can be read, {often} times"
                raise ApiError(error.code, error.reason, message) from None


def _page(path: str, answer: dict[str, Any]) -> tuple[Page, str]:
    """The page that an answer holds, and the token of the next one."""
    meta, items = answer.get("metadata") or {}, answer.get("items") or []
    sound = isinstance(meta, dict) and isinstance(items, list) and all(map(_is_object, items))
    if not sound:
        raise _malformed(f"the list of {path} holds something else than API objects")
    remaining = meta.get("remainingItemCount")
    page = Page(items, resource_version(answer), remaining if isinstance(remaining, int) else 0)
    return page, str(meta.get("continue") or "")


def _is_object(item: Any) -> bool:
    meta = item.get("metadata") if isinstance(item, dict) else None
    return isinstance(meta, dict) and isinstance(meta.get("uid", ""), str)


def _malformed(message: str) -> ApiError:
    return ApiError(200, "", f"{message}; is this a Kubernetes API server?")
