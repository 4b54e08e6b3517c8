"""The image, built by buildah without a Docker engine, and run by runc as the kubelet would run it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
BASE = "localhost/jobsworth-base"
TIMESTAMP = "1580601600"
"""2020-02-02, the time of all files in the layer, as in ``.github/workflows/release.yml``."""
USER = 65532
PATIENCE_SECONDS = 60
COPIED = (
    "image-requirements.txt",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "Containerfile",
    ".containerignore",
)


def base_archive() -> Path:
    """The root file system that ``tests/artifacts/install`` makes."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "jobsworth/image/base.tar"


class ImageStore:
    """Images in a folder of their own, with a base image for the Containerfile.

    Args:
        folder: an empty one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._options: list[str] = []
        for driver in ("overlay", "vfs"):  # the first does not work in a container
            self._options = [
                "--root", str(folder / f"{driver}-root"), "--runroot", str(folder / f"{driver}-run"),
                "--storage-driver", driver,
            ]  # fmt: skip
            try:
                container = self._run("from", "scratch")
                self._run("add", "--quiet", container, str(base_archive()), "/")
                break
            except subprocess.CalledProcessError:
                if driver == "vfs":
                    raise
        self._run("commit", "--quiet", "--rm", "--timestamp", TIMESTAMP, container, BASE)

    def _run(self, *arguments: str, **options: Any) -> str:
        done = subprocess.run(
            ["buildah", *self._options, *arguments],
            capture_output=True, text=True, check=False, **options,
        )  # fmt: skip
        if done.returncode:
            print(done.stdout[-4000:], done.stderr[-4000:])
            done.check_returncode()
        return done.stdout.strip()

    def build(self, source: Path, name: str) -> Path:
        """Build the image from a copy of the sources, and return it as a folder in OCI's layout."""
        self._run(
            "bud", "--isolation", "chroot", "--pull=never", "--network", "host", "--timestamp", TIMESTAMP,
            "--build-arg", f"PYTHON_IMAGE={BASE}", "--file", "Containerfile", "--tag", f"localhost/{name}", ".",
            cwd=source,
        )  # fmt: skip
        layout = self.folder / name
        self._run("push", "--quiet", f"localhost/{name}", f"oci:{layout}:built")
        return layout

    def remove(self) -> None:
        """Unmount and delete everything."""
        self._run("rm", "--all")
        self._run("rmi", "--all", "--force")
        for folder in self.folder.glob("*-root/overlay"):
            subprocess.run(["umount", "--quiet", str(folder)], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def copy_sources(target: Path) -> Path:
    """Copy what the Containerfile reads."""
    target.mkdir()
    for name in COPIED:
        shutil.copy(ROOT / name, target / name)
    for name in ("webhook", "schemas"):
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def blob(layout: Path, digest: str) -> Any:
    return json.loads((layout / "blobs" / digest.replace(":", "/")).read_text())


def manifest(layout: Path) -> dict[str, Any]:
    """The manifest of the image in a layout: its layers, with their compressed sizes."""
    (entry,) = json.loads((layout / "index.json").read_text())["manifests"]
    found: dict[str, Any] = blob(layout, entry["digest"])
    return found


def configuration(layout: Path) -> dict[str, Any]:
    """The image's configuration: user, command, and the digests of its uncompressed layers."""
    found: dict[str, Any] = blob(layout, manifest(layout)["config"]["digest"])
    return found


class Bundle:
    """An unpacked image, from which runc starts containers.

    They get what a Pod with the restricted security standard gets: the image's user, a read-only root, no capabilities, no
    new privileges, and an empty folder for temporary files. The network is the host's.

    Args:
        layout: the image, in OCI's layout.
        folder: one that does not exist.
    """

    def __init__(self, layout: Path, folder: Path) -> None:
        subprocess.run(
            ["umoci", "unpack", "--image", f"{layout}:built", str(folder)],
            check=True,
            capture_output=True,
        )
        self.folder = folder
        self.state = folder / "state"
        self._made: dict[str, Any] = json.loads((folder / "config.json").read_text())

    @contextmanager
    def started(self, *arguments: str, input: Path | None = None) -> Iterator[RunningContainer]:
        """Start the image's command with arguments; kill it at the end if it still runs."""
        name = f"jobsworth-{uuid.uuid4().hex[:12]}"
        entry = configuration_entry(self._made)
        specification = restricted(self._made, [entry, *arguments], input)
        (self.folder / "config.json").write_text(json.dumps(specification))
        command = ["runc", "--root", str(self.state), "run", "--bundle", str(self.folder), name]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        running = RunningContainer(name, self.state, process)
        try:
            yield running
        finally:
            if process.poll() is None:
                running.signal("KILL")
            process.communicate(timeout=PATIENCE_SECONDS)

    def run(self, *arguments: str, input: Path | None = None) -> tuple[int, str]:
        """Run the image's command to its end, and return the exit code and what it printed."""
        with self.started(*arguments, input=input) as running:
            output, _ = running.process.communicate(timeout=PATIENCE_SECONDS)
            return running.process.returncode, output


class RunningContainer:
    """A container that runc runs.

    Args:
        name: its name for runc.
        state: runc's folder.
        process: runc itself, which ends with the container and has its exit code.
    """

    def __init__(self, name: str, state: Path, process: subprocess.Popen[str]) -> None:
        self.name = name
        self.state = state
        self.process = process

    def signal(self, signal: str) -> None:
        subprocess.run(["runc", "--root", str(self.state), "kill", self.name, signal], check=True)

    def execute(self, *command: str) -> str:
        """Run a command in the container, and return what it prints."""
        done = subprocess.run(
            ["runc", "--root", str(self.state), "exec", self.name, *command],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout

    def when(self, *command: str) -> str:
        """Repeat a command in the container until it succeeds."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return self.execute(*command)
            except subprocess.CalledProcessError as error:
                if self.process.poll() is not None:
                    output = self.process.stdout.read() if self.process.stdout else ""
                    raise AssertionError(f"the container ended: {output}") from None
                if time.monotonic() > end:
                    raise AssertionError(f"{command}: {error.stderr}") from None
                time.sleep(0.2)


def configuration_entry(made: dict[str, Any]) -> str:
    """The image's entry point."""
    entry: str = made["process"]["args"][0]
    return entry


def restricted(made: dict[str, Any], arguments: list[str], input: Path | None) -> dict[str, Any]:
    """Return the specification of a container with no more rights than a restricted Pod has.

    Control groups and the network are left out: not every sandbox lets a container have its own.
    """
    mounts = [
        mount for mount in made["mounts"] if mount["type"] != "cgroup" and not mount["destination"].startswith("/etc/")
    ]  # fmt: skip
    mounts.append({
        "destination": "/tmp", "type": "tmpfs", "source": "tmpfs",
        "options": ["nosuid", "nodev", "mode=1777", "size=64m"],
    })  # fmt: skip
    if input is not None:
        mounts.append(
            {"destination": "/mnt", "type": "bind", "source": str(input), "options": ["bind", "ro"]}
        )
    none: dict[str, list[str]] = {
        kind: [] for kind in ("bounding", "effective", "inheritable", "permitted", "ambient")
    }
    process = {
        **made["process"], "args": arguments, "terminal": False, "noNewPrivileges": True, "capabilities": none,
    }  # fmt: skip
    namespaces = [
        each for each in made["linux"]["namespaces"] if each["type"] not in ("network", "user")
    ]
    linux = {
        **{key: value for key, value in made["linux"].items() if key != "resources"}, "namespaces": namespaces,
    }  # fmt: skip
    return {
        **made, "process": process, "linux": linux, "mounts": mounts,
        "root": {**made["root"], "readonly": True},
    }  # fmt: skip
