"""A Job's label selector, made ready to be asked for each of many Pods."""

from __future__ import annotations

from dataclasses import dataclass
from sys import intern
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jobsworth.controller.pods import Pod


@dataclass(frozen=True, slots=True)
class Requirement:
    """One of the matchExpressions."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def met_by(self, labels: tuple[str, ...]) -> bool:
        """Whether labels, each as ``key=value``, meet it; no labels meet an unknown operator."""
        prefix = self.key + "="
        value = next((label[len(prefix) :] for label in labels if label.startswith(prefix)), None)
        if self.operator == "In":
            return value in self.values
        if self.operator == "NotIn":
            return value not in self.values
        if self.operator == "Exists":
            return value is not None
        return self.operator == "DoesNotExist" and value is None


@dataclass(frozen=True, slots=True)
class Selector:
    """Which Pods are meant, by their labels.

    Attributes:
        labels: each as ``key=value``; None stands for no selector, which means no Pod.
    """

    labels: tuple[str, ...] | None = None
    requirements: tuple[Requirement, ...] = ()

    def matches(self, pod: Pod) -> bool:
        """Whether a Pod is meant."""
        if self.labels is None:
            return False
        pod_labels = pod.labels
        for label in self.labels:
            if label not in pod_labels:
                return False
        if not self.requirements:
            return True
        return all(requirement.met_by(pod_labels) for requirement in self.requirements)


def read_selector(selector: dict[str, Any] | None) -> Selector:
    """Read a LabelSelector of the API; none matches nothing, an empty one everything."""
    if selector is None:
        return Selector()
    return Selector(
        labels=tuple(
            intern(f"{key}={value}") for key, value in (selector.get("matchLabels") or {}).items()
        ),
        requirements=tuple(
            Requirement(
                entry.get("key") or "",
                entry.get("operator") or "",
                tuple(entry.get("values") or ()),
            )
            for entry in selector.get("matchExpressions") or ()
        ),
    )
