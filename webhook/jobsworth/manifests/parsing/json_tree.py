"""JSON as a tree with positions, with errors that say how to fix the text."""

from __future__ import annotations

from jobsworth.manifests.parsing.fast_yaml import Value
from jobsworth.manifests.parsing.json_text import TOO_LARGE, number, skip_whitespace
from jobsworth.manifests.parsing.nodes import DEEPEST, TOO_DEEP, Entry, Node
from jobsworth.manifests.parsing.notes import NoteTaker
from jobsworth.manifests.parsing.records import LineIndex, Note, Unreadable

_ESCAPES = {'"': '"', "\\": "\\", "/": "/"} | dict(zip("bfnrt", "\b\f\n\r\t", strict=True))
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_HEX = frozenset("0123456789abcdefABCDEF")
_DIGITS = frozenset("0123456789")


def compose_json(
    places: LineIndex, start: int, *, exact: bool
) -> tuple[Node, int, tuple[Note, ...]]:
    """Return the tree of the JSON value at ``start``, the index after it, and the notes.

    Raises Unreadable if the text is not JSON.
    """
    composer = _JsonComposer(places, exact=exact)
    end = composer.read(start)
    return composer.root, end, composer.noted.notes()


class _JsonFrame:
    """An object or array that is still open."""

    __slots__ = ("empty", "entries", "items", "key", "key_index", "mapping", "node", "start")

    def __init__(self, node: Node, start: int, bracket: str) -> None:
        self.node = node
        self.start = start
        self.empty = True
        self.items: list[Node] | None = [] if bracket == "[" else None
        self.entries: dict[str, Entry] = {}
        self.mapping: dict[str, Value] = {}
        self.key = ""
        self.key_index = 0

    def closing(self) -> str:
        return "}" if self.items is None else "]"


class _JsonComposer:
    def __init__(self, places: LineIndex, *, exact: bool) -> None:
        self._places = places
        self._text = places.text
        self._exact = exact
        self._frames: list[_JsonFrame] = []
        self.root = Node(places.at_index(0))
        self.noted = NoteTaker(self._frames)

    def read(self, start: int) -> int:
        index = self._value(start)
        while self._frames:
            index = self._next(index)
        return index

    def _next(self, index: int) -> int:
        """Read the innermost container's end, or its next item or entry; return the index after it."""
        frame = self._frames[-1]
        closing = frame.closing()
        index = skip_whitespace(self._text, index)
        character = self._text[index : index + 1]
        if character == closing:
            self._close()
            return index + 1
        if not frame.empty:
            if character != ",":
                raise self._unexpected(index, f"a comma or `{closing}`")
            index = skip_whitespace(self._text, index + 1)
            if self._text[index : index + 1] == closing:
                raise self._error(index, f"JSON allows no comma before `{closing}`; remove it")
        frame.empty = False
        if frame.items is None:
            index = self._key(frame, index)
        return self._value(index)

    def _key(self, frame: _JsonFrame, index: int) -> int:
        if self._text[index : index + 1] != '"':
            raise self._unexpected(index, "a key in double quotes")
        frame.key_index = index
        frame.key, index = self._string(index)
        index = skip_whitespace(self._text, index)
        if self._text[index : index + 1] != ":":
            raise self._unexpected(index, f'a colon after the key "{frame.key}"')
        return index + 1

    def _value(self, index: int) -> int:
        """Read a scalar, or the opening bracket of a container; return the index after it."""
        index = skip_whitespace(self._text, index)
        character = self._text[index : index + 1]
        node = Node(self._places.at_index(index))
        if character and character in "{[":
            if len(self._frames) >= DEEPEST:
                raise self._error(index, TOO_DEEP)
            self._frames.append(_JsonFrame(node, index, character))
            return index + 1
        if character == '"':
            node.value, index = self._string(index)
        elif character == "-" or character in _DIGITS:
            node.value, index = self._read_number(index)
        else:
            for word, value in _WORDS.items():
                if self._text.startswith(word, index):
                    node.value = value
                    index += len(word)
                    break
            else:
                raise self._unexpected(index, "a value")
        self._take(node)
        return index

    def _close(self) -> None:
        frame = self._frames.pop()
        node = frame.node
        if frame.items is None:
            node.children, node.value = frame.entries, frame.mapping
        else:
            node.children, node.value = frame.items, [item.value for item in frame.items]
        self._take(node)

    def _take(self, node: Node) -> None:
        if not self._frames:
            self.root = node
            return
        frame = self._frames[-1]
        if frame.items is not None:
            frame.items.append(node)
            return
        position = self._places.at_index(frame.key_index)
        if frame.key in frame.entries:
            self.noted.duplicate_key(frame.key, position, frame.entries[frame.key][0])
        frame.entries[frame.key] = (position, node)
        frame.mapping[frame.key] = node.value

    def _read_number(self, start: int) -> tuple[int | float, int]:
        text = self._text
        index = start + 1 if text[start] == "-" else start
        whole = self._digits(index)
        if text[index] == "0" and whole > index + 1:
            raise self._error(
                start, "JSON allows no leading zeros; write the number in decimal without them"
            )
        index = whole
        if text[index : index + 1] == ".":
            index = self._digits(index + 1)
        if text[index : index + 1] in ("e", "E"):
            sign = text[index + 1 : index + 2]
            index = self._digits(index + 2 if sign in ("+", "-") else index + 1)
        try:
            return number(text[start:index], exact=self._exact), index
        except (ValueError, OverflowError) as error:
            raise self._error(start, TOO_LARGE) from error

    def _digits(self, index: int) -> int:
        end = index
        while end < len(self._text) and self._text[end] in _DIGITS:
            end += 1
        if end == index:
            raise self._error(index, "a digit is missing here; write 0.5, not .5, and 1.0, not 1.")
        return end

    def _string(self, start: int) -> tuple[str, int]:
        text = self._text
        parts: list[str] = []
        index = start + 1
        while True:
            end = text.find('"', index)
            if end < 0:
                raise self._error(start, "this string is not closed; add a double quote")
            backslash = text.find("\\", index, end)
            part = text[index : end if backslash < 0 else backslash]
            if not part.isprintable():
                self._reject_control_characters(part, index)
            parts.append(part)
            if backslash < 0:
                return "".join(parts), end + 1
            character, index = self._escape(backslash)
            parts.append(character)

    def _escape(self, start: int) -> tuple[str, int]:
        letter = self._text[start + 1 : start + 2]
        if letter in _ESCAPES:
            return _ESCAPES[letter], start + 2
        code = self._unicode_escape(start)
        if code is None:
            raise self._error(
                start,
                f"`\\{letter}` is not a JSON escape; write the backslash twice: `\\\\{letter}`",
            )
        if 0xD800 <= code < 0xE000:  # Go replaces an unpaired surrogate by U+FFFD
            second = self._unicode_escape(start + 6)
            if code < 0xDC00 and second is not None and 0xDC00 <= second < 0xE000:
                return chr(0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00)), start + 12
            return "\ufffd", start + 6
        return chr(code), start + 6

    def _unicode_escape(self, start: int) -> int | None:
        digits = self._text[start + 2 : start + 6]
        if self._text.startswith("\\u", start) and len(digits) == 4 and _HEX.issuperset(digits):
            return int(digits, 16)
        return None

    def _reject_control_characters(self, part: str, index: int) -> None:
        for offset, character in enumerate(part):
            if character < " ":
                what = "a line break" if character in "\r\n" else f"U+{ord(character):04X}"
                raise self._error(
                    index + offset,
                    f"{what} is not allowed in a JSON string; write it as \\u{ord(character):04x}",
                )

    def _unexpected(self, index: int, wanted: str) -> Unreadable:
        text = self._text
        if index >= len(text):
            if self._frames:
                frame = self._frames[-1]
                opening = text[frame.start]
                return self._error(
                    frame.start, f"this `{opening}` is not closed; add `{frame.closing()}`"
                )
            return self._error(index, f"expected {wanted}, but the text ends here")
        if text.startswith(("//", "/*", "#"), index):
            return self._error(index, "JSON has no comments; remove this one")
        if text.startswith("'", index):
            return self._error(index, "JSON requires double quotes; replace the single quotes")
        if text.startswith(("{", "%"), index):
            return self._error(
                index, f"expected {wanted} here; if this is a template, render it first"
            )
        if text.startswith(("NaN", "Infinity", "-Infinity"), index):
            return self._error(
                index, "JSON has neither NaN nor infinity; use a finite number or a string"
            )
        if text.startswith(("True", "False", "None"), index):
            return self._error(index, "JSON spells true, false and null in lower case")
        return self._error(index, f"expected {wanted} here, not `{text[index]}`")

    def _error(self, index: int, message: str) -> Unreadable:
        return Unreadable(message, self._places.at_index(min(index, max(len(self._text) - 1, 0))))
