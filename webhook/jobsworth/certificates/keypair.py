"""A certificate with its private key as PEM, and functions that read certificates."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, field

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.x509.oid import NameOID

_BEGIN, _END = b"-----BEGIN CERTIFICATE-----", b"-----END CERTIFICATE-----"


class BadCertificate(ValueError):
    """Invalid certificate or key, or the two do not match; the message states which."""


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A certificate and its private key.

    Attributes:
        certificate: PEM.
        key: PEM, PKCS #8, unencrypted.
    """

    certificate: bytes
    key: bytes = field(repr=False)


def read(certificate: bytes) -> x509.Certificate:
    """Return the first certificate in a PEM text.

    Raises:
        BadCertificate: the text holds no certificate.
    """
    try:
        return x509.load_pem_x509_certificate(certificate)
    except ValueError as error:
        raise BadCertificate(f"not a certificate in PEM: {error}") from None


def read_key(pair: KeyPair) -> ec.EllipticCurvePrivateKey:
    """Return the private key of a pair.

    Raises:
        BadCertificate: the key is not an EC key in PEM, or does not match the certificate.
    """
    key = _matching_key(pair)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise BadCertificate("not an EC private key")
    return key


def check_match(pair: KeyPair) -> None:
    """Check that the private key, of any algorithm, matches the certificate.

    Raises:
        BadCertificate: it does not, or one of them is not PEM.
    """
    _matching_key(pair)


def _matching_key(pair: KeyPair) -> PrivateKeyTypes:
    try:
        key = serialization.load_pem_private_key(pair.key, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise BadCertificate(f"not a private key in PEM: {error}") from None
    if key.public_key() != read(pair.certificate).public_key():
        raise BadCertificate("the private key does not match the certificate")
    return key


def pair_of(
    certificate: x509.CertificateBuilder,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
) -> KeyPair:
    """Sign a certificate and return it with its key."""
    return KeyPair(
        certificate.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM),
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    )


def expiry(certificate: bytes) -> datetime.datetime:
    """Return the expiry of a certificate in UTC.

    Raises:
        BadCertificate: the text holds no certificate, or its expiry cannot be read.
    """
    read_one = read(certificate)
    try:
        return read_one.not_valid_after_utc
    except ValueError as error:
        raise BadCertificate(f"the expiry of the certificate cannot be read: {error}") from None


def names(certificate: bytes) -> frozenset[str]:
    """Return the host names and IP addresses of a certificate (subjectAltName).

    Raises:
        BadCertificate: the text holds no certificate, or its names cannot be read.
    """
    try:
        extension = read(certificate).extensions.get_extension_for_class(
            x509.SubjectAlternativeName
        )
    except x509.ExtensionNotFound:
        return frozenset()
    except ValueError as error:
        raise BadCertificate(f"the names of the certificate cannot be read: {error}") from None
    return frozenset(
        str(name.value)
        for name in extension.value
        if isinstance(name, x509.DNSName | x509.IPAddress)
    )


def organization(certificate: bytes) -> str:
    """Return the organization of the subject; empty if there is none, or no certificate."""
    try:
        found = read(certificate).subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    except ValueError:
        return ""
    return str(found[0].value) if found else ""


def issued_by(certificate: bytes, ca: bytes) -> bool:
    """Return True if a CA signed a certificate; False also if either cannot be read."""
    try:
        read(certificate).verify_directly_issued_by(read(ca))
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def leads_to(chain: bytes, cas: Iterable[bytes]) -> bool:
    """Return True if one of the CAs signed a certificate, or an intermediate CA of its chain.

    Args:
        chain: PEM: the certificate, and the intermediate CAs after it.
        cas: the CA certificates, each as PEM.
    """
    cas = tuple(cas)
    current, *between = split(chain) or (b"",)
    while not any(issued_by(current, each) for each in cas):
        above = next((each for each in between if issued_by(current, each)), None)
        if above is None:
            return False
        current = above
        between.remove(above)
    return True


def split(bundle: bytes) -> tuple[bytes, ...]:
    """Return the distinct certificates of a bundle in order, each as PEM, without text between them."""
    found: dict[bytes, None] = {}
    for part in bundle.replace(b"\r\n", b"\n").split(_BEGIN)[1:]:
        body, end, _ = part.partition(_END)
        if end:
            found[_BEGIN + b"\n" + body.strip() + b"\n" + _END + b"\n"] = None
    return tuple(found)


def join(certificates: tuple[bytes, ...]) -> bytes:
    """Return a PEM bundle of the distinct certificates."""
    return b"".join(split(b"".join(certificates)))
