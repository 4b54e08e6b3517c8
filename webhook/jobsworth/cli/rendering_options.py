"""Options for charts and overlays, and the results of what they render to.

The modules that render are imported only by runs that do so.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from jobsworth.cli.options import Options, flag, words
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.files.file_evaluation import FileEvaluator
    from jobsworth.files.file_runs import FoundFile
    from jobsworth.files.rendering import Source
    from jobsworth.findings.result import Result


class RenderingOptions(Options):
    """Options for charts and overlays, which helm, kustomize or kubectl render."""

    heading = "Charts and overlays"

    helm = words(
        metavar="CHART",
        help="Also validate what `helm template` makes of this chart; may be given several times.",
    )
    values = words(metavar="FILE", help="Values for the charts, as for helm.")
    set = words(metavar="NAME=VALUE", help="A value for the charts, as for helm.")
    kustomize = words(
        metavar="FOLDER",
        help="Also validate what `kustomize build` makes of this overlay; may be given several times.",
    )
    render = flag(help="Also render every chart and overlay in the folders of PATH.")


def check_rendering(options: RenderingOptions) -> None:
    """Check that values are given for charts only.

    Raises:
        UsageError: they are not.
    """
    if (options.values or options.set) and not (options.helm or options.render):
        raise UsageError("--values and --set require --helm CHART or --render")


def sources_of(options: RenderingOptions, paths: Sequence[str]) -> list[Source]:
    """Return the charts and overlays to render.

    Args:
        options: name them, or have them searched for.
        paths: the files and folders of the command line.
    """
    if not (options.helm or options.kustomize or options.render):
        return []
    from jobsworth.files.rendering import Source, sources_in

    sources = [Source("chart", path) for path in options.helm]
    sources += (Source("overlay", path) for path in options.kustomize)
    for path in paths if options.render else ():
        if os.path.isdir(path):
            sources += (found for found in sources_in(path) if found not in sources)
    return sources


def without_charts(files: list[FoundFile], sources: Sequence[Source]) -> list[FoundFile]:
    """Return the files that are no part of a chart that is rendered."""
    if not sources:
        return files
    from jobsworth.files.rendering import not_in_charts

    return not_in_charts(files, sources)


def results_of(
    source: Source, options: RenderingOptions, evaluator: FileEvaluator, namespace: str
) -> list[Result]:
    """Render a chart or an overlay, and return the results of its documents, or of the error."""
    from jobsworth.files.located_findings import unreadable
    from jobsworth.files.rendering import Rendering, RenderOptions, rendered

    chosen = RenderOptions(
        values=tuple(options.values), sets=tuple(options.set), namespace=namespace
    )
    rendering = rendered(source, chosen)
    if not isinstance(rendering, Rendering):
        return [unreadable(rendering)]
    return evaluator.rendered(rendering)


def without_repeated(results: list[Result], before: Sequence[Result]) -> list[Result]:
    """Return the results of a chart or an overlay without what was reported before."""
    from jobsworth.files.rendering import remove_repeated

    remove_repeated(results, before)
    return results
