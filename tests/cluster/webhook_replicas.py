"""Replicas of the chart's webhook Pod, with all their containers, behind a Service and rolled out as by a Deployment.

The objects are Helm's, each container is a process of this machine with its arguments and the rights of the Pod's
ServiceAccount. What is played: the kubelet, the Deployment's roll-out (``maxSurge: 1``, ``maxUnavailable: 0``) and the
Service's network, a relay of connections.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any, Self

from cluster.bed import Process, TestBed, free_ports
from cluster.installed_chart import NAME, READY_WITHIN, ROOT, Installation, wait_for

LISTENING = {
    "webhook": ("--bind", "--monitor-bind"),
    "job-controller": ("--monitor-bind",),
    "audit": ("--monitor-bind",),
}
"""The options with the ports of a container."""


class Service(ThreadingTCPServer):
    """The Service of the webhook: it relays each new connection to one of its endpoints.

    Attributes:
        endpoints: the ports of the Pods that are ready.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Relay)
        self.endpoints: tuple[int, ...] = ()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Relay(BaseRequestHandler):
    server: Service

    def handle(self) -> None:
        port = random.choice(self.server.endpoints)
        with socket.create_connection(("127.0.0.1", port)) as pod:
            back = threading.Thread(target=_copy, args=(pod, self.request), daemon=True)
            back.start()
            _copy(self.request, pod)
            back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


class Pod:
    """One Pod of the webhook.

    Args:
        template: the Pod's spec in the Deployment.
        folder: holds its volume ``/run/jobsworth`` and its logs.
        mounted: holds what is below ``/etc/jobsworth``.
        account: the kubeconfig of its ServiceAccount.

    Attributes:
        name: of the Pod.
        processes: the running containers by name.
    """

    def __init__(
        self, name: str, template: dict[str, Any], folder: Path, mounted: Path, account: Path
    ) -> None:
        self.name = name
        self.processes: dict[str, Process] = {}
        self._folder, self._mounted, self._account = folder, mounted, account
        folder.mkdir()
        self._sidecars = template.get("initContainers", ())
        self._containers = {
            each["name"]: each for each in (*self._sidecars, *template["containers"])
        }
        ports = iter(free_ports(4))
        self._ports = {
            container: tuple(next(ports) for _ in options)
            for container, options in LISTENING.items()
        }
        for container in self._containers:
            self.start(container)

    def start(self, container: str) -> None:
        """Start a container, or start it again as the kubelet does."""
        args = [
            each.replace("/run/jobsworth", str(self._folder)).replace(
                "/etc/jobsworth", str(self._mounted)
            )
            for each in self._containers[container]["args"]
        ]
        args += [
            f"{option}=127.0.0.1:{port}"
            for option, port in zip(
                LISTENING.get(container, ()), self._ports.get(container, ()), strict=True
            )
        ]
        if container == "certificates":
            monitor = self._ports["webhook"][1]
            args += ["--name=127.0.0.1", f"--ready-url=http://127.0.0.1:{monitor}/readyz"]
        self.processes[container] = Process(
            [sys.executable, "-m", "jobsworth", *args],
            self._folder / f"{container}.log",
            {
                "PYTHONPATH": os.pathsep.join([str(ROOT / "webhook"), *sys.path]),
                "KUBECONFIG": str(self._account),
                "POD_NAME": self.name,
            },
        )

    @property
    def port(self) -> int:
        """Return the port of the webhook."""
        return self._ports["webhook"][0]

    def kill(self, container: str) -> None:
        """Kill a container: a crash of all its processes."""
        process = self.processes[container]
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()

    def ready(self) -> bool:
        """Return True if its readiness probes succeed: the webhook's, for the sidecars have none."""
        try:
            self.fetch("webhook", "/readyz")
        except OSError:
            return False
        return True

    def fetch(self, container: str, path: str) -> str:
        """Return what a container serves beside its work; OSError unless the code is 200."""
        port = self._ports[container][-1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return str(answer.read().decode())

    def stop(self) -> dict[str, int | None]:
        """Stop as the kubelet does: the webhook after its preStop, the sidecar of init last; return the exit codes."""
        first = [name for name in self.processes if name not in ("webhook", "certificates")]
        for name in first:
            os.kill(self.processes[name].pid, signal.SIGTERM)
        hook = self._containers["webhook"].get("lifecycle", {}).get("preStop", {})
        time.sleep(hook.get("sleep", {}).get("seconds", 0))
        for names in (["webhook"], first, ["certificates"]):
            for name in names:
                self.processes[name].stop(READY_WITHIN)
        return {name: process.exit_code for name, process in self.processes.items()}

    def log(self, container: str) -> str:
        """Return a container's output."""
        return (self._folder / f"{container}.log").read_text()


class Replicas(Installation):
    """A release of the chart with several webhook Pods, and sidecars in them.

    Attributes:
        pods: the Pods that run.
        ended: the Pods that a roll-out has replaced.
    """

    def __init__(self, bed: TestBed, values: dict[str, Any], number: int = 2) -> None:
        super().__init__(bed, values)
        self.pods: list[Pod] = []
        self.ended: list[Pod] = []
        self._number = number
        self._service = Service(self.port)

    def __enter__(self) -> Self:
        try:
            self.helm("install")
            self._account = self.bed.service_account(self.namespace, NAME)
            self._carry_policies()
            for _ in range(self._number):
                self._add()
            wait_for(lambda: bool(self.bundles()) and "" not in self.bundles().values(), "a CA")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for pod in self.pods:
            for container in pod.processes:
                pod.kill(container)
        self._service.shutdown()
        self._service.server_close()
        super().__exit__()

    def roll_out(self, values: dict[str, Any]) -> list[dict[str, int | None]]:
        """Upgrade the release, and replace its Pods one after the other; return the exit codes of the old ones."""
        before = self.template()
        self.upgrade(values)
        assert self.template() != before, "the upgrade changes nothing in the Pods"
        codes = []
        for old in list(self.pods):
            self._add()
            self.pods.remove(old)
            self._endpoints()
            codes.append(old.stop())
            self.ended.append(old)
        return codes

    def template(self) -> dict[str, Any]:
        """Return the Pods' spec in the only Deployment."""
        path = f"/apis/apps/v1/namespaces/{self.namespace}/deployments"
        (deployment,) = self.bed.get(path)["items"]
        spec: dict[str, Any] = deployment["spec"]["template"]["spec"]
        return spec

    def leader(self) -> Pod | None:
        """Return the Pod whose controller holds the Lease; None if none does."""
        path = (
            f"/apis/coordination.k8s.io/v1/namespaces/{self.namespace}/leases/{NAME}-job-controller"
        )
        answer = self.bed.request("GET", path)
        holder = (answer.body["spec"].get("holderIdentity") or "") if answer.code == 200 else ""
        return next((pod for pod in self.pods if holder.startswith(f"{pod.name}_")), None)

    def logs(self, container: str) -> Iterable[str]:
        """Yield the logs of a container of all Pods, also of those that ended."""
        return (pod.log(container) for pod in (*self.ended, *self.pods))

    def _add(self) -> None:
        name = f"{NAME}-{len(self.pods) + len(self.ended)}-{os.urandom(2).hex()}"
        pod = Pod(name, self.template(), self._folder / name, self._folder, self._account)
        self.pods.append(pod)
        wait_for(pod.ready, f"{name} to be ready", pod.processes.values())
        self._endpoints()

    def _endpoints(self) -> None:
        self._service.endpoints = tuple(pod.port for pod in self.pods)
