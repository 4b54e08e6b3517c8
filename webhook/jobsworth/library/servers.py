"""The API server that a program names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer

if TYPE_CHECKING:
    from collections.abc import Mapping


def api_server(
    release: object, gates: Mapping[str, bool] | None, allow_privileged: bool
) -> ApiServer:
    """Return the API server of a release, with other gates than by default.

    Raises:
        TypeError: the release is not a text.
        UnknownRelease: the release does not exist, or is not known.
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    if not isinstance(release, str | None):
        given = type(release).__name__
        raise TypeError(f'kubernetes_version must be a str such as "1.30", not {given} {release!r}')
    return ApiServer(release or NEWEST_RELEASE, gates, allow_privileged=allow_privileged)
