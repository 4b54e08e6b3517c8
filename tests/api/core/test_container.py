"""Containers, init containers and ephemeral containers by themselves."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import pod_errors
from support.validation.validated_containers import (
    INIT,
    MAIN,
    SIDECAR,
    Errors,
    container_errors,
    init_container_errors,
    stored_container,
)

HOOK = {"exec": {"command": ["true"]}}
PARTS = {
    "lifecycle": {"preStop": HOOK},
    "livenessProbe": HOOK,
    "readinessProbe": HOOK,
    "startupProbe": HOOK,
}
NOT_ALLOWED = "ephemeral containers not allowed in pod template"


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        ({"name": "a" * 63}, {}),
        ({"name": ""}, {"name": "Required value"}),
        ({"name": "a.b"}, {"name": 'Invalid value: "a.b": must not contain dots'}),
        ({"image": ""}, {"image": "Required value"}),
        ({"image": " "}, {}),
        ({"terminationMessagePolicy": "FallbackToLogsOnError"}, {}),
        (
            {"terminationMessagePolicy": "file"},
            {
                "terminationMessagePolicy": 'Unsupported value: "file": supported values: '
                '"File", "FallbackToLogsOnError"'
            },
        ),
    ],
)
def test_a_container_has_a_name_and_an_image(change: dict[str, Any], errors: Errors) -> None:
    assert container_errors(change) == errors
    assert init_container_errors({**INIT, **change}) == errors


def test_defaults_of_containers() -> None:
    assert stored_container({"image": "busybox", "stdin": False, "args": []}) == {
        "name": "main",
        "image": "busybox",
        "imagePullPolicy": "Always",
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "resources": {},
    }


@pytest.mark.parametrize("field", PARTS)
def test_of_init_containers_only_sidecars_have_probes_and_hooks(field: str) -> None:
    part = {field: PARTS[field]}
    assert container_errors(part) == {}
    assert init_container_errors({**SIDECAR, **part}) == {}
    message = "Forbidden: may not be set for init containers without restartPolicy=Always"
    assert init_container_errors({**INIT, **part}) == {field: message}


def test_parts_that_an_init_container_may_not_have_are_not_validated() -> None:
    broken: dict[str, Any] = {field: {"exec": {}} for field in PARTS}
    assert set(init_container_errors({**INIT, **broken, "lifecycle": {}})) == set(PARTS)
    sidecar = init_container_errors({**SIDECAR, **broken, "lifecycle": {}})
    assert set(sidecar) == {f"{probe}.exec.command" for probe in PARTS if probe != "lifecycle"}


@pytest.mark.parametrize(
    ("container", "errors"),
    [
        ({}, {}),
        ({"volumeMounts": [{"name": "data", "mountPath": "/data"}], "stdin": True}, {}),
        (
            {"image": "busybox "},
            {"image": 'Invalid value: "busybox ": must not have leading or trailing whitespace'},
        ),
        ({"targetContainerName": "main"}, {}),
        ({"targetContainerName": "other"}, {"targetContainerName": 'Not found: "other"'}),
        ({"name": "main"}, {"name": 'Duplicate value: "main"'}),
        *(
            ({field: value}, {field: "Forbidden: cannot be set for an Ephemeral Container"})
            for field, value in {
                **PARTS,
                "ports": [{"containerPort": 80}],
                "resources": {"limits": {"cpu": "1"}},
                "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
                "restartPolicy": "Always",
                "restartPolicyRules": [{}],
            }.items()
        ),
        *(
            (
                {"volumeMounts": [{"name": "data", "mountPath": "/data", field: "a"}]},
                {f"volumeMounts[0].{field}": "Forbidden: cannot be set for an Ephemeral Container"},
            )
            for field in ("subPath", "subPathExpr")
        ),
    ],
)
def test_a_template_has_no_ephemeral_containers(container: dict[str, Any], errors: Errors) -> None:
    pod = {
        "containers": [MAIN],
        "volumes": [{"name": "data"}],
        "ephemeralContainers": [{"name": "debugger", "image": "busybox", **container}],
    }
    expected = {(f"ephemeralContainers[0].{field}", errors[field]) for field in errors}
    expected.add(("ephemeralContainers", f"Forbidden: {NOT_ALLOWED}"))
    assert pod_errors(pod) == expected
