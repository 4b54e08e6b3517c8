"""Proxies and agents that run beside the work of a Pod: how to recognize one, and what ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.lint.run_commands import image_name
from jobsworth.lint.shells import base_name, is_limited, launched, runs_shell
from jobsworth.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from jobsworth.lint.linted_job import LintedJob

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
    "cloudflared": ("tunnel",),
    "pilot-agent": ("proxy",),
    "vault": ("agent", "proxy"),
}  # fmt: skip
"""Names of programs and images that run until they get a signal, and their subcommands that do; none for all.

proxyv2 (pilot-agent) and linkerd2-proxy are the proxies of Istio and Linkerd.
"""

PREPARATIONS = frozenset(
    (
        "bootstrap", "config-test", "dry-run", "exit-after-auth", "help", "istio-clean-iptables",
        "istio-iptables", "mode", "one-time", "once", "validate", "version",
    )
)  # fmt: skip
"""Arguments, without hyphens before them, with which an agent does something that ends."""

ENDS_IN_CONFIGURATION = ("vault",)
"""Agents that a line of their configuration file ends, which the manifest does not show."""

WAYS_TO_END_THEM = (
    "quitquitquit", "pkill", "killall", "linkerd-await", "scuttle", "3500/v1.0/shutdown", "4191/shutdown",
    "graceful_shutdown",
)  # fmt: skip
"""Words in a command line that stop another container of the Pod."""


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

INJECTORS = (
    Injector(ISTIO_INJECT, native=(ISTIO_NATIVE,)),
    Injector("istio.io/rev", (), (ISTIO_NATIVE,), ISTIO_INJECT),
    Injector(
        "linkerd.io/inject",
        ("enabled", "ingress"),
        (
            "config.alpha.linkerd.io/proxy-enable-native-sidecar",
            "config.beta.linkerd.io/proxy-enable-native-sidecar",
        ),
    ),
    Injector(
        "vault.hashicorp.com/agent-inject", native=("vault.hashicorp.com/agent-pre-populate-only",)
    ),
    Injector("dapr.io/enabled"),
    Injector("consul.hashicorp.com/connect-inject"),
    Injector("kuma.io/sidecar-injection", ("enabled", "true")),
    Injector("azure.workload.identity/inject-proxy-sidecar"),
)
"""The annotations and labels that inject a sidecar which does not always end with the work."""


def runs_on(job: LintedJob, path: str, container: dict[str, Any]) -> bool:
    """Return True if a container beside the work is a known agent, by its image or its command line.

    A command line that cannot be followed counts as the program of the image.

    Args:
        job: the Job of the container.
        path: the field path of the container.
        container: its value.
    """
    name = image_name(container)
    return (name in AGENTS and not AGENTS[name]) or any(
        _is_agent(words) for words in _foreground(job, path, container)
    )


def endless_init_containers(job: LintedJob) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield the path and value of each init container that never ends, and True if it is an agent."""
    for index, container in enumerate(job.pod.get("initContainers", ())):
        path = f"{job.pod_path}.initContainers[{index}]"
        if "restartPolicy" in container or _runs_once(container):
            continue
        for words in _foreground(job, path, container):
            agent = _is_agent(words) and not _may_end_by_configuration(words)
            if agent or sleeps_forever(words):
                yield path, container, agent
                break


def _foreground(job: LintedJob, path: str, container: dict[str, Any]) -> list[list[str]]:
    """Return the commands that a container waits for, however long they take.

    Those of a script on its outer level; else its command line; without a command, that of its image.
    """
    words = [*container.get("command", ()), *container.get("args", ())]
    at = launched(words)
    if runs_shell(words):
        return [
            command.words
            for _, holder, script in job.scripts
            if holder == path and "timeout" not in script.text
            for command in script.commands
            if command.words and command.depth == 0 and command.waits
        ]
    if is_limited(words):
        return []
    lines = [words[at:]] if at < len(words) else []
    return lines if container.get("command") else [*lines, [image_name(container), *words]]


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


def sleeps_forever(words: Sequence[str]) -> bool:
    """Return True for ``sleep infinity``, ``tail -f /dev/null`` and their other spellings."""
    name, arguments = (base_name(words[0]), words[1:]) if words else ("", ())
    if name == "sleep":
        return any(argument in ("inf", "infinity") for argument in arguments)
    follows = any(argument in ("-f", "-F", "--follow") for argument in arguments)
    return name == "tail" and follows and "/dev/null" in arguments


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
