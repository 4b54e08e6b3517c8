"""PyYAML's own parser, for systems without libyaml; ten times slower, adapted to libyaml.

Its scanner rejects tabs between words; go-yaml and libyaml accept them wherever they cannot be
indentation. This module adds that. All probes of the tests give the same results as libyaml. The
remaining differences are the wording of errors, and a tab that begins a line within plain text.
"""

from __future__ import annotations

from typing import Any

import yaml

_MAX_SIMPLE_KEY_LENGTH = 1024
"""The maximum number of characters of a key without ``?`` (YAML 1.1, section 9.2)."""


def parser_class() -> Any:
    """Return the parser's class; an instance for some bytes has ``get_event``, as in libyaml."""

    class PurePythonParser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):  # type: ignore[misc, name-defined, unused-ignore]
        def __init__(self, data: bytes) -> None:
            yaml.reader.Reader.__init__(self, data.removeprefix(b"\xef\xbb\xbf"))
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)

        def get_event(self) -> Any:
            try:
                event = super().get_event()  # type: ignore[no-untyped-call]
                if isinstance(event, yaml.ScalarEvent):
                    event.value.encode()
            except ValueError as error:  # half a surrogate pair, or an invalid code point
                problem = "found invalid Unicode character escape code"
                raise yaml.scanner.ScannerError(None, None, problem, self.get_mark()) from error
            return event

        def scan_to_next_token(self) -> None:
            super().scan_to_next_token()
            while self.peek() == "\t" and (self.flow_level or not self.allow_simple_key):
                self.forward()
                super().scan_to_next_token()

        # The keys are in the order of the text, since one that replaces another of its level moves to
        # the end. PyYAML looks through all of them for each token: in 13 s for 10,000 brackets.
        def stale_possible_simple_keys(self) -> None:
            keys = self.possible_simple_keys
            while keys:
                level = next(iter(keys))
                first = keys[level]
                if first.line == self.line and self.index - first.index <= _MAX_SIMPLE_KEY_LENGTH:
                    return
                if first.required:
                    super().stale_possible_simple_keys()  # raises the error
                del keys[level]

        def next_possible_simple_key(self) -> int | None:
            for key in self.possible_simple_keys.values():
                return int(key.token_number)
            return None

        def scan_plain_spaces(self, indent: int, start_mark: Any) -> Any:
            length = 0
            while self.peek(length) in (" ", "\t"):
                length += 1
            blanks = self.prefix(length)
            if self.peek(length) in "\r\n\x85\u2028\u2029":
                self.forward(length)
                return super().scan_plain_spaces(indent, start_mark)
            if blanks:
                self.forward(length)
            return [blanks] if blanks else []

    return PurePythonParser
