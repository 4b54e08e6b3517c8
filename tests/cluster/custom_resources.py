"""Kinds of cert-manager and of the Prometheus operator, with the fields that the chart uses, typed and required.

Fields as in cert-manager 1.17 and prometheus-operator 0.82; a field that is not here is rejected as unknown.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
GO_DURATION: Schema = {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$"}
PROMETHEUS_DURATION: Schema = {"type": "string", "pattern": r"^(([0-9]+)(y|w|d|h|m|s|ms))+$"}
TEXTS: Schema = {"type": "object", "additionalProperties": TEXT}


def thing(required: str = "", **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": required.split()}


def each(items: Schema) -> Schema:
    return {"type": "array", "items": items}


ISSUER_REF = thing("name", name=TEXT, kind=TEXT, group=TEXT)
CERTIFICATE = thing(
    "issuerRef secretName",
    commonName=TEXT,
    dnsNames=each(TEXT),
    duration=GO_DURATION,
    isCA={"type": "boolean"},
    issuerRef=ISSUER_REF,
    privateKey=thing(
        algorithm={"type": "string", "enum": ["RSA", "ECDSA", "Ed25519"]},
        rotationPolicy={"type": "string", "enum": ["Never", "Always"]},
        size={"type": "integer"},
    ),
    renewBefore=GO_DURATION,
    secretName=TEXT,
    usages=each(
        {"type": "string", "enum": ["digital signature", "key encipherment", "server auth"]}
    ),
)
ISSUER = thing(ca=thing("secretName", secretName=TEXT), selfSigned=thing())
SERVICE_MONITOR = thing(
    "endpoints selector",
    endpoints=each(
        thing(port=TEXT, interval=PROMETHEUS_DURATION, scrapeTimeout=PROMETHEUS_DURATION)
    ),
    selector=thing(matchLabels=TEXTS),
)
RULE = thing(
    "expr",
    alert=TEXT,
    expr={"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, TEXT]},
    labels=TEXTS,
    annotations=TEXTS,
    **{"for": PROMETHEUS_DURATION},
)
PROMETHEUS_RULE = thing(groups=each(thing("name", name=TEXT, rules=each(RULE))))


def definitions() -> list[dict[str, Any]]:
    """The CustomResourceDefinitions."""
    return [
        _definition("cert-manager.io", "Certificate", CERTIFICATE),
        _definition("cert-manager.io", "Issuer", ISSUER),
        _definition("monitoring.coreos.com", "ServiceMonitor", SERVICE_MONITOR),
        _definition("monitoring.coreos.com", "PrometheusRule", PROMETHEUS_RULE),
    ]


def _definition(group: str, kind: str, spec: Schema) -> dict[str, Any]:
    plural = kind.lower() + "s"
    schema = {"type": "object", "properties": {"spec": spec}, "required": ["spec"]}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
            "versions": [version],
        },
    }
