"""JobSet's CRD, webhooks and controller agree with the verdict, and with the Jobs that are predicted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cluster import programs
from cluster.available_beds import bed_or_skip
from cluster.programs import NEWEST, MissingProgram
from jobsworth.api.declare import ListOf, Pointer, Struct
from jobsworth.api.jobset.definition import DEFAULTS, LIST_MAPS, OWN, SETS, required_fields
from jobsworth.api.jobset.job_set import JobSet, TemplateMeta
from jobsworth.api.jobset.versions import NEWEST as NEWEST_JOB_SET
from jobsworth.api.jobset.versions import go_types

if TYPE_CHECKING:
    from cluster.bed import TestBed
    from cluster.jobset_manager import JobSetManager

SEED = 20_000


@pytest.fixture(scope="module")
def crd() -> dict[str, Any]:
    """Return the schema of the CRD that was installed with the manager."""
    try:
        path = programs.find("jobset").parent / "crd.yaml"
    except MissingProgram as missing:
        pytest.skip(str(missing))
    crd = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    schema: dict[str, Any] = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema


@pytest.fixture(scope="module")
def managed() -> Iterator[tuple[TestBed, JobSetManager]]:
    """Return a bed of its own with JobSet's manager: its webhooks would delay the others."""
    from cluster.jobset_manager import JobSetManager

    with bed_or_skip(NEWEST) as bed:
        try:
            manager = JobSetManager(bed)
        except MissingProgram as missing:
            pytest.skip(str(missing))
        with manager:
            yield bed, manager


def test_random_job_sets_and_their_jobs_agree(managed: tuple[TestBed, JobSetManager]) -> None:
    from cluster.job_set_recording import ask, compare

    counts, differences = compare(ask(*managed, creates=200, updates=100, seed=SEED))
    assert not differences, "\n".join(differences[:10])
    assert counts["create 201"] > 30
    assert counts["create 422"] > 60
    assert counts["Jobs"] > 30
    assert counts["update 422"] > 20


def test_declarations_say_what_the_crd_says(crd: dict[str, Any]) -> None:
    server = go_types(NEWEST_JOB_SET)
    differences = []

    def walk(struct: Struct, schema: dict[str, Any], path: str) -> None:
        if struct.name == "ObjectMeta":
            if not path.startswith("spec"):
                return  # the API server knows the metadata of the object itself
            struct = TemplateMeta
        properties = schema.get("properties", {})
        fields = {
            name: field
            for name, field in struct.fields.items()
            if server.knows(field.since, field.until)
        }
        required = set(required_fields(struct, NEWEST_JOB_SET)) & fields.keys()
        for what, declared, published in (
            ("fields", fields.keys(), properties.keys()),
            ("required", required, set(schema.get("required", ()))),
        ):
            if declared != published:
                differences.append((path, what, declared ^ published))
        for name in fields.keys() & properties.keys():
            field, published = fields[name], properties[name]
            kind = field.type.target if isinstance(field.type, Pointer) else field.type
            place = struct.name, name
            own = struct.name in OWN
            default = field.default if own else DEFAULTS.get(struct.name, {}).get(name)
            list_type = published.get("x-kubernetes-list-type")
            facts = {
                "default": (default, published.get("default")),
                "keys": (
                    LIST_MAPS.get(place, ()),
                    tuple(published.get("x-kubernetes-list-map-keys", ())),
                ),
                "set": (place in SETS, list_type == "set"),
                "enum": (field.enum if own else (), tuple(published.get("enum", ()))),
                "max_items": (field.max_items if own else None, published.get("maxItems")),
            }
            below = f"{path}.{name}" if path else name
            if not below.startswith("status"):
                differences.extend(
                    (below, what, both) for what, both in facts.items() if both[0] != both[1]
                )
            if isinstance(kind, Struct):
                walk(kind, published, below)
            elif isinstance(kind, ListOf) and isinstance(kind.item, Struct):
                walk(kind.item, published["items"], below)

    walk(JobSet, crd, "")
    assert not differences
