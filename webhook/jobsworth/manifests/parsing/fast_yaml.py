"""The value of an ordinary YAML document, fast.

Ordinary is what nearly all manifests are: string keys, none twice, no aliases, no tags, no merge
keys. Of such a document the value is all there is to know, and building nothing but it takes 0.16
ms for 1.8 KB. Of any other, ``NeedsFullParser`` is raised, and ``tree`` reads it, which knows all
rules and keeps positions. Both give the same value where both give one: a law that the tests hold
with generated documents.
"""

from __future__ import annotations

from jobsworth.manifests.parsing.libyaml import backend
from jobsworth.manifests.parsing.scalars import ScalarError, json_number, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    Value: TypeAlias = bool | int | float | str | list["Value"] | dict[str, "Value"] | None

_MOST_REMEMBERED = 4096
_LONGEST_REMEMBERED = 64
_DEEPEST = 64
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class NeedsFullParser(Exception):
    """The document needs the full rules: it has an error, a tag, an alias, a merge, an odd key …"""


class _PlainValues(dict[str, "Value"]):
    """Plain scalars and their values, remembered: the same keys and words come again and again."""

    def __missing__(self, text: str) -> Value:
        value = resolve(text)
        if type(value) is float:
            try:
                value = json_number(value)
            except ScalarError as error:
                raise NeedsFullParser from error
        if len(text) <= _LONGEST_REMEMBERED:
            if len(self) >= _MOST_REMEMBERED:
                self.clear()
            self[text] = value
        return value


_plain_values = _PlainValues()


def ordinary_value(data: bytes) -> Value:
    """Return the value of the YAML document in ``data``, None without one, or raise NeedsFullParser."""
    if b"!" in data or b"\\/" in data or b"?" in data or data.find(_BYTE_ORDER_MARK, 1) >= 0:
        raise NeedsFullParser  # what libyaml and go-yaml may differ in: see ``tree``
    parser = backend()
    try:
        return _build(iter(parser.events(data), None), parser.names)
    except (parser.names.YAMLError, UnicodeDecodeError, TypeError) as error:
        raise NeedsFullParser from error


def _build(events: Iterable[Any], names: Any) -> Value:
    """Collect values on one flat stack; a container that ends takes what came since its start."""
    scalar, mapping_start, mapping_end = (
        names.ScalarEvent,
        names.MappingStartEvent,
        names.MappingEndEvent,
    )
    sequence_start, sequence_end = names.SequenceStartEvent, names.SequenceEndEvent
    plain_values = _plain_values
    stack: list[Any] = []
    push = stack.append
    starts: list[int] = []
    ended = False
    for event in events:
        kind = event.__class__
        if kind is scalar:
            push(plain_values[event.value] if event.implicit[0] else event.value)
        elif kind is mapping_start or kind is sequence_start:
            if len(starts) > _DEEPEST:
                raise NeedsFullParser
            starts.append(len(stack))
        elif kind is mapping_end:
            start = starts.pop()
            keys = stack[start::2]
            mapping = dict(zip(keys, stack[start + 1 :: 2], strict=True))
            "".join(keys)  # raises TypeError when one is not a string
            if len(mapping) != len(keys) or "<<" in mapping:
                raise NeedsFullParser
            del stack[start:]
            push(mapping)
        elif kind is sequence_end:
            start = starts.pop()
            sequence = stack[start:]
            del stack[start:]
            push(sequence)
        elif kind is names.DocumentEndEvent:
            ended = True
        elif kind is names.StreamEndEvent:
            break
        elif ended or not (
            kind is names.StreamStartEvent
            or (kind is names.DocumentStartEvent and event.version is None)
        ):
            raise NeedsFullParser  # a second document, which kubectl does not see; an alias; %YAML
    return stack[0] if stack else None
