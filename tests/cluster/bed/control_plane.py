"""Starts and stops the processes of a Kubernetes control plane."""

from __future__ import annotations

import base64
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from cluster import programs
from cluster.bed import commands, stages
from cluster.bed.connection import Answer, Connection, with_certificate
from cluster.bed.folder import Folder, new_folder, remove_leftovers
from cluster.bed.processes import Process, free_ports

READY_WITHIN = 180.0
ADMIN = ("admin", "system:masters")


class ControlPlane:
    """The processes below :class:`cluster.bed.TestBed`: start and stop, not use."""

    def __init__(
        self,
        release: str | None = None,
        *,
        controllers: str | None = None,
        kubelet: bool = False,
        qps: float | None = None,
        burst: int | None = None,
        allow_privileged: bool = False,
        service_accounts: bool = False,
        audit: bool = True,
        feature_gates: Mapping[str, bool] | None = None,
        api_server_flags: Sequence[str] = (),
        controller_flags: Sequence[str] = (),
    ) -> None:
        """Prepare only: ``start``, or ``with``, starts the processes.

        Args:
            release: of Kubernetes, such as ``1.33``; by default that of ``KUBEBUILDER_ASSETS``, else the newest.
            controllers: which of kube-controller-manager's run, as its ``--controllers`` names them
                (``job-controller,cronjob-controller``; ``*,-job-controller``); without, it is not started.
            kubelet: Pods are placed on a node and run, as their annotations set it: see ``cluster.bed.stages``. It takes
                Kubernetes 1.36 or newer.
            qps, burst: how many requests a second kube-controller-manager may make: its defaults are 20 and 30.
            allow_privileged: kube-apiserver's ``--allow-privileged``.
            service_accounts: its admission plugin of that name; it takes the controllers
                ``serviceaccount-controller`` and ``root-ca-certificate-publisher-controller``.
            audit: a log of every request: see ``calls``.
            feature_gates: of the API server and the controller manager.
            api_server_flags, controller_flags: more flags, which win over the bed's own.

        Raises:
            MissingProgram: a program that it takes is not on this machine.
        """
        self._programs = {name: programs.find(name, release) for name in ("etcd", "kube-apiserver")}
        if controllers is not None:
            name = "kube-controller-manager"
            self._programs[name] = programs.find(name, release)
        self._controllers = controllers
        self._with_kubelet = kubelet
        self._qps, self._burst = qps, burst
        self._allow_privileged = allow_privileged
        self._service_accounts = service_accounts
        self._audit = audit
        self._gates = dict(feature_gates or {})
        self._api_server_flags = tuple(api_server_flags)
        self._controller_flags = tuple(controller_flags)
        from cluster.bed.certificate_authority import CertificateAuthority  # takes cryptography

        self.ca = CertificateAuthority()
        self.etcd: Process | None = None
        self.api_server: Process | None = None
        self.controller_manager: Process | None = None
        self.kubelet: Process | None = None
        self._ports: list[int] = []
        self._connection: Connection | None = None
        self._folder: Folder | None = None

    @property
    def folder(self) -> Folder:
        if self._folder is None:
            raise RuntimeError("the test bed is not started")
        return self._folder

    @property
    def url(self) -> str:
        """The API server's, such as ``https://127.0.0.1:40123``."""
        return f"https://127.0.0.1:{self._ports[0]}"

    @property
    def etcd_url(self) -> str:
        """The address of etcd, which any process of this machine may read and write."""
        return f"http://127.0.0.1:{self._ports[1]}"

    @property
    def controller_manager_url(self) -> str:
        """The address of kube-controller-manager; any user may read its ``/metrics``."""
        return f"https://127.0.0.1:{self._ports[3]}"

    @property
    def kubeconfig(self) -> Path:
        """Of a cluster administrator (group ``system:masters``)."""
        return self.folder.kubeconfig

    @property
    def connection(self) -> Connection:
        """Plain HTTP to the API server, as the administrator; threads may share it."""
        if self._connection is None:
            self._connection = self._connect(self.url)
        return self._connection

    # Starting and stopping

    def start(self) -> Self:
        """Start everything, and wait until it is ready.

        Raises:
            ProcessDied: a program ended at once.
            TimeoutError: it was not ready in three minutes.
        """
        remove_leftovers()
        self._folder = new_folder()
        self._ports = free_ports(4)
        try:
            self._write_files()
            self.start_etcd()
            self.start_api_server()
            if self._controllers is not None:
                self.start_controller_manager()
            if self._with_kubelet:
                self._start_kubelet()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End every process and remove the files."""
        for process in (self.kubelet, self.controller_manager, self.api_server, self.etcd):
            if process is not None:
                process.kill()  # nothing that they hold is wanted: no need for a tidy end
        self.kubelet = self.controller_manager = self.api_server = self.etcd = None
        if self._folder is not None:
            shutil.rmtree(self._folder.root, ignore_errors=True)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start_etcd(self) -> None:
        """Start etcd: at first, or after it was killed; what it held is there again."""
        self.etcd = Process(
            commands.etcd(self._programs["etcd"], self.folder, self._ports[1], self._ports[2]),
            self.folder.log("etcd"),
        )

    def start_api_server(self) -> None:
        """Start kube-apiserver: at first, or after it was stopped or killed, at the same address."""
        command = commands.api_server(
            self._programs["kube-apiserver"],
            self.folder,
            self._ports[0],
            self._ports[1],
            allow_privileged=self._allow_privileged,
            audit=self._audit,
            service_accounts=self._service_accounts,
            feature_gates=self._gates,
            flags=self._api_server_flags,
        )
        self.api_server = Process(command, self.folder.log("kube-apiserver"))
        self._wait_for(lambda: self._answers("/readyz"), "kube-apiserver to be ready")
        self._wait_for(lambda: self._answers("/api/v1/namespaces/default"), "the default namespace")

    def start_controller_manager(self) -> None:
        """Start kube-controller-manager: at first, or after it was stopped or killed."""
        command = commands.controller_manager(
            self._programs["kube-controller-manager"],
            self.folder,
            self._ports[3],
            controllers=self._controllers or "",
            qps=self._qps,
            burst=self._burst,
            feature_gates=self._gates,
            flags=self._controller_flags,
        )
        self.controller_manager = Process(command, self.folder.log("kube-controller-manager"))
        health = self._connect(self.controller_manager_url)
        self._wait_for(lambda: _ok(health, "/healthz"), "kube-controller-manager to be ready")

    def _start_kubelet(self) -> None:
        for thing in (stages.node(), *stages.placement()):
            self.create(thing)
        self.kubelet = Process(
            commands.kubelet(self.url, self.folder, *self._admin_pair()),
            self.folder.log("kubelet"),
            {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self._wait_for(
            lambda: (
                self.get(f"/api/v1/nodes/{stages.NODE}").get("status", {}).get("phase") == "Running"
            ),
            "the kubelet to report its node",
        )
        self._wait_for(self._places_pods, "new Pods to be placed")

    def _places_pods(self) -> bool:
        """Return True once the API server applies the policy that places Pods: that takes a moment."""
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "probe"},
            "spec": {"containers": [{"name": "main", "image": "busybox"}]},
        }
        answer = self.request("POST", "/api/v1/namespaces/default/pods?dryRun=All", pod)
        return answer.code == 201 and "nodeName" in answer.body["spec"]

    # What starting needs of the API

    def request(self, method: str, path: str, body: Any = None, **how: Any) -> Answer:
        """One request as the administrator, whatever the answer: see ``Connection.request``."""
        return self.connection.request(method, path, body, **how)

    def get(self, path: str) -> dict[str, Any]:
        """The object at a path of the API; AssertionError where there is none."""
        answer = self.request("GET", path)
        assert answer.code == 200, (path, answer)
        return answer.body  # type: ignore[no-any-return]

    def create(self, thing: dict[str, Any], namespace: str | None = None) -> dict[str, Any]:
        """Create an object of a built-in kind; returns what is stored."""
        version = thing["apiVersion"]
        kind = thing["kind"].lower()
        plural = kind[:-1] + "ies" if kind.endswith("cy") else kind + "s"
        where = f"/namespaces/{namespace}" if namespace else ""
        answer = self.request(
            "POST", f"/{'apis' if '/' in version else 'api'}/{version}{where}/{plural}", thing
        )
        assert answer.code == 201, answer
        return answer.body  # type: ignore[no-any-return]

    def _write_files(self) -> None:
        folder = self.folder
        serving = self.ca.server("127.0.0.1", "localhost", "kubernetes.default.svc", "10.96.0.1")
        private, public = self.ca.signing_keys()
        folder.ca_file.write_bytes(self.ca.certificate)
        folder.certificate.write_bytes(serving.certificate)
        folder.key.write_bytes(serving.key)
        folder.signing_key.write_bytes(private)
        folder.signing_public.write_bytes(public)
        folder.audit_policy.write_text(commands.audit_policy(), encoding="utf-8")
        self._connection = None
        self._kubeconfig(folder.kubeconfig.name, *ADMIN)

    def _kubeconfig(self, file: str, name: str, *groups: str) -> Path:
        pair = self.ca.user(name, *groups)
        certificate, key = (self.folder.root / f"{name}.{end}" for end in ("crt", "key"))
        certificate.write_bytes(pair.certificate)
        key.write_bytes(pair.key)
        user = {
            "client-certificate-data": _base64(pair.certificate),
            "client-key-data": _base64(pair.key),
        }
        path = self.folder.root / file
        path.write_text(self._context(user, name), encoding="utf-8")
        return path

    def _context(self, user: Mapping[str, Any], name: str) -> str:
        return commands.kubeconfig(self.url, _base64(self.ca.certificate), user, name)

    def _connect(self, url: str) -> Connection:
        return with_certificate(url, self.folder.ca_file, *self._admin_pair())

    def _admin_pair(self) -> tuple[Path, Path]:
        """The files of the administrator's certificate and key."""
        return self.folder.root / f"{ADMIN[0]}.crt", self.folder.root / f"{ADMIN[0]}.key"

    def _answers(self, path: str) -> bool:
        return _ok(self.connection, path)

    def _wait_for(self, done: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + READY_WITHIN
        while not done():
            for process in (self.etcd, self.api_server, self.controller_manager, self.kubelet):
                if process is not None:
                    process.check()
            if time.monotonic() > until:
                raise TimeoutError(f"waited {READY_WITHIN:.0f} s in vain for {what}")
            time.sleep(0.05)


def _ok(connection: Connection, path: str) -> bool:
    try:
        return connection.request("GET", path).code == 200
    except OSError:
        return False


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
