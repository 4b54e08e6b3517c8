"""Pod-level resources, and their relation to the resources of the containers (KEP-2837).

Source: ``validatePodResources`` in ``pkg/apis/core/validation`` and the package ``resource`` of
``k8s.io/component-helpers``, Kubernetes 1.36. The server fills in defaults for Pods, not for
templates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.container import is_sidecar
from jobsworth.api.core.resource_names import HUGE_PAGES_PREFIX, is_huge_pages, resource_name
from jobsworth.api.core.resources import ClaimedNames, check_claims, check_requirements
from jobsworth.api.field_errors import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    quoted,
    resource_name_value,
)
from jobsworth.api.validation_request import Request
from kube_cel.formats.quantity import Quantity, parse

Amounts = dict[str, Quantity]

POD_RESOURCES = ("cpu", HUGE_PAGES_PREFIX, "memory")
OVERCOMMITTED = ("cpu", "memory")
"""The resources of a Pod that may be requested below their limits."""


def check_pod_resources(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Validate the resources of a Pod as a whole, and compare them with those of its containers.

    Args:
        pod: a decoded PodSpec that has resources.
        path: its field path.
        request: the request.
    """
    resources, path = pod["resources"], f"{path}.resources"
    # Without the gate, the server does not validate what an update keeps.
    if not request.server.enabled("PodLevelResources"):
        return
    is_beta = request.server.minor >= 34
    if is_beta and pod.get("os", {}).get("name") == "windows":
        yield forbidden(path, "may not be set for a windows pod")
        return
    if "claims" in resources:
        verb = "may not" if is_beta else "cannot"
        yield forbidden(f"{path}.claims", f"claims {verb} be set for Resources at pod-level")
        yield from check_claims(resources["claims"], f"{path}.claims", ClaimedNames(pod))
    wrong_name = _wrong_resource_in_1_32 if request.server.minor == 32 else _wrong_resource
    yield from check_requirements(resources, path, request, wrong_name)
    yield from _check_requests(pod, resources.get("requests", {}), f"{path}.requests", request)
    limits = resources.get("limits", {})
    if is_beta:
        yield from _check_huge_pages(pod, limits, f"{path}.limits", request)
    yield from _check_limits(pod, limits, path)


def _wrong_resource(
    name: str, path: str, supported: tuple[str, ...] = POD_RESOURCES
) -> Iterator[FieldError]:
    wrong = resource_name(name)
    for detail in wrong:
        yield invalid(path, resource_name_value(name), detail)
    if not wrong and (HUGE_PAGES_PREFIX if is_huge_pages(name) else name) not in supported:
        yield not_supported(path, resource_name_value(name), supported)


def _wrong_resource_in_1_32(name: str, path: str) -> Iterator[FieldError]:
    return _wrong_resource(name, path, ("cpu", "memory"))


def _check_requests(
    pod: dict[str, Any], requests: dict[str, str], path: str, request: Request
) -> Iterator[FieldError]:
    for name, needed in aggregate(pod, "requests", exact=request.server.exact_quantities).items():
        if name not in requests and request.server.minor >= 34:
            continue
        amount = requests.get(name, "0")
        if needed > parse(amount):
            detail = (
                f"must be greater than or equal to aggregate container requests of "
                f"{needed.canonical()}"
            )
            yield invalid(f"{path}[{name}]", amount, detail)


def _check_huge_pages(
    pod: dict[str, Any], limits: dict[str, str], path: str, request: Request
) -> Iterator[FieldError]:
    """Require that the Pod's limits cover the huge pages of its containers: no overcommitment."""
    if not any(map(is_huge_pages, limits)):
        return
    for name, needed in aggregate(pod, "limits", exact=request.server.exact_quantities).items():
        if is_huge_pages(name) and name in limits and needed > parse(limits[name]):
            detail = (
                f"must be greater than or equal to aggregate container limits of "
                f"{needed.canonical()}"
            )
            yield invalid(f"{path}[{name}]", limits[name], detail)


def _check_limits(pod: dict[str, Any], limits: dict[str, str], path: str) -> Iterator[FieldError]:
    most = {name: parse(limit) for name, limit in limits.items()}
    details = {
        name: f": must be less than or equal to pod limits of {limit}"
        for name, limit in limits.items()
    }
    for index, container in enumerate(pod.get("containers", ())):
        for name, amount in container["resources"].get("limits", {}).items():
            if name in limits and parse(amount) > most[name]:
                at = f"{path}.containers[{index}][{name}].limits"
                yield FieldError(
                    "FieldValueInvalid", at, f"Invalid value: {quoted(amount)}", details[name]
                )


def aggregate(pod: dict[str, Any], field: str, *, exact: bool = False) -> Amounts:
    """Return the maximum amounts that the containers of a Pod need at the same time.

    Sidecars run alongside the containers; an init container runs alongside the sidecars before it
    (KEP-753, "Resources calculation for scheduling and pod admission").

    Args:
        pod: a PodSpec.
        field: ``requests`` or ``limits``.
        exact: as of :func:`~kube_cel.formats.quantity.parse`.
    """
    total: Amounts = {}
    for container in pod.get("containers", ()):
        _add(total, _amounts(container, field, exact=exact))
    sidecars: Amounts = {}
    starting: Amounts = {}
    for container in pod.get("initContainers", ()):
        amounts = _amounts(container, field, exact=exact)
        if is_sidecar(container):
            _add(total, amounts)
            _add(sidecars, amounts)
            amounts = {name: sidecars[name] for name in amounts}
        else:
            _add(amounts, {name: sidecars[name] for name in amounts if name in sidecars})
        # For a resource that it does not request, the earlier sidecars determine the maximum.
        _raise_to(starting, amounts)
    _raise_to(total, starting)
    return total


def with_defaults_of_a_pod(pod: dict[str, Any], *, exact: bool) -> dict[str, Any]:
    """Return a PodSpec with the requests that the server fills in for Pods, but not for templates.

    Source: ``SetDefaults_Pod`` in ``pkg/apis/core/v1``, Kubernetes 1.36.

    Args:
        pod: a decoded PodSpec that has resources; it is not changed.
        exact: as of :func:`aggregate`.
    """
    filled = {**pod}
    for field in ("containers", "initContainers"):
        if field in pod:
            filled[field] = [_with_requests(container) for container in pod[field]]
    resources = filled["resources"] = {**pod["resources"]}
    limits, requests = dict(resources.get("limits", {})), dict(resources.get("requests", {}))
    if limits or requests:
        for name, amount in aggregate(filled, "limits", exact=exact).items():
            if is_huge_pages(name) and name not in requests:
                limits.setdefault(name, amount.canonical())
    if limits:
        for name, amount in aggregate(filled, "requests", exact=exact).items():
            if name in OVERCOMMITTED:
                requests.setdefault(name, amount.canonical())
        supported = {
            name: limit
            for name, limit in limits.items()
            if is_huge_pages(name) or name in OVERCOMMITTED
        }
        requests = {**supported, **requests}
        resources["limits"] = limits
    if requests:
        resources["requests"] = requests
    return filled


def _with_requests(container: dict[str, Any]) -> dict[str, Any]:
    resources = container["resources"]
    if "limits" not in resources:
        return container
    requests = {**resources["limits"], **resources.get("requests", {})}
    return {**container, "resources": {**resources, "requests": requests}}


def _amounts(container: dict[str, Any], field: str, *, exact: bool) -> Amounts:
    amounts = container["resources"].get(field, {})
    return {name: parse(text, exact=exact) for name, text in amounts.items()}


def _add(total: Amounts, amounts: Amounts) -> None:
    for name, amount in amounts.items():
        total[name] = total[name] + amount if name in total else amount


def _raise_to(highest: Amounts, amounts: Amounts) -> None:
    for name, amount in amounts.items():
        if name not in highest or amount > highest[name]:
            highest[name] = amount
