"""Read the entries of a configuration for kinds that contain Jobs or Pod templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.kinds.kind_table import OWNERS, TYPES, EmbeddedTemplate
from jobsworth.schema_errors import problems

if TYPE_CHECKING:
    from typing import NoReturn, Protocol

    class Reject(Protocol):
        """Raises the error about a key of the configuration."""

        def __call__(self, key: str, message: str) -> NoReturn: ...


FIELDS = {
    "apiVersion": "api_version",
    "kind": "kind",
    "path": "path",
    "type": "type",
    "owner": "owner",
    "operator": "operator",
    "copies": "copies",
    "translates": "translates",
    "labels": "labels",
    "defaults": "defaults",
    "overwrites": "overwrites",
    "jobName": "job_name",
    "ignores": "ignores",
}
"""The keys of an entry, and the attributes of :class:`~jobsworth.kinds.kind_table.EmbeddedTemplate`."""

_STEP = r"[A-Za-z]\w*(\[\*\])?"
_PATH = rf"^{_STEP}(\.({_STEP}|\{{\*\}}))*$"
_API_VERSION = r"^[^/]+(/[^/]+)?$"
_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["kinds"],
    "properties": {
        "kinds": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["apiVersion", "kind", "path", "type"],
                "additionalProperties": False,
                "properties": {
                    "apiVersion": {"type": "string", "pattern": _API_VERSION},
                    "kind": _TEXT,
                    "path": {"type": "string", "pattern": _PATH},
                    "type": {"type": "string", "enum": list(TYPES)},
                    "owner": {"type": "string", "enum": list(OWNERS)},
                    "operator": _TEXT,
                    "copies": {"type": "object", "additionalProperties": _TEXT},
                    "translates": {"type": "object", "additionalProperties": _TEXT},
                    "labels": _TEXTS,
                    "defaults": {"type": "object"},
                    "overwrites": _TEXTS,
                    "jobName": _TEXT,
                    "ignores": _TEXTS,
                },
            },
        }
    },
}
_PATTERNS = {
    _PATH: "a field path such as spec.roles[*].template or spec.roles.{*}.template",
    _API_VERSION: "a group and a version, such as example.com/v1 or example.com/*",
}


def read_entries(value: Any, reject: Reject) -> tuple[EmbeddedTemplate, ...]:
    """Return the entries under the key ``kinds`` of a configuration.

    Args:
        value: the value of the key.
        reject: raises the error about a key.
    """
    for problem in problems({"kinds": value}, _SCHEMA, _PATTERNS):
        hint = f"; {problem.hint}" if problem.hint else ""
        reject(problem.field, f"{problem.message}{hint}")
    return tuple(map(_entry, value))


def _entry(item: dict[str, Any]) -> EmbeddedTemplate:
    values: dict[str, Any] = {
        FIELDS[key]: tuple(part) if isinstance(part, list) else part for key, part in item.items()
    }
    if item["type"] == "PodTemplateSpec":
        values.setdefault("owner", "Pod")
    values.setdefault("operator", f"the operator of {item['kind']}")
    return EmbeddedTemplate(**values)
