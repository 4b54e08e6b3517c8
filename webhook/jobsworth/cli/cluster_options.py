"""The options that choose a cluster, for every command that connects to one."""

from __future__ import annotations

from jobsworth.cli.options import Options, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobsworth.client.configuration import Target


class ClusterOptions(Options):
    """The options that choose a cluster, as those of kubectl do."""

    kubeconfig = text(
        metavar="FILE",
        help="Instead of $KUBECONFIG, ~/.kube/config or the Pod's ServiceAccount.",
    )
    context = text(metavar="NAME", help="A context of the kubeconfig; its current one by default.")


def target_of(options: ClusterOptions) -> Target:
    """The cluster that the options choose.

    Raises:
        ImportError: the cluster extra is not installed.
    """
    from jobsworth.client.configuration import Target

    return Target(options.kubeconfig, options.context)
