"""Render charts and overlays by the tools that their users have: helm, kustomize or kubectl."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Literal

from jobsworth.manifests import ManifestError
from jobsworth.record import Record
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHART = "Chart.yaml"
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
TIMEOUT_SECONDS = 120
MAX_ERROR_LINES = 5
"""The last lines of a tool's error that are shown."""

ORIGIN = "config.kubernetes.io/origin"
"""The annotation in which kustomize names the file of a resource (buildMetadata: originAnnotations)."""


class Source(Record):
    """A chart or an overlay.

    Attributes:
        kind: ``chart`` for a folder with a Chart.yaml or a packed chart, ``overlay`` for one with a
            kustomization.
        path: the folder or file, as the user named it or as it was found.
    """

    kind: Literal["chart", "overlay"]
    path: str


class RenderOptions(Record, kw_only=True):
    """Options of ``helm template``.

    Attributes:
        values: files of values, the last one first in precedence.
        sets: values as ``name=value``.
        namespace: the namespace of the release; empty for helm's default.
        release: its name.
    """

    values: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    namespace: str = ""
    release: str = "release-name"


def sources_in(folder: str) -> list[Source]:
    """Return the charts and overlays in a folder: those that no other one contains or refers to by its place.

    A chart inside a chart is its dependency. A folder that is called ``base`` or ``components`` is part of
    overlays beside it.

    Args:
        folder: the path to search; hidden folders are left out.
    """
    return list(_sources(folder))


def _sources(folder: str) -> Iterator[Source]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    if CHART in names:
        yield Source("chart", folder)
        return
    if any(name in names for name in KUSTOMIZATIONS):
        yield Source("overlay", folder)
    for name in names:
        path = os.path.join(folder, name)
        if not name.startswith(".") and os.path.isdir(path) and not os.path.islink(path):
            yield from _sources(path)


def rendered(source: Source, options: RenderOptions) -> bytes | ManifestError:
    """Return the manifests of a chart or an overlay, or the error of the tool that renders it.

    Raises:
        UsageError: the tool is not installed.
    """
    if source.kind == "chart":
        return _run(_helm(source.path, options), source)
    return _overlay(source)


def _helm(path: str, options: RenderOptions) -> list[str]:
    helm = shutil.which("helm")
    if helm is None:
        raise UsageError(
            f"{path}: helm is not installed, or not in the PATH; install it, or pipe the rendered chart: "
            "helm template CHART | jobsworth validate -"
        )
    command = [helm, "template", options.release, path]
    for file in options.values:
        command += ("--values", file)
    for value in options.sets:
        command += ("--set", value)
    if options.namespace:
        command += ("--namespace", options.namespace)
    return command


def _overlay(source: Source) -> bytes | ManifestError:
    """Build an overlay through a kustomization of our own, which asks for the origin of each resource."""
    tool = _kustomize(source.path)
    with tempfile.TemporaryDirectory(prefix="jobsworth-") as folder:
        root = os.path.realpath(folder)
        base = os.path.relpath(os.path.realpath(source.path), root)
        with open(os.path.join(root, KUSTOMIZATIONS[0]), "w", encoding="utf-8") as file:
            file.write(f"resources: ['{base}']\nbuildMetadata: [originAnnotations]\n")
        return _run([*tool, root], source)


def _kustomize(path: str) -> list[str]:
    kustomize = shutil.which("kustomize")
    if kustomize is not None:
        return [kustomize, "build"]
    kubectl = shutil.which("kubectl")
    if kubectl is not None:
        return [kubectl, "kustomize"]
    raise UsageError(
        f"{path}: neither kustomize nor kubectl is installed, or in the PATH; install one, or pipe the built "
        "overlay: kustomize build OVERLAY | jobsworth validate -"
    )


def _run(command: Sequence[str], source: Source) -> bytes | ManifestError:
    name = os.path.basename(command[0])
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _failed(source, f"{name} took longer than {TIMEOUT_SECONDS} s")
    except OSError as error:
        return _failed(source, f"{name} cannot be run: {error.strerror}")
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode(errors="replace").strip().splitlines()[-MAX_ERROR_LINES:]
    return _failed(source, f"{name} cannot render it: {' '.join(line.strip() for line in said)}")


def _failed(source: Source, message: str) -> ManifestError:
    return ManifestError(source.path, 1, 1, message)
