"""The options that choose an API server, for every command that speaks for one."""

from __future__ import annotations

from jobsworth.api.server import (
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
    """The options that choose the release of an API server, and what is switched on in it."""

    kubernetes_version = text(
        metavar="RELEASE",
        help=f"The API server's release, {RELEASES[0]} to {RELEASES[-1]}; the newest by default.",
    )
    feature_gates = text(
        metavar="NAME=BOOL,...",
        help="Feature gates that the API server has set otherwise than by default.",
    )


class ServerOptions(ReleaseOptions):
    """The options that choose an API server."""

    allow_privileged = flag(
        help="The API server runs with --allow-privileged, as most installers set it up."
    )


def server_of(options: ServerOptions, release: str | None = None) -> ApiServer:
    """Choose an API server by the options, or by a release where they name none.

    Raises:
        UsageError: the release or a gate is unknown, or cannot be set so.
    """
    try:
        return ApiServer(
            options.kubernetes_version or release or NEWEST_RELEASE,
            parse_gates(options.feature_gates or ""),
            allow_privileged=options.allow_privileged,
        )
    except (UnknownRelease, UnknownGate) as error:
        raise UsageError(str(error)) from None
