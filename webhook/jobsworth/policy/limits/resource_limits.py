"""Limits of the resources of one Job: the resources of a Pod times the Pods that run at the same time.

The number of Pods at the same time is ``parallelism``, or ``completions`` if that is less. The resources of
a Pod are computed as the scheduler does: containers plus sidecars, an init container if it alone needs more,
the Pod's own resources if it sets them (KEP-2837), and its overhead. A container without a request requests
its limit, as the API server sets it when it creates the Pod.

A limit of 0 for CPU, memory or ephemeral storage is none: the kubelet sets no limit then. So an amount of 0
counts as unset, and a limit of 0 is above every maximum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jobsworth.api.core.pod_resources import aggregate
from jobsworth.api.core.resource_names import NONE_AT_ZERO
from jobsworth.api.field_errors import invalid, required
from jobsworth.policy.problems import Problems
from jobsworth.policy.request import JobView
from jobsworth.policy.violation import RESOURCES_ABOVE_MAXIMUM, RESOURCES_UNKNOWN, Violation
from kube_cel.formats.quantity import BadQuantity, Quantity, parse

LimitCheck = Callable[[JobView], Iterable[Violation]]

SIDES = ("requests", "limits")

UNSET = "must be set, because a policy limits the resources of a Job"
UNLIMITED = "must be greater than 0, because a limit of 0 is none, and a policy has a maximum"
_ZERO = parse("0")


class _Cap:
    """The limit of one resource."""

    __slots__ = ("hint", "maximum", "name", "required", "side", "text")

    def __init__(self, side: str, name: str, value: Mapping[str, Any], maximum: Quantity | None):
        self.side = side
        self.name = name
        self.maximum = maximum
        self.text = str(value.get("maximum", ""))
        self.required = bool(value.get("required"))
        self.hint: str = value.get("message", "")


def read(value: Mapping[str, Any], path: str, problems: Problems) -> LimitCheck:
    """Compile the limits of a Job's resources into a check.

    Args:
        value: the limits of ``resources``, valid against the schema.
        path: their path in the document.
        problems: collects the errors that the schema cannot express.
    """
    sides = [
        [
            _Cap(side, name, cap, _quantity(cap, f"{path}.{side}[{name}]", problems))
            for name, cap in value[side].items()
        ]
        for side in SIDES
        if value.get(side)
    ]

    def check(view: JobView) -> Iterable[Violation]:
        return [found for caps in sides for found in _violations(caps, view)]

    return check


def _quantity(cap: Mapping[str, Any], path: str, problems: Problems) -> Quantity | None:
    if "maximum" not in cap:
        if not cap.get("required"):
            problems.add(path, "has no effect", "set maximum or required")
        return None
    try:
        maximum = parse(cap["maximum"])
    except BadQuantity as error:
        problems.add(f"{path}.maximum", str(error), "write a quantity, such as 500m, 64 or 1Gi")
        return None
    if maximum.sign < 0:
        problems.add(f"{path}.maximum", "must not be negative", "write 0 or more")
    return maximum


def pods_at_once(spec: Mapping[str, Any]) -> int:
    """Return the maximum number of Pods of a Job that run at the same time."""
    parallelism: int = spec.get("parallelism", 1)
    completions: int | None = spec.get("completions")
    return parallelism if completions is None else min(parallelism, completions)


class _PodResources:
    """The requests, or the limits, of a Pod and its containers.

    Attributes:
        own: the Pod-level resources.
        containers: the field, index, container and resources of each container.
    """

    __slots__ = ("_overhead", "_side", "containers", "own")

    def __init__(self, pod: Mapping[str, Any], side: str) -> None:
        self._side = side
        self._overhead: dict[str, Any] = pod.get("overhead") or {}
        self.own = _amounts(pod, side)
        self.containers = [
            (field, index, container, _amounts(container, side))
            for field in ("initContainers", "containers")
            for index, container in enumerate(pod.get(field) or ())
        ]

    def of(self, names: list[str]) -> dict[str, Quantity]:
        """Return the Pod's total of some resources; a resource that it does not set is absent."""
        bare: dict[str, list[dict[str, Any]]] = {"initContainers": [], "containers": []}
        for field, _, container, amounts in self.containers:
            bare[field].append(_bare(container, self._side, amounts, names))
        total = aggregate(bare, self._side)
        total |= {name: parse(self.own[name]) for name in names if name in self.own}
        for name, more in self._overhead.items():
            if name in names:
                total[name] = total.get(name, _ZERO) + parse(more)
        return total


def _violations(caps: list[_Cap], view: JobView) -> Iterator[Violation]:
    """Yield the violations of the caps on requests, or on limits."""
    pod, count = _PodResources(view.pod, caps[0].side), pods_at_once(view.spec)
    bounded = [cap.name for cap in caps if cap.maximum is not None]
    totals = pod.of(bounded) if bounded else {}
    for cap in caps:
        if cap.name not in pod.own:
            yield from _unset(cap, pod, view.path)
        if cap.maximum is not None:
            each = totals.get(cap.name, _ZERO)
            total = _times(each, count)
            if total > cap.maximum:
                yield _above(cap, view.path, each, count, total)


def _above(cap: _Cap, path: str, each: Quantity, count: int, total: Quantity) -> Violation:
    detail = (
        f"{cap.side} of {cap.name} by {count} Pods at the same time, {each.canonical()} each, "
        f"must be less than or equal to {cap.text} together"
        if count != 1
        else f"{cap.side} of {cap.name} must be less than or equal to {cap.text}"
    )
    field = "parallelism" if count > 1 else "template.spec"
    error = invalid("", total.canonical(), detail)
    return Violation(
        RESOURCES_ABOVE_MAXIMUM,
        f"{path}.{field}",
        error.reason,
        error.message,
        hint=cap.hint,
    )


def _unset(cap: _Cap, pod: _PodResources, path: str) -> Iterator[Violation]:
    """Yield the containers that do not set a required resource, or whose limit of 0 is none."""
    for field, index, container, amounts in pod.containers:
        if cap.name in amounts:
            continue
        if cap.required:
            code, error = RESOURCES_UNKNOWN, required("", UNSET)
        elif cap.side == "limits" and cap.name in _written(container, "limits"):
            code, error = RESOURCES_ABOVE_MAXIMUM, invalid("", 0, UNLIMITED)
        else:
            continue
        at = f"{path}.template.spec.{field}[{index}].resources.{cap.side}[{cap.name}]"
        yield Violation(code, at, error.reason, error.message, hint=cap.hint)


def _amounts(holder: Mapping[str, Any], side: str) -> dict[str, Any]:
    """Return the resources of a container or Pod, without those of which 0 is none.

    A missing request equals the limit.
    """
    amounts = _written(holder, "limits")
    if side == "requests":
        amounts = {**amounts, **_written(holder, "requests")}
    return {name: amount for name, amount in amounts.items() if not _is_none(name, amount)}


def _written(holder: Mapping[str, Any], side: str) -> dict[str, Any]:
    written: dict[str, Any] = (holder.get("resources") or {}).get(side) or {}
    return written


def _is_none(name: str, amount: Any) -> bool:
    return name in NONE_AT_ZERO and (amount is None or parse(amount).sign == 0)


def _bare(
    container: Mapping[str, Any], side: str, amounts: Mapping[str, Any], names: list[str]
) -> dict[str, Any]:
    """Return a container reduced to some resources."""
    selected = {name: amounts[name] for name in names if name in amounts}
    bare: dict[str, Any] = {"resources": {side: selected}}
    if "restartPolicy" in container:
        bare["restartPolicy"] = container["restartPolicy"]
    return bare


def _times(each: Quantity, count: int) -> Quantity:
    return Quantity(each.mantissa * count, each.exponent, each.format, long=True)
