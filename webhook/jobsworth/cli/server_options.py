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
from jobsworth.cli.command import Option, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPTIONS = (
    Option(
        "--kubernetes-version",
        metavar="RELEASE",
        help=f"The API server's release, {RELEASES[0]} to {RELEASES[-1]}; the newest by default.",
    ),
    Option(
        "--feature-gates",
        metavar="NAME=BOOL,...",
        help="Feature gates that the API server has set otherwise than by default.",
    ),
    Option(
        "--allow-privileged",
        flag=True,
        help="The API server runs with --allow-privileged, as most installers set it up.",
    ),
)


def server_of(values: dict[str, Any]) -> ApiServer:
    """The API server that the options choose.

    Raises:
        UsageError: the release or a gate is unknown, or cannot be set so.
    """
    try:
        return ApiServer(
            values["kubernetes_version"] or NEWEST_RELEASE,
            parse_gates(values["feature_gates"] or ""),
            allow_privileged=values["allow_privileged"],
        )
    except (UnknownRelease, UnknownGate) as error:
        raise UsageError(str(error)) from None
