"""A certificate with its private key, as PEM, and what can be read from a certificate."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_BEGIN, _END = b"-----BEGIN CERTIFICATE-----", b"-----END CERTIFICATE-----"


class BadCertificate(ValueError):
    """What is held is no certificate, no key, or not a pair; the message says which."""


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
    """The certificate that a PEM text holds; the first, where there are several.

    Raises:
        BadCertificate: there is none.
    """
    try:
        return x509.load_pem_x509_certificate(certificate)
    except ValueError as error:
        raise BadCertificate(f"not a certificate in PEM: {error}") from None


def read_key(pair: KeyPair) -> ec.EllipticCurvePrivateKey:
    """The private key of a pair.

    Raises:
        BadCertificate: it is no EC key in PEM, or not that of the certificate.
    """
    try:
        key = serialization.load_pem_private_key(pair.key, password=None)
    except (ValueError, TypeError) as error:
        raise BadCertificate(f"not a private key in PEM: {error}") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise BadCertificate("not an EC private key")
    if key.public_key() != read(pair.certificate).public_key():
        raise BadCertificate("the private key is not that of the certificate")
    return key


def pair_of(
    certificate: x509.CertificateBuilder,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
) -> KeyPair:
    """A certificate, signed, with its key."""
    return KeyPair(
        certificate.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM),
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    )


def expiry(certificate: bytes) -> datetime.datetime:
    """When a certificate ends, in UTC.

    Raises:
        BadCertificate: the text holds none.
    """
    read_one = read(certificate)
    try:
        return read_one.not_valid_after_utc
    except ValueError as error:
        raise BadCertificate(f"a certificate without a readable end: {error}") from None


def names(certificate: bytes) -> frozenset[str]:
    """The host names and addresses that a certificate is for.

    Raises:
        BadCertificate: the text holds none.
    """
    try:
        extension = read(certificate).extensions.get_extension_for_class(
            x509.SubjectAlternativeName
        )
    except x509.ExtensionNotFound:
        return frozenset()
    except ValueError as error:
        raise BadCertificate(f"a certificate with unreadable names: {error}") from None
    return frozenset(
        str(name.value)
        for name in extension.value
        if isinstance(name, x509.DNSName | x509.IPAddress)
    )


def organisation(certificate: bytes) -> str:
    """The subject's organisation; empty where it names none, or the text holds no certificate."""
    try:
        found = read(certificate).subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    except ValueError:
        return ""
    return str(found[0].value) if found else ""


def issued_by(certificate: bytes, authority: bytes) -> bool:
    """Whether an authority signed a certificate; False where either cannot be read."""
    try:
        read(certificate).verify_directly_issued_by(read(authority))
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def split(bundle: bytes) -> tuple[bytes, ...]:
    """The certificates of a bundle, each as PEM, in order, none twice; what is between them is left out."""
    found: dict[bytes, None] = {}
    for part in bundle.replace(b"\r\n", b"\n").split(_BEGIN)[1:]:
        body, end, _ = part.partition(_END)
        if end:
            found[_BEGIN + b"\n" + body.strip() + b"\n" + _END + b"\n"] = None
    return tuple(found)


def join(certificates: tuple[bytes, ...]) -> bytes:
    """A bundle of certificates, each as PEM, none twice."""
    return b"".join(split(b"".join(certificates)))
