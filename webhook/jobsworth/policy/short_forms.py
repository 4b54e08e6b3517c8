"""Short forms of an earlier draft of the format, and the forms that replaced them.

The reader rejects a short form and shows the form to write; ``jobsworth policy check --fix`` writes it.

| short form | form |
| --- | --- |
| ``match: {…}``, ``exempt: {…}`` | ``match: [{…}]``, ``exempt: [{…}]`` |
| ``defaults.backoffLimit: 3``, ``defaults.labels.team: web`` | ``{value: 3}``, ``{value: web}`` |
| ``immutable: [backoffLimit]`` | ``immutable: [{field: backoffLimit}]`` |
| ``limits.resources.requests.cpu.maximum: 0.5`` | ``"0.5"`` |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jobsworth.api.formats.go_numbers import json_text
from jobsworth.policy.defaults import FIELDS, METADATA
from jobsworth.policy.defaults_schema import defaults
from jobsworth.policy.limits.resource_limits import SIDES
from jobsworth.schema_errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobsworth.findings.edits import Steps
    from jobsworth.policy.schema_parts import Schema

_TYPES = {int: "integer", str: "string", bool: "boolean"}
MATCHERS = ("match", "exempt")
FIX = "jobsworth policy check --fix"


@dataclass(frozen=True, slots=True)
class ShortForm:
    """A value in a short form.

    Attributes:
        field: its path, as Kubernetes writes it.
        steps: its place in the document.
        value: the value that replaces it: the old one in a list or mapping, or as a string.
        text: the new value in words.
    """

    field: str
    steps: Steps
    value: Any
    text: str

    @property
    def hint(self) -> str:
        """The correction, as an error shows it."""
        return f"write {self.text}; {FIX} rewrites it"


def short_forms(document: object) -> Iterator[ShortForm]:
    """Yield the values of a document that are in a short form."""
    spec = document.get("spec") if isinstance(document, dict) else None
    if isinstance(spec, dict):
        for part, found_in in _PARTS.items():
            if part in spec:
                yield from found_in(spec[part], part)


def _in_matchers(value: Any, name: str) -> Iterator[ShortForm]:
    if isinstance(value, dict):
        first = f"{{{next(iter(value))}: …}}" if value else "{…}"
        yield ShortForm(f"spec.{name}", ("spec", name), [value], f"a list of matchers, [{first}]")


def _in_defaults(value: Any, _: str) -> Iterator[ShortForm]:
    declared = defaults()["properties"]
    for name, one in _entries(value).items():
        if name in FIELDS:
            yield from _in_default(one, declared[name], f"spec.defaults.{name}", (name,))
        elif name in METADATA:
            schema = declared[name]["additionalProperties"]
            for key, text in _entries(one).items():
                yield from _in_default(text, schema, f"spec.defaults.{name}[{key}]", (name, key))


def _in_default(value: Any, schema: Schema, field: str, steps: Steps) -> Iterator[ShortForm]:
    """Yield the short form of a default: a value of its type, alone."""
    expected = schema["properties"]["value"]["type"]
    if _TYPES.get(type(value)) in (expected if isinstance(expected, list) else [expected]):
        steps = ("spec", "defaults", *steps)
        yield ShortForm(field, steps, {"value": value}, f"{{value: {shown(value)}}}")


def _in_immutable(value: Any, _: str) -> Iterator[ShortForm]:
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, str):
            steps = ("spec", "immutable", index)
            yield ShortForm(
                f"spec.immutable[{index}]", steps, {"field": item}, f"{{field: {shown(item)}}}"
            )


def _in_limits(value: Any, _: str) -> Iterator[ShortForm]:
    resources = _entries(_entries(value).get("resources"))
    for side in SIDES:
        for name, cap in _entries(resources.get(side)).items():
            most = _entries(cap).get("maximum")
            if isinstance(most, float):
                field = f"spec.limits.resources.{side}[{name}].maximum"
                steps = ("spec", "limits", "resources", side, name, "maximum")
                text = json_text(most)
                yield ShortForm(field, steps, text, shown(text))


def _entries(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


_PARTS: dict[str, Callable[[Any, str], Iterator[ShortForm]]] = {
    **dict.fromkeys(MATCHERS, _in_matchers),
    "defaults": _in_defaults,
    "limits": _in_limits,
    "immutable": _in_immutable,
}
