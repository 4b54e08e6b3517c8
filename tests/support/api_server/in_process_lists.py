"""The fake list server, called in process."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from jobsworth.client.api_errors import error_of
from jobsworth.client.api_interface import JSON, Api
from support.api_server.fake_list_server import FakeListServer


class InProcessLists(Api):
    """Calls a fake list server without a connection."""

    def __init__(self, server: FakeListServer) -> None:
        self.server = server

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> dict[str, Any]:
        """Read a list, or create an Event."""
        if method == "POST":
            code, answer = self.server.create(path, body)
        else:
            code, answer = self.server.answer(path, dict(query or {}))
        if code >= 300:
            raise error_of(code, answer)
        found: dict[str, Any] = copy.deepcopy(answer)
        return found
