"""The CustomResourceDefinition of JobPolicy, made from the declaration of its schema.

A CustomResourceDefinition has a structural schema: one type for each place, ``x-kubernetes-int-or-string``
for a number or a string, ``x-kubernetes-list-type: set`` for a list of unique entries, and no
``additionalProperties: false`` beside ``properties``: the API server prunes unknown fields, and kubectl
reports them. Its schema has no defaults, so that an object is stored as it was written.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from jobsworth.documents.declared import Schema
from jobsworth.policy.document import API_VERSION, KIND, MAX_INT64, declaration

GROUP, _, VERSION = API_VERSION.partition("/")
PLURAL = "jobpolicies"

_LEFT_OUT = ("default", "uniqueItems", "const")
_COLUMNS = (
    ("Enforcement", "string", ".spec.enforcement", 0),
    ("Priority", "integer", ".spec.priority", 1),
    ("Age", "date", ".metadata.creationTimestamp", 0),
    ("Description", "string", ".spec.description", 1),
)
"""Name, type, path and priority; columns of priority 1 are those of ``kubectl get -o wide``."""


def custom_resource_definition() -> dict[str, Any]:
    """Return the CustomResourceDefinition, for apiextensions.k8s.io/v1."""
    columns = [
        {"name": name, "type": kind, "jsonPath": path, "priority": priority}
        for name, kind, path, priority in _COLUMNS
    ]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Cluster",
            "names": {
                "kind": KIND,
                "listKind": f"{KIND}List",
                "plural": PLURAL,
                "singular": KIND.lower(),
                "shortNames": ["jp"],
                "categories": ["jobsworth"],
            },
            "versions": [
                {
                    "name": VERSION,
                    "served": True,
                    "storage": True,
                    "additionalPrinterColumns": columns,
                    "schema": {"openAPIV3Schema": _of_root(declaration())},
                }
            ],
        },
    }


def _of_root(declared: Schema) -> Schema:
    """Return the structural schema of the whole object, which restricts no metadata but the name."""
    found = _structural(declared)
    metadata = found["properties"]["metadata"]
    name = metadata["properties"]["name"]
    found["properties"]["metadata"] = {"type": metadata["type"], "properties": {"name": name}}
    return found


def _structural(declared: Schema) -> Schema:
    """Return the structural schema of a part of the declaration."""
    found = {
        key: deepcopy(part)  # YAML would write one list as an alias
        for key, part in declared.items()
        if key not in _LEFT_OUT
    }
    if declared.get("maximum") == MAX_INT64:
        # The API server reads the bound as a float, 2**63, which it refuses at each validation.
        del found["maximum"]
        if declared["type"] == "integer":
            found["format"] = "int64"
    if isinstance(declared.get("type"), list):
        del found["type"]
        found["x-kubernetes-int-or-string"] = True
    elif "type" not in declared:
        found["type"] = "string"  # of an enumeration or a constant
    if declared.get("uniqueItems"):
        found["x-kubernetes-list-type"] = "set"
    if "properties" in declared:
        del found["additionalProperties"]
        found["properties"] = {
            name: _structural(part) for name, part in declared["properties"].items()
        }
    elif "additionalProperties" in declared:
        found["additionalProperties"] = _structural(declared["additionalProperties"])
    if "items" in declared:
        found["items"] = _structural(declared["items"])
    return found
