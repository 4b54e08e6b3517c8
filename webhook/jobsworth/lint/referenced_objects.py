"""The references of Pods to other objects: ConfigMaps, Secrets, claims and ServiceAccounts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jobsworth.lint.neighbors import CLAIM, CONFIG_MAP, SECRET, SERVICE_ACCOUNT
from jobsworth.record import Record


class Reference(Record):
    """A reference of a Pod to an object.

    Attributes:
        kind: the kind of the object.
        name: its name.
        field: the path of the field with the name.
        key: the key that is referred to; empty for the whole object.
        key_field: the path of the field with the key.
        optional: True if the Pod starts without it.
    """

    kind: str
    name: str
    field: str
    key: str = ""
    key_field: str = ""
    optional: bool = False


def references(
    pod: dict[str, Any],
    path: str,
    containers: Iterable[tuple[str, dict[str, Any]]],
    written: dict[str, Any],
) -> Iterator[Reference]:
    """Yield the references of a Pod, in the order of the fields.

    Args:
        pod: the PodSpec, with defaults.
        path: its field path.
        containers: the field path and value of each init container and container.
        written: the PodSpec as written, which has the account in one of two fields.
    """
    account = pod.get("serviceAccountName")
    if account:
        field = "serviceAccountName" if "serviceAccountName" in written else "serviceAccount"
        yield Reference(SERVICE_ACCOUNT, account, f"{path}.{field}")
    for index, secret in enumerate(pod.get("imagePullSecrets", ())):
        field = f"{path}.imagePullSecrets[{index}].name"
        yield Reference(SECRET, secret.get("name", ""), field, optional=True)
    for at, container in containers:
        yield from _of_environment(container, at)
    for index, volume in enumerate(pod.get("volumes", ())):
        at = f"{path}.volumes[{index}]"
        claim = volume.get("persistentVolumeClaim")
        if claim is not None:
            field = f"{at}.persistentVolumeClaim.claimName"
            yield Reference(CLAIM, claim.get("claimName", ""), field)
        yield from _of_files(volume, at, secret="secretName")
        for number, source in enumerate(volume.get("projected", {}).get("sources", ())):
            yield from _of_files(source, f"{at}.projected.sources[{number}]", secret="name")


def _of_environment(container: dict[str, Any], at: str) -> Iterator[Reference]:
    for index, source in enumerate(container.get("envFrom", ())):
        for field, kind in (("configMapRef", CONFIG_MAP), ("secretRef", SECRET)):
            found = source.get(field)
            if found is not None:
                name_field = f"{at}.envFrom[{index}].{field}.name"
                optional = found.get("optional", False)
                yield Reference(kind, found.get("name", ""), name_field, optional=optional)
    for index, variable in enumerate(container.get("env", ())):
        for field, kind in (("configMapKeyRef", CONFIG_MAP), ("secretKeyRef", SECRET)):
            found = variable.get("valueFrom", {}).get(field)
            if found is not None:
                place = f"{at}.env[{index}].valueFrom.{field}"
                yield Reference(
                    kind,
                    found.get("name", ""),
                    f"{place}.name",
                    found.get("key", ""),
                    f"{place}.key",
                    found.get("optional", False),
                )


def _of_files(source: dict[str, Any], at: str, *, secret: str) -> Iterator[Reference]:
    """Yield the references of a volume, or of a source of a projected volume."""
    for field, kind, named in (("configMap", CONFIG_MAP, "name"), ("secret", SECRET, secret)):
        found = source.get(field)
        if found is None:
            continue
        name, name_field = found.get(named, ""), f"{at}.{field}.{named}"
        optional = found.get("optional", False)
        items = found.get("items", ())
        for index, item in enumerate(items):
            key_field = f"{at}.{field}.items[{index}].key"
            yield Reference(kind, name, name_field, item.get("key", ""), key_field, optional)
        if not items:
            yield Reference(kind, name, name_field, optional=optional)
