"""Limits of a Job's resources in CEL: see :mod:`jobsworth.policy.limits.resource_limits`.

An amount is a floating-point number of the smallest unit that counts: a billionth of a CPU, as exact as
quantities are, and a thousandth of everything else. Numbers below 2^53 are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from jobsworth.api.core.resource_names import NONE_AT_ZERO
from jobsworth.api.field_errors import Printed, invalid, required
from jobsworth.policy.export.cel_text import HOLE, either, literal
from jobsworth.policy.export.object_view import ObjectView
from jobsworth.policy.export.requirement import (
    NotExpressible,
    Requirement,
    Views,
    requirement,
    requirement_of_items,
    wording,
)
from jobsworth.policy.limits.resource_limits import UNLIMITED, UNSET
from jobsworth.policy.policy_fields import FIELDS
from jobsworth.policy.violation import RESOURCES_ABOVE_MAXIMUM, RESOURCES_UNKNOWN
from kube_cel.formats.quantity import Quantity, parse

CPU_UNITS = 10**9
UNITS = 10**3
MAX_EXPONENT = 200
"""The largest power of ten of a maximum; a floating-point number has at most 308."""

_LISTS = ("initContainers", "containers")
_IS_SIDECAR = f"container.?restartPolicy == optional.of({literal('Always')})"


def of_resource(
    side: str, name: str, limit: Mapping[str, Any], views: Views
) -> Iterator[Requirement]:
    """Yield the requirements of a limit of a resource.

    Args:
        side: ``requests`` or ``limits``.
        name: the resource.
        limit: its limit.
        views: the objects.
    """
    resource = _Resource(side, name)
    hint = limit.get("message", "")
    for field in _LISTS:
        if limit.get("required"):
            yield _set(resource, field, hint, views)
        elif side == "limits" and name in NONE_AT_ZERO:
            yield _limited(resource, field, hint, views)
    if "maximum" in limit:
        yield _maximum(resource, limit["maximum"], hint, views)


class _Resource:
    """A resource that containers request, or that limits them."""

    def __init__(self, side: str, name: str) -> None:
        self.side = side
        self.name = name
        self.units = CPU_UNITS if name == "cpu" else UNITS

    def set_of(self, holder: str) -> str:
        """Return the optional amount of a container or Pod; a missing request equals the limit."""
        limit = f"{holder}.?resources.limits[?{literal(self.name)}]"
        if self.side == "limits":
            return limit
        return f"{holder}.?resources.requests[?{literal(self.name)}].or({limit})"

    def is_unset(self, holder: str) -> str:
        """Return the condition that a container or Pod has no amount; 0 of most resources is none."""
        amount = self.set_of(holder)
        return f"!{amount}.hasValue()" if self.name not in NONE_AT_ZERO else self._is_zero(amount)

    def is_zero(self, holder: str) -> str:
        """Return the condition that a container has the amount 0."""
        amount = self.set_of(holder)
        return f"({amount}.hasValue() && {self._is_zero(amount)})"

    @staticmethod
    def _is_zero(amount: str) -> str:
        zero = literal("0")
        return f"(quantity(string({amount}.orValue({zero}))).compareTo(quantity({zero})) == 0)"

    def amount_of(self, holder: str) -> str:
        """Return the amount of a container or Pod in units, 0 if it has none."""
        return self.units_of(f"{self.set_of(holder)}.orValue({literal('0')})")

    def units_of(self, quantity: str) -> str:
        """Return a quantity in units, rounded where a floating-point number is not exact."""
        units = f"quantity(string({quantity})).asApproximateFloat() * {float(self.units)}"
        return f"[{units}].map(each, each < {2.0**53} ? double(int(each + 0.5)) : each)[0]"


def _set(resource: _Resource, field: str, hint: str, views: Views) -> Requirement:
    """Return the requirement that each container of a list sets a resource, unless the Pod does."""
    error = required("", f"{UNSET}: {HOLE}").message
    bad = resource.is_unset("container")
    return _of_containers(resource, field, views, bad, (RESOURCES_UNKNOWN, error, hint))


def _limited(resource: _Resource, field: str, hint: str, views: Views) -> Requirement:
    """Return the requirement that no container of a list has a limit of 0, unless the Pod has a limit."""
    error = invalid("", 0, f"{UNLIMITED}: {HOLE}").message
    bad = resource.is_zero("container")
    return _of_containers(resource, field, views, bad, (RESOURCES_ABOVE_MAXIMUM, error, hint))


def _of_containers(
    resource: _Resource, field: str, views: Views, bad: str, message: tuple[str, str, str]
) -> Requirement:
    """Return the requirement that no container of a list is bad, unless the Pod has an amount.

    Args:
        resource: the resource.
        field: the list.
        views: the objects.
        bad: the condition that a ``container`` is bad.
        message: the code, the error with a hole for the names of the containers, and the advice.
    """

    def containers(view: ObjectView) -> str:
        return either(resource.is_unset(view.pod), f"{view.pod}.?{field}.orValue([])", "[]")

    code, error, hint = message
    names = f"{containers(views.new)}.filter(container, {bad}).map(container, container.name)"
    place = f"{views.new.path}.template.spec.{field}[*].resources.{resource.side}[{resource.name}]"
    text = wording(place, error, code, hint, f"{names}.join({literal(', ')})")
    if views.have_indexes:
        return requirement_of_items(
            views,
            lambda view: (
                f"{containers(view)}.transformList(index, container, {bad}, string(index))"
            ),
            text,
        )
    return requirement(
        views, lambda view: f"{containers(view)}.exists(container, {bad})", text, exact=False
    )


def _maximum(resource: _Resource, maximum: Any, hint: str, views: Views) -> Requirement:
    """Return the requirement on the sum over the Pods that run at the same time."""
    names = {
        view: f"{resource.side}_{_identifier(resource.name)}_{view.root}"
        for view in (views.new, views.old)
    }
    variables = {
        name: expression
        for view, of_view in names.items()
        for name, expression in _of_pod(resource, view, of_view, views.have_indexes).items()
    }
    units = _units_of(parse(maximum), resource)

    def each(view: ObjectView) -> str:
        return f"variables.{names[view]}"

    def total(view: ObjectView) -> str:
        return f"{each(view)} * double({_pods_at_once(view)})"

    detail = (
        f"{resource.side} of {resource.name} by {HOLE} Pods at the same time must be less than or equal to "
        f"{maximum} together"
    )
    number = "double" if resource.units == CPU_UNITS else "int"
    text = wording(
        f"{views.new.path}.parallelism",
        invalid("", Printed(HOLE), detail).message,
        RESOURCES_ABOVE_MAXIMUM,
        hint,
        f"string({number}({total(views.new)} / {float(resource.units)}))",
        f"string({_pods_at_once(views.new)})",
    )
    return requirement(
        views,
        lambda view: f"{total(view)} > {units!r}",
        text,
        seen=lambda view: [each(view), _pods_at_once(view)],
        variables=variables,
        exact=views.have_indexes,
    )


def _units_of(maximum: Quantity, resource: _Resource) -> float:
    if maximum.exponent > MAX_EXPONENT:
        raise NotExpressible("the maximum is too large for a number of CEL: remove it")
    return float(Fraction(10) ** maximum.exponent * maximum.mantissa * resource.units)


def _identifier(name: str) -> str:
    """Return a resource's name as a part of a variable's name; different names stay different."""
    return "".join(one if one.isascii() and one.isalnum() else f"_{ord(one):x}_" for one in name)


def _pods_at_once(view: ObjectView) -> str:
    parallelism, completions = FIELDS["parallelism"], FIELDS["completions"]
    at_most = f"[{view.value(parallelism)}, {view.value(completions)}].min()"
    return either(view.is_set(completions), at_most, view.value(parallelism))


def _of_pod(resource: _Resource, view: ObjectView, name: str, have_indexes: bool) -> dict[str, str]:
    """Return the variables from which the amount of one Pod is computed, and last that amount.

    The sum is that of KEP-753, or the Pod's own amount (KEP-2837), and its overhead. Without the index of an
    init container, those that need more than the containers are not seen.
    """
    amount = resource.amount_of("container")
    inits = f"{view.pod}.?initContainers.orValue([])"
    sidecars = f"{inits}.filter(container, {_IS_SIDECAR})"
    running, starting = f"{name}_running", f"{name}_starting"
    variables = {
        running: f"({view.pod}.containers + {sidecars}).map(container, {amount}).sum()",
        starting: f"{inits}.map(container, {amount})",
    }
    needed = f"variables.{running}"
    if have_indexes:
        of_inits = f"variables.{starting}"
        is_earlier_sidecar = (
            f"other < index && {inits}[other].?restartPolicy == optional.of({literal('Always')})"
        )
        sidecars = f"{of_inits}.transformList(other, amount, {is_earlier_sidecar}, amount)"
        earlier = f"([0.0] + {sidecars}).sum()"
        needed = f"([{needed}] + {of_inits}.transformList(index, amount, amount + {earlier})).max()"
    else:
        del variables[starting]
    own = resource.set_of(view.pod)
    is_unset = resource.is_unset(view.pod)
    overhead = f"{view.pod}.?overhead[?{literal(resource.name)}].orValue({literal('0')})"
    pod = either(is_unset, needed, resource.units_of(f"{own}.value()"))
    return {**variables, name: f"{pod} + {resource.units_of(overhead)}"}
