"""cert-manager, as far as the chart sees it: it writes certificate, key and CA into the Secret of a Certificate."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from cluster.bed.certificate_authority import CertificateAuthority
from cluster.custom_resources import definitions
from cluster.installed_chart import NAME

if TYPE_CHECKING:
    from cluster.bed import TestBed

SECRET = f"{NAME}-certificates"


def install_kinds(bed: TestBed) -> None:
    """Create the kinds of cert-manager."""
    kinds = [each for each in definitions() if each["spec"]["group"] == "cert-manager.io"]
    for each in kinds:
        bed.kubectl("create", "-f", "-", input=json.dumps(each))
    for each in kinds:
        name = f"crd/{each['metadata']['name']}"
        bed.kubectl("wait", "--for=condition=Established", name, "--timeout=120s")


class CertManager:
    """Issues the certificate of one installation, from a CA that the test replaces.

    All its CAs have one name, as those of a Certificate do that is renewed.

    Args:
        bed: the cluster.
        namespace: that of the installation.
    """

    def __init__(self, bed: TestBed, namespace: str) -> None:
        self._bed = bed
        self._path = f"/api/v1/namespaces/{namespace}/secrets/{SECRET}"
        self._names = (f"{NAME}.{namespace}.svc", "127.0.0.1")
        self.new_ca()

    def new_ca(self) -> None:
        """Sign from now on with another CA."""
        self.ca = CertificateAuthority("jobsworth webhook CA")

    def issue(self) -> bytes:
        """Write a new certificate in one request, and return it."""
        pair = self.ca.server(*self._names)
        data = {
            "tls.crt": pair.certificate,
            "tls.key": pair.key,
            "ca.crt": self.ca.certificate,
        }
        secret: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "kubernetes.io/tls",
            "metadata": {"name": SECRET, "annotations": {"cert-manager.io/certificate-name": NAME}},
            "data": {key: base64.b64encode(value).decode() for key, value in data.items()},
        }
        answer = self._bed.request(
            "PATCH",
            f"{self._path}?fieldManager=cert-manager&force=true",
            secret,
            content_type="application/apply-patch+yaml",
        )
        assert answer.code in (200, 201), answer
        return pair.certificate

    def lose_secret(self) -> None:
        """Delete the Secret; cert-manager issues a certificate anew."""
        self._bed.request("DELETE", self._path)
        self.issue()
