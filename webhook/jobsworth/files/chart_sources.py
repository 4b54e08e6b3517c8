"""Find the template of a chart that the comment ``# Source: chart/templates/job.yaml`` names.

Helm writes the comment before each rendered document. Its first part is the name in ``Chart.yaml``, which
need not be that of the folder; the part after ``charts/`` is the alias of a dependency, or its name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from jobsworth.files.repository_root import is_within
from jobsworth.manifests import read_file

CHART = "Chart.yaml"
SUBCHARTS = "charts"
LOCAL = "file://"
"""The beginning of a dependency's repository that is a folder beside the chart."""

MAX_FOLDERS = 5_000
"""The maximum number of folders in which charts are looked for; in a larger tree, none is found by name."""

MAX_TEST_VALUES = 20
"""The maximum number of files of values with which one chart is rendered."""

PASSED_OVER = ("node_modules", "templates", "vendor")
"""Folders without charts of their own, besides hidden ones."""


class ChartSources:
    """Finds templates in the charts below a folder; looks for charts once, and only if there is a need.

    Args:
        folder: the folder.
        within: a folder around it; no file outside of that is found. By default, the folder itself.
    """

    def __init__(self, folder: str = os.curdir, within: str | None = None) -> None:
        self._folder = folder
        self._within = within or folder
        self._charts: dict[str, list[str]] | None = None
        self._found: dict[str, str | None] = {}

    def file(self, source: str) -> str | None:
        """Return the file that a comment names; None if there is none, or more than one.

        Args:
            source: the text after ``# Source:``, such as ``etl/charts/db/templates/job.yaml``.
        """
        if source not in self._found:
            self._found[source] = self._search(source)
        return self._found[source]

    def _search(self, source: str) -> str | None:
        name, *parts = source.split("/")
        if not parts or "\0" in source or any(part in ("", os.curdir, os.pardir) for part in parts):
            return None
        if name in ("", os.curdir, os.pardir):
            return None
        found = self._in_chart(os.path.join(self._folder, name), parts)
        if found is not None:
            return found
        charts = self._charts_by_name().get(name, ())
        files = {self._in_chart(chart, parts) for chart in charts} - {None}
        return files.pop() if len(files) == 1 else None

    def _in_chart(self, chart: str, parts: Sequence[str]) -> str | None:
        """Return a file of a chart, or of a chart that it depends on."""
        if parts[0] == SUBCHARTS and len(parts) > 2:
            own = os.path.join(chart, SUBCHARTS, parts[1])
            subchart = own if os.path.isdir(own) else _dependency(chart, parts[1])
            return None if subchart is None else self._in_chart(subchart, parts[2:])
        path = os.path.normpath(os.path.join(chart, *parts))
        return path if os.path.isfile(path) and is_within(path, self._within) else None

    def _charts_by_name(self) -> dict[str, list[str]]:
        if self._charts is None:
            self._charts = {}
            for folder in self._chart_folders():
                name = chart_metadata(folder).get("name")
                if isinstance(name, str):
                    self._charts.setdefault(name, []).append(folder)
        return self._charts

    def _chart_folders(self) -> list[str]:
        """Return the folders of charts; none in a tree that is too large to be sure of all."""
        found = []
        for visited, (folder, folders, files) in enumerate(os.walk(self._folder), 1):
            if visited > MAX_FOLDERS:
                return []
            if CHART in files:
                found.append(folder)
            folders[:] = [
                each for each in folders if not each.startswith(".") and each not in PASSED_OVER
            ]
        return found


def _dependency(chart: str, name: str) -> str | None:
    """Return the folder of a dependency by its alias or name; None if it is not a local folder."""
    dependencies = chart_metadata(chart).get("dependencies")
    for each in dependencies if isinstance(dependencies, list) else ():
        if not isinstance(each, dict) or (each.get("alias") or each.get("name")) != name:
            continue
        repository, own_name = each.get("repository"), each.get("name")
        if isinstance(repository, str) and repository.startswith(LOCAL):
            return os.path.join(chart, repository.removeprefix(LOCAL))
        if isinstance(own_name, str):
            return os.path.join(chart, SUBCHARTS, own_name)
    return None


def chart_metadata(chart: str) -> dict[str, Any]:
    """Return the content of ``Chart.yaml``; empty if it cannot be read."""
    path = os.path.join(chart, CHART)
    if not os.path.isfile(path):
        return {}
    for document in read_file(path):
        if isinstance(document.value, dict):
            return document.value
    return {}


def ci_values(chart: str) -> list[str]:
    """Return the files of values with which a chart is tested, the first :data:`MAX_TEST_VALUES` of them.

    Source: the tool chart-testing, https://github.com/helm/chart-testing.
    """
    folder = os.path.join(chart, "ci")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    files = [os.path.join(folder, name) for name in names if name.endswith("-values.yaml")]
    return [file for file in files if os.path.isfile(file)][:MAX_TEST_VALUES]
