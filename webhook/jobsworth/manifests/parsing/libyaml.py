"""libyaml, of which kubectl's YAML library is a port, through PyYAML's extension.

Without the extension, PyYAML's own parser is used: see :mod:`jobsworth.manifests.parsing.pure_yaml`.
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
    from jobsworth.manifests.parsing.pure_yaml import parser_class

    parser = parser_class()
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
