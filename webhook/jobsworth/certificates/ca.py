"""Create and check the CA: its certificate goes into ``caBundle``, its key signs serving certificates."""

from __future__ import annotations

import datetime
import secrets

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from jobsworth.certificates.keypair import BadCertificate, KeyPair, pair_of, read, read_key

ORGANIZATION = "jobsworth"
BACKDATED = datetime.timedelta(minutes=10)
"""The time before its creation from which a certificate is valid, because clocks differ."""

_CANNOT = {
    "content_commitment": False, "key_encipherment": False, "data_encipherment": False,
    "key_agreement": False, "encipher_only": False, "decipher_only": False,
}  # fmt: skip


def create(now: datetime.datetime, lifetime: datetime.timedelta) -> KeyPair:
    """Create a CA: ECDSA P-256, allowed to sign serving certificates but no intermediate CA.

    Its name ends in random digits, so that two CAs in one bundle differ in name.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = subject(f"jobsworth webhook CA {secrets.token_hex(4)}")
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    certificate = (
        builder(name, name, key.public_key(), now, now + lifetime)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(
            x509.KeyUsage(digital_signature=False, key_cert_sign=True, crl_sign=True, **_CANNOT),
            critical=True,
        )
        .add_extension(identifier, critical=False)
    )
    return pair_of(certificate, key, key)


def check(pair: KeyPair, now: datetime.datetime) -> None:
    """Check that a key pair can sign certificates at a given time.

    Raises:
        BadCertificate: certificate and key do not match, the certificate is not of a CA, or it has expired.
    """
    read_key(pair)
    certificate = read(pair.certificate)
    try:
        constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints)
        ended = certificate.not_valid_after_utc <= now
    except (x509.ExtensionNotFound, ValueError):
        raise BadCertificate("the certificate is not a CA certificate") from None
    if not constraints.value.ca:
        raise BadCertificate("the certificate is not a CA certificate")
    if ended:
        raise BadCertificate(f"the CA expired at {certificate.not_valid_after_utc}")


def subject(common_name: str) -> x509.Name:
    """Return the subject of a CA or serving certificate of this project."""
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, ORGANIZATION),
            x509.NameAttribute(NameOID.COMMON_NAME, common_name),
        ]
    )


def builder(
    name: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    now: datetime.datetime,
    end: datetime.datetime,
) -> x509.CertificateBuilder:
    """Return the builder of a certificate without its extensions."""
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(end)
    )
