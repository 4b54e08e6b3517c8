"""The object as the client wrote it, as far as that is known: for lint rules, which ask what was written.

At admission an object arrives with what the API server has set and generated. A rule about a
``backoffLimit`` that a client wrote must not report the 6 that the server set.
"""

from __future__ import annotations

from jobsworth.provenance.field_ownership import field_ownership
from jobsworth.provenance.generated_fields import strip_generated
from jobsworth.provenance.server_defaults import strip_defaults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jobsworth.api.server import ApiServer


def client_object(
    value: dict[str, Any], server: ApiServer, manifest: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return an object without what the API server adds, unless a client is known to have written it.

    Args:
        value: the object, with defaults; it stays as it is.
        server: whose defaults they are.
        manifest: the object as it was sent, with its traces, where `value` is without them.
    """
    owned = field_ownership(value if manifest is None else manifest)
    return strip_defaults(strip_generated(value), server, owned)
