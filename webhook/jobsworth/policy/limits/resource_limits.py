"""What one Job may ask for: the resources of a Pod times the Pods that run at the same time.

The Pods at the same time are ``parallelism``, or ``completions`` where there are fewer. What a Pod asks
for is reckoned as the scheduler does: containers together with sidecars, an init container where it
alone needs more, the Pod's own resources where it has them (KEP-2837), and its overhead. A container
without a request asks for its limit, as the API server fills it in when it makes the Pod.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.api.core.pod_resources import aggregate
from jobsworth.api.errors import invalid, required
from jobsworth.api.formats.quantity import BadQuantity, Quantity, parse
from jobsworth.policy.language import violation_codes
from jobsworth.policy.violation import Breach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from jobsworth.policy.language.problems import Problems
    from jobsworth.policy.policy_request import JobView

    Judge = Callable[[JobView], Iterable[Breach]]

SIDES = ("requests", "limits")
_ZERO = parse("0")


class _Cap:
    """The cap on one resource."""

    __slots__ = ("hint", "maximum", "name", "required", "side", "text")

    def __init__(self, side: str, name: str, value: Mapping[str, Any], maximum: Quantity | None):
        self.side = side
        self.name = name
        self.maximum = maximum
        self.text = str(value.get("maximum", ""))
        self.required = bool(value.get("required"))
        self.hint: str = value.get("message", "")


def read(value: Mapping[str, Any], path: str, problems: Problems) -> Judge:
    """A judge of what a Job asks for.

    Args:
        value: the limits of ``resources``, well-formed.
        path: of them in the document.
        problems: takes what the schema cannot say.
    """
    sides = [
        [
            _Cap(side, name, cap, _quantity(cap, f"{path}.{side}[{name}]", problems))
            for name, cap in value[side].items()
        ]
        for side in SIDES
        if value.get(side)
    ]

    def judge(view: JobView) -> Iterable[Breach]:
        return [found for caps in sides for found in _judge(caps, view)]

    return judge


def _quantity(cap: Mapping[str, Any], path: str, problems: Problems) -> Quantity | None:
    if "maximum" not in cap:
        if not cap.get("required"):
            problems.add(path, "limits nothing", "say maximum or required")
        return None
    try:
        maximum = parse(cap["maximum"])
    except BadQuantity as error:
        problems.add(f"{path}.maximum", str(error), "write a quantity, such as 500m, 64 or 1Gi")
        return None
    if maximum.sign < 0:
        problems.add(f"{path}.maximum", "is negative: no Job can keep it", "write 0 or more")
    return maximum


def pods_at_once(spec: Mapping[str, Any]) -> int:
    """How many Pods of a Job run at the same time, at most."""
    parallelism: int = spec.get("parallelism", 1)
    completions: int | None = spec.get("completions")
    return parallelism if completions is None else min(parallelism, completions)


class _Asked:
    """What a Pod and its containers ask for, on one side.

    Attributes:
        own: the Pod's own resources.
        containers: of each container its field and index, itself, and its resources.
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
        """What the Pod as a whole asks for of some resources; what it does not ask for is not there."""
        bare: dict[str, list[dict[str, Any]]] = {"initContainers": [], "containers": []}
        for field, _, container, amounts in self.containers:
            bare[field].append(_bare(container, self._side, amounts, names))
        total = aggregate(bare, self._side)
        total |= {name: parse(self.own[name]) for name in names if name in self.own}
        for name, more in self._overhead.items():
            if name in names:
                total[name] = total.get(name, _ZERO) + parse(more)
        return total


def _judge(caps: list[_Cap], view: JobView) -> Iterator[Breach]:
    """What a Job does against the caps on its requests, or on its limits."""
    asked, count = _Asked(view.pod, caps[0].side), pods_at_once(view.spec)
    bounded = [cap.name for cap in caps if cap.maximum is not None]
    totals = asked.of(bounded) if bounded else {}
    for cap in caps:
        if cap.required and cap.name not in asked.own:
            yield from _unsaid(cap, asked, view.path)
        if cap.maximum is not None:
            each = totals.get(cap.name, _ZERO)
            total = _times(each, count)
            if total > cap.maximum:
                yield _above(cap, view.path, each, count, total)


def _above(cap: _Cap, path: str, each: Quantity, count: int, total: Quantity) -> Breach:
    detail = (
        f"{cap.side} of {cap.name} by {count} Pods at the same time, {each.canonical()} each, "
        f"must be less than or equal to {cap.text} together"
        if count != 1
        else f"{cap.side} of {cap.name} must be less than or equal to {cap.text}"
    )
    field = "parallelism" if count > 1 else "template.spec"
    error = invalid("", total.canonical(), detail)
    return Breach(
        violation_codes.RESOURCES_ABOVE_MAXIMUM,
        f"{path}.{field}",
        error.reason,
        error.message,
        hint=cap.hint,
    )


def _unsaid(cap: _Cap, asked: _Asked, path: str) -> Iterator[Breach]:
    for field, index, _, amounts in asked.containers:
        if cap.name not in amounts:
            error = required("", "must be set, because a policy bounds what a Job asks for")
            yield Breach(
                violation_codes.RESOURCES_UNKNOWN,
                f"{path}.template.spec.{field}[{index}].resources.{cap.side}[{cap.name}]",
                error.reason,
                error.message,
                hint=cap.hint,
            )


def _amounts(holder: Mapping[str, Any], side: str) -> dict[str, Any]:
    """The resources of a container or Pod; a request that is not there is the limit."""
    resources = holder.get("resources") or {}
    limits: dict[str, Any] = resources.get("limits") or {}
    return limits if side == "limits" else {**limits, **(resources.get("requests") or {})}


def _bare(
    container: Mapping[str, Any], side: str, amounts: Mapping[str, Any], names: list[str]
) -> dict[str, Any]:
    """A container with nothing but what is asked about."""
    asked = {name: amounts[name] for name in names if name in amounts}
    bare: dict[str, Any] = {"resources": {side: asked}}
    if "restartPolicy" in container:
        bare["restartPolicy"] = container["restartPolicy"]
    return bare


def _times(each: Quantity, count: int) -> Quantity:
    return Quantity(each.mantissa * count, each.exponent, each.format, long=True)
