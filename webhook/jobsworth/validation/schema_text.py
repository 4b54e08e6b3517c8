"""The text of a JSON Schema: compact, with a definition a line, so that ``git diff`` shows the changes."""

from __future__ import annotations

import json
from typing import Any

MAX_LINE = 3000
"""The maximum length of a line in characters, unless one number, string or empty container is longer.

The longest types (JobSpec, PodSpec, Container, Volume) exceed it and so have a field a line; the other types
of Kubernetes 1.25 to 1.37 have at most 2,500 characters, and so a line.
"""


def schema_text(schema: dict[str, Any]) -> str:
    """Return a schema as JSON text: the members of its objects one a line, two levels deep.

    Each keyword, each property (``properties``) and each definition (``$defs``) of the schema stands on a
    line. Below, a value that would make its line longer than :data:`MAX_LINE` has a member a line. Objects
    keep the order of their keys.
    """
    return _laid_out(schema, "", 0) + "\n"


def _laid_out(value: Any, start: str, level: int) -> str:
    """Return a line, or several, that begin with a text.

    Args:
        value: a JSON value.
        start: the indentation of the first line, and the key of the value if it has one.
        level: the number of containers around the value.
    """
    line = start + json.dumps(value, ensure_ascii=False)
    is_object = isinstance(value, dict)
    is_short = len(line) < MAX_LINE and not (is_object and level < 2)  # a comma may follow
    if is_short or not value or not isinstance(value, dict | list):
        return line
    indent = " " * level
    members = (
        [(f"{json.dumps(key, ensure_ascii=False)}: ", part) for key, part in value.items()]
        if isinstance(value, dict)
        else [("", part) for part in value]
    )
    lines = [_laid_out(part, f"{indent} {key}", level + 1) for key, part in members]
    first, last = "{}" if is_object else "[]"
    return "\n".join([start + first, ",\n".join(lines), indent + last])
