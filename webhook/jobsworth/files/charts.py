"""Templates that a run meets without rendering them: one note for each chart or folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache

from jobsworth.files.repository_root import folders_above
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import SKIPPED, Result
from jobsworth.lint.manifest_rules import CHART, TEMPLATE
from jobsworth.manifests import might_contain_job, read_bytes
from jobsworth.wording import count

CHART_FILE = "Chart.yaml"


def chart_around(path: str) -> str | None:
    """Return the folder of the chart that a file is part of; None for another file.

    Of a chart within another one, the outer chart is returned, which renders it.
    """
    folder = _outermost_chart(os.path.dirname(os.path.abspath(path)))
    return None if folder is None else os.path.relpath(folder)


@lru_cache(maxsize=1024)
def _outermost_chart(folder: str) -> str | None:
    found = None
    for each in folders_above(os.path.join(folder, CHART_FILE)):
        if os.path.isfile(os.path.join(each, CHART_FILE)):
            found = each
    return found


class UnrenderedTemplates:
    """Collects the templates that are not rendered, by their chart, or else by their folder.

    Args:
        named: the paths that the user has named: a template among them keeps its own result.
    """

    def __init__(self, named: Sequence[str] = ()) -> None:
        self._named = named
        self._charts: dict[str, list[bool]] = {}
        self._folders: dict[str, list[bool]] = {}
        self._first: dict[str, str] = {}

    def without_templates(self, file: str, results: list[Result]) -> list[Result]:
        """Return the results of a file without the notes on templates, which are counted."""
        kept = [result for result in results if not _is_template(result)]
        if len(kept) == len(results) or file in self._named:
            return results
        data = read_bytes(file)
        has_job = isinstance(data, bytes) and might_contain_job(data)
        chart = chart_around(file)
        if chart is not None:
            self._charts.setdefault(chart, []).append(has_job)
            return kept
        folder = os.path.dirname(file) or os.curdir
        self._first.setdefault(folder, file)
        self._folders.setdefault(folder, []).append(has_job)
        return kept

    def notes(self, *, renders: bool = False) -> Iterator[Result]:
        """Yield a result for each chart, then for each folder, in the order in which they were met.

        Args:
            renders: the run renders the charts in the folders that the user has named.
        """
        for chart, templates in self._charts.items():
            are = "is" if len(templates) == 1 else "are"
            message = f"of the chart {are} not rendered"
            advice = (
                f"name the folder of the chart: --render {chart}" if renders else "add --render"
            )
            yield chart_note(chart, f"{_counted(templates, message)}: {advice}")
        for folder, templates in self._folders.items():
            one = len(templates) == 1
            are, them = ("is not a manifest", "it") if one else ("are not manifests", "them")
            message = _counted(templates, f"of the folder {folder} {are} yet")
            finding = TEMPLATE.finding("", f"{message}: render {them}, and validate the result")
            located = LocatedFinding(finding, 1, 1)
            yield Result(file=self._first[folder], status=SKIPPED, findings=[located])


def _counted(templates: Sequence[bool], message: str) -> str:
    """Return the number of templates, what is said of them, and the number of those with a Job."""
    jobs = f", {sum(templates)} with a Job" if any(templates) else ""
    return f"{count(len(templates), 'template')} {message}{jobs}"


def chart_note(chart: str, message: str) -> Result:
    """Return the result of a chart that is not validated, with the reason."""
    return Result(
        file=os.path.normpath(os.path.join(chart, CHART_FILE)),
        kind="Chart",
        name=os.path.basename(os.path.abspath(chart)),
        status=SKIPPED,
        findings=[LocatedFinding(CHART.finding("", message), 1, 1)],
    )


def _is_template(result: Result) -> bool:
    codes: Sequence[str] = [each.finding.code for each in result.findings]
    return result.status == SKIPPED and TEMPLATE.code in codes
