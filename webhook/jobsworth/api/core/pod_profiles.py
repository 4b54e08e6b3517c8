"""Seccomp and AppArmor profiles in the annotations that preceded the fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.pod_template import PodTemplateSpec, every_container
from jobsworth.api.core.security import descending_path
from jobsworth.api.field_errors import FieldError, forbidden, invalid, quoted
from jobsworth.api.validation_request import Request

SECCOMP_POD_ANNOTATION = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER_PREFIX = "container.seccomp.security.alpha.kubernetes.io/"
APP_ARMOR_PREFIX = "container.apparmor.security.beta.kubernetes.io/"

LOCALHOST_PREFIX = "localhost/"
# The annotation values for the field values RuntimeDefault and Unconfined.
_APP_ARMOR_VALUES: dict[str, tuple[str, ...]] = {
    "RuntimeDefault": ("runtime/default",),
    "Unconfined": ("unconfined",),
}
_SECCOMP_VALUES: dict[str, tuple[str, ...]] = {
    "RuntimeDefault": ("runtime/default", "docker/default"),
    "Unconfined": ("unconfined",),
}


@PodTemplateSpec.rule
def _annotations(template: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    annotations = template["metadata"].get("annotations")
    if annotations is None:
        return
    at = f"{path}.annotations"
    names = {container.get("name", "") for container, _ in every_container(template["spec"], "")}
    for key, value in annotations.items():
        if key == SECCOMP_POD_ANNOTATION or key.startswith(SECCOMP_CONTAINER_PREFIX):
            yield from _check_seccomp(value, f"{at}.{key}")
        elif key.startswith(APP_ARMOR_PREFIX):
            yield from _check_app_armor(key, value, names, f"{at}[{key}]")


def _check_seccomp(value: str, path: str) -> Iterator[FieldError]:
    if value.startswith(LOCALHOST_PREFIX):
        profile = value.removeprefix(LOCALHOST_PREFIX)
        for detail in descending_path(profile):
            yield invalid(path, profile, detail)
    elif not any(value in values for values in _SECCOMP_VALUES.values()):
        yield invalid(path, value, "must be a valid seccomp profile")


def _check_app_armor(key: str, value: str, names: set[str], path: str) -> Iterator[FieldError]:
    name = key.removeprefix(APP_ARMOR_PREFIX)
    if name not in names:
        yield invalid(path, name, "container not found")
    known = not value or any(value in values for values in _APP_ARMOR_VALUES.values())
    if not known and not value.startswith(LOCALHOST_PREFIX):
        yield invalid(path, value, f"invalid AppArmor profile name: {quoted(value)}")


@PodTemplateSpec.rule
def _seccomp_twice(template: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    annotations, pod = template["metadata"].get("annotations"), template["spec"]
    if annotations is None:
        return
    holders = [(SECCOMP_POD_ANNOTATION, pod, f"{path}.spec")]
    for container, at in every_container(pod, f"{path}.spec"):
        holders.append((SECCOMP_CONTAINER_PREFIX + container.get("name", ""), container, at))
    for key, holder, at in holders:
        profile = _profile(holder, "seccompProfile")
        if profile is not None and key in annotations:
            field = f"{at}.securityContext.seccompProfile"
            yield from _compare(annotations[key], profile, field, "seccomp", _SECCOMP_VALUES)


@PodTemplateSpec.rule
def _app_armor_twice(template: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    annotations, pod = template["metadata"].get("annotations"), template["spec"]
    if annotations is None or pod.get("os", {}).get("name") == "windows":
        return
    for container, at in every_container(pod, f"{path}.spec"):
        key = APP_ARMOR_PREFIX + container.get("name", "")
        own, of_pod = _profile(container, "appArmorProfile"), _profile(pod, "appArmorProfile")
        profile = of_pod if own is None else own
        if profile is not None and key in annotations:
            field = f"{at}.securityContext.appArmorProfile"
            yield from _compare(annotations[key], profile, field, "apparmor", _APP_ARMOR_VALUES)


def _profile(holder: dict[str, Any], field: str) -> dict[str, Any] | None:
    profile: dict[str, Any] | None = holder.get("securityContext", {}).get(field)
    return profile


def _compare(
    annotation: str,
    profile: dict[str, Any],
    path: str,
    kind: str,
    values: dict[str, tuple[str, ...]],
) -> Iterator[FieldError]:
    """Require that an annotation matches the field at this path."""
    type_ = profile.get("type", "")
    if type_ == "Localhost":
        if not annotation.startswith(LOCALHOST_PREFIX):
            yield forbidden(f"{path}.type", f"{kind} type in annotation and field must match")
        elif annotation.removeprefix(LOCALHOST_PREFIX) != profile.get("localhostProfile"):
            yield forbidden(
                f"{path}.localhostProfile", f"{kind} profile in annotation and field must match"
            )
    elif type_ in values and annotation not in values[type_]:
        yield forbidden(f"{path}.type", f"{kind} type in annotation and field must match")
