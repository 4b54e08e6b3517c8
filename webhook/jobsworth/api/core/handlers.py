"""Actions on a running container: commands, requests, probes and lifecycle hooks (``core/v1``).

Source: ``validateHandler``, ``validateProbe`` and ``validateLifecycle`` in
``pkg/apis/core/validation``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.ports import PORT_NUMBERS, port_number_or_name
from jobsworth.api.declare import (
    Field,
    Int32,
    Int64,
    IntOrString,
    ListOf,
    NonNegative,
    Pointer,
    Positive,
    String,
    Struct,
)
from jobsworth.api.field_errors import FieldError, forbidden, invalid, not_supported
from jobsworth.api.formats.keys import http_header_name
from jobsworth.api.validation_request import Request

SCHEMES = ("HTTP", "HTTPS")
HTTP_PROTOCOLS = ("HTTP1", "HTTP2")
GRPC_MODES = ("Plaintext", "TLS")
WINDOWS_STOP_SIGNALS = ("SIGKILL", "SIGTERM")
LINUX_STOP_SIGNALS = tuple(
    f"SIG{signal}"
    for signal in (
        *("ABRT", "ALRM", "BUS", "CHLD", "CLD", "CONT", "FPE", "HUP", "ILL", "INT", "IO", "IOT"),
        *("KILL", "PIPE", "POLL", "PROF", "PWR", "QUIT", "RTMAX"),
        *("RTMAX-1", "RTMAX-10", "RTMAX-11", "RTMAX-12", "RTMAX-13", "RTMAX-14", "RTMAX-2"),
        *("RTMAX-3", "RTMAX-4", "RTMAX-5", "RTMAX-6", "RTMAX-7", "RTMAX-8", "RTMAX-9"),
        *("RTMIN", "RTMIN+1", "RTMIN+10", "RTMIN+11", "RTMIN+12", "RTMIN+13", "RTMIN+14"),
        *("RTMIN+15", "RTMIN+2", "RTMIN+3", "RTMIN+4", "RTMIN+5", "RTMIN+6", "RTMIN+7"),
        *("RTMIN+8", "RTMIN+9", "SEGV", "STKFLT", "STOP", "SYS", "TERM", "TRAP", "TSTP", "TTIN"),
        *("TTOU", "URG", "USR1", "USR2", "VTALRM", "WINCH", "XCPU", "XFSZ"),
    )
)

_NO_HANDLER = "must specify a handler type"
_SEVERAL_HANDLERS = "may not specify more than 1 handler type"

ExecAction = Struct(
    "ExecAction",
    "A command that runs in the container, without a shell.",
    command=Field(ListOf(String), required=True),
)

HTTPHeader = Struct(
    "HTTPHeader",
    "A header of a request; names may repeat.",
    name=Field(String, always=True),
    value=Field(String, always=True),
)

# Ports are declared as pointers, because upstream distinguishes the name "" from the number 0.
HTTPGetAction = Struct(
    "HTTPGetAction",
    "An HTTP GET request; any status from 200 to 399 is success.",
    path=Field(String, default="/"),
    port=Field(Pointer(IntOrString), always=True, format=port_number_or_name),
    host=Field(String),
    scheme=Field(String, default="HTTP", enum=SCHEMES),
    httpHeaders=Field(ListOf(HTTPHeader)),
    protocol=Field(Pointer(String), enum=HTTP_PROTOCOLS, since="1.37", gate="H2CContainerProbe"),
)

TCPSocketAction = Struct(
    "TCPSocketAction",
    "A TCP connection; success if it opens.",
    port=Field(Pointer(IntOrString), always=True, format=port_number_or_name),
    host=Field(String),
)

GRPCAction = Struct(
    "GRPCAction",
    "A call to the standard gRPC health service.",
    port=Field(Int32, always=True, bounds=PORT_NUMBERS),
    service=Field(Pointer(String), always=True, default=""),
    mode=Field(Pointer(String), enum=GRPC_MODES, since="1.37", gate="GRPCContainerProbeTLS"),
)

SleepAction = Struct(
    "SleepAction",
    "A pause, in seconds.",
    seconds=Field(Int64, always=True),
)

LifecycleHandler = Struct(
    "LifecycleHandler",
    "The action of a lifecycle hook: exactly one.",
    exec=Field(Pointer(ExecAction)),
    httpGet=Field(Pointer(HTTPGetAction)),
    tcpSocket=Field(Pointer(TCPSocketAction)),
    sleep=Field(Pointer(SleepAction), since="1.29", gate="PodLifecycleSleepAction"),
)
LifecycleHandler.exactly_one_of(
    "exec", "httpGet", "tcpSocket", "sleep", none=_NO_HANDLER, several=_SEVERAL_HANDLERS
)

Lifecycle = Struct(
    "Lifecycle",
    "Hooks that run after the start and before the stop of a container.",
    postStart=Field(Pointer(LifecycleHandler), drop_emptied="1.30"),
    preStop=Field(Pointer(LifecycleHandler), drop_emptied="1.30"),
    stopSignal=Field(
        Pointer(String), values=LINUX_STOP_SIGNALS, since="1.33", gate="ContainerStopSignals"
    ),
)

Probe = Struct(
    "Probe",
    "A periodic check of a container, by one action.",
    exec=Field(Pointer(ExecAction)),
    httpGet=Field(Pointer(HTTPGetAction)),
    tcpSocket=Field(Pointer(TCPSocketAction)),
    grpc=Field(Pointer(GRPCAction)),
    initialDelaySeconds=Field(Int32, bounds=NonNegative),
    timeoutSeconds=Field(Int32, bounds=NonNegative, default=1),
    periodSeconds=Field(Int32, bounds=NonNegative, default=10),
    successThreshold=Field(Int32, bounds=NonNegative, default=1),
    failureThreshold=Field(Int32, bounds=NonNegative, default=3),
    terminationGracePeriodSeconds=Field(Pointer(Int64), bounds=Positive),
)
Probe.exactly_one_of(
    "exec", "httpGet", "tcpSocket", "grpc", none=_NO_HANDLER, several=_SEVERAL_HANDLERS
)


@HTTPGetAction.rule
@TCPSocketAction.rule
@GRPCAction.rule
def _port_is_set(action: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if "port" not in action:
        yield invalid(f"{path}.port", 0, PORT_NUMBERS.detail)


@HTTPGetAction.rule
def _headers_have_names(
    action: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    for header in action.get("httpHeaders", ()):
        name = header.get("name", "")
        for detail in http_header_name(name):
            yield invalid(f"{path}.httpHeaders", name, detail)


@HTTPGetAction.rule
def _http2_is_clear_text(
    action: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if action.get("protocol") != "HTTP2":
        return
    if action.get("scheme") != "HTTP":
        yield invalid(f"{path}.protocol", "HTTP2", "is only supported with HTTP (H2C)")
    elif action.get("host"):
        detail = 'must be empty when `protocol` is "HTTP2"'
        yield invalid(f"{path}.host", action["host"], detail)


def check_lifecycle(
    lifecycle: dict[str, Any], path: str, pod: dict[str, Any], request: Request
) -> Iterator[FieldError]:
    """Validate a container's lifecycle against its Pod.

    Args:
        lifecycle: the lifecycle of a container, or of a sidecar.
        path: its field path.
        pod: the PodSpec.
    """
    for hook in ("postStart", "preStop"):
        handler = lifecycle.get(hook, {})
        if "sleep" in handler and not (
            "exec" in handler or "httpGet" in handler or "tcpSocket" in handler
        ):
            yield from _check_sleep(handler["sleep"], f"{path}.{hook}.sleep", pod, request)
    signal = lifecycle.get("stopSignal")
    if signal is None:
        return
    system = pod.get("os")
    if system is None:
        yield forbidden(
            f"{path}.stopSignal", "may not be set for containers with empty `spec.os.name`"
        )
        return
    known = {"linux": LINUX_STOP_SIGNALS, "windows": WINDOWS_STOP_SIGNALS}.get(system.get("name"))
    if known is not None and signal not in known:
        yield not_supported(f"{path}.stopSignal", signal, known)


def _check_sleep(
    sleep: dict[str, Any], path: str, pod: dict[str, Any], request: Request
) -> Iterator[FieldError]:
    seconds, grace_period = sleep.get("seconds", 0), pod["terminationGracePeriodSeconds"]
    zero_allowed = request.once(_may_sleep_zero_seconds)
    if (0 if zero_allowed else 1) <= seconds <= grace_period:
        return
    least = "non-negative" if zero_allowed else "greater than 0"
    detail = f"must be {least} and less than terminationGracePeriodSeconds ({grace_period})"
    if not zero_allowed and request.server.minor >= 32:
        detail += ". Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."
    yield invalid(path, seconds, detail)


def _may_sleep_zero_seconds(request: Request) -> bool:
    """Return True since 1.33; earlier, only if the stored Pod already does (KEP-4818)."""
    if request.enabled("PodLifecycleSleepActionAllowZero"):
        return True
    pod = request.old_pod or {}
    sleeps = (
        container.get("lifecycle", {}).get(hook, {}).get("sleep")
        for field in ("containers", "initContainers", "ephemeralContainers")
        for container in pod.get(field, ())
        for hook in ("postStart", "preStop")
    )
    return request.server.minor >= 32 and any(
        sleep is not None and "seconds" not in sleep for sleep in sleeps
    )
