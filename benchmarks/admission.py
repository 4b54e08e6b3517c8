"""Compare the webhook with a bare Flask application, over TLS with keep-alive and equal gunicorn settings.

    python benchmarks/admission.py [--policy PATH] [--namespace NAME] [--endpoint validate] [--rounds 10]

Both servers run at the same time and get alternating rounds of the same AdmissionReviews over persistent
connections, like those of an API server. The objects are those of the oracle tests, as an API server sends
them. The bare application parses the request and answers ``allowed: true``. The output is the medians over
the rounds, and the ratios of consecutive rounds.
"""

from __future__ import annotations

import argparse
import json
import lzma
import multiprocessing
import os
import signal
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests"), str(ROOT / "benchmarks")]

from measurement import Measurement, write  # noqa: E402

POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: typical}
spec:
  match: [{namespaces: [default, "team-*"]}]
  exempt: [{users: ["system:serviceaccount:kube-system:*"]}]
  limits:
    backoffLimit: {maximum: 2147483647}
    parallelism: {maximum: 200000}
    podFailurePolicy: {allowedActions: [FailJob, FailIndex, Ignore, Count]}
  immutable: [podReplacementPolicy]
  expressions:
    - expression: "!has(object.metadata.labels) || object.metadata.labels.size() < 50"
      message: has at most 50 labels
"""
"""A policy with limits, an immutable field and an expression; every Job satisfies it."""
CASES = ROOT / "tests/oracle/cases"
MAX_REVIEWS = 300


def reviews(endpoint: str, namespace: str) -> list[bytes]:
    """Return reviews of accepted Jobs and CronJobs as an API server sends them.

    Both webhooks get objects with the server's defaults and managed fields; the validating webhook also
    gets the fields that the server generates after mutation.

    Args:
        endpoint: ``validate`` or ``mutate``.
        namespace: the namespace of all objects; it decides which policies apply.
    """
    from support.admission.admission_reviews import UID, as_an_api_server_sends, body_of
    from support.policy.kubectl_requests import kubectl_request

    bodies = []
    for name in ("job", "policy", "success", "cron", "pod"):
        with lzma.open(CASES / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
            cases = [json.loads(line) for line in lines]
        accepted = [case["object"] for case in cases if case["code"] == 201]
        for value in accepted[: MAX_REVIEWS // 5]:
            sent = kubectl_request(value, "create").object
            sent["metadata"]["namespace"] = namespace
            if endpoint == "validate":
                sent = as_an_api_server_sends(sent, UID)
            bodies.append(body_of(sent))
    return bodies


def bare(port: int, workers: int, threads: int, certificate: str, key: str) -> None:
    """Serve a bare Flask application with the settings of the webhook."""
    from flask import Flask, request
    from gunicorn.app.base import BaseApplication

    from jobsworth.serving import settings as webhook_settings

    app = Flask("bare")

    def allow() -> dict[str, Any]:
        review = request.get_json()
        return {
            "apiVersion": "admission.k8s.io/v1",
            "kind": "AdmissionReview",
            "response": {"uid": review["request"]["uid"], "allowed": True},
        }

    app.add_url_rule("/validate", "validate", allow, methods=["POST"])
    app.add_url_rule("/mutate", "mutate", allow, methods=["POST"])
    files = webhook_settings.Files(certificate=Path(certificate), key=Path(key))
    settings = webhook_settings.ServingSettings(
        files=files, bind=("127.0.0.1", port), workers=workers, threads=threads
    )

    class Bare(BaseApplication):  # type: ignore[misc]
        def load_config(self) -> None:
            for name, value in webhook_settings.gunicorn_settings(settings).items():
                self.cfg.set(name, value)
            self.cfg.set("bind", f"127.0.0.1:{port}")
            self.cfg.set("worker_class", "gthread")
            self.cfg.set("keepalive", webhook_settings.KEEP_ALIVE_SECONDS)
            self.cfg.set("preload_app", True)
            self.cfg.set("certfile", certificate)
            self.cfg.set("keyfile", key)
            self.cfg.set("loglevel", "error")
            self.cfg.set("post_fork", lambda arbiter, worker: webhook_settings.after_fork())

        def load(self) -> Flask:
            return app

    Bare().run()


def ask(port: int, endpoint: str, bodies: list[bytes], connections: int, seconds: float) -> Any:
    """Send requests over some connections for a while; return the requests per second and all durations."""
    head = (
        f"POST /{endpoint}?timeout=10s HTTP/1.1\r\nHost: jobsworth.jobsworth.svc\r\n"
        "User-Agent: kube-apiserver-admission\r\nAccept: application/json, */*\r\n"
        "Content-Type: application/json\r\nAccept-Encoding: gzip\r\nContent-Length: "
    )
    requests = [f"{head}{len(body)}\r\n\r\n".encode() + body for body in bodies]
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    taken: list[float] = []
    end = time.perf_counter() + seconds

    def run(first: int) -> None:
        sock = socket.create_connection(("127.0.0.1", port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with context.wrap_socket(sock) as secured:
            number = first
            while (began := time.perf_counter()) < end:
                secured.sendall(requests[number % len(requests)])
                number += 1
                answer = b""
                while not _complete(answer):
                    answer += secured.recv(65536)
                if b" 200 OK" not in answer:
                    raise SystemExit(f"unexpected response: {answer!r}")
                taken.append(time.perf_counter() - began)

    threads = [threading.Thread(target=run, args=(17 * i,)) for i in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(taken) / seconds, taken


def _complete(answer: bytes) -> bool:
    head, found, body = answer.partition(b"\r\n\r\n")
    if not found:
        return False
    length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
    return len(body) >= int(length)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def cpu_seconds(parent: int) -> float:
    """Return the CPU seconds of a process and its children (Linux)."""
    ticks = 0
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(") ")[2].split()
        except (OSError, NotADirectoryError):
            continue
        if entry.name == str(parent) or fields[1] == str(parent):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("a server did not start")


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--policy", help="policies instead of the typical one; none if empty")
    arguments.add_argument("--namespace", default="default", help="namespace of the Jobs")
    arguments.add_argument("--endpoint", default="validate", choices=("validate", "mutate"))
    arguments.add_argument("--rounds", type=int, default=10)
    arguments.add_argument("--seconds", type=float, default=2.0)
    arguments.add_argument("--connections", type=int, default=4)
    arguments.add_argument("--workers", type=int, default=1)
    arguments.add_argument(
        "--threads", type=int, default=2, help="of the webhook; bare Flask has four"
    )
    arguments.add_argument("--results", help="also write the measurements to this file")
    chosen = arguments.parse_args()

    from jobsworth.certificates import development

    folder = Path(tempfile.mkdtemp())
    (folder / "policy.yaml").write_text(POLICY)
    policy = str(folder / "policy.yaml") if chosen.policy is None else chosen.policy
    made = development.generate(folder / "tls", ["localhost", "127.0.0.1"]).paths
    certificate, key = str(made.certificate), str(made.key)
    ours, theirs = free_port(), free_port()
    bare_server = multiprocessing.get_context("spawn").Process(
        target=bare, args=(theirs, chosen.workers, 4, certificate, key)
    )
    bare_server.start()
    command = [
        *(sys.executable, "-m", "jobsworth", "serve", "--kubernetes-version", "1.36"),
        *("--bind", f"127.0.0.1:{ours}", "--monitor-bind", f"127.0.0.1:{free_port()}"),
        *("--tls-cert", certificate, "--tls-key", key),
        *("--workers", str(chosen.workers), "--threads", str(chosen.threads)),
        *(("--policy", policy) if policy else ()),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "webhook")}
    with (folder / "log").open("wb") as log:
        webhook = subprocess.Popen(command, stderr=log, env=environment)
    try:
        wait_for(ours)
        wait_for(theirs)
        bodies = reviews(chosen.endpoint, chosen.namespace)
        measured: dict[int, list[tuple[float, float, float, float]]] = {ours: [], theirs: []}
        process = {ours: webhook.pid, theirs: bare_server.pid}
        for number in range(chosen.rounds + 1):
            for port in (ours, theirs) if number % 2 else (theirs, ours):
                used = cpu_seconds(process[port])
                rate, taken = ask(port, chosen.endpoint, bodies, chosen.connections, chosen.seconds)
                used = (cpu_seconds(process[port]) - used) / len(taken)
                taken.sort()
                if number:  # the first round is a warm-up
                    middle, late = taken[len(taken) // 2], taken[int(len(taken) * 0.99)]
                    measured[port].append((rate, middle, late, used))
    finally:
        webhook.send_signal(signal.SIGINT)
        bare_server.terminate()
        webhook.wait()
        bare_server.join()
    report(measured[ours], measured[theirs], len(bodies), sum(map(len, bodies)) / len(bodies))
    what = f"/{chosen.endpoint}, {chosen.policy or 'typical policy'}"
    rate, other_rate = (
        statistics.median(row[0] for row in measured[port]) for port in (ours, theirs)
    )
    late, other_late = (
        statistics.median(row[2] for row in measured[port]) * 1000 for port in (ours, theirs)
    )
    write(
        chosen.results,
        [
            Measurement("admission", what, "bare Flask", "requests/s", rate, other_rate, 0.6),
            Measurement("admission", f"{what}, p99", "bare Flask", "ms", late, other_late, 2.0),
        ],
    )


def report(ours: Any, theirs: Any, count: int, size: float) -> None:
    print(f"{count} reviews of {size:.0f} bytes on average")
    for name, rows in (("bare Flask", theirs), ("jobsworth serve", ours)):
        rate, middle, late, used = (statistics.median(column) for column in zip(*rows, strict=True))
        print(
            f"{name:16} {rate:6.0f} requests/s   median {middle * 1e3:5.2f} ms   "
            f"p99 {late * 1e3:5.2f} ms   {used * 1e6:4.0f} µs of CPU time"
        )
    rates = [mine[0] / other[0] for mine, other in zip(ours, theirs, strict=True)]
    lates = [mine[2] / other[2] for mine, other in zip(ours, theirs, strict=True)]
    print(
        f"ratio: {statistics.median(rates):.2f} of its requests/s "
        f"({min(rates):.2f} to {max(rates):.2f}), {statistics.median(lates):.2f} times its p99 "
        f"({min(lates):.2f} to {max(lates):.2f})"
    )


if __name__ == "__main__":
    main()
