"""The object as the client wrote it, as far as that is known, for lint rules about the user's intent.

At admission an object contains values that the API server has set and generated. A rule about a
``backoffLimit`` that a client wrote must not report the 6 that the server set.
"""

from __future__ import annotations

from jobsworth.provenance.field_ownership import field_ownership
from jobsworth.provenance.generated_fields import strip_generated
from jobsworth.provenance.server_defaults import strip_defaults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jobsworth.api.api_server import ApiServer


def client_object(
    value: dict[str, Any], server: ApiServer, manifest: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return an object without what the API server adds, unless a client is known to have written it.

    Args:
        value: the object, with defaults; not modified.
        server: the API server that sets the defaults.
        manifest: the object as received, with its ownership records, if `value` lacks them.
    """
    owned = field_ownership(value if manifest is None else manifest)
    return strip_defaults(strip_generated(value), server, owned)
