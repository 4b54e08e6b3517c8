"""The programs of a cluster: which, in which version, where they are, and how they are built.

A version is pinned once, in the folder below ``binaries/`` that builds the program: by its ``go.mod``, or by the
``vendored.toml`` that names a commit of a repository that vendors it. Only the standard library is needed here, so that
``tests/cluster/install`` runs on a bare Python.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from cluster.vendored_source import FILE, VendoredSource

MODULES = Path(__file__).parent / "binaries"
NEWEST = "1.36"
OLDER = "1.33"
RELEASES = (NEWEST, OLDER)
VENDORED = ("1.25", "1.26", "1.27", "1.28", "1.29", "1.30", "1.31", "1.32", "1.36.3")
"""The releases, or patches, that are built from a repository that vendors them."""
RECORDED = (*VENDORED[:-1], "1.33", "1.34", "1.35", "1.36", "1.36.3", "1.37")
"""The releases, or patches, whose answers are recorded in ``tests/recorded``."""
INSTALL = "run tests/cluster/install (it takes Go), or set KUBEBUILDER_ASSETS"
OWN_PACKAGE = "."
"""The package of a program whose sources are in its folder here."""
LINKED = "linked-server"
LINKED_RELEASES = ("1.28", "1.33", "1.34", "1.35", "1.36", "1.37", "1.38")
"""The releases whose code is linked without a server; of those that are not in RECORDED only that."""
PROMETHEUS = "github.com/prometheus/prometheus"
JOBSET = "sigs.k8s.io/jobset"


class MissingProgram(LookupError):
    """A program of the cluster is not on this machine; the message states how to get it."""


class Program(NamedTuple):
    """A program that the test bed starts.

    Attributes:
        name: of the file, such as ``kube-apiserver``.
        module: the folder with its ``go.mod`` or ``vendored.toml``, below ``binaries/``.
        package: the Go package that it is built from.
        pinned_by: the Go module whose version is the program's.
        files: what is copied from that module beside the program: the names there, and the paths in the module.
    """

    name: str
    module: str
    package: str
    pinned_by: str
    files: Mapping[str, str] = MappingProxyType({})

    @property
    def vendored(self) -> VendoredSource | None:
        """The source that it is built from, if not from Go modules."""
        folder = MODULES / self.module
        return VendoredSource.read(folder) if (folder / FILE).exists() else None

    @property
    def version(self) -> str:
        """The pinned version, without the ``v``; with a digest of the sources if they are here."""
        if self.vendored:
            return self.vendored.kubernetes
        text = (MODULES / self.module / "go.mod").read_text(encoding="utf-8")
        pinned = re.search(
            rf"^(?:require)?\s*{re.escape(self.pinned_by)} v(\S+)", text, re.MULTILINE
        )
        if pinned is None:
            raise ValueError(f"{self.module}/go.mod requires no {self.pinned_by}")
        if self.package != OWN_PACKAGE:
            return pinned[1]
        sources = sorted((MODULES / self.module).glob("*.go"))
        digest = hashlib.sha256(b"".join(each.read_bytes() for each in sources)).hexdigest()
        return f"{pinned[1]}-{digest[:8]}"

    @property
    def file(self) -> str:
        """The name of the file that is built; that of sources in this repository ends with their digest."""
        if self.name != LINKED:
            return self.name
        source = (MODULES / self.module / self.package).read_bytes()
        return f"{self.name}-{hashlib.sha256(source).hexdigest()[:8]}"

    @property
    def path(self) -> Path:
        """The path to which ``install`` builds it: the cache is keyed by version."""
        family = self.module.partition("-")[0]
        return cache() / f"{family}-{self.version}" / self.file

    @property
    def linker_flags(self) -> str:
        """Linker flags that make the program smaller, and set its version."""
        flags = ["-s", "-w"]
        if self.pinned_by == "k8s.io/kubernetes":
            major, minor = self.version.split(".")[:2]
            reported = {"gitVersion": f"v{self.version}", "gitMajor": major, "gitMinor": minor}
            for variable, value in reported.items():
                for package in ("component-base/version", "client-go/pkg/version"):
                    flags += ["-X", f"k8s.io/{package}.{variable}={value}"]
        if self.name == "helm":
            flags += ["-X", f"helm.sh/helm/v3/internal/version.version=v{self.version}"]
        return " ".join(flags)


def _kubernetes(name: str, release: str) -> Program:
    family = "openshift" if release in VENDORED else "kubernetes"
    return Program(
        name, f"{family}-{release}", f"k8s.io/kubernetes/cmd/{name}", "k8s.io/kubernetes"
    )


PROGRAMS = (
    _kubernetes("kube-apiserver", NEWEST),
    Program("etcd", "etcd", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3"),
    _kubernetes("kubectl", NEWEST),
    _kubernetes("kube-controller-manager", NEWEST),
    Program("helm", "helm", "helm.sh/helm/v3/cmd/helm", "helm.sh/helm/v3"),
    *(_kubernetes("kube-apiserver", release) for release in RECORDED if release != NEWEST),
    _kubernetes("kube-controller-manager", OLDER),
    Program("promtool", "prometheus", f"{PROMETHEUS}/cmd/promtool", PROMETHEUS),
    Program(
        "jobset",
        "jobset",
        JOBSET,
        JOBSET,
        {
            "crd.yaml": "config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml",
            "webhooks.yaml": "config/components/webhook/manifests.yaml",
        },
    ),
    Program("admission-policies", "policies", OWN_PACKAGE, "k8s.io/apiserver"),
    *(
        Program(LINKED, f"kubernetes-{release}", "../linked/main.go", "k8s.io/kubernetes")
        for release in LINKED_RELEASES
    ),
)
OF_A_RELEASE = ("kube-apiserver", "kube-controller-manager", LINKED)
ON_DEMAND = ("promtool", "jobset", "admission-policies", LINKED)
"""Built only on demand, by name: each takes minutes, and few tests need it."""


def cache() -> Path:
    """The folder for what is built: ``$XDG_CACHE_HOME/jobsworth/cluster``."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "jobsworth" / "cluster"


def find(name: str, release: str | None = None) -> Path:
    """Return the path of a program: in ``KUBEBUILDER_ASSETS``, else in the cache.

    Args:
        name: of the program.
        release: of Kubernetes, such as ``1.33``, for the programs that come with each, or a patch of those that
            are ``VENDORED``; without one, whatever ``KUBEBUILDER_ASSETS`` has, else the newest.

    Raises:
        MissingProgram: it is in neither place.
    """
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets:
        path = Path(assets) / name
        if os.access(path, os.X_OK) and (
            release is None or name not in OF_A_RELEASE or release_of(path) == release
        ):
            return path
    wanted = release or NEWEST
    for program in PROGRAMS:
        of_that_release = program.module.partition("-")[2] == wanted
        if program.name == name and (name not in OF_A_RELEASE or of_that_release):
            if os.access(program.path, os.X_OK):
                return program.path
            how = INSTALL
            if name in ON_DEMAND:
                how = how.replace("install", f"install --only {name}")
            elif wanted != NEWEST:
                how = how.replace("install", f"install --release {wanted} --only {name}")
            raise MissingProgram(f"no {name} {program.version} on this machine: {how}")
    raise MissingProgram(f"no {name} of Kubernetes {wanted} is pinned here: {', '.join(RECORDED)}")


def linked_version(release: str) -> str:
    """Return the version of Kubernetes whose code is linked for a release."""
    return next(
        each.version
        for each in PROGRAMS
        if each.name == LINKED and each.module == f"kubernetes-{release}"
    )


def release_of(program: Path) -> str:
    """Return the Kubernetes release that a program reports, such as ``1.36``."""
    reported = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    found = re.search(r"v(\d+\.\d+)", reported.stdout)
    if found is None:
        raise ValueError(f"{program} --version told no release: {reported.stdout.strip()!r}")
    return found[1]
