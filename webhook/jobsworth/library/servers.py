"""The API server that a program names."""

from __future__ import annotations

from collections.abc import Mapping

from jobsworth.api.api_server import ALLOW_PRIVILEGED, NEWEST_RELEASE, ApiServer
from jobsworth.library.arguments import check_type, shown


def api_server(
    release: object = None, gates: object = None, allow_privileged: bool = ALLOW_PRIVILEGED
) -> ApiServer:
    """Return the API server of a release, with other gates than by default.

    Raises:
        TypeError: an argument has another type.
        UnknownRelease: the release does not exist, or is not known.
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    if not isinstance(release, str | None):
        raise TypeError(f'kubernetes_version must be a str such as "1.30", not {shown(release)}')
    if not isinstance(gates, Mapping | None):
        raise TypeError(
            f"feature_gates must be a mapping of names to True or False, not {shown(gates)}"
        )
    for name, state in (gates or {}).items():
        check_type("a name in feature_gates", name, str, "a str")
        check_type(f"feature_gates[{name!r}]", state, bool, "True or False")
    check_type("allow_privileged", allow_privileged, bool, "True or False")
    return ApiServer(release or NEWEST_RELEASE, gates, allow_privileged=allow_privileged)
