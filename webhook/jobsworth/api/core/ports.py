"""Container ports, and references to them by number or by name (``core/v1``).

Source: ``validateContainerPorts`` in ``pkg/apis/core/validation``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.declare import Between, Field, Int32, ServerWarning, String, Struct
from jobsworth.api.field_errors import FieldError, duplicate, quoted
from jobsworth.api.formats.keys import port_name

PORT_NUMBERS = Between(1, 65535)

PORT_WARNINGS_SINCE = 28
"""The first minor version that warns of equal ports (kubernetes/kubernetes#113245)."""
NAMES_COMPARED_SINCE = 33
"""The first minor version that warns of equal names of ports in different containers."""

MAX_PORTS_COMPARED = 10
"""The number of equal ports with which another one is compared: all pairs of many would take too long."""

PROTOCOLS = ("SCTP", "TCP", "UDP")


def port_number_or_name(port: int | str) -> list[str]:
    """Validate a reference to a container port, by number or by name."""
    if isinstance(port, str):
        return port_name(port)
    return [] if PORT_NUMBERS.admits(port) else [PORT_NUMBERS.detail]


ContainerPort = Struct(
    "ContainerPort",
    "A port of a container, and its port on the node.",
    name=Field(String, format=port_name),
    hostPort=Field(Int32, bounds=PORT_NUMBERS),
    containerPort=Field(Int32, always=True, required=True, bounds=PORT_NUMBERS),
    protocol=Field(String, default="TCP", enum=PROTOCOLS),
    hostIP=Field(String),
)


def check_port_names(ports: list[dict[str, Any]], path: str) -> Iterator[FieldError]:
    """Require unique port names in a container.

    Args:
        ports: a container's ports.
        path: their field path.
    """
    seen = set()
    for index, port in enumerate(ports):
        name = port.get("name", "")
        if name in seen:
            yield duplicate(f"{path}[{index}].name", name)
        elif name and not port_name(name):
            seen.add(name)


def port_warnings(pod: dict[str, Any], path: str, minor: int) -> Iterator[ServerWarning]:
    """Yield the server's warnings about container ports that several containers or entries have.

    Source: ``warningsForPodSpecAndMeta`` in ``pkg/api/pod``, Kubernetes 1.28 to 1.37.

    Args:
        pod: a valid PodSpec.
        path: its field path.
        minor: the minor version of the server; servers before 1.28 do not warn.
    """
    taken: dict[tuple[int, str], list[tuple[str, dict[str, Any]]]] = {}
    for at, port in _every_port(pod, path):
        if port.get("hostIP") and not port.get("hostPort"):
            yield ServerWarning(at, f"hostIP set without hostPort: {_printed(port)}")
        others = taken.setdefault((port["containerPort"], port["protocol"]), [])
        for place, other in others[:MAX_PORTS_COMPARED]:
            conflict = _conflict(port, other)
            if conflict:
                yield ServerWarning(at, f"{conflict} port definition with {place}")
        others.append((at, port))
    if minor < NAMES_COMPARED_SINCE:
        return
    names: dict[str, str] = {}
    for at, port in _every_port(pod, path):
        name = port.get("name", "")
        if name and (first := names.setdefault(name, at)) != at:
            yield ServerWarning(
                at,
                f"duplicate port name {quoted(name)} with {first}, services and probes that select "
                f"ports by name will use {first}",
            )


def _every_port(pod: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the ports of all containers with their field paths, in the order of the server."""
    for field in ("initContainers", "containers", "ephemeralContainers"):
        for number, container in enumerate(pod.get(field, ())):
            for index, port in enumerate(container.get("ports", ())):
                yield f"{path}.{field}[{number}].ports[{index}]", port


def _printed(port: dict[str, Any]) -> str:
    """Format a port as Go prints a struct."""
    return (
        f"{{Name:{port.get('name', '')} HostPort:{port.get('hostPort', 0)} "
        f"ContainerPort:{port['containerPort']} Protocol:{port['protocol']} "
        f"HostIP:{port.get('hostIP', '')}}}"
    )


def _conflict(port: dict[str, Any], other: dict[str, Any]) -> str:
    """Return the kind of conflict of two entries with the same container port and protocol; empty if none."""
    number, address = port.get("hostPort", 0), port.get("hostIP", "")
    other_number, other_address = other.get("hostPort", 0), other.get("hostIP", "")
    if (number, address) == (other_number, other_address):
        return "duplicate"
    if not number or not other_number:
        return "overlapping"
    ambiguous = number == other_number and bool(address) != bool(other_address)
    return "dangerously ambiguous" if ambiguous else ""


def check_host_ports(
    ports: list[dict[str, Any]], path: str, taken: set[str]
) -> Iterator[FieldError]:
    """Require unique host ports.

    Args:
        ports: a container's ports.
        path: their field path.
        taken: the host ports in use, extended in place with those of these ports.
    """
    for index, port in enumerate(ports):
        number = port.get("hostPort", 0)
        if number:
            address = f"{port.get('protocol', '')}/{port.get('hostIP', '')}/{number}"
            if address in taken:
                yield duplicate(f"{path}[{index}].hostPort", address)
            taken.add(address)
