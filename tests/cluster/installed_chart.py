"""The chart, installed by Helm into a bed, with the containers of its Deployments as processes of this machine.

Everything is as in a cluster: the objects are Helm's, each process gets its container's arguments and the rights of
its Pod's ServiceAccount, and the API server calls the webhook by the name of its Service. What is played: the
Service's network (see :mod:`cluster.post_render`) and the kubelet, which carries the ConfigMap into a folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from cluster.bed import Process, TestBed, free_ports

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "jobsworth"
NAME = "jobsworth"
READY_WITHIN = 180.0


class Installation:
    """A release of the chart, and its processes.

    Args:
        bed: where to install it.
        values: of the chart.
        arguments: further arguments of containers, by name; they win over those of the chart.

    Attributes:
        namespace: that it is installed in.
        processes: those that run, by their container's name.
    """

    def __init__(
        self,
        bed: TestBed,
        values: dict[str, Any],
        arguments: dict[str, Sequence[str]] | None = None,
    ) -> None:
        self.bed = bed
        self.namespace = bed.namespace("system")
        self.processes: dict[str, Process] = {}
        self._values = values
        self._arguments = arguments or {}
        self._folder = Path(tempfile.mkdtemp(prefix="jobsworth-installed-"))
        self._port, self._monitor, self._controller = free_ports(3)
        self._account = self._controller_account = Path()

    def __enter__(self) -> Self:
        try:
            self.helm("install")
            self._account = self.bed.service_account(self.namespace, NAME)
            self._carry_policies()
            if self._values.get("controller", {}).get("enabled"):
                own = f"{NAME}-job-controller"
                self._controller_account = self.bed.service_account(self.namespace, own)
            for container in self.containers():
                self.start(container["name"])
            self.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for container in self.processes:
            self.signal(container, signal.SIGKILL)
        with contextlib.suppress(AssertionError):
            self.uninstall()
        for path in self._configurations():  # in a bed without the garbage collector
            self.bed.request("DELETE", path)
        shutil.rmtree(self._folder, ignore_errors=True)

    # Helm

    def helm(self, verb: str, values: dict[str, Any] | None = None) -> str:
        """Install, or upgrade with these values; return Helm's output."""
        if values is not None:
            self._values = values
        file = self._folder / "values.json"
        given = {**self._values, "service": {"port": self._port}, "fullnameOverride": NAME}
        file.write_text(json.dumps(given))
        renderer = (sys.executable, str(Path(__file__).parent / "post_render.py"), NAME)
        return self.bed.helm(
            verb, NAME, str(CHART), "--namespace", self.namespace, "--values", str(file),
            "--post-renderer", renderer[0],
            *(part for each in renderer[1:] for part in ("--post-renderer-args", each)),
        ).stdout  # fmt: skip

    def upgrade(self, values: dict[str, Any]) -> None:
        """Upgrade the release; policies are carried to the webhook as the kubelet does."""
        self.helm("upgrade", values)
        self._carry_policies()

    def uninstall(self) -> str:
        """Uninstall the release; return Helm's output."""
        return self.bed.helm("uninstall", NAME, "--namespace", self.namespace, "--wait").stdout

    # Containers

    def containers(self) -> list[dict[str, Any]]:
        """The containers of the Deployments' Pods."""
        path = f"/apis/apps/v1/namespaces/{self.namespace}/deployments"
        pods = [each["spec"]["template"]["spec"] for each in self.bed.get(path)["items"]]
        return [
            container
            for pod in pods
            for container in [*pod.get("initContainers", ()), *pod["containers"]]
        ]

    def start_again(self, container: str) -> Path:
        """Start a container once more, as another replica's; returns the folder of its certificate files."""
        folder = self._folder / "other"
        self.start(container, f"--directory={folder}", process=f"{container} again")
        return folder

    def start(self, container: str, *arguments: str, process: str = "") -> None:
        """Start a container of a Deployment as a process, with these arguments in addition."""
        self._carry_policies()
        (args,) = (each["args"] for each in self.containers() if each["name"] == container)
        own = {
            "certificates": (
                "--kubeconfig", str(self._account), "--name=127.0.0.1",
                f"--ready-url=http://127.0.0.1:{self._monitor}/readyz",
            ),
            "webhook": (f"--bind=127.0.0.1:{self._port}", f"--monitor-bind=127.0.0.1:{self._monitor}"),
            "job-controller": (
                "--kubeconfig", str(self._controller_account), f"--monitor-bind=127.0.0.1:{self._controller}",
            ),
        }[container]  # fmt: skip
        here = [
            each.replace("/run/jobsworth", str(self._folder)).replace(
                "/etc/jobsworth", str(self._folder)
            )
            for each in args
        ]
        self.processes[process or container] = Process(
            [
                sys.executable,
                "-m",
                "jobsworth",
                *here,
                *own,
                *self._arguments.get(container, ()),
                *arguments,
            ],
            self.log(process or container),
            {
                "PYTHONPATH": os.pathsep.join([str(ROOT / "webhook"), *sys.path]),
                "KUBECONFIG": str(self._account),  # a container has its account's token
            },
        )

    def signal(self, container: str, number: signal.Signals) -> None:
        """Send a signal to all processes of a container: one that kills is a crash, SIGSTOP a hang."""
        process = self.processes[container]
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        if number == signal.SIGKILL:
            process.kill()

    def log(self, container: str) -> Path:
        """The file with a container's output."""
        return self._folder / f"{container}.log"

    def lines(self, container: str = "webhook") -> list[dict[str, Any]]:
        """A container's log, where it is JSON."""
        found = []
        for line in self.log(container).read_text().splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return found

    def wait_until_ready(self) -> None:
        """Wait until the webhook is ready, and the API server knows its CA."""
        wait_for(self._ready, "the webhook to be ready", self.processes.values())

    def wait_until_required(self) -> None:
        """Wait until a request that a policy can deny is refused without the webhook."""
        wait_for(lambda: "Fail" in self.failure_policies(), "a webhook that fails closed")

    def failure_policies(self) -> set[str]:
        """The failure policies of the validating webhooks; empty where there is no configuration."""
        answer = self.bed.request("GET", self._configurations()[1])
        webhooks = answer.body.get("webhooks", ()) if answer.code == 200 else ()
        return {each["failurePolicy"] for each in webhooks}

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._monitor}/readyz", timeout=5):
                pass
        except OSError:
            return False
        bundles = self.bundles()
        return bool(bundles) and "" not in bundles.values()

    # What the cluster holds

    def bundles(self) -> dict[str, str]:
        """The caBundle of each webhook by its name, base64; empty where there is none."""
        found = {}
        for path in self._configurations():
            answer = self.bed.request("GET", path)
            for webhook in answer.body["webhooks"] if answer.code == 200 else ():
                found[webhook["name"]] = webhook["clientConfig"].get("caBundle", "")
        return found

    def _configurations(self) -> list[str]:
        """The paths of the webhook configurations."""
        group = "/apis/admissionregistration.k8s.io/v1"
        kinds = ("mutating", "validating")
        return [f"{group}/{kind}webhookconfigurations/{NAME}" for kind in kinds]

    def secret(self) -> dict[str, str]:
        """The data of the Secret with the certificates, base64."""
        path = f"/api/v1/namespaces/{self.namespace}/secrets/{NAME}-certificates"
        return self.bed.get(path).get("data") or {}

    def monitor(self, path: str) -> str:
        """Return the answer of the webhook's port for probes and metrics; OSError unless its code is 200."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._monitor}{path}", timeout=5) as answer:
            text: str = answer.read().decode()
            return text

    @property
    def tls(self) -> Path:
        """The folder with the certificate files."""
        return self._folder / "tls"

    @property
    def port(self) -> int:
        """Return the port of the webhook."""
        return self._port

    def _carry_policies(self) -> None:
        """Update volumes as the kubelet does: a new folder with the ConfigMap's data, and a link that is replaced."""
        for name in ("policies", "registration", "last-good-policies"):
            self._carry(name)

    def _carry(self, what: str) -> None:
        path = f"/api/v1/namespaces/{self.namespace}/configmaps/{NAME}-{what}"
        answer = self.bed.request("GET", path)
        if answer.code != 200:
            return
        folder = self._folder / what
        folder.mkdir(exist_ok=True)
        version = folder / f"..{time.monotonic_ns()}"
        version.mkdir()
        for name, text in (answer.body.get("data") or {}).items():
            (version / name).write_text(text)
            link = folder / name
            if not link.is_symlink():
                link.symlink_to(f"..data/{name}")
        fresh = folder / "..data_tmp"
        fresh.symlink_to(version.name)
        fresh.replace(folder / "..data")
        for link in folder.iterdir():
            if not link.name.startswith("..") and not link.exists():
                link.unlink()


def wait_for(
    done: Callable[[], bool],
    what: str,
    processes: Sequence[Process] | Any = (),
    seconds: float = READY_WITHIN,
) -> None:
    """Wait for something; AssertionError when it does not come, or when a process has ended."""
    until = time.monotonic() + seconds
    while not done():
        for process in processes:
            process.check()
        assert time.monotonic() < until, f"waited {seconds:.0f} s in vain for {what}"
        time.sleep(0.1)
