"""The part of a decoded object that a client wrote, as far as that is known, for lint rules about its intent.

At admission an object contains values that the API server has set and generated. A rule about a
``backoffLimit`` that a client wrote must not report the 6 that the server set.
"""

from __future__ import annotations

from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.provenance.field_ownership import field_ownership
from jobsworth.provenance.generated_fields import strip_generated
from jobsworth.provenance.server_defaults import strip_defaults
from jobsworth.validation.decoded_object import DecodedObject


def client_part(
    decoded: DecodedObject, server: ApiServer, manifest: dict[str, Any]
) -> DecodedObject:
    """Return an object without what the API server adds, unless a client is known to have written it.

    Args:
        decoded: the object; parts are shared with the result.
        server: the API server that sets the defaults.
        manifest: the object as received, with the records of field ownership.
    """
    owned = field_ownership(manifest)
    written = strip_defaults(_without_generated(decoded.written), server, owned)
    return decoded.part(written, _without_generated(decoded.filled))


def _without_generated(value: dict[str, Any]) -> dict[str, Any]:
    """Return a decoded object without generated fields, in normal form."""
    stripped = strip_generated(value)
    stripped["status"] = {}
    for holder in (stripped, stripped["spec"].get("template") or {}):
        # An empty map is here only if all its labels were generated, so it is not part of the argument.
        if holder.get("metadata", {}).get("labels") == {}:
            del holder["metadata"]["labels"]
    return stripped
