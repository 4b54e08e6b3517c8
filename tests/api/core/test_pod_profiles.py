"""Seccomp and AppArmor profiles in annotations."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import Errors, invalid, template_errors

SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_MAIN = "container.seccomp.security.alpha.kubernetes.io/main"
APP_ARMOR_MAIN = "container.apparmor.security.beta.kubernetes.io/main"
SECCOMP_TYPE = "Forbidden: seccomp type in annotation and field must match"
APP_ARMOR_TYPE = "Forbidden: apparmor type in annotation and field must match"


def pod_with(context: dict[str, Any]) -> dict[str, Any]:
    """A Pod whose container has this security context."""
    return {"containers": [{"name": "main", "image": "a", "securityContext": context}]}


@pytest.mark.parametrize("key", [SECCOMP, SECCOMP_MAIN])
@pytest.mark.parametrize(
    ("value", "details"),
    [
        ("runtime/default", []),
        ("docker/default", []),
        ("unconfined", []),
        ("localhost/profiles/a.json", []),
        ("RuntimeDefault", [("RuntimeDefault", "must be a valid seccomp profile")]),
        (
            "localhost//../a",
            [("/../a", "must be a relative path"), ("/../a", "must not contain '..'")],
        ),
    ],
)
def test_a_seccomp_annotation_names_a_profile(
    key: str, value: str, details: list[tuple[str, str]]
) -> None:
    assert template_errors({"annotations": {key: value}}) == {
        (f"annotations.{key}", invalid(bad, detail)) for bad, detail in details
    }


@pytest.mark.parametrize(
    ("value", "details"),
    [
        ("", []),
        ("runtime/default", []),
        ("unconfined", []),
        ("localhost/profile", []),
        ("profile", [("profile", 'invalid AppArmor profile name: "profile"')]),
    ],
)
def test_an_app_armor_annotation_names_a_profile(
    value: str, details: list[tuple[str, str]]
) -> None:
    assert template_errors({"annotations": {APP_ARMOR_MAIN: value}}) == {
        (f"annotations[{APP_ARMOR_MAIN}]", invalid(bad, detail)) for bad, detail in details
    }


def test_an_app_armor_annotation_is_about_a_container_that_is_there() -> None:
    key = APP_ARMOR_MAIN.replace("main", "other")
    metadata = {"annotations": {key: "unconfined"}}
    assert template_errors(metadata) == {
        (f"annotations[{key}]", invalid("other", "container not found"))
    }
    init = {"initContainers": [{"name": "other", "image": "a"}]}
    assert template_errors(metadata, init) == set()


@pytest.mark.parametrize(
    ("annotation", "profile", "errors"),
    [
        ("runtime/default", {"type": "RuntimeDefault"}, set()),
        ("docker/default", {"type": "RuntimeDefault"}, set()),
        ("unconfined", {"type": "RuntimeDefault"}, {("type", SECCOMP_TYPE)}),
        ("runtime/default", {"type": "Unconfined"}, {("type", SECCOMP_TYPE)}),
        ("localhost/a", {"type": "Localhost", "localhostProfile": "a"}, set()),
        (
            "localhost/a",
            {"type": "Localhost", "localhostProfile": "b"},
            {
                (
                    "localhostProfile",
                    "Forbidden: seccomp profile in annotation and field must match",
                )
            },
        ),
        (
            "unconfined",
            {"type": "Localhost", "localhostProfile": "b"},
            {("type", SECCOMP_TYPE)},
        ),
    ],
)
def test_seccomp_annotations_and_fields_must_agree(
    annotation: str, profile: dict[str, str], errors: Errors
) -> None:
    context = {"seccompProfile": profile}
    of_pod = template_errors({"annotations": {SECCOMP: annotation}}, {"securityContext": context})
    of_container = template_errors({"annotations": {SECCOMP_MAIN: annotation}}, pod_with(context))
    at = "securityContext.seccompProfile."
    assert of_pod == {(f"spec.{at}{field}", message) for field, message in errors}
    assert of_container == {
        (f"spec.containers[0].{at}{field}", message) for field, message in errors
    }


@pytest.mark.parametrize(
    ("pod", "errors"),
    [
        ({}, set()),
        (pod_with({"appArmorProfile": {"type": "Unconfined"}}), set()),
        (pod_with({"appArmorProfile": {"type": "RuntimeDefault"}}), {("type", APP_ARMOR_TYPE)}),
        (
            {
                **pod_with({"appArmorProfile": {"type": "Unconfined"}}),
                "securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}},
            },
            set(),
        ),
        (
            {"securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}}},
            {("type", APP_ARMOR_TYPE)},
        ),
    ],
    ids=["no field", "same", "other", "container before pod", "pod for container"],
)
def test_app_armor_annotations_and_fields_must_agree(pod: dict[str, Any], errors: Errors) -> None:
    at = "spec.containers[0].securityContext.appArmorProfile."
    assert template_errors({"annotations": {APP_ARMOR_MAIN: "unconfined"}}, pod) == {
        (at + field, message) for field, message in errors
    }


def test_app_armor_profiles_of_the_node_have_the_same_name() -> None:
    profile = {"type": "Localhost", "localhostProfile": "a"}
    pod = pod_with({"appArmorProfile": profile})
    assert template_errors({"annotations": {APP_ARMOR_MAIN: "localhost/a"}}, pod) == set()
    assert template_errors({"annotations": {APP_ARMOR_MAIN: "localhost/b"}}, pod) == {
        (
            "spec.containers[0].securityContext.appArmorProfile.localhostProfile",
            "Forbidden: apparmor profile in annotation and field must match",
        )
    }
