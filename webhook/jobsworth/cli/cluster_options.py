"""Options for the cluster, for every command that connects to one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from jobsworth.cli.options import Options, number, option
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from jobsworth.client.rest_config import RestConfig, Target
    from jobsworth.client.transport import Client


class ClusterOptions(Options):
    """Options for the cluster, named as in kubectl."""

    heading = "Cluster"

    kubeconfig: str | None = option(
        "--kubeconfig",
        metavar="FILE",
        help="The kubeconfig file; default: $KUBECONFIG, ~/.kube/config or the Pod's ServiceAccount.",
    )
    context: str | None = option(
        "--context",
        metavar="NAME",
        help="The context of the kubeconfig; default: the current context.",
    )


def request_timeout_option() -> Any:
    """Declare the option ``--request-timeout`` of a command that reads a cluster."""
    return option(
        "--request-timeout",
        default=30,
        type=number,
        metavar="SECONDS",
        help="Timeout of a request to the cluster.",
    )


def target_of(options: ClusterOptions) -> Target:
    """Return the cluster that the options select.

    Raises:
        ImportError: the cluster extra is not installed.
    """
    from jobsworth.client.rest_config import Target

    return Target(options.kubeconfig, options.context)


def reading_client(config: RestConfig, *, timeout: float, impersonated: str = "") -> Client:
    """Return a client for a command that reads many objects, one request at a time.

    Args:
        config: of the cluster.
        timeout: of a request, in seconds.
        impersonated: the user to act as; empty for the user of the credentials.

    Raises:
        ImportError: the cluster extra is not installed.
    """
    from jobsworth.client.retry import Retry
    from jobsworth.client.transport import Client

    return Client(
        config,
        user_agent="jobsworth",
        connections=1,
        timeout=timeout,
        retry=Retry(4, reads_while_busy=True),
        compressed=True,
        impersonated=impersonated,
    )


@contextmanager
def connected(options: ClusterOptions, *, timeout: float) -> Iterator[tuple[Client, RestConfig]]:
    """Yield a client for the cluster that the options select, and the configuration of the cluster.

    Args:
        timeout: of a request, in seconds.

    Raises:
        UsageError: the cluster cannot be reached or refuses a request, or the cluster extra is not installed.
    """
    try:
        from jobsworth.client.api_errors import ApiError
        from jobsworth.client.rest_config import rest_config

        try:
            with rest_config(target_of(options)) as config:
                yield reading_client(config, timeout=timeout), config
        except ApiError as error:
            raise UsageError(str(error)) from None
    except ImportError as error:
        from jobsworth.installation import missing_extra

        missing = missing_extra("connections to a cluster", "cluster", error.name)
        raise UsageError(missing) from None
