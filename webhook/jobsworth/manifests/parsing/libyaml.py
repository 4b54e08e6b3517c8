"""libyaml, of which kubectl's YAML library is a port, through PyYAML's extension.

Without the extension, PyYAML's own parser is used, which takes ten times as long. Its scanner rejects tabs
between words; go-yaml and libyaml accept them wherever they cannot be indentation. This module adds that. All
probes of the tests give the same results as libyaml. The remaining differences are the wording of errors, and
a tab that begins a line within plain text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, Protocol

import yaml

from jobsworth.record import Record


class Mark(Protocol):
    """A position in the text, counted from 0; ``index`` counts characters."""

    index: int
    line: int
    column: int


class YamlEvent(Protocol):
    """A parser event; each class has some of these attributes."""

    anchor: str | None
    tag: str | None
    implicit: tuple[bool, bool]
    value: str
    style: str | None
    flow_style: bool | None
    version: tuple[int, int] | None
    start_mark: Mark
    end_mark: Mark


class YamlNode(Protocol):
    """A value that libyaml has composed.

    The value of a mapping is a list of pairs, of a sequence a list of nodes, of a scalar its text.
    """

    tag: Any
    value: Any
    start_mark: Mark
    end_mark: Mark


class Backend(Record):
    """A YAML parser: a function that returns its events, and the module with its classes (``YAMLError`` …).

    ``compose`` returns the node of a text, None for an empty one, and is None itself for PyYAML's own parser.
    The tag of its nodes is the event's ``implicit``. It takes half as long as reading the events, but calls
    itself for nested values: look for brackets and hyphens first. Anchors, tags and directives are lost.
    """

    kind: Literal["libyaml", "python"]
    events: Callable[[bytes], Callable[[], Any]]
    names: Any
    compose: Callable[[bytes], YamlNode | None] | None = None


_LIBYAML_DEPTH_EXCEEDED = "exceeded maximum nesting depth"


@cache
def backend() -> Backend:
    """Return the parser.

    ``backend().kind`` is ``libyaml`` or ``python``, the second some ten times slower.
    """
    try:
        from yaml import _yaml
    except ImportError:
        return _python()
    return _libyaml(_yaml, _yaml.CParser)


def backend_for_depth(error: object) -> Backend | None:
    """Return the parser for a text that is nested deeper than libyaml reads; None for other errors.

    libyaml 0.2.6, in PyYAML since 6.0.4, ends at 1,000 levels. kubectl reads 10,000.
    """
    if getattr(error, "problem", None) != _LIBYAML_DEPTH_EXCEEDED:
        return None
    return _python()


def _python() -> Backend:
    parser = _python_parser_class()
    return Backend("python", lambda data: parser(data).get_event, yaml)


def _libyaml(extension: Any, parser: Any) -> Backend:
    class Composer(parser):  # type: ignore[misc]
        """Resolves no tags: its three methods replace those of ``yaml.resolver.Resolver``."""

        resolve = staticmethod(lambda kind, value, implicit: implicit)
        # Called for each node, so they are functions in C that take these arguments and have no effect.
        descend_resolver: Any = staticmethod({}.get)
        ascend_resolver: Any = staticmethod([].clear)

    return Backend(
        "libyaml",
        lambda data: parser(data).get_event,
        extension,
        lambda data: Composer(data).get_single_node(),
    )


_MAX_SIMPLE_KEY_LENGTH = 1024
"""The maximum number of characters of a key without ``?`` (YAML 1.1, section 9.2)."""


def _python_parser_class() -> Any:
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
