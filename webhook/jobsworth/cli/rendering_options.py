"""Options for charts and overlays.

The modules that render are imported only by runs that do so.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jobsworth.cli.options import Options, flag, words
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from jobsworth.files.rendering import RenderOptions, Source


class RenderingOptions(Options):
    """Options for charts and overlays, which helm, kustomize or kubectl render."""

    heading = "Charts and overlays"

    helm: tuple[str, ...] = words(
        "--helm",
        metavar="CHART",
        help="Also validate what `helm template` makes of this chart; may be given several times.",
    )
    values: tuple[str, ...] = words(
        "--values", metavar="FILE", help="Values for the charts, as for helm."
    )
    set: tuple[str, ...] = words(
        "--set", metavar="NAME=VALUE", help="A value for the charts, as for helm."
    )
    kustomize: tuple[str, ...] = words(
        "--kustomize",
        metavar="FOLDER",
        help="Also validate what `kustomize build` makes of this overlay; may be given several times.",
    )
    render: bool = flag(
        "--render", help="Also render every chart and overlay in the folders of PATH."
    )


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


def render_options(options: RenderingOptions, namespace: str) -> RenderOptions | None:
    """Return the options of ``helm template``; None without any."""
    if not (options.values or options.set or namespace):
        return None
    from jobsworth.files.rendering import RenderOptions

    return RenderOptions(values=tuple(options.values), sets=tuple(options.set), namespace=namespace)
