"""Render charts and overlays by the tools that their users have: helm, kustomize or kubectl."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from jobsworth.files.chart_dependencies import built_chart, local_dependencies
from jobsworth.files.chart_sources import ChartSources, chart_metadata, ci_values
from jobsworth.files.charts import CHART_FILE, chart_note
from jobsworth.files.origins import source_of
from jobsworth.files.programs import MAX_MEMORY_BYTES, ProgramError, find_program, run_program
from jobsworth.files.repository_root import (
    KUSTOMIZATIONS,
    is_within,
    root_around,
    stays_in_repository,
)
from jobsworth.files.source_folders import (
    each_once,
    folders_named_in,
    leads_out_of_repository,
)
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.manifests import Document, ManifestError
from jobsworth.manifests.parsing.manifest_files import LEAVES
from jobsworth.regular_files import MIB

VALUES_FILE = "values.yaml"
Place = tuple[str, int | str | None, str, str]
"""The file, the line or field, the code and the message of a finding."""

MAX_ERROR_LINES = 5
"""The last lines of a tool's error that are shown."""

ORIGIN = "config.kubernetes.io/origin"
"""The annotation in which kustomize names the file of a resource (buildMetadata: originAnnotations)."""


_PROTOCOLS = {"GIT_ALLOW_PROTOCOL": "git:http:https:ssh"}
"""How the git that kustomize starts may fetch a base: not from a folder of this machine."""

_NO_VARIABLES: Mapping[str, str] = {}

_LOG_PREFIX = re.compile(r'^[EWIF]\d{4} [\d:.]+ +\d+ \S+?:\d+\] (?:"command failed" err=)?')
"""What kubectl writes before a message: its severity, time, process and line of code."""

_CRASH = "fatal error: "
"""Begins the line in which a program in Go says why it has crashed: the stacks of its threads follow."""


@dataclass(frozen=True, slots=True)
class Source:
    """A chart or an overlay.

    Attributes:
        kind: ``chart`` for a folder with a Chart.yaml or a packed chart, ``overlay`` for one with a
            kustomization.
        path: the folder or file, as the user named it or as it was found.
    """

    kind: Literal["chart", "overlay"]
    path: str

    @property
    def settings_path(self) -> str:
        """A path in it whose configuration is that of its objects."""
        return os.path.join(self.path, "manifest.yaml")

    def is_rendered_from(self, files: Sequence[str]) -> bool:
        """Return True if one of some files is in a folder from which it is rendered."""
        folders = list(self._folders())
        return any(is_within(file, folder) for file in files for folder in folders)

    def _folders(self) -> Iterator[str]:
        """Yield its folder and those that it names: charts that it depends on, or bases."""
        folders = [self.path]
        for folder in each_once(folders):
            yield folder
            if self.kind == "chart":
                folders += (path for _, path in local_dependencies(folder))
                continue
            for named in folders_named_in(folder):
                if not isinstance(named, ManifestError):
                    folders.append(named.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """Options of ``helm template``.

    Attributes:
        values: files of values, the last one first in precedence.
        sets: values as ``name=value``.
        namespace: the namespace of the release; empty for helm's default.
        release: its name.
        kubernetes_version: the release of Kubernetes for which charts are rendered; empty for helm's own.
    """

    values: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    namespace: str = ""
    release: str = "release-name"
    kubernetes_version: str = ""


@dataclass(frozen=True, slots=True)
class Rendering:
    """The manifests of a chart or an overlay.

    Attributes:
        source: the chart or overlay.
        data: the manifests, as its tool writes them.
        root: the folder from which the origins of an overlay's resources are paths.
        values: the file of values that a chart is tested with and was rendered with; empty for none.
        value_files: all files of values that it was rendered with, the first one first in precedence.
    """

    source: Source
    data: bytes
    root: str = ""
    values: str = ""
    value_files: Sequence[str] = ()

    def template_of(self, document: Document) -> str | None:
        """Return the file that a document was rendered from; None if that is unknown."""
        if self.source.kind == "overlay":
            return self._resource_of(document)
        named = source_of(document.text)
        _, _, path = named.partition("/")
        template = os.path.join(self.source.path, *path.split("/"))
        if path and os.path.isfile(template) and is_within(template, self.source.path):
            return os.path.normpath(template)
        within = root_around(os.path.join(self.source.path, CHART_FILE))
        return ChartSources(self.source.path, within).file(named) if named else None

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
                # An overlay can also set the annotation itself.
                top = root_around(self.source.path)
                is_file = os.path.isfile(file) and (top is None or is_within(file, top))
                return file if is_file else None
        return None


def sources_in(folder: str) -> list[Source]:
    """Return the charts and overlays in a folder, without those that are part of another one.

    A chart inside a chart is its dependency, and an overlay that another one names is its base.

    Args:
        folder: the path to search; hidden folders are left out.
    """
    found = list(_sources(folder))
    bases = {
        named.path
        for source in found
        if source.kind == "overlay"
        for named in folders_named_in(source.path)
        if not isinstance(named, ManifestError)
    }
    return [source for source in found if os.path.normpath(source.path) not in bases]


def _sources(folder: str) -> Iterator[Source]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    if CHART_FILE in names:
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
    """Return the files that are not part of a chart that is rendered: templates are not manifests."""
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


def renderings(
    source: Source, options: RenderOptions
) -> Iterator[Rendering | Result | ManifestError]:
    """Render a chart or an overlay; yield the error of the tool if it cannot.

    A chart is also rendered with each of the files of values that it is tested with, unless there are values
    of the user: ``ci/*-values.yaml``, as for the tool chart-testing. Its error without values is not reported
    if it can be rendered with one of them. A library chart has a note.
    """
    if not os.path.exists(source.path):
        yield ManifestError(source.path, 0, 0, "no such file or folder; check the path")
        return
    outside = leads_out_of_repository(source.kind, source.path)
    if outside is not None:
        yield outside
        return
    if source.kind == "overlay":
        named = [os.path.join(source.path, name) for name in KUSTOMIZATIONS]
        if os.path.isdir(source.path) and not any(map(os.path.lexists, named)):
            yield _failed(source, f"it has no {KUSTOMIZATIONS[0]}: name the folder of an overlay")
        else:
            yield _overlay(source)
        return
    for file in options.values:
        if not stays_in_repository(file):
            yield ManifestError(file, 1, 1, LEAVES)
            return
    if chart_metadata(source.path).get("type") == "library":
        yield chart_note(
            source.path, "a library chart has nothing to render: render a chart that uses it"
        )
        return
    with built_chart(source.path) as path:
        if isinstance(path, ManifestError):
            yield path
            return
        first = _chart(source, path, options)
        others: list[Rendering | ManifestError] = []
        if not (options.values or options.sets):
            for file in ci_values(source.path):
                done = _chart(source, path, replace(options, values=(file,)))
                if isinstance(done, Rendering):
                    done = replace(done, values=os.path.normpath(file))
                others.append(done)
    if isinstance(first, Rendering) or not any(isinstance(each, Rendering) for each in others):
        yield first
    yield from (each for each in others if isinstance(each, Rendering))


def _chart(source: Source, path: str, options: RenderOptions) -> Rendering | ManifestError:
    command = _helm(path, options)
    if command is None:
        return _failed(
            source,
            "helm is not installed, or not in the PATH, so the chart is not rendered; install it, or pipe "
            "the rendered chart: helm template CHART | jobsworth validate -",
        )
    data = _run(command, source)
    if isinstance(data, ManifestError):
        return data
    own = os.path.join(source.path, VALUES_FILE)
    files = [*reversed(options.values), *([own] if os.path.isfile(own) else [])]
    return Rendering(source, data, value_files=[os.path.normpath(file) for file in files])


def _helm(path: str, options: RenderOptions) -> list[str] | None:
    """Return the command that renders a chart; None without helm."""
    helm = find_program("helm")
    if helm is None:
        return None
    # helm would take a folder with such a name for an option.
    path = os.path.join(os.curdir, path) if path.startswith("-") else path
    command = [helm, "template", options.release, path]
    if options.kubernetes_version:
        command += ("--kube-version", options.kubernetes_version)
    for file in options.values:
        command += ("--values", file)
    for value in options.sets:
        command += ("--set", value)
    if options.namespace:
        command += ("--namespace", options.namespace)
    return command


def _overlay(source: Source) -> Rendering | ManifestError:
    """Build an overlay through a kustomization of our own, which asks for the origin of each resource."""
    tool = _kustomize()
    if tool is None:
        return _failed(
            source,
            "neither kustomize nor kubectl is installed, or in the PATH, so the overlay is not built; "
            "install one, or pipe the built overlay: kustomize build OVERLAY | jobsworth validate -",
        )
    with tempfile.TemporaryDirectory(prefix="jobsworth-") as folder:
        root = os.path.join(os.path.realpath(folder), "overlay")
        os.mkdir(root)
        base = os.path.relpath(os.path.realpath(source.path), root)
        with open(os.path.join(root, KUSTOMIZATIONS[0]), "w", encoding="utf-8") as file:
            json.dump({"resources": [base], "buildMetadata": ["originAnnotations"]}, file)
        # What kustomize fetches is deleted with the folder, also if it is ended.
        data = _run([*tool, root], source, {"TMPDIR": folder})
    return data if isinstance(data, ManifestError) else Rendering(source, data, root)


def _kustomize() -> list[str] | None:
    kustomize = find_program("kustomize")
    if kustomize is not None:
        return [kustomize, "build"]
    kubectl = find_program("kubectl")
    if kubectl is not None:
        return [kubectl, "kustomize"]
    return None


def _run(
    command: Sequence[str], source: Source, environment: Mapping[str, str] = _NO_VARIABLES
) -> bytes | ManifestError:
    name = os.path.basename(command[0])
    try:
        done = run_program(command, environment={**_PROTOCOLS, **os.environ, **environment})
    except ProgramError as error:
        return _failed(source, str(error))
    if done.code == 0:
        return done.stdout
    lines = [_LOG_PREFIX.sub("", line.strip()) for line in done.error.splitlines()]
    reason = " ".join(lines[-MAX_ERROR_LINES:])
    for line in lines:
        if line.startswith(_CRASH):
            reason = f"{line} (the limit is {MAX_MEMORY_BYTES // MIB} MiB of memory)"
            break
    return _failed(source, f"{name} cannot render it: {reason}")


def _failed(source: Source, message: str) -> ManifestError:
    """Name the file that makes a folder a chart or an overlay, without a place in it."""
    names = (CHART_FILE,) if source.kind == "chart" else KUSTOMIZATIONS
    files = [os.path.normpath(os.path.join(source.path, name)) for name in names]
    return ManifestError(next(filter(os.path.isfile, files), source.path), 0, 0, message)


def without_repeated(
    results: Sequence[Result], before: Sequence[Result], shown: Sequence[Result]
) -> list[Result]:
    """Return results without the findings that were reported before at the same line of the same file.

    A resource of an overlay may be a manifest that is validated itself.

    Args:
        results: those of a chart or an overlay.
        before: those of files, and of other charts and overlays.
        shown: the same without what a baseline has.
    """
    reported, left = _places(before), _places(shown)
    return [_without(result, reported, left) for result in results]


def _without(result: Result, reported: set[Place], left: set[Place]) -> Result:
    """Return a result without findings of some places.

    Args:
        result: the result.
        reported: the places.
        left: those of them whose findings no baseline has; an object whose errors it has is not invalid.
    """
    kept, errors, unknown = [], 0, 0
    for located in result.findings:
        place = _place(located, result.file)
        if located.origin is None or place not in reported:
            kept.append(located)
        elif located.finding.severity == "error":
            errors += place not in left
            unknown += place in left
    if not errors or unknown:
        return result.replace(findings=kept)
    return result.with_findings(kept).replace(known_errors=errors)


def _places(results: Sequence[Result]) -> set[Place]:
    return {_place(located, result.file) for result in results for located in result.findings}


def _place(located: LocatedFinding, file: str) -> Place:
    finding, origin = located.finding, located.origin
    path: str = file if origin is None else origin.file
    line: int | str | None = located.line if origin is None else origin.line
    if origin is not None and origin.resource and finding.severity != "error":
        path = origin.resource  # advice on a resource is the same in each of its overlays
        if not origin.overlay:
            line = finding.field  # and on a template with each file of values
    return os.path.normpath(path), line, finding.code, finding.message
