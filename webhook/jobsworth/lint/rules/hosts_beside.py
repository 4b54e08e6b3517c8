"""A rule for the hosts and ports that a container waits for, and the Services beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import SERVICE, Neighbor, part, parts
from jobsworth.lint.rules.object_references import reordered, slip_of

HOST_OPTIONS = {
    **dict.fromkeys(
        ("mariadb-admin", "mysqladmin", "mysql", "mariadb"), (("-h", "--host"), ("-P", "--port"))
    ),
    **dict.fromkeys(("pg_isready", "psql"), (("-h", "--host"), ("-p", "--port"))),
    **dict.fromkeys(("redis-cli", "valkey-cli"), (("-h",), ("-p",))),
    "mongosh": (("--host",), ("--port",)),
    "rabbitmq-diagnostics": (("-n",), ()),
}
"""Programs that connect to a server, with their options for the host and the port."""
WITH_URL = (
    "curl",
    "dockerize",
    "wait-for",
    "wait-for-it",
    "wait-for-it.sh",
    "wait-for.sh",
    "wget",
    "wait4x",
)
"""Programs that connect to a server which a URL, or a word such as ``host:port``, names."""
ADDED = frozenset(
    ("cluster", "headless", "hl", "internal", "master", "primary", "rw", "server", "service", "svc")
)
"""Words by which the name of a Service differs from that of its servers."""
MIN_LENGTH = 4
_HOST = re.compile(
    r"(?:[a-z]+://)?(?:[^@/\s]*@)?([a-z](?:[-a-z0-9]*[a-z0-9])?)((?:\.[-a-z0-9]+)*)(?::(\d{1,5}))?(?:/\S*)?"
)
_DEVICE = re.compile(r"/dev/tcp/([a-z][-a-z0-9]*)((?:\.[-a-z0-9]+)*)/(\d{1,5})")


@lint_rule(
    "JW706",
    "host-not-offered",
    severity="warning",
    summary="A script connects to a host or port that no Service beside it has, and one has a like name.",
    needs=needs.neighbors,
)
def host_not_offered(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None:
        return
    services: dict[str, Neighbor] | None = None
    for command in job.commands:
        for host, namespace, port in dialed(command.words):
            if services is None:
                services = {
                    each.name: each for each in job.neighbors.beside(job.namespace, SERVICE)
                }
            if not services:
                return
            if namespace not in ("", job.namespace) or len(host) < MIN_LENGTH:
                continue
            service = services.get(host)
            if service is not None:
                if port and not _has_port(service, port):
                    yield Diagnostic(
                        command.field,
                        f"The Service {host}{service.place} has no port {port}: {command.name} never gets an "
                        f"answer there. It has {_ports(service)}.",
                        line=command.line,
                    )
                    return
                continue
            meant = _meant(host, services)
            if (
                meant
                and not job.neighbors.named(SERVICE, host)
                and not job.neighbors.may_make(host)
            ):
                yield Diagnostic(
                    command.field,
                    f"No Service is named {host} beside this manifest, but one is named {meant}"
                    f"{services[meant].place}: {command.name} does not find the host. Write {meant} if it "
                    "is meant.",
                    line=command.line,
                )
                return


def dialed(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the first label, the namespace and the port of each host to which a command connects.

    >>> list(dialed(["nc", "-z", "-w", "2", "db.shop.svc", "5432"]))
    [('db', 'shop', '5432')]
    >>> list(dialed(["pg_isready", "-h", "shop-db"])), list(dialed(["curl", "http://api:8080/x"]))
    ([('shop-db', '', '')], [('api', '', '8080')])
    """
    name = words[0].rpartition("/")[2] if words else ""
    if name in HOST_OPTIONS:
        hosts, ports = HOST_OPTIONS[name]
        port = next((after for after in _values(words, ports) if after.isdecimal()), "")
        for value in _values(words, hosts):
            yield from _read(value, port)
    elif name in ("nc", "netcat", "ncat"):
        rest = [word for word in words[1:] if not word.startswith("-")]
        if len(rest) > 1 and rest[-1].isdecimal():
            yield from _read(rest[-2], rest[-1])
    elif name in WITH_URL:
        for word in words[1:]:
            if "://" in word or re.fullmatch(r"[-a-z0-9.]+:\d+", word):
                yield from _read(word.partition("=")[2] if word.startswith("-") else word, "")
    for word in words:
        for found in _DEVICE.finditer(word) if "/dev/tcp/" in word else ():
            yield found[1], found[2].lstrip(".").partition(".")[0], found[3]


def _values(words: Sequence[str], options: Sequence[str]) -> Iterator[str]:
    for index, word in enumerate(words[1:], 1):
        for option in options:
            if word == option:
                yield from words[index + 1 : index + 2]
            elif word.startswith(f"{option}="):
                yield word.partition("=")[2]
            elif len(option) == 2 and word.startswith(option):
                yield word[2:]


def _read(text: str, port: str) -> Iterator[tuple[str, str, str]]:
    found = _HOST.fullmatch(text)
    if found is None:
        return
    labels = found[2].lstrip(".").split(".")
    in_cluster = labels == [""] or len(labels) == 1 or labels[1:2] == ["svc"]
    if in_cluster and not (
        len(labels) == 1 and labels[0] in ("com", "dev", "io", "net", "org", "local")
    ):
        yield found[1], labels[0], found[3] or port


def _meant(host: str, services: dict[str, Neighbor]) -> str:
    """Return the only Service whose name differs from a host in a usual word, the order or one letter."""
    words = host.split("-")
    found = []
    for name in services:
        other = name.split("-")
        longer, shorter = (other, words) if len(other) > len(words) else (words, other)
        added = len(longer) == len(shorter) + 1 and (
            (longer[:-1] == shorter and longer[-1] in ADDED)
            or (longer[1:] == shorter and longer is other)
        )
        if added or reordered(host, name):
            found.append(name)
    return found[0] if len(found) == 1 else slip_of(host, services) if not found else ""


def _has_port(service: Neighbor, port: str) -> bool:
    """Return True unless all ports of a Service are other numbers; those of a headless one do not count."""
    if service.headless or part(service.value, "spec", "type") == "ExternalName":
        return True
    numbers = [str(each.get("port")) for each in parts(service.value, "spec", "ports")]
    return not numbers or port in numbers or not all(each.isdecimal() for each in numbers)


def _ports(service: Neighbor) -> str:
    return ", ".join(str(each.get("port")) for each in parts(service.value, "spec", "ports")[:8])
