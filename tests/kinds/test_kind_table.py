"""The table of the kinds that contain Jobs or Pod templates."""

from __future__ import annotations

import pytest

from jobsworth.kinds.children import templates_at
from jobsworth.kinds.kind_table import (
    OWNERS,
    SHIPPED,
    TEMPLATES,
    TYPES,
    UNVALIDATED_KINDS,
    EmbeddedTemplate,
    KindTable,
)
from jobsworth.lint.catalogue import CATALOGUE
from jobsworth.manifests import might_contain_job


@pytest.mark.parametrize("entry", TEMPLATES, ids=lambda entry: f"{entry.kind} {entry.path}")
def test_every_entry_is_complete(entry: EmbeddedTemplate) -> None:
    assert entry.type in TYPES
    assert entry.owner in OWNERS
    assert set(entry.ignores) <= set(CATALOGUE)
    assert not set(entry.copies) & set(entry.overwrites)


@pytest.mark.parametrize("entry", [*TEMPLATES, *UNVALIDATED_KINDS], ids=lambda entry: entry.kind)
def test_no_kind_of_the_table_is_excluded_unread(entry: EmbeddedTemplate) -> None:
    version = entry.api_version.replace("*", "v1")
    assert might_contain_job(f"apiVersion: {version}\nkind: {entry.kind}\n".encode())


def test_kinds_are_matched_by_group_and_never_by_name_alone() -> None:
    assert SHIPPED.templates_of("batch.volcano.sh/v1alpha1", "Job")
    assert not SHIPPED.templates_of("batch/v1", "Job")
    assert not SHIPPED.templates_of("example.com/v1", "ScaledJob")


def test_an_asterisk_stands_for_every_version() -> None:
    assert SHIPPED.templates_of("ray.io/v1alpha1", "RayJob") == SHIPPED.templates_of(
        "ray.io/v1", "RayJob"
    )
    assert not SHIPPED.templates_of("kubeflow.org/v2beta1", "PyTorchJob")


@pytest.mark.parametrize("odd", [None, 3, [], {}])
def test_odd_versions_and_kinds_have_no_templates(odd: object) -> None:
    assert SHIPPED.templates_of(odd, "Job") == ()
    assert SHIPPED.templates_of("v1", odd) == ()
    assert SHIPPED.unvalidated_kind(odd, odd) is None


def test_entries_of_a_configuration_replace_the_shipped_ones_of_the_kind() -> None:
    own = EmbeddedTemplate(
        api_version="keda.sh/v1", kind="ScaledJob", path="spec.job", type="JobSpec"
    )
    table = KindTable([own])
    assert table.templates_of("keda.sh/v1", "ScaledJob") == (own,)
    assert table.templates_of("keda.sh/v1alpha1", "ScaledJob") == ()


def test_an_own_entry_makes_an_unvalidated_kind_a_validated_one() -> None:
    own = EmbeddedTemplate(
        api_version="argoproj.io/*", kind="Workflow", path="spec.job", type="JobSpec"
    )
    assert KindTable([own]).unvalidated_kind("argoproj.io/v1alpha1", "Workflow") is None


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("spec.pods[*].template", ["spec.pods[0].template", "spec.pods[2].template"]),
        ("spec.roles.{*}.template", ["spec.roles.a.template", "spec.roles.b.template"]),
        ("spec.none[*].template", []),
        ("spec.pods.template", []),
        ("spec.word[*]", []),
    ],
)
def test_patterns_lead_to_every_template(pattern: str, paths: list[str]) -> None:
    value = {
        "spec": {
            "pods": [{"template": {}}, None, {"template": {}}],
            "roles": {"a": {"template": {}}, "b": {"template": {}}, 3: {"template": {}}},
            "word": "x",
        }
    }
    assert [found.path for found in templates_at(value, pattern)] == paths
