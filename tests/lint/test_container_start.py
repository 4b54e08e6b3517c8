"""The model of a container's start, which the rules on scripts and command lines ask."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.lint.container_start import ContainerStart, container_starts
from jobsworth.lint.usual_images import family_of


def started(container: dict[str, Any], pod: dict[str, Any] | None = None) -> ContainerStart:
    (start,) = container_starts([("spec.template.spec.containers[0]", container)], pod or {})
    return start


@pytest.mark.parametrize(
    ("container", "program", "implied", "field"),
    [
        ({"image": "restic/restic:0.18.0", "args": ["forget"]}, "restic", 1, "args[0]"),
        (
            {"image": "docker.io/restic/restic", "args": ["restic", "forget"]},
            "restic",
            0,
            "args[0]",
        ),
        (
            {"image": "ghcr.io/rclone/rclone:1.7", "args": ["sync", "a", "b"]},
            "rclone",
            1,
            "args[0]",
        ),
        ({"image": "restic/restic", "command": ["sh"], "args": ["-c", "a"]}, "sh", 0, "args[1]"),
        ({"image": "acme/work", "args": ["forget"]}, "forget", 0, "args[0]"),
        ({"image": "restic/restic"}, "", 0, "args[0]"),
    ],
)
def test_the_arguments_of_a_usual_image_follow_its_entrypoint(
    container: dict[str, Any], program: str, implied: int, field: str
) -> None:
    start = started(container)
    assert (start.line.program, start.line.implied) == (program, implied)
    assert start.field.removeprefix(f"{start.path}.") == field


def test_the_innermost_mount_holds_a_path() -> None:
    outer, inner = {"name": "a", "mountPath": "/a"}, {"name": "b", "mountPath": "/a/b/"}
    start = started({"volumeMounts": [inner, outer]})
    assert start.place("/a/b/c").mount == inner
    assert start.place("/a/bc").mount == outer
    assert start.place("/b").of_image


@pytest.mark.parametrize(
    ("volume", "mount", "read_only", "lost", "kept"),
    [
        ({"emptyDir": {}}, {}, False, True, False),
        ({"persistentVolumeClaim": {"claimName": "a"}}, {}, False, False, True),
        ({"persistentVolumeClaim": {"claimName": "a"}}, {"readOnly": True}, True, False, True),
        ({"configMap": {"name": "a", "defaultMode": 420}}, {}, True, False, False),
        ({"hostPath": {"path": "/srv"}}, {}, False, False, True),
    ],
)
def test_a_place_tells_if_files_can_be_written_and_stay(
    volume: dict[str, Any], mount: dict[str, Any], read_only: bool, lost: bool, kept: bool
) -> None:
    container = {"volumeMounts": [{"name": "v", "mountPath": "/v", **mount}]}
    place = started(container, {"volumes": [{"name": "v", **volume}]}).place("/v/file")
    assert (bool(place.read_only), place.lost, place.kept) == (read_only, lost, kept)


def test_the_mode_of_a_file_is_that_of_its_item_or_the_default() -> None:
    secret = {"secretName": "s", "defaultMode": 0o644, "items": [{"path": "key", "mode": 0o400}]}
    pod = {"volumes": [{"name": "v", "secret": secret}]}
    start = started({"volumeMounts": [{"name": "v", "mountPath": "/keys"}]}, pod)
    assert start.mode("/keys/key") == (0o400, "the mode of its item")
    assert start.mode("/keys/other") == (0o644, "defaultMode")
    assert start.mode("/tmp/key") is None


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("PLAIN", "value"),
        ("BLANK", "empty"),
        ("SECRET", "reference"),
        ("MAYBE", "optional"),
        ("HOME", "unknown"),
        ("DB_SERVICE_HOST", "unknown"),
        ("OTHER", ""),
    ],
)
def test_a_variable_has_a_source(name: str, source: str) -> None:
    reference = {"name": "s", "key": "k"}
    environment = [
        {"name": "PLAIN", "value": "a"},
        {"name": "BLANK", "value": ""},
        {"name": "SECRET", "valueFrom": {"secretKeyRef": reference}},
        {"name": "MAYBE", "valueFrom": {"configMapKeyRef": {**reference, "optional": True}}},
    ]
    assert started({"env": environment}).source_of_variable(name) == source


def test_the_context_of_the_container_overrides_that_of_the_pod() -> None:
    pod = {"securityContext": {"runAsUser": 1000, "fsGroup": 2000}}
    assert started({}, pod).user == 1000
    assert started({"securityContext": {"runAsUser": 0}}, pod).user == 0
    assert started({}, pod).group_of_volumes == 2000
    assert started({}).user is None


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("alpine:3.20", "Alpine"),
        ("docker.io/library/busybox:1.36", "busybox"),
        ("python:3.12-slim", "Debian or Ubuntu"),
        ("python:3.12-alpine", "Alpine"),
        ("postgres:16", "Debian or Ubuntu"),
        ("postgres:16-alpine", None),
        ("mysql:8.4", "Red Hat"),
        ("mysql:8.0-debian", "Debian or Ubuntu"),
        ("gcr.io/distroless/static:nonroot", "no base image"),
        ("gcr.io/distroless/static:debug", None),
        ("registry.access.redhat.com/ubi9/ubi-minimal:9.4", "Red Hat"),
        ("acme/alpine:3", None),
        ("registry.example.com/python:3.12", None),
    ],
)
def test_an_image_belongs_to_a_family(image: str, name: str | None) -> None:
    family = family_of(image)
    assert (family.name if family else None) == name
