"""A certificate authority of one's own: its certificate goes into ``caBundle``, its key signs."""

from __future__ import annotations

import datetime
import secrets

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from jobsworth.certificates.keypair import BadCertificate, KeyPair, pair_of, read, read_key

ORGANISATION = "jobsworth"
BACKDATED = datetime.timedelta(minutes=10)
"""How long before its making a certificate is valid already: clocks differ."""

_CANNOT = {
    "content_commitment": False, "key_encipherment": False, "data_encipherment": False,
    "key_agreement": False, "encipher_only": False, "decipher_only": False,
}  # fmt: skip


def create(now: datetime.datetime, lifetime: datetime.timedelta) -> KeyPair:
    """A new authority: ECDSA P-256, allowed to sign certificates of servers and no further authority.

    Its name ends in random digits, so that two in one bundle can be told apart.
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
    """Check that a pair can sign at a moment.

    Raises:
        BadCertificate: it is no pair, no authority, or has ended.
    """
    read_key(pair)
    certificate = read(pair.certificate)
    try:
        constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints)
        ended = certificate.not_valid_after_utc <= now
    except (x509.ExtensionNotFound, ValueError):
        raise BadCertificate("a certificate that is no authority's") from None
    if not constraints.value.ca:
        raise BadCertificate("a certificate that is no authority's")
    if ended:
        raise BadCertificate(f"the authority ended at {certificate.not_valid_after_utc}")


def subject(common_name: str) -> x509.Name:
    """The name of an authority or a server of ours."""
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, ORGANISATION),
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
    """A certificate without its extensions."""
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(end)
    )
