"""JobPolicies in values of the Helm chart: under ``policies``, by name, each with its spec."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.manifests import Document, Position
from jobsworth.policy.document import API_VERSION, KIND


class PolicyInValues(Document):
    """A JobPolicy that the chart makes of a value; its positions are those in the values."""

    @classmethod
    def of(cls, values: Document, path: str, policy: dict[str, Any]) -> PolicyInValues:
        """Return a policy at a path of the values."""
        return cls(values.file, values.index, None, policy, None, values.notes, values._text, path)

    def position(self, field: str, *, key: bool = False) -> Position:
        """Return the position of a field of the policy."""
        spec = field == "spec" or field.startswith(("spec.", "spec["))
        return super().position(field[len("spec") :].lstrip(".") if spec else "", key=key)


def policies_in_values(document: Document) -> Iterator[PolicyInValues]:
    """Yield the policies in a document, if it has values of the chart."""
    value: Any = document.value
    if not isinstance(value, dict) or "kind" in value or "apiVersion" in value:
        return
    policies = value.get("policies")
    for name, spec in policies.items() if isinstance(policies, dict) else ():
        made = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": name}, "spec": spec}
        yield PolicyInValues.of(document, f"policies[{name}]", made)
