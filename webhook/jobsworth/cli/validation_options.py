"""The options of ``jobsworth validate``: comparisons with other versions, a cluster, charts, overlays.

The modules that render are imported only by runs that do so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.cli.cluster_options import ClusterOptions, connected, reading_client
from jobsworth.cli.options import Options, flag, option, words
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from jobsworth.files.dry_runs import DryRuns
    from jobsworth.files.live_objects import LiveObjects
    from jobsworth.files.rendering import RenderOptions, Source

LIVE = "live"
"""The value of --against for the objects in the cluster."""
REQUEST_SECONDS = 30.0
"""The timeout of a request to the cluster."""


class ComparisonOptions(Options):
    """Options for the existing objects that manifests update."""

    heading = "Updates"

    against: str | None = option(
        "--against",
        metavar="PATH",
        help="Validate each document as an update of the object with the same kind, namespace and name here; "
        "live: in the cluster (./live for a folder of that name).",
    )
    git_ref: str | None = option(
        "--git-ref",
        metavar="REF",
        help="Validate only the manifests that differ from this git commit, as updates of their "
        "versions there; without PATH, in the whole repository.",
    )
    at: str | None = option(
        "--at",
        metavar="TIME",
        help="The time of the updates, for the runs that an edit of a CronJob starts: 2027-03-27T01:30Z; "
        "default: now.",
    )


class ValidatedClusterOptions(ClusterOptions):
    """Options for the cluster whose objects or answers are taken into account."""

    server: bool = flag(
        "--server",
        help="Also create each object and a Pod of it in the cluster as a dry run, and report refusals "
        "(quota, Pod Security, limit ranges, webhooks) and injected containers. Nothing is stored.",
    )
    pods_as: str | None = option(
        "--pods-as",
        metavar="USER",
        help="Create the Pods of --server as this user, by impersonation: "
        "system:serviceaccount:kube-system:job-controller.",
    )


class AskedCluster(NamedTuple):
    """What is asked of a cluster.

    Attributes:
        live: its objects, which manifests update; None without ``--against live``.
        dry_runs: None without ``--server``.
    """

    live: LiveObjects | None = None
    dry_runs: DryRuns | None = None


def asks_cluster(comparison: ComparisonOptions, cluster: ValidatedClusterOptions) -> bool:
    """Return True if a cluster is asked."""
    return cluster.server or comparison.against == LIVE


def check_comparison(comparison: ComparisonOptions, cluster: ValidatedClusterOptions) -> None:
    """Check that the options are compatible.

    Raises:
        UsageError: they are not.
    """
    if comparison.against is not None and comparison.git_ref is not None:
        raise UsageError("--git-ref and --against exclude each other: use one of them")
    if comparison.at is not None and comparison.against is None and comparison.git_ref is None:
        raise UsageError("--at is the time of an update: it requires --against or --git-ref")
    named = cluster.kubeconfig is not None or cluster.context is not None
    if named and not asks_cluster(comparison, cluster):
        raise UsageError("--kubeconfig and --context require --server or --against live")
    if cluster.pods_as is not None and not cluster.server:
        raise UsageError("--pods-as requires --server")


@contextmanager
def asked_cluster(
    comparison: ComparisonOptions, cluster: ValidatedClusterOptions, namespace: str | None
) -> Iterator[AskedCluster]:
    """Connect to the cluster, if one is asked.

    Args:
        namespace: of manifests that have none; None for that of the context.
    """
    if not asks_cluster(comparison, cluster):
        yield AskedCluster()
        return
    with connected(cluster, timeout=REQUEST_SECONDS) as (client, config):
        live, dry_runs, namespace = None, None, namespace or config.namespace
        if comparison.against == LIVE:
            from jobsworth.files.live_objects import LiveObjects

            live = LiveObjects(client, namespace)
        if cluster.server:
            from jobsworth.files.dry_runs import DryRuns

            pods = cluster.pods_as and reading_client(
                config, timeout=REQUEST_SECONDS, impersonated=cluster.pods_as
            )
            dry_runs = DryRuns(client, namespace, pods or None)
        yield AskedCluster(live, dry_runs)


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


def sources_of(
    options: RenderingOptions, paths: Sequence[str], changed: Sequence[str] | None = None
) -> list[Source]:
    """Return the charts and overlays to render.

    Args:
        options: name them, or have them searched for.
        paths: the files and folders of the command line.
        changed: of those that are found, only what is rendered from one of these files; None for all.
    """
    if not (options.helm or options.kustomize or options.render):
        return []
    from jobsworth.files.rendering import Source, sources_in

    sources = [Source("chart", path) for path in options.helm]
    sources += (Source("overlay", path) for path in options.kustomize)
    for path in paths if options.render else ():
        if os.path.isdir(path):
            sources += (found for found in sources_in(path) if found not in sources)
    if changed is None or not options.render or not {*options.values}.isdisjoint(changed):
        return sources
    named = {*options.helm, *options.kustomize}
    return [each for each in sources if each.path in named or each.is_rendered_from(changed)]


def render_options(options: RenderingOptions, namespace: str) -> RenderOptions | None:
    """Return the options of ``helm template``; None without any."""
    if not (options.values or options.set or namespace):
        return None
    from jobsworth.files.rendering import RenderOptions

    return RenderOptions(values=tuple(options.values), sets=tuple(options.set), namespace=namespace)
