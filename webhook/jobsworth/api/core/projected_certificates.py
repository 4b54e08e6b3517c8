"""Certificates in projected volumes: trust bundles (KEP-3257), Pod certificates (KEP-4317).

Source: ``validateProjectionSources`` and ``names.go`` in ``pkg/apis/core/validation``,
Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.paths import of_written_file
from jobsworth.api.core.references import USERS
from jobsworth.api.declare import (
    Boolean,
    Bounds,
    Field,
    Int32,
    Int64,
    MapOf,
    Pointer,
    String,
    Struct,
)
from jobsworth.api.field_errors import (
    FieldError,
    Printed,
    go_json,
    invalid,
    not_supported,
    quoted,
    required,
    too_long,
)
from jobsworth.api.meta.label_selector import LabelSelector, check_label_selector
from jobsworth.api.meta.object_meta import MAP_KEY, TOTAL_ANNOTATION_SIZE_LIMIT
from jobsworth.api.schema_conditions import SchemaCondition
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import (
    DNS_LABEL_MAX_LENGTH,
    DNS_SUBDOMAIN_MAX_LENGTH,
    byte_length,
    dns_label,
    dns_subdomain,
    label_key,
)

KEY_TYPES = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
MLDSA_KEY_TYPES = ("MLDSA44", "MLDSA65", "MLDSA87")
"""With the gate PodCertificateMLDSA."""
_HAS_KEY = {"required": ["keyType"], "properties": {"keyType": {"not": {"enum": ["", None]}}}}
CERTIFICATE_FILES = ("credentialBundlePath", "keyPath", "certificateChainPath")
"""The files for a Pod's certificate; at least one is required."""

_HOUR, _DAY = 60 * 60, 24 * 60 * 60
MAX_EXPIRATION = 91 * _DAY
MAX_EXPIRATION_BY_KUBERNETES = _DAY
"""The maximum lifetime of a certificate from a signer of Kubernetes itself."""

# <domain>/<namespace>.<name>
SIGNER_NAME_MAX_LENGTH = 2 * DNS_SUBDOMAIN_MAX_LENGTH + DNS_LABEL_MAX_LENGTH + len("/.")

ClusterTrustBundleProjection = Struct(
    "ClusterTrustBundleProjection",
    "Trust anchors: one bundle by name, or those of a signer (KEP-3257).",
    name=Field(Pointer(String), since="1.29"),
    signerName=Field(Pointer(String), since="1.29"),
    labelSelector=Field(Pointer(LabelSelector), since="1.29"),
    optional=Field(Pointer(Boolean), since="1.29"),
    path=Field(String, always=True, required=True, format=of_written_file, since="1.29"),
    user=Field(Pointer(Int64), bounds=USERS, since="1.37", gate="AtomicWriteVolumeUserFields"),
)

PodCertificateProjection = Struct(
    "PodCertificateProjection",
    "A private key and its certificate, which the kubelet renews (KEP-4317).",
    signerName=Field(String, required=True, since="1.34"),
    keyType=Field(
        String,
        values=KEY_TYPES + MLDSA_KEY_TYPES,
        values_since=dict.fromkeys(MLDSA_KEY_TYPES, "1.38"),
        since="1.34",
    ),
    maxExpirationSeconds=Field(
        Pointer(Int32),
        bounds=Bounds(_HOUR, None, "if provided, maxExpirationSeconds must be >= 3600"),
        since="1.34",
    ),
    credentialBundlePath=Field(String, format=of_written_file, since="1.34"),
    keyPath=Field(String, format=of_written_file, since="1.34"),
    certificateChainPath=Field(String, format=of_written_file, since="1.34"),
    userAnnotations=Field(MapOf(String), since="1.35"),
    user=Field(Pointer(Int64), bounds=USERS, since="1.37", gate="AtomicWriteVolumeUserFields"),
)


@ClusterTrustBundleProjection.rule
def _bundle_or_signer(source: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    name, signer, selector = (
        source.get("name"),
        source.get("signerName"),
        source.get("labelSelector"),
    )
    if name is not None and signer is not None:
        yield invalid(path, _as_go_prints_it(source), "only one of name and signerName may be used")
    elif name is not None:
        if not name:
            yield required(f"{path}.name", "must be a valid object name")
        for detail in trust_bundle_name(name):
            yield invalid(f"{path}.name", name, f"not a valid clustertrustbundlename: {detail}")
        if selector is not None:
            yield invalid(
                f"{path}.labelSelector",
                Printed(go_json(_ordered(selector), sort_keys=False)),
                "labelSelector must be unset if name is specified",
            )
    elif signer is not None:
        if not signer:
            yield required(f"{path}.signerName", "must be a valid signer name")
        yield from check_signer_name(signer, f"{path}.signerName")
        if selector is not None:
            yield from check_label_selector(selector, f"{path}.labelSelector")
    else:
        yield required(path, "either name or signerName must be specified")


def _as_go_prints_it(source: dict[str, Any]) -> Printed:
    """Format a trust bundle source as the server prints its Go struct, with Go field names."""
    fields = {
        "Name": source.get("name"),
        "SignerName": source.get("signerName"),
        "LabelSelector": _ordered(source.get("labelSelector")),
        "Optional": source.get("optional"),
        "Path": source.get("path", ""),
    }
    return Printed(go_json(fields, sort_keys=False))


def _ordered(selector: dict[str, Any] | None) -> dict[str, Any] | None:
    if selector is None:
        return None
    labels = sorted(selector.get("matchLabels", {}).items())
    ordered = {"matchLabels": dict(labels)} if labels else {}
    return ordered | {key: value for key, value in selector.items() if key == "matchExpressions"}


def trust_bundle_name(text: str) -> list[str]:
    """Validate a ClusterTrustBundle name, prefixed with its signer name (colons replace slashes).

    >>> trust_bundle_name("example.com:signer:anchors"), trust_bundle_name("anchors")
    ([], [])
    """
    prefix, colon, name = text.rpartition(":")
    if colon and not prefix:
        return ['ClusterTrustBundle without signer name must not have ":" in its name']
    if "/" in prefix:
        signer, wanted = prefix.replace(":", "/"), prefix.replace("/", ":")
        return [f"ClusterTrustBundle for signerName {signer} must be named with prefix {wanted}:"]
    return dns_subdomain(name)


def check_signer_name(name: str, path: str) -> Iterator[FieldError]:
    """Validate the name of a certificate signer: ``example.com/signer``."""
    if not name:
        yield required(path)
        return
    if name.count("/") != 1:
        yield invalid(
            path,
            name,
            "must be a fully qualified domain and path of the form 'example.com/signer-name'",
        )
        return
    domain, _, rest = name.partition("/")
    if byte_length(domain) > DNS_SUBDOMAIN_MAX_LENGTH:
        yield too_long(path, DNS_SUBDOMAIN_MAX_LENGTH)
    if "." not in domain:
        yield invalid(
            path, domain, "should be a domain with at least two segments separated by dots"
        )
    for part, format_ in ((domain, dns_label), (rest, dns_subdomain)):
        for label in part.split("."):
            wrong = format_(label)
            for detail in wrong:
                yield invalid(path, part, f"validating label {quoted(label)}: {detail}")
            if wrong:
                break
    if byte_length(name) > SIGNER_NAME_MAX_LENGTH:
        yield too_long(path, SIGNER_NAME_MAX_LENGTH)


@PodCertificateProjection.in_schema(SchemaCondition("keyType", schema=_HAS_KEY))
@PodCertificateProjection.rule
def _signer_and_files(source: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    key = source.get("keyType", "")
    known: tuple[str, ...] = KEY_TYPES
    if request.enabled("PodCertificateMLDSA") or request.once(_stored_has_mldsa_keys):
        known += MLDSA_KEY_TYPES
    if key not in known:
        yield not_supported(f"{path}.keyType", key, known, rule="keyType.enum")
    signer = source.get("signerName", "")
    if signer:
        yield from check_signer_name(signer, f"{path}.signerName")
    longest = MAX_EXPIRATION_BY_KUBERNETES if is_of_kubernetes(signer) else MAX_EXPIRATION
    seconds = source.get("maxExpirationSeconds", 0)
    if seconds > longest:
        yield invalid(
            f"{path}.maxExpirationSeconds",
            seconds,
            f"if provided, maxExpirationSeconds must be <= {longest}",
        )
    if not any(field in source for field in CERTIFICATE_FILES):
        fields = "credentialBundlePath, keyPath, and certificateChainPath"
        yield required(path, f"specify at least one of {fields}")
    if "userAnnotations" in source:
        yield from _check_user_annotations(source["userAnnotations"], f"{path}.userAnnotations")


def _stored_has_mldsa_keys(request: Request) -> bool:
    return request.server.minor >= 38 and any(
        source.get("podCertificate", {}).get("keyType") in MLDSA_KEY_TYPES
        for volume in (request.old_pod or {}).get("volumes", ())
        for source in volume.get("projected", {}).get("sources", ())
    )


def is_of_kubernetes(signer: str) -> bool:
    """Return True if the Kubernetes project reserves the signer's name."""
    return f".{signer.partition('/')[0]}".endswith(".kubernetes.io")


def _check_user_annotations(annotations: dict[str, str], path: str) -> Iterator[FieldError]:
    size = 0
    for written, value in annotations.items():
        size += byte_length(written) + byte_length(value)
        key = written.lower()
        wrong = label_key(key) if key else []
        if not key:
            yield required(path)
        elif not wrong and "/" not in key:
            wrong = ['must be a domain-prefixed key (such as "acme.io/foo")']
        for detail in wrong:
            yield invalid(path, key, detail, MAP_KEY, entry=f"[{written}]")
    if size > TOTAL_ANNOTATION_SIZE_LIMIT:
        yield too_long(path, TOTAL_ANNOTATION_SIZE_LIMIT)
