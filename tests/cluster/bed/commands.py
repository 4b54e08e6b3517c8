"""The command lines of the programs, from a few values."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cluster.bed.folder import Folder

SERVICE_ADDRESSES = "10.96.0.0/24"
ISSUER = "https://kubernetes.default.svc"


def audit_policy() -> str:
    """One event a request, with its user agent; none for the health checks."""
    policy = {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived", "ResponseStarted"],
        "rules": [
            {"level": "None", "nonResourceURLs": ["/healthz*", "/livez*", "/readyz*"]},
            {"level": "Metadata"},
        ],
    }
    return json.dumps(policy)


def etcd(program: Path, folder: Folder, port: int, peer_port: int) -> list[str]:
    """etcd without the disk: what it holds is worth nothing after the test."""
    client, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer_port}"
    return [
        str(program),
        f"--data-dir={folder.root / 'etcd'}",
        "--unsafe-no-fsync",
        "--log-level=warn",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
    ]


def api_server(
    program: Path,
    folder: Folder,
    port: int,
    etcd_port: int,
    *,
    allow_privileged: bool,
    audit: bool,
    service_accounts: bool,
    feature_gates: Mapping[str, bool],
    flags: Sequence[str],
) -> list[str]:
    """kube-apiserver: RBAC, the default admission plugins, no cluster around it."""
    command = [
        str(program),
        f"--etcd-servers=http://127.0.0.1:{etcd_port}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--tls-cert-file={folder.certificate}",
        f"--tls-private-key-file={folder.key}",
        f"--client-ca-file={folder.ca_file}",
        "--authorization-mode=RBAC",
        f"--service-account-issuer={ISSUER}",
        f"--service-account-key-file={folder.signing_public}",
        f"--service-account-signing-key-file={folder.signing_key}",
        f"--service-cluster-ip-range={SERVICE_ADDRESSES}",
        "--endpoint-reconciler-type=none",  # it would reject a loopback address
        # The bed stops by killing; no other process needs notice.
        "--shutdown-delay-duration=0s",
    ]
    if not service_accounts:
        # It rejects Pods until a controller has made their namespace's ServiceAccount.
        command.append("--disable-admission-plugins=ServiceAccount")
    if allow_privileged:
        command.append("--allow-privileged=true")
    if audit:
        command += [
            f"--audit-policy-file={folder.audit_policy}",
            "--audit-log-maxsize=100000",  # never rotated: readers of the log keep offsets (100 MB by default)
            f"--audit-log-path={folder.audit_log}",
        ]
    return [*command, *_gates(feature_gates), *flags]


def controller_manager(
    program: Path,
    folder: Folder,
    port: int,
    *,
    controllers: str,
    qps: float | None,
    burst: int | None,
    feature_gates: Mapping[str, bool],
    flags: Sequence[str],
) -> list[str]:
    """kube-controller-manager with the named controllers, as its own leader."""
    command = [
        str(program),
        f"--kubeconfig={folder.kubeconfig}",
        f"--controllers={controllers}",
        "--leader-elect=false",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--tls-cert-file={folder.certificate}",
        f"--tls-private-key-file={folder.key}",
        f"--service-account-private-key-file={folder.signing_key}",
        f"--root-ca-file={folder.ca_file}",
        "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics",
    ]
    if qps is not None:
        command.append(f"--kube-api-qps={qps:g}")
    if burst is not None:
        command.append(f"--kube-api-burst={burst}")
    return [*command, *_gates(feature_gates), *flags]


def kubelet(url: str, folder: Folder, certificate: Path, key: Path) -> list[str]:
    """The simulated kubelet of the only node."""
    files = (folder.ca_file, certificate, key)
    return [sys.executable, "-m", "cluster.bed.kubelet", url, *map(str, files)]


def kubeconfig(server: str, ca: str, user: Mapping[str, Any], name: str) -> str:
    """A kubeconfig of one context; JSON, which is YAML."""
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [
                {
                    "name": "bed",
                    "cluster": {"server": server, "certificate-authority-data": ca},
                }
            ],
            "users": [{"name": name, "user": dict(user)}],
            "contexts": [{"name": name, "context": {"cluster": "bed", "user": name}}],
        },
        indent=2,
    )


def _gates(gates: Mapping[str, bool]) -> list[str]:
    if not gates:
        return []
    return [
        "--feature-gates=" + ",".join(f"{name}={str(on).lower()}" for name, on in gates.items())
    ]
