"""Options for the API server that a command assumes."""

from __future__ import annotations

from jobsworth.api.api_server import (
    NEWEST_RELEASE,
    RELEASES,
    ApiServer,
    UnknownGate,
    UnknownRelease,
    parse_gates,
)
from jobsworth.cli.command import UsageError
from jobsworth.cli.options import Options, flag, text


class ReleaseOptions(Options):
    """Options for the release and the feature gates of an API server."""

    kubernetes_version = text(
        metavar="RELEASE",
        help=f"The API server's release, {RELEASES[0]} to {RELEASES[-1]}; default: the newest.",
    )
    feature_gates = text(
        metavar="NAME=BOOL,...",
        help="Feature gates that the API server sets differently from their defaults.",
    )


class ServerOptions(ReleaseOptions):
    """Options for an API server."""

    allow_privileged = flag(
        help="Assume an API server with --allow-privileged, as most installers configure it."
    )


def server_of(options: ServerOptions, release: str | None = None) -> ApiServer:
    """Build an API server from the options; use the given release if they have none.

    Raises:
        UsageError: the release or a gate is unknown, or the gate is locked.
    """
    try:
        return ApiServer(
            options.kubernetes_version or release or NEWEST_RELEASE,
            parse_gates(options.feature_gates or ""),
            allow_privileged=options.allow_privileged,
        )
    except (UnknownRelease, UnknownGate) as error:
        raise UsageError(str(error)) from None
