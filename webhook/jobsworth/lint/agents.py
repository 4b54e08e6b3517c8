"""Proxies and agents that run beside the work of a Pod: how to recognize one, and what ends it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from jobsworth.lint.command_line import base_name
from jobsworth.lint.container_start import ContainerStart, image_name
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.usual_programs import sleeps_forever
from jobsworth.record import Record

AGENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            "alloydb-auth-proxy", "aws-otel-collector", "cloud-sql-proxy", "cloud_sql_proxy",
            "cloudsql-proxy", "consul-dataplane", "daprd", "envoy", "filebeat", "fluent-bit", "fluentd",
            "gce-proxy", "git-sync", "jaeger-agent", "kube-rbac-proxy", "linkerd2-proxy", "metricbeat",
            "oauth2-proxy", "opentelemetry-collector", "opentelemetry-collector-contrib",
            "opentelemetry-collector-k8s", "otelcol", "otelcol-contrib", "otelcol-k8s", "pgbouncer",
            "promtail", "proxyv2", "telegraf",
        ),
        (),
    ),
    "alloy": ("run",),
    "consul": ("agent",),
    "consul-template": (),
    "cloudflared": ("tunnel",),
    "pilot-agent": ("proxy",),
    "vault": ("agent", "proxy"),
}  # fmt: skip
"""Names of programs and images that run until they get a signal, and their subcommands that do; none for all.

proxyv2 (pilot-agent) and linkerd2-proxy are the proxies of Istio and Linkerd.
"""

PREPARATIONS = frozenset(
    (
        "bootstrap", "config-test", "dry-run", "exec", "exit-after-auth", "help", "istio-clean-iptables",
        "istio-iptables", "mode", "one-time", "once", "parse-only", "validate", "version",
    )
)  # fmt: skip
"""Arguments, without hyphens before them, with which an agent does something that ends."""

RUN_ONCE = {"consul-template": "-once", "git-sync": "--one-time", "vault": "-exit-after-auth"}
"""The argument with which an agent that prepares files for others does so once, and exits."""

ENDS_IN_CONFIGURATION = ("consul-template", "vault")
"""Agents that a line of their configuration file ends, which the manifest does not show."""

WAYS_TO_END_THEM = (
    "quitquitquit", "pkill", "killall", "linkerd-await", "scuttle", "3500/v1.0/shutdown", "4191/shutdown",
    "graceful_shutdown",
)  # fmt: skip
"""Words in a command line that stop another container of the Pod."""


QUIT_REQUESTS = {
    "istio": "curl -fsS -X POST http://localhost:15020/quitquitquit",
    "linkerd": "curl -fsS -X POST http://localhost:4191/shutdown",
    "sql": "curl -fsS -X POST http://localhost:9091/quitquitquit (with --quitquitquit)",
    "daprd": "curl -fsS -X POST http://localhost:3500/v1.0/shutdown",
    "envoy": "curl -fsS -X POST http://localhost:9901/quitquitquit",
}
"""Requests that end a proxy, by a part of the name of its container or image."""

_HELPER = re.compile(
    r"(^|[-_/])(\w*proxy\w*|sidecar|\w*agent|dind|docker|daprd|envoy|exporter|collector|fluent\w*|\w*beat"
    r"|otel\w*|logger|logging|log-(shipper|forwarder|router)|logs|metrics|monitor|telegraf|vector|promtail"
    r"|tunnel|statsd|vpn)([-_0-9]|$)"
)
"""Names that containers beside the work usually have."""


class Injector(Record):
    """An annotation or label of Pods for which a webhook adds a sidecar.

    Attributes:
        key: its key.
        values: its values that add one; none for any value.
        native: the annotations that make the sidecar end with the Pod, the most recent last.
        unless: a label or annotation whose value ``false`` prevents it.
    """

    key: str
    values: tuple[str, ...] = ("true",)
    native: tuple[str, ...] = ()
    unless: str = ""


ISTIO_INJECT, ISTIO_NATIVE = "sidecar.istio.io/inject", "sidecar.istio.io/nativeSidecar"
LINKERD_NATIVE = (
    "config.alpha.linkerd.io/proxy-enable-native-sidecar",
    "config.beta.linkerd.io/proxy-enable-native-sidecar",
)
NATIVE_SIDECARS = {"istio": (ISTIO_NATIVE,), "linkerd": LINKERD_NATIVE}
"""Annotations whose value ``true`` makes an injected proxy a native sidecar, the most recent last, by a part
of the name of its container."""

INJECTORS = (
    Injector(ISTIO_INJECT, native=(ISTIO_NATIVE,)),
    Injector("istio.io/rev", (), (ISTIO_NATIVE,), ISTIO_INJECT),
    Injector("linkerd.io/inject", ("enabled", "ingress"), LINKERD_NATIVE),
    Injector(
        "vault.hashicorp.com/agent-inject", native=("vault.hashicorp.com/agent-pre-populate-only",)
    ),
    Injector("dapr.io/enabled"),
    Injector("consul.hashicorp.com/connect-inject"),
    Injector("kuma.io/sidecar-injection", ("enabled", "true")),
    Injector("azure.workload.identity/inject-proxy-sidecar"),
)
"""The annotations and labels that inject a sidecar which does not always end with the work."""


def is_helper(name: str, image: str) -> bool:
    """Return True if a container is probably a proxy or an agent, by its name or its image.

    >>> is_helper("istio-proxy", "x:1"), is_helper("w", "envoyproxy/envoy:v1"), is_helper("main", "x:1")
    (True, True, False)
    """
    program = image_name({"image": image})
    return program in AGENTS or bool(_HELPER.search(name) or _HELPER.search(program))


def runs_on(start: ContainerStart) -> bool:
    """Return True if a container beside the work is a known agent, by its image or its command line.

    A command line that cannot be followed counts as the program of the image.
    """
    name = image_name(start.container)
    return (name in AGENTS and not AGENTS[name]) or any(map(_is_agent, _foreground(start)))


class EndlessInitContainer(Record):
    """An init container that never ends.

    Attributes:
        start: its start.
        agent: the name of the agent that it runs; empty for another command.
    """

    start: ContainerStart
    agent: str


def endless_init_containers(job: LintedJob) -> Iterator[EndlessInitContainer]:
    """Yield the init containers that never end."""
    for start in job.starts:
        if not start.is_init or "restartPolicy" in start.container or _runs_once(start.container):
            continue
        for words in _foreground(start):
            agent = _is_agent(words) and not _may_end_by_configuration(words)
            if agent or sleeps_forever(words):
                yield EndlessInitContainer(start, base_name(words[0]) if agent else "")
                break


def _foreground(start: ContainerStart) -> list[Sequence[str]]:
    """Return the commands that a container waits for, however long they take.

    Those of a script on its outer level; else its command line; without a command, that of its image.
    """
    line, script = start.line, start.script
    if script is not None:
        if "timeout" in script.text:
            return []
        return [
            each.words for each in script.commands if each.words and each.depth == 0 and each.waits
        ]
    if line.starts_shell or line.limited:
        return []
    lines = [line.arguments] if line.program else []
    if not line.written and not line.implied:
        lines.append([image_name(start.container), *line.words])
    return lines


def _runs_once(container: dict[str, Any]) -> bool:
    """Return True if a variable lets git-sync end after the first time."""
    return any(
        variable.get("name", "").endswith("ONE_TIME") for variable in container.get("env", ())
    )


def _may_end_by_configuration(words: Sequence[str]) -> bool:
    name = base_name(words[0])
    return name in ENDS_IN_CONFIGURATION and any("config" in word for word in words)


def _is_agent(words: Sequence[str]) -> bool:
    """Return True for the command line of an agent that runs until it gets a signal.

    >>> _is_agent(["/bin/vault", "agent"]), _is_agent(["vault", "kv"]), _is_agent(["envoy", "--version"])
    (True, False, False)
    """
    name = base_name(words[0]) if words else ""
    if name not in AGENTS:
        return False
    subcommands, arguments = AGENTS[name], words[1:]
    if subcommands and not any(word in subcommands for word in arguments):
        return False
    return not any(word.lstrip("-").partition("=")[0] in PREPARATIONS for word in arguments)


def stopped_by_command(pod: dict[str, Any]) -> bool:
    """Return True if a container probably stops the others when it has finished."""
    if pod.get("shareProcessNamespace"):
        return True
    return any(
        way in argument
        for container in pod.get("containers", ())
        for argument in (*container.get("command", ()), *container.get("args", ()))
        for way in WAYS_TO_END_THEM
    )
