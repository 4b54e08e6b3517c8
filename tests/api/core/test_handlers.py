"""Probes, lifecycle hooks, and the actions of both."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from jobsworth.api.core.handlers import LINUX_STOP_SIGNALS, WINDOWS_STOP_SIGNALS
from support.validation.engine_errors import pod_errors, server
from support.validation.validated_containers import (
    MAIN,
    SIDECAR,
    Errors,
    container_errors,
    init_container_errors,
    stored_container,
)

OUT_OF_RANGE = "must be between 1 and 65535, inclusive"
ONE_TYPE = "Forbidden: may not specify more than 1 handler type"
EXEC = {"exec": {"command": ["true"]}}
HEADER = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', "
    "regex used for validation is '[-A-Za-z0-9]+')"
)
LETTER = "must contain at least one letter (a-z)"


@pytest.mark.parametrize(
    ("action", "errors"),
    [
        (EXEC, {}),
        ({"exec": {}}, {"exec.command": "Required value"}),
        ({"httpGet": {"port": 80}}, {}),
        ({"httpGet": {"port": "http", "httpHeaders": [{"name": "X-A", "value": "b"}]}}, {}),
        ({"httpGet": {}}, {"httpGet.port": f"Invalid value: 0: {OUT_OF_RANGE}"}),
        ({"httpGet": {"port": 0}}, {"httpGet.port": f"Invalid value: 0: {OUT_OF_RANGE}"}),
        ({"httpGet": {"port": "80"}}, {"httpGet.port": f'Invalid value: "80": {LETTER}'}),
        (
            {"httpGet": {"port": ""}},
            {
                "httpGet.port": 'Invalid value: "": must contain at least one letter (a-z); '
                'Invalid value: "": must contain only alpha-numeric characters (a-z, 0-9), '
                "and hyphens (-)"
            },
        ),
        (
            {"httpGet": {"port": 80, "scheme": "http"}},
            {"httpGet.scheme": 'Unsupported value: "http": supported values: "HTTP", "HTTPS"'},
        ),
        (
            {"httpGet": {"port": 80, "httpHeaders": [{"name": "X_A"}]}},
            {"httpGet.httpHeaders": f'Invalid value: "X_A": {HEADER}'},
        ),
        (
            {"httpGet": {"port": 80, "httpHeaders": [{"value": "b"}]}},
            {"httpGet.httpHeaders": f'Invalid value: "": {HEADER}'},
        ),
        ({"tcpSocket": {"port": 65535}}, {}),
        (
            {"tcpSocket": {"port": 65536}},
            {"tcpSocket.port": f"Invalid value: 65536: {OUT_OF_RANGE}"},
        ),
        ({"tcpSocket": {}}, {"tcpSocket.port": f"Invalid value: 0: {OUT_OF_RANGE}"}),
        ({"grpc": {"port": 50051}}, {}),
        ({"grpc": {"port": -1}}, {"grpc.port": f"Invalid value: -1: {OUT_OF_RANGE}"}),
        ({"grpc": {}}, {"grpc.port": f"Invalid value: 0: {OUT_OF_RANGE}"}),
        ({}, {"": "Required value: must specify a handler type"}),
        ({**EXEC, "grpc": {}}, {"grpc": ONE_TYPE}),
        ({"exec": {}, "httpGet": {}}, {"exec.command": "Required value", "httpGet": ONE_TYPE}),
    ],
)
def test_a_probe_is_one_action(action: dict[str, Any], errors: Errors) -> None:
    expected = {f"readinessProbe.{field}".rstrip("."): errors[field] for field in errors}
    assert container_errors({"readinessProbe": action}) == expected


@pytest.mark.parametrize("probe", ["livenessProbe", "readinessProbe", "startupProbe"])
@pytest.mark.parametrize(
    "field",
    [
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "failureThreshold",
    ],
)
def test_times_and_thresholds_of_probes_are_not_negative(probe: str, field: str) -> None:
    assert container_errors({probe: {**EXEC, field: 0}}) == {}
    assert container_errors({probe: {**EXEC, field: -1}}) == {
        f"{probe}.{field}": "Invalid value: -1: must be greater than or equal to 0"
    }


@pytest.mark.parametrize(
    ("probe", "threshold", "message"),
    [
        ("livenessProbe", 0, ""),
        ("livenessProbe", 1, ""),
        ("livenessProbe", 2, "Invalid value: 2: must be 1"),
        ("startupProbe", 2, "Invalid value: 2: must be 1"),
        ("readinessProbe", 2, ""),
        ("readinessProbe", -1, "Invalid value: -1: must be greater than or equal to 0"),
        (
            "livenessProbe",
            -1,
            "Invalid value: -1: must be 1; Invalid value: -1: must be greater than or equal to 0",
        ),
    ],
)
def test_one_success_is_enough_but_for_readiness(probe: str, threshold: int, message: str) -> None:
    errors = {f"{probe}.successThreshold": message} if message else {}
    assert container_errors({probe: {**EXEC, "successThreshold": threshold}}) == errors


@pytest.mark.parametrize(
    ("probe", "period", "message"),
    [
        ("livenessProbe", 1, ""),
        ("startupProbe", 0, "Invalid value: 0: must be greater than 0"),
        ("readinessProbe", 1, "Invalid value: 1: must not be set for readinessProbes"),
    ],
)
def test_a_failed_probe_leaves_time_to_stop(probe: str, period: int, message: str) -> None:
    errors = {f"{probe}.terminationGracePeriodSeconds": message} if message else {}
    assert container_errors({probe: {**EXEC, "terminationGracePeriodSeconds": period}}) == errors


def test_defaults_of_probes() -> None:
    times = {
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }
    assert stored_container({"livenessProbe": {"httpGet": {"port": 80}}})["livenessProbe"] == {
        "httpGet": {"port": 80, "path": "/", "scheme": "HTTP"},
        **times,
    }
    assert stored_container({"startupProbe": {"grpc": {"port": 1}, "periodSeconds": 0}})[
        "startupProbe"
    ] == {
        "grpc": {"port": 1, "service": ""},
        **times,
    }


@pytest.mark.parametrize("hook", ["postStart", "preStop"])
@pytest.mark.parametrize(
    ("action", "errors"),
    [
        (EXEC, {}),
        ({"tcpSocket": {"port": 80}}, {}),
        ({"sleep": {"seconds": 0}}, {}),
        ({"sleep": {"seconds": 30}}, {}),
        ({}, {"": "Required value: must specify a handler type"}),
        ({**EXEC, "sleep": {"seconds": 99}}, {"sleep": ONE_TYPE}),
        (
            {"sleep": {"seconds": 31}},
            {
                "sleep": "Invalid value: 31: must be non-negative and less than "
                "terminationGracePeriodSeconds (30)"
            },
        ),
        (
            {"sleep": {"seconds": -1}},
            {
                "sleep": "Invalid value: -1: must be non-negative and less than "
                "terminationGracePeriodSeconds (30)"
            },
        ),
    ],
)
def test_a_hook_is_one_action(hook: str, action: dict[str, Any], errors: Errors) -> None:
    expected = {f"lifecycle.{hook}.{field}".rstrip("."): errors[field] for field in errors}
    assert container_errors({"lifecycle": {hook: action}}) == expected


@pytest.mark.parametrize(
    ("release", "detail"),
    [
        ("1.31", "must be greater than 0 and less than terminationGracePeriodSeconds (30)"),
        (
            "1.32",
            "must be greater than 0 and less than terminationGracePeriodSeconds (30). "
            "Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.",
        ),
        ("1.33", ""),
    ],
)
def test_not_to_sleep_at_all_is_possible_since_1_33(release: str, detail: str) -> None:
    pod = {"containers": [{**MAIN, "lifecycle": {"preStop": {"sleep": {}}}}]}
    errors = {("containers[0].lifecycle.preStop.sleep", f"Invalid value: 0: {detail}")}
    assert pod_errors(pod, at=server(release)) == (errors if detail else set())


def test_a_handler_with_a_zero_sleep_may_stay() -> None:
    at = server("1.33", {"PodLifecycleSleepActionAllowZero": False})
    pod = {"containers": [{**MAIN, "lifecycle": {"preStop": {"sleep": {"seconds": 0}}}}]}
    assert pod_errors(pod, at=at)
    assert pod_errors(pod, old=pod, at=at) == set()


STOP_SIGNALS = {"ContainerStopSignals": True}


@pytest.mark.parametrize(
    ("signal", "system", "message"),
    [
        ("SIGTERM", "linux", ""),
        ("SIGRTMIN+15", "linux", ""),
        ("SIGTERM", "windows", ""),
        ("SIGTERM", "", "Forbidden: may not be set for containers with empty `spec.os.name`"),
        (
            "SIGUSR1",
            "windows",
            'Unsupported value: "SIGUSR1": supported values: "SIGKILL", "SIGTERM"',
        ),
    ],
)
def test_stop_signals_are_those_of_the_operating_system(
    signal: str, system: str, message: str
) -> None:
    pod = {"os": {"name": system}} if system else {}
    errors = {"lifecycle.stopSignal": message} if message else {}
    container = {"lifecycle": {"stopSignal": signal}}
    assert container_errors(container, at=server(gates=STOP_SIGNALS), **pod) == errors
    assert (
        init_container_errors({**SIDECAR, **container}, at=server(gates=STOP_SIGNALS), **pod)
        == errors
    )


def test_stop_signals_are_sorted_as_the_server_names_them() -> None:
    assert list(LINUX_STOP_SIGNALS) == sorted(LINUX_STOP_SIGNALS)
    assert len(LINUX_STOP_SIGNALS) == 65
    assert set(WINDOWS_STOP_SIGNALS) < set(LINUX_STOP_SIGNALS)


def test_a_lifecycle_that_is_only_a_stop_signal_is_dropped_together_with_it() -> None:
    assert "lifecycle" not in stored_container({"lifecycle": {"stopSignal": "SIGTERM"}})
    assert stored_container({"lifecycle": {}})["lifecycle"] == {}
    kept = stored_container({"lifecycle": {"stopSignal": "SIGTERM", "preStop": EXEC}})["lifecycle"]
    assert kept == {"preStop": EXEC}


def test_the_stop_signals_of_linux() -> None:
    """Source: ``supportedStopSignalsLinux`` in ``pkg/apis/core/validation``, Kubernetes 1.36."""
    lowest = [f"RTMIN{offset}" for offset in ("", *(f"+{number}" for number in range(1, 16)))]
    highest = [f"RTMAX{offset}" for offset in ("", *(f"-{number}" for number in range(1, 15)))]
    others = [
        "ABRT",
        "ALRM",
        "BUS",
        "CHLD",
        "CLD",
        "CONT",
        "FPE",
        "HUP",
        "ILL",
        "INT",
        "IO",
        "IOT",
        "KILL",
        "PIPE",
        "POLL",
        "PROF",
        "PWR",
        "QUIT",
        "SEGV",
        "STKFLT",
        "STOP",
        "SYS",
        "TERM",
        "TRAP",
        "TSTP",
        "TTIN",
        "TTOU",
        "URG",
        "USR1",
        "USR2",
        "VTALRM",
        "WINCH",
        "XCPU",
        "XFSZ",
    ]
    assert list(LINUX_STOP_SIGNALS) == sorted(f"SIG{each}" for each in lowest + highest + others)


@pytest.mark.parametrize(
    ("one", "other"), [*itertools.combinations(("exec", "httpGet", "tcpSocket", "sleep"), 2)]
)
def test_a_hook_has_one_action(one: str, other: str) -> None:
    actions = {
        "exec": {"command": ["a"]},
        "httpGet": {"port": 80},
        "tcpSocket": {"port": 80},
        "sleep": {"seconds": 1},
    }
    hook = {one: actions[one], other: actions[other]}
    found = container_errors({"lifecycle": {"preStop": hook}})
    assert [text for text in found.values() if "more than 1 handler" in text]


@pytest.mark.parametrize("stored", [0, 5])
def test_only_a_stored_pod_that_sleeps_for_no_time_may_until_the_gate_is_on(stored: int) -> None:
    def sleeping(seconds: int) -> dict[str, Any]:
        hook = {"preStop": {"sleep": {"seconds": seconds}}}
        return {"containers": [{"name": "main", "image": "a", "lifecycle": hook}]}

    at = server("1.32", {"PodLifecycleSleepActionAllowZero": False})
    rejected = {field for field, _ in pod_errors(sleeping(0), sleeping(stored), at=at)}
    assert ("containers[0].lifecycle.preStop.sleep" in rejected) is (stored != 0)
