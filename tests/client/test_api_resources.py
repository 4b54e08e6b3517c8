"""Paths of API resources: no name leads to another resource."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from urllib3.util import parse_url

from jobsworth.client.api_resources import CORE, pods_path, resource_path, resource_version

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1) | st.text("./%?#", min_size=1)


@given(NAMES, NAMES)
@example("..", "..")
@example(".", "a")
@example("a?dryRun=", "%2e%2e")
def test_a_name_is_one_segment_of_the_path_that_is_sent(namespace: str, name: str) -> None:
    sent = parse_url(f"https://server{pods_path(namespace, name)}?dryRun=All")
    assert sent.path is not None
    assert sent.query == "dryRun=All"
    segments = [unquote(each) for each in sent.path.split("/")]
    assert segments == ["", "api", "v1", "namespaces", namespace, "pods", name]


def test_the_objects_of_all_namespaces_and_of_one() -> None:
    assert resource_path(CORE, "pods") == "/api/v1/pods"
    assert pods_path("batch", "train-0.a") == "/api/v1/namespaces/batch/pods/train-0.a"


@pytest.mark.parametrize(
    ("version", "number"),
    [("12", 12), ("", 0), ("a1", 0), ("²", 0), (12, 0), (None, 0), ("9" * 5000, 0)],
)
def test_a_resource_version_that_is_not_a_number_is_0(version: Any, number: int) -> None:
    assert resource_version({"metadata": {"resourceVersion": version}}) == number
