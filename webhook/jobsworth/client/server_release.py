"""The release of an API server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from jobsworth.client.api_errors import ApiError, NotConfigured
from jobsworth.client.api_interface import Api
from jobsworth.client.rest_config import Target, rest_config
from jobsworth.client.retry import Retry

REQUEST_SECONDS = 2.0


def server_release(api: Api) -> str:
    """Return the release of the API server, such as ``1.36``.

    Raises:
        ApiError: the API server cannot be reached, or does not report its version.
    """
    version = api.get("/version")
    major, minor = str(version.get("major", "")), str(version.get("minor", ""))
    # Some distributions report a minor version such as "29+".
    digits = "".join(character for character in minor if character.isdigit())
    if not (major.isdigit() and digits):
        raise ApiError(200, "", "the API server does not report its version at /version")
    return f"{major}.{digits}"


def release_from_cluster() -> Callable[[], str]:
    """Return a function that asks the cluster of this process, or of the kubeconfig, for its release.

    The function raises OSError if the API server cannot be reached or does not report its version.

    Raises:
        ImportError: the kubernetes package is not installed.
    """
    import kubernetes  # noqa: F401  (fail here, not later)

    from jobsworth.client.transport import Client

    opened: list[Api] = []
    until_the_end = ExitStack()

    def ask() -> str:
        if not opened:
            try:
                config = until_the_end.enter_context(rest_config(Target()))
            except NotConfigured as error:
                raise OSError(str(error)) from None
            opened.append(
                Client(config, user_agent="jobsworth", timeout=REQUEST_SECONDS, retry=Retry(1))
            )
        return ask_release(opened[0])

    return ask


def ask_release(api: Api) -> str:
    """Return the release of the API server.

    Raises:
        OSError: the API server cannot be reached, or does not report its version.
    """
    try:
        return server_release(api)
    except ApiError as error:
        raise OSError(str(error)) from None
