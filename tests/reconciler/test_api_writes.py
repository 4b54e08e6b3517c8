"""Writes of the reconciler: what they ask of the API server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jobsworth.client.api_interface import Api
from jobsworth.controller.pods import read_pod
from jobsworth.controller.settings import ControllerSettings
from jobsworth.reconciler.api_writes import patch_pod, post_pod, put_status

METADATA = {"namespace": "ml", "name": "train-0", "uid": "5f0c"}
POD = read_pod({"metadata": METADATA}, ControllerSettings())


class QueryRecorder(Api):
    """An API server that records the queries of calls."""

    def __init__(self) -> None:
        self.queries: list[Any] = []

    def request(self, method: str, path: str, body: Any = None, **how: Any) -> dict[str, Any]:
        self.queries.append(how["query"])
        return {"metadata": {"name": "train-0", "resourceVersion": "2"}}


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda api: post_pod(api, "ml", {"metadata": METADATA}), id="creation"),
        pytest.param(lambda api: patch_pod(api, POD, {"metadata": {}}), id="patch"),
        pytest.param(lambda api: put_status(api, METADATA, {"active": 1}), id="status"),
    ],
)
def test_a_write_does_not_ask_for_unknown_fields(write: Callable[[Api], Any]) -> None:
    api = QueryRecorder()
    write(api)
    assert api.queries == [{"fieldValidation": "Ignore"}]
