"""Build the dependencies of a chart that are folders beside it (``file://``), in a copy of the chart.

helm does so with ``helm dependency build``, which writes into the repository. Other repositories are on the
network, and nothing is fetched from them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jobsworth.files.chart_sources import LOCAL, SUBCHARTS, chart_metadata
from jobsworth.files.repository_root import is_within, root_around
from jobsworth.files.source_folders import leads_out_of_repository
from jobsworth.manifests import ManifestError
from jobsworth.regular_files import MIB

MAX_FILES = 5_000
MAX_BYTES = 64 * MIB
"""The maximum size of a chart with its dependencies that is copied."""
MAX_DEPTH = 8
"""The maximum number of charts of which each depends on the next one."""


@contextmanager
def built_chart(chart: str) -> Iterator[str | ManifestError]:
    """Provide the folder of a chart with the dependencies that are folders beside it.

    It is the chart itself if it has all of them, and a copy, which is deleted in the end, if not.

    Args:
        chart: the folder of the chart, or a packed chart; no link in it leads out of the repository.
    """
    if not any(_missing(chart)):
        yield chart
        return
    with tempfile.TemporaryDirectory(prefix="jobsworth-") as folder:
        copy = os.path.join(folder, os.path.basename(os.path.abspath(chart)))
        copier = _Copier(root_around(os.path.join(chart, "Chart.yaml")))
        try:
            copier.copy(chart, copy, 0)
        except _Refused as refused:
            yield refused.error
            return
        yield copy


class _Refused(Exception):
    """Raised for a chart that is not copied."""

    def __init__(self, error: ManifestError) -> None:
        self.error = error


class _Copier:
    """Copies charts with their dependencies, up to a number of files and bytes.

    Args:
        root: the repository; None outside of one.
    """

    def __init__(self, root: str | None) -> None:
        self._root = root
        self._files = self._bytes = 0

    def copy(self, chart: str, to: str, depth: int) -> None:
        """Copy a chart, and into its copy each dependency that is a folder beside it."""
        if depth > MAX_DEPTH:
            raise _Refused(_error(chart, f"more than {MAX_DEPTH} charts depend on one another"))
        self._copy_files(chart, to)
        for name, folder in _missing(chart):
            if self._root is not None and not is_within(folder, self._root):
                message = (
                    f"its dependency {name} is out of the repository, so the chart is not rendered"
                )
                raise _Refused(_error(chart, message))
            outside = leads_out_of_repository("chart", folder)
            if outside is not None:
                raise _Refused(outside)
            if os.path.isfile(os.path.join(folder, "Chart.yaml")):
                self.copy(folder, os.path.join(to, SUBCHARTS, name), depth + 1)

    def _copy_files(self, chart: str, to: str) -> None:
        seen: set[str] = set()
        for folder, folders, files in os.walk(chart, followlinks=True):
            real = os.path.realpath(folder)
            if real in seen:
                folders.clear()
                continue
            seen.add(real)
            folders[:] = [each for each in folders if not each.startswith(".")]
            target = os.path.join(to, os.path.relpath(folder, chart))
            os.makedirs(target, exist_ok=True)
            for name in files:
                file = os.path.join(folder, name)
                if not os.path.isfile(file):
                    continue
                self._files += 1
                self._bytes += os.path.getsize(file)
                if self._files > MAX_FILES or self._bytes > MAX_BYTES:
                    most = f"{MAX_FILES:,} files or {MAX_BYTES // MIB} MiB"
                    message = f"with its dependencies it has more than {most}: build them with helm"
                    raise _Refused(_error(chart, message))
                shutil.copyfile(file, os.path.join(target, name))


def local_dependencies(chart: str) -> Iterator[tuple[str, str]]:
    """Yield the name and folder of each dependency of a chart that is a folder beside it."""
    for each in _dependencies(chart):
        name, repository = each.get("name"), each.get("repository")
        if not isinstance(name, str) or not isinstance(repository, str) or not _is_name(name):
            continue
        if repository.startswith(LOCAL):
            yield name, os.path.normpath(os.path.join(chart, repository.removeprefix(LOCAL)))


def _missing(chart: str) -> Iterator[tuple[str, str]]:
    """Yield the dependencies beside a chart that are not built in it."""
    try:
        present = os.listdir(os.path.join(chart, SUBCHARTS))
    except OSError:
        present = []
    for name, folder in local_dependencies(chart):
        if not any(entry == name or entry.startswith(f"{name}-") for entry in present):
            yield name, folder


def _dependencies(chart: str) -> list[dict[str, Any]]:
    found = chart_metadata(chart).get("dependencies") if os.path.isdir(chart) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _is_name(name: str) -> bool:
    return name not in ("", os.curdir, os.pardir) and "/" not in name and os.sep not in name


def _error(chart: str, message: str) -> ManifestError:
    return ManifestError(os.path.join(chart, "Chart.yaml"), 1, 1, message)
