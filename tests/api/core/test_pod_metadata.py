"""Labels and annotations of a Pod template."""

from __future__ import annotations

from typing import Any

import pytest

from kube_cel.formats.names import label_key, label_value
from support.validation.engine_errors import (
    Errors,
    defaulted,
    errors_of,
    invalid,
    job_with,
    server,
    template_errors,
)

COST = "controller.kubernetes.io/pod-deletion-cost"
MIRROR = "kubernetes.io/config.mirror"
TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"


@pytest.mark.parametrize(
    ("metadata", "errors"),
    [
        ({"labels": {"app": "a"}, "annotations": {"Example.com/x": "-any value-"}}, set()),
        # Templates are not validated for what only stored objects have.
        ({"name": "Not A Name", "finalizers": ["x"], "ownerReferences": [{}]}, set()),
        ({"labels": {"app": "-"}}, {("labels", invalid("-", label_value("-")[0]))}),
        ({"labels": {"-": "a"}}, {("labels", invalid("-", label_key("-")[0]))}),
        ({"annotations": {"-": ""}}, {("annotations", invalid("-", label_key("-")[0]))}),
        (
            {"annotations": {"a": "x" * 262144}},
            {("annotations", "Too long: may not be more than 262144 bytes")},
        ),
        (
            {"annotations": {MIRROR: "x"}},
            {
                (
                    f"annotations[{MIRROR}]",
                    invalid("x", "must set spec.nodeName if mirror pod annotation is set"),
                )
            },
        ),
    ],
)
def test_labels_and_annotations_are_validated(metadata: dict[str, Any], errors: Errors) -> None:
    # The Job takes the labels of its template, and they are validated there as well.
    found = {error for error in template_errors(metadata) if not error[0].startswith("metadata")}
    assert found == errors


def test_a_mirror_pod_has_a_node() -> None:
    assert template_errors({"annotations": {MIRROR: ""}}, {"nodeName": "node-1"}) == set()


@pytest.mark.parametrize("cost", ["0", "-1", "2147483647", "-2147483648", "-007"])
def test_a_deletion_cost_is_an_integer(cost: str) -> None:
    assert template_errors({"annotations": {COST: cost}}) == set()


@pytest.mark.parametrize("cost", ["", "+1", "01", "a", "1.0", "-", "2147483648", "-2147483649"])
def test_an_invalid_deletion_cost_is_reported(cost: str) -> None:
    metadata = {"annotations": {COST: cost}}
    errors = {(f"annotations[{COST}]", invalid(cost, "must be a 32bit integer"))}
    assert template_errors(metadata) == errors
    assert template_errors(metadata, at=server(gates={"PodDeletionCost": False})) == set()


def test_a_stored_template_may_keep_its_malformed_deletion_cost() -> None:
    def job(cost: str) -> dict[str, Any]:
        return job_with(metadata={"annotations": {COST: cost}})

    assert errors_of(job("a"), job("a")) == set()
    field = f"spec.template.annotations[{COST}]"
    assert field in {path for path, _ in errors_of(job("a"), job("1"))}


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("", set()),
        ('[{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}]', set()),
        (
            "{}",
            {
                (
                    "annotations",
                    invalid(
                        TOLERATIONS,
                        "json: cannot unmarshal object into Go value of type []core.Toleration",
                    ),
                )
            },
        ),
        (
            '[{"key": "-", "effect": "x"}, {"operator": "in"}]',
            {
                (f"annotations.{TOLERATIONS}[0].key", invalid("-", label_key("-")[0])),
                (
                    f"annotations.{TOLERATIONS}[0].effect",
                    'Unsupported value: "x": '
                    'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
                ),
                (
                    f"annotations.{TOLERATIONS}[1].operator",
                    invalid(
                        "in",
                        "operator must be Exists when `key` is empty, "
                        'which means "match all values and all keys"',
                    ),
                ),
                (
                    f"annotations.{TOLERATIONS}[1].operator",
                    'Unsupported value: "in": supported values: "Equal", "Exists"',
                ),
            },
        ),
    ],
)
def test_tolerations_in_an_annotation_are_validated_as_others_are(
    text: str, errors: Errors
) -> None:
    assert template_errors({"annotations": {TOLERATIONS: text}}) == errors


@pytest.mark.parametrize("stage", ["alpha", "beta"])
@pytest.mark.parametrize("name", ["init-containers", "init-container-statuses"])
def test_init_containers_in_annotations_are_thrown_away(stage: str, name: str) -> None:
    key = f"pod.{stage}.kubernetes.io/{name}"
    for given, kept in (({key: "[]"}, {}), ({key: "[]", "a": "b"}, {"a": "b"})):
        job = job_with(metadata={"annotations": given})
        template = defaulted(job)["spec"]["template"]
        assert template["metadata"].get("annotations", {}) == kept


def test_times_are_kept_in_utc_and_whole_seconds() -> None:
    job = job_with(metadata={"deletionTimestamp": "2026-01-31T09:00:00.5+02:00"})
    metadata = defaulted(job)["spec"]["template"]["metadata"]
    assert metadata["deletionTimestamp"] == "2026-01-31T07:00:00Z"
