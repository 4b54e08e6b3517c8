"""The ConfigMap with the last good version of each policy."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("cryptography")

from jobsworth.certificates.last_good_policies import (
    LastGoodPolicies,
    bounded,
    desired,
)
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import APPLY, MERGE, Api
from jobsworth.policy.effective_policies import EffectivePolicies, PolicyVersion, effective
from support.policy.policy_requests import document

PATH = "/api/v1/namespaces/jobsworth/configmaps/last-good"


def version(name: str, maximum: int = 3, part: str = "maximum") -> PolicyVersion:
    return PolicyVersion(f"{name}.yaml", document(name, limits={"backoffLimit": {part: maximum}}))


class ConfigMapApi(Api):
    """An API server with one ConfigMap.

    Attributes:
        data: its data; None if it does not exist.
        writes: the number of writes.
        meanwhile: True if another client writes before the next write.
    """

    def __init__(self, data: Mapping[str, str] | None = None) -> None:
        self.data = None if data is None else dict(data)
        self.version = 1
        self.writes = 0
        self.meanwhile = False

    def request(self, method: str, path: str, body: Any = None, **how: Any) -> dict[str, Any]:
        assert path == PATH
        if method == "GET" and self.data is None:
            raise ApiError(404, "NotFound", "not found")
        if method == "PATCH":
            self._patch(body, how["content_type"])
        found: dict[str, Any] = {"metadata": {"resourceVersion": str(self.version)}}
        if self.data:
            found["data"] = dict(self.data)
        return found

    def _patch(self, body: Any, content_type: str) -> None:
        if content_type == APPLY:
            assert body["kind"] == "ConfigMap"
            assert body["metadata"] == {"name": "last-good", "namespace": "jobsworth"}
            self.data = self.data or {}
            return
        assert content_type == MERGE
        if self.meanwhile or body["metadata"]["resourceVersion"] != str(self.version):
            raise ApiError(409, "Conflict", "the object has been modified")
        assert self.data is not None
        for name, text in body["data"].items():
            if text is None:
                del self.data[name]
            else:
                self.data[name] = text
        self.version += 1
        self.writes += 1


class Leader:
    def __init__(self, api: ConfigMapApi) -> None:
        self.policies: EffectivePolicies | None = None
        self._store = LastGoodPolicies(api, "jobsworth", "last-good", lambda: self.policies)

    def sees(self, *found: PolicyVersion) -> None:
        before = {} if self.policies is None else self.policies.versions
        loaded = effective(found, before)
        errors = tuple(map(str, loaded.problems))
        self.policies = EffectivePolicies(
            policies=loaded.policies, versions=loaded.versions, broken=loaded.broken, errors=errors
        )
        self._store.reconcile()


def test_versions_are_written_once_and_deleted_with_their_policy() -> None:
    api = ConfigMapApi()
    leader = Leader(api)
    a, b = version("a"), version("b")
    leader.sees(a, b)
    assert api.data == {"a": a.to_json(), "b": b.to_json()}
    leader.sees(a, b)
    assert api.writes == 1
    leader.sees(b)
    assert api.data == {"b": b.to_json()}


def test_a_broken_policy_keeps_the_stored_version() -> None:
    newer = version("a", 7)
    api = ConfigMapApi({"a": newer.to_json()})  # of a leader that has seen more
    leader = Leader(api)
    leader.sees(version("a", part="maximun"), version("b"))
    assert api.data == {"a": newer.to_json(), "b": version("b").to_json()}
    leader.sees(version("a", 9), version("b"))
    assert api.data == {"a": version("a", 9).to_json(), "b": version("b").to_json()}


def test_a_policy_that_was_never_valid_is_not_stored() -> None:
    api = ConfigMapApi({})
    Leader(api).sees(version("a", part="maximun"))
    assert api.data == {}


def test_policies_that_could_not_be_read_change_nothing() -> None:
    api = ConfigMapApi({"a": "x"})
    LastGoodPolicies(api, "jobsworth", "last-good", lambda: None).reconcile()
    assert api.data == {"a": "x"}


def test_a_conflict_is_raised() -> None:
    api = ConfigMapApi({})
    api.meanwhile = True
    with pytest.raises(ApiError) as raised:
        Leader(api).sees(version("a"))
    assert raised.value.conflict


def test_what_does_not_fit_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    api = ConfigMapApi({})
    leader = Leader(api)
    annotations = {f"example.com/{number}": {"value": "x" * 4096} for number in range(256)}
    huge = PolicyVersion("huge.yaml", document("huge", defaults={"annotations": annotations}))
    with caplog.at_level(logging.ERROR, "jobsworth.certificates"):
        leader.sees(huge, version("a"))
        leader.sees(huge, version("a"))
    assert api.data is not None
    assert set(api.data) == {"a"}
    (record,) = caplog.records
    assert "cannot store the last valid version of huge" in record.message


def test_stored_versions_have_a_bounded_size() -> None:
    kept, omitted = bounded({"a": "x" * 600_000, "b": "x" * 500_000, "c": "ü" * 100})
    assert (set(kept), omitted) == ({"b", "c"}, ("a",))


def test_nothing_is_deleted_while_there_are_errors() -> None:
    policies = effective([version("a", part="maximun")], {})
    broken = EffectivePolicies(policies=policies.policies, broken=policies.broken, errors=("x",))
    assert desired({"b": "stored"}, broken) == {"b": "stored"}
    assert desired({"b": "stored"}, policies) == {}
