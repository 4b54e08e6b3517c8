"""Environment variables and the sources of their values (``core/v1``).

Source: ``ValidateEnv`` and ``ValidateEnvFrom`` in ``pkg/apis/core/validation``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.downward_api import check_object_field, check_resource_field
from jobsworth.api.core.paths import without_backsteps
from jobsworth.api.core.references import ObjectFieldSelector, ResourceFieldSelector
from jobsworth.api.declare import Boolean, Field, Pointer, String, Struct
from jobsworth.api.field_errors import FieldError, invalid, not_found
from jobsworth.api.formats.keys import config_map_key, env_var_name, relaxed_env_var_name
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import as_prefix, dns_label, dns_subdomain

FIELD_PATHS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
"""The Pod fields for variables, except single labels and annotations."""


def prefix_of_object_name(text: str) -> list[str]:
    """Validate the name of an object as a prefix: it may end with a dash."""
    return dns_subdomain(as_prefix(text))


ConfigMapEnvSource = Struct(
    "ConfigMapEnvSource",
    "A ConfigMap; every key becomes a variable.",
    name=Field(String, required=True, format=prefix_of_object_name),
    optional=Field(Pointer(Boolean)),
)

SecretEnvSource = Struct(
    "SecretEnvSource",
    "A Secret; every key becomes a variable.",
    name=Field(String, required=True, format=prefix_of_object_name),
    optional=Field(Pointer(Boolean)),
)

EnvFromSource = Struct(
    "EnvFromSource",
    "Variables from all the keys of a ConfigMap or Secret.",
    prefix=Field(String),
    configMapRef=Field(Pointer(ConfigMapEnvSource)),
    secretRef=Field(Pointer(SecretEnvSource)),
)

ConfigMapKeySelector = Struct(
    "ConfigMapKeySelector",
    "One key of a ConfigMap.",
    name=Field(String, format=dns_subdomain, validate_empty=True),
    key=Field(String, always=True, required=True, format=config_map_key),
    optional=Field(Pointer(Boolean)),
)

SecretKeySelector = Struct(
    "SecretKeySelector",
    "One key of a Secret.",
    name=Field(String, format=dns_subdomain, validate_empty=True),
    key=Field(String, always=True, required=True, format=config_map_key),
    optional=Field(Pointer(Boolean)),
)

FileKeySelector = Struct(
    "FileKeySelector",
    "One variable of a file of variables, in an emptyDir volume (KEP-3721).",
    volumeName=Field(String, always=True, required=True, format=dns_label),
    path=Field(String, always=True, required=True, format=without_backsteps),
    key=Field(String, always=True, required=True, format=relaxed_env_var_name),
    optional=Field(Pointer(Boolean), default=False),
)

EnvVarSource = Struct(
    "EnvVarSource",
    "The source of a variable's value: exactly one.",
    fieldRef=Field(Pointer(ObjectFieldSelector)),
    resourceFieldRef=Field(Pointer(ResourceFieldSelector)),
    configMapKeyRef=Field(Pointer(ConfigMapKeySelector)),
    secretKeyRef=Field(Pointer(SecretKeySelector)),
    fileKeyRef=Field(Pointer(FileKeySelector), since="1.34", gate="EnvFiles"),
)

EnvVar = Struct(
    "EnvVar",
    "An environment variable: its name, and its value or the source of the value.",
    name=Field(String, always=True, required=True),
    value=Field(String),
    valueFrom=Field(Pointer(EnvVarSource)),
)


@EnvVar.rule
def _variable(variable: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    name = variable.get("name", "")
    if name:
        for detail in _wrong_name(name, request):
            yield invalid(f"{path}.name", name, detail)
    source = variable.get("valueFrom")
    if source is None:
        return
    detail = ""
    if not source:
        detail = _one_source(request)
    elif "value" in variable:
        detail = "may not be specified when `value` is not empty"
    elif len(source) > 1:
        detail = "may not have more than one field specified at a time"
    if detail:
        yield invalid(f"{path}.valueFrom", "", detail)


def _one_source(request: Request) -> str:
    if request.enabled("EnvFiles"):
        members = (
            "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        )
    else:
        members = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
    return f"must specify one of: {members}"


@EnvVarSource.rule
def _references(source: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if "fieldRef" in source:
        yield from check_object_field(source["fieldRef"], f"{path}.fieldRef", FIELD_PATHS)
    if "resourceFieldRef" in source:
        yield from check_resource_field(source["resourceFieldRef"], f"{path}.resourceFieldRef")


@EnvFromSource.rule
def _variables(source: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    prefix = source.get("prefix", "")
    if prefix:
        for detail in _wrong_name(prefix, request):
            yield invalid(f"{path}.prefix", prefix, detail)
    detail = ""
    if "configMapRef" not in source and "secretRef" not in source:
        detail = "must specify one of: `configMapRef` or `secretRef`"
    elif "configMapRef" in source and "secretRef" in source:
        detail = "may not have more than one field specified at a time"
    if detail:
        whole_list = path[: path.rindex("[")]  # the API server reports the list, not the item
        yield invalid(whole_list, "", detail)


def _wrong_name(name: str, request: Request) -> list[str]:
    if name.isidentifier() and name.isascii():
        return []
    wrong = env_var_name(name)
    return relaxed_env_var_name(name) if wrong and request.once(_names_are_relaxed) else wrong


def _names_are_relaxed(request: Request) -> bool:
    """Return True since 1.32; earlier, only if the stored Pod already has such names (KEP-4369)."""
    if request.enabled("RelaxedEnvironmentVariableValidation"):
        return True
    return request.server.minor >= 30 and any(
        env_var_name(name) and not relaxed_env_var_name(name)
        for container in _containers(request.old_pod or {})
        for field, part in (("env", "name"), ("envFrom", "prefix"))
        for name in (variable.get(part, "") for variable in container.get(field, ()))
    )


def _containers(pod: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for field in ("containers", "initContainers", "ephemeralContainers"):
        yield from pod.get(field, ())


def check_file_keys(
    variables: list[dict[str, Any]], path: str, volumes: dict[str, dict[str, Any]]
) -> Iterator[FieldError]:
    """Require that variables from files refer to an emptyDir volume.

    Args:
        variables: a container's variables.
        path: their field path.
        volumes: the volumes of the Pod by name; the last one of equal names.
    """
    for index, variable in enumerate(variables):
        reference = variable.get("valueFrom", {}).get("fileKeyRef")
        if reference is None:
            continue
        name = reference.get("volumeName", "")
        at = f"{path}[{index}].valueFrom.fileKeyRef.volumeName"
        if name not in volumes:
            yield not_found(at, name)
        elif "emptyDir" not in volumes[name]:
            yield invalid(at, name, "referenced volume must be of type emptyDir")
