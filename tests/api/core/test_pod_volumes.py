"""The volumes of a Pod together."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import defaulted_pod, server
from support.validation.validated_volumes import Errors, pod_spec_errors

DUPLICATE = 'Duplicate value: "a"'
FAULTY = {"name": "a", "secret": {}}
MOUNTS = [{"name": "main", "image": "b", "volumeMounts": [{"name": "a", "mountPath": "/a"}]}]


@pytest.mark.parametrize(
    ("volumes", "errors"),
    [
        ([{"name": "a"}, {"name": "b"}], {}),
        ([{"name": "a"}, {"name": "a"}, {"name": "a"}], {1: DUPLICATE, 2: DUPLICATE}),
        ([FAULTY, {"name": "a"}], {}),
        ([FAULTY, {"name": "a"}, {"name": "a"}], {2: DUPLICATE}),
    ],
    ids=["different", "same", "a-faulty-one-takes-no-name", "but-the-next-one-does"],
)
def test_names_are_unique(volumes: list[dict[str, Any]], errors: dict[int, str]) -> None:
    found: Errors = pod_spec_errors({"volumes": volumes})
    found.pop("volumes[0].secret.secretName", None)
    assert found == {f"volumes[{index}].name": errors[index] for index in errors}


def test_a_faulty_volume_cannot_be_mounted() -> None:
    assert pod_spec_errors({"volumes": [FAULTY], "containers": MOUNTS}) == {
        "volumes[0].secret.secretName": "Required value",
        "containers[0].volumeMounts[0].name": 'Not found: "a"',
    }


def test_images_are_dropped_without_their_gate() -> None:
    image = {"name": "a", "image": {"reference": "busybox"}}
    pod = {"volumes": [image, {"name": "b"}], "containers": MOUNTS}
    with_gate, without = defaulted_pod(pod), defaulted_pod(pod, at=server("1.34"))
    assert [volume["name"] for volume in with_gate["volumes"]] == ["a", "b"]
    assert without["volumes"] == [{"name": "b", "emptyDir": {}}]
    assert "volumeMounts" in with_gate["containers"][0]
    assert "volumeMounts" not in without["containers"][0]


def test_dropped_images_are_not_validated() -> None:
    pod = {"volumes": [{"name": "a", "image": {"pullPolicy": "Often"}}]}
    assert pod_spec_errors(pod, at=server("1.34")) == {}
    assert list(pod_spec_errors(pod)) == ["volumes[0].image.pullPolicy"]
