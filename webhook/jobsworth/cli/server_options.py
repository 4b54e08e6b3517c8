"""Options for the API server that a command assumes."""

from __future__ import annotations

from collections.abc import Callable

from jobsworth.api.api_server import (
    NEWEST_RELEASE,
    RELEASES,
    ApiServer,
    UnknownGate,
    UnknownRelease,
    minor,
    nearest_release,
    parse_gates,
)
from jobsworth.cli.options import Options, flag, option
from jobsworth.usage_error import UsageError

AUTO = "auto"
"""The value of ``--kubernetes-version`` for the release that the API server reports."""


class ReleaseOptions(Options):
    """Options for the release and the feature gates of an API server."""

    heading = "API server"

    kubernetes_version: str | None = option(
        "--kubernetes-version",
        metavar="RELEASE",
        help=f"The API server's release, {RELEASES[0]} to {RELEASES[-1]}; default: the newest.",
    )
    feature_gates: str | None = option(
        "--feature-gates",
        metavar="NAME=BOOL,...",
        help="Feature gates that the API server, or JobSet, sets differently from their defaults.",
    )


class ServerOptions(ReleaseOptions):
    """Options for an API server."""

    allow_privileged: bool = flag(
        "--allow-privileged",
        help="Assume an API server with --allow-privileged: the default, as most have it.",
    )
    no_allow_privileged: bool = flag(
        "--no-allow-privileged",
        help="Assume an API server without it, which rejects privileged containers.",
    )

    @property
    def privileged(self) -> bool | None:
        """Return True or False if an option allows or forbids privileged containers, else None.

        Raises:
            UsageError: one option allows them, and the other forbids them.
        """
        if self.allow_privileged and self.no_allow_privileged:
            raise UsageError("--allow-privileged and --no-allow-privileged exclude each other")
        return self.allow_privileged or (False if self.no_allow_privileged else None)


def server_of(options: ServerOptions, release: str | None = None) -> ApiServer:
    """Build an API server from the options; use the given release if they have none.

    Raises:
        UsageError: the release or a gate is unknown, the gate is locked, or options exclude each other.
    """
    try:
        return ApiServer(
            options.kubernetes_version or release or NEWEST_RELEASE,
            parse_gates(options.feature_gates or ""),
            allow_privileged=options.privileged,
        )
    except (UnknownRelease, UnknownGate) as error:
        raise UsageError(str(error)) from None


def server_of_release(options: ServerOptions) -> Callable[[str], ApiServer]:
    """Return the API server for the release that it reports, empty if that is unknown.

    With ``--kubernetes-version auto`` it is the nearest known one, or the newest. Feature gates that it does
    not have, or has locked, are left out: an upgrade of the cluster must not stop the webhook.

    Raises:
        UsageError: the release is unknown, or a gate in every release.
    """
    if options.kubernetes_version != AUTO:
        server = server_of(options)
        return lambda release: server
    try:
        gates = parse_gates(options.feature_gates or "")
        for name, on in gates.items():
            if not any(_has_gate(release, name, on=on) for release in RELEASES):
                ApiServer(NEWEST_RELEASE, {name: on})
    except UnknownGate as error:
        raise UsageError(str(error)) from None

    def of(release: str) -> ApiServer:
        assumed = nearest_release(release) if release else NEWEST_RELEASE
        if release and minor(release) > minor(assumed):
            ApiServer(release)  # which warns
        known = {name: on for name, on in gates.items() if _has_gate(assumed, name, on=on)}
        return ApiServer(assumed, known, allow_privileged=options.privileged)

    return of


def _has_gate(release: str, name: str, *, on: bool) -> bool:
    try:
        ApiServer(release, {name: on})
    except UnknownGate:
        return False
    return True
