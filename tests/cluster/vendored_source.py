"""Sources of Kubernetes in a repository that vendors them, for releases that the Go module proxy may not serve.

MicroShift vendors the API server of each OpenShift release: upstream's release branch with OpenShift's patches, which
leave the API of Jobs alone. Only the standard library is needed here.
"""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import NamedTuple, Self

MAIN = Path(__file__).parent / "binaries/openshift/apiserver.go"
FILE = "vendored.toml"
BUILD_TAGS = "providerless"
"""Leaves out the cloud providers, as upstream does since 1.31; their SDKs are most of what is vendored."""
NOT_NEEDED = (
    "vendor/google.golang.org/api/compute",
    "vendor/github.com/aws/aws-sdk-go/service/ec2",
)


class VendoredSource(NamedTuple):
    """A commit of a repository that vendors Kubernetes.

    Attributes:
        kubernetes: the version that is vendored, such as ``1.28.15``.
        repository: the URL to fetch from.
        branch: that the commit is on, for readers.
        commit: the full SHA-1.
    """

    kubernetes: str
    repository: str
    branch: str
    commit: str

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the source that a folder of ``binaries/`` pins."""
        return cls(**tomllib.loads((folder / FILE).read_text(encoding="utf-8")))

    def check_out(self, folder: Path) -> Path:
        """Fetch what the API server is built from into an empty folder.

        Returns:
            The folder of the main package.

        Raises:
            subprocess.CalledProcessError: Git could not; it says why itself.
        """

        def git(*arguments: str) -> None:
            subprocess.run(["git", "-C", str(folder), *arguments], check=True)

        git("init", "--quiet")
        git("remote", "add", "origin", self.repository)
        wanted = ["/go.mod", "/go.sum", "/vendor/", *(f"!/{path}/" for path in NOT_NEEDED)]
        git("sparse-checkout", "set", "--no-cone", *wanted)
        # Only what is checked out is fetched, all of it at once.
        git("fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", self.commit)
        git("checkout", "--quiet", "--detach", self.commit)
        main = folder / "cmd/apiserver"
        main.mkdir(parents=True)
        shutil.copy(MAIN, main / "main.go")
        return main
