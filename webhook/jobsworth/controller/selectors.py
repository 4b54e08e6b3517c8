"""A Job's label selector, parsed once to match many Pods quickly."""

from __future__ import annotations

from dataclasses import dataclass
from sys import intern
from typing import Any

from jobsworth.controller.pods import Pod


@dataclass(frozen=True, slots=True)
class Requirement:
    """One of the matchExpressions."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def met_by(self, labels: tuple[str, ...]) -> bool:
        """Return True if labels, each as ``key=value``, match; an unknown operator never matches."""
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
    """A parsed LabelSelector.

    Attributes:
        labels: each as ``key=value``; None stands for no selector, which matches no Pod.
    """

    labels: tuple[str, ...] | None = None
    requirements: tuple[Requirement, ...] = ()

    def matches(self, pod: Pod) -> bool:
        """Return True if the selector matches a Pod."""
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
    """Read a LabelSelector; None matches no Pod, an empty selector every Pod."""
    if selector is None:
        return Selector()
    return Selector(
        labels=tuple(
            intern(f"{key}={value}") for key, value in (selector.get("matchLabels") or {}).items()
        ),
        requirements=tuple(
            Requirement(
                expression.get("key") or "",
                expression.get("operator") or "",
                tuple(expression.get("values") or ()),
            )
            for expression in selector.get("matchExpressions") or ()
        ),
    )
