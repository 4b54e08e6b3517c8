"""Render charts and overlays by the tools that their users have: helm, kustomize or kubectl."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Literal

from jobsworth.files.chart_sources import ChartSources
from jobsworth.files.origins import source_of
from jobsworth.files.repository_root import KUSTOMIZATIONS, is_within
from jobsworth.manifests import ManifestError, read_file
from jobsworth.record import Record
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jobsworth.findings.located_finding import LocatedFinding
    from jobsworth.findings.result import Result
    from jobsworth.manifests import Document

CHART = "Chart.yaml"
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


class Rendering(Record):
    """The manifests of a chart or an overlay.

    Attributes:
        source: the chart or overlay.
        data: the manifests, as its tool writes them.
        root: the folder from which the origins of an overlay's resources are paths.
    """

    source: Source
    data: bytes
    root: str = ""

    def template_of(self, document: Document) -> str | None:
        """Return the file that a document was rendered from; None if that is unknown."""
        if self.source.kind == "overlay":
            return self._resource_of(document)
        named = source_of(document.text)
        _, _, path = named.partition("/")
        template = os.path.join(self.source.path, *path.split("/"))
        if path and os.path.isfile(template) and is_within(template, self.source.path):
            return os.path.normpath(template)
        return ChartSources(self.source.path).file(named) if named else None

    def _resource_of(self, document: Document) -> str | None:
        """Return the file of a resource, and remove the annotation in which kustomize names it."""
        value = document.value
        metadata = value.get("metadata") if isinstance(value, dict) else None
        annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
        if not isinstance(annotations, dict) or not isinstance(metadata, dict):
            return None
        origin = annotations.pop(ORIGIN, None)
        if not annotations:
            del metadata["annotations"]
        for line in origin.splitlines() if isinstance(origin, str) else ():
            key, _, path = line.partition(": ")
            if key == "path":
                file = os.path.relpath(os.path.join(self.root, path))
                return file if os.path.isfile(file) else None
        return None


def sources_in(folder: str) -> list[Source]:
    """Return the charts and overlays in a folder, without those that are part of another one.

    A chart inside a chart is its dependency, and an overlay that another one names is its base.

    Args:
        folder: the path to search; hidden folders are left out.
    """
    found = list(_sources(folder))
    bases = {
        base for source in found if source.kind == "overlay" for base in _bases_of(source.path)
    }
    return [source for source in found if os.path.normpath(source.path) not in bases]


def _bases_of(folder: str) -> Iterator[str]:
    """Yield the folders that the kustomization of a folder names."""
    for name in KUSTOMIZATIONS:
        path = os.path.join(folder, name)
        for document in read_file(path) if os.path.isfile(path) else ():
            value = document.value if isinstance(document.value, dict) else {}
            for field in ("resources", "bases", "components"):
                named = value.get(field)
                for base in named if isinstance(named, list) else ():
                    if isinstance(base, str):
                        yield os.path.normpath(os.path.join(folder, base))


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


def not_in_charts(
    files: Sequence[str | ManifestError], sources: Sequence[Source]
) -> list[str | ManifestError]:
    """Return the files that are no part of a chart that is rendered: templates are no manifests."""
    charts = tuple(
        os.path.join(os.path.normpath(source.path), "")
        for source in sources
        if source.kind == "chart"
    )
    return [
        file
        for file in files
        if isinstance(file, ManifestError) or not os.path.normpath(file).startswith(charts)
    ]


def rendered(source: Source, options: RenderOptions) -> Rendering | ManifestError:
    """Render a chart or an overlay; return the error of the tool if it cannot.

    Raises:
        UsageError: the tool is not installed.
    """
    if not os.path.exists(source.path):
        return _failed(source, "no such file or folder; check the path")
    if source.kind == "overlay":
        return _overlay(source)
    data = _run(_helm(source.path, options), source)
    return data if isinstance(data, ManifestError) else Rendering(source, data)


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


def _overlay(source: Source) -> Rendering | ManifestError:
    """Build an overlay through a kustomization of our own, which asks for the origin of each resource."""
    tool = _kustomize(source.path)
    with tempfile.TemporaryDirectory(prefix="jobsworth-") as folder:
        root = os.path.realpath(folder)
        base = os.path.relpath(os.path.realpath(source.path), root)
        with open(os.path.join(root, KUSTOMIZATIONS[0]), "w", encoding="utf-8") as file:
            file.write(f"resources: ['{base}']\nbuildMetadata: [originAnnotations]\n")
        data = _run([*tool, root], source)
    return data if isinstance(data, ManifestError) else Rendering(source, data, root)


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


def remove_repeated(results: Sequence[Result], before: Sequence[Result]) -> None:
    """Remove the findings that were reported before at the same line of the same file.

    A resource of an overlay may be a manifest that is validated itself.

    Args:
        results: those of a chart or an overlay.
        before: those of files, and of other charts and overlays.
    """
    reported = {_place(located, result.file) for result in before for located in result.findings}
    for result in results:
        result.findings = [
            located
            for located in result.findings
            if located.origin is None or _place(located, result.file) not in reported
        ]


def _place(located: LocatedFinding, file: str) -> tuple[str, int | None, str, str]:
    finding, origin = located.finding, located.origin
    path, line = (file, located.line) if origin is None else (origin.file, origin.line)
    return os.path.normpath(path), line, finding.code, finding.message
