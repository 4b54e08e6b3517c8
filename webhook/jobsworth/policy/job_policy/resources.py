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
from jobsworth.policy.job_policy import codes
from jobsworth.policy.job_policy.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from jobsworth.policy.job_policy.problems import Problems
    from jobsworth.policy.job_policy.subject import JobView

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
    caps = [
        _Cap(side, name, cap, _quantity(cap, f"{path}.{side}[{name}]", problems))
        for side in SIDES
        for name, cap in value.get(side, {}).items()
    ]

    def judge(view: JobView) -> Iterable[Breach]:
        return [found for cap in caps for found in _judge(cap, view)]

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


def _judge(cap: _Cap, view: JobView) -> Iterator[Breach]:
    pod = view.pod
    if cap.required:
        yield from _unsaid(cap, pod, f"{view.path}.template.spec")
    if cap.maximum is None:
        return
    each = _of_pod(pod, cap.side, cap.name)
    count = pods_at_once(view.spec)
    total = _times(each, count)
    if total <= cap.maximum:
        return
    detail = (
        f"{cap.side} of {cap.name} by {count} Pods at the same time, {each.canonical()} each, "
        f"must be less than or equal to {cap.text} together"
        if count != 1
        else f"{cap.side} of {cap.name} must be less than or equal to {cap.text}"
    )
    field = "parallelism" if count > 1 else "template.spec"
    error = invalid("", total.canonical(), detail)
    yield Breach(
        codes.RESOURCES_ABOVE_MAXIMUM,
        f"{view.path}.{field}",
        error.reason,
        error.message,
        hint=cap.hint,
    )


def _unsaid(cap: _Cap, pod: Mapping[str, Any], path: str) -> Iterator[Breach]:
    if cap.name in _amounts(pod, cap.side):
        return
    for field in ("initContainers", "containers"):
        for index, container in enumerate(pod.get(field) or ()):
            if cap.name not in _amounts(container, cap.side):
                error = required("", "must be set, because a policy bounds what a Job asks for")
                yield Breach(
                    codes.RESOURCES_UNKNOWN,
                    f"{path}.{field}[{index}].resources.{cap.side}[{cap.name}]",
                    error.reason,
                    error.message,
                    hint=cap.hint,
                )


def _amounts(holder: Mapping[str, Any], side: str) -> dict[str, Any]:
    """The resources of a container or Pod; a request that is not there is the limit."""
    resources = holder.get("resources") or {}
    limits: dict[str, Any] = resources.get("limits") or {}
    return limits if side == "limits" else {**limits, **(resources.get("requests") or {})}


def _of_pod(pod: Mapping[str, Any], side: str, name: str) -> Quantity:
    own = _amounts(pod, side)
    if name in own:
        total = parse(own[name])
    else:
        bare = {
            field: [_bare(container, side, name) for container in pod.get(field) or ()]
            for field in ("containers", "initContainers")
        }
        total = aggregate(bare, side).get(name, _ZERO)
    overhead = pod.get("overhead") or {}
    return total + parse(overhead[name]) if name in overhead else total


def _bare(container: Mapping[str, Any], side: str, name: str) -> dict[str, Any]:
    """A container with nothing but what is asked about."""
    amounts = _amounts(container, side)
    bare: dict[str, Any] = {"resources": {side: {name: amounts[name]} if name in amounts else {}}}
    if "restartPolicy" in container:
        bare["restartPolicy"] = container["restartPolicy"]
    return bare


def _times(each: Quantity, count: int) -> Quantity:
    return Quantity(each.mantissa * count, each.exponent, each.format, long=True)
