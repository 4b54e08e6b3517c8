"""JobPolicies in values of the Helm chart.

Under ``policies``, each name has a spec; under ``policyFiles``, the text of a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from jobsworth.documents.schema_errors import shown
from jobsworth.manifests import Document, ManifestError, Position, read_text
from jobsworth.policy.document import API_VERSION, KIND
from jobsworth.policy.problems import Problem

FIELDS_BELOW = "the fields of a policy stand directly below its name"


class PolicyInValues(Document):
    """A JobPolicy that the chart makes of a value; its positions are those in the values."""

    @classmethod
    def of(cls, values: Document, path: str, policy: dict[str, Any]) -> PolicyInValues:
        """Return a policy at a path of the values."""
        return cls(values.file, values.index, None, policy, None, values.notes, values._text, path)

    def position(self, field: str, *, key: bool = False) -> Position:
        """Return the position of a field of the policy."""
        return super().position(_below(field), key=key)

    def path_of(self, field: str) -> str:
        """Return the path in the values of a field of the policy."""
        return f"{self._path}.{_below(field)}".rstrip(".")

    def described(self, problem: Problem) -> Problem:
        """Return a problem of the policy with the path in the values, and a hint if it has other fields."""
        field, policy = self.path_of(problem.field), cast("dict[str, Any]", self.value)
        if problem.field == "spec.spec" or (problem.field == "spec" and policy["spec"]):
            return replace(problem, field=field, hint=FIELDS_BELOW)
        return replace(problem, field=field)


def _below(field: str) -> str:
    """Return the path in the spec of a field of a policy; empty for another field."""
    spec = field == "spec" or field.startswith(("spec.", "spec["))
    return field[len("spec") :].lstrip(".") if spec else ""


def policies_in_values(document: Document) -> Iterator[PolicyInValues]:
    """Yield the policies in a document, if it has values of the chart."""
    policies = _values(document).get("policies")
    for name, spec in policies.items() if isinstance(policies, dict) else ():
        made = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": name}, "spec": spec}
        yield PolicyInValues.of(document, f"policies[{name}]", made)


def files_in_values(document: Document) -> Iterator[tuple[str, list[Document]] | ManifestError]:
    """Yield the documents of each file in values of the chart, with its path, and the errors of values."""
    values = _values(document)
    for holder in ("policies", "policyFiles"):
        if not isinstance(values.get(holder) or {}, dict):
            yield _wrong(document, holder, f"must be a mapping, but is {shown(values[holder])}")
            values.pop(holder)
    for name, text in (values.get("policyFiles") or {}).items():
        path = f"policyFiles.{name}"
        if isinstance(text, str):
            yield path, read_text(text.encode(), f"{document.file} {path}")
        else:
            problem = (
                f"must be the text of a file, but is {'empty' if text is None else shown(text)}"
            )
            yield _wrong(document, path, f"{problem} (use --set-file {path}=FILE)")


def _values(document: Document) -> dict[str, Any]:
    value: Any = document.value
    if not isinstance(value, dict) or "kind" in value or "apiVersion" in value:
        return {}
    return dict(value)


def _wrong(document: Document, path: str, message: str) -> ManifestError:
    place = document.position(path)
    return ManifestError(document.file, place.line, place.column, f"{path}: {message}")
