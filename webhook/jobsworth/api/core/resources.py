"""Resource requests and limits of containers and Pods (``core/v1``).

Source: ``validateResourceRequirements`` and ``validateResizePolicy`` in
``pkg/apis/core/validation``, Kubernetes 1.36. The rules on Pod-level resources are in
:mod:`jobsworth.api.core.pod_resources`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from jobsworth.api.core.resource_names import (
    CONTAINER_RESOURCES,
    HUGE_PAGES_PREFIX,
    container_resource_name,
    is_counted,
    is_huge_pages,
    may_be_overcommitted,
)
from jobsworth.api.declare import Field, ListOf, MapOf, Quantity, String, Struct
from jobsworth.api.field_errors import (
    FieldError,
    Former,
    duplicate,
    forbidden,
    invalid,
    named_string,
    not_supported,
    quoted,
    required,
    resource_name_value,
)
from jobsworth.api.validation_request import Request
from kube_cel.formats.go_numbers import MAX_INT64
from kube_cel.formats.names import dns_label
from kube_cel.formats.quantity import BadQuantity, parse

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer

RESIZE_DEPENDS_ON_RESTART_SINCE = 29
"""The first minor version that restricts the resize policies of containers that never restart."""
CAPPED = {MAX_INT64, -MAX_INT64 - 1}
"""The values of quantities that 64 bits do not hold."""
POD_RESOURCES_EXCUSED_SINCE = 38
"""The first minor version that lets an update keep partial huge pages of the Pod as a whole."""
RESIZE_POLICIES = ("NotRequired", "RestartContainer")
RESIZABLE_RESOURCES = ("cpu", "memory")

ResourceClaim = Struct(
    "ResourceClaim",
    "A ResourceClaim of the Pod, for one container.",
    name=Field(String, always=True),
    request=Field(String, since="1.31"),
)

ResourceRequirements = Struct(
    "ResourceRequirements",
    "Resource requests, limits and claims.",
    limits=Field(MapOf(Quantity)),
    requests=Field(MapOf(Quantity)),
    claims=Field(
        ListOf(ResourceClaim), since="1.26", gate="DynamicResourceAllocation", keep_empty=True
    ),
)

PodResourceRequirements = Struct(
    "PodResourceRequirements",
    "Resource requests and limits of a Pod as a whole.",
    limits=Field(MapOf(Quantity)),
    requests=Field(MapOf(Quantity)),
    # No gate: the server drops the claims of containers only, and rejects these.
    claims=Field(ListOf(ResourceClaim), since="1.26", keep_empty=True),
)

ContainerResizePolicy = Struct(
    "ContainerResizePolicy",
    "The restart behavior of the container when a resource is resized in place.",
    resourceName=Field(String, always=True, values=RESIZABLE_RESOURCES),
    restartPolicy=Field(String, always=True, values=RESIZE_POLICIES),
)

VolumeResourceRequirements = Struct(
    "VolumeResourceRequirements",
    "The minimum and maximum size of a volume.",
    limits=Field(MapOf(Quantity)),
    requests=Field(MapOf(Quantity)),
    claims=Field(ListOf(ResourceClaim), since="1.26", until="1.28"),
)


@ResourceRequirements.defaulter
@PodResourceRequirements.defaulter
@VolumeResourceRequirements.defaulter
def _round_up_to_milli(requirements: dict[str, Any], request: Request) -> None:
    for field in ("limits", "requests"):
        if field in requirements:
            round_up_to_milli(requirements[field], request.server)


def round_up_to_milli(amounts: dict[str, str], server: ApiServer) -> None:
    """Round up amounts to thousandths, as the API server does with every resource list."""
    for name, amount in amounts.items():
        if not amount.isalnum() or amount[-1] in "nu":
            quantity = parse(amount, exact=server.exact_quantities)
            amounts[name] = quantity.rounded_up_to_milli().canonical()


def wrong_container_resource(name: str, path: str) -> Iterator[FieldError]:
    """Yield the errors of a container's resource name."""
    for detail in container_resource_name(name):
        yield invalid(path, resource_name_value(name), detail)


def check_requirements(
    requirements: dict[str, Any],
    path: str,
    request: Request,
    wrong_name: Callable[[str, str], Iterator[FieldError]] = wrong_container_resource,
) -> Iterator[FieldError]:
    """Validate requests and limits, except claims.

    Args:
        requirements: the resources of a container or of a Pod.
        path: their field path.
        wrong_name: validates the name of a resource: (name, path) to errors.
    """
    limits, requests = requirements.get("limits", {}), requirements.get("requests", {})
    for field, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            if (
                name in CONTAINER_RESOURCES
                and amount[0] != "-"
                and wrong_name is wrong_container_resource
            ):
                continue  # fast path: most amounts need no further check
            at = f"{path}.{field}[{name}]"
            yield from wrong_name(name, at)
            yield from _check_amount(name, amount, at, request)
    for name, amount in requests.items():
        yield from _check_request(name, amount, limits.get(name), path)
    names = {*limits, *requests}
    if any(map(is_huge_pages, names)) and not ("cpu" in names or "memory" in names):
        yield forbidden(path, "HugePages require cpu or memory")


def _check_amount(name: str, amount: str, path: str, request: Request) -> Iterator[FieldError]:
    quantity = parse(amount, exact=request.server.exact_quantities)
    if quantity.sign < 0:
        yield invalid(path, amount, "must be greater than or equal to 0")
    if not quantity.is_integer() and is_counted(name):
        yield invalid(path, amount, "must be an integer")
    if not is_huge_pages(name) or is_multiple_of_page(name, amount, request.server):
        return
    if not request.once(_has_indivisible_huge_pages):
        yield invalid(path, amount, f"{amount} is not positive integer multiple of {name}")


def _check_request(name: str, amount: str, limit: str | None, path: str) -> Iterator[FieldError]:
    if limit == amount or (limit is None and may_be_overcommitted(name)):
        return
    if limit is None:
        yield required(f"{path}.limits", "Limit must be set for non overcommitable resources")
        return
    difference = parse(amount).compare(parse(limit))
    if difference and not may_be_overcommitted(name):
        yield _above_limit(path, name, amount, limit, "must be equal to")
    elif difference > 0:
        yield _above_limit(path, name, amount, limit, "must be less than or equal to")


LAST_WITHOUT_LIMIT = 26
"""The last minor version whose errors about a request do not name the limit."""


def _above_limit(path: str, name: str, amount: str, limit: str, words: str) -> FieldError:
    detail = f"{words} {name} limit"
    former = Former(0, LAST_WITHOUT_LIMIT, invalid("", amount, detail).message)
    at, entry = f"{path}.requests", f"[{name}]"
    return invalid(at, amount, f"{detail} of {limit}", entry=entry, former=former)


def is_multiple_of_page(name: str, amount: str, server: ApiServer) -> bool:
    """Return True if an amount of huge pages is a multiple of the page size in the name."""
    size, exact = name[len(HUGE_PAGES_PREFIX) :], server.exact_quantities
    try:
        page = parse(size, exact=exact)
    except BadQuantity:
        return False
    if size != size.strip() or page.sign <= 0 or not page.is_integer():
        return False
    page_size = page.value()  # may overflow to 0, on which kube-apiserver 1.36 panics
    if exact:
        whole = parse(amount, exact=True)
        number = whole.value()
        if page.milli_value() == MAX_INT64 or (number in CAPPED and whole != parse(number)):
            return False
    return page_size != 0 and parse(amount, exact=exact).value() % page_size == 0


def _has_indivisible_huge_pages(request: Request) -> bool:
    """Return True if the stored Pod has partial huge pages, which were valid before Kubernetes 1.20."""
    pod = request.old_pod
    if pod is None:
        return False
    lists = [pod.get("overhead", {})]
    if request.server.minor >= POD_RESOURCES_EXCUSED_SINCE:
        lists += (
            pod.get("resources", {}).get("limits", {}),
            pod.get("resources", {}).get("requests", {}),
        )
    for field in ("containers", "initContainers", "ephemeralContainers"):
        for container in pod.get(field, ()):
            lists += (
                container["resources"].get("limits", {}),
                container["resources"].get("requests", {}),
            )
    return any(
        is_huge_pages(name) and not is_multiple_of_page(name, amount, request.server)
        for amounts in lists
        for name, amount in amounts.items()
    )


class ClaimedNames:
    """The names of a Pod's resourceClaims."""

    __slots__ = ("_detail", "_names")

    def __init__(self, pod: dict[str, Any]) -> None:
        self._names = {claim["name"] for claim in pod.get("resourceClaims", ()) if "name" in claim}
        self._detail = ""

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def not_found(self, path: str, name: str) -> FieldError:
        """Return the error for an unknown claim name; the API server lists all claims each time."""
        if not self._detail:
            known = f": {', '.join(sorted(self._names))}" if self._names else " which is empty"
            self._detail = f": must be one of the names in pod.spec.resourceClaims{known}"
        return FieldError("FieldValueNotFound", path, f"Not found: {quoted(name)}", self._detail)


def check_claims(
    claims: list[dict[str, Any]], path: str, claimed: ClaimedNames
) -> Iterator[FieldError]:
    """Validate a container's claims: each exists in the Pod, and no claim or request repeats.

    Args:
        claims: the claims of one container.
        path: their field path.
        claimed: the claims of the Pod.
    """
    seen: set[str] = set()
    in_part: set[str] = set()
    for index, claim in enumerate(claims):
        at, name, part = f"{path}[{index}]", claim.get("name", ""), claim.get("request", "")
        if not name:
            yield required(at)
            continue
        if name in seen:
            yield duplicate(at, name)
        else:
            for detail in dns_label(part) if part else ():
                yield invalid(f"{at}.request", part, detail)
            key = f"{name}/{part}" if part else name
            if key in seen:
                yield duplicate(at, key)
            elif not part and name in in_part:
                yield duplicate(at, name)
            seen.add(key)
            in_part.add(key.partition("/")[0])
        if name not in claimed:
            yield claimed.not_found(at, name)


def check_resize_policies(
    policies: list[dict[str, Any]], path: str, restart_policy: str, request: Request
) -> Iterator[FieldError]:
    """Validate the in-place resize policies of a container.

    Args:
        policies: the resizePolicy of one container.
        path: their field path; the API server reports the index only for duplicates.
        restart_policy: the restartPolicy of the Pod.
    """
    seen = set()
    for index, policy in enumerate(policies):
        resource, restart = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        if resource in seen:
            yield duplicate(f"{path}[{index}]", resource_name_value(resource, 0))
        seen.add(resource)
        if not resource:
            yield required(path)
        elif resource not in RESIZABLE_RESOURCES:
            yield not_supported(path, resource_name_value(resource, 0), RESIZABLE_RESOURCES)
        if not restart:
            yield required(path)
        elif restart not in RESIZE_POLICIES:
            yield not_supported(path, restart, RESIZE_POLICIES)
        if (
            restart_policy == "Never"
            and restart != "NotRequired"
            and request.server.minor >= RESIZE_DEPENDS_ON_RESTART_SINCE
        ):
            owner = "pod " if request.server.minor >= 36 else ""
            detail = f"must be 'NotRequired' when {owner}`restartPolicy` is 'Never'"
            yield invalid(path, named_string(restart), detail)
