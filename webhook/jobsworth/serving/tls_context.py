"""The certificate that the webhook serves with, as a context of the standard library's ``ssl``."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509


class BadCertificate(ValueError):
    """Files that do not make a certificate to serve with, and why."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate that is ready to serve.

    Attributes:
        context: for new connections; those that are open keep what they began with.
        expires: in seconds since the epoch.
    """

    context: ssl.SSLContext
    expires: float


def load_certificate(certificate: Path, key: Path, client_ca: Path | None = None) -> Certificate:
    """Read a certificate with its chain and its key, both PEM.

    A context is made anew each time: one that is changed in place would be half changed when the new
    key does not belong to the new certificate.

    Args:
        certificate: the serving certificate, and behind it those of its issuers.
        key: its private key, without a passphrase.
        client_ca: the CA that signs the API server's client certificate; with it, nobody else gets in.

    Raises:
        BadCertificate: a file is missing or malformed, they do not belong together, or it has expired.
    """
    for path in filter(None, (certificate, key, client_ca)):
        if not path.is_file():
            raise BadCertificate(f"{path}: there is no such file")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password=_no_passphrase)
        if client_ca is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(client_ca)
    except (ssl.SSLError, OSError, ValueError) as error:
        raise BadCertificate(f"{certificate} with {key}: {_reason(error)}") from None
    expires = _expiry(certificate)
    if expires <= datetime.now(UTC):
        raise BadCertificate(f"{certificate}: it expired at {expires.isoformat()}")
    return Certificate(context, expires.timestamp())


def _no_passphrase() -> str:
    raise ValueError("the key is encrypted: give one without a passphrase")


def _expiry(certificate: Path) -> datetime:
    try:
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
    except (OSError, ValueError) as error:
        raise BadCertificate(f"{certificate}: {error}") from None
    return found.not_valid_after_utc


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
        return "the key does not belong to the certificate"
    if isinstance(error, ssl.SSLError):
        return f"not PEM of a certificate and its key ({error.reason or error})"
    return str(error)
