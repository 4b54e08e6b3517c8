"""Corrections for the differences between PyYAML's libyaml and go-yaml v2.

go-yaml is a port of an older libyaml. The differences were found with 475 probes and some hundred
thousand mutations of them. Not corrected, because manifests do not contain them: a colon without a
space after a key in brackets (``{a:}``, which only go-yaml accepts, as the key ``a:``), brackets and
commas in a tag, UTF-16 with an odd number of bytes.
"""

from __future__ import annotations

from jobsworth.manifests.parsing.libyaml import YamlEvent
from jobsworth.manifests.parsing.records import LineIndex, Unreadable

_BYTE_ORDER_MARK = "\ufeff"
_CONTROL_ESCAPES = {"e": "1b", "a": "07", "v": "0b", "f": "0c", "b": "08"}
_MAX_REPAIRS = 200
_MAX_BYTES_READ_AGAIN = 20_000_000


class LibyamlText:
    """A document's text, changed so that libyaml reads it as go-yaml reads the original."""

    def __init__(self, data: bytes, places: LineIndex) -> None:
        self.data = data
        self._text = places.text
        self._places = places
        self._stand_ins: dict[str, str] = {}
        self._may_have_bare_tags = b"!" in data
        self._may_have_escaped_slashes = b"\\/" in data
        self._repairs = 0
        self._replace_byte_order_marks()

    def text_of(self, event: YamlEvent) -> str:
        """Return the text of a scalar with the original characters restored."""
        text = event.value
        for stand_in, real in self._stand_ins.items():
            text = text.replace(stand_in, real)
        return text

    def is_plain(self, event: YamlEvent) -> bool:
        """Return True for a scalar without quotes and without the tag ``!``.

        libyaml ignores that tag; for go-yaml it makes the scalar a string.
        """
        if not event.implicit[0]:
            return False
        if not self._may_have_bare_tags:
            return True
        source = self._text[event.start_mark.index : event.end_mark.index]
        if source.startswith("&"):
            source = source.partition(event.anchor or "")[2].lstrip()
        return not source.startswith("!")

    def check(self, event: YamlEvent, *, flows: bool) -> None:
        """Raise Unreadable for a scalar that libyaml accepts and go-yaml rejects.

        That is the escape ``\\/``, or a question mark in a plain scalar in brackets.
        """
        if self._may_have_escaped_slashes and event.style == '"':
            index = self._text.index('"', event.start_mark.index)
            while index < event.end_mark.index:
                if self._text.startswith("\\/", index):
                    raise Unreadable(
                        "`\\/` is a JSON escape that kubectl rejects in YAML; write `/`",
                        self._places.at_index(index),
                    )
                index += 2 if self._text[index] == "\\" else 1
        if flows and "?" in event.value and not event.style:
            raise Unreadable(
                "a plain value in brackets cannot contain `?`; put it in quotes",
                self._places.at_index(self._text.index("?", event.start_mark.index)),
            )

    def repair(self, error: object) -> bool:
        """Replace the escape ``\\'`` in double quotes, which libyaml rejects and go-yaml accepts.

        An escape of a control character that the text does not contain replaces it, here and in the
        rest of the quoted text. Return True if the text changed and is to be parsed again.
        """
        mark = getattr(error, "problem_mark", None)
        if getattr(error, "problem", None) != "found unknown escape character" or mark is None:
            return False
        letter = self._unused_escape()
        if not self._text.startswith("\\'", mark.index) or not letter:
            return False
        if self._repairs >= min(_MAX_REPAIRS, _MAX_BYTES_READ_AGAIN // len(self.data)):
            return False
        self._repairs += 1
        self._stand_ins[chr(int(_CONTROL_ESCAPES[letter], 16))] = "'"
        seen = self.data.decode().removeprefix(_BYTE_ORDER_MARK)
        parts = [seen[: mark.index]]
        index = mark.index
        while index < len(seen) and seen[index] != '"':
            width = 2 if seen[index] == "\\" else 1
            part = seen[index : index + width]
            parts.append(f"\\{letter}" if part == "\\'" else part)
            index += width
        self.data = ("".join(parts) + seen[index:]).encode()
        return True

    def _unused_escape(self) -> str:
        """Return the letter of an escape that does not occur in the text; empty if all occur."""
        text = self._text.lower()
        for letter, code in _CONTROL_ESCAPES.items():
            if f"\\{letter}" not in text and code not in text:
                return letter
        return ""

    def _replace_byte_order_marks(self) -> None:
        """Replace byte order marks inside the text: libyaml drops them, go-yaml keeps them."""
        if _BYTE_ORDER_MARK in self._text and self._text.encode() in (self.data, self.data[3:]):
            letter = next(c for c in map(chr, range(0xE000, 0xF900)) if c not in self._text)
            self._stand_ins[letter] = _BYTE_ORDER_MARK
            self.data = self._text.replace(_BYTE_ORDER_MARK, letter).encode()
