"""CAs and serving certificates: their contents, and what is rejected."""

from __future__ import annotations

import datetime
import socket
import ssl
import threading
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID

from jobsworth.certificates import ca, development, leaf
from jobsworth.certificates.keypair import (
    BadCertificate,
    KeyPair,
    expiry,
    issued_by,
    join,
    names,
    read,
    read_key,
    split,
)

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)
CA = ca.create(NOW, 100 * DAY)


def test_a_ca_may_sign_servers_and_no_intermediate_ca() -> None:
    certificate = read(CA.certificate)
    constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints)
    usage = certificate.extensions.get_extension_for_class(x509.KeyUsage)
    assert constraints.critical
    assert (constraints.value.ca, constraints.value.path_length) == (True, 0)
    assert usage.critical
    assert usage.value.key_cert_sign
    assert not usage.value.digital_signature
    assert certificate.public_key().curve.name == "secp256r1"  # type: ignore[union-attr]


def test_a_serving_certificate_is_for_a_tls_server_and_its_names() -> None:
    pair = leaf.issue(CA, ["localhost", "192.0.2.7", "::1", "*.example.com"], NOW, 10 * DAY)
    certificate = read(pair.certificate)
    usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    extended = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert names(pair.certificate) == {"localhost", "192.0.2.7", "::1", "*.example.com"}
    assert usage.digital_signature
    assert not usage.key_cert_sign
    assert not usage.key_encipherment  # an ECDSA key enciphers nothing
    assert list(extended) == [ExtendedKeyUsageOID.SERVER_AUTH]
    assert issued_by(pair.certificate, CA.certificate)
    assert expiry(pair.certificate) == NOW + 10 * DAY


def test_a_serving_certificate_does_not_outlive_its_ca() -> None:
    pair = leaf.issue(CA, ["localhost"], NOW + 95 * DAY, 10 * DAY)
    assert expiry(pair.certificate) == expiry(CA.certificate)


def test_a_certificate_is_valid_a_little_before_it_was_made() -> None:
    assert read(CA.certificate).not_valid_before_utc == NOW - ca.BACKDATED


@pytest.mark.parametrize(
    "name", ["", "a b", "-a", "a-.b", "a..b", "https://a", "a" * 64, "é.example"]
)
def test_an_invalid_name_is_rejected(name: str) -> None:
    with pytest.raises(leaf.BadName, match="neither a host name"):
        leaf.issue(CA, [name], NOW, DAY)


def test_a_certificate_takes_a_name() -> None:
    with pytest.raises(leaf.BadName, match="at least one"):
        leaf.issue(CA, [], NOW, DAY)


@pytest.mark.parametrize(
    ("pair", "why"),
    [
        (KeyPair(b"rubbish", CA.key), "not a certificate"),
        (KeyPair(CA.certificate, b"rubbish"), "not a private key"),
        (KeyPair(CA.certificate, ca.create(NOW, DAY).key), "does not match the certificate"),
        (leaf.issue(CA, ["localhost"], NOW, DAY), "not a CA certificate"),
        (ca.create(NOW - 9 * DAY, DAY), rf"the CA expired at {NOW - 8 * DAY:%Y-%m-%d}.*\+00:00$"),
    ],
)
def test_a_ca_that_cannot_sign_is_reported(pair: KeyPair, why: str) -> None:
    with pytest.raises(BadCertificate, match=why):
        ca.check(pair, NOW)


def test_a_key_of_another_algorithm_is_rejected() -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([]))
        .issuer_name(x509.Name([]))
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(NOW)
        .not_valid_after(NOW + DAY)
        .sign(key, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )
    text = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    assert names(certificate) == frozenset()
    with pytest.raises(BadCertificate, match=r"^not an EC private key$"):
        read_key(KeyPair(certificate, text))


def test_a_bundle_is_split_and_joined_without_what_is_between_and_without_doubles() -> None:
    other = ca.create(NOW, DAY).certificate
    bundle = (
        b"# ours\n" + CA.certificate + b"\r\n# and\n" + other + CA.certificate + b"-----BEGIN CE"
    )
    assert split(bundle) == (CA.certificate, other)
    assert join((CA.certificate, other, CA.certificate)) == CA.certificate + other


def test_openssl_trusts_the_certificate_and_rejects_other_names(tmp_path: Path) -> None:
    paths = development.generate(tmp_path, ["localhost"]).paths
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(paths.certificate, paths.key)
    client = ssl.create_default_context(cafile=paths.ca)
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    assert _handshake(server, client, "localhost") == "TLSv1.3"
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        _handshake(server, client, "elsewhere.example")


def _handshake(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> str | None:
    here, there = socket.socketpair()

    def serve() -> None:
        try:
            server.wrap_socket(there, server_side=True).close()
        except (ssl.SSLError, OSError):
            there.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with client.wrap_socket(here, server_hostname=name) as connection:
            return connection.version()
    finally:
        here.close()
        thread.join()


def test_what_is_wrong_with_a_pair_is_said() -> None:
    one, other = ca.create(NOW, DAY), ca.create(NOW, DAY)
    for pair, problem in (
        (KeyPair(b"rubbish", one.key), "not a certificate in PEM: "),
        (KeyPair(one.certificate, b"rubbish"), "not a private key in PEM: "),
        (KeyPair(one.certificate, other.key), "the private key does not match the certificate"),
    ):
        with pytest.raises(BadCertificate) as caught:
            read_key(pair)
        assert str(caught.value).startswith(problem)
        assert not str(caught.value).endswith("XX")
