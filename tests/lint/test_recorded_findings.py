"""The findings for many schedules, scripts, security contexts, failure policies and references, as tables to read.

Each file in ``data/findings`` has a line for each case, and below it what the rules say. To renew them after an
intended change: ``JOBSWORTH_RENEW=1 pytest tests/lint/test_recorded_findings.py``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.lint.linter import RULES
from jobsworth.lint.neighbors import Neighbors
from jobsworth.validation.engine import engine_for
from support.lint.linted_jobs import (
    INIT,
    POD,
    SIDECAR,
    cron_job,
    job,
    lint,
    on_codes,
    on_condition,
    with_policy,
)
from support.lint.shown_findings import shown
from support.recorded_text import expect_recorded

RECORDED = Path(__file__).parent / "data" / "findings"
NEWEST = ApiServer().release


def findings(prefix: str, value: dict[str, Any], release: str = NEWEST) -> Iterator[str]:
    """Yield the lines about one object that the rules with such codes have."""
    rules = [rule for rule in RULES if rule.code.startswith(prefix)]
    for finding in lint(value, engine_for(ApiServer(release)), rules):
        for line in shown(finding):
            yield f"    {finding.code} {line}" if line[0] != " " else f"    {line}"


def schedules() -> Iterator[str]:
    sizes = ((60, 0), (24, 0), (31, 1), (12, 1), (7, 0))
    for position, (size, first) in enumerate(sizes):
        fields = [
            *(
                f"*/{step}"
                for step in sorted({2, 3, 5, 7, 11, size // 2, size - 1, size, size + 1})
            ),
            f"{first}/{size + 1}",
            f"{first}-{first + size - 1}/{size + 1}",
            f"{first + 1}-{first + size - 1}/{size + 1}",
            f"{first},{first + 1}",
            f"{first}",
            f"{first + size - 1}",
            f"{first}-{first + size - 1}",
        ]
        for field in fields:
            for others in ("0 0 * * *", "* * * * *"):
                written = others.split()
                written[position] = field
                yield " ".join(written)
    for day in (28, 29, 30, 31):
        for month in ("*", "1", "2", "4", "2,4", "1-3", "*/2", "4,6,9,11"):
            yield f"0 6 {day} {month} *"
    yield from (
        "0 6 13 * 5",
        "0 6 1-31 * 5",
        "0 6 1 * 0-6",
        "0 6 */2 * 5",
        "* 3 * * *",
        "* 3,5 * * *",
    )
    yield from (
        "* 3,4 * * *",
        "* 23,0 * * *",
        "* * 1 * *",
        "* * 1,2 * *",
        "* * * * 1",
        "* * * * 6,0",
    )
    yield from ("* * 1 * 1", "0 0 31 * 1", "0 0 29 2 1", "0 0 29 2 ?", "0 0 ? * ?", "0 0 30 2 *")
    yield from ("@yearly", "@monthly", "@weekly", "@daily", "@hourly", "@midnight", "@annually")
    yield from (
        "@every 1s",
        "@every 59s",
        "@every 1m",
        "@every 61s",
        "@every 90m",
        "@every 1h",
        "@every 24h",
    )
    yield from ("TZ=UTC 0 6 31 * *", "CRON_TZ=Europe/Berlin 0 6 31 * *", "0 6 31 jan-mar mon")


def test_schedules_have_the_recorded_findings() -> None:
    simple = job()
    lines = (
        line
        for schedule in dict.fromkeys(schedules())
        for line in (
            schedule,
            *findings("JW4", cron_job(simple, schedule=schedule, timeZone="Etc/UTC")),
        )
    )
    expect_recorded(RECORDED / "schedules.txt", lines)


ZONES = [
    "Africa/Cairo", "Africa/Casablanca", "America/New_York", "America/Santiago", "America/Sao_Paulo", "Asia/Tehran",
    "Australia/Lord_Howe", "Australia/Sydney", "Etc/GMT+5", "Etc/UTC", "Europe/Berlin", "Europe/London", "EST",
    "Local", "Pacific/Chatham", "UTC", "utc", "US/Pacific",
]  # fmt: skip


def in_zones() -> Iterator[tuple[str, dict[str, Any]]]:
    for zone in ZONES:
        for schedule in (
            "30 1 * * *", "0 2 * * *", "59 1 * * *", "30 2 * * *", "0 3 * * *", "0 0 * * *", "45 23 * * *", "30 2 * 6 *",
            "30 2 * * 1", "30 2 * * 0", "30 1,2 * * *", "0,30 2 * * *", "0 1-3 * * *", "30 * * * *", "30 0-23/2 * * *",
        ):  # fmt: skip
            yield f"{schedule} {zone}", cron_job(job(), schedule=schedule, timeZone=zone)


def test_schedules_of_time_zones_have_the_recorded_findings() -> None:
    lines = (line for title, value in in_zones() for line in (title, *findings("JW4", value)))
    expect_recorded(RECORDED / "time_zones.txt", lines)


def scripts() -> Iterator[str]:
    from jobsworth.lint.shell_script import HARMLESS

    ends = ("exit 0", "exit 1", "exit", "true", ":", "wait", "echo ok", "more")
    for operator in ("; ", " && ", " || ", " | ", " & ", "\n"):
        for end in ends:
            yield f"work{operator}{end}"
            yield f"set -e; work{operator}{end}"
            yield f"set -o pipefail; first; work{operator}{end}"
    for name in (
        "cut",
        "head",
        "jq",
        "sed",
        "sort",
        "tail",
        "tr",
        "yes",
        "cat",
        "echo",
        "grep",
        "egrep",
        "read",
        "tee",
    ):
        yield f"{name} a | work"
        yield f"work | {name} a"
        yield f"work | {name} a | tee log"
    for name in sorted(HARMLESS - {"", "for", "[[", "(("}):
        yield f"{name} a; true"
    for prefix in (
        "exec",
        "time",
        "nohup",
        "env",
        "sudo",
        "env A=1",
        "sudo -u me",
        "nice",
        "timeout 5",
    ):
        yield f"{prefix} work; true"
        yield f"{prefix} echo a; true"
    yield from (
        "if work; then more; fi", "if work; then more; fi; last", "while work; do more; done; last",
        "until work; do more; done; last", "for x in a; do work; done; last", "case $x in a) work;; esac; last",
        "select x in a; do work; done; last", "{ work; more; }; last", "( work; more ); last", "! work; last",
        "f() { work; }; f; last", "if a; then b; elif c; then d; else e; fi; last", "work; echo $?", "A=$(work); last",
        "A=1; last", "A=1 work; last", "work > log 2>&1; last", "work <<EOF; last\ntext\nEOF", "/opt/work; last",
        "x" * 40 + "; last", "x" * 41 + "; last", "work | more || last", "work || exit 2; last", "set +e; work; last",
        "set -eu; work; last", "set -o errexit; work; last", "wait $!; work & wait", "work &", "return 0; work; true",
        "work; return 0", "a && b; c && d; e", "a; b || c; d", "'work; more'; last", "work # more; last",
    )  # fmt: skip


def running(script: str) -> dict[str, Any]:
    return job(
        {"containers": [{"name": "main", "image": "tool:1", "command": ["sh", "-c", script]}]}
    )


def test_shell_scripts_have_the_recorded_findings() -> None:
    lines = (
        line
        for script in dict.fromkeys(scripts())
        for line in (repr(script), *findings("JW22", running(script)))
    )
    expect_recorded(RECORDED / "scripts.txt", lines)


CONTEXTS: list[tuple[str, Iterable[Any]]] = [
    ("allowPrivilegeEscalation", (False, True)),
    ("appArmorProfile", ({"type": "RuntimeDefault"}, {"type": "Unconfined"}, {"type": "Localhost"})),
    ("capabilities", (
        *({"add": [name]} for name in (
            "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW",
            "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_ADMIN", "SYS_CHROOT", "ALL",
        )),
        {"drop": ["ALL"]}, {"drop": ["KILL"]}, {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]},
        {"drop": ["ALL"], "add": ["CHOWN"]},
    )),
    ("privileged", (False, True)),
    ("procMount", ("Default", "Unmasked")),
    ("runAsNonRoot", (False, True)),
    ("runAsUser", (0, 1, 1000)),
    ("seLinuxOptions", (
        *({"type": name} for name in (
            "", "container_t", "container_init_t", "container_kvm_t", "container_engine_t", "spc_t",
        )),
        {"user": "u"}, {"role": "r"}, {"level": "s0"}, {"user": ""},
    )),
    ("seccompProfile", ({"type": "RuntimeDefault"}, {"type": "Unconfined"}, {"type": "Localhost"})),
    ("windowsOptions", ({"hostProcess": True}, {"hostProcess": False})),
]  # fmt: skip
SYSCTLS = [
    "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem", "kernel.msgmax",
]  # fmt: skip
VOLUMES: dict[str, Any] = {
    "configMap": {"name": "a"}, "csi": {"driver": "a"}, "downwardAPI": {}, "emptyDir": {}, "ephemeral": {},
    "image": {"reference": "a"}, "persistentVolumeClaim": {"claimName": "a"}, "projected": {}, "secret": {"secretName": "a"},
    "hostPath": {"path": "/"}, "nfs": {"server": "a", "path": "/"}, "gitRepo": {"repository": "a"}, "iscsi": {},
}  # fmt: skip


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, values in CONTEXTS:
        for value in values:
            main = {"name": "main", "image": "a:1", "securityContext": {name: value}}
            yield f"container {name}: {value}", {"containers": [main]}
            yield f"Pod {name}: {value}", {"securityContext": {name: value}}
    for name in SYSCTLS:
        yield f"sysctl {name}", {"securityContext": {"sysctls": [{"name": name, "value": "1"}]}}
    for name, volume in VOLUMES.items():
        yield f"volume {name}", {"volumes": [{"name": "v", name: volume}]}
    for name in ("hostNetwork", "hostPID", "hostIPC", "hostUsers"):
        yield name, {name: True}
        yield f"not {name}", {name: False}
    for hook in ("httpGet", "tcpSocket"):
        for place in ("livenessProbe", "readinessProbe", "startupProbe"):
            probe = {hook: {"port": 80, "host": "example.com"}}
            yield (
                f"{place} {hook}",
                {"containers": [{"name": "main", "image": "a:1", place: probe}]},
            )
        for place in ("postStart", "preStop"):
            events = {place: {hook: {"port": 80, "host": "example.com"}}}
            yield (
                f"{place} {hook}",
                {"containers": [{"name": "main", "image": "a:1", "lifecycle": events}]},
            )
    yield (
        "host port",
        {
            "containers": [
                {"name": "main", "image": "a:1", "ports": [{"containerPort": 1, "hostPort": 1}]}
            ]
        },
    )
    yield "Windows", {"os": {"name": "windows"}}


def of_standards() -> Iterator[str]:
    for title, pod in pods():
        before: list[str] | None = None
        for release in (
            "1.25",
            "1.26",
            "1.27",
            "1.28",
            "1.29",
            "1.31",
            "1.32",
            "1.34",
            "1.35",
            NEWEST,
        ):
            after = list(findings("JW60", job(pod), release))
            if after != before:
                yield f"{title}, Kubernetes {release}"
                yield from after
            before = after


def test_security_contexts_have_the_recorded_findings() -> None:
    expect_recorded(RECORDED / "security_standards.txt", of_standards())


def failure_policies() -> Iterator[tuple[str, dict[str, Any]]]:
    codes = ((137,), (143,), (42,), (0,), (1, 2, 42), (137, 143), (254, 255), tuple(range(1, 256)))
    choose = random.Random(7)
    for number in range(150):
        rules = []
        for _ in range(choose.randint(1, 4)):
            action = choose.choice(("FailJob", "FailIndex", "Ignore", "Count"))
            if choose.random() < 0.3:
                kind = choose.choice(("DisruptionTarget", "ConfigIssue", "Ready"))
                status = choose.choice(("True", "True", "False", "Unknown"))
                rules.append(on_condition(action, kind, status))
                continue
            of = choose.choice((None, None, "main", "proxy", "download"))
            operator = choose.choice(("In", "In", "NotIn"))
            rules.append(on_codes(action, operator, *choose.choice(codes), of=of))
        pod: dict[str, Any] = {"terminationGracePeriodSeconds": choose.choice((1, 30))}
        if number % 3 == 0:
            pod["initContainers"] = [INIT, SIDECAR]
        fields = choose.choice(
            (
                {},
                {"backoffLimit": 0},
                {"backoffLimit": 2},
                {"backoffLimitPerIndex": 1, "completionMode": "Indexed"},
            )
        )
        value = with_policy(*rules, pod={**POD, **pod}, completions=4, **fields)
        yield (
            f"{number}: {json.dumps(rules) if len(str(rules)) < 900 else len(rules)} {fields}",
            value,
        )


def test_failure_policies_have_the_recorded_findings() -> None:
    lines = (
        line for title, value in failure_policies() for line in (title, *findings("JW1", value))
    )
    expect_recorded(RECORDED / "failure_policies.txt", lines)


def referring() -> Iterator[dict[str, Any]]:
    """Yield Pods with a reference from each place, required and optional, to an object, its slip, and a key."""
    for name in ("settings", "setings", "elsewhere", "other"):
        for optional in (None, False, True):
            more = {} if optional is None else {"optional": optional}
            for key in ("mode", "mod"):
                for kind, named in (("configMap", "name"), ("secret", "secretName")):
                    items = [{"key": key, "path": "p"}]
                    yield {"volumes": [{"name": "v", kind: {named: name, "items": items, **more}}]}
                    source = {kind: {"name": name, "items": items, **more}}
                    yield {"volumes": [{"name": "v", "projected": {"sources": [source]}}]}
                for field in ("configMapKeyRef", "secretKeyRef"):
                    value = {"name": "A", "valueFrom": {field: {"name": name, "key": key, **more}}}
                    yield {"containers": [{"name": "main", "image": "a:1", "env": [value]}]}
            for kind, named in (("configMap", "name"), ("secret", "secretName")):
                yield {"volumes": [{"name": "v", kind: {named: name, **more}}]}
            for field in ("configMapRef", "secretRef"):
                value = {field: {"name": name, **more}}
                yield {"containers": [{"name": "main", "image": "a:1", "envFrom": [value]}]}
        yield {"serviceAccountName": name}
        yield {"imagePullSecrets": [{"name": name}]}
        yield {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]}


def test_references_have_the_recorded_findings() -> None:
    kinds = ("ConfigMap", "Secret", "ServiceAccount", "PersistentVolumeClaim")
    objects = [
        {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, **namespace}, "data": {"mode": "fast"}}
        for kind in kinds
        for name, namespace in (("settings", {}), ("elsewhere", {"namespace": "prod"}))
    ]  # fmt: skip
    engine = engine_for(ApiServer())
    rules = [rule for rule in RULES if rule.code.startswith("JW7")]

    def lines() -> Iterator[str]:
        for pod in referring():
            value = job(pod)
            yield json.dumps(pod)
            for finding in lint(value, engine, rules, Neighbors.of([value, *objects])):
                yield from (f"    {line}" for line in shown(finding))

    expect_recorded(RECORDED / "references.txt", lines())
