"""The files of a test bed, and what became of those of others."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

PREFIX = "jobsworth-bed-"


class Folder(NamedTuple):
    """The files of a test bed."""

    root: Path

    @property
    def ca_file(self) -> Path:
        return self.root / "ca.crt"

    @property
    def certificate(self) -> Path:
        return self.root / "server.crt"

    @property
    def key(self) -> Path:
        return self.root / "server.key"

    @property
    def signing_key(self) -> Path:
        return self.root / "service-accounts.key"

    @property
    def signing_public(self) -> Path:
        return self.root / "service-accounts.pub"

    @property
    def audit_policy(self) -> Path:
        return self.root / "audit-policy.json"

    @property
    def audit_log(self) -> Path:
        return self.root / "audit.jsonl"

    @property
    def kubeconfig(self) -> Path:
        return self.root / "admin.kubeconfig"

    def log(self, program: str) -> Path:
        return self.root / f"{program}.log"


def new_folder() -> Folder:
    """Create a temporary folder whose name holds the id of its process."""
    return Folder(Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")))


def remove_leftovers() -> None:
    """Remove the folders of beds whose process was killed before it could do so."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
        if pid.isdecimal() and not _alive(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
