"""The certificates of client and server: the client's is sent alone, because a server verifies every one of a chain."""

from __future__ import annotations

import json
import ssl
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from jobsworth.certificates.keypair import KeyPair
from jobsworth.client.api_errors import ApiError
from jobsworth.client.rest_config import Target, rest_config
from jobsworth.client.transport import Client
from support.admission.running_webhook import CertificateAuthority

pytest.importorskip("kubernetes")


@contextmanager
def server(
    folder: Path, authority: CertificateAuthority, version: ssl.TLSVersion
) -> Iterator[tuple[str, list[set[str]]]]:
    """Serve ``{}`` over TLS; yields the URL, and the certificates that each request came with."""
    seen: list[set[str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.connection._sslobj.get_unverified_chain()  # type: ignore[attr-defined]
            seen.append({each.public_bytes() for each in sent})
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: Any) -> None:
            pass

    pair = authority.issue()
    (folder / "server.pem").write_bytes(pair.certificate + pair.key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=authority.file)
    context.load_cert_chain(folder / "server.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    context.maximum_version = version
    with HTTPServer(("127.0.0.1", 0), Handler) as serving:
        serving.socket = context.wrap_socket(serving.socket, server_side=True)
        threading.Thread(target=serving.serve_forever, args=(0.02,), daemon=True).start()
        yield f"https://127.0.0.1:{serving.server_address[1]}", seen
        serving.shutdown()


def kubeconfig(
    folder: Path,
    url: str,
    authority: CertificateAuthority,
    pair: KeyPair,
    **settings: str,
) -> Target:
    user = {"client-certificate-data": pair.certificate, "client-key-data": pair.key}
    trusted = encoded({"certificate-authority-data": authority.file.read_bytes()})
    text = {
        "clusters": [{"name": "c", "cluster": {"server": url, **trusted, **settings}}],
        "users": [{"name": "u", "user": encoded(user)}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    file = folder / "kubeconfig"
    file.write_text(json.dumps(text))
    return Target(str(file))


def encoded(data: dict[str, bytes]) -> dict[str, str]:
    return {name: b64encode(value).decode() for name, value in data.items()}


@pytest.mark.parametrize("chain", [False, True], ids=["alone", "with its issuer"])
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_only_the_certificates_of_the_kubeconfig_are_sent(
    tmp_path: Path, version: ssl.TLSVersion, *, chain: bool
) -> None:
    authority = CertificateAuthority(tmp_path)
    pair = authority.client()
    given = pair.certificate + (authority.file.read_bytes() if chain else b"")
    with server(tmp_path, authority, version) as (url, seen):
        target = kubeconfig(tmp_path, url, authority, KeyPair(given, pair.key))
        for _ in range(2):
            with rest_config(target) as config:
                assert Client(config, user_agent="test").request("GET", "/") == {}
    assert [len(each) for each in seen] == [1 + chain] * 2


def test_the_name_in_the_certificate_is_the_tls_server_name(tmp_path: Path) -> None:
    authority = CertificateAuthority(tmp_path)
    with server(tmp_path, authority, ssl.TLSVersion.TLSv1_3) as (url, _):

        def called(name: str) -> dict[str, Any]:
            settings = {"tls-server-name": name}
            target = kubeconfig(tmp_path, url, authority, authority.client(), **settings)
            with rest_config(target) as config:
                return Client(config, user_agent="test").get("/")

        assert called("localhost") == {}
        with pytest.raises(ApiError, match=r"is not trusted .*'kubernetes\.example\.com'"):
            called("kubernetes.example.com")
