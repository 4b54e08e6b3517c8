"""Load the serving certificate of the webhook as an ``ssl.SSLContext``."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509


class UnusableCertificate(ValueError):
    """Files without a valid serving certificate; the message states the problem."""


@dataclass(frozen=True, slots=True)
class ServingCertificate:
    """A loaded serving certificate.

    Attributes:
        context: the TLS context for new connections; open connections keep theirs.
        expires: the time of expiry, in seconds since the epoch.
    """

    context: ssl.SSLContext
    expires: float


def load_certificate(
    certificate: Path, key: Path, client_ca: Path | None = None
) -> ServingCertificate:
    """Load a certificate with its chain and its private key, both PEM.

    Each load creates a new context: changing one in place would leave it inconsistent if the new key does
    not match the new certificate, and would go on to trust a removed CA.

    Args:
        certificate: the serving certificate, followed by the certificates of its issuers.
        key: its private key, without a passphrase.
        client_ca: the CA that signs the client certificate of the API server; if set, other clients are
            rejected.

    Raises:
        UnusableCertificate: a file is missing or malformed, the key does not match, or the certificate has
            expired.
    """
    for path in filter(None, (certificate, key, client_ca)):
        if not path.is_file():
            raise UnusableCertificate(f"{path}: no such file")
    context = _context(verifies_clients=client_ca is not None)
    try:
        context.load_cert_chain(certificate, key, password=_no_passphrase)
        if client_ca is not None:
            context.load_verify_locations(client_ca)
    except (ssl.SSLError, OSError, ValueError) as error:
        raise UnusableCertificate(f"{certificate} with {key}: {_reason(error)}") from None
    expires = _expiry(certificate)
    if expires <= datetime.now(UTC):
        raise UnusableCertificate(
            f"{certificate}: the certificate expired at {expires.isoformat()}; renew it"
        )
    return ServingCertificate(context, expires.timestamp())


def reloaded_context(
    active: Callable[[], ServingCertificate | None], *, verifies_clients: bool
) -> ssl.SSLContext:
    """Return a context for a server whose certificate changes while it runs.

    Each handshake continues with the context of the certificate that is active then, and fails while there is
    none.

    Args:
        active: returns the active certificate; None if none is loaded.
        verifies_clients: True if clients need a certificate.
    """
    context = _context(verifies_clients=verifies_clients)

    def take_active(tls: ssl.SSLObject, name: str | None, outer: ssl.SSLContext) -> int | None:
        certificate = active()
        if certificate is None:
            return int(ssl.ALERT_DESCRIPTION_INTERNAL_ERROR)
        tls.context = certificate.context
        return None

    context.sni_callback = take_active
    return context


def _context(*, verifies_clients: bool) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Without tickets no session outlives a change of the client CA.
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION | ssl.OP_NO_TICKET
    context.num_tickets = 0
    context.set_alpn_protocols(["http/1.1"])
    if verifies_clients:
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def _no_passphrase() -> str:
    raise ValueError("the key is encrypted: use a key without a passphrase")


def _expiry(certificate: Path) -> datetime:
    try:
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
    except (OSError, ValueError) as error:
        raise UnusableCertificate(f"{certificate}: {error}") from None
    return found.not_valid_after_utc


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
        return "the key does not match the certificate"
    if isinstance(error, ssl.SSLError):
        return f"not a certificate and its key in PEM format ({error.reason or error})"
    return str(error)
