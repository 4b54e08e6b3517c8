"""Options for the cluster, for every command that connects to one."""

from __future__ import annotations

from jobsworth.cli.options import Options, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobsworth.client.rest_config import Target


class ClusterOptions(Options):
    """Options for the cluster, named as in kubectl."""

    kubeconfig = text(
        metavar="FILE",
        help="The kubeconfig file; default: $KUBECONFIG, ~/.kube/config or the Pod's ServiceAccount.",
    )
    context = text(
        metavar="NAME", help="The context of the kubeconfig; default: the current context."
    )


def target_of(options: ClusterOptions) -> Target:
    """Return the cluster that the options select.

    Raises:
        ImportError: the cluster extra is not installed.
    """
    from jobsworth.client.rest_config import Target

    return Target(options.kubeconfig, options.context)
