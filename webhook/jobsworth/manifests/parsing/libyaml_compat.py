"""Where libyaml, as PyYAML has it, reads a text differently from go-yaml v2, and how to mend it.

Both have the same ancestor; libyaml has changed since. Found by putting 475 probes and some hundred
thousand mutations of them to both. What is not levelled here, because nobody writes it: a colon
behind a key between brackets with no space after it (``{a:}``, which only go-yaml takes, as the key
``a:``), brackets and commas within a tag, UTF-16 with an odd number of bytes.
"""

from __future__ import annotations

from jobsworth.manifests.parsing.records import Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobsworth.manifests.parsing.libyaml import YamlEvent
    from jobsworth.manifests.parsing.line_index import LineIndex

_BYTE_ORDER_MARK = "\ufeff"
_CONTROL_ESCAPES = {"e": "1b", "a": "07", "v": "0b", "f": "0c", "b": "08"}
_MOST_REPAIRS = 200
_MOST_BYTES_READ_AGAIN = 20_000_000


class LibyamlText:
    """The text of a document, as libyaml has to see it to read what go-yaml reads in it."""

    def __init__(self, data: bytes, places: LineIndex) -> None:
        self.data = data
        self._text = places.text
        self._places = places
        self._stand_ins: dict[str, str] = {}
        self._may_have_bare_tags = b"!" in data
        self._may_have_escaped_slashes = b"\\/" in data
        self._repairs = 0
        self._stand_in_for_marks()

    def text_of(self, event: YamlEvent) -> str:
        """Give a scalar's text, what stood in for something taken back."""
        text = event.value
        for stand_in, real in self._stand_ins.items():
            text = text.replace(stand_in, real)
        return text

    def is_plain(self, event: YamlEvent) -> bool:
        """Return whether a scalar means what it looks like: it has no quotes, and no bare ``!``.

        libyaml drops that tag; to go-yaml it says that the scalar is a string.
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
        """Raise Unreadable of a scalar that libyaml takes and go-yaml does not.

        They are the escape ``\\/``, and a question mark in a plain scalar between brackets.
        """
        if self._may_have_escaped_slashes and event.style == '"':
            index = self._text.index('"', event.start_mark.index)
            while index < event.end_mark.index:
                if self._text.startswith("\\/", index):
                    raise Unreadable(
                        "`\\/` is an escape of JSON that kubectl does not know in YAML; write `/`",
                        self._places.at_index(index),
                    )
                index += 2 if self._text[index] == "\\" else 1
        if flows and "?" in event.value and not event.style:
            raise Unreadable(
                "a plain value between brackets cannot contain `?`; put it in quotes",
                self._places.at_index(self._text.index("?", event.start_mark.index)),
            )

    def repair(self, error: object) -> bool:
        """Take away what libyaml stopped at and go-yaml would not; it is to be read again then.

        That is the escape ``\\'`` in double quotes. Another escape, of a control character that the
        text does not have, stands in for it, here and in the rest of the quoted text.
        """
        mark = getattr(error, "problem_mark", None)
        if getattr(error, "problem", None) != "found unknown escape character" or mark is None:
            return False
        letter = self._unused_escape()
        if not self._text.startswith("\\'", mark.index) or not letter:
            return False
        if self._repairs >= min(_MOST_REPAIRS, _MOST_BYTES_READ_AGAIN // len(self.data)):
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
        """Return the letter of an escape that the text has in no form; empty if it has them all."""
        text = self._text.lower()
        for letter, code in _CONTROL_ESCAPES.items():
            if f"\\{letter}" not in text and code not in text:
                return letter
        return ""

    def _stand_in_for_marks(self) -> None:
        """A byte order mark inside of the text is a letter to go-yaml, and nothing to libyaml."""
        if _BYTE_ORDER_MARK in self._text and self._text.encode() in (self.data, self.data[3:]):
            letter = next(c for c in map(chr, range(0xE000, 0xF900)) if c not in self._text)
            self._stand_ins[letter] = _BYTE_ORDER_MARK
            self.data = self._text.replace(_BYTE_ORDER_MARK, letter).encode()
