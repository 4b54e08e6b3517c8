"""Trust anchors and certificates in projected volumes."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.projected_certificates import check_signer_name, trust_bundle_name
from support.validation.engine_errors import server
from support.validation.validated_volumes import Errors, volume_errors

REQUIRED = "Required value"
WITH_GATES = server(gates={"ClusterTrustBundleProjection": True, "PodCertificateRequest": True})
SIGNER = "example.com/signer"
CERTIFICATE = {"signerName": SIGNER, "keyType": "ED25519", "keyPath": "key"}
KEY_TYPES = (
    'supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"'
)


def wrong_with_source(kind: str, source: dict[str, Any]) -> Errors:
    found = volume_errors({"projected": {"sources": [{kind: source}]}}, at=WITH_GATES)
    prefix = f"projected.sources[0].{kind}"
    return {field.removeprefix(prefix).removeprefix("."): found[field] for field in found}


def test_sources_of_certificates_are_ignored_without_their_gates() -> None:
    sources: list[dict[str, Any]] = [{"clusterTrustBundle": {}}, {"podCertificate": {}}]
    assert volume_errors({"projected": {"sources": sources}}) == {}
    assert volume_errors({"projected": {"sources": sources}}, at=WITH_GATES) != {}


@pytest.mark.parametrize(
    ("bundle", "errors"),
    [
        ({"name": "anchors", "path": "a"}, {}),
        ({"signerName": SIGNER, "labelSelector": {}, "path": "a"}, {}),
        (
            {"path": "a"},
            {"": f"{REQUIRED}: either name or signerName must be specified"},
        ),
        (
            {"name": "anchors", "signerName": SIGNER, "path": "a", "optional": True},
            {
                "": 'Invalid value: {"Name":"anchors","SignerName":"example.com/signer",'
                '"LabelSelector":null,"Optional":true,"Path":"a"}: '
                "only one of name and signerName may be used"
            },
        ),
        (
            {"name": "anchors", "signerName": SIGNER, "path": "a"},
            {
                "": 'Invalid value: {"Name":"anchors","SignerName":"example.com/signer",'
                '"LabelSelector":null,"Optional":null,"Path":"a"}: '
                "only one of name and signerName may be used"
            },
        ),
        (
            {
                "name": "anchors",
                "path": "a",
                "labelSelector": {
                    "matchExpressions": [{"key": "k", "operator": "Exists"}],
                    "matchLabels": {"b": "1", "a": "2"},
                },
            },
            {
                "labelSelector": 'Invalid value: {"matchLabels":{"a":"2","b":"1"},'
                '"matchExpressions":[{"key":"k","operator":"Exists"}]}: '
                "labelSelector must be unset if name is specified"
            },
        ),
        (
            {
                "signerName": "",
                "path": "/a",
                "labelSelector": {"matchExpressions": [{"key": "k", "operator": "In"}]},
            },
            {
                "signerName": f"{REQUIRED}; {REQUIRED}: must be a valid signer name",
                "path": 'Invalid value: "/a": must be a relative path',
                "labelSelector.matchExpressions[0].values": f"{REQUIRED}: "
                "must be specified when `operator` is 'In' or 'NotIn'",
            },
        ),
        ({"name": "anchors"}, {"path": REQUIRED}),
        (
            {"name": "a:b/c:d", "path": "a"},
            {
                "name": 'Invalid value: "a:b/c:d": not a valid clustertrustbundlename: '
                "ClusterTrustBundle for signerName a/b/c must be named with prefix a:b:c:"
            },
        ),
    ],
)
def test_trust_bundles(bundle: dict[str, Any], errors: Errors) -> None:
    assert wrong_with_source("clusterTrustBundle", bundle) == errors


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("anchors", ""),
        ("example.com:signer:anchors", ""),
        ("", "a lowercase RFC 1123 subdomain must consist of"),
        (":anchors", 'ClusterTrustBundle without signer name must not have ":" in its name'),
        (
            "example.com/signer:anchors",
            "ClusterTrustBundle for signerName example.com/signer must be named with prefix "
            "example.com:signer:",
        ),
        ("example.com:signer:", "a lowercase RFC 1123 subdomain must consist of"),
    ],
)
def test_names_of_trust_bundles(name: str, complaint: str) -> None:
    found = trust_bundle_name(name)
    assert len(found) == bool(complaint)
    if complaint.endswith("must consist of"):
        assert found[0].startswith(complaint)
    else:
        assert found in ([], [complaint])


@pytest.mark.parametrize(
    ("name", "complaints"),
    [
        (SIGNER, 0),
        (f"{'d' * 63}.example/{'n' * 63}.{'s' * 189}.x", 0),
        ("example.com/", 1),
        ("example.com", 1),
        ("a.b/c/d", 1),
        ("a/b", 1),
        ("A.b/C", 2),
        (f"{'d' * 64}.example/x", 1),
        (f"{'.'.join(['d' * 60] * 5)}/x", 1),
        (f"a.b/{'.'.join(['s' * 253] * 3)}", 1),
    ],
)
def test_names_of_signers(name: str, complaints: int) -> None:
    assert len(list(check_signer_name(name, "signerName"))) == complaints


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        ({}, {}),
        ({"maxExpirationSeconds": 3600}, {}),
        ({"maxExpirationSeconds": 91 * 86400}, {}),
        ({"userAnnotations": {"Acme.io/Team": "any value"}}, {}),
        ({"signerName": ""}, {"signerName": REQUIRED}),
        (
            {"signerName": "example"},
            {
                "signerName": 'Invalid value: "example": must be a fully qualified domain '
                "and path of the form 'example.com/signer-name'"
            },
        ),
        ({"keyType": None}, {"keyType": f'Unsupported value: "": {KEY_TYPES}'}),
        (
            {"maxExpirationSeconds": 3599},
            {
                "maxExpirationSeconds": "Invalid value: 3599: "
                "if provided, maxExpirationSeconds must be >= 3600"
            },
        ),
        (
            {"maxExpirationSeconds": 91 * 86400 + 1},
            {
                "maxExpirationSeconds": "Invalid value: 7862401: "
                "if provided, maxExpirationSeconds must be <= 7862400"
            },
        ),
        ({"signerName": "x.kubernetes.io/y", "maxExpirationSeconds": 86400}, {}),
        (
            {"signerName": "x.kubernetes.io/y", "maxExpirationSeconds": 86401},
            {
                "maxExpirationSeconds": "Invalid value: 86401: "
                "if provided, maxExpirationSeconds must be <= 86400"
            },
        ),
        (
            {"keyPath": ""},
            {
                "": f"{REQUIRED}: specify at least one of credentialBundlePath, keyPath, "
                "and certificateChainPath"
            },
        ),
        (
            {"certificateChainPath": "/a"},
            {"certificateChainPath": 'Invalid value: "/a": must be a relative path'},
        ),
        (
            {"userAnnotations": {"team": "a"}},
            {
                "userAnnotations": 'Invalid value: "team": '
                'must be a domain-prefixed key (such as "acme.io/foo")'
            },
        ),
        ({"userAnnotations": {"": "a"}}, {"userAnnotations": REQUIRED}),
        (
            {"userAnnotations": {"acme.io/x": "a" * 2**18}},
            {"userAnnotations": "Too long: may not be more than 262144 bytes"},
        ),
    ],
)
def test_pod_certificates(change: dict[str, Any], errors: Errors) -> None:
    assert wrong_with_source("podCertificate", {**CERTIFICATE, **change}) == errors


def test_parts_of_a_certificate_go_to_different_files() -> None:
    source = {**CERTIFICATE, "certificateChainPath": "key"}
    assert volume_errors(
        {"projected": {"sources": [{"podCertificate": source}]}}, at=WITH_GATES
    ) == {"projected": 'Invalid value: "key": conflicting duplicate paths'}
