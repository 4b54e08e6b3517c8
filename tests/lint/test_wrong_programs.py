"""The limits of the rules for containers whose program never ends, or has nothing to do."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import fields, job

MAIN = "template.spec.containers[0]"


def main(**parts: Any) -> dict[str, Any]:
    return job({"containers": [{"name": "main", "image": "registry.example.com/tool:1", **parts}]})


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"image": "nginx:1.29"}, "image"),
        ({"image": "docker.io/library/postgres:17"}, "image"),
        ({"image": "public.ecr.aws/docker/library/redis@sha256:00"}, "image"),
        ({"command": ["nginx", "-g", "daemon off;"]}, "command[0]"),
        ({"command": ["/usr/sbin/crond", "-f"]}, "command[0]"),
        ({"command": ["tini", "--", "gunicorn", "app:app"]}, "command[0]"),
        ({"command": ["python", "-m", "http.server"]}, "command[0]"),
        ({"command": ["celery"], "args": ["-A", "app", "worker"]}, "command[0]"),
        ({"command": ["sh", "-c", "prepare && exec uvicorn app:app"]}, "command[2]"),
    ],
)
def test_a_server_is_reported_whether_it_has_a_deadline_or_not(
    parts: dict[str, Any], field: str
) -> None:
    assert fields("JW535", main(**parts)) == [f"{MAIN}.{field}"]
    limited = main(**parts)
    limited["spec"]["activeDeadlineSeconds"] = 60
    assert fields("JW535", limited) == [f"{MAIN}.{field}"]


@pytest.mark.parametrize(
    "parts",
    [
        {"image": "nginx:1.29", "command": ["sh", "-c", "envsubst < a > b"]},
        {"image": "postgres:17", "args": ["pg_dump", "-h", "db"]},
        {"image": "postgres:17", "command": ["psql", "-c", "select 1"]},
        {"image": "acme/nginx:1"},
        {"image": "registry.example.com/nginx:1"},
        {"image": "nginx-exporter:1"},
        {"command": ["nginx", "-t"]},
        {"command": ["nginx", "-T"]},
        {"command": ["mysqld", "--initialize"]},
        {"command": ["celery", "-A", "app", "purge"]},
        {"command": ["python", "train.py"]},
        {"command": ["timeout", "60", "nginx"]},
        {"command": ["sh", "-c", "nginx & run-tests"]},
        {"command": ["sh", "-c", "redis-server --daemonize yes; run-tests"]},
    ],
)
def test_what_ends_is_not_reported(parts: dict[str, Any]) -> None:
    assert fields("JW535", main(**parts)) == []


def test_a_server_beside_the_work_keeps_the_pod_unless_something_ends_it() -> None:
    test = {"name": "test", "image": "registry.example.com/tool:1", "command": ["run-tests"]}
    server = {"name": "db", "image": "postgres:17"}
    value = job({"containers": [test, server]})
    assert fields("JW535", value) == ["template.spec.containers[1].image"]
    test["command"] = ["sh", "-c", "run-tests; pkill postgres"]
    assert fields("JW535", job({"containers": [test, server]})) == []
    sidecar = {**server, "restartPolicy": "Always"}
    assert fields("JW535", job({"containers": [test], "initContainers": [sidecar]})) == []


def test_a_success_policy_or_a_job_set_may_leave_servers_out() -> None:
    value = main(image="redis:8")
    value["spec"] |= {"completionMode": "Indexed", "completions": 2, "successPolicy": {"rules": []}}
    assert fields("JW535", value) == []
    value = main(image="redis:8")
    value["metadata"]["labels"] = {"jobset.sigs.k8s.io/jobset-name": "train"}
    assert fields("JW535", value) == []


@pytest.mark.parametrize(
    ("parts", "reported"),
    [
        ({"command": ["bash"]}, True),
        ({"command": ["/usr/bin/python3"]}, True),
        ({"command": ["sh"], "args": []}, True),
        ({"command": ["bash", "run.sh"]}, False),
        ({"command": ["bash"], "args": ["run.sh"]}, False),
        ({"command": ["bash"], "stdin": True}, False),
        ({"command": ["bash"], "tty": True}, False),
        ({"args": ["bash"]}, False),
        ({"image": "busybox"}, False),
        ({"command": ["train"]}, False),
    ],
)
def test_a_shell_without_a_script_is_reported(parts: dict[str, Any], reported: bool) -> None:
    assert bool(fields("JW536", main(**parts))) is reported


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("while true; do train; sleep 60; done", True),
        ("prepare; while :; do train; done", True),
        ("while [ 1 ]; do train; done", True),
        ("until false\ndo train\ndone", True),
        ("while true; do train && break; sleep 1; done", False),
        ("while true; do train || exit 1; done", False),
        ("while true; do date; sleep 9; done & train", False),
        ("while read line; do train; done", False),
        ("timeout 60 sh -c 'while true; do train; done'", False),
        ("for i in 1 2; do while true; do break; done; done", False),
    ],
)
def test_a_loop_that_nothing_ends_is_endless(text: str, reported: bool) -> None:
    value = main(command=["sh", "-c", text])
    assert bool(fields("JW226", value)) is reported
    value["spec"]["activeDeadlineSeconds"] = 60
    assert fields("JW226", value) == []


def test_timeout_ends_a_loop() -> None:
    loop = "while true; do train; done"
    assert fields("JW226", main(command=["timeout", "60", "sh", "-c", loop])) == []
