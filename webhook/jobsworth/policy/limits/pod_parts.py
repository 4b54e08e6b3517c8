"""The parts of a Pod template with a limit of their own that are not single fields.

A label, an annotation and a key of the node selector have one value each. A toleration, an added capability
and a field of a container's security context can occur several times: each of their values is judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from jobsworth.policy.places import at, field_path
from jobsworth.policy.pod_defaults import CONTAINER_LISTS, KEYED
from jobsworth.policy.request import JobView

SECURITY = "securityContext"
_CONTAINERS = tuple(reversed(CONTAINER_LISTS))
"""The lists of containers: init containers start first."""


class PodPart(Protocol):
    """A part of the Pod template that a policy can limit."""

    def values(self, view: JobView) -> Iterator[tuple[str, Any]]:
        """Yield the field path and the value of each occurrence; None for one that is unset."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a map.

    Attributes:
        holder: the names of the fields that lead to the map from the template.
        key: the key.
    """

    holder: tuple[str, ...]
    key: str

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps that lead to it from the template."""
        return (*self.holder, self.key)

    def values(self, view: JobView) -> Iterator[tuple[str, Any]]:
        """Yield the field path of the entry, and its value or None."""
        yield (
            f"{view.path}.template.{field_path(self.steps)}",
            at(view.spec["template"], self.steps),
        )


@dataclass(frozen=True, slots=True)
class Repeated:
    """A part of each item of lists of the PodSpec.

    Attributes:
        lists: the names of the lists.
        steps: the field names that lead to it from an item.
        is_list: True if it is a list, each entry of which is judged.
        is_of_pod: True if the PodSpec has it, too, for the items that do not set it.
        absent: the value that an unset one has; None for none.
    """

    lists: tuple[str, ...]
    steps: tuple[str, ...]
    is_list: bool = False
    is_of_pod: bool = False
    absent: str | None = None

    @property
    def is_text(self) -> bool:
        """True if its values are texts."""
        return self.is_list or self.absent is not None

    def values(self, view: JobView) -> Iterator[tuple[str, Any]]:
        """Yield the values of the items, and that of the Pod if an item has it; None for an unset one."""
        pod, place = view.pod, f"{view.path}.template.spec"
        shared = at(pod, self.steps) if self.is_of_pod else None
        items = [item for name in self.lists for item in pod.get(name) or ()]
        if shared is not None and any(at(item, self.steps) is None for item in items):
            yield f"{place}.{field_path(self.steps)}", shared
        for name in self.lists:
            for index, item in enumerate(pod.get(name) or ()):
                value = at(item, self.steps)
                inner = f"{place}.{name}[{index}].{field_path(self.steps)}"
                if self.is_list:
                    yield from (
                        (f"{inner}[{number}]", one) for number, one in enumerate(value or ())
                    )
                elif value is not None or shared is None:
                    yield inner, self.absent if value is None else value


_REPEATED: dict[str, Repeated] = {
    "tolerations": Repeated(("tolerations",), ("key",), absent=""),
    **{
        f"{SECURITY}.{name}": Repeated(_CONTAINERS, (SECURITY, name), is_of_pod=is_of_pod)
        for name, is_of_pod in (
            ("runAsNonRoot", True),
            ("runAsUser", True),
            ("privileged", False),
            ("allowPrivilegeEscalation", False),
            ("readOnlyRootFilesystem", False),
        )
    },
    f"{SECURITY}.addedCapabilities": Repeated(
        _CONTAINERS, (SECURITY, "capabilities", "add"), is_list=True
    ),
}


@dataclass(frozen=True, slots=True)
class PodLimit:
    """The limit of a part of the Pod template, as in a document.

    Attributes:
        name: the name of the part: ``pod.hostPID``, ``pod.labels[team]``.
        keys: the keys that lead to the limit below ``limits.pod``.
        value: the limit.
        part: the part; None for a field of the PodSpec.
    """

    name: str
    keys: tuple[str, ...]
    value: Mapping[str, Any]
    part: PodPart | None


def pod_limits(limits: Mapping[str, Any]) -> Iterator[PodLimit]:
    """Yield the limits of ``limits.pod``."""
    for name, value in limits.items():
        if name in KEYED:
            for key, one in value.items():
                yield PodLimit(f"pod.{name}[{key}]", (name, key), one, Entry(KEYED[name], key))
        elif name == SECURITY:
            for key, one in value.items():
                inner = f"{name}.{key}"
                yield PodLimit(f"pod.{inner}", (name, key), one, _REPEATED[inner])
        elif name == "tolerations" and "denied" in value:
            # A toleration without a key is one of every taint.
            denied = list(dict.fromkeys([*value["denied"], ""]))
            yield PodLimit(f"pod.{name}", (name,), {**value, "denied": denied}, _REPEATED[name])
        else:
            yield PodLimit(f"pod.{name}", (name,), value, _REPEATED.get(name))
