"""A Kubernetes control plane of processes on this machine, for tests and benchmarks."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cluster import programs
from cluster.bed.audit_log import AuditLog
from cluster.bed.control_plane import ControlPlane

_COUNTER = itertools.count(1)


class TestBed(ControlPlane):
    """etcd and kube-apiserver, and optionally kube-controller-manager and a simulated kubelet.

        with TestBed(controllers="job-controller", kubelet=True) as bed:
            bed.kubectl("create", "-f", "job.yaml", "--namespace", bed.namespace())

    Every bed has its own ports, certificates and temporary folder, so that several run at once. Its processes end
    with it, and (on Linux) with the process that started them, however that ends.

    Attributes:
        ca: issues certificates: a webhook's serving certificate, further users.
        folder: where its files are; logs are ``folder.log("kube-apiserver")`` and so on.
        api_server, etcd, controller_manager, kubelet: the processes, to pause or to kill.
    """

    __test__ = False  # for pytest: no test class, whatever its name

    def namespace(self, prefix: str = "test") -> str:
        """The name of a new namespace; nothing deletes it before the bed stops."""
        name = f"{prefix}-{next(_COUNTER)}"
        self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        return name

    def user(self, name: str, *groups: str) -> Path:
        """Return a kubeconfig of any user, with the rights that RBAC grants: at first, none."""
        return self._kubeconfig(f"{name}.kubeconfig", name, *groups)

    def service_account(self, namespace: str, name: str) -> Path:
        """A kubeconfig of a ServiceAccount, which must exist; its token is good for an hour."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        requested = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        answer = self.request("POST", path, requested)
        assert answer.code == 201, answer
        file = self.folder.root / f"{namespace}.{name}.kubeconfig"
        user = {"token": answer.body["status"]["token"]}
        file.write_text(self._context(user, name), encoding="utf-8")
        return file

    def kubectl(
        self,
        *arguments: str,
        input: str | None = None,
        kubeconfig: Path | None = None,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        """Run kubectl, as the administrator or with another kubeconfig.

        Raises:
            AssertionError: it failed, and ``check`` is set; the message is kubectl's.
        """
        return self._run(programs.find("kubectl"), arguments, input, kubeconfig, check)

    def helm(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run Helm as the administrator.

        Raises:
            AssertionError: it failed, and ``check`` is set; the message is Helm's.
        """
        return self._run(programs.find("helm"), arguments, None, None, check)

    def client(self, kubeconfig: Path | None = None) -> Any:
        """A ``kubernetes.client.ApiClient``, as the administrator or with another kubeconfig."""
        from kubernetes import config

        return config.new_client_from_config(str(kubeconfig or self.kubeconfig))

    @property
    def release(self) -> str:
        """The release that the API server reports, such as ``1.36``."""
        version = self.get("/version")
        return f"{version['major']}.{version['minor'].rstrip('+')}"

    @contextlib.contextmanager
    def calls(self) -> Iterator[AuditLog]:
        """Record the API calls that are made while it lasts, and until it is read:

        with bed.calls() as calls:
            ...
        calls.count(user_agent="job-controller")
        """
        yield AuditLog(self.folder.audit_log).from_now()

    def _run(
        self,
        program: Path,
        arguments: Sequence[str],
        stdin: str | None,
        kubeconfig: Path | None,
        check: bool,
    ) -> subprocess.CompletedProcess[str]:
        home = str(self.folder.root)  # caches and settings of the user who runs the tests stay out
        done = subprocess.run(
            [program, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "KUBECONFIG": str(kubeconfig or self.kubeconfig), "HOME": home},
        )
        if check:
            assert done.returncode == 0, f"{program.name} {' '.join(arguments)}: {done.stderr}"
        return done
