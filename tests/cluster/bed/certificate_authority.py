"""A CA that lives as long as a test bed: for the API server, its users, and webhooks."""

from __future__ import annotations

import datetime
import ipaddress
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFETIME = datetime.timedelta(days=2)


class KeyPair(NamedTuple):
    """A certificate and its private key, as PEM."""

    certificate: bytes
    key: bytes


class CertificateAuthority:
    """Signs certificates for servers and for clients.

    Attributes:
        certificate: that of the CA, as PEM: the ``caBundle`` of a webhook that it certified.
    """

    def __init__(self, name: str = "jobsworth test bed") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = self._builder(self._name, self._key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        self.certificate = _pem(builder.sign(self._key, hashes.SHA256()))

    def server(self, *hosts: str) -> KeyPair:
        """A serving certificate for these host names and addresses."""
        names = [
            x509.IPAddress(ipaddress.ip_address(host)) if host[0].isdigit() else x509.DNSName(host)
            for host in hosts
        ]
        return self._issue([(NameOID.COMMON_NAME, hosts[0])], x509.SubjectAlternativeName(names))

    def user(self, name: str, *groups: str) -> KeyPair:
        """A client certificate: Kubernetes takes the user from CN and the groups from O."""
        subject = [(NameOID.COMMON_NAME, name)]
        return self._issue(subject + [(NameOID.ORGANIZATION_NAME, group) for group in groups])

    @staticmethod
    def signing_keys() -> tuple[bytes, bytes]:
        """A private key and its public half, as PEM, to sign service account tokens with."""
        key = ec.generate_private_key(ec.SECP256R1())
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return private_pem(key), public

    def _issue(
        self,
        subject: list[tuple[x509.ObjectIdentifier, str]],
        names: x509.SubjectAlternativeName | None = None,
    ) -> KeyPair:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(oid, value) for oid, value in subject])
        builder = self._builder(name, key.public_key())
        usage = ExtendedKeyUsageOID.CLIENT_AUTH
        if names is not None:
            usage = ExtendedKeyUsageOID.SERVER_AUTH
            builder = builder.add_extension(names, critical=False)
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        return KeyPair(_pem(builder.sign(self._key, hashes.SHA256())), private_pem(key))

    def _builder(self, name: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + LIFETIME)
        )


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """A private key as PEM, unencrypted."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
