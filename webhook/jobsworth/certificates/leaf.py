"""Issue the serving certificate of the webhook."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from jobsworth.certificates.ca import builder, subject
from jobsworth.certificates.keypair import KeyPair, pair_of, read, read_key


class BadName(ValueError):
    """A host name or IP address that a certificate cannot contain; the message states the reason."""


def issue(
    ca: KeyPair,
    names: Sequence[str],
    now: datetime.datetime,
    lifetime: datetime.timedelta,
) -> KeyPair:
    """Issue a serving certificate for host names and IP addresses: ECDSA P-256, for TLS servers only.

    It never outlives the CA. Go (the API server) and OpenSSL verify only the subject alternative names,
    so the common name is a description.

    Raises:
        BadCertificate: certificate and key of the CA are invalid or do not match.
        BadName: a name is neither a host name nor an IP address, or there are no names.
    """
    if not names:
        raise BadName(
            "no names: a serving certificate requires at least one host name or IP address"
        )
    signer, issuer = read_key(ca), read(ca.certificate)
    key = ec.generate_private_key(ec.SECP256R1())
    end = min(now + lifetime, issuer.not_valid_after_utc)
    usage = x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, key_cert_sign=False, crl_sign=False,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip
    certificate = (
        builder(subject("jobsworth webhook"), issuer.subject, key.public_key(), now, end)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.SubjectAlternativeName([general_name(name) for name in names]), critical=False
        )
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()),
            critical=False,
        )
    )
    return pair_of(certificate, key, signer)


def general_name(name: str) -> x509.GeneralName:
    """Return a host name (with an optional ``*.`` prefix) or an IP address as a certificate stores it.

    Raises:
        BadName: the name is neither.
    """
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        pass
    labels = name.removeprefix("*.").split(".")
    if len(name) > 253 or not all(_is_label(label) for label in labels):
        raise BadName(
            f"{name!r} is neither a host name, such as webhook.example.com, nor an IP address"
        )
    return x509.DNSName(name)


def service_names(service: str, namespace: str) -> tuple[str, ...]:
    """Return the host names of a Service; the API server uses the first."""
    name = f"{service}.{namespace}"
    return f"{name}.svc", f"{name}.svc.cluster.local", name


def _is_label(label: str) -> bool:
    return (
        0 < len(label) <= 63
        and label.isascii()
        and label.replace("-", "").replace("_", "").isalnum()
        and label[0] != "-" != label[-1]
    )
