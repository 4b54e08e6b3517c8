"""Partial objects, merged as server-side apply merges them."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api import list_types
from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.batch.job import Job
from jobsworth.api.declare import ListOf, MapOf, Pointer, Scalar, Struct
from jobsworth.api.structured_merge import MergeError, atomics, check, merged

SERVER = ApiServer("1.36")


def pod(**spec: Any) -> dict[str, Any]:
    return {"spec": {"template": {"spec": spec}}}


def after(live: dict[str, Any], partial: dict[str, Any]) -> dict[str, Any]:
    """The Pod spec of a Job after a merge."""
    found: dict[str, Any] = merged(Job, live, partial)["spec"]["template"]["spec"]
    return found


def named(*names: str, **fields: Any) -> list[dict[str, Any]]:
    return [{"name": name, **fields} for name in names]


def order(live: str, partial: str) -> str:
    made = after(pod(volumes=named(*live)), pod(volumes=named(*partial)))
    return "".join(each["name"] for each in made["volumes"])


@pytest.mark.parametrize(
    ("live", "partial", "merged_order"),
    [
        ("", "ab", "ab"),
        ("ab", "", "ab"),
        ("ab", "c", "abc"),
        ("ab", "ca", "cab"),
        ("abc", "ca", "bca"),
        ("abc", "b", "abc"),
        ("abcd", "dxb", "acdxb"),
        ("abc", "xby", "axbcy"),
    ],
)
def test_the_order_of_lists_with_keys(live: str, partial: str, merged_order: str) -> None:
    assert order(live, partial) == merged_order


def test_items_with_the_same_key_are_merged_field_by_field() -> None:
    live = pod(containers=[{"name": "a", "image": "x", "env": [{"name": "A", "value": "1"}]}])
    partial = pod(containers=[{"name": "a", "env": [{"name": "B", "value": "2"}]}])
    (container,) = after(live, partial)["containers"]
    assert container["image"] == "x"
    assert [each["name"] for each in container["env"]] == ["A", "B"]


def test_a_key_with_a_default_may_be_omitted() -> None:
    live = pod(containers=[{"name": "a", "ports": [{"containerPort": 80, "protocol": "TCP"}]}])
    ports = [{"containerPort": 80, "name": "web"}, {"containerPort": 80, "protocol": "UDP"}]
    (container,) = after(live, pod(containers=[{"name": "a", "ports": ports}]))["containers"]
    assert container["ports"] == [
        {"containerPort": 80, "protocol": "TCP", "name": "web"},
        {"containerPort": 80, "protocol": "UDP"},
    ]


def test_maps_are_merged_and_atomic_values_replaced() -> None:
    live = pod(
        nodeSelector={"a": "1"},
        containers=[{"name": "a", "args": ["x"], "resources": {"limits": {"cpu": "1"}}}],
    )
    partial = pod(
        nodeSelector={"b": "2"},
        containers=[{"name": "a", "args": ["y"], "resources": {"limits": {"memory": "1Gi"}}}],
    )
    made = after(live, partial)
    assert made["nodeSelector"] == {"b": "2"}
    assert made["containers"][0]["args"] == ["y"]
    assert made["containers"][0]["resources"]["limits"] == {"cpu": "1", "memory": "1Gi"}


def test_sets_are_united() -> None:
    live = {"metadata": {"finalizers": ["a", "b"]}}
    made = merged(Job, live, {"metadata": {"finalizers": ["c", "a"]}})
    assert made["metadata"]["finalizers"] == ["c", "a", "b"]


def test_neither_object_is_changed() -> None:
    live, partial = pod(volumes=named("a")), pod(volumes=named("b"))
    after(live, partial)
    assert (live, partial) == (pod(volumes=named("a")), pod(volumes=named("b")))


@pytest.mark.parametrize(
    ("partial", "message"),
    [
        ({"spec": {"suspnd": True}}, ".spec.suspnd: field not declared in schema"),
        ({"spec": {"suspend": "yes"}}, ".spec.suspend: expected boolean, got &{yes}"),
        (
            {"spec": {"parallelism": "1"}},
            ".spec.parallelism: expected numeric (int or float), got string",
        ),
        ({"spec": []}, ".spec: expected map, got &{[]}"),
        (pod(volumes={}), ".spec.template.spec.volumes: expected list, got &{map[]}"),
        (
            {"metadata": {"labels": {"a": 1}}},
            ".metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}",
        ),
        (
            pod(containers=named("a", "a")),
            '.spec.template.spec.containers: duplicate entries for key [name="a"]',
        ),
        (
            pod(containers=[1]),
            ".spec.template.spec.containers: element 0: "
            "associative list with keys may not have non-map elements",
        ),
    ],
)
def test_errors_have_the_words_of_the_api_server(partial: dict[str, Any], message: str) -> None:
    with pytest.raises(MergeError) as raised:
        check(Job, partial, SERVER)
    assert str(raised.value) == message


def test_a_field_of_a_later_release_is_not_declared() -> None:
    partial = {"spec": {"managedBy": "example.com/c"}}
    check(Job, partial, SERVER)
    with pytest.raises(MergeError):
        check(Job, partial, ApiServer("1.29"))


def test_the_paths_of_atomic_values() -> None:
    partial = pod(
        nodeSelector={"a": "b"},
        tolerations=[{"key": "a"}],
        containers=[{"name": "a", "args": [], "env": [{"name": "b", "value": "c"}]}],
    )
    assert atomics(Job, partial) == [
        ".spec.template.spec.nodeSelector",
        ".spec.template.spec.tolerations",
        ".spec.template.spec.containers[0].args",
    ]


def test_every_type_and_field_of_the_tables_is_declared() -> None:
    structs: dict[str, Struct] = {}

    def collect(type_: Any) -> None:
        if isinstance(type_, Pointer):
            type_ = type_.target
        if isinstance(type_, (ListOf, MapOf)):
            collect(type_.item if isinstance(type_, ListOf) else type_.value)
        elif not isinstance(type_, Scalar) and type_.name not in structs:
            structs[type_.name] = type_
            for field in type_.fields.values():
                collect(field.type)

    collect(Job)
    collect(CronJob)
    of_other_kinds = {"PersistentVolumeClaimStatus"}
    fields = {*list_types.LIST_MAPS, *list_types.SETS, *list_types.ATOMIC_MAPS}
    for name, field in fields:
        assert name in of_other_kinds or field in structs[name].fields, (name, field)
    assert structs.keys() >= list_types.ATOMIC_STRUCTS
